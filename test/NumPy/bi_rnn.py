#===----------------------------------------------------------------------===//
#
# Part of the dynbatch project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===----------------------------------------------------------------------===//
"""A bidirectional LSTM tagger in NumPy (Graves and Schmidhuber 2005)."""

import numpy as np

import zoo


def states(params, direction, xs):
    """Returns the states of one direction, in the order in which it reads."""
    cell = zoo.LSTM(*(params[f"{direction}_{name}"] for name in "WUb"))
    state = cell.start()
    result = []
    for x in xs:
        state = cell.step(x, state)
        result.append(state[0])
    return result


def bi_rnn(params, decisions, words):
    xs = params["embedding"][words] if words else []
    past = states(params, "forward", xs)
    future = states(params, "backward", xs[::-1])[::-1]
    scores = [
        params["out_W"] @ np.hstack(both) + params["out_b"]
        for both in zip(past, future)
    ]
    return [scores, [decisions.argmax(score) for score in scores]]


if __name__ == "__main__":
    zoo.run(bi_rnn, __doc__)

#===----------------------------------------------------------------------===//
#
# Part of the dynbatch project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===----------------------------------------------------------------------===//
"""Adaptive computation time in NumPy (Graves 2016, equations 1 to 14)."""

import numpy as np

import zoo

EPSILON = 0.01
MOST_STEPS = 10


def act_rnn(params, decisions, words):
    # The flag of the first step is one more element of the input.
    W = np.column_stack([params["W"], params["first"]])
    state = np.zeros(W.shape[0])
    outputs, costs, total = [], [], 0
    for word in words:
        states, halting = [], []
        while True:
            x = np.append(params["embedding"][word], not states)
            previous = states[-1] if states else state
            s = np.tanh(W @ x + params["U"] @ previous + params["b"])
            h = zoo.sigmoid(params["halt_W"] @ s + params["halt_b"])[0]
            states.append(s)
            halting.append(h)
            enough = decisions.above(sum(halting), 1 - EPSILON)
            if enough or len(states) == MOST_STEPS:
                break
        remainder = 1 - sum(halting[:-1])
        p = np.array(halting[:-1] + [remainder])
        ys = [params["out_W"] @ s + params["out_b"] for s in states]
        state = p @ np.array(states)
        outputs.append(p @ np.array(ys))
        costs.append(len(states) + remainder)
        total += len(states)
    return [outputs, costs, total]


if __name__ == "__main__":
    zoo.run(act_rnn, __doc__)

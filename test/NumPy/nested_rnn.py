#===----------------------------------------------------------------------===//
#
# Part of the dynbatch project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===----------------------------------------------------------------------===//
"""A GRU whose steps run an inner network, in NumPy.

The NestedRNN of Fegade et al. 2024; the GRU is that of Cho et al. 2014.
"""

import numpy as np

import zoo

MOST_STEPS = 8


def inner(params, decisions, x, s):
    """Returns the inner state when it says stop, and the number of steps."""
    steps = 0
    while True:
        s = np.tanh(
            params["inner_W"] @ x + params["inner_U"] @ s + params["inner_b"]
        )
        steps += 1
        if steps == MOST_STEPS:
            return s, steps
        if decisions.above(params["stop_W"] @ s + params["stop_b"]):
            return s, steps


def gru(params, x, h):
    W_r, W_z, W_n = np.split(params["gru_W"], 3)
    U_r, U_z = np.split(params["gru_U"], 2)
    b_r, b_z, b_n = np.split(params["gru_b"], 3)
    r = zoo.sigmoid(W_r @ x + U_r @ h + b_r)
    z = zoo.sigmoid(W_z @ x + U_z @ h + b_z)
    n = np.tanh(W_n @ x + params["gru_U_candidate"] @ (r * h) + b_n)
    return z * h + (1 - z) * n


def nested_rnn(params, decisions, nodes):
    h = np.zeros(params["embedding"].shape[1])
    total = 0
    for node in nodes:
        s, steps = inner(params, decisions, params["embedding"][node], h)
        h = gru(params, s, h)
        total += steps
    return [params["out_W"] @ h + params["out_b"], total]


if __name__ == "__main__":
    zoo.run(nested_rnn, __doc__)

#===----------------------------------------------------------------------===//
#
# Part of the dynbatch project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===----------------------------------------------------------------------===//
"""The child-sum TreeLSTM in NumPy (Tai et al. 2015, equations 2 to 8)."""

import numpy as np

import zoo


def child_sum_tree_lstm(params, decisions, tree):
    del decisions
    W_i, W_o, W_u = np.split(params["W"], 3)
    U_i, U_o, U_u = np.split(params["U"], 3)
    b_i, b_o, b_u = np.split(params["b"], 3)
    W_f, U_f, b_f = (params[f"forget_{name}"] for name in "WUb")

    def encode(tree):
        _, word, children = tree
        x = params["embedding"][word]
        states = [encode(child) for child in children]
        h_sum = np.zeros_like(x)
        for h_k, _ in states:
            h_sum = h_sum + h_k
        i = zoo.sigmoid(W_i @ x + U_i @ h_sum + b_i)
        o = zoo.sigmoid(W_o @ x + U_o @ h_sum + b_o)
        u = np.tanh(W_u @ x + U_u @ h_sum + b_u)
        c = i * u
        for h_k, c_k in states:
            f_k = zoo.sigmoid(W_f @ x + U_f @ h_k + b_f)
            c = c + f_k * c_k
        return o * np.tanh(c), c

    return [params["out_W"] @ encode(tree)[0] + params["out_b"]]


if __name__ == "__main__":
    zoo.run(child_sum_tree_lstm, __doc__)

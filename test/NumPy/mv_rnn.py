#===----------------------------------------------------------------------===//
#
# Part of the dynbatch project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===----------------------------------------------------------------------===//
"""The matrix-vector recursive network in NumPy (Socher et al. 2012)."""

import numpy as np

import zoo


def mv_rnn(params, decisions, tree):
    del decisions
    W, W_M = params["W"], params["W_M"]

    def encode(tree):
        if tree[0] == "Leaf":
            return params["vectors"][tree[1]], params["matrices"][tree[1]]
        (a, A), (b, B) = encode(tree[1]), encode(tree[2])
        # Each word's matrix modifies the meaning of the other.
        p = np.tanh(W @ np.concatenate([B @ a, A @ b]) + params["b"])
        P = W_M @ np.vstack([A, B])
        return p, P

    return [params["out_W"] @ encode(tree)[0] + params["out_b"]]


if __name__ == "__main__":
    zoo.run(mv_rnn, __doc__)

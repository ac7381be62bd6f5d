#===----------------------------------------------------------------------===//
#
# Part of the dynbatch project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===----------------------------------------------------------------------===//
"""Checks tree_lstm.py against the model's equations, followed node by node."""

import math
import unittest

import numpy as np

from make_params import random_params
from tree_lstm import tree_lstm

TREES = [
    ("Leaf", 4),
    ("Node", ("Leaf", 0), ("Leaf", 1)),
    ("Node", ("Node", ("Leaf", 2), ("Leaf", 2)), ("Leaf", 3)),
    (
        "Node",
        ("Leaf", 1),
        ("Node", ("Leaf", 0), ("Node", ("Leaf", 4), ("Leaf", 2))),
    ),
]


def sigmoid(x):
    return 1 / (1 + math.exp(-x))


def cell(params, tree):
    """Returns h and c."""
    if tree[0] == "Leaf":
        x = params["embedding"][tree[1]]
        z = params["leaf_W"] @ x + params["leaf_b"]
        size = len(z) // 3
        c = [sigmoid(z[k]) * math.tanh(z[2 * size + k]) for k in range(size)]
        h = [sigmoid(z[size + k]) * math.tanh(c[k]) for k in range(size)]
        return np.array(h), c
    h_l, c_l = cell(params, tree[1])
    h_r, c_r = cell(params, tree[2])
    z = params["node_W_left"] @ h_l + params["node_W_right"] @ h_r
    z += params["node_b"]
    size = len(c_l)
    i, f_l, f_r, o, u = (z[k * size : (k + 1) * size] for k in range(5))
    h, c = [], []
    for k in range(size):
        c.append(
            sigmoid(i[k]) * math.tanh(u[k])
            + sigmoid(f_l[k]) * c_l[k]
            + sigmoid(f_r[k]) * c_r[k]
        )
        h.append(sigmoid(o[k]) * math.tanh(c[k]))
    return np.array(h), c


class TreeLSTMTest(unittest.TestCase):
    def setUp(self):
        self.params = random_params(hidden=3, words=5, seed=2)

    def test_equations(self):
        params = {
            name: array.astype(np.float64) for name, array in self.params.items()
        }
        expected = [
            params["out_W"] @ cell(params, tree)[0] + params["out_b"] for tree in TREES
        ]
        np.testing.assert_allclose(
            tree_lstm(self.params, TREES), expected, rtol=0, atol=1e-14
        )

    def test_leaves_only(self):
        self.assertEqual(tree_lstm(self.params, TREES[:1]).shape, (1, 5))

    def test_deep_tree(self):
        tree = ("Leaf", 0)
        for _ in range(10000):
            tree = ("Node", tree, ("Leaf", 1))
        self.assertTrue(np.isfinite(tree_lstm(self.params, [tree])).all())


if __name__ == "__main__":
    unittest.main()

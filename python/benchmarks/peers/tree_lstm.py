#===----------------------------------------------------------------------===//
#
# Part of the dynbatch project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===----------------------------------------------------------------------===//
"""The binary constituency TreeLSTM."""

from peers.forest import plan


class Instance:
    def __init__(self, ops):
        self.ops = ops
        self.embed = ops.lookup("embedding")
        self.leaf = ops.gates(3, "leaf_b", "leaf_W")
        self.node = ops.gates(5, "node_b", "node_W_left", "node_W_right")
        self.out = ops.linear("out_b", "out_W")

    def encode(self, tree):
        """Returns h and c."""
        ops = self.ops
        if tree[0] == "Leaf":
            i, o, u = self.leaf(self.embed(tree[1]))
            c = ops.mul(ops.sigmoid(i), ops.tanh(u))
        else:
            h_left, c_left = self.encode(tree[1])
            h_right, c_right = self.encode(tree[2])
            i, f_left, f_right, o, u = self.node(h_left, h_right)
            c = ops.add(
                ops.mul(ops.sigmoid(i), ops.tanh(u)),
                ops.mul(ops.sigmoid(f_left), c_left),
                ops.mul(ops.sigmoid(f_right), c_right),
            )
        return ops.mul(ops.sigmoid(o), ops.tanh(c)), c

    def run(self, tree):
        h, _ = self.encode(tree)
        return [self.out(h)], None

    @staticmethod
    def results(rows, _):
        return [rows[0]]


class Batched:
    def __init__(self, ops):
        self.ops = ops
        self.embedding = ops.parameter("embedding")
        self.leaf = ops.linear("leaf_b", "leaf_W")
        self.node = ops.linear("node_b", "node_W_left", "node_W_right")
        self.out = ops.linear("out_b", "out_W")
        self.size = self.embedding.shape[1]

    def prepare(self, inputs):
        return plan(self.ops, inputs)

    def compute(self, forest):
        ops, size = self.ops, self.size
        h, c = ops.empty(forest.size, size), ops.empty(forest.size, size)

        z = self.leaf(ops.take(self.embedding, forest.words))
        gates = ops.sigmoid_(z[:, : 2 * size])
        leaves = len(z)
        c[:leaves] = gates[:, :size] * ops.tanh_(z[:, 2 * size :])
        h[:leaves] = gates[:, size:] * ops.tanh(c[:leaves])

        for begin, end, children in forest.levels:
            z = self.node(ops.take(h, children).reshape(-1, 2 * size))
            gates = ops.sigmoid_(z[:, : 4 * size])
            # The forget gates stand beside the children's c.
            old = ops.take(c, children).reshape(-1, 2 * size)
            old *= gates[:, size : 3 * size]
            new = gates[:, :size]
            new *= ops.tanh_(z[:, 4 * size :])
            new += old[:, :size]
            new += old[:, size:]
            c[begin:end] = new
            h[begin:end] = gates[:, 3 * size :] * ops.tanh(new)

        return [ops.host(self.out(ops.take(h, forest.roots)))]

    @staticmethod
    def results(_, scores):
        return [[row] for row in scores]

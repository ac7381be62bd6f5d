#===----------------------------------------------------------------------===//
#
# Part of the dynbatch project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===----------------------------------------------------------------------===//
"""The recursive network with a mixture of experts."""

import numpy as np

from peers.forest import plan


class Instance:
    def __init__(self, ops):
        self.ops = ops
        self.embed = ops.lookup("embedding")
        self.gate = ops.linear("gate_b", "gate_W")
        self.experts = [
            ops.linear(b, W)
            for b, W in zip(ops.arrays["experts_b"], ops.arrays["experts_W"])
        ]
        self.out = ops.linear("out_b", "out_W")

    def encode(self, tree):
        """Returns the vector and the expert."""
        if tree[0] == "Leaf":
            return self.embed(tree[1]), -1
        left, _ = yield from self.encode(tree[1])
        right, _ = yield from self.encode(tree[2])
        x = self.ops.concat(left, right)
        scores = yield self.gate(x)
        expert = int(scores.argmax())
        return self.ops.tanh(self.experts[expert](x)), expert

    def run(self, tree):
        h, expert = yield from self.encode(tree)
        return [self.out(h)], expert

    @staticmethod
    def results(rows, expert):
        return [rows[0], expert]


class Batched:
    """The nodes of a level go to their experts in as many products."""

    def __init__(self, ops):
        self.ops = ops
        self.embedding = ops.parameter("embedding")
        self.size = self.embedding.shape[1]
        self.gate = ops.linear("gate_b", "gate_W")
        self.experts = [
            ops.linear(b, W)
            for b, W in zip(ops.arrays["experts_b"], ops.arrays["experts_W"])
        ]
        self.out = ops.linear("out_b", "out_W")

    def prepare(self, inputs):
        return plan(self.ops, inputs)

    def compute(self, forest):
        ops = self.ops
        h = ops.empty(forest.size, self.size)
        chosen = np.full(forest.size, -1)
        h[: len(forest.words)] = ops.take(self.embedding, forest.words)
        for begin, end, children in forest.levels:
            x = ops.take(h, children).reshape(-1, 2 * self.size)
            chosen[begin:end] = ops.host(ops.argmax(self.gate(x)))
            for expert in np.unique(chosen[begin:end]):
                rows = np.flatnonzero(chosen[begin:end] == expert)
                y = self.experts[expert](ops.take(x, ops.index(rows)))
                h[ops.index(begin + rows)] = ops.tanh_(y)
        scores = self.out(ops.take(h, forest.roots))
        return [ops.host(scores), chosen[ops.host(forest.roots)]]

    @staticmethod
    def results(_, scores, experts):
        return [list(both) for both in zip(scores, experts)]

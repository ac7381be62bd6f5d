#===----------------------------------------------------------------------===//
#
# Part of the dynbatch project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===----------------------------------------------------------------------===//
"""The child-sum TreeLSTM over dependency trees."""

import numpy as np


class Instance:
    def __init__(self, ops):
        self.ops = ops
        self.embed = ops.lookup("embedding")
        self.gates = ops.gates(3, "b", "W", "U")
        self.forget = ops.linear("forget_b", "forget_W", "forget_U")
        self.out = ops.linear("out_b", "out_W")
        self.size = ops.arrays["forget_b"].shape[0]

    def encode(self, tree):
        """Returns h and c."""
        ops = self.ops
        _, word, children = tree
        x = self.embed(word)
        states = [self.encode(child) for child in children]
        h_sum = ops.add(*(h for h, _ in states)) if states else ops.zeros(self.size)
        i, o, u = self.gates(x, h_sum)
        terms = [ops.mul(ops.sigmoid(i), ops.tanh(u))]
        for h, c in states:
            terms.append(ops.mul(ops.sigmoid(self.forget(x, h)), c))
        c = ops.add(*terms)
        return ops.mul(ops.sigmoid(o), ops.tanh(c)), c

    def run(self, tree):
        h, _ = self.encode(tree)
        return [self.out(h)], None

    @staticmethod
    def results(rows, _):
        return [rows[0]]


class Batched:
    """Nodes are numbered by height; those of height 0 have no children."""

    def __init__(self, ops):
        self.ops = ops
        self.embedding = ops.parameter("embedding")
        self.size = self.embedding.shape[1]
        self.project = ops.linear("b", "W")
        self.recur = ops.linear(None, "U")
        self.project_forget = ops.linear("forget_b", "forget_W")
        self.recur_forget = ops.linear(None, "forget_U")
        self.out = ops.linear("out_b", "out_W")

    def prepare(self, inputs):
        levels = []

        def visit(tree):
            """Returns the height of a node and its number at that height."""
            _, word, children = tree
            visited = [visit(child) for child in children]
            height = 1 + max((height for height, _ in visited), default=-1)
            while height >= len(levels):
                levels.append([])
            levels[height].append((word, visited))
            return height, len(levels[height]) - 1

        ops = self.ops
        roots = np.array([visit(tree) for (tree,) in inputs])
        starts = np.cumsum([0, *map(len, levels)])
        words = [word for level in levels for word, _ in level]
        plans = []
        for begin, level in zip(starts[1:], levels[1:]):
            counts = np.array([len(children) for _, children in level])
            places = np.array([child for _, children in level for child in children])
            plans.append(
                (
                    int(begin),
                    int(begin) + len(level),
                    ops.index(starts[places[:, 0]] + places[:, 1]),
                    ops.index(np.repeat(np.arange(len(level)), counts)),
                    ops.index(np.cumsum(counts) - counts),
                )
            )
        roots = ops.index(starts[roots[:, 0]] + roots[:, 1])
        return ops.index(words), int(starts[1]), plans, roots

    def compute(self, plan):
        ops, size = self.ops, self.size
        words, leaves, levels, roots = plan
        h, c = ops.empty(len(words), size), ops.empty(len(words), size)
        x = ops.take(self.embedding, words)
        z = self.project(x)
        z_forget = self.project_forget(x[leaves:])

        def finish(begin, end, old):
            gates = ops.sigmoid_(z[begin:end, : 2 * size])
            new = gates[:, :size]
            new *= ops.tanh_(z[begin:end, 2 * size :])
            if old is not None:
                new += old
            c[begin:end] = new
            h[begin:end] = gates[:, size:] * ops.tanh(new)

        finish(0, leaves, None)
        for begin, end, children, owners, starts in levels:
            h_children = ops.take(h, children)
            z[begin:end] += self.recur(ops.sum_segments(h_children, owners, starts))
            forget = ops.take(z_forget[begin - leaves : end - leaves], owners)
            forget += self.recur_forget(h_children)
            forget = ops.sigmoid_(forget)
            forget *= ops.take(c, children)
            finish(begin, end, ops.sum_segments(forget, owners, starts))
        return [ops.host(self.out(ops.take(h, roots)))]

    @staticmethod
    def results(_, scores):
        return [[row] for row in scores]

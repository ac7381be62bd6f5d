#===----------------------------------------------------------------------===//
#
# Part of the dynbatch project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===----------------------------------------------------------------------===//
"""The matrix-vector recursive network."""

from peers.forest import plan


class Instance:
    def __init__(self, ops):
        self.ops = ops
        self.vector = ops.lookup("vectors")
        self.matrix = ops.lookup("matrices")
        self.combine = ops.linear("b", "W")
        self.W_M = ops.parameter("W_M")
        self.out = ops.linear("out_b", "out_W")

    def encode(self, tree):
        """Returns the vector and the matrix."""
        ops = self.ops
        if tree[0] == "Leaf":
            return self.vector(tree[1]), self.matrix(tree[1])
        a, A = self.encode(tree[1])
        b, B = self.encode(tree[2])
        p = ops.tanh(self.combine(ops.concat(ops.matmul(B, a), ops.matmul(A, b))))
        return p, ops.matmul(self.W_M, ops.concat(A, B))

    def run(self, tree):
        p, _ = self.encode(tree)
        return [self.out(p)], None

    @staticmethod
    def results(rows, _):
        return [rows[0]]


class Batched:
    """Matrices are stored transposed.

    Then the rows of a level's matrices, one behind the other, are the operand of
    one big product.
    """

    def __init__(self, ops):
        self.ops = ops
        self.vectors = ops.parameter("vectors")
        self.matrices = ops.constant(ops.arrays["matrices"].swapaxes(1, 2))
        self.combine = ops.linear("b", "W")
        self.size = self.vectors.shape[1]
        W_M = ops.arrays["W_M"]
        self.W_left = ops.constant(W_M[:, : self.size].T)
        self.W_right = ops.constant(W_M[:, self.size :].T)
        self.out = ops.linear("out_b", "out_W")

    def prepare(self, inputs):
        return plan(self.ops, inputs)

    def compute(self, forest):
        ops, size = self.ops, self.size
        leaves = len(forest.words)
        p, P = ops.empty(forest.size, size), ops.empty(forest.size, size, size)
        p[:leaves] = ops.take(self.vectors, forest.words)
        P[:leaves] = ops.take(self.matrices, forest.words)
        for begin, end, children in forest.levels:
            vectors = ops.take(p, children).reshape(-1, 2, size)
            left = ops.take(P, children[::2])
            right = ops.take(P, children[1::2])
            # B a and A b, as products of rows with transposed matrices.
            changed = [
                ops.matmul(vectors[:, :1], right),
                ops.matmul(vectors[:, 1:], left),
            ]
            z = self.combine(ops.concat(changed, axis=2).reshape(-1, 2 * size))
            p[begin:end] = ops.tanh_(z)
            level = P[begin:end].reshape(-1, size)
            ops.matmul_into(level, left.reshape(-1, size), self.W_left)
            ops.add_matmul(level, right.reshape(-1, size), self.W_right)
        return [ops.host(self.out(ops.take(p, forest.roots)))]

    @staticmethod
    def results(_, scores):
        return [[row] for row in scores]

#===----------------------------------------------------------------------===//
#
# Part of the dynbatch project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===----------------------------------------------------------------------===//
"""The binary constituency TreeLSTM in NumPy, with float64 arithmetic.

It shares nothing with dynbatch and serves to check its results. All nodes of
the same height, in all trees, are computed together.
"""

import argparse

import numpy as np

from instances import read_values
from params import read_params


def sigmoid(x):
    # Equal to 1 / (1 + exp(-x)), and never overflows.
    return 0.5 * (1.0 + np.tanh(0.5 * x))


class Forest:
    """The nodes of many trees, numbered so that children come first."""

    def __init__(self, trees):
        self.roots = []
        self.words = {}
        self.children = {}
        self.heights = []
        for tree in trees:
            self.roots.append(self.add(tree))

    def __len__(self):
        return len(self.heights)

    def add(self, root):
        """Adds a tree in post-order and returns the number of its root."""
        done = []
        pending = [(root, False)]
        while pending:
            tree, visited = pending.pop()
            number = len(self)
            if tree[0] == "Leaf":
                (_, self.words[number]) = tree
                self.heights.append(0)
                done.append(number)
            elif visited:
                right, left = done.pop(), done.pop()
                self.children[number] = (left, right)
                height = 1 + max(self.heights[left], self.heights[right])
                self.heights.append(height)
                done.append(number)
            else:
                (_, left, right) = tree
                pending += [(tree, True), (right, False), (left, False)]
        (number,) = done
        return number

    def levels(self):
        """Returns the numbers of the inner nodes, one list a height."""
        levels = [[] for _ in range(max(self.heights, default=0))]
        for number in self.children:
            levels[self.heights[number] - 1].append(number)
        return levels


def tree_lstm(params, trees):
    """Returns the logits of the trees, one row a tree."""
    params = {name: array.astype(np.float64) for name, array in params.items()}
    forest = Forest(trees)
    hidden = params["embedding"].shape[1]
    h = np.empty((len(forest), hidden))
    c = np.empty((len(forest), hidden))

    leaves = list(forest.words)
    x = params["embedding"][list(forest.words.values())]
    z = x @ params["leaf_W"].T + params["leaf_b"]
    i, o, u = np.split(z, 3, axis=1)
    c[leaves] = sigmoid(i) * np.tanh(u)
    h[leaves] = sigmoid(o) * np.tanh(c[leaves])

    for nodes in forest.levels():
        left, right = np.array([forest.children[node] for node in nodes]).T
        z = (
            h[left] @ params["node_W_left"].T
            + h[right] @ params["node_W_right"].T
            + params["node_b"]
        )
        i, f_left, f_right, o, u = np.split(z, 5, axis=1)
        c[nodes] = (
            sigmoid(i) * np.tanh(u)
            + sigmoid(f_left) * c[left]
            + sigmoid(f_right) * c[right]
        )
        h[nodes] = sigmoid(o) * np.tanh(c[nodes])

    return h[forest.roots] @ params["out_W"].T + params["out_b"]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--params", required=True, metavar="F.safetensors")
    parser.add_argument("--instances", required=True, metavar="FILE")
    parser.add_argument("--output", required=True, metavar="FILE")
    args = parser.parse_args()

    trees = [tree for (tree,) in read_values(args.instances)]
    logits = tree_lstm(read_params(args.params), trees)
    with open(args.output, "w", encoding="utf-8") as file:
        for row in logits:
            file.write(f"[{' '.join(repr(float(value)) for value in row)}]\n")


if __name__ == "__main__":
    main()

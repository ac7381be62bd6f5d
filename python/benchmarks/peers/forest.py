#===----------------------------------------------------------------------===//
#
# Part of the dynbatch project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===----------------------------------------------------------------------===//
"""The nodes of binary trees by height, for the hand-batched models."""

import numpy as np


class Forest:
    """Numbers the leaves of all trees, then the nodes of height 1, and so on.

    words: the leaves' words. levels: for each height, where its nodes begin and
    end, and the numbers of their children, left and right one after the other.
    """

    def __init__(self, trees):
        words, levels = [], []

        def visit(tree):
            """Returns the height of a node and its number at that height."""
            if tree[0] == "Leaf":
                words.append(tree[1])
                return 0, len(words) - 1
            left, right = visit(tree[1]), visit(tree[2])
            height = max(left[0], right[0])
            if height == len(levels):
                levels.append([])
            level = levels[height]
            level.append(left + right)
            return height + 1, len(level) - 1

        roots = np.array([visit(tree) for tree in trees])
        starts = np.cumsum([0, len(words), *map(len, levels)])
        self.words = words
        self.size = int(starts[-1])
        self.roots = starts[roots[:, 0]] + roots[:, 1]
        self.levels = []
        for begin, level in zip(starts[1:], levels):
            nodes = np.array(level).reshape(-1, 2)
            children = starts[nodes[:, 0]] + nodes[:, 1]
            self.levels.append((int(begin), int(begin) + len(level), children))


def plan(ops, trees):
    """Returns the forest with its numbers as index arrays."""
    forest = Forest([tree for (tree,) in trees])
    forest.words = ops.index(forest.words)
    forest.roots = ops.index(forest.roots)
    forest.levels = [
        (begin, end, ops.index(children)) for begin, end, children in forest.levels
    ]
    return forest

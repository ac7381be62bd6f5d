#===----------------------------------------------------------------------===//
#
# Part of the dynbatch project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===----------------------------------------------------------------------===//
"""The doubly recurrent network in NumPy (Alvarez-Melis and Jaakkola 2017).

Equations 1 to 6, generating: each node draws whether it has children and
whether it has a sibling to its right.
"""

import numpy as np

import zoo

LEVELS = 6
CHILDREN = 4
MASK = 2**64 - 1


def draw(seed, n):
    """Returns number n of the random numbers of a seed (SplitMix64)."""
    z = (seed * 0xBF58476D1CE4E5B9 + n * 0x9E3779B97F4A7C15) & MASK
    z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & MASK
    z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & MASK
    return ((z ^ (z >> 31)) >> 40) / 2**24


def drnn(params, decisions, seed, words):
    def rnn(kind, x, h):
        W, U, b = (params[f"{kind}_{name}"] for name in "WUb")
        return np.tanh(W @ x + U @ h + b)

    start = params["start"]
    nothing = np.zeros_like(start)
    encoding = nothing
    for word in words:
        encoding = rnn("encoder", params["embedding"][word], encoding)

    def siblings(position, level, most, h_parent, x_parent):
        """Returns a node and those to its right, at most that many."""
        nodes = []
        h_f, x = nothing, start
        h_a = rnn("ancestral", x_parent, h_parent)
        while True:
            h_f = rnn("fraternal", x, h_f)
            prediction = np.tanh(
                params["prediction_U_fraternal"] @ h_f
                + params["prediction_U_ancestral"] @ h_a
            )
            p_a, p_f = zoo.sigmoid(params["topology_W"] @ prediction)
            has_children = level < LEVELS and decisions.above(
                p_a, draw(seed, 2 * position)
            )
            has_sibling = len(nodes) + 1 < most and decisions.above(
                p_f, draw(seed, 2 * position + 1)
            )
            scores = (
                params["label_W"] @ prediction
                + has_children * params["label_v_ancestral"]
                + has_sibling * params["label_v_fraternal"]
            )
            label = decisions.argmax(scores)
            x = params["labels"][label]
            children = ("End",)
            if has_children:
                children = siblings(2 * position, level + 1, CHILDREN, h_a, x)
            nodes.append((label, scores, children))
            if not has_sibling:
                break
            position = 2 * position + 1
        forest = ("End",)
        for node in reversed(nodes):
            forest = ("Node", *node, forest)
        return forest

    return [siblings(1, 1, 1, encoding, start)]


if __name__ == "__main__":
    zoo.run(drnn, __doc__)

#===----------------------------------------------------------------------===//
#
# Part of the dynbatch project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===----------------------------------------------------------------------===//
"""The TreeLSTM in DyNet: the other side of compare_tree_lstm.py, which starts it.

After its model is built it prints a line, and then for each line on its
standard input runs all minibatches once and prints a JSON line: milliseconds a
minibatch, as a whole and without the building of the graphs in Python.
"""

import argparse
import json
import sys
import time

from harness import read_trees


class TreeLSTM:
    """What the two forms share: the leaves, the recursion and the scores."""

    def __init__(self, dy, words, hidden):
        self.dy = dy
        self.model = dy.ParameterCollection()
        self.hidden = hidden
        self.embedding = self.model.add_lookup_parameters((words, hidden))
        self.out = self.affine(5, inputs=1)

    def affine(self, rows, inputs):
        """Parameters of an affine map: the bias, then a matrix an input."""
        matrices = [
            self.model.add_parameters((rows, self.hidden)) for _ in range(inputs)
        ]
        return [self.model.add_parameters(rows), *matrices]

    def apply(self, affine, *inputs):
        bias, *matrices = affine
        operands = [bias]
        for matrix, value in zip(matrices, inputs):
            operands += [matrix, value]
        return self.dy.affine_transform(operands)

    def encode(self, tree):
        """Returns h and c."""
        dy = self.dy
        if tree[0] == "Leaf":
            x = dy.lookup(self.embedding, tree[1], update=False)
            i, o, u = self.leaf_gates(x)
            c = dy.cmult(dy.logistic(i), dy.tanh(u))
        else:
            h_left, c_left = self.encode(tree[1])
            h_right, c_right = self.encode(tree[2])
            i, f_left, f_right, o, u = self.node_gates(h_left, h_right)
            c = dy.esum(
                [
                    dy.cmult(dy.logistic(i), dy.tanh(u)),
                    dy.cmult(dy.logistic(f_left), c_left),
                    dy.cmult(dy.logistic(f_right), c_right),
                ]
            )
        return dy.cmult(dy.logistic(o), dy.tanh(c)), c

    def scores(self, tree):
        h, _ = self.encode(tree)
        return self.apply(self.out, h)


class GateTreeLSTM(TreeLSTM):
    """One parameter a gate."""

    def __init__(self, dy, words, hidden):
        super().__init__(dy, words, hidden)
        self.leaf = [self.affine(hidden, inputs=1) for _ in range(3)]
        self.node = [self.affine(hidden, inputs=2) for _ in range(5)]

    def leaf_gates(self, x):
        return [self.apply(gate, x) for gate in self.leaf]

    def node_gates(self, h_left, h_right):
        return [self.apply(gate, h_left, h_right) for gate in self.node]


class FusedTreeLSTM(TreeLSTM):
    """All gates in one parameter."""

    def __init__(self, dy, words, hidden):
        super().__init__(dy, words, hidden)
        self.leaf = self.affine(3 * hidden, inputs=1)
        self.node = self.affine(5 * hidden, inputs=2)

    def split(self, z, parts):
        size = self.hidden
        return [
            self.dy.pick_range(z, part * size, (part + 1) * size)
            for part in range(parts)
        ]

    def leaf_gates(self, x):
        return self.split(self.apply(self.leaf, x), 3)

    def node_gates(self, h_left, h_right):
        return self.split(self.apply(self.node, h_left, h_right), 5)


FORMS = {"gates": GateTreeLSTM, "fused": FusedTreeLSTM}


def run_minibatch(dy, model, trees):
    """Returns milliseconds: all, and without the building of the graphs."""
    begin = time.perf_counter()
    dy.renew_cg()
    result = dy.concatenate([model.scores(tree) for tree in trees])
    built = time.perf_counter()
    result.npvalue()
    end = time.perf_counter()
    return 1e3 * (end - begin), 1e3 * (end - built)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--trees", required=True)
    parser.add_argument("--hidden", type=int, required=True)
    parser.add_argument("--batch-size", type=int, required=True)
    parser.add_argument("--form", choices=FORMS, required=True)
    parser.add_argument("--autobatch", action="store_true")
    args = parser.parse_args()

    import dynet_config

    dynet_config.set(mem=1024, random_seed=1, autobatch=args.autobatch)
    import dynet as dy

    trees, words = read_trees(args.trees)
    minibatches = [
        trees[begin : begin + args.batch_size]
        for begin in range(0, len(trees), args.batch_size)
    ]
    model = FORMS[args.form](dy, words, args.hidden)
    print("ready", flush=True)
    for _ in sys.stdin:
        times = [run_minibatch(dy, model, minibatch) for minibatch in minibatches]
        print(json.dumps(times), flush=True)


if __name__ == "__main__":
    main()

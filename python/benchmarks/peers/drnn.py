#===----------------------------------------------------------------------===//
#
# Part of the dynbatch project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===----------------------------------------------------------------------===//
"""The doubly recurrent network."""

import numpy as np

LEVELS = 6
CHILDREN = 4
MASK = 2**64 - 1


def draw(seed, n):
    """Returns number n of the random numbers of a seed (SplitMix64)."""
    z = (seed * 0xBF58476D1CE4E5B9 + n * 0x9E3779B97F4A7C15) & MASK
    z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & MASK
    z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & MASK
    return ((z ^ (z >> 31)) >> 40) / 2**24


def forest(nodes, scores):
    """Returns siblings, each a label, a row of the scores, and its children."""
    result = ("End",)
    for label, row, children in reversed(nodes):
        result = ("Node", label, scores[row], forest(children, scores), result)
    return result


class Instance:
    def __init__(self, ops):
        self.ops = ops
        self.embed = ops.lookup("embedding")
        self.label = ops.lookup("labels")
        self.cells = {
            name: ops.linear(f"{name}_b", f"{name}_W", f"{name}_U")
            for name in ("encoder", "ancestral", "fraternal")
        }
        self.prediction = ops.linear(
            None, "prediction_U_fraternal", "prediction_U_ancestral"
        )
        # Whether there are children and siblings, and the label, in one product.
        both = [ops.arrays["topology_W"], ops.arrays["label_W"]]
        self.scores = ops.linear(None, np.concatenate(both))
        self.start = ops.parameter("start")
        self.size = ops.arrays["start"].shape[0]
        self.more = ops.arrays["label_v_ancestral"], ops.arrays["label_v_fraternal"]

    def rnn(self, kind, x, h):
        return self.ops.tanh(self.cells[kind](x, h))

    def siblings(self, seed, rows, position, level, most, h_parent, x_parent):
        """Returns a node and those to its right; their scores go to `rows`."""
        ops = self.ops
        nodes = []
        h_a = self.rnn("ancestral", x_parent, h_parent)
        h_f, x = ops.zeros(self.size), self.start
        while True:
            h_f = self.rnn("fraternal", x, h_f)
            numbers = yield self.scores(ops.tanh(self.prediction(h_f, h_a)))
            p_a, p_f = 1 / (1 + np.exp(-numbers[:2]))
            has_children = level < LEVELS and p_a > draw(seed, 2 * position)
            has_sibling = len(nodes) + 1 < most and p_f > draw(seed, 2 * position + 1)
            scores = numbers[2:] + has_children * self.more[0] + has_sibling * self.more[1]
            label = int(scores.argmax())
            x = self.label(label)
            row, children = len(rows), []
            rows.append(scores)
            if has_children:
                children = yield from self.siblings(
                    seed, rows, 2 * position, level + 1, CHILDREN, h_a, x
                )
            nodes.append((label, row, children))
            if not has_sibling:
                return nodes
            position = 2 * position + 1

    def run(self, seed, words):
        encoding, rows = self.ops.zeros(self.size), []
        for word in words:
            encoding = self.rnn("encoder", self.embed(word), encoding)
        nodes = yield from self.siblings(seed, rows, 1, 1, 1, encoding, self.start)
        return [], (nodes, rows)

    @staticmethod
    def results(_, rest):
        return [forest(*rest)]


class Chain:
    """Siblings that are being made."""

    def __init__(self, seed, position, level, most):
        self.seed, self.position, self.level, self.most = seed, position, level, most
        self.nodes = []


class Batched:
    """All chains of siblings, of all trees, make a node together."""

    def __init__(self, ops):
        self.ops = ops
        self.embedding = ops.parameter("embedding")
        self.labels = ops.parameter("labels")
        self.size = self.embedding.shape[1]
        self.cells = {
            name: ops.linear(f"{name}_b", f"{name}_W", f"{name}_U")
            for name in ("encoder", "ancestral", "fraternal")
        }
        self.prediction = ops.linear(
            None, "prediction_U_fraternal", "prediction_U_ancestral"
        )
        both = [ops.arrays["topology_W"], ops.arrays["label_W"]]
        self.scores = ops.linear(None, np.concatenate(both))
        self.start = ops.parameter("start")
        self.more = ops.arrays["label_v_ancestral"], ops.arrays["label_v_fraternal"]

    def rnn(self, kind, x, h):
        return self.ops.tanh_(self.cells[kind](self.ops.concat([x, h])))

    def prepare(self, inputs):
        chains = [Chain(seed, 1, 1, 1) for seed, _ in inputs]
        return chains, [words for _, words in inputs]

    def starts(self, count):
        x = self.ops.empty(count, self.size)
        x[:] = self.start
        return x

    def encode(self, sentences):
        ops = self.ops
        lengths = np.array([len(words) for words in sentences])
        h = ops.zeros(len(sentences), self.size)
        for position in range(lengths.max(initial=0)):
            places = np.flatnonzero(lengths > position)
            x = ops.index([sentences[place][position] for place in places])
            rows = ops.index(places)
            h[rows] = self.rnn("encoder", ops.take(self.embedding, x), ops.take(h, rows))
        return h

    def decide(self, chains, numbers):
        """Adds a node to each chain, and returns the chains that have begun there,
        those that go on, the labels and the scores."""
        topology = 1 / (1 + np.exp(-numbers[:, :2]))
        children, going = [], []
        flags = np.zeros((2, len(chains), 1), dtype=bool)
        for place, (chain, (p_a, p_f)) in enumerate(zip(chains, topology.tolist())):
            seed, position = chain.seed, chain.position
            if chain.level < LEVELS and p_a > draw(seed, 2 * position):
                children.append(place)
                flags[0, place] = True
            if len(chain.nodes) + 1 < chain.most and p_f > draw(seed, 2 * position + 1):
                going.append(place)
                flags[1, place] = True
        scores = numbers[:, 2:] + flags[0] * self.more[0] + flags[1] * self.more[1]
        return children, going, scores.argmax(axis=1), scores

    def compute(self, plan):
        ops = self.ops
        roots, sentences = plan
        chains, total = list(roots), 0
        x = self.starts(len(chains))
        h_a = self.rnn("ancestral", x, self.encode(sentences))
        h_f = ops.zeros(len(chains), self.size)
        all_scores = []
        while chains:
            h_f = self.rnn("fraternal", x, h_f)
            p = ops.tanh_(self.prediction(ops.concat([h_f, h_a])))
            numbers = ops.host(self.scores(p))
            children, going, labels, scores = self.decide(chains, numbers)
            all_scores.append(scores)
            for place, (chain, label) in enumerate(zip(chains, labels.tolist())):
                chain.nodes.append((label, total + place, []))
            total += len(chains)

            begun = []
            for place in children:
                parent = chains[place]
                child = Chain(parent.seed, 2 * parent.position, parent.level + 1, CHILDREN)
                parent.nodes[-1][2].append(child)
                begun.append(child)
            for place in going:
                chains[place].position = 2 * chains[place].position + 1
            x = ops.take(self.labels, ops.index(labels))
            stay, down = ops.index(going), ops.index(children)
            below = self.rnn("ancestral", ops.take(x, down), ops.take(h_a, down))
            x = ops.concat([ops.take(x, stay), self.starts(len(begun))], axis=0)
            h_a = ops.concat([ops.take(h_a, stay), below], axis=0)
            h_f = ops.concat(
                [ops.take(h_f, stay), ops.zeros(len(begun), self.size)], axis=0
            )
            chains = [chains[place] for place in going] + begun
        return [roots, np.concatenate(all_scores)]

    @staticmethod
    def results(_, roots, scores):
        def nodes(chain):
            return [
                (label, row, nodes(children[0]) if children else [])
                for label, row, children in chain.nodes
            ]

        return [[forest(nodes(root), scores)] for root in roots]

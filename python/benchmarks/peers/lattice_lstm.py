#===----------------------------------------------------------------------===//
#
# Part of the dynbatch project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===----------------------------------------------------------------------===//
"""The lattice LSTM over characters and words."""

import numpy as np

from peers.sentences import Sentences


class Instance:
    def __init__(self, ops):
        self.ops = ops
        self.character = ops.lookup("characters")
        self.word = ops.lookup("words")
        self.size = ops.arrays["characters"].shape[1]
        names = ("character", "word")
        self.gates = {name: ops.gates(3, f"{name}_b", *halves(ops, name)) for name in names}
        self.edge = ops.linear("edge_b", *halves(ops, "edge"))
        self.out = ops.linear("out_b", "out_W")

    def word_cell(self, word, h, c):
        ops = self.ops
        i, f, u = self.gates["word"](self.word(word), h)
        return ops.add(ops.mul(ops.sigmoid(f), c), ops.mul(ops.sigmoid(i), ops.tanh(u)))

    def run(self, sentence):
        ops = self.ops
        states = [(ops.zeros(self.size), ops.zeros(self.size))]
        for end, (_, character, words) in enumerate(sentence, 1):
            x = self.character(character)
            h, c = states[-1]
            i, o, u = self.gates["character"](x, h)
            i, u = ops.sigmoid(i), ops.tanh(u)
            if words:
                cells = [
                    self.word_cell(word, *states[end - length + 1])
                    for _, word, length in words
                ]
                weights = [ops.exp(ops.sigmoid(self.edge(x, cell))) for cell in cells]
                weights.append(ops.exp(i))
                terms = [ops.mul(w, y) for w, y in zip(weights, [*cells, u])]
                c = ops.divide(ops.add(*terms), ops.add(*weights))
            else:
                c = ops.add(ops.mul(ops.one_minus(i), c), ops.mul(i, u))
            states.append((ops.mul(ops.sigmoid(o), ops.tanh(c)), c))
        return [self.out(h) for h, _ in states[1:]], None

    @staticmethod
    def results(rows, _):
        return [list(rows)]


def halves(ops, name):
    """Returns the matrices of both inputs."""
    return np.split(ops.arrays[f"{name}_W"], 2, axis=1)


class Batched:
    """What reads characters and words alone is computed at once, for all of them."""

    def __init__(self, ops):
        self.ops = ops
        self.characters = ops.parameter("characters")
        self.words = ops.parameter("words")
        self.size = self.characters.shape[1]
        self.project, self.recur = {}, {}
        for name in ("character", "word", "edge"):
            W, U = halves(ops, name)
            self.project[name] = ops.linear(f"{name}_b", W)
            self.recur[name] = ops.linear(None, U)
        self.out = ops.linear("out_b", "out_W")

    def prepare(self, inputs):
        ops = self.ops
        sentences = Sentences([sentence for (sentence,) in inputs])
        characters = sentences.gather(
            [character for sentence in sentences.sorted for _, character, _ in sentence]
        )
        words, steps = [], []
        for position, count in enumerate(sentences.active):
            owners, firsts = [], []
            for place, sentence in enumerate(sentences.sorted[:count]):
                for _, word, length in sentence[position][2]:
                    words.append(word)
                    owners.append(place)
                    firsts.append(sentences.starts[position - length + 1] + place)
            step = None
            if owners:
                places, starts, segments = np.unique(
                    owners, return_index=True, return_inverse=True
                )
                step = tuple(map(ops.index, (firsts, owners, places, starts, segments)))
            steps.append((count, len(owners), step))
        return ops.index(characters), ops.index(words), steps, sentences

    def word_cells(self, z, h, c):
        ops, size = self.ops, self.size
        z += self.recur["word"](h)
        gates = ops.sigmoid_(z[:, : 2 * size])
        return gates[:, size:] * c + gates[:, :size] * ops.tanh_(z[:, 2 * size :])

    def compute(self, plan):
        ops, size = self.ops, self.size
        characters, words, steps, _ = plan
        x = ops.take(self.characters, characters)
        z, z_edge = self.project["character"](x), self.project["edge"](x)
        z_word = self.project["word"](ops.take(self.words, words))
        h, c = ops.empty(len(x), size), ops.empty(len(x), size)
        begin = word = previous = 0
        for count, edges, step in steps:
            end = begin + count
            if begin:
                z[begin:end] += self.recur["character"](h[previous : previous + count])
            gates = ops.sigmoid_(z[begin:end, : 2 * size])
            i, o = gates[:, :size], gates[:, size:]
            u = ops.tanh_(z[begin:end, 2 * size :])
            new = c[begin:end]
            new[:] = i * u
            if begin:
                new += (1 - i) * c[previous : previous + count]
            if step:
                firsts, owners, places, starts, segments = step
                cells = self.word_cells(
                    z_word[word : word + edges], ops.take(h, firsts), ops.take(c, firsts)
                )
                gate = ops.take(z_edge[begin:end], owners)
                gate += self.recur["edge"](cells)
                weights = ops.exp(ops.sigmoid_(gate))
                own = ops.exp(ops.take(i, places))
                total = own + ops.sum_segments(weights, segments, starts)
                own *= ops.take(u, places)
                own += ops.sum_segments(weights * cells, segments, starts)
                new[places] = own / total
            h[begin:end] = o * ops.tanh(new)
            begin, word, previous = end, word + edges, begin
        return [ops.host(self.out(h))]

    @staticmethod
    def results(plan, scores):
        return plan[-1].unsort(lambda numbers: [list(scores[numbers])])

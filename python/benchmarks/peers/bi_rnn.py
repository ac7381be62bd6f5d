#===----------------------------------------------------------------------===//
#
# Part of the dynbatch project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===----------------------------------------------------------------------===//
"""The bidirectional LSTM tagger."""

from peers.sentences import Sentences


class Instance:
    def __init__(self, ops):
        self.ops = ops
        self.embed = ops.lookup("embedding")
        self.forward = ops.gates(4, "forward_b", "forward_W", "forward_U")
        self.backward = ops.gates(4, "backward_b", "backward_W", "backward_U")
        self.out = ops.linear("out_b", "out_W")
        self.size = ops.arrays["out_W"].shape[1] // 2

    def states(self, gates, xs):
        """Returns the states of a direction, in the order in which it reads."""
        ops = self.ops
        h = c = ops.zeros(self.size)
        result = []
        for x in xs:
            i, f, o, u = gates(x, h)
            c = ops.add(ops.mul(ops.sigmoid(f), c), ops.mul(ops.sigmoid(i), ops.tanh(u)))
            h = ops.mul(ops.sigmoid(o), ops.tanh(c))
            result.append(h)
        return result

    def run(self, words):
        xs = [self.embed(word) for word in words]
        past = self.states(self.forward, xs)
        future = self.states(self.backward, xs[::-1])[::-1]
        return [self.out(self.ops.concat(*both)) for both in zip(past, future)], None

    @staticmethod
    def results(rows, _):
        return [list(rows), [int(row.argmax()) for row in rows]]


class Batched:
    """All words are projected at once; the backward states are numbered from the end."""

    def __init__(self, ops):
        self.ops = ops
        self.embedding = ops.parameter("embedding")
        self.size = self.embedding.shape[1]
        self.directions = [
            (ops.linear(f"{name}_b", f"{name}_W"), ops.linear(None, f"{name}_U"))
            for name in ("forward", "backward")
        ]
        self.out = ops.linear("out_b", "out_W")

    def prepare(self, inputs):
        sentences = Sentences([words for (words,) in inputs])
        words = sentences.gather([word for words in sentences.sorted for word in words])
        mirror = sentences.mirror()
        return self.ops.index(words), self.ops.index(mirror), sentences

    def compute(self, plan):
        ops, size = self.ops, self.size
        words, mirror, sentences = plan
        states = []
        for backward, (project, recur) in enumerate(self.directions):
            order = ops.take(words, mirror) if backward else words
            zs = project(ops.take(self.embedding, order))
            hs = ops.empty(len(words), size)
            begin, h, c = 0, None, None
            for count in sentences.active:
                z = zs[begin : begin + count]
                if h is not None:
                    z += recur(h[:count])
                gates = ops.sigmoid_(z[:, : 3 * size])
                new = gates[:, :size]
                new *= ops.tanh_(z[:, 3 * size :])
                if h is not None:
                    new += gates[:, size : 2 * size] * c[:count]
                c = new
                h = hs[begin : begin + count]
                h[:] = gates[:, 2 * size :] * ops.tanh(c)
                begin += count
            states.append(ops.take(hs, mirror) if backward else hs)
        scores = self.out(ops.concat(states))
        return [ops.host(scores), ops.host(ops.argmax(scores))]

    @staticmethod
    def results(plan, scores, tags):
        sentences = plan[-1]
        return sentences.unsort(lambda words: [list(scores[words]), list(tags[words])])

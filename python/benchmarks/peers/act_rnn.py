#===----------------------------------------------------------------------===//
#
# Part of the dynbatch project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===----------------------------------------------------------------------===//
"""The recurrent network with adaptive computation time."""

import numpy as np

ENOUGH = 1 - 0.01
MOST_STEPS = 10


class Instance:
    def __init__(self, ops):
        self.ops = ops
        self.embed = ops.lookup("embedding")
        self.cell = ops.linear("b", "W", "U")
        self.first = ops.parameter("first")
        self.halt = ops.linear("halt_b", "halt_W")
        self.out = ops.linear("out_b", "out_W")
        self.size = ops.arrays["b"].shape[0]

    def run(self, words):
        ops = self.ops
        state = ops.zeros(self.size)
        outputs, costs, total = [], [], 0
        for word in words:
            x = self.embed(word)
            s, states, scores, weights, halted = state, [], [], [], 0.0
            while True:
                z = self.cell(x, s)
                s = ops.tanh(z if states else ops.add(z, self.first))
                states.append(s)
                scores.append(self.out(s))
                halting = float((yield ops.sigmoid(self.halt(s)))[0])
                if halted + halting > ENOUGH or len(states) == MOST_STEPS:
                    break
                halted += halting
                weights.append(halting)
            weights.append(1 - halted)
            state = ops.add(*map(ops.scale, states, weights))
            outputs.append(ops.add(*map(ops.scale, scores, weights)))
            costs.append(len(states) + 1 - halted)
            total += len(states)
        return outputs, (costs, total)

    @staticmethod
    def results(rows, rest):
        return [list(rows), *rest]


class Batched:
    """All sentences that are not at their ends make a step together."""

    def __init__(self, ops):
        self.ops = ops
        self.embedding = ops.parameter("embedding")
        self.size = self.embedding.shape[1]
        self.project = ops.linear("b", "W")
        self.recur = ops.linear(None, "U")
        self.first = ops.parameter("first")
        self.halt = ops.linear("halt_b", "halt_W")
        self.out = ops.linear("out_b", "out_W")
        self.classes = ops.arrays["out_b"].shape[0]

    def prepare(self, inputs):
        words = [word for (sentence,) in inputs for word in sentence]
        lengths = np.array([len(sentence) for (sentence,) in inputs])
        return self.ops.index(words), lengths

    def compute(self, plan):
        ops = self.ops
        words, lengths = plan
        projected = self.project(ops.take(self.embedding, words))
        scores = ops.zeros(len(words), self.classes)
        costs, steps_of = np.zeros(len(words)), np.zeros(len(words), dtype=np.int64)
        ends = np.cumsum(lengths)
        active = np.flatnonzero(lengths)
        word = (ends - lengths)[active]
        s, mean = (ops.zeros(len(active), self.size) for _ in range(2))
        halted, steps = np.zeros(len(active)), np.zeros(len(active), dtype=np.int64)
        while len(active):
            places = ops.index(word)
            z = ops.take(projected, places)
            z += self.recur(s)
            if (new := np.flatnonzero(steps == 0)).size:
                z[ops.index(new)] += self.first
            s = ops.tanh_(z)
            halting = ops.host(ops.sigmoid_(self.halt(s)))[:, 0]
            steps += 1
            done = (halted + halting > ENOUGH) | (steps == MOST_STEPS)
            weights = np.where(done, 1 - halted, halting)
            column = ops.constant(weights[:, None].astype(np.float32))
            mean += column * s
            scores[places] += column * self.out(s)
            halted += halting
            finished = np.flatnonzero(done)
            if not finished.size:
                continue
            costs[word[finished]] = steps[finished] + weights[finished]
            steps_of[word[finished]] = steps[finished]
            rows = ops.index(finished)
            s[rows] = mean[rows]
            mean[rows] = 0
            halted[finished], steps[finished] = 0, 0
            word[finished] += 1
            going = np.flatnonzero(word < ends[active])
            if len(going) < len(active):
                active, word = active[going], word[going]
                halted, steps = halted[going], steps[going]
                rows = ops.index(going)
                s, mean = ops.take(s, rows), ops.take(mean, rows)
        return [ops.host(scores), costs, steps_of]

    @staticmethod
    def results(plan, scores, costs, steps):
        ends = np.cumsum(plan[1])[:-1]
        parts = zip(*(np.split(array, ends) for array in (scores, costs, steps)))
        return [[list(s), list(c), int(n.sum())] for s, c, n in parts]

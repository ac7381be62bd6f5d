#===----------------------------------------------------------------------===//
#
# Part of the dynbatch project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===----------------------------------------------------------------------===//
"""The GRU whose steps run an inner network."""

import numpy as np

MOST_STEPS = 8


class Instance:
    def __init__(self, ops):
        self.ops = ops
        self.embed = ops.lookup("embedding")
        self.inner = ops.linear("inner_b", "inner_W", "inner_U")
        self.stop = ops.linear("stop_b", "stop_W")
        W_r, W_z, W_n = np.split(ops.arrays["gru_W"], 3)
        b_r, b_z, b_n = np.split(ops.arrays["gru_b"], 3)
        W, b = np.concatenate([W_r, W_z]), np.concatenate([b_r, b_z])
        self.gates = ops.gates(2, b, W, "gru_U")
        self.candidate = ops.linear(b_n, W_n, "gru_U_candidate")
        self.out = ops.linear("out_b", "out_W")
        self.size = ops.arrays["inner_b"].shape[0]

    def run(self, nodes):
        ops = self.ops
        h, total = ops.zeros(self.size), 0
        for node in nodes:
            x, s = self.embed(node), h
            for step in range(1, MOST_STEPS + 1):
                s = ops.tanh(self.inner(x, s))
                if step == MOST_STEPS or (yield self.stop(s))[0] > 0:
                    break
            total += step
            r, z = map(ops.sigmoid, self.gates(s, h))
            n = ops.tanh(self.candidate(s, ops.mul(r, h)))
            h = ops.add(ops.mul(z, h), ops.mul(ops.one_minus(z), n))
        return [self.out(h)], total

    @staticmethod
    def results(rows, total):
        return [rows[0], total]


class Batched:
    """All sequences make an inner step together, and then those that stop a GRU's."""

    def __init__(self, ops):
        self.ops = ops
        self.embedding = ops.parameter("embedding")
        self.size = self.embedding.shape[1]
        self.project = ops.linear("inner_b", "inner_W")
        self.recur = ops.linear(None, "inner_U")
        self.stop = ops.linear("stop_b", "stop_W")
        self.gru = ops.linear("gru_b", "gru_W")
        self.gru_gates = ops.linear(None, "gru_U")
        self.gru_candidate = ops.linear(None, "gru_U_candidate")
        self.out = ops.linear("out_b", "out_W")

    def prepare(self, inputs):
        nodes = [node for (sequence,) in inputs for node in sequence]
        lengths = np.array([len(sequence) for (sequence,) in inputs])
        return self.ops.index(nodes), lengths

    def step(self, s, h):
        """Returns the next states of the GRU."""
        ops, size = self.ops, self.size
        x = self.gru(s)
        x[:, : 2 * size] += self.gru_gates(h)
        gates = ops.sigmoid_(x[:, : 2 * size])
        n, z = x[:, 2 * size :], gates[:, size:]
        n += self.gru_candidate(gates[:, :size] * h)
        n = ops.tanh_(n)
        return n + z * (h - n)

    def compute(self, plan):
        ops = self.ops
        nodes, lengths = plan
        projected = self.project(ops.take(self.embedding, nodes))
        ends = np.cumsum(lengths)
        totals = np.zeros(len(lengths), dtype=np.int64)
        h_all = ops.zeros(len(lengths), self.size)
        active = np.flatnonzero(lengths)
        node = (ends - lengths)[active]
        h, s = (ops.zeros(len(active), self.size) for _ in range(2))
        steps = np.zeros(len(active), dtype=np.int64)
        while len(active):
            z = ops.take(projected, ops.index(node))
            z += self.recur(s)
            s = ops.tanh_(z)
            steps += 1
            stopped = np.flatnonzero(
                (ops.host(self.stop(s))[:, 0] > 0) | (steps == MOST_STEPS)
            )
            if not stopped.size:
                continue
            totals[active[stopped]] += steps[stopped]
            steps[stopped] = 0
            rows = ops.index(stopped)
            new = self.step(ops.take(s, rows), ops.take(h, rows))
            h[rows] = new
            s[rows] = new
            node[stopped] += 1
            ended = node == ends[active]
            if ended.any():
                h_all[ops.index(active[ended])] = ops.take(
                    h, ops.index(np.flatnonzero(ended))
                )
                going = np.flatnonzero(~ended)
                active, node, steps = active[going], node[going], steps[going]
                rows = ops.index(going)
                h, s = ops.take(h, rows), ops.take(s, rows)
        return [ops.host(self.out(h_all)), totals]

    @staticmethod
    def results(_, scores, totals):
        return [list(both) for both in zip(scores, totals)]

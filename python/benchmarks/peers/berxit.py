#===----------------------------------------------------------------------===//
#
# Part of the dynbatch project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===----------------------------------------------------------------------===//
"""The transformer encoder with early exit, batched by hand alone."""

import numpy as np

CONFIDENCE = 0.7
EPSILON = 1e-5


def load(values):
    """Returns the inputs of an instance as arrays: dynbatch has them so, too."""
    return [np.array(tokens, dtype=np.float32) for tokens in values]


class Batched:
    """Instances leave after the layer that is sure of them."""

    def __init__(self, ops):
        self.ops = ops
        self.heads, self.layers = ops.knobs["N"], ops.knobs["L"]
        arrays = ops.arrays
        self.positions = ops.parameter("positions")
        self.tokens, self.size = self.positions.shape
        qkv = [
            np.concatenate(
                [arrays[f"{name}_{part}"] for name in ("query", "key", "value")], -1
            )
            for part in "bW"
        ]
        self.qkv = ops.linear(qkv[0], qkv[1].T)
        self.linear = {
            name: ops.linear(f"{name}_b", arrays[f"{name}_W"].T)
            for name in ("mix", "wide", "narrow")
        }
        self.norms = {
            name: (
                ops.constant(1 + arrays[f"{name}_scale"]),
                ops.parameter(f"{name}_shift"),
            )
            for name in ("input", "attention", "output")
        }
        self.exit = ops.linear("exit_b", "exit_W")
        self.classes = ops.linear("class_b", "class_W")

    def normalize(self, name, x):
        return self.ops.normalize(x, *self.norms[name], EPSILON)

    def attention(self, x):
        heads, width = self.heads, self.size // self.heads
        qkv = self.qkv(x).reshape(-1, self.tokens, 3, heads, width)
        q, k, v = (qkv[:, :, part].swapaxes(1, 2) for part in range(3))
        mixed = self.ops.attention(q, k, v).swapaxes(1, 2)
        return self.linear["mix"](mixed.reshape(-1, self.size))

    def layer(self, x):
        x = self.normalize("attention", x + self.attention(x))
        wide = self.ops.gelu(self.linear["wide"](x))
        return self.normalize("output", x + self.linear["narrow"](wide))

    def prepare(self, inputs):
        return self.ops.constant(np.stack([tokens for (tokens,) in inputs]))

    def compute(self, inputs):
        ops = self.ops
        x = self.normalize("input", (inputs + self.positions).reshape(-1, self.size))
        first = ops.empty(len(inputs), self.size)
        numbers = np.full(len(inputs), self.layers)
        active = np.arange(len(inputs))
        for number in range(1, self.layers + 1):
            x = self.layer(x)
            firsts = x.reshape(-1, self.tokens, self.size)[:, 0]
            if number == self.layers:
                first[ops.index(active)] = firsts
                break
            sure = ops.host(ops.sigmoid_(self.exit(firsts)))[:, 0] > CONFIDENCE
            if not sure.any():
                continue
            numbers[active[sure]] = number
            first[ops.index(active[sure])] = ops.take(firsts, ops.index(sure.nonzero()[0]))
            going = np.flatnonzero(~sure)
            active = active[going]
            if not len(active):
                break
            x = ops.take(x.reshape(-1, self.tokens, self.size), ops.index(going))
            x = x.reshape(-1, self.size)
        return [ops.host(self.classes(first)), numbers]

    @staticmethod
    def results(_, scores, numbers):
        return [list(both) for both in zip(scores, numbers)]

#===----------------------------------------------------------------------===//
#
# Part of the dynbatch project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===----------------------------------------------------------------------===//
"""A transformer encoder with early exit in NumPy (BERxiT, Xin et al. 2021).

Layers as in Devlin et al. 2019, with shared weights as in Lan et al. 2020.
"""

import math

import numpy as np

import zoo

CONFIDENCE = 0.7
EPSILON = 1e-5

erf = np.vectorize(math.erf)


def gelu(x):
    return x * 0.5 * (1 + erf(x / math.sqrt(2)))


def berxit(params, decisions, tokens, heads, layers):
    def linear(name, x):
        return x @ params[f"{name}_W"] + params[f"{name}_b"]

    def normalize(name, x):
        x = x - x.mean(axis=1, keepdims=True)
        x = x / np.sqrt(np.mean(x * x, axis=1, keepdims=True) + EPSILON)
        return x * (1 + params[f"{name}_scale"]) + params[f"{name}_shift"]

    def attention(x):
        q, k, v = (
            np.split(linear(name, x), heads, axis=1)
            for name in ("query", "key", "value")
        )
        mixed = [
            zoo.softmax(q_n @ k_n.T / math.sqrt(q_n.shape[1])) @ v_n
            for q_n, k_n, v_n in zip(q, k, v)
        ]
        return linear("mix", np.hstack(mixed))

    def layer(x):
        x = normalize("attention", x + attention(x))
        return normalize("output", x + linear("narrow", gelu(linear("wide", x))))

    x = normalize("input", np.array(tokens) + params["positions"])
    for number in range(1, layers + 1):
        x = layer(x)
        if number == layers:
            break
        confidence = zoo.sigmoid(params["exit_W"] @ x[0] + params["exit_b"])
        if decisions.above(confidence, CONFIDENCE):
            break
    return [params["class_W"] @ x[0] + params["class_b"], number]


if __name__ == "__main__":
    zoo.run(berxit, __doc__, heads=12, layers=6)

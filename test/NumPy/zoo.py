#===----------------------------------------------------------------------===//
#
# Part of the dynbatch project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===----------------------------------------------------------------------===//
"""What the NumPy versions of the model zoo share.

They compute with float64, one instance after the other, and share nothing with
dynbatch: each is written from the papers that it names.
"""

import argparse
import math
import sys

import numpy as np

from instances import read_values
from params import read_params


def sigmoid(x):
    # Equal to 1 / (1 + exp(-x)), and never overflows.
    return 0.5 * (1.0 + np.tanh(0.5 * x))


def softmax(x):
    """Softmax over the last dimension."""
    e = np.exp(x - x.max(axis=-1, keepdims=True))
    return e / e.sum(axis=-1, keepdims=True)


class LSTM:
    """An LSTM cell without peepholes; gates are stacked i, f, o, u."""

    def __init__(self, W, U, b):
        self.W, self.U, self.b = W, U, b
        self.size = U.shape[1]

    def start(self):
        return np.zeros(self.size), np.zeros(self.size)

    def step(self, x, state):
        h, c = state
        i, f, o, u = np.split(self.W @ x + self.U @ h + self.b, 4)
        c = sigmoid(f) * c + sigmoid(i) * np.tanh(u)
        return sigmoid(o) * np.tanh(c), c


class Decisions:
    """Decisions that depend on computed values, and how close they were.

    A decision closer than the rounding error of float32 can go either way, so
    results can be compared only where the smallest margin is larger.
    """

    def __init__(self):
        self.count = 0
        self.margin = math.inf

    def note(self, margin):
        self.count += 1
        self.margin = min(self.margin, margin)

    def above(self, x, threshold=0.0):
        """Whether the number `x` is larger than `threshold`."""
        x = float(np.squeeze(x))
        self.note(abs(x - threshold))
        return x > threshold

    def argmax(self, scores):
        """Position of the largest score."""
        *_, second, first = np.sort(scores)
        self.note(first - second)
        return int(np.argmax(scores))


def format_value(value):
    """Returns a result in the instance syntax."""
    if isinstance(value, tuple):
        name, *fields = value
        if not fields:
            return name
        return f"({name} {' '.join(format_value(field) for field in fields)})"
    if isinstance(value, list) or np.ndim(value) > 0:
        return f"[{' '.join(format_value(element) for element in value)}]"
    if isinstance(value, (int, np.integer)):
        return str(int(value))
    return repr(float(value))


def run(model, description, **options):
    """Reads parameters and instances, and writes the results of `model`.

    `model` takes the parameters, the decisions to note in, and the inputs of one
    instance, and returns the list of its results. `options` are integers, with
    their defaults, that it takes as well.
    """
    parser = argparse.ArgumentParser(description=description.splitlines()[0])
    parser.add_argument("--params", required=True, metavar="F.safetensors")
    parser.add_argument("--instances", required=True, metavar="FILE")
    parser.add_argument("--output", required=True, metavar="FILE")
    parser.add_argument(
        "--min-margin",
        type=float,
        default=0.0,
        help="fail when a decision is closer than this",
    )
    for name, default in options.items():
        parser.add_argument(f"--{name}", type=int, default=default)
    args = parser.parse_args()
    options = {name: getattr(args, name) for name in options}

    params = {
        name: array.astype(np.float64)
        for name, array in read_params(args.params).items()
    }
    smallest, at, count = math.inf, 1, 0
    with open(args.output, "w", encoding="utf-8") as file:
        for number, inputs in enumerate(read_values(args.instances), 1):
            decisions = Decisions()
            results = model(params, decisions, *inputs, **options)
            file.write(" ".join(format_value(result) for result in results) + "\n")
            count += decisions.count
            if decisions.margin < smallest:
                smallest, at = decisions.margin, number
    if count:
        print(f"{count} decisions, smallest margin {smallest:.3g} (instance {at})")
    if smallest < args.min_margin:
        sys.exit(f"error: a margin is below {args.min_margin:g}")

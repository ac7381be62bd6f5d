#===----------------------------------------------------------------------===//
#
# Part of the dynbatch project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===----------------------------------------------------------------------===//
"""Operations of the hand-batched models in NumPy, with whatever BLAS it has.

The number of threads is that of the environment.
"""

import numpy as np

# Sigmoids of large negative numbers overflow on their way to 0.
np.seterr(over="ignore")


def version():
    """Returns what runs, as text."""
    try:
        blas = np.show_config(mode="dicts")["Build Dependencies"]["blas"]
    except (TypeError, KeyError):
        return f"NumPy {np.__version__}"
    return f"NumPy {np.__version__} with {blas['name']} {blas['version']}"


class Operations:
    """The parameters, and what needs them."""

    def __init__(self, params, variant, knobs):
        del variant
        self.arrays, self.knobs = params, knobs

    def parameter(self, name):
        """Returns what a name stands for, or an array itself."""
        return self.arrays[name] if isinstance(name, str) else name

    def linear(self, bias, *weights):
        """Returns the affine map of rows that are inputs, one behind the other."""
        W = np.ascontiguousarray(np.hstack(list(map(self.parameter, weights))).T)
        b = None if bias is None else self.parameter(bias)

        def apply(x):
            z = x @ W
            if b is not None:
                z += b
            return z

        return apply

    @staticmethod
    def index(numbers):
        return np.asarray(numbers, dtype=np.intp)

    @staticmethod
    def constant(array):
        return np.ascontiguousarray(array, dtype=np.float32)

    @staticmethod
    def empty(*shape):
        return np.empty(shape, dtype=np.float32)

    @staticmethod
    def zeros(*shape):
        return np.zeros(shape, dtype=np.float32)

    @staticmethod
    def take(x, index):
        return np.take(x, index, axis=0)

    @staticmethod
    def concat(parts, axis=1):
        return np.concatenate(parts, axis=axis)

    @staticmethod
    def sigmoid_(x):
        """In place."""
        np.negative(x, out=x)
        np.exp(x, out=x)
        x += 1
        return np.reciprocal(x, out=x)

    @staticmethod
    def tanh_(x):
        """In place."""
        return np.tanh(x, out=x)

    @staticmethod
    def exp(x):
        return np.exp(x)

    @staticmethod
    def tanh(x):
        return np.tanh(x)

    @staticmethod
    def matmul(a, b):
        return np.matmul(a, b)

    @staticmethod
    def matmul_into(total, a, b):
        np.matmul(a, b, out=total)

    @staticmethod
    def add_matmul(total, a, b):
        total += a @ b

    @staticmethod
    def sum_segments(rows, owners, starts):
        """Adds the rows of each owner; `starts` says where they begin."""
        del owners
        return np.add.reduceat(rows, starts, axis=0)

    @staticmethod
    def normalize(x, scale, shift, epsilon):
        """Layer normalisation of each row."""
        x = x - x.mean(axis=1, keepdims=True)
        x *= 1 / np.sqrt(np.square(x).mean(axis=1, keepdims=True) + epsilon)
        x *= scale
        x += shift
        return x

    @staticmethod
    def attention(q, k, v):
        """Of each instance and head."""
        weights = q @ k.swapaxes(2, 3)
        weights *= np.float32(q.shape[3] ** -0.5)
        weights -= weights.max(axis=3, keepdims=True)
        np.exp(weights, out=weights)
        weights /= weights.sum(axis=3, keepdims=True)
        return weights @ v

    @staticmethod
    def gelu(x):
        """With the error function of Abramowitz and Stegun 7.1.26, as NumPy has none."""
        z = np.abs(x) * np.float32(0.5**0.5)
        t = 1 / (1 + np.float32(0.3275911) * z)
        polynomial = np.float32(0)
        for coefficient in (
            1.061405429,
            -1.453152027,
            1.421413741,
            -0.284496736,
            0.254829592,
        ):
            polynomial = (polynomial + np.float32(coefficient)) * t
        erf = np.copysign(1 - polynomial * np.exp(-z * z), x)
        return np.float32(0.5) * x * (1 + erf)

    @staticmethod
    def argmax(x):
        return np.argmax(x, axis=1)

    @staticmethod
    def host(x):
        return x

#===----------------------------------------------------------------------===//
#
# Part of the dynbatch project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===----------------------------------------------------------------------===//
"""Operations of the models in PyTorch, on the processor."""

import numpy as np
import torch
from torch.nn import functional


def version():
    """Returns what runs, as text."""
    return f"PyTorch {torch.__version__}"


def prepare(threads):
    torch.set_num_threads(threads)
    torch.inference_mode().__enter__()


def tensor(array):
    return torch.tensor(np.ascontiguousarray(array))


class InstanceOperations:
    """On vectors, one instance at a time."""

    def __init__(self, params, variant, knobs):
        del variant
        self.arrays, self.knobs = params, knobs
        self.params = {name: tensor(array) for name, array in params.items()}

    def parameter(self, name):
        """Returns what a name stands for, or an array as tensor."""
        return self.params[name] if isinstance(name, str) else tensor(name)

    def constant(self, array):
        return tensor(array)

    def zeros(self, size):
        return torch.zeros(size)

    def lookup(self, name):
        """Returns the function from a number to a row of the parameter."""
        return self.params[name].__getitem__

    def linear(self, bias, *weights):
        """Returns the affine map of as many vectors as there are matrices."""
        b = None if bias is None else self.parameter(bias)
        first, *rest = map(self.parameter, weights)

        def apply(x, *others):
            z = torch.mv(first, x) if b is None else torch.addmv(b, first, x)
            for W, y in zip(rest, others):
                z = torch.addmv(z, W, y)
            return z

        return apply

    def gates(self, parts, bias, *weights):
        """Returns the affine map whose result is split."""
        linear = self.linear(bias, *weights)
        return lambda *inputs: linear(*inputs).chunk(parts)

    @staticmethod
    def add(*terms):
        first, *rest = terms
        for term in rest:
            first = first + term
        return first

    @staticmethod
    def mul(a, b):
        return a * b

    @staticmethod
    def matmul(a, b):
        return a @ b

    @staticmethod
    def concat(*parts):
        return torch.cat(parts)

    sigmoid = staticmethod(torch.sigmoid)
    tanh = staticmethod(torch.tanh)
    exp = staticmethod(torch.exp)

    @staticmethod
    def divide(a, b):
        return a / b

    @staticmethod
    def scale(x, factor):
        return x * factor

    @staticmethod
    def one_minus(x):
        return 1 - x

    @staticmethod
    def rows(vectors):
        """Brings vectors to the host, as rows."""
        return torch.stack(vectors).numpy()


class BatchedOperations:
    """On matrices whose rows are instances or nodes."""

    def __init__(self, params, variant, knobs):
        self.packed = variant == "packed" and torch.backends.mkldnn.is_available()
        self.arrays, self.knobs = params, knobs
        self.params = {name: tensor(array) for name, array in params.items()}

    def parameter(self, name):
        """Returns what a name stands for, or an array as tensor."""
        return self.params[name] if isinstance(name, str) else tensor(name)

    def linear(self, bias, *weights):
        """Returns the affine map of rows that are inputs, one behind the other."""
        W = torch.cat(list(map(self.parameter, weights)), dim=1)
        b = None if bias is None else self.parameter(bias)
        if not self.packed:
            return lambda x: functional.linear(x, W, b)
        # In the layout that oneDNN likes best.
        packed = torch.ops.mkldnn._reorder_linear_weight(W)
        pointwise = torch.ops.mkldnn._linear_pointwise
        return lambda x: pointwise(x, packed, b, "none", [], "")

    @staticmethod
    def index(numbers):
        return torch.as_tensor(numbers, dtype=torch.int64)

    @staticmethod
    def constant(array):
        return tensor(array)

    @staticmethod
    def empty(*shape):
        return torch.empty(shape)

    @staticmethod
    def zeros(*shape):
        return torch.zeros(shape)

    @staticmethod
    def take(x, index):
        return torch.index_select(x, 0, index)

    @staticmethod
    def concat(parts, axis=1):
        return torch.cat(parts, dim=axis)

    @staticmethod
    def sigmoid_(x):
        """In place."""
        return torch.sigmoid_(x)

    @staticmethod
    def tanh_(x):
        """In place."""
        return torch.tanh_(x)

    exp = staticmethod(torch.exp)
    tanh = staticmethod(torch.tanh)
    matmul = staticmethod(torch.matmul)

    @staticmethod
    def matmul_into(total, a, b):
        torch.mm(a, b, out=total)

    @staticmethod
    def add_matmul(total, a, b):
        total.addmm_(a, b)

    @staticmethod
    def sum_segments(rows, owners, starts):
        """Adds the rows of each owner; `starts` says where they begin."""
        total = torch.zeros(len(starts), rows.shape[1])
        return total.index_add_(0, owners, rows)

    @staticmethod
    def normalize(x, scale, shift, epsilon):
        """Layer normalisation of each row."""
        return functional.layer_norm(x, x.shape[1:], scale, shift, epsilon)

    gelu = staticmethod(functional.gelu)
    attention = staticmethod(functional.scaled_dot_product_attention)

    @staticmethod
    def argmax(x):
        return torch.argmax(x, dim=1)

    @staticmethod
    def host(x):
        return x.numpy()

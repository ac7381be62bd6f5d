#===----------------------------------------------------------------------===//
#
# Part of the dynbatch project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===----------------------------------------------------------------------===//
"""Operations of the models in DyNet, one instance at a time.

Variants are those of affine maps that are split: "gates" has a parameter a part,
"fused" one for all; and "autobatch" is on or not. The module must be imported
after dynet_config.
"""

import importlib.metadata

import dynet as dy
import numpy as np


def version():
    """Returns what runs, as text."""
    return f"DyNet {importlib.metadata.version('dynet38')}"


class Operations:
    """The parameters, and what makes nodes of the graph."""

    def __init__(self, params, variant, knobs):
        self.arrays, self.knobs = params, knobs
        self.fused = "fused" in variant
        self.model = dy.ParameterCollection()

    def constant(self, array):
        return self.model.parameters_from_numpy(np.ascontiguousarray(array))

    def array(self, name):
        """Returns what a name stands for, or an array itself."""
        return self.arrays[name] if isinstance(name, str) else name

    def parameter(self, name):
        return self.constant(self.array(name))

    def zeros(self, size):
        return dy.zeros(size)

    def lookup(self, name):
        """Returns the function from a number to a row of the parameter."""
        array = self.arrays[name]
        if array.ndim > 2:
            # It takes the numbers of an entry as they lie, column after column.
            array = np.ascontiguousarray(array.swapaxes(1, 2)).reshape(array.shape)
        table = self.model.lookup_parameters_from_numpy(array)
        return lambda number: dy.lookup(table, number, update=False)

    def linear(self, bias, *weights):
        """Returns the affine map of as many vectors as there are matrices."""
        matrices = list(map(self.parameter, weights))
        if bias is None:
            return lambda *inputs: dy.esum([W * x for W, x in zip(matrices, inputs)])
        b = self.parameter(bias)

        def apply(*inputs):
            operands = [b]
            for W, x in zip(matrices, inputs):
                operands += [W, x]
            return dy.affine_transform(operands)

        return apply

    def gates(self, parts, bias, *weights):
        """Returns the affine map whose result is split."""
        if self.fused:
            linear = self.linear(bias, *weights)
            size = len(self.array(bias)) // parts
            ranges = [(k * size, (k + 1) * size) for k in range(parts)]

            def apply(*inputs):
                z = linear(*inputs)
                return [dy.pick_range(z, begin, end) for begin, end in ranges]

            return apply
        split = [np.split(self.array(name), parts) for name in (bias, *weights)]
        maps = [self.linear(*part) for part in zip(*split)]
        return lambda *inputs: [apply(*inputs) for apply in maps]

    @staticmethod
    def add(*terms):
        return dy.esum(list(terms))

    @staticmethod
    def mul(a, b):
        return dy.cmult(a, b)

    @staticmethod
    def matmul(a, b):
        return a * b

    @staticmethod
    def concat(*parts):
        return dy.concatenate(list(parts))

    sigmoid = staticmethod(dy.logistic)
    tanh = staticmethod(dy.tanh)
    exp = staticmethod(dy.exp)

    @staticmethod
    def divide(a, b):
        return dy.cdiv(a, b)

    @staticmethod
    def scale(x, factor):
        return x * factor

    @staticmethod
    def one_minus(x):
        return -x + 1

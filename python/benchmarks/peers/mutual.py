#===----------------------------------------------------------------------===//
#
# Part of the dynbatch project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===----------------------------------------------------------------------===//
"""The encoder of programs."""

import numpy as np


class Instance:
    def __init__(self, ops):
        self.ops = ops
        self.number_w = ops.constant(ops.arrays["number_w"][0])
        self.number_b = ops.parameter("number_b")
        self.name = ops.lookup("variables")
        self.variable = ops.linear(None, "variable_U")
        self.operator = ops.lookup("operators")
        self.binary = ops.linear(None, "binary_W")
        self.assign = ops.gates(2, "assign_b", "assign_W")
        self.choose = ops.linear("if_b", "if_W")
        self.start = ops.parameter("state")
        self.out = ops.linear("out_b", "out_W")

    def value(self, expr, h):
        ops = self.ops
        kind, *fields = expr
        if kind == "Number":
            scaled = ops.scale(self.number_w, float(fields[0]))
            return ops.tanh(ops.add(scaled, self.number_b))
        if kind == "Variable":
            return ops.tanh(ops.add(self.name(fields[0]), self.variable(h)))
        if kind == "Binary":
            op, left, right = fields
            both = ops.concat(self.value(left, h), self.value(right, h))
            return ops.tanh(ops.add(self.binary(both), self.operator(op)))
        statements, last = fields
        return self.value(last, self.run_all(statements, h))

    def run_all(self, statements, h):
        for statement in statements:
            h = self.step(statement, h)
        return h

    def step(self, statement, h):
        ops = self.ops
        kind, *fields = statement
        if kind == "Assign":
            name, expr = fields
            inputs = ops.concat(self.name(name), self.value(expr, h), h)
            gate, new = self.assign(inputs)
            gate = ops.sigmoid(gate)
            return ops.add(ops.mul(ops.one_minus(gate), h), ops.mul(gate, ops.tanh(new)))
        if kind == "If":
            condition, yes, no = fields
            branches = self.run_all(yes, h), self.run_all(no, h)
            return ops.tanh(self.choose(ops.concat(self.value(condition, h), *branches)))
        return h

    def run(self, program):
        return [self.out(self.run_all(program, self.start))], None

    @staticmethod
    def results(rows, _):
        return [rows[0]]


class Graph:
    """What a minibatch computes: for each depth and kind, the tasks."""

    def __init__(self):
        # A value is its depth, its kind and its number among those of both. The
        # state at the start is the only one that nothing computes.
        self.start = (-1, "Start", 0)
        self.groups = {}

    def add(self, kind, leaf, *operands):
        """Adds a task with a number that it reads, and returns its value."""
        depth = 1 + max((operand[0] for operand in operands), default=-1)
        tasks = self.groups.setdefault((depth, kind), [])
        tasks.append((leaf, operands))
        return depth, kind, len(tasks) - 1

    def value(self, expr, h):
        kind, *fields = expr
        if kind == "Number":
            return self.add(kind, fields[0])
        if kind == "Variable":
            return self.add(kind, fields[0], h)
        if kind == "Binary":
            op, left, right = fields
            return self.add(kind, op, self.value(left, h), self.value(right, h))
        statements, last = fields
        return self.value(last, self.run_all(statements, h))

    def run_all(self, statements, h):
        for kind, *fields in statements:
            if kind == "Assign":
                name, expr = fields
                h = self.add(kind, name, self.value(expr, h), h)
            elif kind == "If":
                condition, yes, no = fields
                branches = self.run_all(yes, h), self.run_all(no, h)
                h = self.add(kind, 0, self.value(condition, h), *branches)
        return h


class Batched:
    """All tasks of a depth and kind are computed together."""

    def __init__(self, ops):
        self.ops = ops
        self.variables = ops.parameter("variables")
        self.operators = ops.parameter("operators")
        self.number = ops.linear("number_b", ops.arrays["number_w"].T)
        self.variable = ops.linear(None, "variable_U")
        self.binary = ops.linear(None, "binary_W")
        self.assign = ops.linear("assign_b", "assign_W")
        self.choose = ops.linear("if_b", "if_W")
        self.start = ops.parameter("state")
        self.out = ops.linear("out_b", "out_W")
        self.size = self.start.shape[0]

    def prepare(self, inputs):
        ops, graph = self.ops, Graph()
        roots = [graph.run_all(program, graph.start) for (program,) in inputs]
        starts, end = {graph.start[:2]: 0}, 1
        groups = sorted(graph.groups.items())
        for key, tasks in groups:
            starts[key] = end
            end += len(tasks)

        def rows(values):
            return ops.index([starts[value[:2]] + value[2] for value in values])

        plans = []
        for (depth, kind), tasks in groups:
            begin = starts[depth, kind]
            leaves = [leaf for leaf, _ in tasks]
            if kind == "Number":
                leaves = ops.constant(np.array(leaves, dtype=np.float32)[:, None])
            else:
                leaves = ops.index(leaves)
            operands = rows([value for _, operands in tasks for value in operands])
            plans.append((kind, begin, begin + len(tasks), leaves, operands))
        return plans, end, rows(roots)

    def apply(self, kind, leaves, inputs):
        """Returns the values of tasks from their operands, side by side."""
        ops, size = self.ops, self.size
        if kind == "Number":
            return ops.tanh_(self.number(leaves))
        if kind == "Variable":
            z = self.variable(inputs)
            z += ops.take(self.variables, leaves)
            return ops.tanh_(z)
        if kind == "Binary":
            z = self.binary(inputs)
            z += ops.take(self.operators, leaves)
            return ops.tanh_(z)
        if kind == "If":
            return ops.tanh_(self.choose(inputs))
        z = self.assign(ops.concat([ops.take(self.variables, leaves), inputs]))
        gate, new = ops.sigmoid_(z[:, :size]), ops.tanh_(z[:, size:])
        h = inputs[:, size:]
        return h + gate * (new - h)

    def compute(self, plan):
        ops = self.ops
        groups, count, roots = plan
        values = ops.empty(count, self.size)
        values[0] = self.start
        for kind, begin, end, leaves, operands in groups:
            inputs = ops.take(values, operands).reshape(end - begin, -1)
            values[begin:end] = self.apply(kind, leaves, inputs)
        return [ops.host(self.out(ops.take(values, roots)))]

    @staticmethod
    def results(_, scores):
        return [[row] for row in scores]

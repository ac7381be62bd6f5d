#===----------------------------------------------------------------------===//
#
# Part of the dynbatch project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===----------------------------------------------------------------------===//
"""An encoder of programs in NumPy, two mutually recursive functions.

After networks over syntax trees (Piech et al. 2015; Mou et al. 2016). Statements
change a state h through a gate; a variable's value is read from the state.
"""

import numpy as np

import zoo


class Encoder:
    def __init__(self, params):
        self.params = params

    def value(self, expr, h):
        params = self.params
        kind, *fields = expr
        if kind == "Number":
            return np.tanh(fields[0] * params["number_w"][0] + params["number_b"])
        if kind == "Variable":
            name = params["variables"][fields[0]]
            return np.tanh(name + params["variable_U"] @ h)
        if kind == "Binary":
            op, left, right = fields
            both = np.hstack([self.value(left, h), self.value(right, h)])
            return np.tanh(params["binary_W"] @ both + params["operators"][op])
        statements, last = fields
        return self.value(last, self.run_all(statements, h))

    def run_all(self, statements, h):
        for statement in statements:
            h = self.run(statement, h)
        return h

    def run(self, statement, h):
        params = self.params
        kind, *fields = statement
        if kind == "Assign":
            name, expr = fields
            inputs = np.hstack([params["variables"][name], self.value(expr, h), h])
            gate, new = np.split(params["assign_W"] @ inputs + params["assign_b"], 2)
            gate = zoo.sigmoid(gate)
            return (1 - gate) * h + gate * np.tanh(new)
        if kind == "If":
            condition, yes, no = fields
            inputs = np.hstack(
                [self.value(condition, h), self.run_all(yes, h), self.run_all(no, h)]
            )
            return np.tanh(params["if_W"] @ inputs + params["if_b"])
        return h


def mutual(params, decisions, program):
    del decisions
    h = Encoder(params).run_all(program, params["state"])
    return [params["out_W"] @ h + params["out_b"]]


if __name__ == "__main__":
    zoo.run(mutual, __doc__)

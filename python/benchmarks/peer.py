#!/usr/bin/env python3
#===----------------------------------------------------------------------===//
#
# Part of the dynbatch project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===----------------------------------------------------------------------===//
"""A side of suite.py: one model in one library, in a process of its own.

After its model is built it prints a JSON line that says what runs. For each JSON
line on its standard input, which names a file of instances, a batch size and a
number of passes, it runs all minibatches that often and prints a JSON line, a
list a pass of pairs: milliseconds of a minibatch as a whole, and without what
comes before the computation (building the graph of a minibatch, or its index
arrays). With "output" it runs the first minibatch alone and writes its results.
"""

import argparse
import functools
import gc
import importlib
import inspect
import json
import pathlib
import sys
import time

import harness  # finds the modules of test/NumPy

from instances import read_values
from params import read_params
from zoo import format_value


class BatchedSide:
    def __init__(self, module, ops):
        self.model = module.Batched(ops)

    def prepare(self, inputs):
        return self.model.prepare(inputs)

    def compute(self, plan):
        return self.model.compute(plan)

    def results(self, plan, arrays):
        return self.model.results(plan, *arrays)


class EagerSide:
    """One instance after the other; what is read is there already."""

    def __init__(self, module, ops):
        self.model = module.Instance(ops)
        self.rows = ops.rows
        self.reads = inspect.isgeneratorfunction(self.model.run)

    def run(self, values):
        if not self.reads:
            return self.model.run(*values)
        steps = self.model.run(*values)
        try:
            asked = next(steps)
            while True:
                asked = steps.send(asked.numpy())
        except StopIteration as end:
            return end.value

    def prepare(self, inputs):
        return inputs

    def compute(self, inputs):
        results = []
        for values in inputs:
            vectors, rest = self.run(values)
            results.append((self.rows(vectors) if vectors else [], rest))
        return results

    def results(self, _, results):
        return [self.model.results(rows, rest) for rows, rest in results]


class DyNetSide:
    """Builds the graph of all instances, as far as it goes without values.

    Then all values that instances wait for are computed together.
    """

    def __init__(self, module, ops):
        import dynet

        self.dy = dynet
        self.model = module.Instance(ops)
        self.reads = inspect.isgeneratorfunction(self.model.run)

    def read(self, expressions):
        """Returns the numbers of each expression."""
        sizes = [expression.dim()[0][0] for expression in expressions]
        numbers = self.dy.concatenate(expressions).npvalue()
        parts, begin = [], 0
        for size in sizes:
            parts.append(numbers[begin : begin + size])
            begin += size
        return parts

    def run_all(self, inputs):
        """Runs instances that read values, all to their next one in turn."""
        ends = [None] * len(inputs)
        waiting = [
            (number, self.model.run(*values), None) for number, values in enumerate(inputs)
        ]
        while waiting:
            asking = []
            for number, steps, value in waiting:
                try:
                    asking.append((number, steps, steps.send(value)))
                except StopIteration as end:
                    ends[number] = end.value
            values = self.read([asked for _, _, asked in asking]) if asking else []
            waiting = [
                (number, steps, value) for (number, steps, _), value in zip(asking, values)
            ]
        return ends

    def prepare(self, inputs):
        self.dy.renew_cg()
        if self.reads:
            return inputs
        return self.join([self.model.run(*values) for values in inputs])

    def join(self, ends):
        vectors = [vector for vectors, _ in ends for vector in vectors]
        return ends, self.dy.concatenate(vectors) if vectors else None

    def compute(self, plan):
        ends, joined = self.join(self.run_all(plan)) if self.reads else plan
        return ends, joined.npvalue() if joined else None

    def results(self, _, computed):
        ends, numbers = computed
        count = sum(len(vectors) for vectors, _ in ends)
        rows = numbers.reshape(count, -1) if count else []
        results, begin = [], 0
        for vectors, rest in ends:
            end = begin + len(vectors)
            results.append(self.model.results(rows[begin:end], rest))
            begin = end
        return results


def make_numpy(args, params):
    from peers import numpy_ops

    return BatchedSide, numpy_ops.Operations(params, args.variant, args.knobs), numpy_ops


def make_torch(args, params):
    from peers import torch_ops

    torch_ops.prepare(args.threads)
    if args.form == "Instance":
        return (
            EagerSide,
            torch_ops.InstanceOperations(params, args.variant, args.knobs),
            torch_ops,
        )
    return (
        BatchedSide,
        torch_ops.BatchedOperations(params, args.variant, args.knobs),
        torch_ops,
    )


def make_dynet(args, params):
    import dynet_config

    dynet_config.set(mem=1024, random_seed=1, autobatch="autobatch" in args.variant)
    from peers import dynet_ops

    return DyNetSide, dynet_ops.Operations(params, args.variant, args.knobs), dynet_ops


LIBRARIES = {"numpy": make_numpy, "torch": make_torch, "dynet": make_dynet}


@functools.cache
def read_instances(path, load):
    return [load(values) for values in read_values(path)]


def measure(side, inputs):
    """Returns milliseconds: all, and those of the computation."""
    begin = time.perf_counter()
    plan = side.prepare(inputs)
    prepared = time.perf_counter()
    side.compute(plan)
    end = time.perf_counter()
    return 1e3 * (end - begin), 1e3 * (end - prepared)


def answer(side, load, request):
    instances = read_instances(request["instances"], load)
    size = request["batch_size"]
    if "output" in request:
        plan = side.prepare(instances[:size])
        lines = [
            " ".join(map(format_value, results))
            for results in side.results(plan, side.compute(plan))
        ]
        pathlib.Path(request["output"]).write_text("\n".join(lines) + "\n", "utf-8")
        return None
    minibatches = [
        instances[begin : begin + size] for begin in range(0, len(instances), size)
    ]
    passes = []
    for _ in range(request["passes"]):
        gc.collect()
        passes.append([measure(side, minibatch) for minibatch in minibatches])
    return passes


def print_line(value):
    """Prints JSON behind a mark: libraries may print, too."""
    print("suite:", json.dumps(value), flush=True)


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--library", choices=LIBRARIES, required=True)
    parser.add_argument("--form", choices=["Instance", "Batched"], required=True)
    parser.add_argument("--variant", default="")
    parser.add_argument("--model", required=True)
    parser.add_argument("--params", required=True, metavar="F.safetensors")
    parser.add_argument("--knobs", type=json.loads, default={}, help="as JSON")
    parser.add_argument("--threads", type=int, default=1)
    args = parser.parse_args()

    sys.setrecursionlimit(100000)
    module = importlib.import_module(f"peers.{args.model}")
    kind, ops, library = LIBRARIES[args.library](args, read_params(args.params))
    side = kind(module, ops)
    load = getattr(module, "load", list)
    print_line(library.version())
    # The collector would look through the instances again and again.
    gc.disable()
    for line in sys.stdin:
        print_line(answer(side, load, json.loads(line)))


if __name__ == "__main__":
    main()

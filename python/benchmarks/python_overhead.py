#!/usr/bin/env python3
#===- python_overhead.py - What the Python package adds ------------------===//
#
# Part of the dynbatch project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===----------------------------------------------------------------------===//
"""Times Program.run on minibatches of the TreeLSTM against the time that the
runtime itself takes for the same minibatches, and the conversion of Python
trees. Needs the installed package."""

import argparse
import pathlib
import statistics
import time

import dynbatch

import harness


def milliseconds(function):
    begin = time.perf_counter()
    function()
    return 1e3 * (time.perf_counter() - begin)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--hidden", type=int, default=256, help="default: 256")
    parser.add_argument("--batch-size", type=int, default=64, help="default: 64")
    parser.add_argument("--trees", type=pathlib.Path, default=harness.TREES)
    parser.add_argument("--repeats", type=int, default=20, help="default: 20")
    arguments = parser.parse_args()

    trees, _ = harness.read_trees(arguments.trees)
    program = dynbatch.compile(harness.instantiate(harness.MODEL.read_text(), arguments.hidden))
    program.bind("random:1", stats=True)
    minibatch = trees[: arguments.batch_size]
    program.run(minibatch)

    overheads, conversions, runs = [], [], []
    for _ in range(arguments.repeats):
        before = program.stats["seconds"]
        wall = milliseconds(lambda: program.run(minibatch))
        inside = 1e3 * (program.stats["seconds"] - before)
        runs.append(inside)
        overheads.append(100 * (wall / inside - 1))
        thousand = (trees * (1000 // len(trees) + 1))[:1000]
        conversions.append(milliseconds(lambda: program.instances(thousand)))
    print(f"minibatch of {len(minibatch)} trees, runtime: {statistics.median(runs):.2f} ms")
    print(f"added by Python, conversion included: {statistics.median(overheads):.1f} %")
    print(f"conversion of 1000 trees: {statistics.median(conversions):.2f} ms")


if __name__ == "__main__":
    main()

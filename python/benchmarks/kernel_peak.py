#!/usr/bin/env python3
#===----------------------------------------------------------------------===//
#
# Part of the dynbatch project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===----------------------------------------------------------------------===//
"""Prints how near the TreeLSTM's kernels come to the peak of a core.

The peak is what dynbatch-peak-fma measures, in turn with the runs of the model,
as the clock of a machine may change. Only batches of at least 12 rows count:
smaller ones leave a kernel's register tile partly empty.
"""

import argparse
import pathlib
import re
import statistics
import subprocess

import harness


def measure_peak(program):
    """Returns GFLOP/s."""
    output = subprocess.run([program], check=True, capture_output=True, text=True)
    return float(re.search(r"\d+(\.\d+)?", output.stdout)[0])


def read_big_batches(stats):
    """Returns kernel name to (batches, rows, GFLOP/s) of its big batches."""
    return {
        kernel["name"]: (
            kernel["big_batches"],
            kernel["big_tasks"],
            kernel["big_gflops"],
        )
        for kernel in stats["kernels"]
        if kernel["big_batches"]
    }


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    harness.add_arguments(parser)
    parser.add_argument(
        "--peak-fma",
        type=pathlib.Path,
        default=harness.BIN.parent / "runtime" / "benchmarks" / "dynbatch-peak-fma",
        help="default: build/default/runtime/benchmarks/dynbatch-peak-fma",
    )
    args = parser.parse_args()

    peaks = []
    samples = {}
    for _ in range(args.repeats):
        before = measure_peak(args.peak_fma)
        stats = harness.run_dynbatch(
            args.dynbatch_run, args.hidden, args.trees, args.batch_size, repeat=3
        )
        peak = (before + measure_peak(args.peak_fma)) / 2
        peaks.append(peak)
        for name, (batches, rows, gflops) in read_big_batches(stats).items():
            samples.setdefault(name, []).append(
                (rows / batches, gflops, gflops / peak)
            )

    print(f"peak of a core: {statistics.median(peaks):.1f} GFLOP/s")
    width = max(map(len, samples), default=0)
    for name, values in samples.items():
        rows, gflops, share = (statistics.median(column) for column in zip(*values))
        print(
            f"{name:{width}}  {rows:8.1f} rows a batch  {gflops:8.1f} GFLOP/s  "
            f"{share:6.1%} of the peak"
        )


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
#===----------------------------------------------------------------------===//
#
# Part of the dynbatch project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===----------------------------------------------------------------------===//
"""Prints how near models come to what a core can do.

Two rates of the core are measured in turn with the runs, as the clock of a machine
may change and other machines may share its cores: chains of multiply-adds, which is
the peak, and a register tile with operands from the first-level cache, which needs
more instruction slots and is what kernels can reach at that moment. `end to end` is
all arithmetic of the model over the time from instances in memory to results; a
kernel's row counts its batches of at least 12 rows, as smaller ones leave a register
tile partly empty.
"""

import argparse
import pathlib
import re
import statistics
import subprocess
import tempfile

import harness

from models import INSTANCES, instantiate_model, positive, read_lines, read_machine, table

PASSES = 6


def measure_core(program):
    """Returns GFLOP/s of multiply-adds and of a register tile."""
    output = subprocess.run([program], check=True, capture_output=True, text=True).stdout
    return tuple(float(rate) for rate in re.findall(r"([\d.]+) GFLOP/s", output))


def end_to_end(stats):
    """Returns GFLOP/s; each minibatch takes the median of the passes but the first."""
    times = stats["minibatch_ms"]
    size = len(times) // PASSES
    seconds = 1e-3 * sum(
        statistics.median(times[minibatch + size :: size]) for minibatch in range(size)
    )
    flops = sum(kernel["flops_per_task"] * kernel["tasks"] for kernel in stats["kernels"])
    return 1e-9 * flops / PASSES / seconds


def read_rates(stats):
    """Yields name, mean rows and GFLOP/s of all, and of kernels with big batches."""
    yield "end to end", None, end_to_end(stats)
    for kernel in stats["kernels"]:
        if kernel["big_batches"]:
            rows = kernel["big_tasks"] / kernel["big_batches"]
            yield kernel["name"], rows, kernel["big_gflops"]


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "--models",
        nargs="+",
        choices=INSTANCES,
        default=["tree_lstm"],
        metavar="MODEL",
        help=f"of {' '.join(INSTANCES)} (default: tree_lstm)",
    )
    parser.add_argument(
        "--hidden",
        nargs="+",
        type=positive,
        default=[256],
        help="knob H, or D of berxit (default: 256)",
    )
    parser.add_argument("--batch-size", type=positive, default=64, help="default: 64")
    parser.add_argument(
        "--instances",
        type=pathlib.Path,
        help="the file of instances (default: those of test/Data)",
    )
    parser.add_argument(
        "--repeats", type=positive, default=7, help="rounds of alternation (default: 7)"
    )
    parser.add_argument(
        "--peak-fma",
        type=pathlib.Path,
        default=harness.BIN.parent / "runtime" / "benchmarks" / "dynbatch-peak-fma",
        help="default: build/default/runtime/benchmarks/dynbatch-peak-fma",
    )
    for program in ("dynbatch-run", "dynbatch-compile"):
        harness.add_program(parser, program)
    args = parser.parse_args()

    peaks, tiles, rows = [], [], []
    for name, hidden in ((name, size) for name in args.models for size in args.hidden):
        with tempfile.TemporaryDirectory() as path:
            folder = pathlib.Path(path)
            source, knobs = instantiate_model(name, hidden, folder)
            library, instances = folder / "model.so", args.instances
            subprocess.run([args.dynbatch_compile, source, "-o", library], check=True)
            if not instances:
                instances = folder / "instances.txt"
                instances.write_text("".join(read_lines(name, knobs)), encoding="utf-8")
            samples = {}
            for _ in range(args.repeats):
                before = measure_core(args.peak_fma)
                stats = harness.run(
                    args.dynbatch_run,
                    library,
                    instances,
                    f"--batch-size={args.batch_size}",
                    f"--repeat={PASSES}",
                )
                after = measure_core(args.peak_fma)
                peak, tile = (statistics.mean(pair) for pair in zip(before, after))
                peaks.append(peak)
                tiles.append(tile)
                for kernel, count, rate in read_rates(stats):
                    samples.setdefault((kernel, count), []).append(
                        (rate, rate / peak, rate / tile)
                    )
        for (kernel, count), values in samples.items():
            rate, of_peak, of_tile = (statistics.median(column) for column in zip(*values))
            rows.append(
                (
                    f"{name} {hidden}: {kernel}",
                    f"{count:.0f}" if count else "",
                    f"{rate:.1f}",
                    f"{of_peak:.0%}",
                    f"{of_tile:.0%}",
                )
            )
    print(read_machine())
    print(
        f"a core: {statistics.median(peaks):.1f} GFLOP/s of multiply-adds, "
        f"{statistics.median(tiles):.1f} in a register tile\n"
    )
    header = ("", "rows a batch", "GFLOP/s", "of the peak", "of the tile")
    print(*table(header, rows), sep="\n")


if __name__ == "__main__":
    main()

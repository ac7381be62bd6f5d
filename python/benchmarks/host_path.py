#!/usr/bin/env python3
#===----------------------------------------------------------------------===//
#
# Part of the dynbatch project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===----------------------------------------------------------------------===//
"""Times what is not kernels: host code and flushes, for all models.

The time of the host is that in entry functions, for each task; with forced reads
it has the switches between fibers in it. The overhead of a flush is its time
without that in kernels, also for each batch. A process passes over all minibatches
several times. Of the rounds the least time is the estimate, since whatever
interrupts adds to it. The statistics themselves read the clock four times a batch,
some of which is in the overhead: on a virtual machine 100 ns and more.
"""

import argparse
import pathlib
import subprocess
import tempfile

import harness

from models import INSTANCES, instantiate_model, positive, read_lines, read_machine, table

KEYS = ("host_seconds", "flush_overhead_seconds", "tasks", "batches", "flushes")


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--models", nargs="+", choices=INSTANCES, default=list(INSTANCES))
    parser.add_argument("--hidden", type=positive, help="default: each model's small size")
    parser.add_argument("--batch-size", type=positive, default=64, help="default: 64")
    parser.add_argument(
        "--passes", type=positive, default=10, help="in a process (default: 10)"
    )
    parser.add_argument(
        "--repeats", type=positive, default=5, help="rounds over all models (default: 5)"
    )
    for program in ("dynbatch-run", "dynbatch-compile"):
        harness.add_program(parser, program)
    args = parser.parse_args()

    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        runs = {}
        for model in args.models:
            source, knobs = instantiate_model(model, args.hidden, folder)
            library, instances = folder / f"{model}.so", folder / f"{model}.txt"
            subprocess.run([args.dynbatch_compile, source, "-o", library], check=True)
            instances.write_text("".join(read_lines(model, knobs)), encoding="utf-8")
            runs[model] = (library, instances)
        samples = {model: [] for model in args.models}
        for _ in range(args.repeats):
            for model, paths in runs.items():
                samples[model].append(
                    harness.run(
                        args.dynbatch_run,
                        *paths,
                        f"--batch-size={args.batch_size}",
                        f"--repeat={args.passes}",
                    )
                )

    rows = []
    for model, measured in samples.items():
        host, overhead = (min(sample[key] for sample in measured) for key in KEYS[:2])
        tasks, batches, flushes = (measured[0][key] for key in KEYS[2:])
        rows.append(
            (
                model,
                tasks // args.passes,
                batches // args.passes,
                flushes // args.passes,
                f"{1e9 * host / max(tasks, 1):.0f}",
                f"{1e9 * overhead / max(batches, 1):.0f}",
                f"{1e6 * overhead / max(flushes, 1):.1f}",
            )
        )
    header = (
        "model",
        "tasks",
        "batches",
        "flushes",
        "host ns/task",
        "overhead ns/batch",
        "overhead µs/flush",
    )
    print(read_machine())
    print(*table(header, rows), sep="\n")


if __name__ == "__main__":
    main()

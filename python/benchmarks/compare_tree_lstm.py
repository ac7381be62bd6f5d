#!/usr/bin/env python3
#===----------------------------------------------------------------------===//
#
# Part of the dynbatch project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===----------------------------------------------------------------------===//
"""Compares the time of a TreeLSTM in dynbatch and in DyNet, on one thread.

The time of a minibatch goes from trees in memory to scores on the host. Both
sides run in turn, several rounds; each minibatch counts with the median of its
times, and the means over the minibatches are compared. DyNet is built in two
forms, each with and without its autobatching, and takes part with the fastest.
A side that is not installed is skipped.
"""

import argparse
import importlib.util
import json
import os
import pathlib
import statistics
import subprocess
import sys

import harness

# Runs of a dynbatch-run process over all minibatches; the first is a warm-up,
# as DyNet has one, too.
PASSES = 6

# Without these glibc returns memory to the system after each minibatch, and
# page faults take most of the peer's time.
PEER_ENVIRONMENT = {
    "MALLOC_MMAP_MAX_": "0",
    "MALLOC_TRIM_THRESHOLD_": "16000000000",
    "MALLOC_TOP_PAD_": "67108864",
    "OMP_NUM_THREADS": "1",
}


def peer_environment():
    environment = {
        name: value
        for name, value in os.environ.items()
        if not name.startswith("OPENBLAS_")
    }
    return {**environment, **PEER_ENVIRONMENT}


def read_minibatch_ms(stats):
    """Returns the milliseconds of each minibatch, one list a warm pass."""
    times = stats["minibatch_ms"]
    size = len(times) // PASSES
    return [times[begin : begin + size] for begin in range(size, len(times), size)]


class DyNet:
    """A process with one variant of the model, ready to run."""

    def __init__(self, form, autobatch, args):
        self.name = f"DyNet, {form}, autobatch {'on' if autobatch else 'off'}"
        command = [
            sys.executable,
            pathlib.Path(__file__).with_name("dynet_tree_lstm.py"),
            f"--trees={args.trees}",
            f"--hidden={args.hidden}",
            f"--batch-size={args.batch_size}",
            f"--form={form}",
        ]
        if autobatch:
            command.append("--autobatch")
        self.process = subprocess.Popen(
            command,
            env=peer_environment(),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
        )
        self.read_line()
        self.run()

    def read_line(self):
        line = self.process.stdout.readline()
        if not line:
            sys.exit(f"error: the process of {self.name} has ended")
        return line

    def run(self):
        """Returns pairs of milliseconds a minibatch: all, and without the
        building of graphs."""
        self.process.stdin.write("run\n")
        self.process.stdin.flush()
        return json.loads(self.read_line())

    def close(self):
        self.process.stdin.close()
        self.process.wait()
        self.process.stdout.close()


def fastest_dynet(args):
    """Tries all variants and returns the fastest, still running."""
    best, best_time = None, None
    for form in ("gates", "fused"):
        for autobatch in (True, False):
            dynet = DyNet(form, autobatch, args)
            time = statistics.mean(total for total, _ in dynet.run())
            print(f"{dynet.name}: {time:.2f} ms", flush=True)
            slower = dynet
            if best is None or time < best_time:
                slower, best, best_time = best, dynet, time
            if slower:
                slower.close()
    return best


def mean_of_medians(passes):
    """The mean over the minibatches of the median over the passes."""
    return statistics.mean(statistics.median(times) for times in zip(*passes))


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    harness.add_arguments(parser)
    parser.add_argument(
        "--json", type=pathlib.Path, help="write the results to this file, too"
    )
    args = parser.parse_args()

    with_dynbatch = args.dynbatch_run.exists()
    if not with_dynbatch:
        print(f"skipping dynbatch: there is no {args.dynbatch_run}")
    dynet = None
    if importlib.util.find_spec("dynet"):
        dynet = fastest_dynet(args)
    else:
        print("skipping DyNet: this Python has no module dynet (PyPI: dynet38)")
    if not with_dynbatch and not dynet:
        sys.exit("error: nothing to measure")

    dynbatch_passes, dynet_passes, dynet_forward_passes = [], [], []
    for _ in range(args.repeats):
        if with_dynbatch:
            stats = harness.run_dynbatch(
                args.dynbatch_run, args.hidden, args.trees, args.batch_size, PASSES
            )
            dynbatch_passes += read_minibatch_ms(stats)
        if dynet:
            totals, forwards = zip(*dynet.run())
            dynet_passes.append(totals)
            dynet_forward_passes.append(forwards)

    result = {
        "hidden": args.hidden,
        "batch_size": args.batch_size,
        "repeats": args.repeats,
    }
    print(f"Milliseconds a minibatch, H={args.hidden}, batch size {args.batch_size}:")
    if with_dynbatch:
        result["dynbatch_ms"] = mean_of_medians(dynbatch_passes)
        print(f"  dynbatch: {result['dynbatch_ms']:.2f}")
    if dynet:
        dynet.close()
        result["dynet_variant"] = dynet.name
        result["dynet_ms"] = mean_of_medians(dynet_passes)
        result["dynet_forward_ms"] = mean_of_medians(dynet_forward_passes)
        print(
            f"  {dynet.name}: {result['dynet_ms']:.2f}, without the building of "
            f"graphs in Python {result['dynet_forward_ms']:.2f}"
        )
    if with_dynbatch and dynet:
        result["ratio"] = result["dynet_ms"] / result["dynbatch_ms"]
        result["forward_ratio"] = result["dynet_forward_ms"] / result["dynbatch_ms"]
        print(
            f"  dynbatch is {result['ratio']:.2f} times as fast, and "
            f"{result['forward_ratio']:.2f} times without DyNet's graph building"
        )
    if args.json:
        args.json.write_text(json.dumps(result, indent=2) + "\n")


if __name__ == "__main__":
    main()

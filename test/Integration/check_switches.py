#===----------------------------------------------------------------------===//
#
# Part of the dynbatch project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===----------------------------------------------------------------------===//
"""Runs a model with each switch of dynbatch-pipeline off, and with all off.

In each configuration results must have the same bits in minibatches of 1, 7 and
64 instances, on a verified schedule, and must agree with the expected ones, of
the reference target and of the NumPy version. Each configuration has a line in
the output, which also says what there is more or less of than with all on. Errors
name the line of the results, and so of the instances.
"""

import argparse
import json
import pathlib
import subprocess
import sys
import tempfile

TEST = pathlib.Path(__file__).resolve().parents[1]
sys.path += [str(TEST / "NumPy"), str(TEST / "Models")]

from compare import compare
from instances import read_values
from switches import CONFIGURATIONS, pipeline_options

BATCH_SIZES = (64, 7, 1)
COUNTS = ("kernels", "tasks", "batches", "flushes")


def run(*command):
    done = subprocess.run(
        command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False
    )
    if done.returncode:
        raise ValueError(f"{command[0]} fails ({done.returncode}):\n{done.stdout}")


def read_counts(path):
    stats = json.loads(path.read_text(encoding="utf-8"))
    return {**stats, "kernels": len(stats["kernels"])}


def first_difference(a, b):
    """Returns the number of the first line in which two files differ."""
    lines_a, lines_b = a.read_bytes().split(b"\n"), b.read_bytes().split(b"\n")
    pairs = enumerate(zip(lines_a, lines_b), 1)
    return next((n for n, (x, y) in pairs if x != y), min(len(lines_a), len(lines_b)))


def run_configuration(configuration, args, folder):
    """Returns the results, one list a line, and the statistics of batches of 64.

    Results are the same in minibatches of all sizes.
    """
    library = folder / "model.so"
    options = pipeline_options(configuration)
    run("dynbatch-compile", args.model, f"--pipeline-options={options}", "-o", library)
    first = folder / f"{BATCH_SIZES[0]}.txt"
    for size in BATCH_SIZES:
        output = folder / f"{size}.txt"
        run(
            "dynbatch-run",
            library,
            f"--instances={args.instances}",
            f"--params={args.params}",
            f"--batch-size={size}",
            "--verify-schedule",
            f"--stats-json={output.with_suffix('.json')}",
            f"--output={output}",
        )
        if output.read_bytes() != first.read_bytes():
            line = first_difference(output, first)
            raise ValueError(
                f"line {line}: the bits in minibatches of {size} and of "
                f"{BATCH_SIZES[0]} differ"
            )
    return read_values(first), read_counts(first.with_suffix(".json"))


def check_difference(results, expected, name, tolerance):
    """Returns the largest difference as text."""
    try:
        largest, line, _ = compare(results, expected)
    except ValueError as error:
        raise ValueError(f"{error} (compared with {name})") from error
    if largest > tolerance:
        raise ValueError(f"line {line}: {largest:.3g} from {name}, more than {tolerance:g}")
    return f"{largest:.1e} from {name}"


def describe_counts(counts, base):
    """Returns what there is more or less of, as text."""
    words = [
        f"{'more' if counts[name] > base[name] else 'fewer'} {name}"
        for name in COUNTS
        if counts[name] != base[name]
    ]
    return ", ".join(words) or "same counts"


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("model", metavar="MODEL.mlir", type=pathlib.Path)
    parser.add_argument("--instances", required=True, metavar="FILE")
    parser.add_argument("--params", required=True, metavar="F.safetensors")
    parser.add_argument("--reference", required=True, metavar="RESULTS")
    parser.add_argument("--numpy", required=True, metavar="RESULTS")
    args = parser.parse_args()

    reference, numpy = read_values(args.reference), read_values(args.numpy)
    base = None
    failures = 0
    with tempfile.TemporaryDirectory() as folder:
        for configuration in CONFIGURATIONS:
            try:
                results, counts = run_configuration(
                    configuration, args, pathlib.Path(folder)
                )
                base = base or counts
                print(
                    f"{configuration}: {len(results)} instances, "
                    f"{check_difference(results, reference, 'the reference', 1e-5)}, "
                    f"{check_difference(results, numpy, 'NumPy', 1e-4)}; "
                    f"{describe_counts(counts, base)}"
                )
            except ValueError as error:
                failures += 1
                print(
                    f"error: {args.model.name}, {configuration}: {error}",
                    file=sys.stderr,
                )
    if failures:
        sys.exit(f"error: {failures} of {len(CONFIGURATIONS)} configurations fail")


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
#===----------------------------------------------------------------------===//
#
# Part of the dynbatch project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===----------------------------------------------------------------------===//
"""Times the models of test/Models in dynbatch and in what else runs them.

The other sides are DyNet, PyTorch, one instance at a time and batched by hand, and
NumPy, batched by hand. Each runs in a process of its own, with the same parameters,
and before anything is timed its results for a minibatch are compared with those
of dynbatch. Then all sides run in turn, several rounds. The time of a minibatch,
from instances in memory to results on the host, is the median over the passes of
a round, averaged over the minibatches, and the median of that over the rounds; a
ratio is the median of the ratios to dynbatch in the same round. A side with
several variants takes part with the one that is fastest in a trial.

A side that is not installed, or that a model does not have, is a dash.
"""

import argparse
import json
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time

import harness

from compare import difference
from generate import Generator, binary_tree, dependency_tree, lattice, text
from instances import read_values
from models import INSTANCES, positive, read_lines, read_machine
from suite_plot import plot
from suite_report import report
from suite_sides import (
    PACKAGES,
    PASSES,
    SIDES,
    Dynbatch,
    Failure,
    Peer,
    find_libraries,
    has_form,
)

# Of the models whose matrices get too large.
HIDDEN = {"mv_rnn": [64, 128]}
DEFAULT_HIDDEN = [64, 256, 512]

# A side has fewer passes when they take longer.
ROUND_SECONDS = 0.3

# Threads of a library that has just computed wait for more work without sleeping;
# OpenBLAS's for 2^26 cycles. Whoever is measured next must not pay for that.
SETTLE_SECONDS = 0.1

# Results of minibatches are compared that have so many instances at least.
LEAST_CHECKED = 64

# What makes an instance of so many words.
SIZED = {
    "tree_lstm": binary_tree,
    "mv_rnn": binary_tree,
    "moe_tree": binary_tree,
    "child_sum_tree_lstm": dependency_tree,
    "lattice_lstm": lattice,
    **{
        name: lambda generator, words: generator.sentence(words, words)
        for name in ("bi_rnn", "nested_rnn", "stack_rnn", "act_rnn")
    },
}

# ===----------------------------------------------------------------------=== #
# Measuring
# ===----------------------------------------------------------------------=== #


def check_results(dynbatch, peers, instances, batch_size, tolerance):
    """Compares results of a minibatch, and returns the largest difference."""
    size = max(batch_size, LEAST_CHECKED)
    expected, actual = (dynbatch.folder / f"{name}.txt" for name in ("expected", "actual"))
    dynbatch.write_results(instances, size, expected)
    largest = 0.0
    for peer in peers:
        peer.write_results(instances, size, actual)
        try:
            found, _ = difference(read_values(expected)[:size], read_values(actual))
        except ValueError as error:
            raise Failure(f"{peer.name}: results of {instances.name}: {error}") from error
        if not found <= tolerance:
            raise Failure(f"{peer.name}: results of {instances.name} differ by {found:g}")
        largest = max(largest, found)
    return largest


def choose_fastest(variants, instances, batch_size):
    """Returns the fastest variant, and how many passes make a round of it."""
    trials = []
    count = len(instances.read_text(encoding="utf-8").splitlines())
    for peer in variants:
        milliseconds, _ = peer.measure(instances, batch_size, 1)
        if len(variants) > 1:
            # The first pass is slower.
            milliseconds, _ = peer.measure(instances, batch_size, 1)
        trials.append((milliseconds, peer))
    milliseconds, fastest = min(trials, key=lambda trial: trial[0])
    seconds = 1e-3 * milliseconds * -(-count // batch_size)
    return fastest, max(1, min(PASSES, round(ROUND_SECONDS / seconds)))


def measure_point(args, dynbatch, peers, instances, batch_size, threads):
    """Returns what each side takes for minibatches of these instances."""
    everyone = [peer for variants in peers.values() for peer in variants]
    found = check_results(dynbatch, everyone, instances, batch_size, args.tolerance)
    chosen = {
        side: choose_fastest(variants, instances, batch_size)
        for side, variants in peers.items()
    }
    own, samples = [], {side: [] for side in chosen}
    for _ in range(args.repeats):
        time.sleep(SETTLE_SECONDS)
        own.append(dynbatch.measure(instances, batch_size, threads))
        for side, (peer, passes) in chosen.items():
            time.sleep(SETTLE_SECONDS)
            samples[side].append(peer.measure(instances, batch_size, passes))
    sides = {}
    for side, times in samples.items():
        totals, computing = zip(*times)
        sides[side] = {
            "ms": statistics.median(totals),
            "ratio": statistics.median(t / d for t, d in zip(totals, own)),
            "compute_ms": statistics.median(computing),
            "compute_ratio": statistics.median(t / d for t, d in zip(computing, own)),
            "variant": chosen[side][0].variant,
        }
    return {"dynbatch_ms": statistics.median(own), "difference": found, "sides": sides}


def write_cycled(lines, count, path):
    """Writes so many instances, from the first on again when there are too few."""
    path.write_text(
        "".join(lines[number % len(lines)] for number in range(count)), encoding="utf-8"
    )
    return path


def plan_points(args, name, knobs, folder):
    """Yields words of an instance or None, the batch size, and the instances."""
    total = max(args.instances, *args.batch_sizes)
    if name in args.data:
        lines = args.data[name].read_text(encoding="utf-8").splitlines(keepends=True)
    else:
        lines = read_lines(name, knobs, total)
    if not lines:
        raise Failure("there are no instances")
    for size in args.batch_sizes:
        # Whole minibatches; the same instances for all sizes up to their number.
        count = -(-args.instances // size) * size
        path = folder / f"instances-{size}.txt"
        yield None, size, write_cycled(lines, count, path)
    if name not in SIZED:
        return
    for words in args.words:
        generator = Generator(f"{name} {words}")
        size = args.words_batch_size
        lines = [
            text(SIZED[name](generator, words)) + "\n"
            for _ in range(-(-args.instances // size) * size)
        ]
        yield words, size, write_cycled(lines, len(lines), folder / f"words-{words}.txt")


def measure_model(args, libraries, name, hidden, versions):
    """Yields a row for each measurement."""
    with tempfile.TemporaryDirectory() as path:
        folder = pathlib.Path(path)
        dynbatch = Dynbatch(args, folder, name, hidden)
        points = list(plan_points(args, name, dynbatch.knobs, folder))
        for threads in args.threads:
            peers = {}
            try:
                for side in args.sides:
                    library, form, variants = SIDES[side]
                    if library not in libraries or not has_form(name, form):
                        continue
                    peers[side] = []
                    for variant in variants:
                        peer = Peer(args.peers, dynbatch, threads, side, variant)
                        peers[side].append(peer)
                for side, started in peers.items():
                    for peer in started:
                        versions[side] = peer.wait()
                for words, size, instances in points:
                    measured = measure_point(
                        args, dynbatch, peers, instances, size, threads
                    )
                    yield {
                        "model": name,
                        "hidden": hidden,
                        "knobs": dynbatch.knobs,
                        "threads": threads,
                        "batch_size": size,
                        "words": words,
                        **measured,
                    }
            finally:
                for peer in (peer for variants in peers.values() for peer in variants):
                    peer.close()


def measure_all(args):
    libraries = find_libraries(args.peers)
    for library, package in PACKAGES.items():
        if library not in libraries:
            print(
                f"skipping {library}: {args.peers} has no such module (package {package})",
                file=sys.stderr,
            )
    result = {
        "machine": read_machine(),
        "repeats": [args.repeats],
        "tolerance": args.tolerance,
        "versions": {},
        "sides": args.sides,
        "rows": [],
    }
    for name in args.models:
        for hidden in args.hidden or HIDDEN.get(name, DEFAULT_HIDDEN):
            print(f"measuring {name}, size {hidden}", file=sys.stderr, flush=True)
            try:
                rows = measure_model(args, libraries, name, hidden, result["versions"])
                result["rows"] += rows
            except (Failure, ValueError) as error:
                sys.exit(f"error: {name}: {error}")
            except subprocess.CalledProcessError as error:
                command = " ".join(map(str, error.cmd))
                sys.exit(f"error: {name}: status {error.returncode} of {command}")
            if args.json:
                write_json(args.json, result)
    return result


# ===----------------------------------------------------------------------=== #
# The program
# ===----------------------------------------------------------------------=== #


def write_json(path, result):
    path.write_text(json.dumps(result, indent=1) + "\n", encoding="utf-8")


def read_results(paths):
    """Returns the results of several runs as one."""
    first, *others = (json.loads(path.read_text(encoding="utf-8")) for path in paths)
    for other in others:
        first["rows"] += other["rows"]
        first["repeats"] += other["repeats"]
        first["versions"].update(other["versions"])
        first["sides"] += [side for side in other["sides"] if side not in first["sides"]]
    models = list(dict.fromkeys(row["model"] for row in first["rows"]))
    first["rows"].sort(
        key=lambda row: (
            models.index(row["model"]),
            bool(row["words"]),
            *(row[key] for key in ("hidden", "threads", "batch_size")),
            row["words"] or 0,
        )
    )
    return first


def data_file(assignment):
    name, _, path = assignment.partition("=")
    if name not in INSTANCES or not pathlib.Path(path).is_file():
        raise argparse.ArgumentTypeError(f"expected MODEL=FILE, not '{assignment}'")
    return name, pathlib.Path(path)


def parse_arguments():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )

    def add_list(flag, default, description, **options):
        shown = " ".join(map(str, default)) or "none"
        parser.add_argument(
            flag, nargs="+", default=default, help=f"{description} ({shown})", **options
        )

    add_list("--models", list(INSTANCES), "models", choices=INSTANCES, metavar="MODEL")
    parser.add_argument(
        "--hidden",
        nargs="+",
        type=positive,
        help=f"knob H, or D of berxit ({DEFAULT_HIDDEN}, of mv_rnn {HIDDEN['mv_rnn']})",
    )
    add_list("--threads", [1, 2], "threads", type=positive)
    add_list("--batch-sizes", [1, 8, 64, 256], "instances of a minibatch", type=positive)
    add_list("--words", [1, 4, 16, 64], "sizes of made instances, in words", type=positive)
    parser.add_argument(
        "--words-batch-size", type=positive, default=64, help="minibatches of those (64)"
    )
    parser.add_argument(
        "--no-words",
        action="store_const",
        dest="words",
        const=[],
        help="measure no made instances",
    )
    add_list("--sides", list(SIDES), "beside dynbatch", choices=SIDES, metavar="SIDE")
    parser.add_argument(
        "--data",
        nargs="+",
        type=data_file,
        default=[],
        metavar="MODEL=FILE",
        help="instances to take in place of those of test/Data",
    )
    parser.add_argument(
        "--instances", type=positive, default=128, help="so many at least (128)"
    )
    parser.add_argument(
        "--repeats", type=positive, default=5, help="rounds of alternation (5)"
    )
    parser.add_argument(
        "--tolerance",
        type=float,
        default=1e-3,
        help="largest difference of results from those of dynbatch (1e-3)",
    )
    environment = harness.ROOT / "build" / "peers" / "bin" / "python"
    parser.add_argument(
        "--peers",
        type=pathlib.Path,
        default=environment if environment.exists() else pathlib.Path(sys.executable),
        help="the Python that runs the other sides (build/peers/bin/python if it is "
        "there, else the one that runs this)",
    )
    parser.add_argument(
        "--from",
        nargs="+",
        type=pathlib.Path,
        dest="measured",
        metavar="FILE",
        help="measure nothing, but take what earlier runs wrote with --json",
    )
    parser.add_argument(
        "--output",
        type=pathlib.Path,
        help="write the tables to this file (standard output)",
    )
    parser.add_argument("--json", type=pathlib.Path, help="write all that was measured")
    parser.add_argument("--plot", type=pathlib.Path, help="write the curves as SVG")
    harness.add_program(parser, "dynbatch-run")
    harness.add_program(parser, "dynbatch-compile")
    args = parser.parse_args()
    args.data = dict(args.data)
    for program in (args.dynbatch_run, args.dynbatch_compile, args.peers):
        if not args.measured and not program.is_file():
            parser.error(f"there is no {program}")
    return args


def main():
    args = parse_arguments()
    result = read_results(args.measured) if args.measured else measure_all(args)
    lines = report(result)
    if args.output:
        args.output.write_text(lines, encoding="utf-8")
    else:
        print(lines, end="")
    if args.json:
        write_json(args.json, result)
    if args.plot:
        args.plot.write_text(plot(result), encoding="utf-8")


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
#===----------------------------------------------------------------------===//
#
# Part of the dynbatch project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===----------------------------------------------------------------------===//
"""Counts and times what each optimisation of dynbatch-pipeline does.

Every model of test/Models is compiled with all switches on, with each one off,
and with all off. All of these run in turn on the data of test/Data, on one
thread, several rounds; a time is the median over the rounds, and a ratio the
median of the ratios to all on in the same round. The time of a minibatch is that
of the processor, without the first pass over the data. The schedulers are compared
with all switches on. Tables are written as Markdown.
"""

import argparse
import json
import pathlib
import resource
import statistics
import subprocess
import sys
import tempfile

import harness

from models import (
    BERXIT_COUNT,
    DEFAULT_COUNT,
    INSTANCES,
    instantiate_model,
    positive,
    read_lines,
    read_machine,
    table,
)
from switches import CONFIGURATIONS, pipeline_options

SCHEDULES = ("static", "depth", "agenda")
BASE = "all on"
# A process passes over all minibatches until it has computed for so long, and so
# often at least: in the first pass memory is new.
LEAST_SECONDS = 0.3
LEAST_PASSES = 3
# The file of no instances, beside the others.
NOTHING = "nothing.txt"

BEGIN = "<!-- ablation.py writes from here -->"
END = "<!-- to here -->"


# ===----------------------------------------------------------------------=== #
# Measuring
# ===----------------------------------------------------------------------=== #


def compile_all(program, model, folder):
    """Compiles all configurations and returns the library of each.

    Those that are the same code have one.
    """
    libraries, contents = {}, {}
    for configuration in CONFIGURATIONS:
        library = folder / f"{configuration}.so"
        options = pipeline_options(configuration)
        subprocess.run(
            [program, model, f"--pipeline-options={options}", "-o", library], check=True
        )
        libraries[configuration] = contents.setdefault(library.read_bytes(), library)
    return libraries


def time_children(function):
    """Returns what `function` does, and the time that its child processes compute.

    Unlike the time on the clock it has no part of other programs' in it.
    """
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    result = function()
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    seconds = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return result, seconds


class Runs:
    """The runs of one library."""

    def __init__(self, program, library, instances, *arguments):
        self.command = (program, library)
        self.instances = instances
        self.arguments = arguments
        self.stats = self.run()
        trial = self.run(f"--repeat={LEAST_PASSES}")["seconds"] / LEAST_PASSES
        self.passes = max(LEAST_PASSES, round(LEAST_SECONDS / trial))
        self.seconds = []
        self.parts = {"host_seconds": [], "flush_overhead_seconds": []}

    def run(self, *options, instances=None):
        """Returns the statistics."""
        instances = instances or self.instances
        return harness.run(*self.command, instances, *self.arguments, *options)

    def measure(self):
        """Measures a round."""
        repeat = f"--repeat={self.passes}"
        nothing = self.instances.with_name(NOTHING)
        stats, seconds = time_children(lambda: self.run(repeat))
        _, start = time_children(lambda: self.run(repeat, instances=nothing))
        self.seconds.append((seconds - start) / self.passes)
        for key, samples in self.parts.items():
            samples.append(stats[key] / self.passes)

    def summarize(self, base):
        """Returns counts and times; `base` are the runs with all on."""
        tasks = max(self.stats["tasks"], 1)
        # Whatever interrupts adds to these, so that the least is the best estimate.
        host, overhead = map(min, self.parts.values())
        ratios = (mine / its for mine, its in zip(self.seconds, base.seconds))
        return {
            "kernels": len(self.stats["kernels"]),
            **{
                key: self.stats[key]
                for key in ("tasks", "batches", "lower_bound", "flushes")
            },
            "host_ns_per_task": 1e9 * host / tasks,
            "overhead_ns_per_task": 1e9 * overhead / tasks,
            "minibatch_ms": 1e3 * statistics.median(self.seconds) / self.stats["minibatches"],
            "ratio": statistics.median(ratios),
        }


def measure_batch_size(args, libraries, instances, batch_size):
    """Returns what the schedulers do, and each configuration."""

    def runs_of(library):
        return Runs(args.dynbatch_run, library, instances, f"--batch-size={batch_size}")

    all_runs = {library: runs_of(library) for library in libraries.values()}
    base = all_runs[libraries[BASE]]
    schedules = {
        schedule: base.run(f"--schedule={schedule}")["batches"] for schedule in SCHEDULES
    }
    for _ in range(args.repeats):
        for runs in all_runs.values():
            runs.measure()
    configurations = {
        configuration: {
            **all_runs[library].summarize(base),
            "same_code": configuration != BASE and library == libraries[BASE],
        }
        for configuration, library in libraries.items()
    }
    return {"schedules": schedules, "configurations": configurations}


def measure_model(args, name):
    with tempfile.TemporaryDirectory() as path:
        folder = pathlib.Path(path)
        model, knobs = instantiate_model(name, args.hidden, folder)
        instances = folder / "instances.txt"
        (folder / NOTHING).touch()
        lines = read_lines(name, knobs, args.instances)
        instances.write_text("".join(lines), encoding="utf-8")
        libraries = compile_all(args.dynbatch_compile, model, folder)
        return {
            "knobs": knobs,
            "instances": len(lines),
            "batch_sizes": {
                size: measure_batch_size(args, libraries, instances, size)
                for size in args.batch_sizes
            },
        }


# ===----------------------------------------------------------------------=== #
# Tables
# ===----------------------------------------------------------------------=== #


def schedule_tables(models, batch_sizes):
    lines = []
    for size in batch_sizes:
        rows, exceptions = [], []
        for name, model in models.items():
            measured = model["batch_sizes"][size]
            base, batches = measured["configurations"][BASE], measured["schedules"]
            rows.append(
                [
                    f"`{name}`",
                    model["instances"],
                    *(base[key] for key in ("kernels", "tasks", "flushes", "lower_bound")),
                    *(batches[schedule] for schedule in SCHEDULES),
                ]
            )
            for schedule in SCHEDULES[1:]:
                if batches["static"] > batches[schedule]:
                    more = batches["static"] / batches[schedule] - 1
                    exceptions.append(f"`{name}`, {more:.1%} more than `{schedule}`")
        lines += [f"Minibatches of {size}:", ""]
        lines += table(
            ["model", "instances", "kernels", "tasks", "flushes", "lower bound", *SCHEDULES],
            rows,
        )
        lines += [
            "`static` has at most the batches of `depth` and of `agenda`"
            + (f", except in {'; '.join(exceptions)}." if exceptions else "."),
            "",
        ]
    return lines


def ratio_tables(models, batch_sizes):
    lines = []
    configurations = [name for name in CONFIGURATIONS if name != BASE]
    header = ["model", *(name.removesuffix("=false") for name in configurations)]
    for size in batch_sizes:
        rows = []
        for name, model in models.items():
            measured = model["batch_sizes"][size]["configurations"]
            cells = (measured[configuration] for configuration in configurations)
            rows.append(
                [
                    f"`{name}`",
                    *("=" if cell["same_code"] else f"{cell['ratio']:.2f}" for cell in cells),
                ]
            )
        lines += [f"Minibatches of {size}:", "", *table(header, rows)]
    return lines


def model_table(name, model):
    sizes = model["batch_sizes"]
    knobs = ", ".join(f"{knob} = {value}" for knob, value in model["knobs"].items())
    title = f"### {name}"
    if knobs:
        title += f" ({knobs})"
    rows, same = [], []
    for configuration in CONFIGURATIONS:
        for size, measured in sizes.items():
            entry = measured["configurations"][configuration]
            if entry["same_code"]:
                if configuration not in same:
                    same.append(configuration)
                continue
            rows.append(
                [
                    configuration,
                    size,
                    *(entry[key] for key in ("kernels", "tasks", "batches", "flushes")),
                    f"{entry['host_ns_per_task']:.0f}",
                    f"{entry['overhead_ns_per_task']:.0f}",
                    f"{entry['minibatch_ms']:.3f}",
                    f"{entry['ratio']:.2f}",
                ]
            )
    header = ["", "batch size", "kernels", "tasks", "batches", "flushes"]
    header += ["host ns", "scheduling ns", "ms", "ratio"]
    lines = [title, "", *table(header, rows)]
    if same:
        switches = ", ".join(f"`{name.removesuffix('=false')}`" for name in same)
        lines += [f"Off or on, the same code: {switches}.", ""]
    return lines


def report(result):
    models, batch_sizes = result["models"], result["batch_sizes"]
    lines = [
        f"Machine: {result['machine']}. One thread, {result['repeats']} rounds.",
        "",
        "## Batches",
        "",
        *schedule_tables(models, batch_sizes),
        "## Time without an optimisation",
        "",
        *ratio_tables(models, batch_sizes),
        "## Models",
        "",
    ]
    for name, model in models.items():
        lines += model_table(name, model)
    return "\n".join(lines)


def insert_report(document, text):
    """Returns `document` with the report in place of the old one."""
    before, begin, rest = document.partition(BEGIN + "\n")
    _, end, after = rest.partition(END + "\n")
    if not begin or not end:
        raise ValueError(f"it has no lines '{BEGIN}' and '{END}'")
    return f"{before}{begin}\n{text}\n{end}{after}"


# ===----------------------------------------------------------------------=== #
# The program
# ===----------------------------------------------------------------------=== #


def parse_arguments():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "--models",
        nargs="+",
        choices=INSTANCES,
        default=list(INSTANCES),
        metavar="MODEL",
        help=f"default: all of {', '.join(INSTANCES)}",
    )
    parser.add_argument(
        "--hidden", type=positive, help="knob H, or D of berxit (default: the small size)"
    )
    parser.add_argument(
        "--batch-sizes", nargs="+", type=positive, default=[8, 64], help="default: 8 64"
    )
    parser.add_argument(
        "--instances",
        type=positive,
        help=f"default: {DEFAULT_COUNT}, of berxit {BERXIT_COUNT}",
    )
    parser.add_argument(
        "--repeats", type=positive, default=3, help="rounds of alternation (default: 3)"
    )
    parser.add_argument(
        "--output",
        type=pathlib.Path,
        help="write the tables to this file, in a document that exists only between "
        f"the lines '{BEGIN}' and '{END}' (default: standard output)",
    )
    parser.add_argument(
        "--json", type=pathlib.Path, help="write all that was measured to this file, too"
    )
    harness.add_program(parser, "dynbatch-run")
    harness.add_program(parser, "dynbatch-compile")
    args = parser.parse_args()
    for program in (args.dynbatch_run, args.dynbatch_compile):
        if not program.is_file():
            parser.error(f"there is no {program}; ./bootstrap run builds it")
    return args


def main():
    args = parse_arguments()
    document = f"{BEGIN}\n{END}\n"
    if args.output and args.output.exists():
        document = args.output.read_text(encoding="utf-8")
    try:
        insert_report(document, "")
    except ValueError as error:
        sys.exit(f"error: {args.output}: {error}")

    result = {
        "machine": read_machine(),
        "batch_sizes": args.batch_sizes,
        "repeats": args.repeats,
        "models": {},
    }
    for name in args.models:
        print(f"measuring {name}", file=sys.stderr, flush=True)
        try:
            result["models"][name] = measure_model(args, name)
        except ValueError as error:
            sys.exit(f"error: {name}: {error}")
        except subprocess.CalledProcessError as error:
            command = " ".join(map(str, error.cmd))
            sys.exit(f"error: {name}: status {error.returncode} of {command}")

    text = report(result)
    if args.output:
        args.output.write_text(insert_report(document, text), encoding="utf-8")
    else:
        print(text)
    if args.json:
        args.json.write_text(json.dumps(result, indent=2) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()

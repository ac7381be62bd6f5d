#!/usr/bin/env python3
#===----------------------------------------------------------------------===//
#
# Part of the dynbatch project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===----------------------------------------------------------------------===//
"""Compares weights of f32 with those of bf16 and f16, on the TreeLSTM.

Weights of 16 bits are multiplied as they are stored, or extended to f32 when the
model is loaded ("at load"). The time is that of the processor in a pass over the
instances, on one thread, without the first pass; of the rounds, which alternate
between all variants, the least one counts. Ratios are to the model in f32.
"""

import argparse
import pathlib
import resource
import subprocess
import tempfile

import harness

from instantiate import instantiate
from models import positive, read_machine, table
from narrow import narrow


def compile_variants(program, hidden, folder):
    """Compiles the model in each form; returns the libraries by their names."""
    text = instantiate(harness.MODEL.read_text(encoding="utf-8"), hidden)
    forms = {"f32": (text, "")}
    for kind in ("bf16", "f16"):
        forms[kind] = (narrow(text, kind), "")
        forms[f"{kind}, at load"] = (narrow(text, kind), "fold-widening=false")
    libraries = {}
    for number, (name, (source, options)) in enumerate(forms.items()):
        model = folder / f"{hidden}.{number}.mlir"
        model.write_text(source, encoding="utf-8")
        libraries[name] = model.with_suffix(".so")
        subprocess.run(
            [program, model, f"--pipeline-options={options}", "-o", libraries[name]],
            check=True,
        )
    return libraries


def time_run(*command):
    """Returns the seconds that a run computes, its start included."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
    harness.execute(*command)
    return resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--hidden", nargs="+", type=positive, default=[256, 512])
    parser.add_argument("--batch-sizes", nargs="+", type=positive, default=[1, 64])
    parser.add_argument(
        "--passes", type=positive, default=10, help="in a process (default: 10)"
    )
    parser.add_argument("--repeats", type=positive, default=5, help="rounds (default: 5)")
    for program in ("dynbatch-run", "dynbatch-compile"):
        harness.add_program(parser, program)
    args = parser.parse_args()

    rows = []
    with tempfile.TemporaryDirectory() as name:
        for hidden in args.hidden:
            libraries = compile_variants(
                args.dynbatch_compile, hidden, pathlib.Path(name)
            )
            for batch_size in args.batch_sizes:
                seconds = {variant: [] for variant in libraries}
                for _ in range(args.repeats):
                    for variant, library in libraries.items():
                        command = [args.dynbatch_run, library, harness.TREES]
                        command.append(f"--batch-size={batch_size}")
                        start = time_run(*command)
                        end = time_run(*command, f"--repeat={1 + args.passes}")
                        seconds[variant].append((end - start) / args.passes)
                least = {variant: min(values) for variant, values in seconds.items()}
                ratios = [least[variant] / least["f32"] for variant in libraries]
                rows.append(
                    (
                        hidden,
                        batch_size,
                        f"{1e3 * least['f32']:.1f}",
                        *(f"{ratio:.2f}" for ratio in ratios[1:]),
                    )
                )
    print(read_machine())
    print(*table(("H", "batch", "f32, ms", *list(libraries)[1:]), rows), sep="\n")


if __name__ == "__main__":
    main()

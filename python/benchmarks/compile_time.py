#!/usr/bin/env python3
#===----------------------------------------------------------------------===//
#
# Part of the dynbatch project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===----------------------------------------------------------------------===//
"""Times compilation, from the start of dynbatch-run to its first result.

One row a program: the TreeLSTM with 256 features, and programs made for this with
different numbers of kernels, either one after the other (each in a recursion of
its own) or all in one recursion, as cases of one match. The first start compiles,
the second one finds the machine code in --cache-dir. Rounds alternate between all
programs; each time is the least one. Beside the time on the clock stands that of
the processor, which has no part of other programs' in it.
"""

import argparse
import pathlib
import resource
import subprocess
import tempfile
import time

import harness

from instantiate import instantiate
from models import positive, read_machine, table

SIZE = 32
VECTOR = f"tensor<{SIZE}xf32>"
MATRIX = f"tensor<{SIZE}x{SIZE}xf32>"


def parameters(count):
    """Returns the declarations of a matrix for each kernel."""
    return "".join(
        f"ml_program.global private @W{i}(#ml_program.extern<{MATRIX}>) : {MATRIX}\n"
        for i in range(count)
    )


def step(i):
    """Returns ops that make %y of %h, a kernel that no other equals."""
    return f"""
      %W = ml_program.global_load_const @W{i} : {MATRIX}
      %zero = arith.constant dense<0.0> : {VECTOR}
      %z = linalg.matvec ins(%W, %h : {MATRIX}, {VECTOR}) outs(%zero : {VECTOR}) -> {VECTOR}
      %y = math.tanh %z : {VECTOR}
      dynbatch.yield %y : {VECTOR}
    }}"""


def chain(count):
    """Returns a program of `count` recursions over a list, one after the other."""
    text = "dynbatch.adt @L {\n  dynbatch.ctor @Nil()\n"
    text += "  dynbatch.ctor @Cons(!dynbatch.adt<@L>)\n}\n" + parameters(count)
    for i in range(count):
        text += f"""
func.func private @f{i}(%l: !dynbatch.adt<@L>, %x: {VECTOR}) -> {VECTOR} {{
  %r = dynbatch.match %l : !dynbatch.adt<@L> -> {VECTOR}
    case @Nil() {{
      dynbatch.yield %x : {VECTOR}
    }}
    case @Cons(%rest: !dynbatch.adt<@L>) {{
      %h = func.call @f{i}(%rest, %x) : (!dynbatch.adt<@L>, {VECTOR}) -> {VECTOR}{step(i)}
  return %r : {VECTOR}
}}
"""
    text += f"func.func @main(%l: !dynbatch.adt<@L>, %x0: {VECTOR}) -> {VECTOR}"
    text += " attributes {dynbatch.entry} {\n"
    for i in range(count):
        text += f"  %x{i + 1} = call @f{i}(%l, %x{i})"
        text += f" : (!dynbatch.adt<@L>, {VECTOR}) -> {VECTOR}\n"
    return text + f"  return %x{count} : {VECTOR}\n}}\n", "(Cons Nil)"


def cases(count):
    """Returns a program with one recursion, whose match has `count` kernels."""
    text = "dynbatch.adt @L {\n  dynbatch.ctor @Nil()\n"
    for i in range(count):
        text += f"  dynbatch.ctor @C{i}(!dynbatch.adt<@L>)\n"
    text += "}\n" + parameters(count)
    text += f"""
func.func private @f(%l: !dynbatch.adt<@L>, %x: {VECTOR}) -> {VECTOR} {{
  %r = dynbatch.match %l : !dynbatch.adt<@L> -> {VECTOR}
    case @Nil() {{
      dynbatch.yield %x : {VECTOR}
    }}"""
    for i in range(count):
        text += f"""
    case @C{i}(%rest: !dynbatch.adt<@L>) {{
      %h = func.call @f(%rest, %x) : (!dynbatch.adt<@L>, {VECTOR}) -> {VECTOR}{step(i)}"""
    text += f"""
  return %r : {VECTOR}
}}
func.func @main(%l: !dynbatch.adt<@L>, %x: {VECTOR}) -> {VECTOR} attributes {{dynbatch.entry}} {{
  %r = call @f(%l, %x) : (!dynbatch.adt<@L>, {VECTOR}) -> {VECTOR}
  return %r : {VECTOR}
}}
"""
    return text, "(C0 Nil)"


def programs(counts, hidden):
    """Returns text, instance and number of kernels of each program, by its name."""
    model = instantiate(harness.MODEL.read_text(encoding="utf-8"), hidden)
    result = {"TreeLSTM": (model, "(Node (Leaf 1) (Leaf 2))", 3)}
    for name, make in (("one after the other", chain), ("in one recursion", cases)):
        for count in counts:
            text, data = make(count)
            zeros = f"[{' '.join(['0.5'] * SIZE)}]"
            result[f"{count} kernels {name}"] = (text, f"{data} {zeros}", count)
    return result


def measure(command, cache):
    """Returns the seconds of a start without and with the code in the cache.

    Each is the time on the clock, followed by that of the processor.
    """
    for file in cache.glob("*"):
        file.unlink()
    seconds = []
    for _ in range(2):
        began = time.perf_counter()
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        subprocess.run([*command, f"--cache-dir={cache}"], check=True)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        seconds.append(time.perf_counter() - began)
        computed = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
        seconds.append(computed)
    return seconds


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--counts", nargs="+", type=positive, default=[10, 100])
    parser.add_argument("--hidden", type=positive, default=256, help="of the TreeLSTM")
    parser.add_argument("--repeats", type=positive, default=5, help="rounds (default: 5)")
    harness.add_program(parser, "dynbatch-run")
    args = parser.parse_args()

    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        cache = folder / "cache"
        cache.mkdir()
        commands, kernels = {}, {}
        for index, (title, (text, data, count)) in enumerate(
            programs(args.counts, args.hidden).items()
        ):
            model, instances = folder / f"{index}.mlir", folder / f"{index}.txt"
            model.write_text(text, encoding="utf-8")
            instances.write_text(data + "\n", encoding="utf-8")
            commands[title] = [
                args.dynbatch_run,
                model,
                f"--instances={instances}",
                "--params=random:1",
                "--output=/dev/null",
            ]
            kernels[title] = count
        samples = {title: [] for title in commands}
        for _ in range(args.repeats):
            for title, command in commands.items():
                samples[title].append(measure(command, cache))

    rows = []
    for title, measured in samples.items():
        first, computed, second, loaded = map(min, zip(*measured))
        rows.append(
            (
                title,
                f"{first:.2f}",
                f"{computed:.2f}",
                f"{1e3 * computed / kernels[title]:.0f}",
                f"{second:.2f}",
                f"{loaded:.2f}",
            )
        )
    print(read_machine())
    header = (
        "program",
        "first start, s",
        "processor, s",
        "processor ms/kernel",
        "from the cache, s",
        "processor, s",
    )
    print(*table(header, rows), sep="\n")


if __name__ == "__main__":
    main()

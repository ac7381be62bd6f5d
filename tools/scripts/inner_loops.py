#!/usr/bin/env python3
#===----------------------------------------------------------------------===//
#
# Part of the dynbatch project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===----------------------------------------------------------------------===//
"""Describes the innermost loops of a function in x86 assembly text.

Prints a line for each loop of one basic block that holds fused multiply-adds:
how many of them, broadcasts, vector loads, other instructions, and references
to the stack (spills). The text is what dynbatch-run --dump-assembly writes.
"""

import argparse
import re

LABEL = re.compile(r"^(\.LBB\S+|[\w.$]+):")
JUMP = re.compile(r"^\s+j\w+\s+(\S+)$")


def find_loops(lines, function):
    """Yields the instructions of each single-block loop of `function`."""
    current, label, body = None, None, []
    for line in lines:
        if match := LABEL.match(line):
            label, body = match[1], []
            if not label.startswith(".L"):
                current = label
        elif line.startswith("\t") and not line.startswith("\t."):
            body.append(line.split("#")[0].strip())
            jump = JUMP.match(line)
            if jump and jump[1] == label and current == function:
                yield body


def describe(body):
    """Counts the instructions of a loop by kind."""
    counts = {"fma": 0, "broadcast": 0, "load": 0, "other": 0, "stack": 0}
    for instruction in body:
        if "vfmadd" in instruction:
            kind = "fma"
        elif "vbroadcastss" in instruction:
            kind = "broadcast"
        elif re.match(r"vmov[au]p[sd] +[^%]*\(.*\), *%", instruction.replace("\t", " ")):
            kind = "load"
        else:
            kind = "other"
        counts[kind] += 1
        counts["stack"] += "(%rsp" in instruction
    return counts


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("assembly")
    parser.add_argument("--function", default="dynbatch_panel_matmul_f32")
    args = parser.parse_args()
    with open(args.assembly, encoding="utf-8") as file:
        lines = file.read().splitlines()
    for body in find_loops(lines, args.function):
        counts = describe(body)
        if counts["fma"]:
            print(" ".join(f"{kind}={count}" for kind, count in counts.items()))


if __name__ == "__main__":
    main()

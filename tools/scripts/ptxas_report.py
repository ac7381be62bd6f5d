#!/usr/bin/env python3
#===----------------------------------------------------------------------===//
#
# Part of the dynbatch project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===----------------------------------------------------------------------===//
"""Assembles the GPU kernels of models and says what they use.

Prints a line for each kernel and chip: registers of a thread, bytes of
workgroup memory, bytes of spilled registers. Fails if a kernel spills or calls
what nobody defines. Needs dynbatch-opt and NVIDIA's ptxas in the PATH.
"""

import argparse
import re
import subprocess
import sys
import tempfile

ENTRY = re.compile(r"Compiling entry function '([^']+)' for '([^']+)'")
SPILLS = re.compile(r"(\d+) bytes spill stores, (\d+) bytes spill loads")
USED = re.compile(r"Used (\d+) registers")
SHARED = re.compile(r"(\d+) bytes smem")


def compile_to_ptx(model, chip, options):
    """Returns the PTX of all kernels of a model."""
    text = subprocess.run(
        [
            "dynbatch-opt",
            model,
            f"--dynbatch-gpu-kernels={options}",
            f"--dynbatch-gpu-to-binary=chip={chip}",
        ],
        check=True,
        stdout=subprocess.PIPE,
        text=True,
    ).stdout
    match = re.search(r'assembly = "((?:[^"\\]|\\.)*)"', text)
    if not match:
        return None
    return re.sub(
        r"\\([0-9A-Fa-f]{2}|.)",
        lambda m: chr(int(m[1], 16)) if len(m[1]) == 2 else m[1],
        match[1],
    ).rstrip("\0")


def assemble(ptx, chip):
    """Yields (kernel, registers, workgroup bytes, spilled bytes)."""
    with tempfile.NamedTemporaryFile("w", suffix=".ptx") as source:
        source.write(ptx)
        source.flush()
        # Output of -v goes to either stream, depending on the version.
        lines = subprocess.run(
            ["ptxas", "-v", f"-arch={chip}", source.name, "-o", "/dev/null"],
            check=True,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        ).stdout.splitlines()
    kernel, spilled = None, 0
    for line in lines:
        if match := ENTRY.search(line):
            kernel, spilled = match[1], 0
        elif match := SPILLS.search(line):
            spilled = int(match[1]) + int(match[2])
        elif (match := USED.search(line)) and kernel:
            shared = SHARED.search(line)
            yield kernel, int(match[1]), int(shared[1]) if shared else 0, spilled
            kernel = None


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("models", nargs="+", help="instance programs")
    parser.add_argument(
        "--chip", action="append", help="chip to assemble for (default: sm_80)"
    )
    parser.add_argument("--pipeline-options", default="", help="of dynbatch-gpu-kernels")
    arguments = parser.parse_args()
    failed = False
    print(f"{'kernel':40} {'chip':6} {'registers':>9} {'workgroup':>9} {'spilled':>7}")
    for model in arguments.models:
        for chip in arguments.chip or ["sm_80"]:
            ptx = compile_to_ptx(model, chip, arguments.pipeline_options)
            if ptx is None:
                continue
            for symbol in sorted(set(re.findall(r"\b__nv_\w+", ptx))):
                print(f"{model}: error: nobody defines {symbol}", file=sys.stderr)
                failed = True
            for kernel, registers, shared, spilled in assemble(ptx, chip):
                print(f"{kernel:40} {chip:6} {registers:9} {shared:9} {spilled:7}")
                failed |= spilled != 0
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())

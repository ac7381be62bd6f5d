#!/usr/bin/env python3
"""Compares docs/RuntimeABI.md with runtime/include/dynbatch/Runtime/ABI.h.

Versions, names of functions, and sizes and offsets of structs (which a C compiler
computes) must be the same on both sides.
"""

import argparse
import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
HEADER = ROOT / "runtime/include/dynbatch/Runtime/ABI.h"
FUNCTION = r"(?:dynbatch_rt|_mlir_memref_to_llvm)_\w+"


def check_versions(document, header):
    """Yields the versions that are not the header's."""
    for name, pattern in (
        ("DYNBATCH_ABI_VERSION", r"version of the ABI is (\d+)"),
        ("DYNBATCH_GPU_IMAGE_VERSION", r"version of their own, (\d+)"),
    ):
        wanted = re.search(rf"#define {name} (\d+)", header)[1]
        found = re.search(pattern, document)
        if not found or found[1] != wanted:
            yield f"{name} is {wanted}"


def check_functions(document, header):
    """Yields functions that only one side has."""
    declared = set(re.findall(rf"\b({FUNCTION})\(", re.sub(r"//.*", "", header)))
    listed = set(re.findall(rf"^\| `({FUNCTION})` \|", document, re.M))
    for name in sorted(declared ^ listed):
        yield f"{name} is {'not listed' if name in declared else 'not declared'}"


def check_layouts(document, header, compiler):
    """Yields structs that are not listed or have another layout."""
    rows = re.findall(r"^\| `(\w+)` \| (\d+) \| (.*) \|$", document, re.M)
    for name in set(re.findall(r"^\} (\w+);", header, re.M)) ^ {row[0] for row in rows}:
        yield f"{name} is not on both sides"
    lines = ["#include <dynbatch/Runtime/ABI.h>", "#include <stddef.h>"]
    for name, size, fields in rows:
        lines.append(f'_Static_assert(sizeof({name}) == {size}, "{name}");')
        body = re.search(rf"struct {name} \{{(.*?)\n\}}", header, re.S)[1]
        members = re.findall(r"(\w+)(?:\[\d+\])?;", re.sub(r"//.*", "", body))
        offsets = re.findall(r"`(\w+)` (\d+)", fields)
        if members != [field for field, _ in offsets]:
            yield f"{name} has the fields {', '.join(members)}"
        for field, offset in offsets:
            lines.append(f'_Static_assert(offsetof({name}, {field}) == {offset}, "{name}::{field}");')
    with tempfile.NamedTemporaryFile("w", suffix=".c") as file:
        file.write("\n".join(lines) + "\n")
        file.flush()
        done = subprocess.run(
            [compiler, "-fsyntax-only", f"-I{ROOT / 'runtime/include'}", file.name],
            capture_output=True,
            text=True,
            check=False,
        )
    if done.returncode != 0:
        yield done.stderr


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("compiler", help="a C compiler")
    parser.add_argument("--document", type=pathlib.Path, default=ROOT / "docs/RuntimeABI.md")
    args = parser.parse_args()
    document = args.document.read_text(encoding="utf-8")
    header = HEADER.read_text(encoding="utf-8")
    problems = [
        *check_versions(document, header),
        *check_functions(document, header),
        *check_layouts(document, header, args.compiler),
    ]
    if problems:
        sys.exit("\n".join(["docs/RuntimeABI.md and ABI.h do not agree:", *problems]))


if __name__ == "__main__":
    main()

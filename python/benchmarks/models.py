#===----------------------------------------------------------------------===//
#
# Part of the dynbatch project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===----------------------------------------------------------------------===//
"""What the benchmarks of all models share: their sizes and instances, and tables."""

import argparse
import os
import pathlib
import platform
import re
import subprocess
import sys

import harness

from instantiate import instantiate, read_knobs

MODELS = harness.ROOT / "test" / "Models"
DATA = harness.ROOT / "test" / "Data"
# As many as are there in each file, and fill minibatches of 64. Those of berxit
# are made when they are needed, to its knobs.
DEFAULT_COUNT = 128
INSTANCES = {
    "tree_lstm": "treebank.trees",
    "child_sum_tree_lstm": "child_sum_tree_lstm.txt",
    "mv_rnn": "mv_rnn.txt",
    "bi_rnn": "bi_rnn.txt",
    "nested_rnn": "nested_rnn.txt",
    "drnn": "drnn.txt",
    "berxit": None,
    "stack_rnn": "stack_rnn.txt",
    "lattice_lstm": "lattice_lstm.txt",
    "act_rnn": "act_rnn.txt",
    "moe_tree": "moe_tree.txt",
    "mutual": "mutual.txt",
}
# Fewer tokens, layers and instances than by default: it has a hundred times the
# arithmetic of the others.
BERXIT_KNOBS = {"S": 16, "L": 2}
BERXIT_COUNT = 64
BERXIT_HEAD = 64


def read_machine():
    """Returns the processor, its cores and caches, as text."""
    model, vectors = platform.processor() or platform.machine(), ""
    try:
        cpuinfo = pathlib.Path("/proc/cpuinfo").read_text(encoding="utf-8")
    except OSError:
        cpuinfo = ""
    if match := re.search(r"^model name\s*: (.*)$", cpuinfo, re.M):
        model = match[1]
    for feature, name in (("avx512f", "AVX-512"), ("avx2", "AVX2")):
        if re.search(rf"\b{feature}\b", cpuinfo):
            vectors = f" with {name}"
            break
    caches = []
    folder = pathlib.Path("/sys/devices/system/cpu/cpu0/cache")
    for index in sorted(folder.glob("index*")):
        level, kind, size = (
            (index / name).read_text(encoding="utf-8").strip()
            for name in ("level", "type", "size")
        )
        if kind != "Instruction":
            kilobytes = int(size.removesuffix("K"))
            text = f"{kilobytes // 1024} MiB" if kilobytes >= 1024 else f"{kilobytes} KiB"
            caches.append(f"{text} L{level}")
    cores = f"{os.cpu_count()} cores"
    return f"{model}{vectors}, {cores}" + (f"; {', '.join(caches)}" if caches else "")


def choose_knobs(name, hidden):
    """Returns the values of the knobs that are not the small size's."""
    knobs = dict(BERXIT_KNOBS) if name == "berxit" else {}
    if hidden is not None:
        size = "D" if name == "berxit" else "H"
        knobs[size] = hidden
        if name == "berxit":
            knobs["N"] = max(1, hidden // BERXIT_HEAD)
    return knobs


def read_lines(name, knobs, count=None):
    """Returns instances of a model, a line each, at most `count`."""
    if count is None:
        count = BERXIT_COUNT if name == "berxit" else DEFAULT_COUNT
    if name == "berxit":
        command = [
            sys.executable,
            DATA / "generate.py",
            name,
            f"--count={count}",
            f"--tokens={knobs['S']}",
            f"--size={knobs['D']}",
        ]
        text = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    else:
        text = (DATA / INSTANCES[name]).read_text(encoding="utf-8")
    return text.splitlines(keepends=True)[:count]


def instantiate_model(name, hidden, folder):
    """Writes a model to `folder` and returns the file and the values of its knobs."""
    template = (MODELS / f"{name}.mlir.in").read_text(encoding="utf-8")
    chosen = choose_knobs(name, hidden)
    defaults = {knob: sizes["small"] for knob, sizes in read_knobs(template).items()}
    model = folder / f"{name}.mlir"
    model.write_text(instantiate(template, **chosen), encoding="utf-8")
    return model, {**defaults, **chosen}


def table(header, rows):
    """Returns the lines of a table; all columns but the first hold numbers."""
    return [
        f"| {' | '.join(header)} |",
        "|---" + "|---:" * (len(header) - 1) + "|",
        *(f"| {' | '.join(map(str, row))} |" for row in rows),
        "",
    ]


def positive(text):
    value = int(text)
    if value < 1:
        raise argparse.ArgumentTypeError(f"{value} is not positive")
    return value

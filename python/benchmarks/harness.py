#===----------------------------------------------------------------------===//
#
# Part of the dynbatch project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===----------------------------------------------------------------------===//
"""What the benchmarks share: the model, the trees, and runs of dynbatch-run."""

import json
import pathlib
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path += [str(ROOT / "test" / name) for name in ("NumPy", "Models", "Data")]

from instances import read_values
from instantiate import instantiate

BIN = ROOT / "build" / "default" / "bin"
TREES = ROOT / "test" / "Data" / "treebank.trees"
MODEL = ROOT / "test" / "Models" / "tree_lstm.mlir.in"


def read_trees(path):
    """Returns the trees of a file and the number of words they need."""
    trees = [tree for (tree,) in read_values(path)]
    words = 0
    pending = list(trees)
    while pending:
        tree = pending.pop()
        if tree[0] == "Leaf":
            words = max(words, tree[1] + 1)
        else:
            pending += tree[1:]
    return trees, words


def execute(program, model, instances, *options, params="random:1", threads=1):
    """Runs a model and drops the results."""
    subprocess.run(
        [
            program,
            model,
            f"--instances={instances}",
            f"--params={params}",
            f"--threads={threads}",
            "--output=/dev/null",
            *options,
        ],
        check=True,
    )


def run(program, model, instances, *options, **settings):
    """Runs a model and returns the statistics."""
    with tempfile.TemporaryDirectory() as folder:
        stats = pathlib.Path(folder, "stats.json")
        execute(program, model, instances, f"--stats-json={stats}", *options, **settings)
        return json.loads(stats.read_text())


def run_dynbatch(program, hidden, trees, batch_size, repeat):
    """Runs the TreeLSTM and returns the statistics."""
    with tempfile.TemporaryDirectory() as folder:
        model = pathlib.Path(folder, "tree_lstm.mlir")
        model.write_text(instantiate(MODEL.read_text(), hidden))
        return run(
            program, model, trees, f"--batch-size={batch_size}", f"--repeat={repeat}"
        )


def add_program(parser, name):
    """Adds the option that says where a program of the build is."""
    parser.add_argument(
        f"--{name}",
        type=pathlib.Path,
        default=BIN / name,
        help=f"default: build/default/bin/{name}",
    )


def add_arguments(parser):
    """Adds the options that the benchmarks share."""
    parser.add_argument("--hidden", type=int, default=256, help="default: 256")
    parser.add_argument("--batch-size", type=int, default=64, help="default: 64")
    parser.add_argument(
        "--trees",
        type=pathlib.Path,
        default=TREES,
        help="the instances (default: test/Data/treebank.trees)",
    )
    parser.add_argument(
        "--repeats", type=int, default=7, help="rounds of alternation (default: 7)"
    )
    add_program(parser, "dynbatch-run")

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


def add_program(parser, name):
    """Adds the option that says where a program of the build is."""
    parser.add_argument(
        f"--{name}",
        type=pathlib.Path,
        default=BIN / name,
        help=f"default: build/default/bin/{name}",
    )

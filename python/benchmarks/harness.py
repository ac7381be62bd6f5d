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
sys.path += [str(ROOT / "test" / "NumPy"), str(ROOT / "test" / "Models")]

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


def run_dynbatch(program, hidden, trees, batch_size, repeat):
    """Runs the TreeLSTM on one thread and returns the statistics."""
    with tempfile.TemporaryDirectory() as folder:
        model = pathlib.Path(folder, "tree_lstm.mlir")
        model.write_text(instantiate(MODEL.read_text(), hidden))
        stats = pathlib.Path(folder, "stats.json")
        subprocess.run(
            [
                program,
                model,
                f"--instances={trees}",
                "--params=random:1",
                f"--batch-size={batch_size}",
                "--threads=1",
                f"--repeat={repeat}",
                f"--stats-json={stats}",
                "--output=/dev/null",
            ],
            check=True,
        )
        return json.loads(stats.read_text())


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
    parser.add_argument(
        "--dynbatch-run",
        type=pathlib.Path,
        default=BIN / "dynbatch-run",
        help="default: build/default/bin/dynbatch-run",
    )

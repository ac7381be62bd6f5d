#!/usr/bin/env python3
#===----------------------------------------------------------------------===//
#
# Part of the dynbatch project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===----------------------------------------------------------------------===//
"""Makes a folder that checks and times dynbatch on another machine's GPU.

It holds the models of test/Models, compiled ahead of time, inputs, results of the
reference target, the program that runs them with all libraries that it needs,
and the script `gpu-check` that starts everything. Needs the build, no GPU.
"""

import argparse
import pathlib
import re
import shutil
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
MODELS = ROOT / "test" / "Models"
DATA = ROOT / "test" / "Data"
NUMPY = ROOT / "test" / "NumPy"
sys.path.insert(0, str(MODELS))

from instantiate import instantiate  # noqa: E402
from switches import pipeline_options  # noqa: E402

# Results: knobs and seed of each model. Where decisions follow computed values,
# the seed is one with which none is close.
SMALL = {"H": 12, "V": 652}
CHECKS = {
    "act_rnn": (SMALL, 1),
    "berxit": ({"S": 8, "D": 32, "N": 4, "L": 4}, 6),
    "bi_rnn": (SMALL, 1),
    "child_sum_tree_lstm": (SMALL, 1),
    "drnn": (SMALL, 1),
    "lattice_lstm": (SMALL, 1),
    "moe_tree": (SMALL, 1),
    "mutual": (SMALL, 1),
    "mv_rnn": (SMALL, 1),
    "nested_rnn": (SMALL, 8),
    "stack_rnn": (SMALL, 3),
    "tree_lstm": ({"H": 24}, 1),
}
# Times: name, model, size. Berxit has its large instances made on the other
# machine.
TIMES = [
    ("tree_lstm", "tree_lstm", "small"),
    ("bi_rnn", "bi_rnn", "small"),
    ("mv_rnn", "mv_rnn", "small"),
    ("drnn", "drnn", "small"),
    ("berxit_small", "berxit", "small"),
    ("berxit_large", "berxit", "large"),
]
BATCHES = (8, 64)
TOKENS = {"small": "tokens:64:128:768", "large": "tokens:64:128:1024"}


class Packer:
    def __init__(self, arguments):
        self.arguments = arguments
        self.out = arguments.output
        self.lines = []

    def tool(self, name):
        return str(self.arguments.bin / name)

    def call(self, *command):
        subprocess.run([str(word) for word in command], check=True)

    def write_model(self, model, name, **knobs):
        text = (MODELS / f"{model}.mlir.in").read_text(encoding="utf-8")
        path = self.out / "models" / f"{name}.mlir"
        path.write_text(instantiate(text, **knobs), encoding="utf-8")
        return path

    def compile(self, model, name, options="", target="cuda"):
        library = self.out / "models" / f"{name}.so"
        command = [
            self.tool("dynbatch-compile"),
            model,
            f"--target={target}",
            f"--pipeline-options={options}",
            f"--mcpu={self.arguments.cpu}",
            "-o",
            library,
        ]
        if target == "cuda":
            command.append(f"--chip={self.arguments.chip}")
        self.call(*command)
        return library.relative_to(self.out)

    def write_instances(self, model, count, knobs):
        path = self.out / "models" / f"{model}.txt"
        if model == "tree_lstm":
            lines = (DATA / "treebank.trees").read_text(encoding="utf-8")
        elif model == "berxit":
            sizes = [f"--tokens={knobs['S']}", f"--size={knobs['D']}", f"--count={count}"]
            lines = subprocess.run(
                [sys.executable, DATA / "generate.py", model, *sizes],
                check=True,
                stdout=subprocess.PIPE,
                text=True,
            ).stdout
        else:
            lines = (DATA / f"{model}.txt").read_text(encoding="utf-8")
        path.write_text("".join(lines.splitlines(True)[:count]), encoding="utf-8")
        return path.relative_to(self.out)

    def pack_check(self, name):
        knobs, seed = CHECKS[name]
        model = self.write_model(name, name, **knobs)
        library = self.compile(model, name)
        instances = self.write_instances(name, self.arguments.count, knobs)
        results = self.out / "models" / f"{name}.results"
        self.call(
            self.tool("dynbatch-run"),
            model,
            "--target=reference",
            f"--instances={self.out / instances}",
            f"--params=random:{seed}",
            f"--output={results}",
        )
        results = results.relative_to(self.out)
        self.lines.append(f"check {name} {library} {instances} random:{seed} {results}")

    def pack_times(self, name, model, size):
        path = self.write_model(model, f"time_{name}", size=size)
        # Longer inputs than those that the results are of.
        if model == "berxit":
            instances = TOKENS[size]
        else:
            source = "treebank.trees" if model == "tree_lstm" else f"{model}.txt"
            instances = pathlib.Path("models") / f"time_{source}"
            lines = (DATA / source).read_text(encoding="utf-8").splitlines(True)
            # The first ones are the smallest that there are.
            (self.out / instances).write_text("".join(lines[-64:]), encoding="utf-8")
        variants = [("dynbatch", "", "static")]
        if self.arguments.tf32:
            variants.append(("tf32", "allow-tf32=true", "static"))
        variants.append(("plain", pipeline_options("all off"), "agenda"))
        texts = []
        for label, options, schedule in variants:
            library = self.compile(path, f"time_{name}_{label}", options)
            texts.append(f"{label}={library},{schedule}")
        for batch in BATCHES:
            self.lines.append(f"time {name} {batch} {instances} random:1 {' '.join(texts)}")

    def pack_program(self):
        """Copies the program and the shared libraries that it needs."""
        program = self.arguments.bin / "dynbatch-gpu-check"
        (self.out / "lib").mkdir(exist_ok=True)
        shutil.copy(program, self.out / "lib" / "dynbatch-gpu-check")
        text = subprocess.run(
            ["ldd", program], check=True, stdout=subprocess.PIPE, text=True
        ).stdout
        loader = None
        for path in re.findall(r"(?:=> |^\s*)(/\S+)", text, re.M):
            shutil.copy(path, self.out / "lib")
            if re.match(r"ld-(linux|musl)", pathlib.Path(path).name):
                loader = pathlib.Path(path).name
        if not loader:
            sys.exit("error: ldd names no loader")
        (self.out / "lib" / loader).rename(self.out / "lib" / "loader")
        shutil.copy(HERE / "gpu-check", self.out / "gpu-check")
        for script in (HERE / "peers.py", NUMPY / "instances.py", NUMPY / "params.py"):
            shutil.copy(script, self.out / "lib")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--bin", type=pathlib.Path, required=True, help="the tools of the build")
    parser.add_argument("--output", type=pathlib.Path, required=True, help="folder to make")
    parser.add_argument("--chip", default="sm_80", help="oldest GPU (default: sm_80)")
    parser.add_argument("--cpu", default="x86-64-v3", help="the other machine's processor")
    parser.add_argument("--count", type=int, default=24, help="instances of a check")
    parser.add_argument("--models", nargs="*", help="only these (default: all)")
    parser.add_argument("--no-times", action="store_true", help="only check results")
    parser.add_argument("--tf32", action="store_true", help="time tensor cores, too")
    arguments = parser.parse_args()
    (arguments.output / "models").mkdir(parents=True, exist_ok=True)
    packer = Packer(arguments)
    wanted = arguments.models or list(CHECKS)
    for name in CHECKS:
        if name in wanted:
            packer.pack_check(name)
    for name, model, size in TIMES:
        if model in wanted and not arguments.no_times:
            packer.pack_times(name, model, size)
    packer.pack_program()
    (arguments.output / "manifest").write_text("\n".join(packer.lines) + "\n", encoding="utf-8")
    print(f"copy {arguments.output} to a machine with a GPU, and run gpu-check in it")


if __name__ == "__main__":
    main()

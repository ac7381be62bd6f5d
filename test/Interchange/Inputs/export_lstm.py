#===----------------------------------------------------------------------===#
#
# Part of the dynbatch project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===----------------------------------------------------------------------===#
"""Exports an LSTM cell of PyTorch's through torch-mlir, and computes with
PyTorch what folding it over lists of vectors gives.

    python export_lstm.py FOLDER

writes lstm_cell.mlir, instances.txt (inputs of lstm_program.mlir) and
expected.txt. Needs the packages torch and torch-mlir.
"""

import pathlib
import sys

import torch
from torch_mlir import fx

WORDS, HIDDEN = 3, 4
LENGTHS = [5, 0, 3, 1]


class Step(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.cell = torch.nn.LSTMCell(WORDS, HIDDEN)

    def forward(self, x, h, c):
        return self.cell(x, (h, c))


def text(vector):
    return "[" + " ".join(f"{value:.9g}" for value in vector.tolist()) + "]"


def main():
    folder = pathlib.Path(sys.argv[1])
    torch.manual_seed(1)
    step = Step()
    # The same tensor for h and c would make them one argument.
    x, h, c = (torch.zeros(1, size) for size in (WORDS, HIDDEN, HIDDEN))
    module = fx.export_and_import(
        step, x, h, c, output_type="linalg-on-tensors", func_name="lstm_cell"
    )
    (folder / "lstm_cell.mlir").write_text(f"{module}\n")

    instances, expected = [], []
    with torch.no_grad():
        for length in LENGTHS:
            vectors = torch.rand(length, WORDS) * 2 - 1
            h = c = torch.zeros(1, HIDDEN)
            # The program begins at the end of a list.
            for x in reversed(vectors):
                h, c = step(x[None], h, c)
            cells = "".join(f"(Cons {text(x)} " for x in vectors)
            instances.append(cells + "Nil" + ")" * length)
            expected.append(text(h[0]))
    (folder / "instances.txt").write_text("\n".join(instances) + "\n")
    (folder / "expected.txt").write_text("\n".join(expected) + "\n")


if __name__ == "__main__":
    main()

#===----------------------------------------------------------------------===//
#
# Part of the dynbatch project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===----------------------------------------------------------------------===//
"""Writes random float32 parameters for the TreeLSTM."""

import argparse

import numpy as np

from params import write_params


def random_params(hidden, words, seed):
    """Returns parameters that neither vanish nor saturate the gates."""
    generator = np.random.default_rng(seed)
    shapes = {
        "embedding": (words, hidden),
        "leaf_W": (3 * hidden, hidden),
        "leaf_b": (3 * hidden,),
        "node_W_left": (5 * hidden, hidden),
        "node_W_right": (5 * hidden, hidden),
        "node_b": (5 * hidden,),
        "out_W": (5, hidden),
        "out_b": (5,),
    }
    params = {}
    for name, shape in shapes.items():
        scale = 1.0 if name == "embedding" else hidden**-0.5
        params[name] = generator.uniform(-scale, scale, shape).astype(np.float32)
    return params


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--hidden", type=int, required=True)
    parser.add_argument("--words", type=int, required=True)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--output", required=True, metavar="F.safetensors")
    args = parser.parse_args()
    write_params(args.output, random_params(args.hidden, args.words, args.seed))


if __name__ == "__main__":
    main()

#===----------------------------------------------------------------------===//
#
# Part of the dynbatch project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===----------------------------------------------------------------------===//
"""Writes a model whose parameters are stored as f16 or bf16.

Each load of a parameter of f32 becomes a load of the narrow one and an
`arith.extf`: all arithmetic stays that of the model.
"""

import argparse
import re
import sys

GLOBAL = re.compile(r"^ml_program\.global private @\w+\(#ml_program\.extern.*$", re.M)
LOAD = re.compile(
    r"^(\s*)(%\w+) = ml_program\.global_load_const (@\w+) : (tensor<[\dx]*x)f32>$", re.M
)


def narrow(text, kind):
    """Returns the model `text` with parameters of type `kind`."""
    text = GLOBAL.sub(lambda match: match[0].replace("xf32>", f"x{kind}>"), text)
    return LOAD.sub(
        rf"\1\2_narrow = ml_program.global_load_const \3 : \4{kind}>"
        "\n"
        rf"\1\2 = arith.extf \2_narrow : \4{kind}> to \4f32>",
        text,
    )


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("model", help="a .mlir file")
    parser.add_argument("--type", choices=["f16", "bf16"], required=True)
    parser.add_argument("-o", "--output", help="file to write (default: standard output)")
    args = parser.parse_args()
    with open(args.model, encoding="utf-8") as file:
        text = narrow(file.read(), args.type)
    with open(args.output, "w", encoding="utf-8") if args.output else sys.stdout as file:
        file.write(text)


if __name__ == "__main__":
    main()

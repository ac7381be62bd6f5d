#===----------------------------------------------------------------------===//
#
# Part of the dynbatch project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===----------------------------------------------------------------------===//
"""Compares two files of results, line by line and number by number.

Prints the largest absolute difference. Fails when it is above the tolerance,
when the files differ in their lines, shapes, constructors or NaNs, or when
they hold no number.
"""

import argparse
import math
import sys

from instances import read_values


def difference(a, b):
    """Returns the largest difference and how many numbers were compared.

    Two NaNs are equal, as are two infinities of one sign.
    """
    largest = 0.0
    count = 0
    pending = [(a, b)]
    while pending:
        a, b = pending.pop()
        if isinstance(a, (list, tuple)) or isinstance(b, (list, tuple)):
            if type(a) is not type(b) or len(a) != len(b):
                raise ValueError("the shapes differ")
            pending += zip(a, b)
        elif isinstance(a, str) or isinstance(b, str):
            if a != b:
                raise ValueError(f"the constructors differ: {a} and {b}")
        else:
            count += 1
            if math.isnan(a) or math.isnan(b):
                if math.isnan(a) != math.isnan(b):
                    raise ValueError(f"only one is a NaN: {a} and {b}")
            elif a != b:
                largest = max(largest, abs(a - b))
    return largest, count


def compare(lines_a, lines_b):
    """Returns the largest difference, its line, and how many numbers there are.

    Lines are counted from 1. An error names the one on which it is.
    """
    if len(lines_a) != len(lines_b):
        raise ValueError(f"{len(lines_a)} lines, but {len(lines_b)} in the other file")
    largest, at, total = 0.0, 1, 0
    for number, (a, b) in enumerate(zip(lines_a, lines_b), 1):
        try:
            line_largest, count = difference(a, b)
        except ValueError as error:
            raise ValueError(f"line {number}: {error}") from error
        total += count
        if line_largest > largest:
            largest, at = line_largest, number
    if total == 0:
        raise ValueError("there is no number to compare")
    return largest, at, total


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("a", metavar="A.txt")
    parser.add_argument("b", metavar="B.txt")
    parser.add_argument("--tolerance", type=float, default=1e-4)
    args = parser.parse_args()

    lines_a, lines_b = read_values(args.a), read_values(args.b)
    try:
        largest, at, total = compare(lines_a, lines_b)
    except ValueError as error:
        sys.exit(f"error: {error}")
    print(f"max abs difference {largest:.3g} (line {at}, {total} numbers)")
    if largest > args.tolerance:
        sys.exit(f"error: above the tolerance of {args.tolerance:g}")


if __name__ == "__main__":
    main()

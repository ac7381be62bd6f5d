#===----------------------------------------------------------------------===//
#
# Part of the dynbatch project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===----------------------------------------------------------------------===//
"""Parses the instance syntax, without recursion: trees may be deep.

A number is an int or a float, a sequence or tensor `[3 5 8]` a list, and a
constructor `(Node (Leaf 3) (Leaf 5))` a tuple of its name and its fields; one
without fields may stand without brackets.
"""

import re

TOKEN = re.compile(r"[()\[\]]|[^\s()\[\],]+")
CLOSERS = {"(": ")", "[": "]"}


def parse_number(token):
    try:
        return int(token)
    except ValueError:
        return float(token)


def parse_values(line):
    """Returns the list of the values on a line."""
    values = []
    # The brackets that are open, each with the values before it.
    stack = []
    constructor_next = False
    for token in TOKEN.findall(line):
        if constructor_next and not token.isidentifier():
            raise ValueError(f"expected a constructor, not '{token}'")
        if token in CLOSERS:
            stack.append((token, values))
            values = []
            constructor_next = token == "("
        elif token in CLOSERS.values():
            opener, outer = stack.pop() if stack else (None, None)
            if CLOSERS.get(opener) != token:
                raise ValueError(f"unmatched '{token}'")
            outer.append(tuple(values) if opener == "(" else values)
            values = outer
        elif constructor_next:
            values.append(token)
            constructor_next = False
        elif token.isidentifier() and token.lower() not in ("nan", "inf"):
            values.append((token,))
        else:
            values.append(parse_number(token))
    if stack:
        raise ValueError(f"unclosed '{stack[-1][0]}'")
    return values


def read_values(path):
    """Returns the values of each line of a file that is not blank."""
    result = []
    with open(path, encoding="utf-8") as file:
        for number, line in enumerate(file, 1):
            if not line.strip():
                continue
            try:
                result.append(parse_values(line))
            except ValueError as error:
                raise ValueError(f"{path}:{number}: {error}") from error
    return result

#!/usr/bin/env python3
"""Writes a model of the zoo for a given hidden size.

Models are templates: @H@ stands for the hidden size and @3H@ for three times
it. The .mlir files beside the templates are the instances of the default size.
"""

import argparse
import re
import sys


def instantiate(template, hidden):
    """Returns the text of `template` with every @nH@ replaced by n * hidden."""
    return re.sub(r"@(\d*)H@", lambda m: str(int(m[1] or 1) * hidden), template)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("template", help="a .mlir.in file")
    parser.add_argument("--hidden", type=int, default=256, help="hidden size H (default: 256)")
    parser.add_argument("-o", "--output", help="file to write (default: standard output)")
    args = parser.parse_args()
    if args.hidden < 1:
        parser.error("--hidden must be positive")
    with open(args.template, encoding="utf-8") as file:
        text = instantiate(file.read(), args.hidden)
    if args.output:
        with open(args.output, "w", encoding="utf-8") as file:
            file.write(text)
    else:
        sys.stdout.write(text)


if __name__ == "__main__":
    main()

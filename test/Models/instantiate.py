#!/usr/bin/env python3
"""Writes a model of the zoo for given sizes.

Models are templates with knobs, each a capital letter: @H@ stands for its
value, @3H@ for three times that, and @D/N@ for the quotient of two. A template
says what its knobs are in lines of its header:

  // Knob H: small 256, large 512. Hidden size.
  // Knob V: 20000. Words.

The .mlir files beside the templates are the instances of the small size.
"""

import argparse
import re
import sys

DEFAULT_KNOBS = {"H": {"small": 256, "large": 512}}
KNOB = re.compile(r"^// Knob ([A-Z]): (?:small )?(\d+)(?:, large (\d+))?\.", re.M)
USE = re.compile(r"@(\d*)([A-Z])(?:/([A-Z]))?@")


def read_knobs(template):
    """Returns the sizes of each knob that `template` declares."""
    knobs = {
        name: {"small": int(small), "large": int(large or small)}
        for name, small, large in KNOB.findall(template)
    }
    return knobs or DEFAULT_KNOBS


def instantiate(template, hidden=None, size="small", **values):
    """Returns the text of `template` with values in the place of its knobs.

    `hidden` is the value of H. Knobs without a value have that of `size`.
    """
    knobs = {name: sizes[size] for name, sizes in read_knobs(template).items()}
    if hidden is not None:
        values["H"] = hidden
    for name, value in values.items():
        if name not in knobs:
            raise ValueError(f"the model has no knob {name}")
        if value < 1:
            raise ValueError(f"{name} must be positive")
        knobs[name] = value

    def replace(match):
        factor, name, divisor = match.groups()
        value = int(factor or 1) * knobs[name]
        if divisor:
            if value % knobs[divisor]:
                raise ValueError(f"{divisor} must divide {name}")
            value //= knobs[divisor]
        return str(value)

    return USE.sub(replace, template)


def parse_assignment(text):
    match = re.fullmatch(r"([A-Z])=(\d+)", text)
    if not match:
        raise argparse.ArgumentTypeError(f"expected KNOB=NUMBER, not '{text}'")
    return match[1], int(match[2])


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("template", help="a .mlir.in file")
    parser.add_argument("--size", choices=["small", "large"], default="small")
    parser.add_argument("--hidden", type=int, help="short for --set H=HIDDEN")
    parser.add_argument(
        "--set",
        type=parse_assignment,
        action="append",
        default=[],
        metavar="KNOB=NUMBER",
        dest="values",
    )
    parser.add_argument("-o", "--output", help="file to write (default: standard output)")
    args = parser.parse_args()
    with open(args.template, encoding="utf-8") as file:
        template = file.read()
    try:
        text = instantiate(template, args.hidden, args.size, **dict(args.values))
    except ValueError as error:
        parser.error(str(error))
    if args.output:
        with open(args.output, "w", encoding="utf-8") as file:
            file.write(text)
    else:
        sys.stdout.write(text)


if __name__ == "__main__":
    main()

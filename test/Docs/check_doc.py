#!/usr/bin/env python3
"""Runs the examples of a Markdown document and compares their output.

A fence ```mlir file=NAME (or any other language with file=NAME) is written to
NAME in a scratch folder. In a ```console fence, a line that begins with "$ " is
a command, run by sh in that folder; the lines behind it are its output. A line
"..." stands for any number of lines. With --update the outputs in the document
are replaced by what the commands print, where they hold no "...".

A fence ```cpp from=PATH (or any other language with from=PATH) is an excerpt: its
lines stand in that file of the repository, one behind the other.
"""

import argparse
import pathlib
import re
import subprocess
import sys
import tempfile

FENCE = re.compile(r"^```(\w+)(?: (file|from)=(\S+))?\n(.*?)^```$", re.M | re.S)
ROOT = pathlib.Path(__file__).resolve().parents[2]


def split_commands(text):
    """Yields (command, expected output lines); a backslash continues a command."""
    command, output = None, []
    lines = iter(text.splitlines())
    for line in lines:
        if line.startswith("$ "):
            if command is not None:
                yield command, output
            command, output = line[2:], []
            while command.endswith("\\"):
                command += "\n" + next(lines)
        elif command is not None:
            output.append(line.rstrip())
    if command is not None:
        yield command, output


def matches(expected, actual):
    """Whether the lines agree, "..." standing for any number of lines."""
    if not expected:
        return not actual
    if expected[0] == "...":
        return any(matches(expected[1:], actual[i:]) for i in range(len(actual) + 1))
    return bool(actual) and expected[0] == actual[0] and matches(expected[1:], actual[1:])


def run(command, folder):
    """Standard output and error of `command`, without trailing blanks."""
    done = subprocess.run(
        ["sh", "-c", command],
        cwd=folder,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    return [line.rstrip() for line in done.stdout.splitlines()]


def check(text, folder, update):
    """Returns the text with new outputs, and the number of mismatches."""
    failures = 0

    def visit(fence):
        nonlocal failures
        language, kind, name, body = fence.groups()
        if kind == "from":
            if body not in (ROOT / name).read_text(encoding="utf-8"):
                failures += 1
                print(f"not in {name}:", body, sep="\n")
            return fence[0]
        if kind == "file":
            (folder / name).write_text(body, encoding="utf-8")
            return fence[0]
        if language != "console":
            return fence[0]
        lines = []
        for command, expected in split_commands(body):
            actual = run(command, folder)
            if not matches(expected, actual):
                if not update or "..." in expected:
                    failures += 1
                    print(f"$ {command}\nexpected:", *expected, "actual:", *actual, sep="\n")
                else:
                    expected = actual
            lines += ["$ " + command, *expected]
        return "```console\n" + "\n".join(lines) + "\n```"

    return FENCE.sub(visit, text), failures


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("document", type=pathlib.Path)
    parser.add_argument("--update", action="store_true", help="write new outputs into the document")
    args = parser.parse_args()
    text = args.document.read_text(encoding="utf-8")
    with tempfile.TemporaryDirectory() as folder:
        updated, failures = check(text, pathlib.Path(folder), args.update)
    if args.update:
        args.document.write_text(updated, encoding="utf-8")
    if failures:
        sys.exit(f"{args.document}: {failures} examples are not as the document says")


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
"""Runs the examples in the descriptions of passes.

In a TableGen file, every pass's IR under "Before:" must become the IR under
"After:", up to names of values, when the pass runs on it.
"""

import re
import subprocess
import sys

PASS = re.compile(
    r'^def \w+\s*:\s*Pass<"([\w-]+)".*?'
    r"Before:\s+```mlir\n(.*?)```\s+After:\s+```mlir\n(.*?)```",
    re.M | re.S,
)


def run(source, *flags):
    """What dynbatch-opt prints for `source`."""
    done = subprocess.run(
        ["dynbatch-opt", "-", *flags],
        input=source,
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode != 0:
        sys.exit(done.stderr)
    return done.stdout


def main():
    failures = 0
    for path in sys.argv[1:]:
        with open(path, encoding="utf-8") as file:
            text = file.read()
        examples = PASS.findall(text)
        if len(examples) != len(re.findall(r"^def \w+\s*:\s*Pass<", text, re.M)):
            sys.exit(f"{path}: a pass without an example")
        for name, before, after in examples:
            actual, expected = run(before, "--" + name), run(after)
            if actual != expected:
                failures += 1
                print(f"{name}: expected\n{expected}\nactual\n{actual}")
    sys.exit(failures)


if __name__ == "__main__":
    main()

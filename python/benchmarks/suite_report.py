#===----------------------------------------------------------------------===//
#
# Part of the dynbatch project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===----------------------------------------------------------------------===//
"""The tables of suite.py."""

from models import table


def cell(side, key=""):
    """Returns milliseconds and how many times that of dynbatch they are."""
    if side is None:
        return "–"
    return f"{format_ms(side[key + 'ms'])} ({side[key + 'ratio']:.2f})"


def format_ms(milliseconds):
    return f"{milliseconds:.3f}" if milliseconds < 1 else f"{milliseconds:.1f}"


def best_side(row):
    """Returns the fastest other side and its entry, or None."""
    return min(row["sides"].items(), key=lambda item: item[1]["ratio"], default=None)


def row_cells(row, sides):
    best = best_side(row)
    return [
        *(row[key] for key in ("hidden", "threads", "batch_size")),
        *([row["words"]] if row["words"] else []),
        format_ms(row["dynbatch_ms"]),
        *(cell(row["sides"].get(side)) for side in sides),
        f"{best[1]['ratio']:.2f}" if best else "–",
    ]


def model_tables(name, rows, sides):
    lines = [f"### {name}", ""]
    for words in (False, True):
        chosen = [row for row in rows if bool(row["words"]) == words]
        if not chosen:
            continue
        header = ["size", "threads", "batch size", *(["words"] if words else [])]
        header += ["dynbatch", *sides, "best / dynbatch"]
        lines += table(header, [row_cells(row, sides) for row in chosen])
    return lines


def slower_rows(rows):
    """Returns the rows in which another side is faster than dynbatch."""
    found = []
    for row in rows:
        best = best_side(row)
        if best and best[1]["ratio"] < 1:
            found.append(
                [
                    f"`{row['model']}`",
                    *(row[key] for key in ("hidden", "threads", "batch_size")),
                    row["words"] or "–",
                    f"{best[0]} {best[1]['variant']}".strip(),
                    f"{best[1]['ratio']:.2f}",
                ]
            )
    return found


def report(result):
    """Returns the document."""
    rows, sides = result["rows"], result["sides"]
    versions = dict.fromkeys(result["versions"].values())
    rounds = " to ".join(map(str, sorted({min(result["repeats"]), max(result["repeats"])})))
    lines = [
        f"Machine: {result['machine']}. {rounds} rounds. "
        f"{', '.join(versions) or 'No other side'}.",
        "",
        "Milliseconds a minibatch; in brackets, how many times that of dynbatch. Results "
        f"differ from those of dynbatch by at most {max_difference(rows):.1e}.",
        "",
    ]
    for name in dict.fromkeys(row["model"] for row in rows):
        lines += model_tables(name, [row for row in rows if row["model"] == name], sides)
    lines += ["### Where another side is faster", ""]
    if slower := slower_rows(rows):
        header = ["model", "size", "threads", "batch size", "words", "side", "ratio"]
        lines += table(header, slower)
    else:
        lines += ["Nowhere.", ""]
    return "\n".join(lines[:-1]) + "\n"


def max_difference(rows):
    return max((row["difference"] for row in rows), default=0)

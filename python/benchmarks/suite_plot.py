#===----------------------------------------------------------------------===//
#
# Part of the dynbatch project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===----------------------------------------------------------------------===//
"""The curves of suite.py as SVG, by hand: no library is needed.

A model has a row of panels, one for each size and number of threads and kind of
curve: milliseconds an instance over the batch size, and over the words of an
instance. Both axes are logarithmic.
"""

import html
import math

COLOURS = {
    "dynbatch": "#d62728",
    "DyNet": "#1f77b4",
    "PyTorch eager": "#9467bd",
    "PyTorch batched": "#2ca02c",
    "NumPy batched": "#ff7f0e",
}
WIDTH, HEIGHT, MARGIN = 260, 220, 44


def read_curves(rows, key):
    """Returns for each side the points of a panel."""
    curves = {}
    for row in rows:
        times = {"dynbatch": row["dynbatch_ms"]}
        times.update((side, entry["ms"]) for side, entry in row["sides"].items())
        for side, milliseconds in times.items():
            point = row[key], milliseconds / row["batch_size"]
            curves.setdefault(side, []).append(point)
    return {side: sorted(points) for side, points in curves.items()}


class Axis:
    """A logarithmic scale from numbers to positions."""

    def __init__(self, numbers, first, last):
        self.low, self.high = math.log(min(numbers)), math.log(max(numbers))
        self.first, self.last = first, last

    def __call__(self, number):
        if self.high == self.low:
            return (self.first + self.last) / 2
        part = (math.log(number) - self.low) / (self.high - self.low)
        return self.first + part * (self.last - self.first)

    def powers_of_ten(self):
        exponents = range(
            math.ceil(self.low / math.log(10)), math.floor(self.high / math.log(10)) + 1
        )
        return [10.0**exponent for exponent in exponents]


def write_text(x, y, content, anchor="middle", size=10):
    return (
        f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" font-size="{size}">'
        f"{html.escape(content)}</text>"
    )


def draw_panel(title, label, curves, left, top):
    points = [point for curve in curves.values() for point in curve]
    xs, ys = ([point[axis] for point in points] for axis in (0, 1))
    right, bottom = left + WIDTH - MARGIN, top + HEIGHT - 60
    x_axis, y_axis = Axis(xs, left, right), Axis(ys, bottom, top)
    parts = [
        write_text((left + right) / 2, top - 8, title, size=11),
        write_text((left + right) / 2, bottom + 26, label),
        f'<rect x="{left}" y="{top}" width="{right - left}" height="{bottom - top}" '
        'fill="none" stroke="#888"/>',
    ]
    for x in sorted(set(xs)):
        parts.append(write_text(x_axis(x), bottom + 13, str(x)))
    for y in y_axis.powers_of_ten():
        parts.append(write_text(left - 4, y_axis(y) + 3, f"{y:g}", anchor="end"))
        parts.append(
            f'<line x1="{left}" x2="{right}" y1="{y_axis(y):.1f}" y2="{y_axis(y):.1f}" '
            'stroke="#ddd"/>'
        )
    for side, curve in curves.items():
        places = " ".join(f"{x_axis(x):.1f},{y_axis(y):.1f}" for x, y in curve)
        colour = COLOURS[side]
        parts.append(
            f'<polyline points="{places}" fill="none" stroke="{colour}" '
            'stroke-width="1.5"/>'
        )
        parts += [
            f'<circle cx="{x_axis(x):.1f}" cy="{y_axis(y):.1f}" r="2" fill="{colour}"/>'
            for x, y in curve
        ]
    return parts


def group_panels(rows):
    """Returns for each model its panels: title, label, and curves."""
    models = {}
    for words, key, label in (
        (False, "batch_size", "batch size"),
        (True, "words", "words of an instance"),
    ):
        groups = {}
        for row in rows:
            if bool(row["words"]) == words:
                place = row["model"], row["hidden"], row["threads"]
                groups.setdefault(place, []).append(row)
        for (name, hidden, threads), group in groups.items():
            title = f"{name}, size {hidden}, threads {threads}"
            panel = title, label, read_curves(group, key)
            models.setdefault(name, []).append(panel)
    return models


def draw_legend():
    parts, x = [write_text(MARGIN, 18, "ms an instance", anchor="start")], MARGIN + 90
    for side, colour in COLOURS.items():
        parts.append(f'<rect x="{x}" y="10" width="10" height="10" fill="{colour}"/>')
        parts.append(write_text(x + 14, 19, side, anchor="start"))
        x += 110
    return parts


def plot(result):
    """Returns the document."""
    models = group_panels(result["rows"])
    parts = draw_legend()
    columns = max(map(len, models.values()), default=0)
    for number, panels in enumerate(models.values()):
        for column, (title, label, curves) in enumerate(panels):
            left, top = MARGIN + column * WIDTH, 48 + number * HEIGHT
            parts += draw_panel(title, label, curves, left, top)
    width = max(MARGIN + columns * WIDTH, MARGIN + 90 + 110 * len(COLOURS))
    height = 48 + len(models) * HEIGHT
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" '
            'font-family="sans-serif">',
            '<rect width="100%" height="100%" fill="white"/>',
            *parts,
            "</svg>",
            "",
        ]
    )

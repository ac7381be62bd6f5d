#===----------------------------------------------------------------------===//
#
# Part of the dynbatch project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===----------------------------------------------------------------------===//
"""Writes the instances of a model of the zoo, one a line.

They depend on the model's name alone. The first ones are the smallest there
are. NAME.txt beside this file is what `generate.py NAME` writes. The instances
of berxit are tensors of a size to choose, and have no file.
"""

import argparse
import os
import random
import sys

COUNT = 200
WORDS = 652


class Generator:
    """Random inputs. Only random() is used: it is the same in all Pythons."""

    def __init__(self, seed):
        self.random = random.Random(seed).random

    def below(self, n):
        """Returns an integer from 0 to n - 1."""
        return int(self.random() * n)

    def between(self, low, high):
        """Returns an integer from `low` to `high`."""
        return low + self.below(high - low + 1)

    def word(self):
        """Returns a word; as in a text, few of them are frequent."""
        return int(WORDS * self.random() ** 2)

    def sentence(self, low, high):
        return [self.word() for _ in range(self.between(low, high))]


def text(value):
    """Returns a value in the instance syntax."""
    if isinstance(value, tuple):
        name, *fields = value
        return f"({name} {' '.join(map(text, fields))})" if fields else name
    if isinstance(value, list):
        return f"[{' '.join(map(text, value))}]"
    return str(value)


def read_treebank():
    """Returns the lines of the binary trees of parsed sentences."""
    path = os.path.join(os.path.dirname(os.path.abspath(__file__)), "treebank.trees")
    with open(path, encoding="utf-8") as file:
        return file.read().splitlines()


def binary_tree(generator, leaves):
    """Returns a tree that is split at random places."""
    if leaves == 1:
        return ("Leaf", generator.word())
    left = generator.between(1, leaves - 1)
    return (
        "Node",
        binary_tree(generator, left),
        binary_tree(generator, leaves - left),
    )


def trees(generator):
    """Yields the trees of the treebank, then random ones."""
    yield from read_treebank()
    while True:
        yield text(binary_tree(generator, generator.between(1, 24)))


def sentences(generator, low=0, high=24):
    """Yields sentences of every length from `low` on, then of random lengths."""
    for length in range(low, low + 4):
        yield text(generator.sentence(length, length))
    while True:
        yield text(generator.sentence(low, high))


def dependency_tree(generator, words):
    """Returns a tree of that many words; a child has a part of those left."""
    children = []
    left = words - 1
    while left > 0:
        size = generator.between(1, left)
        children.append(dependency_tree(generator, size))
        left -= size
    return ("Node", generator.word(), children)


def dependency_trees(generator):
    for words in range(1, 5):
        yield text(dependency_tree(generator, words))
    while True:
        yield text(dependency_tree(generator, generator.between(1, 30)))


def expression(generator, depth):
    kind = generator.below(4) if depth else generator.below(2)
    if kind == 0:
        return ("Number", generator.between(-8, 8) / 4)
    if kind == 1:
        return ("Variable", generator.word())
    if kind == 2:
        left = expression(generator, depth - 1)
        return ("Binary", generator.below(8), left, expression(generator, depth - 1))
    body = statements(generator, depth - 1, 2)
    return ("Block", body, expression(generator, depth - 1))


def statement(generator, depth):
    kind = generator.below(8)
    if kind == 0:
        return ("Skip",)
    if kind < 6 or depth == 0:
        return ("Assign", generator.word(), expression(generator, depth))
    condition = expression(generator, depth - 1)
    yes = statements(generator, depth - 1, 3)
    return ("If", condition, yes, statements(generator, depth - 1, 3))


def statements(generator, depth, most):
    return [statement(generator, depth) for _ in range(generator.between(0, most))]


def programs(generator):
    for length in range(3):
        yield text([statement(generator, 0) for _ in range(length)])
    while True:
        yield text(statements(generator, 3, 6))


def lattice(generator, length):
    """Returns characters, each with the words of a lexicon that end there."""
    result = []
    for end in range(1, length + 1):
        words = [
            ("Word", generator.word(), size)
            for size in range(2, min(end, 5) + 1)
            if generator.below(3) == 0
        ]
        result.append(("Character", generator.word(), words))
    return result


def lattices(generator):
    for length in range(3):
        yield text(lattice(generator, length))
    while True:
        yield text(lattice(generator, generator.between(0, 24)))


def seeds_and_sentences(generator):
    for sentence in sentences(generator, high=12):
        yield f"{generator.below(2**31)} {sentence}"


def token_vectors(generator, tokens, size):
    while True:
        yield text(
            [
                [generator.between(-128, 127) / 64 for _ in range(size)]
                for _ in range(tokens)
            ]
        )


MODELS = {
    "act_rnn": sentences,
    "bi_rnn": sentences,
    "child_sum_tree_lstm": dependency_trees,
    "drnn": seeds_and_sentences,
    "lattice_lstm": lattices,
    "moe_tree": trees,
    "mutual": programs,
    "mv_rnn": trees,
    "nested_rnn": sentences,
    "stack_rnn": sentences,
}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("model", choices=sorted([*MODELS, "berxit"]))
    parser.add_argument("--count", type=int, default=COUNT)
    parser.add_argument("--tokens", type=int, default=128, help="for berxit")
    parser.add_argument("--size", type=int, default=768, help="for berxit")
    args = parser.parse_args()
    generator = Generator(args.model)
    if args.model == "berxit":
        lines = token_vectors(generator, args.tokens, args.size)
    else:
        lines = MODELS[args.model](generator)
    for _ in range(args.count):
        sys.stdout.write(next(lines) + "\n")


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
#===----------------------------------------------------------------------===//
#
# Part of the dynbatch project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===----------------------------------------------------------------------===//
"""Makes a treebank of binary trees from plain English sentences.

The sentences (one a line) are parsed by link-parser, from Debian's packages
link-grammar and link-grammar-dictionaries-en. A constituent with more than two
children becomes a right-branching chain, one with a single child is replaced
by that child. Each word becomes the number of its line in the vocabulary file,
counted from 0; words are lower-cased, punctuation marks count as words.

Each line of the result is one tree, such as
    (Node (Leaf 45) (Node (Leaf 658) (Leaf 21)))
"""

import argparse
import os
import pathlib
import re
import subprocess
import sys

DATA = pathlib.Path(__file__).resolve().parents[2] / "test" / "Data"

# What link-parser appends to a word: in braces or brackets how an unknown word
# was guessed, then the dictionary subscript, as in "sing.v" or "clock{?}.n-u".
MARKS = re.compile(r"(?:\{[^{}]*\}|\[[^\[\]]*\])$")
SUBSCRIPT = re.compile(r"(?<=.)\.[a-z][a-z0-9-]*$")


def run_link_parser(sentences):
    """Returns one line of constituents a sentence."""
    # The first of the best linkages is taken; without null links every word
    # has a place in it.
    command = ["link-parser", "en", "-constituents=3", "-graphics=0", "-null=0"]
    output = subprocess.run(
        command,
        input="\n".join(sentences) + "\n",
        capture_output=True,
        text=True,
        check=True,
        env={**os.environ, "LC_ALL": "C.UTF-8"},
    ).stdout
    return [line for line in output.splitlines() if line.startswith("(")]


def parse_constituents(text):
    """Parses "(S (NP ...) ...)" into nested lists of words."""
    stack = [[]]
    label_expected = False
    for token in re.findall(r"[()]|[^\s()]+", text):
        if token == "(":
            stack.append([])
            label_expected = True
        elif token == ")":
            constituent = stack.pop()
            stack[-1].append(constituent)
        elif label_expected:
            label_expected = False
        else:
            word = MARKS.sub("", SUBSCRIPT.sub("", token))
            stack[-1].append(word.lower())
    (root,) = stack[0]
    return root


def binarise(constituent):
    """Returns a word, or a pair of binarised constituents."""
    if isinstance(constituent, str):
        return constituent
    children = [binarise(child) for child in constituent]
    tree = children.pop()
    while children:
        tree = (children.pop(), tree)
    return tree


def words_of(tree):
    if isinstance(tree, str):
        return [tree]
    return words_of(tree[0]) + words_of(tree[1])


def print_tree(tree, ids):
    if isinstance(tree, str):
        return f"(Leaf {ids[tree]})"
    return f"(Node {print_tree(tree[0], ids)} {print_tree(tree[1], ids)})"


def make_trees(sentences):
    parses = run_link_parser(sentences)
    trees = []
    for sentence in sentences:
        # A sentence without a parse has no line in the output.
        tree = binarise(parse_constituents(parses.pop(0))) if parses else None
        letters = "".join(sentence.split()).lower()
        if tree is None or "".join(words_of(tree)) != letters:
            sys.exit(f"error: link-parser finds no complete parse: {sentence}")
        trees.append(tree)
    return trees


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    for name, default, text in [
        ("sentences", "sentences.txt", "the sentences, one a line"),
        ("vocabulary", "vocabulary.txt", "the vocabulary, written"),
        ("output", "treebank.trees", "the trees, written"),
    ]:
        parser.add_argument(
            f"--{name}",
            type=pathlib.Path,
            default=DATA / default,
            metavar="FILE",
            help=f"{text} (default: test/Data/{default})",
        )
    args = parser.parse_args()

    lines = args.sentences.read_text(encoding="utf-8").splitlines()
    sentences = [line for line in lines if line.strip()]
    trees = make_trees(sentences)

    # Ids follow the first use, so appended sentences leave the others' trees
    # as they are.
    ids = {}
    for tree in trees:
        for word in words_of(tree):
            ids.setdefault(word, len(ids))
    args.vocabulary.write_text("".join(f"{word}\n" for word in ids), encoding="utf-8")
    args.output.write_text(
        "".join(f"{print_tree(tree, ids)}\n" for tree in trees), encoding="utf-8"
    )


if __name__ == "__main__":
    main()

#===----------------------------------------------------------------------===//
#
# Part of the dynbatch project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===----------------------------------------------------------------------===//
"""The lattice LSTM over characters in NumPy (Zhang and Yang 2018).

Equations 12 to 16. With no word that ends at a character, its cell is that of
an LSTM with coupled input and forget gates.
"""

import numpy as np

import zoo


def lattice_lstm(params, decisions, sentence):
    del decisions
    size = params["characters"].shape[1]
    # State j is that after the first j characters.
    states = [(np.zeros(size), np.zeros(size))]

    def gates(kind, x, h):
        return np.split(params[f"{kind}_W"] @ np.hstack([x, h]) + params[f"{kind}_b"], 3)

    def word_cell(word, h, c):
        i, f, u = gates("word", params["words"][word], h)
        return zoo.sigmoid(f) * c + zoo.sigmoid(i) * np.tanh(u)

    for end, (_, character, words) in enumerate(sentence, 1):
        x = params["characters"][character]
        h, c = states[-1]
        i, o, u = gates("character", x, h)
        i, o, u = zoo.sigmoid(i), zoo.sigmoid(o), np.tanh(u)
        if words:
            # The word's first character is number end - length, from 0.
            cells = [
                word_cell(word, *states[end - length + 1]) for _, word, length in words
            ]
            inputs = [
                zoo.sigmoid(params["edge_W"] @ np.hstack([x, cell]) + params["edge_b"])
                for cell in cells
            ]
            alpha = zoo.softmax(np.array(inputs + [i]).T).T
            c = (alpha * np.array(cells + [u])).sum(axis=0)
        else:
            c = (1 - i) * c + i * u
        states.append((o * np.tanh(c), c))
    return [[params["out_W"] @ h + params["out_b"] for h, _ in states[1:]]]


if __name__ == "__main__":
    zoo.run(lattice_lstm, __doc__)

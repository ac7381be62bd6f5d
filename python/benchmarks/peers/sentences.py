#===----------------------------------------------------------------------===//
#
# Part of the dynbatch project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===----------------------------------------------------------------------===//
"""Sentences of different lengths side by side, for the hand-batched models."""

import numpy as np


class Sentences:
    """Sorts sentences by their lengths, the longest first.

    Words are numbered by position, then by sentence: those at a position are
    active[position] many, and begin at starts[position].
    """

    def __init__(self, sentences):
        self.order = sorted(range(len(sentences)), key=lambda k: -len(sentences[k]))
        self.sorted = [sentences[k] for k in self.order]
        self.lengths = np.array([len(sentence) for sentence in self.sorted])
        positions = np.arange(self.lengths[0])
        active = (self.lengths[None, :] > positions[:, None]).sum(axis=1)
        self.active = active.tolist()
        self.starts = np.concatenate([[0], np.cumsum(active)])
        # Of each word.
        self.position = np.repeat(positions, active)
        self.sentence = np.arange(self.starts[-1]) - self.starts[self.position]

    def gather(self, words):
        """Orders what is given word by word, sentence after sentence."""
        offsets = np.cumsum(self.lengths) - self.lengths
        words = np.array(words, dtype=np.int64)
        return words[offsets[self.sentence] + self.position]

    def mirror(self):
        """Returns for each word the one at its distance from the other end."""
        other = self.lengths[self.sentence] - 1 - self.position
        return self.starts[other] + self.sentence

    def unsort(self, function):
        """Returns what a function of the words' numbers gives for each sentence."""
        results = [None] * len(self.order)
        for place, (number, length) in enumerate(zip(self.order, self.lengths)):
            results[number] = function(self.starts[:length] + place)
        return results

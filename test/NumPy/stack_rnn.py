#===----------------------------------------------------------------------===//
#
# Part of the dynbatch project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===----------------------------------------------------------------------===//
"""A shift-reduce parser with stack LSTMs in NumPy (Dyer et al. 2015)."""

import numpy as np

import zoo

SHIFT, HEAD_RIGHT, HEAD_LEFT = range(3)


def stack_rnn(params, decisions, words):
    stack_cell = zoo.LSTM(*(params[f"stack_{name}"] for name in "WUb"))
    buffer_cell = zoo.LSTM(*(params[f"buffer_{name}"] for name in "WUb"))
    # Both hold the states of their LSTM; the next word is the buffer's last.
    buffer = [(buffer_cell.start(), None)]
    for word in reversed(words):
        x = params["embedding"][word]
        buffer.append((buffer_cell.step(x, buffer[-1][0]), word))
    # Of the stack's elements also the tree's vector and the tree.
    stack = [(stack_cell.start(), None, ("None",))]

    def push(vector, tree):
        stack.append((stack_cell.step(vector, stack[-1][0]), vector, tree))

    def choose():
        can_shift, can_reduce = len(buffer) > 1, len(stack) > 2
        if not can_reduce:
            return SHIFT
        both = np.hstack([stack[-1][0][0], buffer[-1][0][0]])
        p = np.tanh(params["state_W"] @ both + params["state_b"])
        scores = params["action_W"] @ p + params["action_b"]
        if can_shift:
            return decisions.argmax(scores)
        return 1 + decisions.argmax(scores[1:])

    while len(buffer) > 1 or len(stack) > 2:
        action = choose()
        if action == SHIFT:
            _, word = buffer.pop()
            push(params["embedding"][word], ("Leaf", word))
            continue
        _, v_right, right = stack.pop()
        _, v_left, left = stack.pop()
        if action == HEAD_RIGHT:
            head, dependent = v_right, v_left
        else:
            head, dependent = v_left, v_right
        vector = np.tanh(
            params["compose_W"] @ np.hstack([head, dependent])
            + params["relations"][action]
        )
        push(vector, ("Node", action, left, right))

    (h, _), _, tree = stack[-1]
    return [params["out_W"] @ h + params["out_b"], tree]


if __name__ == "__main__":
    zoo.run(stack_rnn, __doc__)

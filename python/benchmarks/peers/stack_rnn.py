#===----------------------------------------------------------------------===//
#
# Part of the dynbatch project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===----------------------------------------------------------------------===//
"""The shift-reduce parser with stack LSTMs."""

import numpy as np

SHIFT, HEAD_RIGHT, HEAD_LEFT = range(3)


class Instance:
    def __init__(self, ops):
        self.ops = ops
        self.embed = ops.lookup("embedding")
        self.stack_gates = ops.gates(4, "stack_b", "stack_W", "stack_U")
        self.buffer_gates = ops.gates(4, "buffer_b", "buffer_W", "buffer_U")
        self.state = ops.linear("state_b", "state_W")
        self.action = ops.linear("action_b", "action_W")
        self.compose = ops.linear(None, "compose_W")
        self.relation = ops.lookup("relations")
        self.out = ops.linear("out_b", "out_W")
        self.size = ops.arrays["state_b"].shape[0]

    def step(self, gates, x, state):
        ops = self.ops
        h, c = state
        i, f, o, u = gates(x, h)
        c = ops.add(ops.mul(ops.sigmoid(f), c), ops.mul(ops.sigmoid(i), ops.tanh(u)))
        return ops.mul(ops.sigmoid(o), ops.tanh(c)), c

    def run(self, words):
        ops = self.ops
        start = ops.zeros(self.size), ops.zeros(self.size)
        # Both hold the states of their LSTM; the next word is the buffer's last.
        buffer = [(start, None)]
        for word in reversed(words):
            x = self.embed(word)
            buffer.append((self.step(self.buffer_gates, x, buffer[-1][0]), word))
        stack = [(start, None, ("None",))]

        while len(buffer) > 1 or len(stack) > 2:
            action = SHIFT
            if len(stack) > 2:
                both = ops.concat(stack[-1][0][0], buffer[-1][0][0])
                scores = yield self.action(ops.tanh(self.state(both)))
                first = SHIFT if len(buffer) > 1 else HEAD_RIGHT
                action = first + int(scores[first:].argmax())
            if action == SHIFT:
                _, word = buffer.pop()
                vector, tree = self.embed(word), ("Leaf", word)
            else:
                _, v_right, right = stack.pop()
                _, v_left, left = stack.pop()
                head_first = (
                    (v_right, v_left) if action == HEAD_RIGHT else (v_left, v_right)
                )
                composed = self.compose(ops.concat(*head_first))
                vector = ops.tanh(ops.add(composed, self.relation(action)))
                tree = ("Node", action, left, right)
            state = self.step(self.stack_gates, vector, stack[-1][0])
            stack.append((state, vector, tree))

        (h, _), _, tree = stack[-1]
        return [self.out(h)], tree

    @staticmethod
    def results(rows, tree):
        return [rows[0], tree]


class Parse:
    """The stack and the buffer of a sentence, as rows of the arrays of all."""

    def __init__(self, first, words):
        self.first = first
        # The buffer's rows are those of its words; row 0 is the start.
        self.words, self.next = words, 0
        self.stack = [(0, None, ("None",))]

    @property
    def left(self):
        return len(self.words) - self.next

    @property
    def buffer_row(self):
        return self.first + self.next if self.left else 0

    @property
    def ended(self):
        return not self.left and len(self.stack) <= 2


class Batched:
    """All sentences make an action together."""

    def __init__(self, ops):
        self.ops = ops
        self.embedding = ops.parameter("embedding")
        self.size = self.embedding.shape[1]
        self.stack_gates = ops.linear("stack_b", "stack_W", "stack_U")
        self.project = ops.linear("buffer_b", "buffer_W")
        self.recur = ops.linear(None, "buffer_U")
        self.state = ops.linear("state_b", "state_W")
        self.action = ops.linear("action_b", "action_W")
        self.compose = ops.linear(None, "compose_W")
        self.relations = ops.parameter("relations")
        self.out = ops.linear("out_b", "out_W")

    def prepare(self, inputs):
        parses, first = [], 1
        for (words,) in inputs:
            parses.append(Parse(first, words))
            first += len(words)
        return parses, first

    def lstm(self, z, c):
        """Returns h and c from the gates and the old c."""
        ops, size = self.ops, self.size
        gates = ops.sigmoid_(z[:, : 3 * size])
        new = gates[:, :size] * ops.tanh_(z[:, 3 * size :])
        new += gates[:, size : 2 * size] * c
        return gates[:, 2 * size :] * ops.tanh(new), new

    def fill_buffers(self, parses, count):
        """Returns the embedded words, from row 1 on, and the states over them."""
        ops, size = self.ops, self.size
        words = [0] + [word for parse in parses for word in parse.words]
        x = ops.take(self.embedding, ops.index(words))
        z = self.project(x)
        h, c = ops.zeros(count, size), ops.zeros(count, size)
        ends = np.array([parse.first + len(parse.words) for parse in parses])
        lengths = np.array([len(parse.words) for parse in parses])
        for step in range(1, lengths.max(initial=0) + 1):
            rows = (ends - step)[lengths >= step]
            before = ops.index(rows + 1 if step > 1 else 0 * rows)
            rows = ops.index(rows)
            gates = ops.take(z, rows)
            if step > 1:
                gates += self.recur(ops.take(h, before))
            h[rows], c[rows] = self.lstm(gates, ops.take(c, before))
        return x, h

    def choose(self, parses, h, buffer_h):
        """Returns the actions of all parses."""
        ops = self.ops
        asking = [parse for parse in parses if len(parse.stack) > 2]
        if not asking:
            return [SHIFT] * len(parses)
        both = [
            ops.take(h, ops.index([parse.stack[-1][0] for parse in asking])),
            ops.take(buffer_h, ops.index([parse.buffer_row for parse in asking])),
        ]
        p = ops.tanh_(self.state(ops.concat(both)))
        scores = ops.host(self.action(p))
        best, reduction = scores.argmax(axis=1), 1 + scores[:, 1:].argmax(axis=1)
        answers = iter(zip(best.tolist(), reduction.tolist()))
        actions = []
        for parse in parses:
            action = SHIFT
            if len(parse.stack) > 2:
                action, other = next(answers)
                if not parse.left:
                    action = other
            actions.append(action)
        return actions

    def compute(self, plan):
        ops, size = self.ops, self.size
        parses, count = plan
        x, buffer_h = self.fill_buffers(parses, count)
        # There are as many shifts as words, and fewer compositions.
        h, c, vectors = (ops.zeros(2 * count, size) for _ in range(3))
        used = 1
        active = [parse for parse in parses if not parse.ended]
        while active:
            actions = self.choose(active, h, buffer_h)
            rows = range(used, used + len(active))
            shifted, words, reduced, operands, kinds, olds = [], [], [], [], [], []
            for row, parse, action in zip(rows, active, actions):
                if action == SHIFT:
                    shifted.append(row)
                    words.append(parse.first + parse.next)
                    tree = ("Leaf", parse.words[parse.next])
                    parse.next += 1
                else:
                    _, right, right_tree = parse.stack.pop()
                    _, left, left_tree = parse.stack.pop()
                    operands += (right, left) if action == HEAD_RIGHT else (left, right)
                    reduced.append(row)
                    kinds.append(action)
                    tree = ("Node", action, left_tree, right_tree)
                olds.append(parse.stack[-1][0])
                parse.stack.append((row, row, tree))
            if shifted:
                vectors[ops.index(shifted)] = ops.take(x, ops.index(words))
            if reduced:
                both = ops.take(vectors, ops.index(operands)).reshape(-1, 2 * size)
                z = self.compose(both)
                z += ops.take(self.relations, ops.index(kinds))
                vectors[ops.index(reduced)] = ops.tanh_(z)
            end, old = used + len(active), ops.index(olds)
            z = self.stack_gates(ops.concat([vectors[used:end], ops.take(h, old)]))
            h[used:end], c[used:end] = self.lstm(z, ops.take(c, old))
            used = end
            active = [parse for parse in active if not parse.ended]
        tops = [parse.stack[-1] for parse in parses]
        scores = self.out(ops.take(h, ops.index([row for row, _, _ in tops])))
        return [ops.host(scores), [tree for _, _, tree in tops]]

    @staticmethod
    def results(_, scores, trees):
        return [list(both) for both in zip(scores, trees)]

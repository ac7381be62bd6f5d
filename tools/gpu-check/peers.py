#!/usr/bin/env python3
#===----------------------------------------------------------------------===//
#
# Part of the dynbatch project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===----------------------------------------------------------------------===//
"""Times models in PyTorch, on what dynbatch-gpu-check has timed.

Each model is written twice: eager, node by node as the program says, and batched by
hand, all instances level by level. Parameters, instances and the times of dynbatch
are in the folder that dynbatch-gpu-check --save fills. With --backend=numpy the
same code runs in NumPy, and --print shows its results: that is how it is tested.
"""

import argparse
import math
import pathlib
import statistics
import sys
import time

import numpy as np

from instances import read_values
from params import read_params

BATCHES = (8, 64)


class NumPy:
    """What the models need of an array library."""

    def __init__(self):
        self.array = lambda x: np.asarray(x, np.float32)
        self.index = np.array
        self.host = np.asarray
        self.tanh = np.tanh
        self.exp = np.exp
        self.sqrt = np.sqrt
        self.permute = np.transpose
        self.erf = np.vectorize(math.erf, otypes=[np.float32])

    def cat(self, parts, axis=0):
        return np.concatenate(parts, axis)

    def empty(self, *shape):
        return np.empty(shape, np.float32)

    def zeros(self, *shape):
        return np.zeros(shape, np.float32)

    def sigmoid(self, x):
        return 0.5 * (1 + np.tanh(0.5 * x))

    def softmax(self, x):
        e = np.exp(x - x.max(axis=-1, keepdims=True))
        return e / e.sum(axis=-1, keepdims=True)

    def wait(self):
        pass


class PyTorch:
    """The same, exact as dynbatch is: without TF32."""

    def __init__(self, device):
        import torch

        self.torch = torch
        self.device = torch.device(device)
        torch.set_grad_enabled(False)
        torch.backends.cuda.matmul.allow_tf32 = False
        self.array = lambda x: torch.tensor(x, dtype=torch.float32, device=self.device)
        self.index = lambda x: torch.tensor(x, device=self.device)
        self.host = lambda x: x.cpu().numpy()
        self.tanh, self.exp, self.sqrt = torch.tanh, torch.exp, torch.sqrt
        self.permute, self.erf, self.sigmoid = torch.permute, torch.erf, torch.sigmoid
        self.wait = torch.cuda.synchronize if device == "cuda" else lambda: None

    def cat(self, parts, axis=0):
        return self.torch.cat(parts, axis)

    def empty(self, *shape):
        return self.torch.empty(shape, device=self.device)

    def zeros(self, *shape):
        return self.torch.zeros(shape, device=self.device)

    def softmax(self, x):
        return self.torch.softmax(x, -1)


class Model:
    def __init__(self, ops, params):
        self.ops = ops
        self.params = {name: ops.array(array) for name, array in params.items()}

    def linear(self, name, x):
        """Weights as in x W^T + b."""
        return x @ self.params[f"{name}_W"].T + self.params[f"{name}_b"]

    @staticmethod
    def split(z, parts):
        size = z.shape[-1] // parts
        return [z[..., i * size : (i + 1) * size] for i in range(parts)]


# ===----------------------------------------------------------------------=== #
# Trees
# ===----------------------------------------------------------------------=== #


class TreeModel(Model):
    """`leaf` and `node` compute any number of nodes at once."""

    def eager(self, instances):
        def encode(tree):
            if tree[0] == "Leaf":
                return self.leaf([tree[1]])
            return self.node(encode(tree[1]), encode(tree[2]))

        for (tree,) in instances:
            yield [self.ops.host(self.linear("out", encode(tree)[0]))[0]]

    def batched(self, instances):
        # Nodes by height; a node is (height, number among those).
        levels = [[]]

        def add(tree):
            if tree[0] == "Leaf":
                levels[0].append(tree[1])
                return 0, len(levels[0]) - 1
            left, right = add(tree[1]), add(tree[2])
            height = 1 + max(left[0], right[0])
            while len(levels) <= height:
                levels.append([])
            levels[height].append((left, right))
            return height, len(levels[height]) - 1

        roots = [add(tree) for (tree,) in instances]
        first, total = [], 0
        for level in levels:
            first.append(total)
            total += len(level)

        def rows(nodes):
            return self.ops.index([first[height] + number for height, number in nodes])

        states = None
        for begin, level in zip(first, levels):
            if begin == 0:
                made = self.leaf(level)
                states = [self.ops.empty(total, *part.shape[1:]) for part in made]
            else:
                left, right = (rows([pair[i] for pair in level]) for i in (0, 1))
                made = self.node([s[left] for s in states], [s[right] for s in states])
            for state, part in zip(states, made):
                state[begin : begin + len(level)] = part
        scores = self.ops.host(self.linear("out", states[0][rows(roots)]))
        return [[row] for row in scores]


class TreeLSTM(TreeModel):
    def leaf(self, words):
        x = self.params["embedding"][self.ops.index(words)]
        i, o, u = self.split(self.linear("leaf", x), 3)
        c = self.ops.sigmoid(i) * self.ops.tanh(u)
        return self.ops.sigmoid(o) * self.ops.tanh(c), c

    def node(self, left, right):
        (hl, cl), (hr, cr) = left, right
        p, sigmoid, tanh = self.params, self.ops.sigmoid, self.ops.tanh
        z = hl @ p["node_W_left"].T + hr @ p["node_W_right"].T + p["node_b"]
        i, fl, fr, o, u = self.split(z, 5)
        c = sigmoid(i) * tanh(u) + sigmoid(fl) * cl + sigmoid(fr) * cr
        return sigmoid(o) * tanh(c), c


class MVRNN(TreeModel):
    def leaf(self, words):
        at = self.ops.index(words)
        return self.params["vectors"][at], self.params["matrices"][at]

    def node(self, left, right):
        (a, A), (b, B) = left, right
        both = self.ops.cat([(B @ a[..., None])[..., 0], (A @ b[..., None])[..., 0]], 1)
        P = self.params["W_M"] @ self.ops.cat([A, B], 1)
        return self.ops.tanh(both @ self.params["W"].T + self.params["b"]), P


# ===----------------------------------------------------------------------=== #
# Sequences
# ===----------------------------------------------------------------------=== #


class BiRNN(Model):
    def step(self, direction, projected, h, c):
        z = projected + h @ self.params[f"{direction}_U"].T
        i, f, o, u = self.split(z, 4)
        c = self.ops.sigmoid(f) * c + self.ops.sigmoid(i) * self.ops.tanh(u)
        return self.ops.sigmoid(o) * self.ops.tanh(c), c

    def states(self, direction, sentence):
        size = self.params[f"{direction}_U"].shape[1]
        h, c = self.ops.zeros(1, size), self.ops.zeros(1, size)
        result = []
        for word in sentence:
            x = self.params["embedding"][self.ops.index([word])]
            h, c = self.step(direction, self.linear(direction, x), h, c)
            result.append(h)
        return result

    def eager(self, instances):
        for (words,) in instances:
            past = self.states("forward", words)
            future = self.states("backward", words[::-1])[::-1]
            pairs = [self.ops.cat([p, f], 1) for p, f in zip(past, future)]
            scores = [self.ops.host(self.linear("out", pair))[0] for pair in pairs]
            yield [scores, [int(np.argmax(score)) for score in scores]]

    def batched(self, instances):
        # The longest first: those that still go on are a prefix.
        sentences = [words for (words,) in instances]
        order = sorted(range(len(sentences)), key=lambda n: -len(sentences[n]))
        lengths = [len(sentences[n]) for n in order]
        longest = lengths[0] if lengths else 0
        active = [sum(length > t for length in lengths) for t in range(longest)]
        begins = [sum(active[:t]) for t in range(longest)]
        hidden = {}
        for direction in ("forward", "backward"):
            turned = 1 if direction == "forward" else -1
            words = [
                sentences[n][::turned][t] for t in range(longest) for n in order[: active[t]]
            ]
            if not words:
                continue
            x = self.linear(direction, self.params["embedding"][self.ops.index(words)])
            size = self.params[f"{direction}_U"].shape[1]
            h, c = self.ops.zeros(len(order), size), self.ops.zeros(len(order), size)
            states = self.ops.empty(len(words), size)
            for begin, count in zip(begins, active):
                h, c = self.step(
                    direction, x[begin : begin + count], h[:count], c[:count]
                )
                states[begin : begin + count] = h
            hidden[direction] = states
        if not hidden:
            return [[[], []] for _ in instances]
        back = [
            begins[lengths[k] - 1 - t] + k
            for t in range(longest)
            for k in range(active[t])
        ]
        pairs = self.ops.cat(
            [hidden["forward"], hidden["backward"][self.ops.index(back)]], 1
        )
        scores = self.ops.host(self.linear("out", pairs))
        results = [None] * len(instances)
        for k, n in enumerate(order):
            own = [scores[begins[t] + k] for t in range(lengths[k])]
            results[n] = [own, [int(np.argmax(score)) for score in own]]
        return results


# ===----------------------------------------------------------------------=== #
# Generated trees
# ===----------------------------------------------------------------------=== #

LEVELS, CHILDREN = 6, 4
MASK = 2**64 - 1


def draw(seed, n):
    """Returns number n of the random numbers of a seed (SplitMix64)."""
    z = (seed * 0xBF58476D1CE4E5B9 + n * 0x9E3779B97F4A7C15) & MASK
    z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & MASK
    z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & MASK
    return ((z ^ (z >> 31)) >> 40) / 2**24


class Siblings:
    """A node to make, and where those to its right will be."""

    def __init__(self, seed, position=1, level=1, most=1):
        self.seed, self.position, self.level, self.most = seed, position, level, most
        self.nodes = []  # (label, scores, Siblings of the children or None)

    def forest(self):
        result = ("End",)
        for label, scores, children in reversed(self.nodes):
            below = children.forest() if children else ("End",)
            result = ("Node", label, scores, below, result)
        return result


class DRNN(Model):
    def rnn(self, kind, x, h):
        return self.ops.tanh(self.linear(kind, x) + h @ self.params[f"{kind}_U"].T)

    def encode(self, sentences):
        """The words' states, of all sentences at once."""
        order = sorted(range(len(sentences)), key=lambda n: -len(sentences[n]))
        h = self.ops.zeros(len(order), self.params["start"].shape[0])
        for t in range(len(sentences[order[0]])):
            words = [sentences[n][t] for n in order if len(sentences[n]) > t]
            x = self.params["embedding"][self.ops.index(words)]
            now = self.rnn("encoder", x, h[: len(words)])
            h = self.ops.cat([now, h[len(words) :]])
        place = sorted(range(len(order)), key=lambda k: order[k])
        return h[self.ops.index(place)]

    def grow(self, roots, encoding):
        """Makes nodes in waves: all that are ready, of all trees."""
        p, ops = self.params, self.ops
        start = p["start"][None]
        ready = roots
        x_parent = ops.cat([start] * len(roots))
        h_a = self.rnn("ancestral", x_parent, encoding)
        h_f, x = ops.zeros(*h_a.shape), x_parent
        while ready:
            h_f = self.rnn("fraternal", x, h_f)
            prediction = ops.tanh(
                h_f @ p["prediction_U_fraternal"].T + h_a @ p["prediction_U_ancestral"].T
            )
            topology = ops.host(ops.sigmoid(prediction @ p["topology_W"].T))
            children, sibling = [], []
            for (p_a, p_f), item in zip(topology, ready):
                at = item.position
                children.append(item.level < LEVELS and p_a > draw(item.seed, 2 * at))
                sibling.append(
                    len(item.nodes) + 1 < item.most and p_f > draw(item.seed, 2 * at + 1)
                )
            scores = (
                prediction @ p["label_W"].T
                + ops.array(children)[:, None] * p["label_v_ancestral"]
                + ops.array(sibling)[:, None] * p["label_v_fraternal"]
            )
            on_host = ops.host(scores)
            labels = [int(label) for label in np.argmax(on_host, 1)]
            x = p["labels"][ops.index(labels)]
            down = [k for k, has in enumerate(children) if has]
            right = [k for k, has in enumerate(sibling) if has]
            items = []
            for k, item in enumerate(ready):
                below = None
                if children[k]:
                    below = Siblings(item.seed, 2 * item.position, item.level + 1, CHILDREN)
                item.nodes.append((labels[k], on_host[k], below))
                items.append(below)
                item.position = 2 * item.position + 1
            parts = []
            if right:
                at = ops.index(right)
                parts.append((h_a[at], h_f[at], x[at]))
            if down:
                at = ops.index(down)
                h = self.rnn("ancestral", x[at], h_a[at])
                parts.append((h, ops.zeros(*h.shape), ops.cat([start] * len(down))))
            ready = [ready[k] for k in right] + [items[k] for k in down]
            if ready:
                h_a, h_f, x = (ops.cat([part[i] for part in parts]) for i in range(3))
        return [[root.forest()] for root in roots]

    def grow_each(self, item, h_parent, x_parent):
        """Makes one node after the other."""
        p, ops = self.params, self.ops
        h_a = self.rnn("ancestral", x_parent, h_parent)
        h_f, x = ops.zeros(*h_a.shape), p["start"][None]
        while True:
            h_f = self.rnn("fraternal", x, h_f)
            prediction = ops.tanh(
                h_f @ p["prediction_U_fraternal"].T + h_a @ p["prediction_U_ancestral"].T
            )
            p_a, p_f = ops.host(ops.sigmoid(prediction @ p["topology_W"].T))[0]
            at = item.position
            has_children = item.level < LEVELS and p_a > draw(item.seed, 2 * at)
            has_sibling = len(item.nodes) + 1 < item.most and p_f > draw(
                item.seed, 2 * at + 1
            )
            scores = prediction @ p["label_W"].T
            if has_children:
                scores = scores + p["label_v_ancestral"]
            if has_sibling:
                scores = scores + p["label_v_fraternal"]
            on_host = ops.host(scores)[0]
            label = int(np.argmax(on_host))
            x = p["labels"][label][None]
            below = None
            if has_children:
                below = Siblings(item.seed, 2 * at, item.level + 1, CHILDREN)
                self.grow_each(below, h_a, x)
            item.nodes.append((label, on_host, below))
            if not has_sibling:
                return
            item.position = 2 * at + 1

    def eager(self, instances):
        for seed, words in instances:
            root = Siblings(seed)
            self.grow_each(root, self.encode([words]), self.params["start"][None])
            yield [root.forest()]

    def batched(self, instances):
        if not instances:
            return []
        roots = [Siblings(seed) for seed, _ in instances]
        return self.grow(roots, self.encode([words for _, words in instances]))


# ===----------------------------------------------------------------------=== #
# Transformers
# ===----------------------------------------------------------------------=== #


class Berxit(Model):
    """Everything has the instance as its first dimension."""

    CONFIDENCE, EPSILON = 0.7, 1e-5
    heads, layers = 12, 6

    def apply(self, name, x):
        return x @ self.params[f"{name}_W"] + self.params[f"{name}_b"]

    def normalize(self, name, x):
        x = x - x.mean(-1)[..., None]
        x = x / self.ops.sqrt((x * x).mean(-1)[..., None] + self.EPSILON)
        return x * (1 + self.params[f"{name}_scale"]) + self.params[f"{name}_shift"]

    def attention(self, x):
        count, tokens, size = x.shape
        each = size // self.heads

        def split(name):
            y = self.apply(name, x).reshape(count, tokens, self.heads, each)
            return self.ops.permute(y, (0, 2, 1, 3))

        q, k, v = (split(name) for name in ("query", "key", "value"))
        weights = q @ self.ops.permute(k, (0, 1, 3, 2)) / math.sqrt(each)
        mixed = self.ops.permute(self.ops.softmax(weights) @ v, (0, 2, 1, 3))
        return self.apply("mix", mixed.reshape(count, tokens, size))

    def layer(self, x):
        x = self.normalize("attention", x + self.attention(x))
        wide = self.apply("wide", x)
        gelu = wide * 0.5 * (1 + self.ops.erf(wide / math.sqrt(2)))
        return self.normalize("output", x + self.apply("narrow", gelu))

    def batched(self, instances):
        tokens = self.ops.array(np.array([x for (x,) in instances], np.float32))
        x = self.normalize("input", tokens + self.params["positions"])
        left = list(range(len(instances)))
        results = [None] * len(instances)
        for number in range(1, self.layers + 1):
            x = self.layer(x)
            done = [True] * len(left)
            if number < self.layers:
                sure = self.ops.host(self.ops.sigmoid(self.linear("exit", x[:, 0])))
                done = [bool(value > self.CONFIDENCE) for value in sure[:, 0]]
            if any(done):
                at = [k for k, is_done in enumerate(done) if is_done]
                scores = self.ops.host(self.linear("class", x[self.ops.index(at), 0]))
                for k, row in zip(at, scores):
                    results[left[k]] = [row, number]
                at = [k for k, is_done in enumerate(done) if not is_done]
                left = [left[k] for k in at]
                if not left:
                    break
                x = x[self.ops.index(at)]
        return results

    def eager(self, instances):
        for instance in instances:
            yield from self.batched([instance])


class LargeBerxit(Berxit):
    heads, layers = 16, 18


MODELS = {
    "tree_lstm": TreeLSTM,
    "bi_rnn": BiRNN,
    "mv_rnn": MVRNN,
    "drnn": DRNN,
    "berxit_small": Berxit,
    "berxit_large": LargeBerxit,
}


# ===----------------------------------------------------------------------=== #
# The program
# ===----------------------------------------------------------------------=== #


def format_value(value):
    """Returns a result in the instance syntax."""
    if isinstance(value, tuple):
        name, *fields = value
        return f"({name} {' '.join(map(format_value, fields))})" if fields else name
    if isinstance(value, list) or np.ndim(value) > 0:
        return f"[{' '.join(map(format_value, value))}]"
    return str(value) if isinstance(value, int) else repr(float(value))


def measure(ops, function, instances, seconds):
    """Returns the median of the milliseconds of some runs, after a first one."""
    end, times = time.monotonic() + seconds, []
    for run in range(20):
        ops.wait()
        begin = time.perf_counter()
        list(function(instances))
        ops.wait()
        if run > 0:
            times.append(1e3 * (time.perf_counter() - begin))
        if run > 0 and time.monotonic() > end:
            break
    return statistics.median(times)


def read_times(path):
    """Returns the milliseconds of dynbatch, by model and batch size."""
    times = {}
    if path.exists():
        for line in path.read_text(encoding="utf-8").splitlines():
            name, batch, label, milliseconds = line.split("\t")
            if label == "dynbatch":
                times[name, int(batch)] = float(milliseconds)
    return times


def run(arguments, ops):
    own = read_times(arguments.data / "times.tsv")
    names = [name for name in MODELS if (arguments.data / f"{name}.txt").exists()]
    share = arguments.seconds / max(1, len(names) * len(BATCHES) * 2)
    print(f"\n{'PyTorch':16} {'batch':>6}  {'variant':12} {'ms':>10} {'ratio':>8}")
    for name in names:
        model = MODELS[name](ops, read_params(arguments.data / f"{name}.safetensors"))
        instances = read_values(arguments.data / f"{name}.txt")
        for batch in BATCHES:
            for variant in ("eager", "batched"):
                function = getattr(model, variant)
                milliseconds = measure(ops, function, instances[:batch], share)
                base = own.get((name, batch))
                ratio = f"{milliseconds / base:8.2f}" if base else f"{'-':>8}"
                print(
                    f"{name:16} {batch:6}  {variant:12} {milliseconds:10.3f} {ratio}",
                    flush=True,
                )


def show(arguments, ops):
    """Prints the results of one model."""
    model = MODELS[arguments.print](ops, read_params(arguments.params))
    model.heads = arguments.heads or getattr(model, "heads", None)
    model.layers = arguments.layers or getattr(model, "layers", None)
    for results in getattr(model, arguments.variant)(read_values(arguments.instances)):
        print(*map(format_value, results))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", type=pathlib.Path, help="folder of inputs and times")
    parser.add_argument("--seconds", type=float, default=150, help="about so many")
    parser.add_argument("--backend", choices=["torch", "numpy"], default="torch")
    parser.add_argument("--device", default="cuda", help="PyTorch's name of it")
    parser.add_argument("--print", choices=MODELS, help="show results, time nothing")
    parser.add_argument("--variant", choices=["eager", "batched"], default="batched")
    parser.add_argument("--params", help="with --print: safetensors")
    parser.add_argument("--instances", help="with --print")
    parser.add_argument("--heads", type=int)
    parser.add_argument("--layers", type=int)
    arguments = parser.parse_args()
    sys.setrecursionlimit(10000)
    ops = PyTorch(arguments.device) if arguments.backend == "torch" else NumPy()
    if arguments.print:
        show(arguments, ops)
    elif arguments.data:
        run(arguments, ops)
    else:
        parser.error("one of --data and --print is needed")


if __name__ == "__main__":
    main()

"""What does not fit is refused with its place, and programs stay usable."""

import _thread
import dataclasses
import signal
import threading
import time

import numpy as np
import pytest
from conftest import TREES, VALUES

import dynbatch


@dataclasses.dataclass
class Leaf:
    word: object


@dataclasses.dataclass
class Node:
    left: object
    right: object


X = np.zeros((2, 3), np.float32)
GOOD = (X, 1, [1], "None")


@pytest.mark.parametrize(
    "tree, error, message",
    [
        (
            Node(Leaf(1), Node(Leaf("x"), Leaf(2))),
            TypeError,
            r"instances\[1\].right.left.word: expected int, got str",
        ),
        (
            ("Node", ("Leaf", 1), ("Leaf", 1.5)),
            TypeError,
            r"instances\[1\]\[2\]\[1\]: expected int, got float",
        ),
        (("Leaf", True), TypeError, r"instances\[1\]\[1\]: expected int, got bool"),
        (
            Leaf(2**31),
            ValueError,
            r"instances\[1\].word: 2147483648 is (not in the range|out of range)",
        ),
        (Leaf(2**100), ValueError, r"instances\[1\].word: .*out of range for i32"),
        (
            Node(3, Leaf(1)),
            TypeError,
            r"instances\[1\].left: expected a constructor of ADT 'Tree', got int",
        ),
        (
            ("Pair", 1),
            ValueError,
            r"instances\[1\]: unknown constructor 'Pair' of ADT 'Tree' "
            r"\(it has: Leaf, Node\)",
        ),
        (
            ("Node", ("Leaf", 1)),
            ValueError,
            r"instances\[1\]: constructor 'Node' has 2 fields, got 1",
        ),
        ("Leaf", ValueError, "constructor 'Leaf' has 1 fields, got 0"),
    ],
)
def test_wrong_tree(trees, table, tree, error, message):
    with pytest.raises(error, match=message):
        trees.run([("Leaf", 0), tree], {"E": table})
    np.testing.assert_array_equal(trees.run([Leaf(3)])[0], table[3])


def test_value_that_holds_itself(trees):
    tree = Node(Leaf(1), None)
    tree.right = tree
    with pytest.raises(ValueError, match=r"instances\[0\]: the value holds itself"):
        trees.instances([tree])


def test_not_a_list(trees):
    with pytest.raises(TypeError, match="expected a list of instances, got int"):
        trees.instances(3)


@pytest.mark.parametrize(
    "value, error, message",
    [
        (X.astype(np.float64), ValueError, r"float32, got dtype float64"),
        (X[:1], ValueError, r"shape \(2, 3\) .*, got shape \(1, 3\)"),
        (X.T.reshape(2, 3, order="F"), ValueError, "not contiguous"),
        ([[0.0] * 3] * 2, TypeError, "expected array of shape .*, got list"),
        (X.astype(np.complex64), ValueError, "got dtype complex64"),
    ],
)
def test_wrong_array(values, value, error, message):
    with pytest.raises(error, match=r"instances\[0\]\[0\]: .*" + message):
        values.run([(value, *GOOD[1:])])
    assert len(values.run([GOOD])) == 1


@pytest.mark.parametrize(
    "index, value, message",
    [
        (1, 128, r"instances\[0\]\[1\]"),
        (2, 3, r"instances\[0\]\[2\]: expected list, got int"),
        (2, [1, None], r"instances\[0\]\[2\]\[1\]: expected int, got NoneType"),
        (3, ("Pair", "x", True), r"instances\[0\]\[3\]\[1\]: expected float, got str"),
        (3, ("Pair", 1.0, 2.0), r"instances\[0\]\[3\]\[2\]: expected bool, got float"),
    ],
)
def test_wrong_value(values, index, value, message):
    wrong = list(GOOD)
    wrong[index] = value
    with pytest.raises((TypeError, ValueError), match=message):
        values.run([wrong])


def test_wrong_number_of_inputs(values):
    with pytest.raises(ValueError, match="has 4 inputs, got 2"):
        values.run([(X, 1)])
    with pytest.raises(TypeError, match="expected a tuple of the entry's 4 inputs"):
        values.run([3])


class OnDevice:
    """An array whose memory is elsewhere."""

    def __init__(self, array):
        self.array = array

    def __dlpack__(self, **arguments):
        raise BufferError("on a device")

    def __dlpack_device__(self):
        return (2, 0)


@pytest.mark.parametrize(
    "params, error, message",
    [
        ({}, ValueError, r"params\['E'\]: missing, expected array of shape \(10, 2\)"),
        ({"E": 3}, TypeError, r"params\['E'\]: expected array .*, got int"),
        (
            {"E": np.zeros((10, 3), np.float32)},
            ValueError,
            r"params\['E'\]: .*got shape \(10, 3\)",
        ),
        (
            {"E": np.zeros((10, 2))},
            ValueError,
            r"params\['E'\]: .*got dtype float64",
        ),
        (
            {"E": np.zeros((2, 10), np.float32).T},
            ValueError,
            r"params\['E'\]: .*not contiguous",
        ),
        (
            {"E": OnDevice(np.zeros((10, 2), np.float32))},
            (TypeError, ValueError),
            r"params\['E'\]: expected array",
        ),
        (3, TypeError, "params: expected a dict of arrays, .* got int"),
        ("random:x", dynbatch.Error, "random"),
    ],
)
def test_wrong_parameters(trees, table, params, error, message):
    trees.bind({"E": table})
    with pytest.raises(error, match=message):
        trees.bind(params)
    np.testing.assert_array_equal(trees.run([Leaf(3)])[0], table[3])


def test_no_parameters():
    program = dynbatch.compile(VALUES)
    with pytest.raises(ValueError, match="params: none are bound"):
        program.run([GOOD])
    with pytest.raises(ValueError, match="params: none are bound"):
        program.stats


def test_failed_run(trees, table):
    with pytest.raises(dynbatch.RunError, match="instance 1: .*index 11 is out of"):
        trees.run([Leaf(1), Leaf(11)], {"E": table})
    np.testing.assert_array_equal(trees.run([Leaf(3)])[0], table[3])


def test_batch_size(trees, table):
    with pytest.raises(ValueError, match="must not be negative, but is -1"):
        trees.run([Leaf(1)], {"E": table}, batch_size=-1)


def test_closed(table):
    with dynbatch.compile(TREES) as program:
        program.run([Leaf(1)], {"E": table})
    program.close()
    for use in [
        lambda: program.run([Leaf(1)]),
        lambda: program.bind({"E": table}),
        lambda: program.stats,
        lambda: program.trace,
    ]:
        with pytest.raises(dynbatch.ClosedError, match="the program is closed"):
            use()


def test_diagnostics():
    with pytest.raises(dynbatch.CompileError) as caught:
        dynbatch.compile("func.func @main() {\n  return %x : i32\n}")
    message = str(caught.value)
    assert message.startswith("<string>:2:10: error: use of undeclared SSA value")
    assert "return %x : i32" in message
    with pytest.raises(dynbatch.CompileError, match="no entry"):
        dynbatch.compile("func.func private @f() {\n  return\n}")
    with pytest.raises(dynbatch.CompileError, match="<string>:1:12: error: @ identifier"):
        dynbatch.lower("func.func @@() {\n  return\n}")


def test_compile_arguments(tmp_path):
    with pytest.raises(ValueError, match="target must be 'cpu', .*, not 'tpu'"):
        dynbatch.compile(TREES, target="tpu")
    with pytest.raises(dynbatch.CompileError, match="no such option nonsense"):
        dynbatch.compile(TREES, options="nonsense=1")
    with pytest.raises(dynbatch.CompileError, match="'sm_90' is for target 'cuda'"):
        dynbatch.compile(TREES, chip="sm_90")
    with pytest.raises(FileNotFoundError):
        dynbatch.compile(tmp_path / "nowhere.mlir")
    with pytest.raises(dynbatch.Error, match="nowhere.so"):
        dynbatch.load(tmp_path / "nowhere.so")




def many(trees, table):
    """Instances that keep a program busy for long, in one minibatch."""
    tree = Leaf(1)
    for _ in range(12):
        tree = Node(tree, tree)
    trees.bind({"E": table})
    return trees.instances([tree] * 400)


@pytest.fixture
def interruptible():
    """Shells start what runs in the background with SIGINT ignored."""
    previous = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, previous)


@pytest.mark.usefixtures("interruptible")
def test_interrupt(trees, table):
    instances = many(trees, table)
    timer = threading.Timer(0.1, _thread.interrupt_main)
    timer.start()
    begin = time.monotonic()
    with pytest.raises(KeyboardInterrupt):
        while time.monotonic() < begin + 60:
            trees.run(instances)
    timer.join()
    assert time.monotonic() - begin < 10
    np.testing.assert_array_equal(trees.run([Leaf(3)])[0], table[3])


def test_two_threads(trees, table):
    instances = many(trees, table)
    started = threading.Event()
    failures = []

    def run():
        started.set()
        try:
            trees.run(instances)
        except BaseException as error:
            failures.append(error)

    thread = threading.Thread(target=run)
    thread.start()
    started.wait()
    refused = False
    while thread.is_alive() and not refused:
        try:
            trees.run([Leaf(3)])
        except dynbatch.BusyError as error:
            assert "another thread uses the program" in str(error)
            refused = True
    thread.join()
    # One of the two was refused, and nothing else happened.
    assert refused or [type(failure) for failure in failures] == [dynbatch.BusyError]
    np.testing.assert_array_equal(trees.run([Leaf(3)])[0], table[3])


def test_programs_side_by_side(table):
    programs = [dynbatch.compile(TREES).bind({"E": table}) for _ in range(3)]
    tree = Node(Leaf(1), Leaf(2))
    results = [None] * len(programs)

    def run(index):
        results[index] = programs[index].run([tree] * 50, batch_size=7)

    threads = [threading.Thread(target=run, args=(i,)) for i in range(len(programs))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for result in results:
        np.testing.assert_array_equal(result, [table[1] + table[2]] * 50)

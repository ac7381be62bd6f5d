"""Compiling, instances, parameters and results."""

import dataclasses
import json
import pathlib
import shutil
import subprocess

import numpy as np
import pytest
from conftest import TREES

import dynbatch


@dataclasses.dataclass
class Leaf:
    word: int


@dataclasses.dataclass
class Node:
    left: "Leaf | Node"
    right: "Leaf | Node"


@pytest.mark.parametrize("target", ["cpu", "simt", "reference"])
@pytest.mark.parametrize("batch_size", [0, 1, 2, 64])
def test_trees(table, target, batch_size):
    program = dynbatch.compile(TREES, target=target)
    instances = [("Leaf", 3), Node(Leaf(1), ("Node", Leaf(2), Leaf(9))), Leaf(0)]
    results = program.run(instances, {"E": table}, batch_size=batch_size)
    expected = [table[3], table[1] + table[2] + table[9], table[0]]
    np.testing.assert_array_equal(results, expected)
    assert results[0].dtype == np.float32


def test_no_instances(trees, table):
    assert trees.run([], {"E": table}, batch_size=8) == []


def test_values(values):
    x = np.arange(6, dtype=np.float32).reshape(2, 3)
    results = values.run(
        [
            (x, -5, [1, 2**40], ("Pair", 0.5, True)),
            [x + 1, np.int8(7), np.array([3, 4]), "None"],
            (x, 0, (), ("Pair", 1, False)),
        ]
    )
    for (y, *rest), (z, *others) in zip(
        results,
        [
            (2 * x, -5, [1, 2**40], ("Pair", 0.5, True)),
            (2 * x + 2, 7, [3, 4], ("None",)),
            (2 * x, 0, [], ("Pair", 1.0, False)),
        ],
    ):
        np.testing.assert_array_equal(y, z)
        assert rest == others
    assert results[0][3][2] is True


def test_classes():
    source = """
      dynbatch.adt @Tree {
        dynbatch.ctor @Leaf(i32)
        dynbatch.ctor @Node(!dynbatch.adt<@Tree>, !dynbatch.adt<@Tree>)
      }
      func.func @main(%tree: !dynbatch.adt<@Tree>) -> !dynbatch.adt<@Tree>
          attributes {dynbatch.entry} {
        return %tree : !dynbatch.adt<@Tree>
      }
    """
    tree = Node(Leaf(1), Node(Leaf(2), Leaf(3)))
    program = dynbatch.compile(source, classes={"Leaf": Leaf, "Node": Node})
    assert program.run([tree], {}) == [tree]
    program = dynbatch.compile(source, classes={"Leaf": Leaf})
    assert program.run([tree.right], {}) == [("Node", Leaf(2), Leaf(3))]
    program = dynbatch.compile(source, classes={"Leaf": lambda word: 1 / 0})
    with pytest.raises(ZeroDivisionError):
        program.run([tree], {})


def test_instances_serve_several_runs(trees, table):
    instances = trees.instances([("Leaf", 3), ("Leaf", 4)])
    assert len(instances) == 2
    for _ in range(2):
        np.testing.assert_array_equal(
            trees.run(instances, {"E": table}), [table[3], table[4]]
        )


def test_text(trees, table):
    result = trees.run("(Node (Leaf 1) (Leaf 2))\n(Leaf 5)\n", {"E": table})
    np.testing.assert_array_equal(result, [table[1] + table[2], table[5]])


def test_deep_tree(trees, table):
    tree = ("Leaf", 1)
    for _ in range(20_000):
        tree = ("Node", tree, ("Leaf", 0))
    result = trees.run([tree], {"E": table})[0]
    np.testing.assert_array_equal(result, table[1] + 20_000 * table[0])


def aligned(array):
    """A copy at an address that is a multiple of 64."""
    memory = np.empty(array.nbytes + 64, np.uint8)
    offset = -memory.ctypes.data % 64
    result = memory[offset : offset + array.nbytes].view(array.dtype)
    result = result.reshape(array.shape)
    result[...] = array
    return result


def test_parameters_in_place(trees, table):
    mine = aligned(table)
    trees.bind({"E": mine})
    mine[3] = [100, 200]
    np.testing.assert_array_equal(trees.run([("Leaf", 3)])[0], [100, 200])


def test_parameters_change(trees, table):
    # Other arrays under the same name are others.
    first = trees.run([("Leaf", 3)], {"E": table})
    second = trees.run([("Leaf", 3)], {"E": table + 1})
    np.testing.assert_array_equal(first[0] + 1, second[0])


def test_buffer_protocol(trees, table):
    memory = memoryview(bytearray(table.tobytes())).cast("f", (10, 2))
    np.testing.assert_array_equal(trees.run([("Leaf", 3)], {"E": memory})[0], table[3])


def test_random_parameters(trees):
    first = trees.run([("Leaf", 3)], "random:1")
    np.testing.assert_array_equal(first, trees.bind("random:1").run([("Leaf", 3)]))
    assert not np.array_equal(first, trees.run([("Leaf", 3)], "random:2"))


def write_safetensors(path, name, array):
    header = {
        name: {
            "dtype": "F32",
            "shape": array.shape,
            "data_offsets": [0, array.nbytes],
        }
    }
    text = json.dumps(header).encode()
    path.write_bytes(len(text).to_bytes(8, "little") + text + array.tobytes())


def test_safetensors(trees, table, tmp_path):
    path = tmp_path / "weights.safetensors"
    write_safetensors(path, "E", table)
    np.testing.assert_array_equal(trees.run([("Leaf", 3)], path)[0], table[3])
    with pytest.raises(dynbatch.Error, match="nowhere.safetensors"):
        trees.bind(tmp_path / "nowhere.safetensors")


def test_state_dict(trees, table):
    torch = pytest.importorskip("torch")
    module = torch.nn.Module()
    module.E = torch.nn.Parameter(torch.tensor(table))
    module.other = torch.nn.Linear(2, 2)
    result = trees.run([("Leaf", 3)], module.state_dict())
    np.testing.assert_array_equal(result[0], table[3])


def test_file_and_cache(table, tmp_path):
    path = tmp_path / "trees.mlir"
    path.write_text(TREES)
    expected = dynbatch.compile(path).run([("Leaf", 3)], {"E": table})
    np.testing.assert_array_equal(expected[0], table[3])
    cache = tmp_path / "cache"
    for _ in range(2):
        cached = dynbatch.compile(path, cache_dir=cache)
        np.testing.assert_array_equal(
            cached.run([("Leaf", 3)], {"E": table}), expected
        )
    assert len(list(cache.iterdir())) == 1


def test_stats_and_trace(table):
    program = dynbatch.compile(TREES).bind({"E": table}, stats=True, trace=True)
    program.run([("Node", ("Leaf", 1), ("Leaf", 2))] * 3)
    stats = program.stats
    assert stats["instances"] == 3
    assert stats["minibatches"] == 1
    assert sum(kernel["tasks"] for kernel in stats["kernels"]) == stats["tasks"] > 0
    batches = [e for e in program.trace["traceEvents"] if e["cat"] == "kernel"]
    assert len(batches) == stats["batches"]


def test_options_are_taken(trees, table):
    tree = ("Node", ("Leaf", 1), ("Leaf", 2))
    for schedule in ["static", "depth", "agenda"]:
        trees.bind(
            {"E": table}, schedule=schedule, threads=2, verify_schedule=True
        )
        np.testing.assert_array_equal(trees.run([tree])[0], table[1] + table[2])
    with pytest.raises(ValueError, match="'static', 'depth' or 'agenda', not 'x'"):
        trees.bind({"E": table}, schedule="x")
    with pytest.raises(dynbatch.RunError, match="memory"):
        trees.bind({"E": table}, memory_limit=1).run([tree])


def test_plot(table):
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("agg")
    program = dynbatch.compile(TREES).bind({"E": table}, trace=True)
    with pytest.raises(ValueError, match="no batches"):
        program.plot_schedule()
    program.run([("Node", ("Leaf", 1), ("Leaf", 2))] * 3)
    axes = program.plot_schedule()
    assert axes.get_xlabel() == "microseconds"
    assert [text.get_text() for text in axes.texts] == ["3"]


def test_progress(trees, table, capsys):
    pytest.importorskip("tqdm")
    trees.run([("Leaf", 3)] * 6, {"E": table}, batch_size=2, progress=True)
    assert "3/3" in capsys.readouterr().err


def test_lower():
    dumps = dynbatch.lower(TREES)
    names = [dump.name for dump in dumps]
    assert any(name.startswith("dynbatch-") for name in names)
    assert "func.func" in dumps[0].ir
    assert "llvm.func" in dumps[-1].ir
    other = [dump.name for dump in dynbatch.lower(TREES, target="reference")]
    assert other != names


def test_descriptor(trees):
    assert trees.descriptor["adts"][0]["name"] == "Tree"


def test_package_is_typed():
    folder = pathlib.Path(dynbatch.__file__).parent
    assert (folder / "py.typed").is_file()
    assert "class Instances" in (folder / "_core.pyi").read_text()


def test_load(table, tmp_path):
    """A library of dynbatch-compile gives the bits that compiling here gives."""
    tools = pathlib.Path(__file__).parents[2] / "build" / "default" / "bin"
    tool = shutil.which("dynbatch-compile", path=tools) or shutil.which(
        "dynbatch-compile"
    )
    if not tool:
        pytest.skip("dynbatch-compile is not there")
    source, library = tmp_path / "trees.mlir", tmp_path / "trees.so"
    source.write_text(TREES, encoding="utf-8")
    subprocess.run([tool, source, "-o", library], check=True)
    instances = [Node(Leaf(1), Node(Leaf(2), Leaf(9))), Leaf(0)]
    results = dynbatch.load(library).run(instances, {"E": table})
    expected = dynbatch.compile(TREES).run(instances, {"E": table})
    assert [list(result) for result in results] == [list(e) for e in expected]

"""Cells that PyTorch exports inside of instance programs."""

import pathlib

import numpy as np
import pytest

import dynbatch

INPUTS = pathlib.Path(__file__).parent / "Inputs"
LENGTHS = [0, 1, 5, 2, 3]


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


def numpy_cell(x, h, c, weights):
    """The equations of torch.nn.LSTMCell."""
    gates = x @ weights["weight_ih"].T + weights["bias_ih"]
    gates = gates + h @ weights["weight_hh"].T + weights["bias_hh"]
    i, f, g, o = np.split(gates, 4, axis=1)
    c = sigmoid(f) * c + sigmoid(i) * np.tanh(g)
    return sigmoid(o) * np.tanh(c), c


def make_lists():
    rng = np.random.default_rng(0)
    return [rng.standard_normal((n, 1, 2), np.float32) for n in LENGTHS]


def run(words, params, cell):
    """The states behind the lists of words."""
    program = dynbatch.compile(INPUTS / "lstm_list.mlir", link=[cell])
    instances = []
    for list_of_words in words:
        value = "Nil"
        for word in list_of_words:
            value = ("Cons", word, value)
        instances.append(value)
    return program.run(instances, params, batch_size=3)


def test_exported_cell_agrees_with_numpy():
    rng = np.random.default_rng(1)
    shapes = {
        "weight_ih": (12, 2),
        "weight_hh": (12, 3),
        "bias_ih": (12,),
        "bias_hh": (12,),
    }
    weights = {
        name: rng.standard_normal(shape, np.float32) for name, shape in shapes.items()
    }
    words = make_lists()
    results = run(words, weights, INPUTS / "lstm_cell.mlir")
    for list_of_words, result in zip(words, results):
        state = np.zeros((1, 3)), np.zeros((1, 3))
        for word in list_of_words:
            state = numpy_cell(word.astype(np.float64), *state, weights)
        np.testing.assert_allclose(result, state, rtol=0, atol=1e-5)


@pytest.mark.parametrize("exporter", ["checked in", "torch-mlir"])
def test_exported_cell_agrees_with_pytorch(exporter):
    torch = pytest.importorskip("torch")
    module = torch.nn.LSTMCell(2, 3)
    cell = INPUTS / "lstm_cell.mlir"
    if exporter == "torch-mlir":
        fx = pytest.importorskip("torch_mlir.fx")

        class Functional(torch.nn.Module):
            def forward(self, x, h, c, *weights):
                names = ["weight_ih", "weight_hh", "bias_ih", "bias_hh"]
                return torch.func.functional_call(
                    module, dict(zip(names, weights)), (x, (h, c))
                )

        arguments = [torch.zeros(1, 2), torch.zeros(1, 3), torch.zeros(1, 3)]
        arguments += [weight.detach() for weight in module.parameters()]
        cell = str(
            fx.export_and_import(
                Functional(),
                *arguments,
                output_type="linalg-on-tensors",
                func_name="lstm_cell",
            )
        )
    words = make_lists()
    results = run(words, module.state_dict(), cell)
    with torch.no_grad():
        for list_of_words, result in zip(words, results):
            state = torch.zeros(1, 3), torch.zeros(1, 3)
            for word in list_of_words:
                state = module(torch.from_numpy(word), state)
            np.testing.assert_allclose(result, state, rtol=0, atol=1e-5)


def test_dynamic_dimensions_are_refused():
    dynamic = """
      func.func @lstm_cell(%x: tensor<?x2xf32>) -> tensor<?x2xf32> {
        return %x : tensor<?x2xf32>
      }
    """
    with pytest.raises(dynbatch.CompileError, match="but the linked function has type"):
        dynbatch.compile(INPUTS / "lstm_list.mlir", link=[dynamic])

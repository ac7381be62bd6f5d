"""Batches dynamic deep learning at compile time.

    program = dynbatch.compile(pathlib.Path("bag.mlir"))
    results = program.run(instances, "weights.safetensors", batch_size=64)

`compile` takes an instance program, which computes one instance, and `load` a
library that dynbatch-compile wrote. `Program.run` runs any number of instances
in minibatches. `lower` shows the IR after each pass.
"""

from ._compile import PassDump, compile, load, lower
from ._core import Instances
from ._errors import BusyError, ClosedError, CompileError, Error, RunError
from ._program import Program

__all__ = [
    "BusyError",
    "ClosedError",
    "CompileError",
    "Error",
    "Instances",
    "PassDump",
    "Program",
    "RunError",
    "compile",
    "load",
    "lower",
]

# Tracebacks name what users can name.
for _error in (BusyError, ClosedError, CompileError, Error, RunError):
    _error.__module__ = __name__
del _error

"""Running minibatches."""

import collections.abc
import json
import os
import threading
import typing

from . import _core


class Program:
    """A compiled instance program, made by `compile` or `load`.

    Instances are lists of values of the entry's inputs: one value where the
    entry has one input, otherwise a tuple of them.

    * a scalar is an int, float or bool (NumPy's, too);
    * a tensor is an array of the very shape and element type, in host memory
      and contiguous: from NumPy, PyTorch or whatever has DLPack or the buffer
      protocol. Data aligned to 64 bytes is not copied;
    * a sequence is a list or tuple, or another sequence such as an array;
    * a value of an ADT is a tuple of the constructor's name and its fields,
      ("Node", left, right), or the name alone where there are none, or an
      object of a class with the constructor's name whose `__match_args__` are
      the fields: a dataclass.

    Results are likewise; arrays are NumPy's, bf16 as float32. An instance with
    several results is a tuple of them.

    A program is used by one thread at a time: others get BusyError meanwhile.
    Different programs run side by side. The GIL is released while a minibatch
    runs.
    """

    def __init__(self, module: _core.Module):
        """For `compile` and `load`."""
        self._module = module
        self._bound: _core.Program | None = None
        self._key: tuple = ()
        self._closed = False

    @property
    def descriptor(self) -> dict[str, typing.Any]:
        """The entry's inputs and results, ADTs, parameters and kernels:
        docs/RuntimeABI.md."""
        return json.loads(self._module.descriptor)

    def instances(self, values: collections.abc.Sequence | str) -> _core.Instances:
        """Converts instances once, for several runs. A str is read as text, one
        instance a line. Raises TypeError or ValueError with the path of what
        does not fit: "instances[3].left.word: expected int, got str"."""
        if isinstance(values, str):
            return self._module.parse(values, "<string>")
        return self._module.convert(values)

    def bind(
        self,
        params: collections.abc.Mapping | str | os.PathLike,
        *,
        threads: int = 1,
        schedule: str = "static",
        stats: bool = False,
        trace: bool = False,
        verify_schedule: bool = False,
        memory_limit: int = 0,
        fiber_stack_bytes: int = 0,
        device: int = 0,
    ) -> typing.Self:
        """Sets the parameters and how minibatches run. Statistics start anew.

        params:     a mapping from names to arrays (a PyTorch `state_dict`, too;
                    names that the program lacks are ignored), the path of a
                    safetensors file, or "random:SEED". Arrays have the shapes
                    and element types of the descriptor. Those aligned to 64
                    bytes are used in place and must not change meanwhile;
                    bind them again after a change.
        threads:    that run kernels, the caller's included.
        schedule:   "static", or "depth" or "agenda" for comparison.
        stats:      count and time (see `stats`).
        trace:      record events (see `trace`).
        verify_schedule:   check that producers of operands have run.
        memory_limit:      bytes of a minibatch; 0: no limit.
        fiber_stack_bytes: of programs with forced reads; 0: the default.
        device:     number of the GPU.

        Raises TypeError and ValueError for what does not fit, Error for a file
        that cannot be read, ClosedError, BusyError. The parameters before stay
        bound after an error.
        """
        self._check_open()
        if isinstance(params, collections.abc.Mapping):
            taken = self._module.convert_parameters(dict(params))
        elif isinstance(params, (str, os.PathLike)):
            taken = self._module.load_parameters(os.fspath(params))
        else:
            raise TypeError(
                "params: expected a dict of arrays, a path or 'random:SEED', got "
                + type(params).__name__
            )
        bound = _core.Program(
            self._module,
            taken,
            threads,
            stats,
            trace,
            verify_schedule,
            schedule,
            memory_limit,
            fiber_stack_bytes,
            device,
        )
        if self._bound is not None:
            self._bound.close()
        self._bound = bound
        self._key = _key(params)
        return self

    def run(
        self,
        instances: collections.abc.Sequence | str | _core.Instances,
        params: collections.abc.Mapping | str | os.PathLike | None = None,
        *,
        batch_size: int = 0,
        progress: bool = False,
    ) -> list:
        """Runs instances in minibatches of `batch_size` (0: one for all of
        them); their results in order.

        `params` are bound as by `bind`, with its defaults, unless they are
        bound already: the same path, or the same arrays. None uses those that
        are bound. `progress` shows a bar on standard error, which needs tqdm.

        Raises TypeError and ValueError for instances and parameters that do not
        fit, before anything runs; RunError, which names the instance;
        ClosedError; BusyError. Ctrl-C in the main thread ends the minibatch
        within some hundredths of a second. The program can be used again after
        any of them but ClosedError.
        """
        self._check_open()
        if batch_size < 0:
            raise ValueError(f"batch_size must not be negative, but is {batch_size}")
        if params is not None and not _same(self._key, _key(params)):
            self.bind(params)
        if self._bound is None:
            raise ValueError("params: none are bound")
        if not isinstance(instances, _core.Instances):
            instances = self.instances(instances)
        count = len(instances)
        starts = range(0, count, batch_size or max(count, 1))
        if progress:
            import tqdm  # an extra

            starts = tqdm.tqdm(starts, unit="minibatch")
        interruptible = threading.current_thread() is threading.main_thread()
        results = []
        for begin in starts:
            end = min(begin + (batch_size or count), count)
            results += self._bound.run(instances, begin, end, interruptible)
        return results

    @property
    def stats(self) -> dict[str, typing.Any]:
        """Counts and times of all minibatches since `bind(stats=True)`; all are
        zero without (docs/RuntimeABI.md)."""
        return json.loads(self._open_binding().statistics)

    @property
    def trace(self) -> dict[str, typing.Any]:
        """Chrome trace events since `bind(trace=True)`: json.dump writes a file
        for chrome://tracing and Perfetto."""
        return json.loads(self._open_binding().trace)

    def plot_schedule(self, axes: typing.Any = None) -> typing.Any:
        """Draws the batches of the trace: when each kernel ran, and the number
        of tasks in each batch. Returns the axes. Needs matplotlib, and
        `bind(trace=True)`."""
        from ._plot import plot_schedule

        return plot_schedule(self.trace, axes)

    def close(self) -> None:
        """Gives memory, threads and parameters back. All other use is refused
        afterwards with ClosedError."""
        if self._bound is not None:
            self._bound.close()
        self._closed = True

    def __enter__(self) -> typing.Self:
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()

    def _check_open(self) -> None:
        if self._closed:
            from ._errors import ClosedError

            raise ClosedError("the program is closed")

    def _open_binding(self) -> _core.Program:
        self._check_open()
        if self._bound is None:
            raise ValueError("params: none are bound")
        return self._bound


def _key(params: typing.Any) -> tuple:
    """What tells parameters from others. Holds on to the arrays, so that no
    other can have the place of one."""
    if isinstance(params, collections.abc.Mapping):
        return tuple(params.items())
    return (os.fspath(params),) if isinstance(params, (str, os.PathLike)) else ()


def _same(bound: tuple, given: tuple) -> bool:
    """Whether names are equal, and arrays the very same objects."""
    return (
        bool(bound)
        and len(bound) == len(given)
        and all(
            a[0] == b[0] and a[1] is b[1]
            if isinstance(a, tuple) and isinstance(b, tuple)
            else isinstance(a, str) and a == b
            for a, b in zip(bound, given)
        )
    )

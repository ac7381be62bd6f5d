"""From source to programs."""

import collections.abc
import ctypes
import os
import pathlib
import typing

from . import _core
from ._program import Program

Source = str | bytes | os.PathLike
"""A program or a cell: MLIR text, MLIR bytecode, or the path of a file with
either."""


class PassDump(typing.NamedTuple):
    """What a pass made of the op that it ran on."""

    name: str
    """The pass's argument, such as "dynbatch-schedule"."""
    op: str
    """The op's name and, if it has one, its symbol."""
    ir: str
    """The op as text."""


def _read(source: Source) -> tuple[str, bytes]:
    """What `source` holds, behind its name in messages."""
    if isinstance(source, str):
        return "<string>", source.encode()
    if isinstance(source, bytes):
        return "<bytes>", source
    return os.fspath(source), pathlib.Path(source).read_bytes()


def compile(
    source: Source,
    *,
    target: str = "cpu",
    chip: str = "",
    options: str = "",
    link: collections.abc.Sequence[Source] = (),
    cache_dir: str | os.PathLike | None = None,
    classes: collections.abc.Mapping[str, collections.abc.Callable] | None = None,
) -> Program:
    """Compiles an instance program for this process.

    source:     MLIR text (str) or bytecode (bytes), or the path of a file.
    target:     "cpu", "cuda", "simt" (GPU kernels, checked on this processor)
                or "reference" (each instance on its own).
    chip:       the oldest GPU that "cuda" compiles for ("sm_90").
    options:    of the pass pipeline: "coarsen=false stages=false".
    link:       modules with functions that the program declares: exported
                cells.
    cache_dir:  where machine code is kept, and taken from the next time.
    classes:    by the name of a constructor, what its values in results are
                made with, called with the fields. Others are tuples that begin
                with the name.

    Raises CompileError with all diagnostics, ValueError for an unknown target,
    OSError for a file that cannot be read. Warnings of the compiler become
    Python warnings.
    """
    module = _core.Module.compile(
        _read(source),
        target,
        chip,
        options,
        [_read(cell) for cell in link],
        os.fspath(cache_dir) if cache_dir is not None else "",
        classes,
    )
    return Program(module)


def load(
    path: str | os.PathLike,
    *,
    classes: collections.abc.Mapping[str, collections.abc.Callable] | None = None,
) -> Program:
    """Opens a library that dynbatch-compile wrote; `classes` as for compile.
    It stays in the process for good. Raises Error for what is not one."""
    # The library's calls are bound to the runtime that the extension uses. Only
    # that: LLVM's symbols would meet those of other packages.
    runtime = pathlib.Path(_core.__file__).with_name("libDynbatchRuntime.so")
    ctypes.CDLL(os.fspath(runtime), mode=ctypes.RTLD_GLOBAL)
    return Program(_core.Module.load(os.path.abspath(path), classes))


def lower(
    source: Source,
    *,
    target: str = "cpu",
    chip: str = "",
    options: str = "",
    link: collections.abc.Sequence[Source] = (),
) -> list[PassDump]:
    """The IR after each pass that changes something, down to the LLVM dialect;
    arguments and errors as for compile."""
    dumps = _core.lower(
        _read(source), target, chip, options, [_read(cell) for cell in link]
    )
    return [PassDump(*dump) for dump in dumps]

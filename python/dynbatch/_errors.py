"""Exceptions of the package; a value of a wrong type is a TypeError, and one
that does not fit in another way a ValueError."""


class Error(Exception):
    """What dynbatch cannot do, and why."""


class CompileError(Error):
    """A program that cannot be compiled. The message has all diagnostics, each
    with its location and source line."""


class RunError(Error):
    """A minibatch that failed. The message names the instance, where one is to
    blame. The program can be used again."""


class ClosedError(Error):
    """A program was used after `close`."""


class BusyError(Error):
    """A program was used by two threads at once."""

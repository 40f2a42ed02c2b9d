"""What a command-line tool does when something goes wrong: one message, exit code 1, no traceback."""

from __future__ import annotations

import contextlib
import io
import os
import resource
import select
import signal
import sys
import traceback
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from hexagon_mlir.cli.arguments import UsageError

if TYPE_CHECKING:
    from hexagon_mlir.ir.diagnostics import Diagnostic

STACK_BYTES = 128 << 20
"""MLIR recurses over the IR; the kernel lets the main stack grow to this while the process runs."""
_INTERRUPTED = 130  # what a shell expects after Ctrl-C
_BROKEN_PIPE = 141  # ... and after the reader of our output went away


def own_process() -> None:
    """Settings for a tool that has the process to itself: a large stack, and Ctrl-C that ends it at once.

    Python would see Ctrl-C only after the C++ code returned. numpy, which the bindings import, would start
    threads for linear algebra, which no tool needs: a fifth of the start-up time.
    """
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    _, hard = resource.getrlimit(resource.RLIMIT_STACK)
    size = STACK_BYTES if hard == resource.RLIM_INFINITY else min(STACK_BYTES, hard)
    with contextlib.suppress(OSError, ValueError):  # only a smaller stack
        resource.setrlimit(resource.RLIMIT_STACK, (size, hard))


def run_tool(tool: str, main: Callable[[Sequence[str]], int], argv: Sequence[str]) -> int:
    """The exit code of ``main(argv)``; any exception becomes one message on standard error."""
    debug = "--debug" in argv
    _open_closed_streams()
    try:
        code = main(argv)
        sys.stdout.flush()
        return code
    except KeyboardInterrupt:
        return _print_error(f"{tool}: interrupted", _INTERRUPTED)
    except BrokenPipeError:
        _drop_what_nobody_reads()
        return _BROKEN_PIPE
    except Exception as error:  # the boundary of the tool: whatever is left becomes one message
        if debug:
            traceback.print_exc()
        return _print_error(explain(tool, error), 1)


def explain(tool: str, error: Exception) -> str:
    """``error`` as the user should see it."""
    if isinstance(error, UsageError):
        return f"{tool}: error: {error}\n  hint: {error.hint}"
    if hasattr(error, "diagnostics"):
        return "\n".join(str(_with_tool(tool, diagnostic)) for diagnostic in error.diagnostics)
    if isinstance(error, RecursionError):
        return f"{tool}: error: the input is nested too deeply"
    if isinstance(error, MemoryError):
        return f"{tool}: error: out of memory"
    if isinstance(error, OSError):
        place = f"{error.filename}: " if error.filename else ""
        return f"{place or tool + ': '}error: {error.strerror or error}"
    message = str(error).strip().splitlines()
    return (f"{tool}: error: internal: {type(error).__name__}: {message[0] if message else 'no message'}\n"
            "  hint: this is a bug of the compiler; --debug shows where it happened")


def _with_tool(tool: str, diagnostic: Diagnostic) -> Diagnostic:
    """``diagnostic`` with the tool in place of a missing file."""
    from hexagon_mlir.ir.diagnostics import NO_FILE  # not before an error: loads the MLIR bindings

    if diagnostic.place.file != NO_FILE:
        return diagnostic
    return replace(diagnostic, place=replace(diagnostic.place, file=tool))


def _print_error(text: str, code: int) -> int:
    _drop_what_nobody_reads()
    with contextlib.suppress(OSError):
        print(text, file=sys.stderr, flush=True)
    _drop_what_nobody_reads()
    return code


def nobody_reads_output() -> bool:
    """True when standard output is a pipe whose reader has left."""
    poll = select.poll()
    poll.register(1, 0)  # errors only
    return any(event & select.POLLERR for _, event in poll.poll(0))


def _open_closed_streams() -> None:
    """Standard streams that were closed (``>&-``) would be the next files that are opened. What is printed then is
    as for a reader that has left.
    """
    if sys.stdin is None:
        os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    if sys.stdout is None:
        ends = os.pipe()
        os.dup2(ends[1], 1)
        for end in ends:
            if end != 1:
                os.close(end)
        sys.stdout = os.fdopen(1, "w")
    if sys.stderr is None:
        os.dup2(os.open(os.devnull, os.O_WRONLY), 2)
        sys.stderr = os.fdopen(2, "w", errors="backslashreplace")
    if isinstance(sys.stdout, io.TextIOWrapper) and sys.stdout is sys.__stdout__:
        sys.stdout.reconfigure(errors="surrogateescape")  # names of files may be any bytes


def _drop_what_nobody_reads() -> None:
    """Python flushes the streams once more at exit, and would complain: what cannot be written goes nowhere."""
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except OSError:
            os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())

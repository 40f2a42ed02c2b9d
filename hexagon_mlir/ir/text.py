"""Text in and out: parsing with places, printing without weights."""

from __future__ import annotations

import os
from typing import BinaryIO

from torch_mlir import ir

from hexagon_mlir.interrupts import deferred
from hexagon_mlir.ir import text_guards
from hexagon_mlir.ir.context import make_context
from hexagon_mlir.ir.diagnostics import STDIN_NAME, HexError, from_mlir_error

named_files: set[str] = set()
"""Files that the user named: of those that a module names itself, nobody reads a line."""
MOST_BYTES = 1 << 30
"""Of one input."""
_ELEMENTS_SHOWN = 64  # larger dense constants print as __elided__


@deferred()
def parse(source: str | bytes, file: str = "-", context: ir.Context | None = None,
          hint: str = "") -> ir.Module:
    """Parse and verify MLIR text into a module.

    ``file`` names the input in errors. Raises `HexError` with line and column for anything malformed, bytes
    that are not UTF-8 and nesting that would crash the parser included; ``hint`` goes with syntax errors.
    """
    text = checked(source, file)
    with context or make_context():
        try:
            return ir.Module.parse(text)
        except ir.MLIRError as error:
            raise from_mlir_error(error, file=file, hint=hint) from None


def read_all(stream: BinaryIO, file: str) -> bytes:
    """All of ``stream``, which may be a device or a FIFO without end. Raises `HexError` for more than `MOST_BYTES`."""
    data = stream.read(MOST_BYTES + 1)
    if len(data) > MOST_BYTES:
        raise HexError.plain(f"input is larger than {MOST_BYTES >> 30} GiB", file=file)
    return data


def checked(source: str | bytes, file: str) -> str:
    """``source`` as text that a parser may be given; raises `HexError`."""
    text = source if isinstance(source, str) else decode(source, file)
    if "\0" in text:
        raise HexError.plain("the input holds a NUL character", file=file, hint="MLIR input is text")
    text_guards.check(text.encode(errors="replace"), file)
    return text


def name_locations(module: ir.Module, file: str) -> None:
    """Operations that the parser placed in ``-``, as it calls all its input, are in ``file``, which the user named."""
    named_files.add(os.path.realpath(file))
    file = file.encode(errors="backslashreplace").decode()  # names of files may be any bytes

    def rename(op: ir.Operation) -> ir.WalkResult:
        place = op.location
        if isinstance(place, ir.FileLineColLoc) and place.filename == STDIN_NAME:
            op.location = ir.Location.file(file, place.start_line, place.start_col)
        return ir.WalkResult.ADVANCE

    with module.context:
        module.operation.walk(rename)


def decode(source: bytes, file: str, hint: str = "MLIR input is text; is this a binary file?") -> str:
    """``source`` as text; raises `HexError` at the first line of ``file`` that is none."""
    try:
        return source.decode("utf-8")
    except UnicodeDecodeError as error:
        line = source.count(b"\n", 0, error.start) + 1
        raise HexError.plain(f"line {line} is not UTF-8 text", file=file, hint=hint) from None


def to_text(op: ir.Module | ir.Operation | ir.OpView, *, generic: bool = False, locations: bool = False,
            elide: bool = True) -> str:
    """``op`` as MLIR text. Weights and large constants are elided unless ``elide=False``.

    An operation inside another one is verified and numbered by itself: its text is the same, without the time for all
    that surrounds it.
    """
    limit = _ELEMENTS_SHOWN if elide else None
    text = op.operation.get_asm(enable_debug_info=locations, print_generic_op_form=generic,
                                large_elements_limit=limit, large_resource_limit=limit,
                                use_local_scope=op.operation.parent is not None)
    return text if text.endswith("\n") else text + "\n"

"""Applying transform-dialect sequences: the interpreter, its errors, the record for ``--print-schedule``."""

from __future__ import annotations

import re

from hexagon_mlir.ir import HexError, ir
from hexagon_mlir.ir.diagnostics import STDIN_NAME, Diagnostic, Place, from_mlir_error
from hexagon_mlir.ir.text import parse
from hexagon_mlir.pass_infra.base import PassContext

ENTRY = "__transform_main"


def wrap_sequence(body: str) -> str:
    """A schedule module around ``body``, which uses ``%root``, the handle of the payload module."""
    return (
        "module attributes {transform.with_named_sequence} {\n"
        f"  transform.named_sequence @{ENTRY}(%root: !transform.any_op) {{\n"
        f"{body}"
        "    transform.yield\n  }\n}\n"
    )


def apply_schedule(module: ir.Module, text: str, origin: str, context: PassContext, file: str = "-") -> None:
    """Apply the sequence in ``text`` to ``module`` and record it under ``origin``.

    Raises `HexError` when the text is no schedule or a transform fails.
    """
    schedule = parse(text, file=file, context=module.context)
    entry = next((op for op in schedule.body.operations
                  if op.operation.name == "transform.named_sequence"), None)
    if entry is None:
        raise HexError.plain("the schedule has no transform.named_sequence", origin=origin, file=file,
                             hint=f"name it @{ENTRY}; --print-schedule shows one")
    from hexagon_mlir.ir import interpreter  # loads the transform dialect's builders

    context.schedules.append((origin, text))
    with module.context:
        try:
            interpreter.apply_named_sequence(module.operation, entry.operation, schedule.operation)
        except ir.MLIRError as error:
            raise from_mlir_error(error, origin=origin) from None
        except ValueError as error:
            raise _failure(str(error), origin, file) from None


_MESSAGE = re.compile(r'at loc\((?:"(?:[^"\\]|\\.)*":(\d+):(\d+)|.*?)\): (.*)')


def _failure(text: str, origin: str, file: str) -> HexError:
    """The interpreter's error, which is text only. Its position is that of a transform in the schedule."""
    found = [match.groups() for match in map(_MESSAGE.search, text.splitlines()) if match]
    if not found:
        return HexError.plain(text.splitlines()[0], origin=origin, file=file)
    line, column, message = found[0]
    from_file = file != STDIN_NAME and line is not None
    place = Place(file, int(line), int(column)) if from_file else Place()
    notes = tuple(note for _, _, note in found[1:4])
    return HexError(Diagnostic("error", place, origin, message, notes=notes))

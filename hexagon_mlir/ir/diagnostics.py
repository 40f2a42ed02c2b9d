"""Errors with a place, a pass, a reason and a hint.

Printed as ``kernel.py:12:5: error: hexagon-tcm-tiling: tile needs 1.5 MiB, budget is 1.0 MiB``, then the
one operation and ``hint: ...``.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Self

from torch_mlir import ir

STDIN_NAME = "-"
NO_FILE = "hexmlir"
"""Where a message comes from that belongs to no file."""
_OP_TEXT_LIMIT = 200  # characters of the operation shown under an error


@dataclass(frozen=True)
class Place:
    """A source position; line and column count from 1, 0 means unknown."""

    file: str = "<unknown>"
    line: int = 0
    column: int = 0

    def __str__(self) -> str:
        if not self.line:
            return self.file
        column = f":{self.column}" if self.column else ""
        return f"{self.file}:{self.line}{column}"


@dataclass(frozen=True)
class Diagnostic:
    """One message for the user. ``origin`` is the pass or stage it comes from, may be empty."""

    severity: str
    place: Place
    origin: str
    message: str
    op_text: str = ""
    hint: str = ""
    notes: tuple[str, ...] = ()

    def __str__(self) -> str:
        origin = f"{self.origin}: " if self.origin else ""
        lines = [f"{self.place}: {self.severity}: {origin}{self.message}"]
        if self.op_text:
            lines.append(f"  {self.op_text}")
        lines += [f"  note: {note}" for note in self.notes]
        if self.hint:
            lines.append(f"  hint: {self.hint}")
        return "\n".join(lines)


class HexError(Exception):
    """Any error a user can cause; carries one or more diagnostics."""

    def __init__(self, *diagnostics: Diagnostic):
        super().__init__("\n".join(str(d) for d in diagnostics))
        self.diagnostics = diagnostics

    @classmethod
    def plain(cls, message: str, hint: str = "", origin: str = "", file: str = NO_FILE) -> Self:
        """An error that belongs to no operation (a bad flag, a missing file)."""
        return cls(Diagnostic("error", Place(file), origin, message, hint=hint))


def place_of(location: ir.Location) -> Place:
    """The innermost file position of ``location``: through names, call sites and fused locations."""
    found = _innermost(location)
    return found if found is not None else Place()


_FILE_POSITION = re.compile(r'"((?:[^"\\]|\\.)*)":(\d+):(\d+)')


def _innermost(location: ir.Location) -> Place | None:
    if isinstance(location, ir.FileLineColLoc):
        return Place(location.filename.value if hasattr(location.filename, "value") else location.filename,
                     location.start_line, location.start_col)
    match = _FILE_POSITION.search(str(location))  # name, call-site and fused locations print their parts
    if match is None:
        return None
    return Place(match.group(1), int(match.group(2)), int(match.group(3)))


def op_line(op: ir.Operation) -> str:
    """The first line of ``op`` as text, shortened; never its regions or weights."""
    text = op.get_asm(large_elements_limit=4, large_resource_limit=4, skip_regions=True, use_local_scope=True)
    return _first_line(text)


def error_at(op: ir.Operation | ir.OpView, origin: str, message: str, hint: str = "") -> HexError:
    """A `HexError` located at ``op``: its source position, its text, and what to do."""
    operation = op.operation
    place = place_of(operation.location)
    return HexError(Diagnostic("error", place, origin, message, op_line(operation), hint))


def internal_error(error: Exception, file: str = NO_FILE) -> HexError:
    """``error``, which the compiler did not expect, as a `HexError`; it is the cause of it."""
    lines = str(error).strip().splitlines()
    found = HexError.plain(f"internal error: {type(error).__name__}: {lines[0] if lines else 'no message'}", file=file,
                           hint="please report it with the program")
    found.__cause__ = error
    return found


def from_mlir_error(error: Exception, origin: str = "", file: str = STDIN_NAME, hint: str = "") -> HexError:
    """The bindings' `MLIRError` (or ValueError) as a `HexError`; ``-`` in places becomes ``file``."""
    infos = getattr(error, "error_diagnostics", None) or []
    diagnostics = [_from_info(info, origin, file, hint) for info in infos]
    if not diagnostics:
        lines = [line for line in str(error).splitlines() if line.strip()]
        message = lines[0] if lines else type(error).__name__
        diagnostics = [Diagnostic("error", Place(file), origin, message, hint=hint)]
    return HexError(*diagnostics)


def _from_info(info, origin: str, file: str, hint: str) -> Diagnostic:
    place = place_of(info.location)
    if place.file in (STDIN_NAME, "<unknown>"):
        place = Place(file, place.line, place.column)
    notes, op_text = _notes(info)
    message = info.message.splitlines()[0] if info.message else "unknown error"
    return Diagnostic("error", place, origin, message, op_text, hint, notes)


_CURRENT_OP = "see current operation:"
_NOTES_SHOWN = 4


def _notes(info) -> tuple[tuple[str, ...], str]:
    """The notes of a diagnostic, shortened, and the operation that MLIR attaches as one of them."""
    notes, op_text = [], ""
    for note in info.notes:
        if note.message.startswith(_CURRENT_OP):
            op_text = _first_line(note.message.removeprefix(_CURRENT_OP))
        elif note.message.strip():
            notes.append(_first_line(note.message))
    return tuple(notes[:_NOTES_SHOWN]), op_text


def _first_line(text: str) -> str:
    line = text.strip().splitlines()[0] if text.strip() else ""
    return line if len(line) <= _OP_TEXT_LIMIT else line[: _OP_TEXT_LIMIT - 3] + "..."


@dataclass
class DiagnosticLog:
    """Collects remarks and warnings while passes run."""

    entries: list[Diagnostic] = field(default_factory=list)

    def add(self, severity: str, op: ir.Operation | ir.OpView | None, origin: str, message: str) -> None:
        """Record ``message`` about ``op``, or about no operation, once."""
        place = place_of(op.operation.location) if op is not None else Place(NO_FILE)
        entry = Diagnostic(severity, place, origin, message)
        if entry not in self.entries:
            self.entries.append(entry)


def collect_into(context: ir.Context, log: DiagnosticLog) -> None:
    """Send warnings and remarks that ``context`` reports by itself to ``log`` instead of standard error."""

    def handle(info) -> bool:
        severity = str(info.severity).rsplit(".", 1)[-1].lower()
        place = place_of(info.location)
        message = info.message.splitlines()[0] if info.message else "no message"
        notes, op_text = _notes(info)
        log.entries.append(Diagnostic(severity, place, "", message, op_text, notes=notes))
        return True

    context.attach_diagnostic_handler(handle)

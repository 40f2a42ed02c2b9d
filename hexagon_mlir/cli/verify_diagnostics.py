"""``--verify-diagnostics``: compares what was reported with the ``// expected-...`` comments of the input.

``// expected-error {{text}}`` stands on the line it speaks of; ``@+N``, ``@-N``, ``@below``, ``@above`` move
it, ``@unknown`` means a diagnostic without a position. ``expected-warning``, ``expected-remark`` and
``expected-note`` likewise; ``expected-error-re`` takes regular expressions in ``{{..}}`` within the text.
A note carries no position here: only its text is compared. Remarks count once one is expected.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from hexagon_mlir.ir.diagnostics import Diagnostic, HexError, Place

_EXPECTED = re.compile(
    r"expected-(error|warning|remark|note)(-re)?\s*+(?:@([+-]\d+|below|above|unknown))?+\s*+\{\{(.*)\}\}$")
_POSITION = {"below": 1, "above": -1}


@dataclass(frozen=True)
class Expectation:
    """One comment. ``line`` is None for ``@unknown``; ``written`` is the comment's own line."""

    severity: str
    line: int | None
    text: str
    written: int
    pattern: re.Pattern[str] | None = None
    """Of an ``expected-...-re``: what the message holds instead of ``text``."""

    def matches(self, diagnostic: Diagnostic, file: str) -> bool:
        """Is ``diagnostic`` (or for a note, one of its notes) what the comment announces?"""
        if self.severity == "note":
            return any(self._fits(note) for note in diagnostic.notes)
        here = diagnostic.place.line if diagnostic.place.file == file and diagnostic.place.line else None
        message = f"{diagnostic.origin}: {diagnostic.message}" if diagnostic.origin else diagnostic.message
        return diagnostic.severity == self.severity and here == self.line and self._fits(message)

    def _fits(self, message: str) -> bool:
        return self.text in message if self.pattern is None else self.pattern.search(message) is not None


def _pattern(text: str, file: str, line: int) -> re.Pattern[str]:
    """``text``, whose parts in ``{{..}}`` are regular expressions, as one; raises `HexError`."""
    first, *rest = text.split("{{")
    pieces = [re.escape(first)]
    for part in rest:
        expression, closed, literal = part.partition("}}")
        pieces.append(f"(?:{expression}){re.escape(literal)}" if closed else re.escape("{{" + part))
    try:
        return re.compile("".join(pieces))
    except (re.error, OverflowError, RecursionError) as error:
        raise HexError(Diagnostic("error", Place(file, line), "", f"no regular expression: {error}")) from None


def expectations(text: str, lines_before: int, file: str) -> list[Expectation]:
    """The ``expected-...`` comments in ``text``; raises `HexError` for one that cannot be understood."""
    found = []
    for number, line in enumerate(text.splitlines(), start=lines_before + 1):
        comment = line.partition("//")[2].rstrip()
        match = _EXPECTED.search(comment) if comment.endswith("}}") else None  # its end is looked for only once
        if match is None:
            continue
        severity, regex, where, message = match.groups()
        at: int | None = number
        if where == "unknown":
            at = None
        elif where:
            at = number + (_POSITION.get(where) or int(where[:10]))  # no file has as many lines
        found.append(Expectation(severity, at, message, number, _pattern(message, file, number) if regex else None))
    return found


def problems(text: str, lines_before: int, reported: Sequence[Diagnostic], file: str,
             strict_remarks: bool = False) -> list[str]:
    """What differs between comments and ``reported``; empty when they agree."""
    wanted = expectations(text, lines_before, file)
    remarks_count = strict_remarks or any(e.severity == "remark" for e in wanted)
    left = list(reported)
    missing = []
    for expectation in wanted:
        match = next((d for d in (reported if expectation.severity == "note" else left)
                      if expectation.matches(d, file)), None)
        if match is None:
            missing.append(f'{file}:{expectation.written}: error: expected {expectation.severity} '
                           f'"{expectation.text}" was not produced')
        elif expectation.severity != "note":
            left.remove(match)
    return missing + list(_unexpected(left, remarks_count))


def _unexpected(left: Iterable[Diagnostic], remarks_count: bool) -> Iterable[str]:
    for diagnostic in left:
        if diagnostic.severity != "remark" or remarks_count:
            yield (f"{diagnostic.place}: error: unexpected {diagnostic.severity}: "
                   f"{diagnostic.origin + ': ' if diagnostic.origin else ''}{diagnostic.message}")

"""What a pass changed in printed IR, blind to the numbers of values: a new operation renumbers all after it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from difflib import SequenceMatcher
from itertools import zip_longest

CONTEXT_LINES = 3
_VALUE = re.compile(r"%[\w#$.-]+|\^bb\d+|#map\d*")
Row = tuple[str, str, str]
"""(kind, line before, line after); kind is " ", "+", "-", "~" (changed), or "@" between two hunks."""


def ir_diff(before: str, after: str) -> Iterator[tuple[str, str]]:
    """Lines of a unified diff as ("+", text), ("-", text), (" ", text), and ("@", "") between hunks."""
    removed: list[str] = []
    added: list[str] = []

    def changed() -> Iterator[tuple[str, str]]:
        yield from (("-", line) for line in removed)
        yield from (("+", line) for line in added)
        removed.clear()
        added.clear()

    for kind, old, new in side_by_side(before, after):
        if kind in "~-":
            removed.append(old)
        if kind in "~+":
            added.append(new)
        if kind in " @":
            yield from changed()
            yield kind, new
    yield from changed()


def side_by_side(before: str, after: str) -> Iterator[Row]:
    """The rows of a diff in two columns, with `CONTEXT_LINES` around each change."""
    old, new = before.splitlines(), after.splitlines()
    matcher = SequenceMatcher(None, [_VALUE.sub("%", line) for line in old], [_VALUE.sub("%", line) for line in new])
    for number, group in enumerate(matcher.get_grouped_opcodes(CONTEXT_LINES)):
        if number:
            yield "@", "", ""
        for kind, from_old, to_old, from_new, to_new in group:
            pairs = zip_longest(old[from_old:to_old], new[from_new:to_new])
            for left, right in pairs:
                sign = " " if kind == "equal" else "+" if left is None else "-" if right is None else "~"
                yield sign, left or "", right or ""

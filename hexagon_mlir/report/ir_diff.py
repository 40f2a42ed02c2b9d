"""What a pass changed in printed IR, blind to the numbers of values: a new operation renumbers all behind it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from difflib import SequenceMatcher

CONTEXT_LINES = 3
_VALUE = re.compile(r"%[\w#$.-]+|\^bb\d+|#map\d*")


def ir_diff(before: str, after: str) -> Iterator[tuple[str, str]]:
    """Lines of a unified diff as ("+", text), ("-", text), (" ", text), and ("@", "") between hunks."""
    old, new = before.splitlines(), after.splitlines()
    matcher = SequenceMatcher(None, [_VALUE.sub("%", line) for line in old], [_VALUE.sub("%", line) for line in new])
    for number, group in enumerate(matcher.get_grouped_opcodes(CONTEXT_LINES)):
        if number:
            yield "@", ""
        for kind, from_old, to_old, from_new, to_new in group:
            if kind == "equal":
                yield from ((" ", line) for line in new[from_new:to_new])
            else:
                yield from (("-", line) for line in old[from_old:to_old])
                yield from (("+", line) for line in new[from_new:to_new])

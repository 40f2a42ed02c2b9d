"""Assemblies of several modules as one file."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

_LABEL = re.compile(r"\.L[\w.$]+")
_ONCE = re.compile(r"^[ \t]*\.(?:attribute|file)\s.*\n?", re.MULTILINE)
_LAST = '\t.section\t".note.GNU-stack"'


def concatenated(assemblies: Sequence[str], mark: str = "") -> str:
    """The ``assemblies`` of a module's parts as one; labels are renamed where two parts might share one.

    Concatenating results again needs another ``mark`` for the new names.
    """
    first, *others = assemblies
    out, end, last = first.rpartition(_LAST)
    if not end:
        out, last = first, ""
    for number, assembly in enumerate(others, start=1):
        body = _ONCE.sub("", assembly.rpartition(_LAST)[0] or assembly)
        out += "\t.text\n" + _renamed_labels(body, f".{mark}{number}")
    return out + end + last


def undefined(assembly: str, names: Iterable[str]) -> list[str]:
    """Those of ``names`` that ``assembly`` uses and has no label of."""
    used = {name: re.compile(rf"(?<![\w.$]){re.escape(name)}(?![\w.$])(:)?") for name in names}
    found = {name: [match[1] for match in pattern.finditer(assembly)] for name, pattern in used.items()}
    return [name for name, colons in found.items() if colons and not any(colons)]


def _renamed_labels(assembly: str, suffix: str) -> str:
    """``assembly`` with ``suffix`` after its labels; lines with quotes, sections and strings, are unchanged."""
    def renamed(label: re.Match[str]) -> str:
        begin, end = assembly.rfind("\n", 0, label.start()) + 1, assembly.find("\n", label.end())
        return label[0] if assembly.find('"', begin, end) >= 0 else label[0] + suffix

    return _LABEL.sub(renamed, assembly)

"""Remarks of code generation as comments in the assembly, so that they are cached with it."""

from __future__ import annotations

from collections.abc import Iterable

_REMARK = "\t// remark: "


def with_remarks(assembly: str, remarks: Iterable[str]) -> str:
    """``assembly`` with ``remarks``, each of one line, in front."""
    return "".join(f"{_REMARK}{remark}\n" for remark in remarks) + assembly


def remarks_of(assembly: str) -> list[str]:
    """The remarks in ``assembly``, each once, in order."""
    if _REMARK not in assembly:
        return []
    return list(dict.fromkeys(line.removeprefix(_REMARK) for line in assembly.split("\n") if line.startswith(_REMARK)))

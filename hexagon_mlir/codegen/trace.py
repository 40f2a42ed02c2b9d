"""The record of the steps from LLVM IR to assembly, for ``--timing`` and ``--dump-ir``."""

from __future__ import annotations

from typing import NamedTuple

CODE_GENERATION = "llvm-codegen"
"""The step after which the text is assembly."""


class Made(NamedTuple):
    """One step: its name, wall time, and the ``text`` after it, "" where nothing changed."""

    step: str
    seconds: float
    text: str


Trace = list[Made]
"""The records of the steps that ran, in order."""

"""The form table: one `Spec` per instruction form.

A form is the instruction's text without blanks, registers and immediates replaced by class letters:
``R`` 32-bit register, ``RR`` pair, ``V`` HVX vector, ``VV`` vector pair, ``P`` scalar predicate, ``Q`` vector
predicate, ``I`` immediate, ``C``/``CC`` control register, ``M`` modifier register. ``r1 = add(r2,#4)`` is
``R=add(R,I)``.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum
from typing import Any


class Unit(Enum):
    """What a form occupies and how it is timed (scalar classes after LLVM's tc_*, HVX after the PRM)."""

    ALU = "alu"
    TC2 = "tc2"  # min/max, extract, count, add-accumulate
    MPY = "mpy"  # integer multiply
    FLOAT = "float"  # scalar floating point
    LOAD = "load"
    STORE = "store"
    FLOW = "flow"
    SYSTEM = "system"
    VA = "va"  # single-vector ALU
    VA_DV = "va-dv"
    VX = "vx"  # multiply
    VX_DV = "vx-dv"
    VX_LATE = "vx-late"  # occupies a multiply pipe but reads late
    VS = "vs"  # shift
    VP = "vp"  # permute
    VP_VS = "vp-vs"
    V_EXTRACT = "v-extract"
    V_HISTOGRAM = "v-histogram"
    V_LOAD = "v-load"
    V_STORE = "v-store"

    def __init__(self, name: str) -> None:
        self.hvx = name.startswith("v")
        self.early = name in ("vx", "vx-dv", "vs", "vp", "vp-vs")
        """Vector inputs (not accumulators) are read early."""


_TOKEN = re.compile(r"RR|R|VV|V|P|Q|I|M|CC|C(?!O)")
_ASSIGN = re.compile(r"(?<![=!<>])(\+=|-=|\|=|&=|\^=|=)(?!=)")


@dataclass(frozen=True)
class Spec:
    """One form: the classes of its operands in text order and its meaning."""

    template: str
    unit: Unit
    emit: Callable[..., Any]
    dests: tuple[str, ...]
    sources: tuple[str, ...]
    reads_dest: bool
    """The old value of the first destination is the first argument of ``emit``."""
    updates: tuple[int, ...] = ()
    """Sources (by position) that are written as well; their results follow those of ``dests``."""
    implicit: tuple[tuple[str, int], ...] = ()
    """Registers (class, number) that are written without being named; their results come last."""


FORMS: dict[str, Spec] = {}


def classes(text: str) -> tuple[str, ...]:
    """The operand classes named in a template, in order."""
    return tuple(_TOKEN.findall(text))


def form(
    template: str, unit: Unit, emit: Callable[..., Any], reads_dest: bool = False, updates: tuple[int, ...] = (),
    implicit: tuple[tuple[str, int], ...] = (),
) -> None:  # fmt: skip
    """Enter one form. ``emit`` gets the sources, after the old destination if that is read too."""
    key = template.replace(" ", "")
    if key in FORMS:
        raise ValueError(f"form entered twice: {key}")
    found = _ASSIGN.search(key)
    if found is None and not updates:
        raise ValueError(f"no assignment in {key}")
    FORMS[key] = Spec(
        key,
        unit,
        emit,
        classes(key[: found.start()]) if found else (),
        classes(key[found.end() :] if found else key),
        reads_dest or (found is not None and found.group(1) != "="),
        updates,
        implicit,
    )

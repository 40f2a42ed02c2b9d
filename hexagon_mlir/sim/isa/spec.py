"""The form table: one `Spec` per instruction form.

A form is the instruction's text without blanks, registers and immediates replaced by class letters:
``R`` 32-bit register, ``RR`` pair, ``V`` HVX vector, ``VV`` vector pair, ``P`` scalar predicate, ``Q`` vector
predicate, ``I`` immediate, ``C``/``CC`` control register, ``M`` modifier register. ``r1 = add(r2,#4)`` is
``R=add(R,I)``.
"""

from __future__ import annotations

import functools
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

_VECTOR = re.compile(r"(VV|V)(?:\.(\w+))?")
EXTENDED = ("qf32", "qf16", "x")
"""Suffixes of operands that come with their extension bits, on chips that have them."""


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
    extended: tuple[bool, ...] = ()
    """Of each source: whether it comes with extension bits."""


    @functools.cached_property
    def since(self) -> int:
        """The first generation that has the form; 0 for those of all."""
        return since(self.template)


SINCE = (
    (81, r"V\.qf(16|32)=v(abs|neg)\(|V\.qf32=V\.(sf|qf32)$|V\.qf16=V\.(hf|qf16)$|vcmp\.eq\(V\.(hf|sf)|V\.h=V\.hf:rnd"
         r"|V\.qf16=vsub\(V\.hf,V\.qf16|V\.qf32=vsub\(V\.sf,V\.qf32|V\.bf=VV\.qf32|vilog2|valign4"),
    (79, r"\.f8|vcvt2|V\.qf\d+=vmpy\(V\.\w+,R\.[hs]f\)|V\.x"),
    (73, r"V\.bf|V\.h=V\.hf$|V\.hf=V\.h$|V\.sf=V\.w$|V\.w=V\.sf$"),
    (69, r"=vasr\(VV\.|vmpy\(V\.uh,V\.uh\):>>16"),
    (68, r"V\.([sh]f|qf)"),
)  # fmt: skip
"""First generation by the guards of clang's hvx_hexagon_protos.h (LLVM 22)."""
FORMS: dict[str, Spec] = {}


def since(template: str) -> int:
    """`Spec.since`."""
    return next((generation for generation, pattern in SINCE if re.search(pattern, template)), 0)


def classes(text: str) -> tuple[str, ...]:
    """The operand classes named in a template, in order."""
    return tuple(_TOKEN.findall(text))


def marked(text: str) -> list[bool]:
    """Of each vector register named in a template: whether it has a suffix that extension bits belong to."""
    found: list[bool] = []
    for cls, suffix in _VECTOR.findall(text):
        found += [suffix in EXTENDED] * len(cls)
    return found


def form(
    template: str, unit: Unit, emit: Callable[..., Any], reads_dest: bool = False, updates: tuple[int, ...] = (),
    implicit: tuple[tuple[str, int], ...] = (),
) -> None:  # fmt: skip
    """Enter one form. ``emit`` gets the sources, after the old destination if that is read too."""
    key = template.replace(" ", "")
    if key in FORMS:
        raise ValueError(f"form entered twice: {key}")
    found = _ASSIGN.search(key)
    right = key[found.end() :] if found else key
    if found is None and not updates:
        raise ValueError(f"no assignment in {key}")
    FORMS[key] = Spec(
        key,
        unit,
        emit,
        classes(key[: found.start()]) if found else (),
        classes(right),
        reads_dest or (found is not None and found.group(1) != "="),
        updates,
        implicit,
        _extended(right),
    )


def _extended(right: str) -> tuple[bool, ...]:
    """`Spec.extended` of the right side of a template."""
    if not any(f".{suffix}" in right for suffix in EXTENDED):
        return ()
    suffixes = iter(_VECTOR.findall(right))
    return tuple(cls in ("V", "VV") and next(suffixes)[1] in EXTENDED for cls in classes(right))

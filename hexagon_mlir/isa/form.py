"""Instruction forms: the operands of each, what it reads and writes, its unit, and the chips that have it.

A form is the instruction's text without blanks, registers and immediates replaced by class letters:
``R`` 32-bit register, ``RR`` pair, ``V`` HVX vector, ``VV`` vector pair, ``P`` scalar predicate, ``Q`` vector
predicate, ``I`` immediate, ``C``/``CC`` control register, ``M`` modifier register. ``r1 = add(r2,#4)`` is
``R=add(R,I)``.

`FORMS` is read from the rows of `hexagon_mlir.isa.forms`: unit, form, and marks where they say more than the text:
``v73`` is the first generation with the form (the guards of clang's hvx_hexagon_protos.h, LLVM 22),
``reads-destination`` that the old destination is an operand, ``updates=0,1`` the sources that are written as well, by
position, ``writes=P0`` a register that is written without being named, ``V6.vaddb`` the intrinsics of LLVM that become
the form alone, ``last=v75`` the last generation with the form, ``a6e00011`` its word with zeros for its fields. Units
and intrinsics of HVX are those of the same header.

Forms of the matrix engine write no register; `hexagon_mlir.isa.matrix` has them.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache

from hexagon_mlir.isa.forms import (
    hvx_float,
    hvx_integer,
    hvx_multiply,
    hvx_permute,
    scalar,
    scalar_float,
    scalar_lanes,
    scalar_multiply,
)
from hexagon_mlir.isa.unit import Unit

EXTENDED = ("qf32", "qf16", "x")
"""Suffixes of operands that come with their extension bits, on chips that have them."""
CHAPTERS = (hvx_float, hvx_integer, hvx_multiply, hvx_permute, scalar, scalar_float, scalar_lanes, scalar_multiply)
_TOKEN = re.compile(r"RR|R|VV|V|P|Q|I|M|CC|C(?!O)")
_ASSIGN = re.compile(r"(?<![=!<>])(\+=|-=|\|=|&=|\^=|=)(?!=)")
_SUFFIXED = re.compile(rf"({_TOKEN.pattern})(?:\.(\w+))?")
_FLOAT = re.compile(r"\.(qf32|sf|qf16|hf|bf|f8)\b")
_VECTOR = re.compile(r"(VV|V)(?:\.(\w+))?")
_GENERATION = re.compile(r"v\d+")
_OPCODE = re.compile(r"[0-9a-f]{8}")


@dataclass(frozen=True)
class Form:
    """One form: the classes of its operands in text order, and what else the ISA says of it."""

    template: str
    unit: Unit
    dests: tuple[str, ...]
    sources: tuple[str, ...]
    reads_dest: bool = False
    """The old value of the first destination is an operand."""
    updates: tuple[int, ...] = ()
    """Sources (by position) that are written as well; their results follow those of ``dests``."""
    implicit: tuple[tuple[str, int], ...] = ()
    """Registers (class, number) that are written without being named; their results come last."""
    extended: tuple[bool, ...] = ()
    """Of each source: whether it comes with extension bits; empty where none does."""
    intrinsics: tuple[str, ...] = ()
    """LLVM's names, without the ``llvm.hexagon.`` and ``.128B`` around them."""
    since: int = 0
    """The first generation that has the form; 0 for those of all."""
    last: int = 0
    """The last generation that has it; 0 where none has dropped it."""
    opcode: int = 0
    """The 32-bit word with zeros for its fields; 0 where the table has none."""

    def lacking(self, version: int) -> str:
        """Why generation ``version`` does not have the form, as in "exists from v79 on"; "" if it does."""
        if version < self.since:
            return f"exists from v{self.since} on"
        return f"exists up to v{self.last}" if self.last and version > self.last else ""


def classes(text: str) -> tuple[str, ...]:
    """The operand classes named in a template, in order."""
    return tuple(_TOKEN.findall(text))


@cache
def suffixes(key: str) -> tuple[str, ...]:
    """The type suffix of each operand named in a template, in text order; "" for one without."""
    return tuple(found[1] or "" for found in _SUFFIXED.findall(key))


def float_suffixes(text: str) -> tuple[str, ...]:
    """The kinds of float lanes that a template or instructions name, each once, sorted."""
    return tuple(sorted(set(_FLOAT.findall(text))))


def right_side(key: str) -> str:
    """What the form of ``key`` assigns, or all of a template without an assignment."""
    assign = _ASSIGN.search(key)
    return key[assign.end():] if assign else key


def marked(text: str) -> list[bool]:
    """Of each vector register named in a template: whether it has a suffix that extension bits belong to."""
    found: list[bool] = []
    for cls, suffix in _VECTOR.findall(text):
        found += [suffix in EXTENDED] * len(cls)
    return found


def read(row: str) -> Form:
    """The form of a ``row`` of the table; raises `ValueError` for one that is none."""
    unit, template, *marks = row.split()
    since = [mark for mark in marks if _GENERATION.fullmatch(mark)]
    opcodes = [mark for mark in marks if _OPCODE.fullmatch(mark)]
    intrinsics = [mark for mark in marks if mark.startswith("V6.")]
    options = dict(mark.partition("=")[::2] for mark in marks if mark not in (*since, *opcodes, *intrinsics))
    if unknown := set(options) - {"reads-destination", "updates", "writes", "last"}:
        raise ValueError(f"unknown marks {sorted(unknown)} in '{row}'")
    engine = Unit(unit) is Unit.MATRIX  # its instructions assign to no register
    assign = None if engine else _ASSIGN.search(template)
    if assign is None and "updates" not in options and not engine:
        raise ValueError(f"no assignment in '{row}'")
    right = template if engine else right_side(template)
    return Form(
        template,
        Unit(unit),
        classes(template[:assign.start()]) if assign else (),
        classes(right),
        "reads-destination" in options or (assign is not None and assign.group(1) != "="),
        tuple(int(position) for position in options.get("updates", "").split(",") if position),
        tuple((register[0], int(register[1:])) for register in options.get("writes", "").split(",") if register),
        _extended(right),
        tuple(intrinsics),
        int(since[0][1:]) if since else 0,
        int(options.get("last", "v0")[1:]),
        int(opcodes[0], 16) if opcodes else 0,
    )


def _extended(right: str) -> tuple[bool, ...]:
    """`Form.extended` of the right side of a template."""
    if not any(f".{suffix}" in right for suffix in EXTENDED):
        return ()
    suffixes = iter(_VECTOR.findall(right))
    return tuple(cls in ("V", "VV") and next(suffixes)[1] in EXTENDED for cls in classes(right))


def table(rows: Iterable[str]) -> dict[str, Form]:
    """Template to form; raises `ValueError` for a form that stands twice."""
    found: dict[str, Form] = {}
    for form in map(read, rows):
        if form.template in found:
            raise ValueError(f"form entered twice: {form.template}")
        found[form.template] = form
    return found


FORMS = table(row for chapter in CHAPTERS for row in chapter.ROWS.strip().splitlines())
BY_INTRINSIC = {name: form for form in FORMS.values() for name in form.intrinsics}

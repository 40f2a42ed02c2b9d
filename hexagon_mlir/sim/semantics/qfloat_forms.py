"""Common code of the tables of qfloat forms: the registration of a form, and the lanes of its semantics.

With `Arithmetic.CHIP` a form computes as the chip does: `qfloat_legacy` to v75, `qfloat_extended` from v79, where a
register has extension bits that only these forms use. With `Arithmetic.IEEE` a qfloat register holds plain f32 or f16
lanes, and every operation rounds to nearest even.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from hexagon_mlir.isa.form import classes, marked
from hexagon_mlir.sim.semantics import qfloat_extended as extended
from hexagon_mlir.sim.semantics import qfloat_legacy as legacy
from hexagon_mlir.sim.semantics.lanes import even, narrow, odd
from hexagon_mlir.sim.semantics.registry import semantics
from hexagon_mlir.sim.semantics.routines import Body, routine
from hexagon_mlir.sim.semantics.value import Val

Emit = Callable[..., Any]
FORMATS = (
    ("qf32", "sf", legacy.SINGLE, extended.SINGLE), ("qf16", "hf", legacy.HALF, extended.HALF),
)  # fmt: skip
"""Register, IEEE suffix, and the format to v75 and from v79."""


def kind(suffix: str) -> str:
    """Of an operand."""
    return "qf" if suffix.startswith("qf") else "ieee"


class Extended(NamedTuple):
    """A register with its extension bits, four in each word."""

    register: Val
    bits: Val


def as_given(call: Emit, *operands: Any) -> Any:
    """The usual ``prepare`` of `entered`."""
    return call(*operands)


def entered(
    template: str, ieee: Emit, name: str, old: Body | None, new: Body, prepare: Emit = as_given
) -> None:
    """Enter a form: ``ieee`` on registers, or the routines ``old`` (to v75) and ``new`` (from v79) called ``name``.

    Those take and give lanes of single registers; ``new`` takes and gives extension bits after each register that the
    template marks as qfloat. ``prepare`` calls one of the three with the operands of the form.
    """
    left, right = template.split("=")
    takes, gives = (sum({"V": 1, "VV": 2}.get(cls, 1) for cls in classes(side)) for side in (right, left))
    extra_in, extra_out = (sum(marked(side)) for side in (right, left))
    call_old = routine(name, old, takes, gives) if old else None
    call_new = routine(f"x_{name}", new, takes + extra_in, gives + extra_out, extended=True)

    def chip(*operands: Any) -> Any:
        words = [word for operand in operands for word in (operand if isinstance(operand, tuple) else (operand,))]
        words = [part for word in words for part in (word if isinstance(word, Extended) else (word,))]
        if not words[0].code.floats.extended:
            assert call_old is not None
            results: list[Any] = list(call_old(*words))
        else:
            results = list(call_new(*words))
            if extra_out:
                results = [Extended(*two) for two in zip(results[::2], results[1::2], strict=True)]
        return tuple(results) if gives > 1 else results[0]

    def choose(*operands: Any) -> Any:
        first = next(part for operand in operands for part in (operand if isinstance(operand, tuple) else (operand,)))
        floats = (first.register if isinstance(first, Extended) else first).code.floats
        return prepare(chip if floats.chip else ieee, *operands)

    semantics(template, choose)


# -- lanes ---------------------------------------------------------------------------------------------------
def by_lanes(wide: bool, compute: Callable[..., Val]) -> Body:
    """``compute`` on words, or on the even and the odd halves, sign-extended."""

    def body(*registers: Val) -> tuple[Val]:
        if wide:
            return (compute(*registers),)
        return (narrow(*(compute(*(part(r, 16, True) for r in registers)) for part in (even, odd))),)

    return body


def numbers(
    words: tuple[Val, ...], kinds: tuple[str, ...], f: extended.Format, part: int | None
) -> list[extended.Number]:
    """The operands of a routine in the order of ``kinds``; of half words, those of ``part`` (0 even, 1 odd)."""
    found, rest = [], list(words)
    for kind in kinds:
        word = rest.pop(0)
        bits = rest.pop(0) if kind == "qf" else None
        if part is not None:
            word = (odd if part else even)(word, 16, True)
        if bits is None:
            found.append(extended.ieee(word, f))
        elif f is extended.SINGLE:
            found.append(extended.single(word, bits))
        else:
            found.append(extended.half(word, (bits.lshr(2) if part else bits) & 3))
    return found


def on_numbers(kinds: tuple[str, ...], f: extended.Format, compute: Callable[..., extended.Words]) -> Body:
    """``compute`` on numbers, giving a qfloat register of the same format and its bits."""

    def body(*words: Val) -> tuple[Val, ...]:
        if f is extended.SINGLE:
            return compute(*numbers(words, kinds, f, None))
        (low, low_bits), (high, high_bits) = (compute(*numbers(words, kinds, f, part)) for part in (0, 1))
        return narrow(low, high), low_bits | (high_bits << 2)

    return body

"""The reference interpreter's own meaning of each instruction form, found by pattern.

A pattern is a form key (see `isa.spec`) with choices: ``V.{b|h|w}=vadd(V.{1},V.{1})`` stands for three forms,
``{1}`` repeats the first choice. A rule gets the choices as strings, then the operand values:

======  ===============================================================
``R``   int, 0 .. 2**32-1 (``RR`` 2**64-1, ``P`` 255); any int as result
``I``   int as written
``V``   128 bytes as a uint8 array; a result may have any lane type
``VV``  (low, high) of such
``Q``   128 bools; a result may have one bool per lane
======  ===============================================================

A form that also reads its destination gets the old value first. Two families follow from others and need no
rule: ``x op= y`` from ``x = y``, and additions of vector pairs, one half at a time.

A ``chip_rule`` is the meaning of a form under some `Model`; it gets the model before all else, and vectors as `Vector`
with their extension bits, which its results may have too.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Callable
from typing import Any

import numpy as np

from hexagon_mlir.sim.reference.arithmetic import Model, Vector

Rule = Callable[..., Any]

_RULES: list[tuple[re.Pattern[str], Rule]] = []
_CHIP_RULES: list[tuple[re.Pattern[str], str, Rule]] = []
_CHOICE = re.compile(r"\{([^{}]*)\}")
_UPDATE = re.compile(r"(?<![=!<>])(\+|-|\||&|\^)=(?!=)")
_FLOAT = re.compile(r"V\.(qf32|qf16|sf|hf|bf|f8)\b")

DTYPES: dict[str, Any] = {
    "b": np.int8, "ub": np.uint8, "h": np.int16, "uh": np.uint16, "w": np.int32, "uw": np.uint32,
    "hf": np.float16, "qf16": np.float16, "sf": np.float32, "qf32": np.float32,
}  # fmt: skip
"""Lane type of each suffix; qfloat lanes hold IEEE values (the model of the translated simulator too)."""

LANES = {"b": (8, True), "ub": (8, False), "h": (16, True), "uh": (16, False), "w": (32, True), "uw": (32, False)}
"""Bits and signedness of each suffix inside scalar registers."""


def _compile(pattern: str) -> re.Pattern[str]:
    pieces = []
    position = 0
    for found in _CHOICE.finditer(pattern):
        pieces.append(re.escape(pattern[position : found.start()]))
        body = found.group(1)
        if body.isdigit():
            pieces.append(f"\\{body}")
        else:
            pieces.append("(" + "|".join(re.escape(choice) for choice in body.split("|")) + ")")
        position = found.end()
    return re.compile("".join(pieces) + re.escape(pattern[position:]))


def rule(*patterns: str) -> Callable[[Rule], Rule]:
    """Enter a rule for each pattern."""

    def enter(function: Rule) -> Rule:
        for pattern in patterns:
            _RULES.append((_compile(pattern), function))
        return function

    return enter


def chip_rule(*patterns: str, qfloat: str = "") -> Callable[[Rule], Rule]:
    """Enter a rule for each pattern, for one generation of ``qfloat`` or for both."""

    def enter(function: Rule) -> Rule:
        for pattern in patterns:
            _CHIP_RULES.append((_compile(pattern), qfloat, function))
        return function

    return enter


@functools.cache
def find(key: str) -> Rule | None:
    """The meaning of a form, or None."""
    for pattern, function in _RULES:
        if found := pattern.fullmatch(key):
            groups = found.groups()
            return functools.partial(function, *groups) if groups else function
    return _update(key, find) or _halves(key)


def depends(key: str, model: Model) -> bool:
    """True of forms that `find_chip` knows and not `find`: floats of a chip, extension bits, and conversions, whose
    order of lanes is the chip's in any case."""
    return ".x" in key or "vcvt" in key or (model.arithmetic == "chip" and _FLOAT.search(key) is not None)


@functools.cache
def find_chip(key: str, model: Model) -> Rule | None:
    """The meaning of such a form, or None."""
    for pattern, qfloat, function in _CHIP_RULES:
        if qfloat in ("", model.qfloat) and (found := pattern.fullmatch(key)):
            return functools.partial(function, model, *found.groups())
    return _update(key, functools.partial(find_chip, model=model))


def _update(key: str, find: Callable[[str], Rule | None]) -> Rule | None:
    """``x op= y`` from ``x = y``."""
    found = _UPDATE.search(key)
    if found is None or ":sat" in key or re.match(r"RR?\W+v", key):
        return None  # a saturating update saturates the sum; lanes of a scalar register add separately
    dest, op = key[: found.start()], found.group(1)
    plain = find(f"{dest}={key[found.end():]}")
    if plain is None:
        return None

    def apply(old: Any, *arguments: Any) -> Any:
        return _combine(op, dest, _bytes(old), _bytes(plain(*arguments)))

    return apply


def _bytes(value: Any) -> Any:
    return value.data if isinstance(value, Vector) else value


def _combine(op: str, dest: str, old: Any, new: Any) -> Any:
    cls, _, suffix = dest.partition(".")
    if cls == "VV":
        return tuple(_combine(op, "V." + suffix, o, n) for o, n in zip(old, new, strict=True))
    if cls == "V":
        dtype = DTYPES.get(suffix, np.uint8)
        old, new = old.view(dtype), as_bytes(new).view(dtype)
    if cls == "Q":
        new = np.repeat(new, 128 // new.size)
    if op == "+":
        return old + new
    if op == "-":
        return old - new
    if op == "|":
        return old | new
    return old & new if op == "&" else old ^ new


def _halves(key: str) -> Rule | None:
    """An addition or subtraction of vector pairs: the single-vector form on each half."""
    if not re.fullmatch(r"VV\.\w+=v(add|sub)\(VV\.\w+,VV\.\w+\)(:sat)?", key):
        return None
    single = find(key.replace("VV", "V"))
    if single is None:
        return None

    def apply(*arguments: Any) -> tuple[Any, Any]:
        low, high = ([a[i] if isinstance(a, tuple) else a for a in arguments] for i in (0, 1))
        return single(*low), single(*high)

    return apply


def as_bytes(value: np.ndarray) -> np.ndarray:
    """A vector result as its 128 bytes."""
    raw = np.ascontiguousarray(value).view(np.uint8)
    if raw.size != 128:
        raise ValueError(f"a vector result has {raw.size} bytes")
    return raw


def signed(value: int, bits: int) -> int:
    """The low ``bits`` of ``value`` as a signed number."""
    value &= (1 << bits) - 1
    return value - (1 << bits) if value >> (bits - 1) else value


STICKY: set[int] = set()
"""Bits of USR that the rule at work has set."""
OVERFLOW, INVALID, DIVIDED_BY_ZERO, FLOAT_OVERFLOW, UNDERFLOW, INEXACT = range(6)


def saturate(value: int, bits: int, is_signed: bool = True) -> int:
    """The nearest number of ``bits``; USR tells whether it is another one."""
    result = clamp(value, bits, is_signed)
    if result != value:
        STICKY.add(OVERFLOW)
    return result


def clamp(value: int, bits: int, is_signed: bool = True) -> int:
    low, high = (-(1 << bits - 1), (1 << bits - 1) - 1) if is_signed else (0, (1 << bits) - 1)
    return min(max(value, low), high)


def unpack(value: int, bits: int, total: int, is_signed: bool) -> list[int]:
    """Lanes of a scalar register, lowest first."""
    lanes = [value >> i & ((1 << bits) - 1) for i in range(0, total, bits)]
    return [signed(lane, bits) for lane in lanes] if is_signed else lanes


def pack(lanes: list[int], bits: int) -> int:
    result = 0
    for index, lane in enumerate(lanes):
        result |= (lane & ((1 << bits) - 1)) << (index * bits)
    return result


def shifted(name: str, value: int, amount: int, bits: int) -> int:
    """``value`` moved by a shift of ``bits`` wide numbers; a negative amount shifts the other way."""
    if name in ("asl", "asr"):
        value = signed(value, bits)
    left = amount if name.endswith("l") else -amount
    return value << left if left >= 0 else value >> -left

"""Lanes inside scalar registers and pairs: extracted as i64, inserted by `pack`."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from hexagon_mlir.sim.semantics.lanes import clamp
from hexagon_mlir.sim.semantics.sticky import OVERFLOW, raised
from hexagon_mlir.sim.semantics.value import Type, Val

SIZES = {"b": (8, True), "ub": (8, False), "h": (16, True), "uh": (16, False), "w": (32, True), "uw": (32, False)}
"""Lane suffix -> (bits, signed)."""


def lane(value: Val, bits: int, index: int, signed: bool = True) -> Val:
    """One lane of an i32 or i64, extended to i64."""
    wide = value.zext(64)
    if signed:
        return (wide << (64 - bits * (index + 1))) >> (64 - bits)
    return wide.lshr(bits * index) & ((1 << bits) - 1)


def lanes(value: Val, bits: int, signed: bool = True) -> list[Val]:
    """All lanes of an i32 or i64, low first, each as i64."""
    return [lane(value, bits, i, signed) for i in range(value.ty.bits // bits)]


def pack(parts: Sequence[Val], bits: int) -> Val:
    """The low ``bits`` of each i64, low lane first, as i32 or i64."""
    mask = (1 << bits) - 1
    result = parts[0] & mask
    for index, part in enumerate(parts[1:], 1):
        result = result | ((part & mask) << (bits * index))
    return result.trunc(32) if bits * len(parts) == 32 else result


def saturate(value: Val, bits: int, signed: bool = True) -> Val:
    """An i64 clamped to ``bits``; saturation sets the bit of USR."""
    result = clamp(value, bits, signed)
    if value.code.sticky is not None:
        raised(OVERFLOW, result.icmp("ne", value))
    return result


def saturating(name: str, a: Val, b: Val | int) -> Val:
    """Signed ``add`` or ``sub`` in the size of ``a``, clamped."""
    result = a.two(f"s{name}.sat", b)
    if a.code.sticky is not None:
        raised(OVERFLOW, result.icmp("ne", a.bin(name, b)))
    return result


def mapped(bits: int, signed: bool, function: Callable[..., Val]) -> Callable[..., Val]:
    """``function`` on corresponding lanes of its register arguments."""

    def apply(*registers: Val) -> Val:
        columns = zip(*(lanes(r, bits, signed) for r in registers), strict=True)
        return pack([function(*column) for column in columns], bits)

    return apply


def total(parts: Sequence[Val]) -> Val:
    """The sum of i64 values."""
    result = parts[0]
    for part in parts[1:]:
        result = result + part
    return result


def convergent(value: Val) -> Val:
    """Add one when the two low bits are 11: halves then round to even."""
    return value + (value & 3).icmp("eq", 3).zext(64)


def table(name: str, entries: bytes, index: Val) -> Val:
    """``entries[index]`` as i32; the index wraps at their number, a power of two."""
    code = index.code
    listed = ", ".join(f"i8 {entry}" for entry in entries)
    code.declarations.add(f"@sim_{name} = internal constant [{len(entries)} x i8] [{listed}]")
    pointer = "%" + code.name()
    bounded = index & (len(entries) - 1)
    code.put(f"{pointer} = getelementptr i8, ptr @sim_{name}, i32 {bounded.name}")
    return code.load(pointer, Type(1, "i", 8)).zext(32)

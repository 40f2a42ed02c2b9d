"""Scalar multiplies beyond 32 x 32: halfwords, fractional, complex, lanes, carry-less (V73 PRM 80-N2040-53, XTYPE/MPY).

``:<<1`` doubles the product, ``:rnd`` adds half of what is cut off, ``:sat`` clamps to the result's size, ``*``
conjugates the second operand. The sticky overflow bit of USR is not modelled.
"""

from __future__ import annotations

from collections.abc import Callable

from hexagon_mlir.sim.semantics.packed import lane, lanes, pack, saturate, total
from hexagon_mlir.sim.semantics.registry import semantics
from hexagon_mlir.sim.semantics.value import I64, Val

HALF = {"l": 0, "h": 1}
ROUND16 = 0x8000
Op = Callable[[Val, Val], Val]
SIGNS: dict[str, Op] = {"+": Val.__add__, "-": Val.__sub__}


def scaled(value: Val, mark: str) -> Val:
    """``:<<1``."""
    return value << 1 if "<<1" in mark else value


def _halfwords() -> None:
    for a, i in HALF.items():
        for b, j in HALF.items():
            def product(s: Val, t: Val, mark: str = "", signed: bool = True, i: int = i, j: int = j) -> Val:
                return scaled(lane(s, 16, i, signed) * lane(t, 16, j, signed), mark)

            for mark in (":sat", ":<<1", ":<<1:sat", ":rnd", ":rnd:sat", ":<<1:rnd", ":<<1:rnd:sat"):
                def single(s: Val, t: Val, m: str = mark, f=product) -> Val:
                    value = f(s, t, m) + (ROUND16 if "rnd" in m else 0)
                    return (saturate(value, 32) if "sat" in m else value).trunc(32)

                semantics(f"R=mpy(R.{a},R.{b}){mark}", single)
            semantics(f"R=mpyu(R.{a},R.{b}):<<1", lambda s, t, f=product: f(s, t, "<<1", False).trunc(32))
            for mark in ("", ":<<1", ":rnd", ":<<1:rnd"):
                semantics(f"RR=mpy(R.{a},R.{b}){mark}", lambda s, t, m=mark, f=product: f(s, t, m) + (
                    ROUND16 if "rnd" in m else 0))  # fmt: skip
            for mark in ("", ":<<1"):
                semantics(f"RR=mpyu(R.{a},R.{b}){mark}", lambda s, t, m=mark, f=product: f(s, t, m, False))
            for sign, op in SIGNS.items():
                for mark in (":sat", ":<<1", ":<<1:sat"):
                    def accumulate(x: Val, s: Val, t: Val, m: str = mark, f=product, g=op) -> Val:
                        value = g(x.sext(64), f(s, t, m))
                        return (saturate(value, 32) if "sat" in m else value).trunc(32)

                    semantics(f"R{sign}=mpy(R.{a},R.{b}){mark}", accumulate)
                semantics(f"R{sign}=mpyu(R.{a},R.{b}):<<1", lambda x, s, t, f=product, g=op: g(
                    x, f(s, t, "<<1", False).trunc(32)))  # fmt: skip
                for mark in ("", ":<<1"):
                    semantics(f"RR{sign}=mpy(R.{a},R.{b}){mark}", lambda x, s, t, m=mark, f=product, g=op: g(
                        x, f(s, t, m)))  # fmt: skip
                    semantics(f"RR{sign}=mpyu(R.{a},R.{b}){mark}", lambda x, s, t, m=mark, f=product, g=op: g(
                        x, f(s, t, m, False)))  # fmt: skip


def _words() -> None:
    def product(s: Val, t: Val) -> Val:
        return s.sext(64) * t.sext(64)

    semantics("R=mpy(R,R):<<1", lambda s, t: (product(s, t) >> 31).trunc(32))
    semantics("R=mpy(R,R):<<1:sat", lambda s, t: saturate(product(s, t) >> 31, 32).trunc(32))
    semantics("R=mpy(R,R):rnd", lambda s, t: ((product(s, t) + (1 << 31)) >> 32).trunc(32))
    for sign, op in SIGNS.items():
        semantics(f"R{sign}=mpy(R,R):<<1:sat", lambda x, s, t, g=op: saturate(
            g(x.sext(64), product(s, t) >> 31), 32).trunc(32))  # fmt: skip
    for b, j in HALF.items():
        for mark, extra in (("", 0), (":rnd", 0x4000)):
            semantics(f"R=mpy(R,R.{b}):<<1{mark}:sat", lambda s, t, j=j, e=extra: saturate(
                (s.sext(64) * lane(t, 16, j) + e) >> 15, 32).trunc(32))  # fmt: skip
    semantics("R=mpyui(R,R)", lambda s, t: s * t)


def complex_parts(s: list[Val], t: list[Val], conjugate: bool) -> tuple[Val, Val]:
    """Real and imaginary part of (s0 + j s1)(t0 + j t1)."""
    if conjugate:
        return s[0] * t[0] + s[1] * t[1], s[1] * t[0] - s[0] * t[1]
    return s[0] * t[0] - s[1] * t[1], s[1] * t[0] + s[0] * t[1]


def _complex() -> None:
    for star, conjugate in (("", False), ("*", True)):
        def parts(s: Val, t: Val, mark: str = "", c: bool = conjugate) -> list[Val]:
            return [scaled(p, mark) for p in complex_parts(lanes(s, 16), lanes(t, 16), c)]

        for shift in ("", ":<<1"):
            semantics(f"RR=cmpy(R,R{star}){shift}:sat", lambda s, t, m=shift, f=parts: pack(
                [saturate(p, 32) for p in f(s, t, m)], 32))  # fmt: skip
            semantics(f"R=cmpy(R,R{star}){shift}:rnd:sat", lambda s, t, m=shift, f=parts: pack(
                [saturate(p + ROUND16, 32) >> 16 for p in f(s, t, m)], 16))  # fmt: skip
            for sign, op in SIGNS.items():
                semantics(f"RR{sign}=cmpy(R,R{star}){shift}:sat", lambda x, s, t, m=shift, f=parts, g=op: pack(
                    [saturate(g(o, p), 32) for o, p in zip(lanes(x, 32), f(s, t, m), strict=True)], 32))  # fmt: skip
        for letter, index in (("r", 0), ("i", 1)):
            if not star:
                semantics(f"RR=cmpy{letter}(R,R)", lambda s, t, k=index, f=parts: f(s, t)[k])
                semantics(f"RR+=cmpy{letter}(R,R)", lambda x, s, t, k=index, f=parts: x + f(s, t)[k])
            semantics(f"R=cmpy{letter}wh(RR,R{star}):<<1:rnd:sat", lambda s, t, k=index, c=conjugate: saturate(
                (complex_parts(lanes(s, 32), lanes(t, 16), c)[k] + 0x4000) >> 15, 32).trunc(32))  # fmt: skip

            def both(s: Val, t: Val, k: int = index, c: bool = conjugate) -> Val:
                a, b = lanes(s, 16), lanes(t, 16)
                return complex_parts(a[:2], b[:2], c)[k] + complex_parts(a[2:], b[2:], c)[k]

            semantics(f"RR=vrcmpy{letter}(RR,RR{star})", both)
            semantics(f"RR+=vrcmpy{letter}(RR,RR{star})", lambda x, s, t, f=both: x + f(s, t))

            def words(s: Val, t: Val, k: int = index, c: bool = conjugate) -> Val:
                return complex_parts(lanes(s, 32), lanes(t, 32), c)[k]

            semantics(f"RR=cmpy{letter}w(RR,RR{star})", words)
            semantics(f"RR+=cmpy{letter}w(RR,RR{star})", lambda x, s, t, f=words: x + f(s, t))
            for mark, extra in (("", 0), (":rnd", 1 << 30)):
                semantics(f"R=cmpy{letter}w(RR,RR{star}):<<1{mark}:sat", lambda s, t, f=words, e=extra: saturate(
                    (f(s, t) + e) >> 31, 32).trunc(32))  # fmt: skip
    for letter, index in (("r", 0), ("i", 1)):
        def lanewise(s: Val, t: Val, mark: str = "", k: int = index) -> list[Val]:
            a, b = lanes(s, 16), lanes(t, 16)
            return [scaled(complex_parts(a[n : n + 2], b[n : n + 2], False)[k], mark) for n in (0, 2)]

        for shift in ("", ":<<1"):
            semantics(f"RR=vcmpy{letter}(RR,RR){shift}:sat", lambda s, t, m=shift, f=lanewise: pack(
                [saturate(p, 32) for p in f(s, t, m)], 32))  # fmt: skip
        semantics(f"RR+=vcmpy{letter}(RR,RR):sat", lambda x, s, t, f=lanewise: pack(
            [saturate(o + p, 32) for o, p in zip(lanes(x, 32), f(s, t), strict=True)], 32))  # fmt: skip
    semantics("RR=vdmpyw(RR,RR)", lambda s, t: total([a * b for a, b in zip(lanes(s, 32), lanes(t, 32), strict=True)]))
    semantics("RR+=vdmpyw(RR,RR)", lambda x, s, t: x + total(
        [a * b for a, b in zip(lanes(s, 32), lanes(t, 32), strict=True)]))  # fmt: skip
    for name, index in (("lo", 0), ("hi", 1)):
        def real_scaled(s: Val, t: Val, k: int = index) -> list[Val]:
            """Two complex numbers times two real halfwords of one word of t, summed."""
            a, b = lanes(s, 16), lanes(t, 16)[2 * k : 2 * k + 2]
            return [((a[n] * b[0]) << 1) + ((a[n + 2] * b[1]) << 1) for n in (0, 1)]

        semantics(f"RR=vrcmpys(RR,RR):<<1:sat:raw:{name}", lambda s, t, f=real_scaled: pack(
            [saturate(p, 32) for p in f(s, t)], 32))  # fmt: skip
        semantics(f"RR+=vrcmpys(RR,RR):<<1:sat:raw:{name}", lambda x, s, t, f=real_scaled: pack(
            [saturate(o + p, 32) for o, p in zip(lanes(x, 32), f(s, t), strict=True)], 32))  # fmt: skip
        semantics(f"R=vrcmpys(RR,RR):<<1:rnd:sat:raw:{name}", lambda s, t, f=real_scaled: pack(
            [saturate(p + ROUND16, 32) >> 16 for p in f(s, t)], 16))  # fmt: skip


def _accumulated(x: Val, parts: list[Val], bits: int, sat: bool) -> Val:
    sums = [o + p for o, p in zip(lanes(x, bits), parts, strict=True)]
    return pack([saturate(v, bits) for v in sums] if sat else sums, bits)


def _lanes() -> None:
    def pairs(s: Val, t: Val, mark: str, right_signed: bool = True, step: int = 1) -> list[Val]:
        a, b = lanes(s, 16)[::step], lanes(t, 16, right_signed)[::step]
        return [scaled(p * q, mark) for p, q in zip(a, b, strict=True)]

    for name, size, signed, step in (("vmpyh", "R", True, 1), ("vmpyhsu", "R", False, 1), ("vmpyeh", "RR", True, 2)):
        for shift in ("", ":<<1"):
            if name != "vmpyh" or shift:  # the unshifted vmpyh never saturates and stands with the short vectors
                semantics(f"RR={name}({size},{size}){shift}:sat", lambda s, t, m=shift, g=signed, k=step: pack(
                    [saturate(p, 32) for p in pairs(s, t, m, g, k)], 32))  # fmt: skip
            semantics(f"RR+={name}({size},{size}){shift}:sat", lambda x, s, t, m=shift, g=signed, k=step: _accumulated(
                x, pairs(s, t, m, g, k), 32, True))  # fmt: skip
        if signed:
            semantics(f"RR+={name}({size},{size})", lambda x, s, t, k=step: _accumulated(
                x, pairs(s, t, "", True, k), 32, False))  # fmt: skip
    for shift in ("", ":<<1"):
        semantics(f"R=vmpyh(R,R){shift}:rnd:sat", lambda s, t, m=shift: pack(
            [saturate(p + ROUND16, 32) >> 16 for p in pairs(s, t, m)], 16))  # fmt: skip
    for name, first, signed in (
        ("vmpyweh", 0, True), ("vmpywoh", 1, True), ("vmpyweuh", 0, False), ("vmpywouh", 1, False),
    ):  # fmt: skip
        def by_half(s: Val, t: Val, mark: str, k: int = first, g: bool = signed) -> list[Val]:
            extra = ROUND16 if "rnd" in mark else 0
            return [(scaled(a * b, mark) + extra) >> 16
                    for a, b in zip(lanes(s, 32), lanes(t, 16, g)[k::2], strict=True)]  # fmt: skip

        for mark in (":sat", ":<<1:sat", ":rnd:sat", ":<<1:rnd:sat"):
            semantics(f"RR={name}(RR,RR){mark}", lambda s, t, m=mark, f=by_half: pack(
                [saturate(p, 32) for p in f(s, t, m)], 32))  # fmt: skip
            semantics(f"RR+={name}(RR,RR){mark}", lambda x, s, t, m=mark, f=by_half: _accumulated(
                x, f(s, t, m), 32, True))  # fmt: skip
    for name, signs in (("vmpybu", (False, False)), ("vmpybsu", (True, False))):
        semantics(f"RR+={name}(R,R)", lambda x, s, t, g=signs: _accumulated(
            x, [a * b for a, b in zip(lanes(s, 8, g[0]), lanes(t, 8, g[1]), strict=True)], 16, False))  # fmt: skip


def _dot() -> None:
    def groups(s: Val, t: Val, bits: int, signs: tuple[bool, bool], size: int, mark: str = "") -> list[Val]:
        products = [
            scaled(a * b, mark) for a, b in zip(lanes(s, bits, signs[0]), lanes(t, bits, signs[1]), strict=True)
        ]
        return [total(products[i : i + size]) for i in range(0, len(products), size)]

    both, mixed, none = (True, True), (True, False), (False, False)
    for shift in ("", ":<<1"):
        semantics(f"RR=vdmpy(RR,RR){shift}:sat", lambda s, t, m=shift: pack(
            [saturate(p, 32) for p in groups(s, t, 16, both, 2, m)], 32))  # fmt: skip
        semantics(f"RR+=vdmpy(RR,RR){shift}:sat", lambda x, s, t, m=shift: _accumulated(
            x, groups(s, t, 16, both, 2, m), 32, True))  # fmt: skip
        semantics(f"R=vdmpy(RR,RR){shift}:rnd:sat", lambda s, t, m=shift: pack(
            [saturate(p + ROUND16, 32) >> 16 for p in groups(s, t, 16, both, 2, m)], 16))  # fmt: skip
        for name, first in (("vrmpyweh", 0), ("vrmpywoh", 1)):
            def words(s: Val, t: Val, k: int = first, m: str = shift) -> Val:
                return total([scaled(a * b, m) for a, b in zip(lanes(s, 32), lanes(t, 16)[k::2], strict=True)])

            semantics(f"RR={name}(RR,RR){shift}", words)
            semantics(f"RR+={name}(RR,RR){shift}", lambda x, s, t, f=words: x + f(s, t))
    semantics("RR=vdmpybsu(RR,RR):sat", lambda s, t: pack(
        [saturate(p, 16) for p in groups(s, t, 8, mixed, 2)], 16))  # fmt: skip
    semantics("RR+=vdmpybsu(RR,RR):sat", lambda x, s, t: _accumulated(x, groups(s, t, 8, mixed, 2), 16, True))
    for name, signs in (("vrmpybu", none), ("vrmpybsu", mixed)):
        semantics(f"RR={name}(RR,RR)", lambda s, t, g=signs: pack(groups(s, t, 8, g, 4), 32))
        semantics(f"RR+={name}(RR,RR)", lambda x, s, t, g=signs: _accumulated(x, groups(s, t, 8, g, 4), 32, False))
    semantics("RR=vrmpyh(RR,RR)", lambda s, t: groups(s, t, 16, both, 4)[0])
    semantics("RR+=vrmpyh(RR,RR)", lambda x, s, t: x + groups(s, t, 16, both, 4)[0])


def _carryless(s: Val, t: Val, bits: int) -> Val:
    """Polynomial product over GF(2) of two zero-extended i64."""
    result = s.code.const(0, I64)
    for index in range(bits):
        chosen = (t.lshr(index) & 1).icmp("ne", 0).select(s << index, 0)
        result = result ^ chosen
    return result


def _polynomial() -> None:
    def words(s: Val, t: Val) -> Val:
        return _carryless(s.zext(64), t.zext(64), 32)

    def halves(s: Val, t: Val) -> Val:
        products = [_carryless(a, b, 16) for a, b in zip(lanes(s, 16, False), lanes(t, 16, False), strict=True)]
        return pack([products[0], products[1], products[0].lshr(16), products[1].lshr(16)], 16)

    for name, function in (("pmpyw", words), ("vpmpyh", halves)):
        semantics(f"RR={name}(R,R)", function)
        semantics(f"RR^={name}(R,R)", lambda x, s, t, f=function: x ^ f(s, t))


_halfwords()
_words()
_complex()
_lanes()
_dot()
_polynomial()

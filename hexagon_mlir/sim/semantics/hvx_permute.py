"""HVX data movement inside and between vectors (HVX V73 PRM 80-N2040-54, chapter 6)."""

from __future__ import annotations

import functools

from hexagon_mlir.sim.semantics.lanes import INTEGER, VECTOR_BYTES, Pair, clamp, even, narrow, odd, split
from hexagon_mlir.sim.semantics.outlined import outlined
from hexagon_mlir.sim.semantics.registry import semantics
from hexagon_mlir.sim.semantics.value import I32, Type, Val

N = VECTOR_BYTES
_STAGES = (1, 2, 4, 8, 16, 32, 64)


def _window(low: Val, high: Val, start: Val | int) -> Val:
    """128 bytes of high:low from byte ``start`` (0..127)."""
    if isinstance(start, int):
        return low.b.shuffle(high.b, list(range(start, start + N)))
    code = low.code
    buffer = code.alloca(Type(2 * N, "i", 8))
    code.store(low, buffer, N)
    upper = "%" + code.name()
    code.put(f"{upper} = getelementptr i8, ptr {buffer}, i32 {N}")
    code.store(high, upper, N)
    offset = start.as_(I32)
    pointer = "%" + code.name()
    code.put(f"{pointer} = getelementptr i8, ptr {buffer}, i32 {offset.name}")
    return code.load(pointer, Type(32, "i", 32), 1)


def _amount(n: Val | int) -> Val | int:
    return n & (N - 1)


def _alignments() -> None:
    for right in ("R", "I"):
        semantics(f"V=valign(V,V,{right})", lambda u, v, n: _window(v, u, _amount(n)))

        def align_left(u: Val, v: Val, n: Val | int) -> Val:
            """The top ``n`` bytes of v, then u: n = 0 gives u."""
            if isinstance(n, int):
                shift = n & (N - 1)
                return u.b if shift == 0 else _window(v, u, N - shift)
            return _left(u, v, n)

        semantics(f"V=vlalign(V,V,{right})", align_left)
    semantics("V=vror(V,R)", lambda v, r: _window(v, v, _amount(r)))


def _left(u: Val, v: Val, n: Val) -> Val:
    shift = n & (N - 1)
    moved = _window(v, u, (n.lift(0) - n) & (N - 1))
    return shift.icmp("eq", 0).select(u.w, moved)


def _swaps(stages: tuple[int, ...], low: Val, high: Val, control: Val) -> Pair:
    """Conditional swaps of bytes ``k`` of the high and ``k + stage`` of the low register."""
    for stage in stages:
        swapped_low = low.shuffle(high, [N + k - stage if k & stage else k for k in range(N)])
        swapped_high = high.shuffle(low, [k if k & stage else N + k + stage for k in range(N)])
        chosen = (control & stage).icmp("ne", 0)
        low, high = chosen.select(swapped_low, low), chosen.select(swapped_high, high)
    return low, high


_SWAPS = {
    "vshuff": functools.partial(_swaps, _STAGES), "vdeal": functools.partial(_swaps, _STAGES[::-1]),
}  # fmt: skip


def shuffle_pair(name: str, u: Val, v: Val, control: Val) -> Pair:
    """``vshuff`` or ``vdeal`` of u:v."""
    low, high = outlined(name, _SWAPS[name], v.b, u.b, control)
    return low, high


def _network(stages: tuple[int, ...], data: Val, bits: Val) -> tuple[Val]:
    """A butterfly: each byte may take its partner ``k ^ stage``, as its control byte says."""
    for stage in stages:
        partner = data.shuffle(None, [k ^ stage for k in range(N)])
        data = (bits & stage).icmp("ne", 0).select(partner, data)
    return (data,)


_UP = functools.partial(_network, _STAGES)
_DOWN = functools.partial(_network, _STAGES[::-1])


def _networks() -> None:
    for name in _SWAPS:
        semantics(f"VV={name}(V,V,R)", functools.partial(shuffle_pair, name))
    semantics("V=vdelta(V,V)", lambda a, b: outlined("vdelta", _DOWN, a.b, b.b)[0])
    semantics("V=vrdelta(V,V)", lambda a, b: outlined("vrdelta", _UP, a.b, b.b)[0])


def _in_register() -> None:
    for suffix in ("b", "h"):
        bits = INTEGER[suffix][0]
        lanes = N * 8 // bits
        half = lanes // 2
        deal = [2 * i for i in range(half)] + [2 * i + 1 for i in range(half)]
        shuffle = [i // 2 + (half if i % 2 else 0) for i in range(lanes)]
        semantics(f"V.{suffix}=vdeal(V.{suffix})", lambda a, n=bits, m=deal: a.view(n).shuffle(None, m))
        semantics(f"V.{suffix}=vshuff(V.{suffix})", lambda a, n=bits, m=shuffle: a.view(n).shuffle(None, m))

        def evens(u: Val, v: Val, n: int = bits) -> Val:
            return narrow(even(v, n, False), u.view(2 * n))

        def odds(u: Val, v: Val, n: int = bits) -> Val:
            return narrow(odd(v, n, False), u.view(2 * n).lshr(n))

        semantics(f"V.{suffix}=vshuffe(V.{suffix},V.{suffix})", evens)
        semantics(f"V.{suffix}=vshuffo(V.{suffix},V.{suffix})", odds)
        semantics(
            f"VV.{suffix}=vshuffoe(V.{suffix},V.{suffix})",
            lambda u, v, e=evens, o=odds: (e(u, v), o(u, v)),
        )
    semantics("V.b=vdeale(V.b,V.b)", lambda u, v: v.b.shuffle(
        u.b, [b + 4 * i + o for b in (0, N) for o in (0, 2) for i in range(32)]))  # fmt: skip


def _unpack(a: Val, bits: int, signed: bool) -> Pair:
    """Lanes of ``bits`` widened. (Interleaving with zeros, twice in a row, hangs LLVM 22's AVX-512 selection.)"""
    half = a.ty.lanes // 2
    low, high = (a.shuffle(None, list(range(first, first + half))) for first in (0, half))
    return low.ext(2 * bits, signed), high.ext(2 * bits, signed)


def _pack() -> None:
    for small, wide in (("b", "h"), ("h", "w")):
        bits = INTEGER[small][0]
        for name, first in (("vpacke", 0), ("vpacko", 1)):
            semantics(
                f"V.{small}={name}(V.{wide},V.{wide})",
                lambda u, v, n=bits, f=first: v.view(n).shuffle(
                    u.view(n), [2 * i + f for i in range(N * 8 // n)]
                ),
            )
        for out, signed in ((small, True), ("u" + small, False)):
            semantics(
                f"V.{out}=vpack(V.{wide},V.{wide}):sat",
                lambda u, v, n=bits, s=signed: clamp(v.view(2 * n), n, s).view(n).shuffle(
                    clamp(u.view(2 * n), n, s).view(n), [2 * i for i in range(N * 8 // n)]
                ),
            )
    for wide, small in (("h", "b"), ("uh", "ub"), ("w", "h"), ("uw", "uh")):
        bits, signed = INTEGER[small]
        semantics(
            f"VV.{wide}=vunpack(V.{small})",
            lambda a, n=bits, s=signed: _unpack(a.view(n), n, s),
        )
        semantics(
            f"VV.{wide}=v{'s' if signed else 'z'}xt(V.{small})",
            lambda a, n=bits, s=signed: (even(a, n, s), odd(a, n, s)),
        )
        if signed:
            def unpack_odd(x: Pair, a: Val, n: int = bits) -> Pair:
                low, high = split(a.view(n).zext(2 * n) << n)
                return x[0].view(2 * n) | low, x[1].view(2 * n) | high

            semantics(f"VV.{wide}|=vunpacko(V.{small})", unpack_odd)


def _shift_into(x: Pair, u: Val, v: Val) -> Pair:
    """Words of u:0 shifted by a signed 7-bit count; bits of the low register come in from both sides."""
    fill = x[0].w.sext(64) << 32 | x[0].w.zext(64)
    value = u.w.sext(64) << 32
    count_bits = v.w
    count = ((count_bits & 0x3F) - (count_bits & 0x40)).sext(64)
    negative = count.icmp("slt", 0)
    left = (-count).two("smax", 0).two("smin", 63)
    right = count.two("smax", 0)
    low_mask = (1 << 32) - 1
    ones = value.lift(low_mask)
    shifted_left = (value << left) | (fill & (ones << left))
    shifted_right = (value >> right) | (fill & ones.lshr(right))
    result = negative.select(shifted_left, shifted_right)
    result = count.icmp("eq", -64).select(0, result)
    return result.trunc(32), result.lshr(32).trunc(32)


_alignments()
_networks()
_in_register()
_pack()
semantics("VV=vcombine(V,V)", lambda u, v: (v, u))
semantics("VV=VV", lambda a: a)
semantics("VV.w=vasrinto(V.w,V.w)", _shift_into)

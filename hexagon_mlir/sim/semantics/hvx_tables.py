"""HVX table look-up and running sums: vlut32, vlut16, vlut4, prefixsum (HVX V73 PRM 80-N2040-54, chapter 6)."""

from __future__ import annotations

from hexagon_mlir.sim.semantics.lanes import VECTOR_BYTES, Pair, even, odd
from hexagon_mlir.sim.semantics.outlined import outlined
from hexagon_mlir.sim.semantics.packed import lane
from hexagon_mlir.sim.semantics.registry import semantics
from hexagon_mlir.sim.semantics.value import I32, Val


def _entries(table: Val, control: Val, bits: int, count: int) -> Val:
    """The ``count`` table entries that a control word selects, as lanes of ``bits``.

    The table holds entries in the low and high halves of lanes twice as wide: bit 1 of the control picks the
    half, bit 0 which of the two groups of ``count``.
    """
    wide = table.view(2 * bits)
    upper = (control & 2).icmp("ne", 0)
    chosen = upper.select(wide.lshr(bits), wide).trunc(bits)
    low = chosen.shuffle(None, list(range(count)))
    high = chosen.shuffle(None, list(range(count, 2 * count)))
    return (control & 1).icmp("ne", 0).select(high, low)


def _look_up(entries: Val, index: Val) -> Val:
    return outlined(f"look_up{entries.ty.bits}", _halving, entries, index)[0]


def _halving(entries: Val, index: Val) -> tuple[Val]:
    """entries[index] for each lane of ``index`` (lanes as wide as an entry), by halving on the index bits."""
    n = index.ty.lanes
    level = [entries.shuffle(None, [i] * n) for i in range(entries.ty.lanes)]
    bit = 1
    while len(level) > 1:
        chosen = (index & bit).icmp("ne", 0)
        level = [chosen.select(b, a) for a, b in zip(level[0::2], level[1::2], strict=True)]
        bit *= 2
    return (level[0],)


def _control(n: Val | int, like: Val) -> Val:
    return like.code.const(n, I32) if isinstance(n, int) else n


def _bytes(index: Val, table: Val, n: Val | int, match: bool) -> Val:
    """32 byte entries; with ``match``, bytes whose top 3 bits differ from the control's low 3 give 0."""
    control = _control(n, index)
    found = _look_up(_entries(table, control, 8, 32), index.b)
    if not match:
        return found
    wanted = ((control & 7) << 5).trunc(8).splat(VECTOR_BYTES)
    return (index.b & 0xE0).icmp("eq", wanted).select(found, 0)


def _halves(index: Val, table: Val, n: Val | int, match: bool) -> Pair:
    """16 halfword entries for even and odd index bytes; with ``match``, the top 4 bits must be the control's."""
    control = _control(n, index)
    entries = _entries(table, control, 16, 16)
    wanted = ((control & 15) << 4).trunc(16).splat(VECTOR_BYTES // 2)
    results = []
    for take in (even, odd):
        lanes = take(index, 8, False)
        found = _look_up(entries, lanes)
        results.append((lanes & 0xF0).icmp("eq", wanted).select(found, 0) if match else found)
    return results[0], results[1]


def _forms() -> None:
    for amount in ("R", "I"):
        semantics(f"V.b=vlut32(V.b,V.b,{amount})", lambda u, v, n: _bytes(u, v, n, True))
        semantics(f"V.b|=vlut32(V.b,V.b,{amount})", lambda x, u, v, n: x.b | _bytes(u, v, n, True))
        semantics(f"VV.h=vlut16(V.b,V.h,{amount})", lambda u, v, n: _halves(u, v, n, True))
        semantics(f"VV.h|=vlut16(V.b,V.h,{amount})", lambda x, u, v, n: tuple(
            o.h | p for o, p in zip(x, _halves(u, v, n, True), strict=True)))  # fmt: skip
    semantics("V.b=vlut32(V.b,V.b,R):nomatch", lambda u, v, n: _bytes(u, v, n, False))
    semantics("VV.h=vlut16(V.b,V.h,R):nomatch", lambda u, v, n: _halves(u, v, n, False))

    def quarter(index: Val, r: Val) -> Val:
        """The halfword of a scalar pair that the top two bits of each lane name, sign-extended to 32 bits."""
        n = index.h.ty.lanes
        entries = [lane(r, 16, i).trunc(32).splat(n) for i in range(4)]
        top = index.h.lshr(14)
        one, two = (top & 1).icmp("ne", 0), (top & 2).icmp("ne", 0)
        return two.select(one.select(entries[3], entries[2]), one.select(entries[1], entries[0]))

    semantics("V.h=vlut4(V.uh,RR.h)", lambda u, r: quarter(u, r).trunc(16))
    for name, signed, op in (("vmpa", True, "h"), ("vmpa", False, "uh"), ("vmps", False, "uh")):
        def combine(x: Val, u: Val, r: Val, s: bool = signed, subtract: bool = name == "vmps") -> Val:
            """x times a slope u, plus or minus an offset from the scalar pair, in fractions."""
            product = x.h.sext(64) * u.h.ext(64, s)
            offset = quarter(u, r)
            wide = (offset if s else offset & 0xFFFF).sext(64) << 15
            scaled = product << 1 if s else product
            total = scaled - wide if subtract else scaled + wide
            return (total >> 16).two("smin", 32767).two("smax", -32768).trunc(16)

        semantics(f"V.h={name}(V.h,V.{op},RR.{op}):sat", combine)
    for suffix, bits in (("b", 8), ("h", 16), ("w", 32)):
        def running(q: Val, n: int = bits) -> Val:
            """The number of predicate bits that are set up to and including each lane."""
            count = VECTOR_BYTES * 8 // n
            ones = q.view(n) & sum(1 << 8 * i for i in range(n // 8))
            total = ones.one("ctpop")
            step = 1
            zero = total.lift(0)
            while step < count:
                moved = total.shuffle(zero, [i - step if i >= step else count for i in range(count)])
                total = total + moved
                step *= 2
            return total

        semantics(f"V.{suffix}=prefixsum(Q)", running)


_forms()

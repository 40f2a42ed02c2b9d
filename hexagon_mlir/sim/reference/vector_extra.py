"""HVX tables, running sums, carries, roundings and shifts outside the large families, in numpy.

HVX V73 PRM 80-N2040-54, chapter 6.
"""

from __future__ import annotations

import numpy as np

from hexagon_mlir.sim.reference.rules import DTYPES, rule
from hexagon_mlir.sim.reference.vector_int import VECTOR_BYTES, interleaved, narrow, saturated, wide
from hexagon_mlir.sim.reference.vector_permute import shuffle_pair


# -- look-up -----------------------------------------------------------------------------------------------
def _entries(suffix, index, table, control, no_match):
    """Entries for byte indices, whose upper bits name the table; those of another table give 0.

    A vector holds two tables, in the lower and the upper halves of lanes twice as wide as an entry.
    """
    dtype = np.dtype(DTYPES[suffix])
    bits = 5 if suffix == "b" else 4
    entries = table.view(dtype).reshape(-1, 2)[:, control >> 1 & 1]
    wanted = control & (1 << 8 - bits) - 1
    found = entries[(index & (1 << bits) - 1 | wanted << bits) % entries.size]
    return found if no_match else np.where(index >> bits == wanted, found, dtype.type(0))


@rule("V.b=vlut32(V.b,V.b,{R|I}){|:nomatch}")
def look_up_bytes(_, no_match, index, table, control):
    return _entries("b", wide(index, "ub"), table, control, no_match)


@rule("VV.h=vlut16(V.b,V.h,{R|I}){|:nomatch}")
def look_up_halves(_, no_match, index, table, control):
    found = _entries("h", wide(index, "ub"), table, control, no_match)
    return found[::2], found[1::2]


def _quarter(index, r, suffix):
    """The halfword of a scalar pair that the top two bits of each lane name."""
    return wide(np.array([r], np.uint64), suffix)[wide(index, "uh") >> 14]


@rule("V.h=vlut4(V.uh,RR.h)")
def look_up_quarter(index, r):
    return narrow(_quarter(index, r, "h"), "h")


@rule("V.h=vmp{a|s}(V.h,V.{h|uh},RR.{2}):sat")
def interpolate(name, suffix, x, slope, r):
    """x times a slope plus (or minus) an offset that the slope's top bits choose, in fractions."""
    product = wide(x, "h") * wide(slope, suffix) << (suffix == "h")
    offset = _quarter(slope, r, suffix) << 15
    return saturated((product + offset if name == "a" else product - offset) >> 16, "h")


@rule("V.{b|h|w}=prefixsum(Q)")
def running_sum(suffix, q):
    size = np.dtype(DTYPES[suffix]).itemsize
    return narrow(np.cumsum(q)[size - 1 :: size], suffix)


# -- carries -----------------------------------------------------------------------------------------------
def _carry(name, a, b, incoming):
    total = wide(a, "uw") + wide(b if name == "add" else ~b, "uw") + incoming
    return narrow(total, "uw"), total >> 32 != 0


@rule("V.w=v{add|sub}(V.w,V.w,Q):carry")
def carry_through(name, a, b, q):
    return _carry(name, a, b, q[::4])


@rule("V.w,Q=v{add|sub}(V.w,V.w):carry")
def carry_out(name, a, b):
    return _carry(name, a, b, name == "sub")


@rule("V.w=vadd(V.w,V.w,Q):carry:sat")
def carry_in(a, b, q):
    return saturated(wide(a, "w") + wide(b, "w") + q[::4], "w")


# -- narrowing ---------------------------------------------------------------------------------------------
@rule("V.{b|ub|h|uh}=vround(V.{h|uh|w|uw},V.{2}):sat")
def round_narrow(out, suffix, u, v):
    half = DTYPES[out]().itemsize * 8
    return interleaved(*(saturated(wide(x, suffix) + (1 << half - 1) >> half, out) for x in (v, u)))


@rule("V.{ub|uh}=vasr(VV.{uh|w},V.{1}){|:rnd}:sat")
def shift_each(out, suffix, rounding, u, v):
    """Lanes of the low and high register in turn, each shifted by its own amount."""
    bits = DTYPES[out]().itemsize * 8
    lanes = interleaved(*(wide(x, suffix) for x in u))
    amount = wide(v, out) & bits - 1
    return saturated(lanes + (1 << amount >> 1 if rounding else 0) >> amount, out)


@rule("V.w=vsatdw(V.w,V.w)")
def saturate_double(high, low):
    return saturated(wide(high, "w") << 32 | wide(low, "uw"), "w")


@rule("V.uh=vmpy(V.uh,V.uh):>>16")
def multiply_upper(a, b):
    return narrow(wide(a, "uh") * wide(b, "uh") >> 16, "uh")


@rule("V.w+=vmpyo(V.w,V.h):<<1{|:rnd}:sat:shift")
def multiply_odd_update(rounding, old, a, b):
    total = wide(a, "w") * wide(b, "h")[1::2] + wide(old, "w") >> 14
    return saturated(total + bool(rounding) >> 1, "w")


# -- others ------------------------------------------------------------------------------------------------
@rule("V.ub=v{add|sub}(V.ub,V.b):sat")
def add_signed_bytes(name, a, b):
    a, b = wide(a, "ub"), wide(b, "b")
    return saturated(a + b if name == "add" else a - b, "ub")


@rule("V.{h|w}=vadd(vclb(V.{1}),V.{1})")
def add_leading(suffix, a, b):
    bits = DTYPES[suffix]().itemsize * 8
    texts = (np.binary_repr(int(x), bits) for x in a.view(DTYPES[suffix]))
    return narrow(np.array([bits - len(t.lstrip(t[0])) for t in texts]) + wide(b, suffix), suffix)


@rule("V.uw=vrotr(V.uw,V.uw)")
def rotate(a, b):
    lanes, amount = wide(a, "uw"), wide(b, "uw") & 31
    return narrow((lanes << 32 | lanes) >> amount, "uw")


@rule("V.w=vfmv(V.w)")
def copy(a):
    return a


@rule("V=I")
def repeat(n):
    return np.full(VECTOR_BYTES // 4, n & 0xFFFFFFFF, np.uint32)


@rule("V={lo|hi}(VV)")
def one_of_pair(which, pair):
    return pair[("lo", "hi").index(which)]


@rule("v{shuff|deal}(V,V,R)")
def shuffle_in_place(name, y, x, r):
    """The first register holds the upper half."""
    low, high = shuffle_pair(name, y, x, r)
    return high, low

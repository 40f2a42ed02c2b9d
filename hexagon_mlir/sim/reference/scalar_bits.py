"""Saturation, rounding, bit fields by register, bit patterns and control registers on Python integers.

V73 Programmer's Reference Manual 80-N2040-53, XTYPE and CR.
"""

from __future__ import annotations

from hexagon_mlir.sim.reference.rules import clamp, pack, rule, saturate, shifted, signed, unpack
from hexagon_mlir.sim.semantics.cabac import NEXT_LPS, NEXT_MPS, RANGE_LPS

WIDTH = {"R": 32, "RR": 64}
TRUE = 0xFF


# -- saturation --------------------------------------------------------------------------------------------
@rule("R=sat(RR)")
def saturate_pair(a):
    return saturate(signed(a, 64), 32)


@rule("R=sat{|u}{b|h}(R)")
def saturate_word(unsigned, suffix, a):
    return saturate(signed(a, 32), {"b": 8, "h": 16}[suffix], not unsigned)


@rule("R={abs|neg}(R):sat")
def negate(name, a):
    value = signed(a, 32)
    return saturate(abs(value) if name == "abs" else -value, 32)


@rule("R=clip(R,I)")
def clip(a, n):
    return clamp(signed(a, 32), n + 1)


@rule("R={add|sub}(R,R):sat:deprecated")
def add(name, a, b):
    a, b = signed(a, 32), signed(b, 32)
    return saturate(a + b if name == "add" else a - b, 32)


@rule("R={asl|asr}(R,{R|I}):sat")
def shift(name, kind, a, n):
    return saturate(shifted(name, a, signed(n, 7) if kind == "R" else n, 32), 32)


# -- rounding ----------------------------------------------------------------------------------------------
@rule("R=round(R,{R|I}){|:sat}")
def round_up(_, sat, a, n):
    amount = n & 31
    total = signed(a, 32) + (1 << amount >> 1)
    return (saturate(total, 32) if sat else total) >> amount


@rule("{R|RR}=cround({1},{R|I})")
def round_even(size, _, a, n):
    """To the nearest multiple of two to the n, ties to the even one, divided by it."""
    bits = WIDTH[size]
    amount = n & bits - 1
    whole, rest = divmod(signed(a, bits), 1 << amount)
    return whole + (2 * rest > 1 << amount or (2 * rest == 1 << amount and whole % 2 == 1))


@rule("R=round(RR):sat")
def round_pair(a):
    return saturate(signed(a, 64) + (1 << 31), 64) >> 32


@rule("{R|RR}=asr({1},I):rnd")
def shift_rounded(size, a, n):
    return (signed(a, WIDTH[size]) >> n) + 1 >> 1


@rule("{R|RR}=asrrnd({1},I)")
def shift_rounded_by(size, a, n):
    return shift_rounded(size, a, n - 1) if n else a


# -- bit fields --------------------------------------------------------------------------------------------
def _control(t):
    """Width and signed offset of a field."""
    return t >> 32 & 63, signed(t, 7)


@rule("{R|RR}=extract{|u}({1},RR)")
def extract(_, unsigned, a, t):
    width, offset = _control(t)
    wide = (a >> offset if offset >= 0 else a << -offset) & (1 << 64) - 1
    field = wide & (1 << width) - 1
    return field if unsigned or not width else signed(field, width)


@rule("{R|RR}=insert({1},RR)")
def insert(_, old, a, t):
    width, offset = _control(t)
    if offset < 0:
        return 0
    mask = (1 << width) - 1
    return old & ~(mask << offset) | (a & mask) << offset


@rule("RR=bitsplit(R,R)")
def bitsplit(a, r):
    amount = r & 31
    return a >> amount << 32 | a & (1 << amount) - 1


@rule("R=tableidx{b|h|w|d}(R,I,I){|:raw}")
def table_index(suffix, raw, old, a, width, offset):
    """Bits of a field placed above the element's log size; without ``:raw`` the offset counts from the field."""
    scale = "bhwd".index(suffix)
    start = offset + scale if raw else offset
    bits = [a >> start + i & 1 if 0 <= start + i < 32 else 0 for i in range(width)]
    for i, bit in enumerate(bits, scale):
        old = old & ~(1 << i) | bit << i
    return old


# -- bit patterns ------------------------------------------------------------------------------------------
@rule("RR=interleave(RR)")
def interleave(a):
    low, high = unpack(a, 32, 64, False)
    return sum((low >> i & 1) << 2 * i | (high >> i & 1) << 2 * i + 1 for i in range(32))


@rule("RR=deinterleave(RR)")
def deinterleave(a):
    return sum((a >> 2 * i & 1) << i | (a >> 2 * i + 1 & 1) << i + 32 for i in range(32))


@rule("R=parity({R|RR},{1})")
def parity(_, a, b):
    return (a & b).bit_count() & 1


@rule("R=add(clb({R|RR}),I)")
def count_leading(size, a, n):
    """Equal leading bits, plus a number."""
    bits = WIDTH[size]
    text = f"{a:0{bits}b}"
    return bits - len(text.lstrip(text[0])) + n


@rule("{R|RR}=rol({1},I)")
def rotate(size, a, n):
    return a << n | a >> WIDTH[size] - n


@rule("RR=lfs(RR,RR)")
def feedback_shift(a, b):
    return a >> 1 | ((a & b).bit_count() & 1) << 63


@rule("R=modwrap(R,R)")
def wrap(a, b):
    if signed(a, 32) < 0:
        return a + b
    return a - b if a >= b else a


@rule("P=tlbmatch(RR,R)")
def translation_match(entry, address):
    """The lowest set bit of the low word gives the page size: 4 KiB times 4 for each place, up to 16 MiB."""
    low, high = unpack(entry, 32, 64, False)
    places = min((low & -low).bit_length() - 1 if low else 32, 6)
    mask = 0x07FFFFFF >> 2 * places << 2 * places
    return TRUE * (high >> 31 and high & mask == address & mask)


@rule("P=cmp.{ge|lt}(R,{I|R})")
def compare(name, kind, a, b):
    a, b = signed(a, 32), signed(b, 32) if kind == "R" else b
    return TRUE * (a >= b if name == "ge" else a < b)


@rule("P=cmp.{ge|lt}u(R,{I|R})")
def compare_unsigned(name, _, a, b):
    b &= (1 << 32) - 1
    return TRUE * (a >= b if name == "ge" else a < b)


@rule("RR=packhl(R,R):deprecated")
def pack_halves(a, b):
    return pack([b & 0xFFFF, a & 0xFFFF, b >> 16, a >> 16], 16)


@rule("RR=decbin(RR,RR)")
def decode_symbol(numbers, context):
    """One step of CABAC decoding: range and offset are left-aligned in words, nine bits of range count."""
    position, state, likely = context & 31, context >> 32 & 63, context >> 40 & 1
    width, offset = (w << position & (1 << 32) - 1 for w in unpack(numbers, 32, 64, False))
    less = RANGE_LPS[4 * state + (width >> 29 & 3)]
    more = (width >> 23) - less & 511
    if offset < more << 23:
        return offset << 32 | more << 23 | likely << 8 | NEXT_MPS[state], likely
    kept = likely if state else 1 - likely
    return (offset - (more << 23)) << 32 | less << 23 | kept << 8 | NEXT_LPS[state], 1 - likely


# -- control registers -------------------------------------------------------------------------------------
@rule("{R|C|M}={R|C|M}", "{RR|CC}={RR|CC}")
def copy(_a, _b, value):
    return value


@rule("R=PPPP")
def from_predicates(*predicates):
    return pack(list(predicates), 8)


@rule("PPPP=R")
def to_predicates(a):
    return tuple(unpack(a, 8, 32, False))


@rule("R=add(pc,I)")
def address_of(symbol):
    """``pc`` plus the distance of a symbol: its address."""
    return symbol

"""Bytes, halfwords and words inside scalar registers (V73 Programmer's Reference Manual 80-N2040-53, XTYPE)."""

from __future__ import annotations

from hexagon_mlir.sim.reference.rules import LANES, clamp, pack, rule, saturate, shifted, signed, unpack

WIDTH = {"R": 32, "RR": 64}
TRUE = 0xFF


def _pairs(a, b, bits, total, is_signed):
    return zip(unpack(a, bits, total, is_signed), unpack(b, bits, total, is_signed), strict=True)


def _convergent(value):
    """Add one when the low bits are 11, so that the half dropped next rounds to even."""
    return value + (value & 3 == 3)


# -- one halfword of each ----------------------------------------------------------------------------------
@rule("R={add|sub}(R.{l|h},R.{l|h}){|:sat}{|:<<16}")
def add_halves(name, i, j, sat, up, a, b):
    x, y = unpack(a, 16, 32, True)["lh".index(i)], unpack(b, 16, 32, True)["lh".index(j)]
    result = x + y if name == "add" else x - y
    result = saturate(result, 16) if sat else result
    return result << 16 if up else signed(result, 16)


# -- lane by lane ------------------------------------------------------------------------------------------
@rule("{R|RR}=v{add|sub}{ub|uh|h|w}({1},{1}):sat")
def add_saturated(size, name, suffix, a, b):
    bits, is_signed = LANES[suffix]
    pairs = _pairs(a, b, bits, WIDTH[size], is_signed)
    return pack([saturate(x + y if name == "add" else x - y, bits, is_signed) for x, y in pairs], bits)


@rule("R=vaddhub(RR,RR):sat")
def add_halves_to_bytes(a, b):
    return pack([saturate(x + y, 8, False) for x, y in _pairs(a, b, 16, 64, True)], 8)


@rule("RR=vabsdiff{b|ub|h|w}(RR,RR)")
def difference(suffix, a, b):
    bits, is_signed = LANES[suffix]
    return pack([abs(x - y) for x, y in _pairs(a, b, bits, 64, is_signed)], bits)


@rule("RR=vabs{h|w}(RR){|:sat}")
def absolute(suffix, sat, a):
    bits = LANES[suffix][0]
    sizes = [abs(x) for x in unpack(a, bits, 64, True)]
    return pack([saturate(x, bits) for x in sizes] if sat else sizes, bits)


@rule("{R|RR}=vavg{ub|h|uh|w|uw}({1},{1}){|:rnd|:crnd}")
def average(size, suffix, rounding, a, b):
    bits, is_signed = LANES[suffix]
    sums = [x + y for x, y in _pairs(a, b, bits, WIDTH[size], is_signed)]
    return pack([_halved(s, rounding) for s in sums], bits)


@rule("{R|RR}=vnavg{h|w}({1},{1}){|:rnd:sat|:crnd:sat}")
def negative_average(size, suffix, rounding, a, b):
    bits = LANES[suffix][0]
    results = [_halved(x - y, rounding) for x, y in _pairs(a, b, bits, WIDTH[size], True)]
    return pack([saturate(x, bits) for x in results] if rounding else results, bits)


def _halved(value, rounding):
    if ":crnd" in rounding:
        return _convergent(value) >> 1
    return value + (":rnd" in rounding) >> 1


@rule("RR=v{asl|asr|lsl|lsr}{h|w}(RR,R)")
def shift_lanes(name, suffix, a, r):
    bits = LANES[suffix][0]
    return pack([shifted(name, x, signed(r, 7), bits) for x in unpack(a, bits, 64, False)], bits)


@rule("R=vasrw(RR,{R|I})")
def shift_words_to_halves(kind, a, n):
    amount = signed(n, 7) if kind == "R" else n
    return pack([shifted("asr", x, amount, 32) for x in unpack(a, 32, 64, False)], 16)


def _shift_rounded(x, n):
    return (x >> n) + 1 >> 1


@rule("RR=vasrh(RR,I):{raw|rnd}")
def shift_halves_rounded(mark, a, n):
    """``:rnd`` is ``:raw`` of one less; by nothing it is a copy."""
    amount = n if mark == "raw" else n - 1
    return a if amount < 0 else pack([_shift_rounded(x, amount) for x in unpack(a, 16, 64, True)], 16)


@rule("R=vasrhub(RR,I){:raw|:rnd:sat|:sat}")
def shift_halves_to_bytes(mark, a, n):
    lanes = unpack(a, 16, 64, True)
    if mark == ":sat":
        results = [x >> n for x in lanes]
    else:
        amount = n if mark == ":raw" else n - 1
        results = lanes if amount < 0 else [_shift_rounded(x, amount) for x in lanes]
    return pack([saturate(x, 8, False) for x in results], 8)


@rule("RR=vclip(RR,I)")
def clip(a, n):
    return pack([clamp(x, n + 1) for x in unpack(a, 32, 64, True)], 32)


# -- packs and moves ---------------------------------------------------------------------------------------
@rule("{R|RR}=vsat{hb|hub|wh|wuh}({RR|R})")
def saturate_lanes(out, kinds, source, a):
    bits = LANES[kinds[0]][0]
    lanes = [saturate(x, bits // 2, "u" not in kinds) for x in unpack(a, bits, WIDTH[source], True)]
    return pack(lanes, bits if out == "RR" else bits // 2)


@rule("R=vrndwh(RR){|:sat}")
def round_words(sat, a):
    lanes = [x + 0x8000 for x in unpack(a, 32, 64, True)]
    return pack([(saturate(x, 32) if sat else x) >> 16 for x in lanes], 16)


@rule("RR=shuff{e|o}{b|h}(RR,RR)")
def shuffle(which, suffix, a, b):
    """The lanes of the second operand go to the even places."""
    bits = LANES[suffix][0]
    start = "eo".index(which)
    even, odd = (unpack(v, bits, 64, False)[start::2] for v in (b, a))
    return pack([x for pair in zip(even, odd, strict=True) for x in pair], bits)


@rule("RR=vtrun{e|o}hb(RR,RR)")
def truncate_bytes(which, a, b):
    start = "eo".index(which)
    return pack([*unpack(b, 8, 64, False)[start::2], *unpack(a, 8, 64, False)[start::2]], 8)


@rule("RR=valignb(RR,RR,{I|P})")
def align(_, upper, lower, n):
    return (upper << 64 | lower) >> 8 * (n & 7)


@rule("RR=vspliceb(RR,RR,{I|P})")
def splice(_, lower, upper, n):
    bits = 8 * (n & 7)
    return upper << bits | lower & ((1 << bits) - 1)


# -- complex -----------------------------------------------------------------------------------------------
@rule("RR=vconj(RR):sat")
def conjugate(a):
    return pack([saturate(-x, 16) if i % 2 else x for i, x in enumerate(unpack(a, 16, 64, True))], 16)


@rule("RR=vcnegh(RR,R)")
def negate_chosen(a, r):
    return pack([saturate(-x, 16) if r >> i & 1 else x for i, x in enumerate(unpack(a, 16, 64, True))], 16)


@rule("RR+=vrcnegh(RR,R)")
def sum_chosen(old, a, r):
    return old + sum(-x if r >> i & 1 else x for i, x in enumerate(unpack(a, 16, 64, True)))


def _rotated(real, imaginary, code):
    """Times 1, -j, j or -1."""
    return ((real, imaginary), (imaginary, -real), (-imaginary, real), (-real, -imaginary))[code & 3]


@rule("RR=vcrotate(RR,R)")
def rotate_complex(a, r):
    h = unpack(a, 16, 64, True)
    return pack([saturate(x, 16) for k in (0, 2) for x in _rotated(h[k], h[k + 1], r >> k)], 16)


@rule("RR{|+}=vrcrotate(RR,R,I)")
def rotate_bytes(update, *arguments):
    *old, a, r, n = arguments
    values, code = unpack(a, 8, 64, True), r >> 8 * n
    products = [_rotated(values[k], values[k + 1], code >> k) for k in (0, 2, 4, 6)]
    start = unpack(old[0], 32, 64, True) if update else (0, 0)
    return pack([start[k] + sum(product[k] for product in products) for k in (0, 1)], 32)


@rule("RR=vx{addsub|subadd}{h|w}(RR,RR){|:rnd:>>1}:sat")
def cross(name, suffix, half, a, b):
    """Lane i with lane i ^ 1: sums and differences alternately."""
    bits = LANES[suffix][0]
    x, y = unpack(a, bits, 64, True), unpack(b, bits, 64, True)
    results = [v + y[i ^ 1] if (i % 2 == 0) == (name == "addsub") else v - y[i ^ 1] for i, v in enumerate(x)]
    return pack([saturate(v + 1 >> 1 if half else v, bits) for v in results], bits)


# -- reductions --------------------------------------------------------------------------------------------
@rule("RR{|+}=vr{add|sad}ub(RR,RR)")
def sum_bytes(update, name, *arguments):
    *old, a, b = arguments
    parts = [x + y if name == "add" else abs(x - y) for x, y in _pairs(a, b, 8, 64, False)]
    start = unpack(old[0], 32, 64, False) if update else (0, 0)
    return pack([start[0] + sum(parts[:4]), start[1] + sum(parts[4:])], 32)


@rule("R=vradd{h|uh}(RR,RR)")
def sum_halves(suffix, a, b):
    return sum(x + y for x, y in _pairs(a, b, 16, 64, suffix == "h"))


@rule("RR=vr{max|min}{h|uh|w|uw}(RR,R)")
def running_extreme(name, suffix, old, a, r):
    """The extreme so far in the low word, its address in the high one."""
    bits, is_signed = LANES[suffix]
    value, where = unpack(old, bits, 64, is_signed)[0], old >> 32
    for index, item in enumerate(unpack(a, bits, 64, is_signed)):
        if item > value if name == "max" else item < value:
            value, where = item, r | index * bits // 8
    return pack([value, where], 32)


# -- with predicates ---------------------------------------------------------------------------------------
@rule("RR,P=vminub(RR,RR)")
def minimum_bytes(a, b):
    pairs = list(_pairs(a, b, 8, 64, False))
    return pack([min(pair) for pair in pairs], 8), sum((x > y) << i for i, (x, y) in enumerate(pairs))


@rule("RR,P=vacsh(RR,RR)")
def add_compare_select(old, a, b):
    lanes = (unpack(v, 16, 64, True) for v in (old, a, b))
    pairs = [(x + t, s - t) for x, s, t in zip(*lanes, strict=True)]
    flags = sum((3 if x > y else 0) << 2 * i for i, (x, y) in enumerate(pairs))
    return pack([saturate(max(pair), 16) for pair in pairs], 16), flags


@rule("P={|!}any8(vcmpb.eq(RR,RR))")
def any_byte_equal(negated, a, b):
    return TRUE * (any(x == y for x, y in _pairs(a, b, 8, 64, False)) ^ bool(negated))


@rule("P=boundscheck(RR,RR):raw:{lo|hi}")
def bounds(which, a, limits):
    value = unpack(a, 32, 64, False)[("lo", "hi").index(which)]
    low, high = unpack(limits, 32, 64, False)
    return TRUE * (low <= value < high)


@rule("P={|!}fastcorner9(P,P)")
def corner(negated, a, b):
    """Nine neighbouring ones in the ring of sixteen bits."""
    ring = f"{a << 8 | b:016b}" * 2
    return TRUE * (("1" * 9 in ring) ^ bool(negated))


@rule("R=vitpack(P,P)")
def alternate(a, b):
    return a & 0x55 | b & 0xAA


@rule("RR={add|sub}(RR,RR,P):carry")
def carry(name, a, b, p):
    total = a + (b if name == "add" else b ^ (1 << 64) - 1) + (p & 1)
    return total, TRUE * (total >> 64)

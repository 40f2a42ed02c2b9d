"""Scalar integer forms on Python integers (V73 Programmer's Reference Manual 80-N2040-53, chapter 11)."""

from __future__ import annotations

from hexagon_mlir.sim.reference.rules import LANES, pack, rule, saturate, shifted, signed, unpack

WIDTH = {"R": 32, "RR": 64}
TRUE = 0xFF
WORD = 0xFFFFFFFF


# -- moves -------------------------------------------------------------------------------------------------
@rule("{R|RR|P}={1}", "{R|RR}=I", "RR=CONST64(I)", "R=CONST32(I)", "R=P", "P=R")
def move(*arguments):
    return arguments[-1]


@rule("RR=combine({R|I},{R|I})")
def combine(_a, _b, high, low):
    return (high & WORD) << 32 | (low & WORD)


@rule("R=mux(P,{R|I},{R|I})")
def mux(_a, _b, p, yes, no):
    return yes if p & 1 else no


@rule("R=combine(R.{l|h},R.{l|h})")
def combine_halves(i, j, a, b):
    return _half(a, i) << 16 | _half(b, j)


@rule("R.{l|h}=I")
def set_half(part, old, n):
    return old & 0xFFFF0000 | n & 0xFFFF if part == "l" else old & 0xFFFF | (n & 0xFFFF) << 16


@rule("RR=packhl(R,R)")
def packhl(a, b):
    return pack([b & 0xFFFF, a & 0xFFFF, b >> 16, a >> 16], 16)


@rule("{R|RR}=vsplat{b|h}(R)")
def splat(size, suffix, a):
    bits = {"b": 8, "h": 16}[suffix]
    return pack([a] * (WIDTH[size] // bits), bits)


@rule("RR=vmux(P,RR,RR)")
def vector_mux(p, a, b):
    return pack([x if p >> i & 1 else y for i, (x, y) in enumerate(zip(_bytes(a), _bytes(b), strict=True))], 8)


@rule("RR=mask(P)")
def mask_of(p):
    return pack([0xFF if p >> i & 1 else 0 for i in range(8)], 8)


@rule("R=mask(I,I)")
def mask_bits(width, offset):
    return ((1 << width) - 1) << offset


def _half(value, part):
    return value & 0xFFFF if part == "l" else value >> 16 & 0xFFFF


def _bytes(value):
    return unpack(value, 8, 64, False)


# -- arithmetic and logic ----------------------------------------------------------------------------------
def _logic(name, a, b):
    return {"and": a & b, "or": a | b, "xor": a ^ b}[name]


@rule("R=add(R,I)", "{R|RR}=add({1},{1})")
def add(*arguments):
    return arguments[-2] + arguments[-1]


@rule("R=sub(I,R)", "R=sub(R,I)", "{R|RR}=sub({1},{1})")
def subtract(*arguments):
    return arguments[-2] - arguments[-1]


@rule("{R|RR}={add|sub}({1},{1}):sat")
def add_saturated(size, name, a, b):
    bits = WIDTH[size]
    a, b = signed(a, bits), signed(b, bits)
    return saturate(a + b if name == "add" else a - b, bits)


@rule("{R|RR}=neg({1})")
def negate(_, a):
    return -a


@rule("{R|RR}=not({1})")
def invert(_, a):
    return ~a


@rule("{R|RR}=abs({1})")
def absolute(size, a):
    return abs(signed(a, WIDTH[size]))


@rule("{R|RR}={max|min}{|u}({1},{1})")
def extreme(size, name, unsigned, a, b):
    def key(x):
        return x if unsigned else signed(x, WIDTH[size])

    return (max if name == "max" else min)(a, b, key=key)


@rule("{R|RR}={and|or|xor}({1},{1})")
def logic(_, name, a, b):
    return _logic(name, a, b)


@rule("R={and|or}(R,I)")
def logic_immediate(name, a, n):
    return _logic(name, a, n & WORD)


@rule("{R|RR}={and|or}({1},~{1})")
def logic_inverted(_, name, a, b):
    return _logic(name, a, ~b)


@rule("RR=add(RR,RR):raw:{lo|hi}")
def add_raw(part, a, b):
    return signed(a if part == "lo" else a >> 32, 32) + b


@rule("RR=add(R,RR)")
def add_extended(a, b):
    return signed(a, 32) + b


@rule("R=add(R,add(R,I))")
def add_add(a, b, n):
    return a + b + n


@rule("R=add(R,sub(I,R))")
def add_sub(a, n, b):
    return a + n - b


@rule("R=or(R,{and|or}(R,I))")
def or_logic(name, a, b, n):
    return a | _logic(name, b, n & WORD)


@rule("R={add|sub|and|or}(I,{asl|lsr}(R,I))")
def immediate_shift(outer, inner, n, a, s):
    moved = (a << s) & WORD if inner == "asl" else a >> s
    return {"add": n + moved, "sub": n - moved, "and": n & moved, "or": n | moved}[outer]


@rule("R=addasl(R,R,I)")
def add_shifted(a, b, n):
    return a + (b << n)


@rule("RR=v{add|sub|max|min}{ub|b|uh|h|uw|w}(RR,RR)")
def lanewise(name, suffix, a, b):
    bits, is_signed = LANES[suffix]
    return _lanewise(name, bits, is_signed, 64, a, b)


@rule("R=v{add|sub}h(R,R)")
def lanewise_word(name, a, b):
    return _lanewise(name, 16, True, 32, a, b)


def _lanewise(name, bits, is_signed, total, a, b):
    lanes = zip(unpack(a, bits, total, is_signed), unpack(b, bits, total, is_signed), strict=True)
    return pack([{"add": x + y, "sub": x - y, "max": max(x, y), "min": min(x, y)}[name] for x, y in lanes], bits)


# -- multiply ----------------------------------------------------------------------------------------------
@rule("R=mpyi(R,R)", "R=mpyi(R,I)", "R=+mpyi(R,I)")
def multiply(a, b):
    return a * b


@rule("R=-mpyi(R,I)")
def multiply_negated(a, n):
    return -(a * n)


@rule("R=add(I,mpyi(R,{R|I}))", "R=add(R,mpyi(R,{R|I}))", "R=add(R,mpyi(I,{R}))")
def multiply_add(_, x, a, b):
    return x + a * b


@rule("{R|RR}=mpy{|u}(R,R)")
def multiply_wide(size, unsigned, a, b):
    product = a * b if unsigned else signed(a, 32) * signed(b, 32)
    return product if size == "RR" else product >> 32


@rule("R=mpysu(R,R)")
def multiply_mixed(a, b):
    return signed(a, 32) * b >> 32


@rule("RR{|+}=vmpyb{u|su}(R,R)")
def multiply_bytes(update, kind, *arguments):
    *old, a, b = arguments
    left, right = unpack(a, 8, 32, kind == "su"), unpack(b, 8, 32, False)
    start = unpack(old[0], 16, 64, False) if update else [0] * 4
    return pack([s + x * y for s, x, y in zip(start, left, right, strict=True)], 16)


# -- shifts ------------------------------------------------------------------------------------------------
@rule("{R|RR}={asl|asr|lsr}({1},I)")
def shift_immediate(size, name, a, n):
    return shifted(name, a, n, WIDTH[size])


@rule("{R|RR}={asl|asr|lsr|lsl}({1},R)")
def shift_register(size, name, a, b):
    return shifted(name, a, signed(b, 7), WIDTH[size])


@rule("R=lsl(I,R)")
def shift_constant(n, b):
    return shifted("lsl", n & WORD, signed(b, 7), 32)


@rule("R=aslh(R)")
def shift_left_half(a):
    return a << 16


@rule("R=asrh(R)")
def shift_right_half(a):
    return signed(a, 32) >> 16


@rule("RR=v{asl|asr|lsr}{h|w}(RR,I)")
def shift_lanes(name, suffix, a, n):
    bits = LANES[suffix][0]
    return pack([shifted(name, lane, n, bits) for lane in unpack(a, bits, 64, False)], bits)


# -- bits --------------------------------------------------------------------------------------------------
@rule("RR=bitsplit(R,I)")
def bitsplit(a, n):
    return (a >> n) << 32 | a & ((1 << n) - 1)


@rule("{R|RR}=extract{|u}({1},I,I)")
def extract(_, unsigned, a, width, offset):
    field = a >> offset & ((1 << width) - 1)
    return field if unsigned or not width else signed(field, width)


@rule("{R|RR}=insert({1},I,I)")
def insert(_, old, a, width, offset):
    mask = (1 << width) - 1
    return old & ~(mask << offset) | (a & mask) << offset


def _leading_zeros(value, bits):
    return bits - value.bit_length()


@rule("R={cl0|cl1|clb|ct0|ct1}({R|RR})")
def count(name, size, a):
    bits = WIDTH[size]
    flipped = a ^ ((1 << bits) - 1)
    zeros, ones = _leading_zeros(a, bits), _leading_zeros(flipped, bits)
    trailing = {"ct0": a, "ct1": flipped}
    if name in trailing:
        x = trailing[name]
        return (x & -x).bit_length() - 1 if x else bits
    return {"cl0": zeros, "cl1": ones, "clb": max(zeros, ones)}[name]


@rule("R=normamt({R|RR})")
def norm_amount(size, a):
    return count("clb", size, a) - 1 if a else 0


@rule("R=popcount(RR)")
def popcount(a):
    return a.bit_count()


@rule("{R|RR}=brev({1})")
def reverse_bits(size, a):
    return int(f"{a:0{WIDTH[size]}b}"[::-1], 2)


@rule("R=swiz(R)")
def swap_bytes(a):
    return int.from_bytes(a.to_bytes(4, "little"), "big")


@rule("R={z|s}xt{b|h}(R)")
def extend(kind, suffix, a):
    bits = LANES[suffix][0]
    return signed(a, bits) if kind == "s" else a & ((1 << bits) - 1)


@rule("RR=sxtw(R)")
def extend_word(a):
    return signed(a, 32)


@rule("RR=v{z|s}xt{bh|hw}(R)")
def extend_lanes(kind, sizes, a):
    bits = LANES[sizes[0]][0]
    return pack(unpack(a, bits, 32, kind == "s"), 2 * bits)


@rule("R=vtrun{e|o}hb(RR)")
def truncate_bytes(kind, a):
    return pack(unpack(a, 8, 64, False)["eo".index(kind) :: 2], 8)


@rule("RR=vtrun{e|o}wh(RR,RR)")
def truncate_halves(kind, a, b):
    return pack([*unpack(b, 16, 64, False), *unpack(a, 16, 64, False)]["eo".index(kind) :: 2], 16)


@rule("R={set|clr|toggle}bit(R,{R|I})")
def one_bit(name, kind, a, n):
    bit = _bit(kind, n)
    return {"set": a | bit, "clr": a & ~bit, "toggle": a ^ bit}[name]


def _bit(kind, n):
    amount = signed(n, 7) if kind == "R" else n
    return 1 << amount if amount >= 0 else 0


# -- compares and predicates -------------------------------------------------------------------------------
def _compare(name, a, b, bits):
    mask = (1 << bits) - 1
    if name == "eq":
        return a & mask == b & mask
    if name == "gtu":
        return a & mask > b & mask
    return signed(a, bits) > signed(b, bits)


@rule("{P|R}={|!}cmp.{eq|gt|gtu}({R|RR},{R|RR|I})")
def compare(dest, negated, name, size, _, a, b):
    result = _compare(name, a, b, WIDTH[size]) ^ bool(negated)
    return (TRUE if dest == "P" else 1) * result


@rule("P=cmp{b|h}.{eq|gt|gtu}(R,{R|I})")
def compare_small(suffix, name, _, a, b):
    return TRUE * _compare(name, a, b, LANES[suffix][0])


@rule("P=vcmp{b|h|w}.{eq|gt|gtu}(RR,{RR|I})")
def compare_lanes(suffix, name, kind, a, b):
    bits = LANES[suffix][0]
    left = unpack(a, bits, 64, False)
    right = unpack(b, bits, 64, False) if kind == "RR" else [b] * len(left)
    each = bits // 8
    result = 0
    for index, (x, y) in enumerate(zip(left, right, strict=True)):
        if _compare(name, x, y, bits):
            result |= ((1 << each) - 1) << (index * each)
    return result


@rule("P={|!}{bitsset|bitsclr|tstbit}(R,{R|I})")
def test_bits(negated, name, kind, a, b):
    if name == "tstbit":
        result = a & _bit(kind, b) != 0
    else:
        mask = b & WORD
        result = a & mask == (mask if name == "bitsset" else 0)
    return TRUE * (result ^ bool(negated))


@rule("P={and|or|xor}(P,P)")
def predicate_logic(name, a, b):
    return _logic(name, a, b)


@rule("P={and|or}(P,!P)")
def predicate_inverted(name, a, b):
    return _logic(name, a, ~b & 0xFF)


@rule("P=not(P)")
def predicate_not(a):
    return ~a


@rule("P={any8|all8}(P)")
def predicate_reduce(name, a):
    return TRUE * (a != 0 if name == "any8" else a == 0xFF)


@rule("P={and|or}(P,{and|or}(P,{|!}P))")
def predicate_three(outer, inner, negated, a, b, c):
    return _logic(outer, a, _logic(inner, b, ~c & 0xFF if negated else c))

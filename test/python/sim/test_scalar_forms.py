"""Single scalar instruction forms, and small packets of them, against Python integers."""

import pytest
from sim.forms_harness import Bench

M32, M64 = 0xFFFFFFFF, 0xFFFFFFFFFFFFFFFF


def s32(value):
    value &= M32
    return value - (1 << 32) if value >> 31 else value


def s64(value):
    return value - (1 << 64) if value >> 63 else value


def both(op):
    """A 32-bit operation on signed r2 and r4."""
    return lambda v: op(s32(v.r2), s32(v.r4)) & M32


def holds(op, signed=True):
    return lambda v: {"p": 255 if (op(s32(v.r2), s32(v.r4)) if signed else op(v.r2, v.r4)) else 0}


def shift_register(v, name, bits):
    """Shift by the low seven bits of r4, signed."""
    amount = ((v.r4 & 127) ^ 64) - 64
    value = v.r2 if bits == 32 else v.r32
    signed = s32(value) if bits == 32 else s64(value)
    left = amount if name in ("asl", "lsl") else -amount
    source = signed if name in ("asl", "asr") else value
    return (source << left if left >= 0 else source >> -left) & ((1 << bits) - 1)


class Words:
    """Scalar operands by register name."""

    def __init__(self, r32, r54, old, p0, p1):
        self.r32, self.r54, self.old, self.p0, self.p1 = r32, r54, old, p0, p1
        self.r2, self.r3 = r32 & M32, r32 >> 32
        self.r4, self.r5 = r54 & M32, r54 >> 32
        self.r10, self.r11 = old & M32, old >> 32


SCALAR = {
    "r10 = add(r2,r4)": both(lambda a, b: a + b),
    "r10 = add(r2,#-7)": lambda v: (v.r2 - 7) & M32,
    "r10 = sub(r2,r4)": both(lambda a, b: a - b),
    "r10 = sub(##1000,r2)": lambda v: (1000 - v.r2) & M32,
    "r10 = and(r2,r4)": both(lambda a, b: a & b),
    "r10 = and(r2,#255)": lambda v: v.r2 & 255,
    "r10 = or(r2,r4)": both(lambda a, b: a | b),
    "r10 = xor(r2,r4)": both(lambda a, b: a ^ b),
    "r10 = add(r2,r4):sat": lambda v: max(-(2**31), min(2**31 - 1, s32(v.r2) + s32(v.r4))) & M32,
    "r10 = max(r2,r4)": both(max),
    "r10 = minu(r2,r4)": lambda v: min(v.r2, v.r4),
    "r10 = add(r2,add(r4,#3))": lambda v: (v.r2 + v.r4 + 3) & M32,
    "r10 += add(r2,r4)": lambda v: (v.r10 + v.r2 + v.r4) & M32,
    "r10 |= or(r2,r4)": lambda v: v.r10 | v.r2 | v.r4,
    "r10 = add(##544,asl(r10,#9))": lambda v: (544 + (v.r10 << 9)) & M32,
    "r10 = add(#7,lsr(r10,#2))": lambda v: 7 + (v.r10 >> 2),
    "r10 = or(r2,and(r4,#255))": lambda v: v.r2 | (v.r4 & 255),
    "r10 = addasl(r2,r4,#3)": lambda v: (v.r2 + (v.r4 << 3)) & M32,
    "r10 = mpyi(r2,r4)": both(lambda a, b: a * b),
    "r10 = +mpyi(r2,#12)": lambda v: (v.r2 * 12) & M32,
    "r10 -= mpyi(r2,#3)": lambda v: (v.r10 - v.r2 * 3) & M32,
    "r10 = mpy(r2,r4)": lambda v: ((s32(v.r2) * s32(v.r4)) >> 32) & M32,
    "r11:10 = mpyu(r2,r4)": lambda v: {"rr": v.r2 * v.r4},
    "r11:10 += mpy(r2,r4)": lambda v: {"rr": (v.old + s32(v.r2) * s32(v.r4)) & M64},
    "r10 = asl(r2,#5)": lambda v: (v.r2 << 5) & M32,
    "r10 = asr(r2,#5)": lambda v: (s32(v.r2) >> 5) & M32,
    "r10 |= asl(r2,#8)": lambda v: (v.r10 | v.r2 << 8) & M32,
    "r10 += lsr(r2,#4)": lambda v: (v.r10 + (v.r2 >> 4)) & M32,
    "r10 = asl(r2,r4)": lambda v: shift_register(v, "asl", 32),
    "r10 = asr(r2,r4)": lambda v: shift_register(v, "asr", 32),
    "r10 = lsr(r2,r4)": lambda v: shift_register(v, "lsr", 32),
    "r10 = lsl(r2,r4)": lambda v: shift_register(v, "lsl", 32),
    "r11:10 = asl(r3:2,r4)": lambda v: {"rr": shift_register(v, "asl", 64)},
    "r11:10 = asr(r3:2,r4)": lambda v: {"rr": shift_register(v, "asr", 64)},
    "r11:10 = lsr(r3:2,r4)": lambda v: {"rr": shift_register(v, "lsr", 64)},
    "r10 = extractu(r2,#6,#9)": lambda v: (v.r2 >> 9) & 63,
    "r10 = extract(r2,#6,#9)": lambda v: ((((v.r2 >> 9) & 63) ^ 32) - 32) & M32,
    "r10 = insert(r2,#6,#9)": lambda v: (v.r10 & ~(63 << 9)) | ((v.r2 & 63) << 9),
    "r11:10 = extractu(r3:2,#20,#30)": lambda v: {"rr": (v.r32 >> 30) & 0xFFFFF},
    "r10 = combine(r2.l,r4.l)": lambda v: (v.r2 & 0xFFFF) << 16 | (v.r4 & 0xFFFF),
    "r10 = combine(r2.h,r4.l)": lambda v: (v.r2 >> 16) << 16 | (v.r4 & 0xFFFF),
    "r11:10 = combine(r2,r4)": lambda v: {"rr": v.r2 << 32 | v.r4},
    "r11:10 = combine(r2,#7)": lambda v: {"rr": v.r2 << 32 | 7},
    "r11:10 = combine(#1,#-2)": lambda v: {"rr": 1 << 32 | (-2 & M32)},
    "r10 = zxth(r2)": lambda v: v.r2 & 0xFFFF,
    "r10 = sxtb(r2)": lambda v: (((v.r2 & 255) ^ 128) - 128) & M32,
    "r10 = sxth(r2)": lambda v: (((v.r2 & 0xFFFF) ^ 0x8000) - 0x8000) & M32,
    "r10 = aslh(r2)": lambda v: (v.r2 << 16) & M32,
    "r10 = asrh(r2)": lambda v: (s32(v.r2) >> 16) & M32,
    "r10 = setbit(r2,#3)": lambda v: v.r2 | 8,
    "r10 = clrbit(r2,#3)": lambda v: v.r2 & ~8,
    "r10 = togglebit(r2,#31)": lambda v: v.r2 ^ 1 << 31,
    "r10 = mux(p0,r2,r4)": lambda v: v.r2 if v.p0 & 1 else v.r4,
    "r10 = mux(p0,#3,#-3)": lambda v: 3 if v.p0 & 1 else -3 & M32,
    "r10 = cl0(r2)": lambda v: 32 - v.r2.bit_length(),
    "r10 = cl0(r3:2)": lambda v: 64 - v.r32.bit_length(),
    "r10 = ct0(r2)": lambda v: (v.r2 & -v.r2).bit_length() - 1 if v.r2 else 32,
    "r10 = brev(r2)": lambda v: int(f"{v.r2:032b}"[::-1], 2),
    "r10 = popcount(r3:2)": lambda v: v.r32.bit_count(),
    "r10 = swiz(r2)": lambda v: int.from_bytes(v.r2.to_bytes(4, "little"), "big"),
    "r11:10 = mask(p0)": lambda v: {"rr": sum(0xFF << 8 * i for i in range(8) if v.p0 >> i & 1)},
    "r10 = mask(#4,#3)": lambda v: 0b1111000,
    "r11:10 = bitsplit(r2,#5)": lambda v: {"rr": (v.r2 >> 5) << 32 | (v.r2 & 31)},
    "r11:10 = CONST64(#81985529216486895)": lambda v: {"rr": 81985529216486895},
    "r11:10 = add(r3:2,r5:4)": lambda v: {"rr": (v.r32 + v.r54) & M64},
    "r11:10 = sub(r3:2,r5:4)": lambda v: {"rr": (v.r32 - v.r54) & M64},
    "r11:10 = min(r3:2,r5:4)": lambda v: {"rr": min(s64(v.r32), s64(v.r54)) & M64},
    "r11:10 = add(r3:2,r5:4):raw:lo": lambda v: {"rr": (s32(v.r2) + v.r54) & M64},
    "r11:10 = add(r3:2,r5:4):raw:hi": lambda v: {"rr": (s32(v.r3) + v.r54) & M64},
    "r11:10 = vaddub(r3:2,r5:4)": lambda v: {"rr": int.from_bytes(bytes(
        (a + b) & 255 for a, b in zip(v.r32.to_bytes(8, "little"), v.r54.to_bytes(8, "little"), strict=True)),
        "little")},
    "r11:10 = vaddw(r3:2,r5:4)": lambda v: {"rr": ((v.r3 + v.r5) & M32) << 32 | ((v.r2 + v.r4) & M32)},
    "if (p0) r10 = add(r2,#5)": lambda v: (v.r2 + 5) & M32 if v.p0 & 1 else v.r10,
    "if (!p0) r10 = zxth(r2)": lambda v: v.r10 if v.p0 & 1 else v.r2 & 0xFFFF,
    "p0 = cmp.eq(r2,r4)": holds(lambda a, b: a == b),
    "p0 = cmp.gt(r2,r4)": holds(lambda a, b: a > b),
    "p0 = cmp.gtu(r2,r4)": holds(lambda a, b: a > b, signed=False),
    "p0 = cmp.gt(r3:2,r5:4)": lambda v: {"p": 255 if s64(v.r32) > s64(v.r54) else 0},
    "p0 = cmp.gtu(r3:2,r5:4)": lambda v: {"p": 255 if v.r32 > v.r54 else 0},
    "p0 = tstbit(r2,#4)": lambda v: {"p": 255 if v.r2 >> 4 & 1 else 0},
    "p0 = bitsset(r2,r4)": lambda v: {"p": 255 if v.r2 & v.r4 == v.r4 else 0},
    "p0 = !bitsclr(r2,r4)": lambda v: {"p": 255 if v.r2 & v.r4 else 0},
    "p0 = bitsclr(r2,#15)": lambda v: {"p": 0 if v.r2 & 15 else 255},
    "p0 = and(p0,!p1)": lambda v: {"p": v.p0 & ~v.p1 & 255},
    "p0 = or(p0,p1)": lambda v: {"p": v.p0 | v.p1},
    "p0 = not(p0)": lambda v: {"p": ~v.p0 & 255},
    "p0 = vcmpb.gtu(r3:2,#100)": lambda v: {
        "p": sum(1 << i for i, x in enumerate(v.r32.to_bytes(8, "little")) if x > 100)},
    # two writes of one predicate in a packet: the results AND together
    "p0 = cmp.gt(r2,#0) ;; p0 = cmp.gt(r4,#0)": lambda v: {
        "p": 255 if s32(v.r2) > 0 and s32(v.r4) > 0 else 0},
    # opposite predicates, .new, and reads of the value before the packet
    "p0 = cmp.gt(r2,r4) ;; if (p0.new) r10 = add(r2,#1) ;; if (!p0.new) r10 = add(r4,#2)": lambda v: (
        (v.r2 + 1) & M32 if s32(v.r2) > s32(v.r4) else (v.r4 + 2) & M32),
    "r10 = r2 ;; r11 = r10": lambda v: {"rr": v.r10 << 32 | v.r2},
    "r2 = r4 ;; r10 = add(r2,#1)": lambda v: (v.r2 + 1) & M32,
    "if (p0.new) r10 = #1 ;; if (!p0.new) r10 = #2 ;; p0 = cmp.eq(r2,#0)": lambda v: 1 if v.r2 == 0 else 2,
}  # fmt: skip


@pytest.fixture(scope="module")
def bench():
    return Bench([], SCALAR)


WORDS = [
    (0x0000000100000005, 0x0000000000000003, 0x1122334455667788, 255, 0),
    (0xFFFFFFFF80000000, 0x7FFFFFFFFFFFFFFF, 0xFFFFFFFFFFFFFFFF, 0, 255),
    (0x123456789ABCDEF0, 0xFEDCBA9876543210, 0, 0xA5, 0x0F),
    (0, 0, 0x8000000080000000, 1, 1),
    (0x00000000FFFFFFFF, 0x0000000000000020, 5, 254, 255),
    (0x7FFFFFFF7FFFFFFF, 0x0000000100000040, 77, 255, 255),
    (0x8000000000000001, 0x800000000000003F, 1 << 40, 0, 0),
]


@pytest.mark.parametrize("form", SCALAR)
def test_scalar(bench, form):
    for words in WORDS:
        value, predicate = bench.scalar(form, *words)
        want = SCALAR[form](Words(*words))
        if isinstance(want, dict):
            assert want.get("rr", value) == value, f"{words}: {value:#x} is not {want['rr']:#x}"
            assert want.get("p", predicate) == predicate, f"{words}: {predicate:#x} is not {want['p']:#x}"
        else:
            assert value & M32 == want, f"{words}: {value & M32:#x} is not {want:#x}"

"""Single HVX instruction forms against numpy."""

import re

import numpy as np
import pytest
from sim.forms_harness import Bench, float_vectors, random_vectors

N = 128
I8, U8, I16, U16, I32, U32, I64, U64 = (
    np.int8, np.uint8, np.int16, np.uint16, np.int32, np.uint32, np.int64, np.uint64)  # fmt: skip
F16, F32 = np.float16, np.float32


def wide(v, kind):
    return v.view(kind).astype(I64)


def sat(v, kind):
    info = np.iinfo(kind)
    return np.clip(v, info.min, info.max).astype(kind)


def lanes(op, kind, saturate=False):
    """Elementwise on a and b in int64, then back to ``kind``."""
    def run(s):
        result = op(wide(s.a, kind), wide(s.b, kind))
        return sat(result, kind) if saturate else result.astype(kind)
    return run


def cmp(op, kind):
    return lambda s: {"q": np.repeat(op(s.a.view(kind), s.b.view(kind)), np.dtype(kind).itemsize) * U8(255)}


def even_odd(op, left, right, out):
    """Widening operation: even lanes to v10, odd lanes to v11."""
    def run(s):
        a, b = wide(s.a, left), wide(s.b, right)
        return op(a[0::2], b[0::2]).astype(out), op(a[1::2], b[1::2]).astype(out)
    return run


def interleave(even, odd, kind):
    out = np.empty(even.size * 2, kind)
    out[0::2], out[1::2] = even, odd
    return out


def shuffle_reference(hi, lo, control, stages):
    hi, lo = hi.copy(), lo.copy()
    for stage in stages:
        if control & stage:
            for k in range(N):
                if not k & stage:
                    hi[k], lo[k + stage] = lo[k + stage], hi[k]
    return lo, hi


def delta_reference(data, control, stages):
    data = data.copy()
    for stage in stages:
        data = np.array([data[k ^ stage] if control[k] & stage else data[k] for k in range(N)], U8)
    return data


def shift_reference(value, amount, kind, name):
    """Per-lane signed shift."""
    bits = np.dtype(kind).itemsize * 8
    signed = ((amount.astype(I64) & (2 * bits - 1)) ^ bits) - bits
    out = []
    for v, s in zip(value.tolist(), signed.tolist(), strict=True):
        left = s if name == "asl" else -s
        if name == "lsr":
            v &= (1 << bits) - 1
        out.append(v << left if left >= 0 else v >> -left)
    return np.array([x & ((1 << bits) - 1) for x in out], U64).astype(np.dtype(kind).str.replace("i", "u"))


def pack(kind, wide_kind, saturate=None):
    def run(s):
        both = np.concatenate([s.b.view(wide_kind), s.a.view(wide_kind)])
        return sat(both.astype(I64), saturate) if saturate else both.astype(kind)
    return run


def rotate(s, n):
    return np.concatenate([s.b, s.a])[n : n + N]


def splat_bytes(s):
    return np.tile(np.array([s.r2], U32).view(U8), 32)


def dot(s, left, right, acc, b=None):
    b = s.b if b is None else b
    products = (wide(s.a, left) * wide(b, right)).reshape(32, 4).sum(1)
    return (products + (wide(s.x, I32) if acc else 0)).astype(I32)


ADD, SUB, MUL = np.add, np.subtract, np.multiply
STAGES = (1, 2, 4, 8, 16, 32, 64)

INTEGER = {
    "v10.b = vadd(v0.b,v1.b)": lanes(ADD, I8),
    "v10.h = vadd(v0.h,v1.h)": lanes(ADD, I16),
    "v10.w = vadd(v0.w,v1.w)": lanes(ADD, I32),
    "v10.w = vsub(v0.w,v1.w)": lanes(SUB, I32),
    "v10.h = vsub(v0.h,v1.h)": lanes(SUB, I16),
    "v10.b = vsub(v0.b,v1.b)": lanes(SUB, I8),
    "v10.w = vadd(v0.w,v1.w):sat": lanes(ADD, I32, True),
    "v10.h = vadd(v0.h,v1.h):sat": lanes(ADD, I16, True),
    "v10.ub = vadd(v0.ub,v1.ub):sat": lanes(ADD, U8, True),
    "v10.uw = vadd(v0.uw,v1.uw):sat": lanes(ADD, U32, True),
    "v10.w = vsub(v0.w,v1.w):sat": lanes(SUB, I32, True),
    "v10.uw = vsub(v0.uw,v1.uw):sat": lanes(SUB, U32, True),
    "v10.uh = vsub(v0.uh,v1.uh):sat": lanes(SUB, U16, True),
    "v10.w += v0.w": lambda s: s.x.view(I32) + s.a.view(I32),
    "if (q0) v10.w += v0.w": lambda s: np.where(
        s.m != 0, (s.x.view(I32) + s.a.view(I32)).view(U8), s.x),
    "if (!q0) v10.w -= v0.w": lambda s: np.where(
        s.m == 0, (s.x.view(I32) - s.a.view(I32)).view(U8), s.x),
    "v11:10.w = vadd(v5:4.w,v1:0.w)": lambda s: (
        s.c.view(I32) + s.a.view(I32), s.d.view(I32) + s.b.view(I32)),
    "v11:10.h = vadd(v0.ub,v1.ub)": even_odd(ADD, U8, U8, I16),
    "v11:10.w = vsub(v0.h,v1.h)": even_odd(SUB, I16, I16, I32),
    "v10.b = vmax(v0.b,v1.b)": lanes(np.maximum, I8),
    "v10.ub = vmin(v0.ub,v1.ub)": lanes(np.minimum, U8),
    "v10.h = vmin(v0.h,v1.h)": lanes(np.minimum, I16),
    "v10.uh = vmax(v0.uh,v1.uh)": lanes(np.maximum, U16),
    "v10.w = vmax(v0.w,v1.w)": lanes(np.maximum, I32),
    "v10.w = vmin(v0.w,v1.w)": lanes(np.minimum, I32),
    "v10.h = vavg(v0.h,v1.h)": lanes(lambda a, b: (a + b) >> 1, I16),
    "v10.ub = vavg(v0.ub,v1.ub):rnd": lanes(lambda a, b: (a + b + 1) >> 1, U8),
    "v10.w = vabs(v0.w)": lambda s: np.abs(wide(s.a, I32)).astype(I32),
    "v10.h = vabs(v0.h)": lambda s: np.abs(wide(s.a, I16)).astype(I16),
    "v10.h = vabs(v0.h):sat": lambda s: sat(np.abs(wide(s.a, I16)), I16),
    "v10.ub = vabsdiff(v0.ub,v1.ub)": lanes(lambda a, b: np.abs(a - b), U8),
    "v10 = vand(v0,v1)": lambda s: s.a & s.b,
    "v10 = vor(v0,v1)": lambda s: s.a | s.b,
    "v10 = vxor(v0,v1)": lambda s: s.a ^ s.b,
    "v10 = vnot(v0)": lambda s: ~s.a,
    "v10 = v0": lambda s: s.a,
    "v10 = vmux(q0,v0,v1)": lambda s: np.where(s.m != 0, s.a, s.b),
    "v10 = vand(q0,v1)": lambda s: np.where(s.m != 0, s.b, 0).astype(U8),
    "v11:10 = vswap(q0,v0,v1)": lambda s: (np.where(s.m != 0, s.a, s.b), np.where(s.m != 0, s.b, s.a)),
    "q0 = vcmp.eq(v0.b,v1.b)": cmp(np.equal, U8),
    "q0 = vcmp.gt(v0.b,v1.b)": cmp(np.greater, I8),
    "q0 = vcmp.gt(v0.ub,v1.ub)": cmp(np.greater, U8),
    "q0 = vcmp.gt(v0.h,v1.h)": cmp(np.greater, I16),
    "q0 = vcmp.gt(v0.uh,v1.uh)": cmp(np.greater, U16),
    "q0 = vcmp.gt(v0.w,v1.w)": cmp(np.greater, I32),
    "q0 = vcmp.gt(v0.uw,v1.uw)": cmp(np.greater, U32),
    "q0 = vcmp.eq(v0.w,v0.w)": lambda s: {"q": np.full(N, 255, U8)},
    "q0 &= vcmp.gt(v0.b,v1.b)": lambda s: {
        "q": ((s.m != 0) & (s.a.view(I8) > s.b.view(I8))) * U8(255)},
    "q0 |= vcmp.gt(v0.b,v1.b)": lambda s: {
        "q": ((s.m != 0) | (s.a.view(I8) > s.b.view(I8))) * U8(255)},
    "q0 = and(q0,q1)": lambda s: {"q": ((s.m != 0) & (s.b != 0)) * U8(255)},
    "q0 = or(q0,q1)": lambda s: {"q": ((s.m != 0) | (s.b != 0)) * U8(255)},
    "q0 = xor(q0,q1)": lambda s: {"q": ((s.m != 0) ^ (s.b != 0)) * U8(255)},
    "q0 = not(q0)": lambda s: {"q": (s.m == 0) * U8(255)},
    "q0 = vsetq(r2)": lambda s: {"q": (np.arange(N) < (s.r2 & 127)) * U8(255)},
    "q0 = vsetq2(r2)": lambda s: {"q": (np.arange(N) <= ((s.r2 - 1) & 127)) * U8(255)},
    "q0 = vand(v0,r2)": lambda s: {"q": ((s.a & splat_bytes(s)) != 0) * U8(255)},
    "v10 = vand(q0,r2)": lambda s: np.where(s.m != 0, splat_bytes(s), 0).astype(U8),
    "v10 = vsplat(r2)": lambda s: splat_bytes(s),
    "v10.h = vsplat(r2)": lambda s: np.full(64, s.r2 & 0xFFFF, U16),
    "v10.b = vsplat(r2)": lambda s: np.full(N, s.r2 & 0xFF, U8),
    "v10.w = vinsert(r2)": lambda s: np.concatenate([np.array([s.r2], U32).view(U8), s.x[4:]]),
    "r10 = vextract(v0,r2)": lambda s: {"r": int(s.a.view(U32)[(s.r2 & 127) >> 2])},
    "v10.w = vasl(v0.w,r2)": lambda s: (wide(s.a, I32) << (s.r2 & 31)).astype(I32),
    "v10.w = vasr(v0.w,r2)": lambda s: s.a.view(I32) >> (s.r2 & 31),
    "v10.uw = vlsr(v0.uw,r2)": lambda s: s.a.view(U32) >> U32(s.r2 & 31),
    "v10.h = vasl(v0.h,r2)": lambda s: (wide(s.a, I16) << (s.r2 & 15)).astype(I16),
    "v10.h = vasr(v0.h,r2)": lambda s: s.a.view(I16) >> (s.r2 & 15),
    "v10.uh = vlsr(v0.uh,r2)": lambda s: s.a.view(U16) >> U16(s.r2 & 15),
    "v10.w += vasl(v0.w,r2)": lambda s: (wide(s.x, I32) + (wide(s.a, I32) << (s.r2 & 31))).astype(I32),
    "v10.w += vasr(v0.w,r2)": lambda s: s.x.view(I32) + (s.a.view(I32) >> (s.r2 & 31)),
    "v10.w = vasl(v0.w,v1.w)": lambda s: shift_reference(s.a.view(I32), s.b.view(I32), I32, "asl"),
    "v10.w = vasr(v0.w,v1.w)": lambda s: shift_reference(s.a.view(I32), s.b.view(I32), I32, "asr"),
    "v10.w = vlsr(v0.w,v1.w)": lambda s: shift_reference(s.a.view(I32), s.b.view(I32), I32, "lsr"),
    "v10.h = vasl(v0.h,v1.h)": lambda s: shift_reference(s.a.view(I16), s.b.view(I16), I16, "asl"),
    "v10.h = vlsr(v0.h,v1.h)": lambda s: shift_reference(s.a.view(I16), s.b.view(I16), I16, "lsr"),
    "v10.uw = vcl0(v0.uw)": lambda s: np.array([32 - int(x).bit_length() for x in s.a.view(U32)], U32),
    "v10.uh = vcl0(v0.uh)": lambda s: np.array([16 - int(x).bit_length() for x in s.a.view(U16)], U16),
    "v10.h = vpopcount(v0.h)": lambda s: np.array([int(x).bit_count() for x in s.a.view(U16)], U16),
    "v10.h = vasr(v0.w,v1.w,r2):sat": lambda s: interleave(
        sat(wide(s.b, I32) >> (s.r2 & 15), I16), sat(wide(s.a, I32) >> (s.r2 & 15), I16), I16),
    "v10.ub = vsat(v0.h,v1.h)": lambda s: interleave(sat(wide(s.b, I16), U8), sat(wide(s.a, I16), U8), U8),
    # multiplies
    "v10.h = vmpyi(v0.h,v1.h)": lanes(MUL, I16),
    "v11:10.w = vmpy(v0.h,v1.h)": even_odd(MUL, I16, I16, I32),
    "v11:10.uw = vmpy(v0.uh,v1.uh)": even_odd(MUL, U16, U16, U32),
    "v11:10.h = vmpy(v0.b,v1.b)": even_odd(MUL, I8, I8, I16),
    "v11:10.uh = vmpy(v0.ub,v1.ub)": even_odd(MUL, U8, U8, U16),
    "v11:10.h = vmpy(v0.ub,v1.b)": even_odd(MUL, U8, I8, I16),
    "v10.w = vrmpy(v0.b,v1.b)": lambda s: dot(s, I8, I8, False),
    "v10.w += vrmpy(v0.b,v1.b)": lambda s: dot(s, I8, I8, True),
    "v10.uw = vrmpy(v0.ub,v1.ub)": lambda s: dot(s, U8, U8, False),
    "v10.w += vrmpy(v0.ub,v1.b)": lambda s: dot(s, U8, I8, True),
    "v10.uw = vrmpy(v0.ub,r2.ub)": lambda s: dot(s, U8, U8, False, splat_bytes(s)),
    "v10.w += vrmpy(v0.ub,r2.b)": lambda s: dot(s, U8, I8, True, splat_bytes(s)),
    "v10.w = vmpyieo(v0.h,v1.h)": lambda s: (
        (wide(s.a, I16)[0::2] * wide(s.b, I16)[1::2]) << 16).astype(I32),
    "v10.w += vmpyie(v0.w,v1.uh)": lambda s: (
        wide(s.x, I32) + wide(s.a, I32) * wide(s.b, U16)[0::2]).astype(I32),
    "v10.w = vmpyio(v0.w,v1.h)": lambda s: (wide(s.a, I32) * wide(s.b, I16)[1::2]).astype(I32),
    "v11:10 = vmpye(v0.w,v1.uh)": lambda s: (
        ((wide(s.a, I32) * wide(s.b, U16)[0::2]) << 16).astype(I32),
        ((wide(s.a, I32) * wide(s.b, U16)[0::2]) >> 16).astype(I32)),
    "v10.w = vdmpy(v0.h,v1.h):sat": lambda s: sat(
        (wide(s.a, I16) * wide(s.b, I16)).reshape(32, 2).sum(1), I32),
    "v10.h = vmpy(v0.h,v1.h):<<1:rnd:sat": lambda s: (
        sat(((wide(s.a, I16) * wide(s.b, I16)) << 1) + 0x8000, I32) >> 16).astype(I16),
    # permutes
    "v10 = valign(v0,v1,r2)": lambda s: rotate(s, s.r2 & 127),
    "v10 = valign(v0,v1,#5)": lambda s: rotate(s, 5),
    "v10 = vlalign(v0,v1,r2)": lambda s: np.concatenate([s.b, s.a])[N - (s.r2 & 127) :][:N],
    "v10 = vlalign(v0,v1,#4)": lambda s: np.concatenate([s.b, s.a])[N - 4 :][:N],
    "v10 = vror(v0,r2)": lambda s: np.roll(s.a, -(s.r2 & 127)),
    "v11:10 = vshuff(v0,v1,r2)": lambda s: shuffle_reference(s.a, s.b, s.r2, STAGES),
    "v11:10 = vdeal(v0,v1,r2)": lambda s: shuffle_reference(s.a, s.b, s.r2, STAGES[::-1]),
    "v10 = vdelta(v0,v1)": lambda s: delta_reference(s.a, s.b, STAGES[::-1]),
    "v10 = vrdelta(v0,v1)": lambda s: delta_reference(s.a, s.b, STAGES),
    "v10.h = vdeal(v0.h)": lambda s: np.concatenate([s.a.view(U16)[0::2], s.a.view(U16)[1::2]]),
    "v10.b = vdeal(v0.b)": lambda s: np.concatenate([s.a[0::2], s.a[1::2]]),
    "v10.h = vshuff(v0.h)": lambda s: interleave(s.a.view(U16)[:32], s.a.view(U16)[32:], U16),
    "v10.b = vshuff(v0.b)": lambda s: interleave(s.a[:64], s.a[64:], U8),
    "v10.b = vshuffe(v0.b,v1.b)": lambda s: interleave(s.b[0::2], s.a[0::2], U8),
    "v10.h = vshuffo(v0.h,v1.h)": lambda s: interleave(s.b.view(U16)[1::2], s.a.view(U16)[1::2], U16),
    "v10.b = vdeale(v0.b,v1.b)": lambda s: np.concatenate([s.b[0::4], s.b[2::4], s.a[0::4], s.a[2::4]]),
    "v10.b = vpacke(v0.h,v1.h)": pack(I8, I16),
    "v10.h = vpacke(v0.w,v1.w)": pack(I16, I32),
    "v10.h = vpacko(v0.w,v1.w)": lambda s: np.concatenate([s.b.view(U16)[1::2], s.a.view(U16)[1::2]]),
    "v10.b = vpack(v0.h,v1.h):sat": pack(I8, I16, I8),
    "v10.ub = vpack(v0.h,v1.h):sat": pack(U8, I16, U8),
    "v10.h = vpack(v0.w,v1.w):sat": pack(I16, I32, I16),
    "v11:10.h = vunpack(v0.b)": lambda s: (s.a.view(I8)[:64].astype(I16), s.a.view(I8)[64:].astype(I16)),
    "v11:10.uw = vunpack(v0.uh)": lambda s: (s.a.view(U16)[:32].astype(U32), s.a.view(U16)[32:].astype(U32)),
    "v11:10.uh = vzxt(v0.ub)": lambda s: (s.a[0::2].astype(U16), s.a[1::2].astype(U16)),
    "v11:10.w = vsxt(v0.h)": lambda s: (s.a.view(I16)[0::2].astype(I32), s.a.view(I16)[1::2].astype(I32)),
    "v11:10 = vcombine(v0,v1)": lambda s: (s.b, s.a),
}  # fmt: skip


class Inputs:
    """Named input vectors and the scalar operand."""

    def __init__(self, vectors, r2):
        self.a, self.b, self.c, self.d, self.x, self.y, self.m = vectors
        self.r2 = r2


def halves(v):
    return v.view(F16).astype(F32)


def f32(op):
    return lambda s: op(s.a.view(F32), s.b.view(F32))


def f16(op):
    return lambda s: op(halves(s.a), halves(s.b)).astype(F16)


FLOAT = {
    "v10.qf32 = vadd(v0.sf,v1.sf)": f32(ADD),
    "v10.qf32 = vadd(v0.qf32,v1.sf)": f32(ADD),
    "v10.qf32 = vadd(v0.qf32,v1.qf32)": f32(ADD),
    "v10.qf32 = vsub(v0.sf,v1.sf)": f32(SUB),
    "v10.qf32 = vsub(v0.qf32,v1.qf32)": f32(SUB),
    "v10.qf32 = vmpy(v0.sf,v1.sf)": f32(MUL),
    "v10.qf32 = vmpy(v0.qf32,v1.qf32)": f32(MUL),
    "v10.sf = vadd(v0.sf,v1.sf)": f32(ADD),
    "v10.sf = vsub(v0.sf,v1.sf)": f32(SUB),
    "v10.sf = vmpy(v0.sf,v1.sf)": f32(MUL),
    "v10.sf = vmax(v0.sf,v1.sf)": f32(np.maximum),
    "v10.sf = vmin(v0.sf,v1.sf)": f32(np.minimum),
    "v10.sf = vfmax(v0.sf,v1.sf)": f32(np.fmax),
    "v10.sf = vfmin(v0.sf,v1.sf)": f32(np.fmin),
    "v10.sf = v0.qf32": lambda s: s.a.view(F32),
    "v10.sf = vabs(v0.sf)": lambda s: np.abs(s.a.view(F32)),
    "v10.sf = vfneg(v0.sf)": lambda s: -s.a.view(F32),
    "q0 = vcmp.gt(v0.sf,v1.sf)": cmp(np.greater, F32),
    "v10.w = v0.sf": lambda s: np.where(
        np.isinf(s.a.view(F32)), I32(2**31 - 1), np.nan_to_num(s.a.view(F32), posinf=0).astype(I32)),
    "v10.sf = v0.w": lambda s: s.a.view(I32).astype(F32),
    "v10.hf = vcvt(v0.sf,v1.sf)": lambda s: interleave(
        s.a.view(F32).astype(F16), s.b.view(F32).astype(F16), F16),
    "v10.hf = v1:0.qf32": lambda s: interleave(s.a.view(F32).astype(F16), s.b.view(F32).astype(F16), F16),
}  # fmt: skip

HALF = {
    "v10.qf16 = vadd(v0.hf,v1.hf)": f16(ADD),
    "v10.qf16 = vadd(v0.qf16,v1.hf)": f16(ADD),
    "v10.qf16 = vsub(v0.hf,v1.hf)": f16(SUB),
    "v10.qf16 = vmpy(v0.hf,v1.hf)": f16(MUL),
    "v10.hf = vadd(v0.hf,v1.hf)": f16(ADD),
    "v10.hf = vmpy(v0.hf,v1.hf)": f16(MUL),
    "v10.hf = vmax(v0.hf,v1.hf)": f16(np.maximum),
    "v10.hf = v0.qf16": lambda s: s.a.view(F16),
    "v11:10.qf32 = vmpy(v0.hf,v1.hf)": lambda s: (
        halves(s.a)[0::2] * halves(s.b)[0::2], halves(s.a)[1::2] * halves(s.b)[1::2]),
    "v11:10.sf = vcvt(v0.hf)": lambda s: (halves(s.a)[0::2], halves(s.a)[1::2]),
    "q0 = vcmp.gt(v0.hf,v1.hf)": cmp(np.greater, F16),
    "v10.hf = vcvt(v0.h)": lambda s: s.a.view(I16).astype(F16),
}  # fmt: skip


@pytest.fixture(scope="module")
def bench():
    return Bench([*INTEGER, *FLOAT, *HALF], [])


SCALARS = (5, 0, 31, 64, 100, 0xFFFFFFFC, 0x80000001, 0x7F4)


def check_vector(bench, form, expected, vectors):
    scalars = SCALARS if re.search(r"r2", form) else (5,)
    for r2 in scalars:
        got = bench.vector(form, vectors, r2)
        with np.errstate(all="ignore"):
            want = expected(Inputs(vectors, r2))
        if isinstance(want, dict):
            if "q" in want:
                np.testing.assert_array_equal(got[2], want["q"])
            else:
                assert got[3] == want["r"]
            continue
        parts = want if isinstance(want, tuple) else (want,)
        for part, register in zip(parts, got, strict=False):
            part = np.asarray(part)
            same = np.array_equal(
                register.view(part.dtype), part, equal_nan=part.dtype.kind == "f")
            assert same, f"r2={r2}: {register.view(part.dtype)} is not {part}"


@pytest.mark.parametrize("form", INTEGER)
def test_hvx_integer(bench, form):
    check_vector(bench, form, INTEGER[form], random_vectors())


@pytest.mark.parametrize("form", FLOAT)
def test_hvx_float(bench, form):
    check_vector(bench, form, FLOAT[form], float_vectors())


@pytest.mark.parametrize("form", HALF)
def test_hvx_half(bench, form):
    check_vector(bench, form, HALF[form], float_vectors(half=True))

"""HVX integer lane forms in numpy (HVX V73 PRM 80-N2040-54, chapter 6)."""

from __future__ import annotations

import numpy as np

from hexagon_mlir.sim.reference.rules import DTYPES, rule

INTEGERS = "{b|ub|h|uh|w|uw}"
VECTOR_BYTES = 128


def wide(value, suffix):
    """Lanes as int64."""
    return value.view(DTYPES[suffix]).astype(np.int64)


def narrow(lanes, suffix):
    """int64 lanes wrapped to ``suffix``."""
    return lanes.astype(DTYPES[suffix])


def saturated(lanes, suffix):
    limits = np.iinfo(DTYPES[suffix])
    return np.clip(lanes, limits.min, limits.max).astype(DTYPES[suffix])


def interleaved(even, odd):
    return np.stack([even, odd], axis=-1).reshape(-1)


def scalar(r, suffix):
    """A scalar register repeated in every word, as int64 lanes."""
    return wide(np.full(32, r, np.uint32), suffix)


# -- arithmetic --------------------------------------------------------------------------------------------
@rule("V.{b|h|w}=v{add|sub}(V.{1},V.{1})")
def add(suffix, name, a, b):
    a, b = wide(a, suffix), wide(b, suffix)
    return narrow(a + b if name == "add" else a - b, suffix)


@rule(f"V.{INTEGERS}=v{{add|sub}}(V.{{1}},V.{{1}}):sat")
def add_saturated(suffix, name, a, b):
    a, b = wide(a, suffix), wide(b, suffix)
    return saturated(a + b if name == "add" else a - b, suffix)


@rule("VV.{h|w}=v{add|sub}(V.{ub|h|uh},V.{3})")
def add_widening(out, name, suffix, a, b):
    a, b = wide(a, suffix), wide(b, suffix)
    total = a + b if name == "add" else a - b
    return narrow(total[::2], out), narrow(total[1::2], out)


@rule("V.{b|h|w}=V.{1}")
def same(_, a):
    return a


@rule(f"V.{INTEGERS}=v{{max|min}}(V.{{1}},V.{{1}})")
def extreme(suffix, name, a, b):
    return getattr(np, name + "imum")(a.view(DTYPES[suffix]), b.view(DTYPES[suffix]))


@rule(f"V.{INTEGERS}=vavg(V.{{1}},V.{{1}}){{|:rnd}}")
def average(suffix, rounded, a, b):
    return narrow((wide(a, suffix) + wide(b, suffix) + bool(rounded)) >> 1, suffix)


@rule("V.{b|h|w}=vnavg(V.{b|ub|h|w},V.{2})")
def negative_average(out, suffix, a, b):
    return narrow((wide(a, suffix) - wide(b, suffix)) >> 1, out)


@rule("V.{b|h|w}=vabs(V.{1}){|:sat}")
def absolute(suffix, sat, a):
    size = np.abs(wide(a, suffix))
    return saturated(size, suffix) if sat else narrow(size, suffix)


@rule("V.{ub|uh|uw}=vabsdiff(V.{ub|h|uh|w},V.{2})")
def absolute_difference(out, suffix, a, b):
    return narrow(np.abs(wide(a, suffix) - wide(b, suffix)), out)


# -- shifts and counts -------------------------------------------------------------------------------------
def _shifted(lanes, amount, name):
    """int64 lanes by signed amounts; a negative amount shifts the other way."""
    left = amount if name == "asl" else -amount
    up = lanes << np.maximum(left, 0)
    down = lanes >> np.maximum(-left, 0)
    return np.where(left >= 0, up, down)


@rule("V.{b|ub|h|uh|w|uw}=v{asl|asr|lsr}(V.{1},R)")
def shift_by_scalar(suffix, name, a, r):
    lanes = wide(a, suffix.replace("u", "") if name != "lsr" else "u" + suffix[-1])
    bits = np.iinfo(DTYPES[suffix]).bits
    return narrow(_shifted(lanes, np.int64(r & (bits - 1)), name), suffix)


@rule("V.{h|w}=v{asl|asr|lsr}(V.{1},V.{1})")
def shift_by_lanes(suffix, name, a, b):
    bits = np.iinfo(DTYPES[suffix]).bits
    span = 2 * bits
    amount = (wide(b, suffix) + bits) % span - bits
    lanes = wide(a, "u" + suffix if name == "lsr" else suffix)
    return narrow(_shifted(lanes, amount, name), suffix)


@rule("V.{h|uh|b|ub}=vasr(V.{w|uw|h|uh},V.{2},R){|:sat|:rnd:sat}")
def shift_narrow(out, suffix, mark, u, v, r):
    amount = r & (7 if out.endswith("b") else 15)
    parts = []
    for source in (v, u):
        lanes = wide(source, suffix)
        if "rnd" in mark and amount:
            lanes = lanes + (1 << amount - 1)
        lanes = lanes >> amount
        parts.append(saturated(lanes, out) if "sat" in mark else narrow(lanes, out))
    return interleaved(*parts)


@rule("V.{ub|h|uh}=vsat(V.{h|w|uw},V.{2})")
def saturate(out, suffix, u, v):
    return interleaved(saturated(wide(v, suffix), out), saturated(wide(u, suffix), out))


def _leading_zeros(lanes, bits):
    return np.array([bits - int(x).bit_length() for x in lanes])


@rule("V.{uh|uw}=vcl0(V.{1})")
def leading_zeros(suffix, a):
    return narrow(_leading_zeros(wide(a, suffix), np.iinfo(DTYPES[suffix]).bits), suffix)


@rule("V.{h|w}=vnormamt(V.{1})")
def norm_amount(suffix, a):
    lanes = wide(a, suffix)
    magnitude = np.where(lanes < 0, ~lanes, lanes)
    return narrow(_leading_zeros(magnitude, np.iinfo(DTYPES[suffix]).bits) - 1, suffix)


@rule("V.h=vpopcount(V.h)")
def popcount(a):
    return np.unpackbits(a).reshape(64, 16).sum(axis=1).astype(np.uint16)


# -- logic, selection --------------------------------------------------------------------------------------
@rule("V=V")
def move(a):
    return a


@rule("V=v{and|or|xor}(V,V)")
def logic(name, a, b):
    return {"and": a & b, "or": a | b, "xor": a ^ b}[name]


@rule("V=vnot(V)")
def invert(a):
    return ~a


@rule("V=vmux(Q,V,V)")
def mux(q, a, b):
    return np.where(q, a, b)


@rule("V=vand({|!}Q,V)")
def keep(negated, q, a):
    return np.where(q ^ bool(negated), a, np.uint8(0))


@rule("VV=vswap(Q,V,V)")
def swap(q, a, b):
    return np.where(q, a, b), np.where(q, b, a)


@rule(f"Q=vcmp.{{eq|gt}}(V.{INTEGERS},V.{{2}})")
def compare(name, suffix, a, b):
    a, b = wide(a, suffix), wide(b, suffix)
    return np.repeat(a == b if name == "eq" else a > b, VECTOR_BYTES // a.size)


@rule("Q={and|or|xor}(Q,{|!}Q)")
def predicate_logic(name, negated, a, b):
    b = b ^ bool(negated)
    return {"and": a & b, "or": a | b, "xor": a ^ b}[name]


@rule("Q=not(Q)")
def predicate_not(a):
    return ~a


@rule("Q=vand(V,R)")
def predicate_from_vector(v, r):
    return (v & np.full(32, r, np.uint32).view(np.uint8)) != 0


@rule("V=vand({|!}Q,R)")
def vector_from_predicate(negated, q, r):
    return np.where(q ^ bool(negated), np.full(32, r, np.uint32).view(np.uint8), np.uint8(0))


@rule("Q=vsetq{|2}(R)")
def first_bytes(inclusive, r):
    index = np.arange(VECTOR_BYTES)
    return index <= (r - 1) % VECTOR_BYTES if inclusive else index < r % VECTOR_BYTES


@rule("Q.{b|h}=vshuffe(Q.{h|w},Q.{2})")
def predicate_shuffle(out, _, s, t):
    step = 1 if out == "b" else 2
    index = np.arange(VECTOR_BYTES)
    return np.where(index & step, s[index & ~step], t)


# -- scalars -----------------------------------------------------------------------------------------------
@rule("V{|.h|.b}=vsplat(R)")
def splat(suffix, r):
    bits = {"": 32, ".h": 16, ".b": 8}[suffix]
    return np.full(1024 // bits, r & ((1 << bits) - 1), f"u{bits // 8}")


@rule("V.w=vinsert(R)")
def insert(old, r):
    result = old.view(np.uint32).copy()
    result[0] = r
    return result


@rule("R=vextract(V,R)")
def extract(v, r):
    return int(v.view(np.uint32)[r % VECTOR_BYTES // 4])

"""HVX integer multiplies in numpy (HVX V73 PRM 80-N2040-54, chapter 6). A scalar operand repeats per word."""

from __future__ import annotations

import numpy as np

from hexagon_mlir.sim.reference.rules import rule
from hexagon_mlir.sim.reference.vector_int import interleaved, narrow, saturated, scalar, wide


def _right(kind, suffix, value):
    return wide(value, suffix) if kind == "V" else scalar(value, suffix)


@rule("VV.{h|uh|w|uw}=vmpy(V.{b|ub|h|uh},{V|R}.{b|ub|h|uh})")
def multiply(out, left, kind, right, a, b):
    product = wide(a, left) * _right(kind, right, b)
    return narrow(product[::2], out), narrow(product[1::2], out)


@rule("V.{h|w}=vmpyi(V.{1},{V|R}.{b|ub|h})")
def multiply_low(suffix, kind, right, a, b):
    """A scalar's bytes or halfwords take turns over the lanes."""
    lanes = wide(a, suffix)
    if kind == "R":
        parts = np.array([b], np.uint32).view({"b": np.int8, "ub": np.uint8, "h": np.int16}[right])
        factors = np.resize(parts.astype(np.int64), lanes.size)
    else:
        factors = wide(b, right)
    return narrow(lanes * factors, suffix)


@rule("V.w=vmpyieo(V.h,V.h)")
def multiply_even_odd(a, b):
    return narrow(wide(a, "h")[::2] * wide(b, "h")[1::2] << 16, "w")


@rule("V.w=vmpyi{e|o}(V.w,V.{h|uh})")
def multiply_word_half(which, suffix, a, b):
    return narrow(wide(a, "w") * wide(b, suffix)["eo".index(which) :: 2], "w")


@rule("VV=vmpye(V.w,V.uh)")
def multiply_even_wide(a, b):
    product = wide(a, "w") * wide(b, "uh")[::2]
    return narrow(product << 16, "w"), narrow(product >> 16, "w")


@rule("V.w=vmpye(V.w,V.uh)")
def multiply_even_high(a, b):
    return multiply_even_wide(a, b)[1]


@rule("VV+=vmpyo(V.w,V.h)")
def multiply_odd_wide(old, a, b):
    total = wide(a, "w") * wide(b, "h")[1::2] + wide(old[1], "w")
    low = interleaved(wide(old[0], "uh")[1::2], total & 0xFFFF)
    return narrow(low, "uh"), narrow(total >> 16, "w")


@rule("V.w=vmpyo(V.w,V.h):<<1{|:rnd}:sat")
def multiply_odd_high(rounded, a, b):
    product = wide(a, "w") * wide(b, "h")[1::2]
    return saturated(((product >> 14) + bool(rounded)) >> 1, "w")


@rule("V.h=vmpy(V.h,{V|R}.h):<<1{|:rnd}:sat")
def multiply_fraction(kind, rounded, a, b):
    product = wide(a, "h") * _right(kind, "h", b)
    doubled = 2 * product + (0x8000 if rounded else 0)
    return narrow(wide(saturated(doubled, "w"), "w") >> 16, "h")


@rule("V.{w|uw}=vrmpy(V.{b|ub},{V|R}.{b|ub})")
def dot4(out, left, kind, right, a, b):
    product = wide(a, left) * _right(kind, right, b)
    return narrow(product.reshape(32, 4).sum(axis=1), out)


def _dot2(a, b):
    return (a * b).reshape(-1, 2).sum(axis=1)


@rule("V.w{|+}=vdmpy(V.h,{V|R}.h):sat")
def dot2_saturated(update, kind, *arguments):
    *old, a, b = arguments
    total = _dot2(wide(a, "h"), _right(kind, "h", b))
    return saturated(total + wide(old[0], "w") if update else total, "w")


@rule("V.h=vdmpy(V.ub,R.b)")
def dot2_bytes(a, r):
    return narrow(_dot2(wide(a, "ub"), scalar(r, "b")), "h")


@rule("V.w=vdmpy(V.h,R.b)")
def dot2_halves(a, r):
    return narrow(_dot2(wide(a, "h"), scalar(r, "b")[:64]), "w")

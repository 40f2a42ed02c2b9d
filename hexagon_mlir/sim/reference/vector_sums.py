"""HVX sums of products over register pairs and scalar factors in numpy (HVX V73 PRM 80-N2040-54, chapter 6).

Every result lane adds a few sub-lanes of one or both registers of a pair, each times a factor from a scalar
register; ``+=`` follows from ``=`` (see `rules`). ``_parts`` gives the sub-lanes: ``parts[register][index]`` is an
array with one value per result lane.
"""

from __future__ import annotations

import numpy as np

from hexagon_mlir.sim.reference.rules import DTYPES, rule
from hexagon_mlir.sim.reference.vector_int import narrow, saturated, scalar, wide


def _parts(pair, suffix, count):
    """``count`` sub-lanes of each result lane, of every register."""
    return [[wide(register, suffix)[i::count] for i in range(count)] for register in pair]


def _factors(r, suffix):
    """The parts of one scalar register."""
    return [int(x) for x in np.array([r], np.uint32).view(DTYPES[suffix])]


def _turning(r, first, size):
    """A byte of r for each lane: ``first`` and the one two further on in turn."""
    return np.resize(np.array([_factors(r, "b")[first], _factors(r, "b")[first + 2]], np.int64), size)


# -- windows that slide over the pair ----------------------------------------------------------------------
@rule("VV.{h|w}=v{tmpy|dmpy}(VV.{b|ub|h},R.b)")
def windows(out, name, suffix, u, r):
    """Two neighbours times bytes (three with the last one whole for vtmpy); the high results start one further."""
    (a0, a1), (b0, b1) = _parts(u, suffix, 2)
    f0, f1 = (_turning(r, k, a0.size) for k in (0, 1))
    low, high = a0 * f0 + a1 * f1, a1 * f0 + b0 * f1
    if name == "tmpy":
        low, high = low + b0, high + b1
    return narrow(low, out), narrow(high, out)


@rule("VV.uw=vdsad(VV.uh,R.uh)")
def windows_of_distances(u, r):
    (a0, a1), (b0, _) = _parts(u, "uh", 2)
    f0, f1 = _factors(r, "uh")
    return narrow(abs(a0 - f0) + abs(a1 - f1), "uw"), narrow(abs(a1 - f0) + abs(b0 - f1), "uw")


@rule("VV.{w|uw}=vr{mpy|sad}(VV.ub,R.{b|ub},I)")
def rotated(out, name, suffix, u, r, n):
    """Four bytes of the pair from byte 0 and from byte 2 on; the immediate turns factors and moves the first byte."""
    low, high = _parts(u, "ub", 4)
    f = _factors(r, suffix)
    f = f[-n & 3 :] + f[: -n & 3]
    first = (high if n & 1 else low)[0]
    third = (high if n & 1 else low)[2]

    def total(values, factors):
        pairs = zip(values, factors, strict=True)
        return sum(x * y if name == "mpy" else abs(x - y) for x, y in pairs)

    lower, upper = total((first, low[1], low[2], low[3]), f), total((high[0], high[1], third, low[3]), f[2:] + f[:2])
    return narrow(lower, out), narrow(upper, out)


# -- both registers ----------------------------------------------------------------------------------------
@rule("VV.{h|w}=vmpa(VV.{ub|h|uh},R.{b|ub})")
def mix(out, left, right, u, r):
    (a0, a1), (b0, b1) = _parts(u, left, 2)
    f = _factors(r, right)
    return narrow(a0 * f[0] + b0 * f[1], out), narrow(a1 * f[2] + b1 * f[3], out)


@rule("VV.h=vmpa(VV.ub,VV.{b|ub})")
def mix_pairs(right, u, v):
    (a0, a1), (b0, b1) = _parts(u, "ub", 2)
    (c0, c1), (d0, d1) = _parts(v, right, 2)
    return narrow(a0 * c0 + b0 * d0, "h"), narrow(a1 * c1 + b1 * d1, "h")


@rule("VV.{w|uw}=vrmpy(V.{b|ub},RR.ub)")
def dot_by_pair(out, suffix, u, r):
    """The bytes of each word times the low and times the high word of the scalar pair."""
    lanes = wide(u, suffix).reshape(32, 4)
    factors = (np.array(_factors(word, "ub"), np.int64) for word in (r & 0xFFFFFFFF, r >> 32))
    return tuple(narrow(lanes @ f, out) for f in factors)


@rule("V.w{|+}=vdmpy(V{|V}.h,R.{h|uh}{|,I}):sat")
def dot_saturated(update, pair, suffix, _, *arguments):
    """Two halves of a word, or the upper half of the low with the lower half of the high register."""
    *old, u, r = arguments[: 2 + bool(update)]
    first, second = (_parts(u, "h", 2)[0][1], _parts(u, "h", 2)[1][0]) if pair else _parts([u], "h", 2)[0]
    f0, f1 = _factors(r, suffix)
    total = first * f0 + second * f1
    return saturated(total + wide(old[0], "w") if update else total, "w")


@rule("VV.w+=vmpy(V.h,R.h):sat")
def multiply_saturated(old, u, r):
    products = wide(u, "h") * scalar(r, "h")
    return tuple(saturated(wide(o, "w") + products[i::2], "w") for i, o in enumerate(old))


@rule("V.uw=vmpye(V.uh,R.uh)")
def multiply_even(u, r):
    return narrow(wide(u, "uh")[::2] * (r & 0xFFFF), "uw")


# -- 3 x 3 filter on 2 x 2 tiles ---------------------------------------------------------------------------
TAPS = {"h": (((1, 2), (1, 0), (0, 2), (0, 0)), 1), "v": (((0, 0), (0, 1), (1, 0), (1, 1)), 2)}
"""(register, byte of the word) under neighbouring taps of a line, and how far the next line's byte is."""


@rule("VV.w=v6mpy(VV.ub,VV.b,I):{h|v}")
def filter_tiles(direction, u, v, phase):
    """Two lines of pixels meet two lines of three 10-bit coefficients, whose upper bits stand in byte 3."""
    pixels = _parts(u, "ub", 4)
    coefficients = []
    for register in v:
        words = register.view(np.uint32).astype(np.int64)
        top = words >> 24
        ten = [(top >> 2 * j & 3) << 8 | words >> 8 * j & 0xFF for j in range(3)]
        coefficients.append([(c ^ 512) - 512 for c in ten])

    places, step = TAPS[direction]
    first = phase // 2 if direction == "h" else 1 - phase // 2

    def line(which, row):
        taps = zip(places[first : first + 3], coefficients[row], strict=True)
        return sum(pixels[register][byte + step * which] * c for (register, byte), c in taps)

    both = line(1, 1) + line(0, 0)
    parts = (both, line(1, 0)) if phase % 2 else (line(0, 1), both)
    return tuple(narrow(part, "w") for part in parts)

"""Float functions as the hand-written HVX kernels of public projects compute them, as assembly of one vector.

The algorithms are those of the named files, written anew: which instructions round, where a sum is normalised before a
product, how first guesses come from bits. Constants of approximations are those that the files document.
"""

import numpy as np

LOG2_E, LN_2 = 1.4426950408889634, 0.6931471805599453
SIGN = 0x80000000


def bits(number):
    """Of an f32."""
    return int(np.float32(number).view(np.uint32))


def _operands(form):
    name, kinds = form.rstrip(")").split("(")
    return f"{name}({','.join(f'{{{i}}}.{kind}' for i, kind in enumerate(kinds.split(',')))})"


class Kernel:
    """Instructions on numbered values, then on registers; ``ieee`` takes the IEEE forms for plain sums and products."""

    def __init__(self, ieee):
        self.ieee = ieee
        self.code = []
        """(text, value it makes or None, value it updates or None, values it reads, scalar it needs or None)"""
        self.values = 1  # the argument is value 0

    def put(self, text, *sources, makes=True, old=None, scalar=None):
        made = None
        if makes:
            made, self.values = self.values, self.values + 1
        self.code.append((text, made, old, sources, scalar))
        return made

    def lines(self, result):
        """Packets that take v0 and leave ``result`` in v10."""
        last = {value: n for n, (_, _, old, sources, _) in enumerate(self.code) for value in (*sources, old)}
        last[result] = len(self.code)
        free, place, lines = [n for n in range(31, 0, -1)], {0: 0}, []
        for n, (text, made, old, sources, scalar) in enumerate(self.code):
            if scalar is not None:
                lines.append(f"r3 = ##{scalar}")
            names = [f"v{place[source]}" for source in sources]
            if made is not None:
                place[made] = free.pop()
                if old is not None:
                    lines.append(f"v{place[made]} = v{place[old]}")
            lines.append(text.format(*names, d=f"v{place[made]}" if made is not None else ""))
            free += [place.pop(value) for value in list(place) if last.get(value, -1) <= n]
        return [*lines, f"v10 = v{place[result]}"]

    # -- plain f32 -------------------------------------------------------------------------------------------
    def word(self, pattern):
        return self.put("{d} = vsplat(r3)", scalar=pattern & 0xFFFFFFFF)

    def number(self, value):
        return self.word(bits(value))

    def qf(self, form, *sources):
        """``form`` such as "vadd(qf32,sf)", giving qf32."""
        return self.put("{d}.qf32 = " + _operands(form), *sources)

    def sf(self, value):
        return self.put("{d}.sf = {0}.qf32", value)

    def plain(self, name, a, b):
        """An f32 sum, difference or product of two f32."""
        if self.ieee:
            return self.put("{d}.sf = " + name + "({0}.sf,{1}.sf)", a, b)
        return self.sf(self.qf(f"{name}(sf,sf)", a, b))

    def halves(self, pattern):
        """A 16-bit pattern in all lanes."""
        return self.word(pattern << 16 | pattern)

    def qf16(self, form, *sources):
        """``form`` such as "vadd(qf16,hf)", giving qf16."""
        return self.put("{d}.qf16 = " + _operands(form), *sources)

    def whole(self, value):
        return self.put("{d}.w = {0}.sf", value)

    def float(self, value):
        return self.put("{d}.sf = {0}.w", value)

    def scaled(self, value, powers, shift):
        """``value`` times two to ``powers``, words added to the exponent field ``shift`` bits up."""
        return self.put("{d}.w += vasl({0}.w,r3)", powers, old=value, scalar=shift)

    def select(self, greater, than, yes, no):
        self.put("q0 = vcmp.gt({0}.sf,{1}.sf)", greater, than, makes=False)
        return self.put("{d} = vmux(q0,{0},{1})", yes, no)

    def normal(self, value):
        """A qf32 plus zero."""
        return self.qf("vadd(qf32,sf)", value, self.number(0))


def reciprocal(k, x):
    """ggml-hexagon hvx-inverse.h: a guess from the bits, three Newton steps, the last two with the guess in qf32."""
    two = k.number(2)
    guess = k.put("{d}.w = vsub({0}.w,{1}.w)", k.word(0x7EEEEBB3), x)
    rest = k.sf(k.qf("vsub(sf,sf)", two, k.sf(k.qf("vmpy(sf,sf)", guess, x))))
    better = k.qf("vmpy(sf,sf)", guess, rest)
    for _ in range(2):
        rest = k.qf("vsub(sf,sf)", two, k.sf(k.qf("vmpy(sf,sf)", k.sf(better), x)))
        better = k.qf("vmpy(qf32,qf32)", better, rest)
    return k.sf(better)


def square_root(k, x):
    """ggml-hexagon hvx-sqrt.h: three Newton steps for 1/sqrt(x) from the bits, sums normalised, times x."""
    half, three_halves = k.number(0.5), k.number(1.5)
    halved = k.normal(k.qf("vmpy(sf,sf)", x, half))
    y = k.put("{d}.w = vsub({0}.w,{1}.w)", k.word(0x5F3759DF), k.put("{d}.w = vasr({0}.w,r3)", x, scalar=1))
    square = k.normal(k.qf("vmpy(sf,sf)", y, y))
    rest = k.qf("vsub(sf,sf)", three_halves, k.sf(k.qf("vmpy(qf32,qf32)", halved, square)))
    y = k.normal(k.qf("vmpy(sf,sf)", y, k.sf(rest)))
    for last in (False, True):
        square = k.normal(k.qf("vmpy(qf32,qf32)", y, y))
        rest = k.qf("vsub(sf,sf)", three_halves, k.sf(k.qf("vmpy(qf32,qf32)", halved, square)))
        y = k.qf("vmpy(qf32,qf32)", y, rest)
        y = y if last else k.normal(y)
    return k.plain("vmpy", k.sf(y), x)


EXP_COEFFICIENTS = (0.000198757, 0.0013982, 0.00833345, 0.0416658, 0.16666667, 0.5)


def exponential(k, x):
    """ggml-hexagon hvx-exp.h: less a whole multiple of ln 2 (one constant), degree 7 in qf32 with normalised sums."""
    scaled = k.sf(k.qf("vmpy(sf,sf)", k.number(LOG2_E), x))
    toward_zero = k.float(k.whole(scaled))
    floor = k.select(toward_zero, scaled, k.sf(k.qf("vsub(sf,sf)", toward_zero, k.number(1))), toward_zero)
    # a difference of small whole numbers is off by a unit of its last place: floor to a whole number again
    power = k.whole(k.sf(k.qf("vadd(sf,sf)", floor, k.select(floor, k.number(0), k.number(0.25), k.number(-0.25)))))
    whole = k.float(power)
    r = k.qf("vsub(qf32,qf32)", k.qf("vadd(sf,sf)", x, k.number(0)), k.qf("vmpy(sf,sf)", whole, k.number(LN_2)))
    r = k.normal(r)
    square = k.normal(k.qf("vmpy(qf32,qf32)", r, r))
    first, *others = EXP_COEFFICIENTS
    y = k.qf("vmpy(sf,sf)", k.number(first), k.sf(r))
    for i, coefficient in enumerate(others):
        if i:
            y = k.qf("vmpy(qf32,qf32)", y, r)
        y = k.normal(k.qf("vadd(qf32,sf)", y, k.number(coefficient)))
    y = k.normal(k.qf("vadd(qf32,qf32)", k.qf("vmpy(qf32,qf32)", y, square), r))
    return k.scaled(k.sf(k.qf("vadd(qf32,sf)", y, k.number(1))), power, 23)


def sigmoid(k, x):
    """ggml-hexagon hvx-sigmoid.h: exp(x) as (q + p) / (q - p) of half the binary logarithm's fraction."""
    t = k.qf("vmpy(sf,sf)", k.sf(k.qf("vmpy(sf,sf)", x, k.number(LOG2_E))), k.number(0.5))
    power = k.whole(k.sf(t))
    f = k.qf("vsub(qf32,sf)", t, k.float(power))
    square = k.qf("vmpy(qf32,qf32)", f, f)
    q = k.qf("vadd(qf32,sf)", k.qf("vmpy(sf,sf)", k.sf(square), k.number(0.276281267)), k.number(LOG2_E))
    cube = k.qf("vmpy(qf32,qf32)", k.qf("vmpy(sf,sf)", k.sf(f), k.number(0.03138777)), square)
    p = k.qf("vadd(qf32,qf32)", cube, f)
    top = k.scaled(k.sf(k.qf("vadd(qf32,qf32)", p, q)), power, 24)
    bottom = k.plain("vsub", top, k.sf(k.qf("vsub(qf32,qf32)", p, q)))
    return k.sf(k.qf("vmpy(sf,sf)", top, reciprocal(k, bottom)))


def error_function(k, x):
    """ggml-hexagon hvx-erf.h: formula 7.1.26 of Abramowitz and Stegun with the functions above."""
    size = k.put("{d} = vand({0},{1})", x, k.word(SIGN - 1))
    t = reciprocal(k, k.plain("vadd", k.number(1), k.plain("vmpy", k.number(0.3275911), size)))
    y = k.number(1.061405429)
    for coefficient in (-1.453152027, 1.421413741, -0.284496736, 0.254829592):
        y = k.plain("vadd", k.number(coefficient), k.plain("vmpy", y, t))
    e = exponential(k, k.put("{d} = vxor({0},{1})", k.plain("vmpy", size, size), k.word(SIGN)))
    result = k.plain("vsub", k.number(1), k.plain("vmpy", k.plain("vmpy", y, t), e))
    negative = k.put("{d} = vand({0},{1})", x, k.word(SIGN))
    return k.put("{d} = vor({0},{1})", result, negative)


EXP2_FIRST = 0x5082
"""The first coefficient as the bits of a qf16."""
EXP2_COEFFICIENTS = (0.00133989, 0.00961844, 0.0555033, 0.240226, 0.693147, 1.0)


def binary_exponential(k, x):
    """2**x of f16 up to 0: htp-ops-lib hvx_math.h, after qhmath_hvx. Degree 6 in qf16, the first coefficient a qf16."""
    half = k.halves(0x3800)
    power = k.put("{d}.h = {0}.hf", k.put("{d}.hf = {0}.qf16", k.qf16("vsub(hf,hf)", x, half)))
    f = k.qf16("vsub(hf,hf)", x, k.put("{d}.hf = {0}.h", power))
    y = k.halves(EXP2_FIRST)
    for coefficient in EXP2_COEFFICIENTS:
        y = k.qf16("vmpy(qf16,qf16)", y, f)
        y = k.qf16("vadd(qf16,hf)", y, k.halves(int(np.float16(coefficient).view(np.uint16))))
    y = k.put("{d}.hf = {0}.qf16", y)
    field = k.put("{d}.uh = vlsr({0}.uh,r3)", k.put("{d}.h = vasl({0}.h,r3)", y, scalar=1), scalar=11)
    field = k.put("{d}.h = vadd({0}.h,{1}.h)", power, field)
    zero = k.word(0)
    k.put("q0 = vcmp.gt({0}.h,{1}.h)", zero, field, makes=False)
    y = k.put("{d}.h += vasl({0}.h,r3)", power, old=y, scalar=10)
    return k.put("{d} = vmux(q0,{0},{1})", zero, y)


def split_exponential(k, x):
    """nntrainer hvx_exp_f32.h: the nearest multiple of ln 2 in two constants, Taylor's series of degree 7 in qf32."""
    magic, zero = k.word(0x4B400000), k.number(0)
    x = k.put("{d}.sf = vmax({0}.sf,{1}.sf)", x, k.number(-120))
    biased = k.plain("vadd", k.plain("vmpy", x, k.number(LOG2_E)), magic)
    power = k.put("{d}.w = vsub({0}.w,{1}.w)", biased, magic)
    whole = k.float(power)
    r = k.qf("vadd(sf,sf)", x, zero)
    for part in (0.693359375, -2.12194440e-4):
        r = k.qf("vsub(qf32,qf32)", r, k.qf("vmpy(sf,sf)", whole, k.number(part)))
    r = k.sf(r)
    normal = k.qf("vadd(sf,sf)", r, zero)
    y = k.qf("vmpy(sf,sf)", k.number(1 / 5040), r)
    for factorial in (720, 120, 24, 6, 2):
        y = k.qf("vmpy(qf32,qf32)", k.qf("vadd(qf32,sf)", y, k.number(1 / factorial)), normal)
    y = k.qf("vmpy(qf32,qf32)", y, normal)
    y = k.sf(k.qf("vadd(qf32,qf32)", y, k.qf("vadd(sf,sf)", r, k.number(1))))
    field = k.put("{d}.uw = vlsr({0}.uw,r3)", k.put("{d}.w = vasl({0}.w,r3)", y, scalar=1), scalar=24)
    field = k.put("{d}.w = vadd({0}.w,{1}.w)", power, field)
    y = k.scaled(y, power, 23)
    k.put("q0 = vcmp.gt({0}.w,{1}.w)", zero, field, makes=False)
    return k.put("{d} = vmux(q0,{0},{1})", zero, y)


def qf_reciprocal(k, x):
    """nntrainer hvx_swiglu_f32.c: a guess from the bits and three Newton steps, all in qf32."""
    zero = k.number(0)
    a = k.qf("vadd(sf,sf)", x, zero)
    guess = k.put("{d}.w = vsub({0}.w,{1}.w)", k.word(0x7EF311C2), k.sf(a))
    two, y = k.qf("vadd(sf,sf)", k.number(2), zero), k.qf("vadd(sf,sf)", guess, zero)
    for _ in range(3):
        y = k.qf("vmpy(qf32,qf32)", y, k.qf("vsub(qf32,qf32)", two, k.qf("vmpy(qf32,qf32)", a, y)))
    return k.sf(y)

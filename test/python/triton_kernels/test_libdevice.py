"""Functions of ``libdevice`` that no operation of MLIR computes, on zeros, denormals, infinities and NaN too."""

import math
from fractions import Fraction

import mpmath
import numpy as np
import pytest
import torch
import triton
import triton.language as tl
from triton.language.extra import libdevice

from hexagon_mlir.frontend.triton import libdevice as ours

SPECIAL = torch.tensor([0.0, -0.0, 1.0, -1.0, 2.5, -7.0, 0.5, 1e-40, -1e-45, 3.4e38, 1e-30, math.inf, -math.inf,
                        math.nan, 5.5, -2.5])
X, Y = (t.reshape(-1) for t in torch.meshgrid(SPECIAL, SPECIAL, indexing="ij"))


def test_every_name():
    names = {name for name in vars(libdevice) if not name.startswith("_")}
    assert not {name for name in names if not hasattr(ours, name)}


def same(actual, expected):
    """Equal as bits, every NaN the same."""
    actual = actual.numpy()
    with np.errstate(over="ignore"):
        expected = np.asarray(expected, actual.dtype)
    nan = np.isnan(expected)
    np.testing.assert_array_equal(np.isnan(actual), nan)
    np.testing.assert_array_equal(np.where(nan, 0, actual), np.where(nan, 0, expected))
    np.testing.assert_array_equal(np.signbit(actual) & ~nan, np.signbit(expected) & ~nan)


def python(function):
    def value(x, y):
        try:
            return function(x, y)
        except ValueError:
            return math.nan
    return [value(x, y) for x, y in zip(X.tolist(), Y.tolist(), strict=True)]


@triton.jit
def exact(x, y, out, n: tl.constexpr):
    i = tl.arange(0, n)
    a, b = tl.load(x + i), tl.load(y + i)
    tl.store(out + i, libdevice.fmod(a, b))
    tl.store(out + n + i, libdevice.remainder(a, b))
    tl.store(out + 2 * n + i, libdevice.nextafter(a, b))
    tl.store(out + 3 * n + i, libdevice.ldexp(a, tl.arange(0, n) * 3 - 300))
    tl.store(out + 4 * n + i, libdevice.div_rn(a, b))
    tl.store(out + 5 * n + i, libdevice.sqrt_rn(a))
    tl.store(out + 6 * n + i, libdevice.fdim(a, b))
    tl.store(out + 7 * n + i, libdevice.add_rd(a, b))
    tl.store(out + 8 * n + i, libdevice.int2float_rn(libdevice.float2int_rn(a) | libdevice.isnan(b)))


def downwards(x, y):
    """The largest f32 number that is not above x + y."""
    if not (math.isfinite(x) and math.isfinite(y)):
        return x + y
    total = Fraction(x) + Fraction(y)
    if total == 0:
        return 0.0 if math.copysign(1, x) == math.copysign(1, y) == 1 else -0.0
    with np.errstate(over="ignore"):
        value = np.float32(float(total))
        while value == math.inf or (value != -math.inf and Fraction(float(value)) > total):
            value = np.nextafter(value, np.float32(-math.inf))
    return value


def test_exact_functions():
    n = X.numel()
    out = torch.zeros(9, n)
    exact[(1,)](X, Y, out, n)
    whole = torch.where(X.isnan(), 0.0, X.double()).clamp(-(2**31), 2**31 - 1).round().int()
    for actual, wanted in zip(out, [
            torch.fmod(X.double(), Y.double()), python(math.remainder), torch.nextafter(X, Y),
            np.ldexp(X.double().numpy(), np.arange(n) * 3 - 300), X / Y, X.double().sqrt().float(),
            torch.where(X <= Y, 0.0, X - Y), python(downwards), (whole | Y.isnan()).float()], strict=True):
        same(actual, wanted)


@triton.jit
def special(x, out, n: tl.constexpr, KIND: tl.constexpr):
    i = tl.arange(0, n)
    a = tl.load(x + i)
    if KIND == "lgamma":
        a = libdevice.lgamma(a)
    elif KIND == "erfinv":
        a = libdevice.erfinv(a)
    elif KIND == "erfcx":
        a = libdevice.erfcx(a)
    elif KIND == "j0":
        a = libdevice.j0(a)
    elif KIND == "i1":
        a = libdevice.cyl_bessel_i1(a)
    tl.store(out + i, a)


@pytest.mark.parametrize(("kind", "function"), [
    ("erfinv", torch.erfinv), ("erfcx", torch.special.erfcx), ("j0", torch.special.bessel_j0), ("i1", torch.special.i1),
    ("lgamma", torch.lgamma)])
def test_special_functions(kind, function):
    x = torch.cat([SPECIAL, torch.rand(200) * 2 - 1, torch.rand(200) * 40 - 8, torch.rand(96) * 200])
    out = torch.zeros_like(x)
    special[(1,)](x, out, x.numel(), kind)
    some = x.isnan() | (x.abs() < 1e38)  # PyTorch's Bessel functions are NaN at infinity
    torch.testing.assert_close(out[some], function(x.double()).float()[some], rtol=2e-6, atol=3e-6, equal_nan=True)


@triton.jit
def first_kind(n, x, out, N: tl.constexpr):
    i = tl.arange(0, N)
    tl.store(out + i, libdevice.jn(tl.load(n + i), tl.load(x + i)))


@triton.jit
def second_kind(n, x, out, N: tl.constexpr):
    i = tl.arange(0, N)
    tl.store(out + i, libdevice.yn(n, tl.load(x + i)))


def bessel(kind, n, x):
    """Order n at x, and what an error is measured against: the size of the waves where the order is below x."""
    if math.isnan(x) or (kind == "y" and x < 0):
        return math.nan, 1.0
    if math.isinf(x):
        return 0.0, 1.0
    if kind == "y" and x == 0:
        return (math.inf if n < 0 and n % 2 else -math.inf), 1.0
    value = float((mpmath.besselj if kind == "j" else mpmath.bessely)(n, x))
    return value, max(abs(value), math.sqrt(2 / math.pi / abs(x)) if x and abs(x) > abs(n) else 1e-37)


def check(kind, orders, x, out):
    with np.errstate(over="ignore"):
        wanted, scale = np.array([bessel(kind, n, v) for n, v in zip(orders, x.tolist(), strict=True)]).T
        finite = np.abs(wanted) < 3.4e38
        np.testing.assert_array_equal(out.numpy()[~finite], wanted.astype(np.float32)[~finite])
    assert np.max(np.abs(out.numpy()[finite] - wanted[finite]) / scale[finite]) < 1e-5


def test_bessel_functions_of_any_order():
    torch.manual_seed(0)
    points = torch.tensor([0.0, -0.0, 1e-3, -0.019, 0.021, -1.5, 7.9, -23.9, 24.1, math.inf, -math.inf, math.nan,
                           1e-30])
    orders = torch.tensor([0, 1, -1, 2, -3, 7]).repeat_interleave(len(points))
    orders = torch.cat([orders, torch.randint(-60, 61, (256 - len(orders),))]).int()
    x = torch.cat([points.repeat(6), torch.rand(256 - 6 * len(points)) * 100])
    out = torch.zeros_like(x)
    first_kind[(1,)](orders, x, out, x.numel())
    check("j", orders.tolist(), x, out)
    for order in (0, -5):
        second_kind[(1,)](order, x, out, x.numel())
        check("y", [order] * x.numel(), x, out)


@triton.jit
def integers(x, y, out, n: tl.constexpr):
    i = tl.arange(0, n)
    a, b = tl.load(x + i), tl.load(y + i)
    tl.store(out + i, libdevice.clz(a))
    tl.store(out + n + i, libdevice.popc(a))
    tl.store(out + 2 * n + i, libdevice.ffs(a))
    tl.store(out + 3 * n + i, libdevice.brev(a))
    tl.store(out + 4 * n + i, libdevice.mulhi(a, b))
    tl.store(out + 5 * n + i, libdevice.rhadd(a, b))


def test_integers():
    x = torch.tensor([0, 1, -1, 2**31 - 1, -(2**31), 6, -6, 0x12345678], dtype=torch.int32)
    y = torch.tensor([5, -1, -(2**31), -3, -(2**31), 1 << 30, 7, -1], dtype=torch.int32)
    out = torch.zeros(6, 8, dtype=torch.int32)
    integers[(1,)](x, y, out, 8)
    bits = [f"{v % 2**32:032b}" for v in x.tolist()]
    pairs = list(zip(x.tolist(), y.tolist(), strict=True))
    wanted = [[(b + "1").index("1") for b in bits],
              [b.count("1") for b in bits], [32 - b.rindex("1") if "1" in b else 0 for b in bits],
              [int(b[::-1], 2) for b in bits], [a * b >> 32 for a, b in pairs], [a + b + 1 >> 1 for a, b in pairs]]
    assert (out.long() % 2**32).tolist() == [[v % 2**32 for v in row] for row in wanted]


@triton.jit
def of_hexagon(n, x, out, size, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    m = i < size
    v = tl.extra.hexagon.libdevice.tanh(tl.load(x + i, mask=m, other=0.0))
    tl.store(out + i, tl.extra.hexagon.libdevice.jn(tl.load(n + i, mask=m, other=0), v), mask=m)


def test_the_name_of_the_back_end():
    import triton.language.extra.hexagon.libdevice as dotted
    from triton.language.extra.hexagon import libdevice as named
    from triton.language.extra.hexagon.libdevice import tanh

    assert named is dotted is ours
    assert tanh is ours.tanh
    n, x = torch.tensor([0, 1, -3], dtype=torch.int32), torch.tensor([0.5, -2.0, float("nan")])
    out = torch.full((4,), 9.0)
    of_hexagon[(1,)](n, x, out, 3, BLOCK=4)
    expected = [float(mpmath.besselj(int(k), mpmath.tanh(v))) for k, v in zip(n[:2], x[:2].tolist(), strict=True)]
    torch.testing.assert_close(out, torch.tensor([*expected, float("nan"), 9.0]), rtol=1e-5, atol=1e-6, equal_nan=True)
    with pytest.raises(triton.CompilationError) as caught:
        of_hexagon[(1,)](x, x, out, 3, BLOCK=4)
    error: BaseException = caught.value
    while error.__cause__ is not None:
        error = error.__cause__
    assert "order of a Bessel function is an integer" in str(error)

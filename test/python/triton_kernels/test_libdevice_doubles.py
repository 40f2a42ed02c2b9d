"""Functions of ``libdevice`` on f64 numbers and with integer exponents: exact values, in every rounding mode."""

import math
from fractions import Fraction

import mpmath
import numpy as np
import pytest
import torch
import triton
import triton.language as tl
from triton.language.extra import libdevice

TINY, MAX = 2.0**-1074, math.ldexp(2 - 2.0**-52, 1023)
EDGES = [0.0, -0.0, TINY, -3 * TINY, 2.0**-1022, 2.0**-1022 - TINY, 1e-300, -1.7e-160, 2.0**-60, 1.0, -1.0 - 2.0**-52,
         1 / 3, -7.0, 1e150, -1.3e200, 2.0**1023, MAX, -MAX, math.inf, -math.inf, math.nan]


def operands(count: int) -> list[np.ndarray]:
    """All pairs of the edges, and numbers of any exponent; the third operand is often near minus their product."""
    rng = np.random.default_rng(count)
    x, y = (side.ravel() for side in np.meshgrid(EDGES, EDGES))
    size = 512 - x.size % 512 + 512
    more = [rng.normal(0, 1, size) * 2.0 ** rng.integers(-spread, spread, size) for spread in (1000, 1000)]
    x, y = np.concatenate([x, more[0]]), np.concatenate([y, more[1]])
    with np.errstate(all="ignore"):
        near = -x * y * (1 + rng.integers(-3, 4, x.size) * 2.0**-52)
    other = np.where(rng.random(x.size) < 0.5, near, rng.choice(EDGES, x.size))
    return [x, y, other]


X, Y, Z = operands(3)


def rounded(exact: Fraction | float, mode: str, zero: float) -> float:
    """``exact`` as f64; what is no number stays, a zero has the sign of ``zero``."""
    if isinstance(exact, float):
        return exact
    if exact == 0:
        return zero
    try:
        value = float(exact)  # to nearest
    except OverflowError:
        value = math.inf if exact > 0 else -math.inf
    down = mode == "rd" or (mode == "rz" and exact > 0)
    up = mode == "ru" or (mode == "rz" and exact < 0)
    if down and (value == math.inf or (math.isfinite(value) and Fraction(value) > exact)):
        value = math.nextafter(value, -math.inf)
    if up and (value == -math.inf or (math.isfinite(value) and Fraction(value) < exact)):
        value = math.nextafter(value, math.inf)
    return math.copysign(0.0, float(exact > 0) - 0.5) if value == 0 else value


def exact_fma(x: float, y: float, z: float, mode: str) -> float:
    if not all(map(math.isfinite, (x, y, z))):
        if math.isfinite(x) and math.isfinite(y):
            return z
        with np.errstate(all="ignore"):
            return float(np.float64(x) * np.float64(y) + np.float64(z))
    same = math.copysign(1, x) * math.copysign(1, y) == math.copysign(1, z)
    zero = math.copysign(0.0, z) if x * y == 0 and z == 0 and same and (x == 0 or y == 0) else \
        (-0.0 if mode == "rd" else 0.0)
    return rounded(Fraction(x) * Fraction(y) + Fraction(z), mode, zero)


def exact_div(x: float, y: float, mode: str) -> float:
    if not (math.isfinite(x) and math.isfinite(y)) or x == 0 or y == 0:
        with np.errstate(all="ignore"):
            return float(np.float64(x) / np.float64(y))
    return rounded(Fraction(x) / Fraction(y), mode, 0.0)


def exact_sqrt(x: float, mode: str) -> float:
    if not math.isfinite(x) or x <= 0:
        with np.errstate(all="ignore"):
            return float(np.sqrt(np.float64(x)))
    with mpmath.workprec(400):
        root = mpmath.sqrt(mpmath.mpf(x))
        return rounded(Fraction(int(root.man), 1) * Fraction(2) ** int(root.exp), mode, 0.0)


def same(actual: torch.Tensor, expected: list[float]) -> None:
    got, wanted = actual.numpy(), np.array(expected)
    nan = np.isnan(wanted)
    bad = (np.isnan(got) != nan) | (~nan & (got.view(np.int64) != wanted.view(np.int64)))
    assert not bad.any(), [(float(X[n]).hex(), float(Y[n]).hex(), float(Z[n]).hex(), float(got[n]).hex(),
                            float(wanted[n]).hex()) for n in np.flatnonzero(bad)[:3]]


@triton.jit
def arithmetic(x, y, z, out, n, MODE: tl.constexpr, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    a, b, c = tl.load(x + i, mask=i < n), tl.load(y + i, mask=i < n), tl.load(z + i, mask=i < n)
    if MODE == "rn":
        results = (libdevice.add_rn(a, c), libdevice.mul_rn(a, b), libdevice.fma_rn(a, b, c), libdevice.div_rn(a, b),
                   libdevice.sqrt_rn(a), libdevice.sub_rn(a, c), libdevice.rcp_rn(a))
    elif MODE == "rz":
        results = (libdevice.add_rz(a, c), libdevice.mul_rz(a, b), libdevice.fma_rz(a, b, c), libdevice.div_rz(a, b),
                   libdevice.sqrt_rz(a), libdevice.sub_rz(a, c), libdevice.rcp_rz(a))
    elif MODE == "rd":
        results = (libdevice.add_rd(a, c), libdevice.mul_rd(a, b), libdevice.fma_rd(a, b, c), libdevice.div_rd(a, b),
                   libdevice.sqrt_rd(a), libdevice.sub_rd(a, c), libdevice.rcp_rd(a))
    else:
        results = (libdevice.add_ru(a, c), libdevice.mul_ru(a, b), libdevice.fma_ru(a, b, c), libdevice.div_ru(a, b),
                   libdevice.sqrt_ru(a), libdevice.sub_ru(a, c), libdevice.rcp_ru(a))
    for k in tl.static_range(7):
        tl.store(out + k * n + i, results[k], mask=i < n)


@pytest.mark.full_except("rn", "rd")
@pytest.mark.parametrize("mode", ["rn", "rz", "rd", "ru"])
def test_arithmetic_rounds_as_it_says(mode):
    x, y, z = map(torch.from_numpy, (X, Y, Z))
    out = torch.zeros(7, X.size, dtype=torch.float64)
    arithmetic[(triton.cdiv(X.size, 128),)](x, y, z, out, X.size, mode, BLOCK=128)
    product = [exact_fma(a, b, 0.0, mode) if math.isfinite(a * b) or (math.isfinite(a) and math.isfinite(b))
               else a * b for a, b in zip(X.tolist(), Y.tolist(), strict=True)]
    product = [math.copysign(0.0, math.copysign(1, a) * math.copysign(1, b)) if 0 in (a, b) and p == 0 else p
               for p, a, b in zip(product, X.tolist(), Y.tolist(), strict=True)]
    for row, expected in zip(out, (
            [exact_fma(a, 1.0, c, mode) for a, c in zip(X.tolist(), Z.tolist(), strict=True)], product,
            [exact_fma(a, b, c, mode) for a, b, c in zip(X.tolist(), Y.tolist(), Z.tolist(), strict=True)],
            [exact_div(a, b, mode) for a, b in zip(X.tolist(), Y.tolist(), strict=True)],
            [exact_sqrt(a, mode) for a in X.tolist()],
            [exact_fma(a, 1.0, -c, mode) for a, c in zip(X.tolist(), Z.tolist(), strict=True)],
            [exact_div(1.0, a, mode) for a in X.tolist()]), strict=True):
        same(row, expected)


@triton.jit
def parts(x, n, out, N: tl.constexpr):
    i = tl.arange(0, N)
    a = tl.load(x + i)
    tl.store(out + i, libdevice.ldexp(a, tl.load(n + i)))
    tl.store(out + N + i, libdevice.logb(a))
    tl.store(out + 2 * N + i, libdevice.ilogb(a).to(tl.float64))
    tl.store(out + 3 * N + i, libdevice.hypot(a, 3.0 * tl.abs(a)))


def test_exponents_and_lengths():
    x = torch.tensor([*EDGES, 1.5, -2.75, 3e-310, 123.0, 2.0**-1073, 1e308, 1e-308, 5e307, 1e-200, 7e199, 0.1],
                     dtype=torch.float64)
    n = torch.tensor([-2100, 2100, 1074, -1000, -52, 1, -1, 600, 2000, -1074, -1022] * 3, dtype=torch.int32)[:len(x)]
    x, n = x[:32], n[:32]
    out = torch.zeros(4, 32, dtype=torch.float64)
    parts[(1,)](x, n, out, 32)
    with np.errstate(all="ignore"):
        np.testing.assert_array_equal(out[0].numpy(), [float(np.ldexp(np.float64(a), int(k))) for a, k in
                                                       zip(x.tolist(), n.tolist(), strict=True)])
    finite = [a for a in x.tolist() if math.isfinite(a) and a]
    of = {a: math.frexp(a)[1] - 1 for a in finite}
    for a, log, integer in zip(x.tolist(), out[1].tolist(), out[2].tolist(), strict=True):
        wanted = of.get(a, -math.inf if a == 0 else abs(a))
        assert log == wanted or (math.isnan(log) and math.isnan(a)), a
        assert integer == of.get(a, 2**31 - 1 if math.isinf(a) else -2**31), a
    roots = torch.tensor([math.hypot(a, 3.0 * a) for a in x.tolist()], dtype=torch.float64)
    torch.testing.assert_close(out[3], roots, rtol=1e-15, atol=0, equal_nan=True)


@triton.jit
def whole_powers(x, n, out, wide, N: tl.constexpr):
    i = tl.arange(0, N)
    a, k = tl.load(x + i), tl.load(n + i)
    tl.store(out + i, libdevice.pow(a, k))
    tl.store(wide + i, libdevice.pow(a.to(tl.float64), k))


def test_integer_powers():
    """Exponents beyond 2^24, which no f32 holds, keep their parity."""
    bases = [0.0, -0.0, 1.0, -1.0, 2.0, -1.5, 0.5, math.inf, -math.inf, math.nan, 1 + 2.0**-20, -1 - 2.0**-22, 1e-20]
    powers = [0, 1, -1, 2, -3, 5, 31, -30, 2**24 + 1, -(2**24) - 1, 2**31 - 1, -(2**31), 1000003, 7]
    x, n = (torch.tensor(side).reshape(-1) for side in zip(*((a, k) for a in bases for k in powers), strict=True))
    x, n = x[:192], n[:192].int()
    x, n = torch.nn.functional.pad(x, (0, 256 - len(x)), value=1.0), torch.nn.functional.pad(n, (0, 256 - len(n)))
    out, wide = torch.zeros(256), torch.zeros(256, dtype=torch.float64)
    whole_powers[(1,)](x, n, out, wide, 256)

    def power(base: float, exponent: int) -> float:
        if math.isnan(base):
            return base if exponent else 1.0
        try:
            return math.pow(base, exponent)
        except OverflowError:
            return math.copysign(math.inf, base) if exponent % 2 else math.inf
        except ValueError:
            return math.copysign(math.inf, base) if exponent % 2 else math.inf

    expected = torch.tensor([power(a, k) for a, k in zip(x.tolist(), n.tolist(), strict=True)], dtype=torch.float64)
    torch.testing.assert_close(wide, expected, rtol=1e-14, atol=0, equal_nan=True)
    torch.testing.assert_close(out, expected.float(), rtol=1e-6, atol=1e-45, equal_nan=True)
    assert torch.equal(out.signbit() & ~out.isnan(), expected.float().signbit() & ~out.isnan())

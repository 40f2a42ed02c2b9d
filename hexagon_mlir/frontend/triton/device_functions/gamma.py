"""The gamma function and its logarithm, in f32."""

import triton
import triton.language as tl

from hexagon_mlir.frontend.triton.device_functions.coefficients import GAMMA, LOG_GAMMA_1, LOG_GAMMA_2, STIRLING
from hexagon_mlir.frontend.triton.device_functions.floats import sinpi
from hexagon_mlir.frontend.triton.device_functions.operations import like, polynomial, wide

_PI = tl.constexpr(3.14159274101257324)
_HALF_LOG_TWO_PI = tl.constexpr(0.91893853320467274)
_LAST = tl.constexpr(36)
"""gamma of it and of what follows is no f32 number."""


@triton.jit
def tgamma(x):
    """The gamma function: NaN for negative integers and -inf, infinite for zeros; 0 below -36."""
    v = wide(x)
    size = tl.abs(v)
    place = tl.minimum(tl.floor(size), _LAST)
    rest = size - place
    value = polynomial(rest * 2 - 1, GAMMA)  # of 2 + rest
    for k in tl.static_range(1, _LAST - 1):
        value = tl.where(place > k + 1, value * (size - k), value)
    value = tl.where(size >= _LAST, float("inf"), value)
    value = tl.where(place < 2, value / tl.where(place < 1, 1 + size, size), value)
    positive = tl.where(place < 1, value / size, value)
    # gamma(-v) gamma(1 + v) = -pi / sin(pi v); below 1, gamma(1 + v) = v gamma(v) is `value`
    after = tl.where(place < 1, value, positive * size)
    reflected = -_PI / (sinpi(size) * after)
    negative = tl.where(v == tl.floor(v), float("nan"), reflected)
    result = tl.where(v > 0, positive, tl.where(v < 0, negative, 1 / v))
    return like(tl.where(v == v, tl.where(v == float("-inf"), float("nan"), result), v), x)


@triton.jit
def _positive(v):
    """log gamma of v > 0."""
    # [3, 8) comes down to [2, 3), where the logarithm of the factors is added
    factor, low = v * 0 + 1, v
    for _ in tl.static_range(5):
        high = (low >= 3) & (v < 8)
        low = tl.where(high, low - 1, low)
        factor = tl.where(high, factor * low, factor)
    low = tl.where(v < 8, low, 2.0)
    # below 1/2: log gamma(v) = log gamma(1 + v) - log v, with 1 + v unrounded
    small = v < 0.5
    u = tl.where(small, v, low - 1)
    near_1 = u * polynomial(u * 2, LOG_GAMMA_1)
    near_2 = (low - 2) * polynomial((low - 2.25) * 1.33333333333333333, LOG_GAMMA_2)
    value = tl.where(small | (low < 1.5), near_1, near_2)
    value = value + tl.where(small, -tl.log(v), tl.where(v >= 3, tl.log(tl.where(v < 8, factor, 1.0)), 0.0))
    large = tl.maximum(v, 8.0)
    inverse = 1 / large
    tail = polynomial(128 * inverse * inverse - 1, STIRLING) * inverse + _HALF_LOG_TWO_PI
    stirling = (large - 0.5) * (tl.log(large) - 1) + (tail - 0.5)
    return tl.where(v < 8, value, stirling)


@triton.jit
def lgamma(x):
    """log |gamma(x)|: infinite for integers up to 0 and for infinities."""
    v = wide(x)
    size = tl.abs(v)
    value = _positive(size)
    tiny = size < 1e-15
    reflected = tl.log(_PI / tl.where(tiny, 1.0, size * tl.abs(sinpi(size)))) - value
    result = tl.where(v > 0, value, tl.where(tiny, -tl.log(size), reflected))
    whole = (v <= 0) & (v == tl.floor(v))
    return like(tl.where(whole | (size == float("inf")), float("inf"), result), x)

"""Powers with any exponent."""

import triton
import triton.language as tl

from hexagon_mlir.frontend.triton.device_functions.floats import signbit
from hexagon_mlir.frontend.triton.device_functions.operations import like, own
from hexagon_mlir.frontend.triton.device_functions.operations import pow as _of_floats


@triton.jit
def pow(x, y):
    """x^y; an integer y is exact: an odd one keeps the sign of x, however large."""
    exponent = tl.to_tensor(y)
    if exponent.dtype.is_int():
        v = own(x)
        size = _of_floats(tl.abs(v), exponent.to(v.dtype))
        return like(tl.where(((exponent & 1) != 0) & (signbit(v) != 0), -size, size), x)
    else:
        return _of_floats(x, y)

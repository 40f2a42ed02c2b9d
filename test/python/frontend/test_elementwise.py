"""Element-wise kernels on every size and type, against torch."""

import pytest
import torch
import triton
import triton.language as tl

SIZES = [1, 31, 32, 33, 127, 1000, 16384, 100003]
SPECIAL = [0.0, -0.0, 1.0, -1.0, float("inf"), float("-inf"), float("nan"), 1e-40, -1e-40, 3.4e38, 65504.0, 0.5, -2.5]


def floats(n, dtype=torch.float32):
    """``n`` numbers: the special ones first, then random ones of both signs."""
    values = torch.cat([torch.tensor(SPECIAL), torch.randn(n, generator=torch.Generator().manual_seed(n)) * 3])
    return values[:n].to(dtype).clone()


@triton.jit
def add_kernel(x, y, out, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    a = tl.load(x + offsets, mask=mask)
    b = tl.load(y + offsets, mask=mask)
    tl.store(out + offsets, a + b, mask=mask)


@pytest.mark.parametrize("n", SIZES)
def test_add_writes_exactly_n(n):
    x, y = floats(n), floats(n).flip(0)
    out = torch.full((n + 64,), 7.0)
    add_kernel[(triton.cdiv(n, 1024),)](x, y, out, n, BLOCK=1024)
    torch.testing.assert_close(out[:n], x + y, rtol=0, atol=0, equal_nan=True)
    assert (out[n:] == 7.0).all()


@pytest.mark.parametrize("block", [1, 2, 32, 16384])
def test_block_sizes(block):
    x, y = floats(70), floats(70)
    out = torch.zeros(70)
    add_kernel[(triton.cdiv(70, block),)](x, y, out, 70, BLOCK=block)
    torch.testing.assert_close(out, x + y, equal_nan=True)


@pytest.mark.parametrize("dtype", [torch.float32, torch.float16, torch.bfloat16, torch.float64, torch.int8, torch.int16,
                                   torch.int32, torch.int64, torch.uint8])
def test_every_type(dtype):
    if dtype.is_floating_point:
        x, y = floats(77, dtype), floats(77, dtype).flip(0)
    else:
        x = torch.arange(-38, 39).to(dtype)
        y = (torch.arange(77) * 3 - 100).to(dtype)
    out = torch.zeros(77, dtype=dtype)
    add_kernel[(3,)](x, y, out, 77, BLOCK=32)
    torch.testing.assert_close(out, x + y, equal_nan=True)


@triton.jit
def unary_kernel(x, out, n, OP: tl.constexpr, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    v = tl.load(x + offsets, mask=mask)
    if OP == "exp":
        v = tl.exp(v)
    elif OP == "exp2":
        v = tl.exp2(v)
    elif OP == "log":
        v = tl.log(v)
    elif OP == "log2":
        v = tl.log2(v)
    elif OP == "sin":
        v = tl.sin(v)
    elif OP == "cos":
        v = tl.cos(v)
    elif OP == "sqrt":
        v = tl.sqrt(v)
    elif OP == "sqrt_rn":
        v = tl.sqrt_rn(v)
    elif OP == "rsqrt":
        v = tl.rsqrt(v)
    elif OP == "erf":
        v = tl.erf(v)
    elif OP == "floor":
        v = tl.floor(v)
    elif OP == "ceil":
        v = tl.ceil(v)
    elif OP == "abs":
        v = tl.abs(v)
    elif OP == "neg":
        v = -v
    elif OP == "sigmoid":
        v = tl.sigmoid(v)
    tl.store(out + offsets, v, mask=mask)


@pytest.mark.parametrize("op", ["exp", "exp2", "log", "log2", "sin", "cos", "sqrt", "rsqrt", "erf", "floor", "ceil",
                                "abs", "neg", "sigmoid", "sqrt_rn"])
def test_unary(op):
    x = floats(100)
    out = torch.zeros(100)
    unary_kernel[(4,)](x, out, 100, OP=op, BLOCK=32)
    expected = {"abs": torch.abs, "neg": torch.neg, "sqrt_rn": torch.sqrt}.get(op) or getattr(torch, op)
    torch.testing.assert_close(out, expected(x), rtol=2e-6, atol=1e-37, equal_nan=True)


@triton.jit
def binary_kernel(x, y, out, n, OP: tl.constexpr, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    a = tl.load(x + offsets, mask=mask, other=1)
    b = tl.load(y + offsets, mask=mask, other=1)
    if OP == "mul":
        a = a * b
    elif OP == "sub":
        a = a - b
    elif OP == "div":
        a = a / b
    elif OP == "floordiv":
        a = a // b
    elif OP == "mod":
        a = a % b
    elif OP == "max":
        a = tl.maximum(a, b)
    elif OP == "min":
        a = tl.minimum(a, b)
    elif OP == "max_nan":
        a = tl.maximum(a, b, propagate_nan=tl.PropagateNan.ALL)
    elif OP == "and":
        a = a & b
    elif OP == "or":
        a = a | b
    elif OP == "xor":
        a = a ^ b
    elif OP == "shl":
        a = a << (b & 7)
    elif OP == "shr":
        a = a >> (b & 7)
    elif OP == "where":
        a = tl.where(a < b, a, b * 2)
    elif OP == "div_rn":
        a = tl.div_rn(a, b)
    elif OP == "fma":
        a = tl.fma(a, b, a)
    elif OP == "clamp":
        a = tl.clamp(a, -1.0, 1.0)
    elif OP == "umulhi":
        a = tl.umulhi(a, b)
    tl.store(out + offsets, a, mask=mask)


FLOAT_OPS = {
    "mul": torch.mul, "sub": torch.sub, "div": torch.div, "div_rn": torch.div, "max": torch.fmax, "min": torch.fmin,
    "max_nan": torch.maximum, "where": lambda a, b: torch.where(a < b, a, b * 2),
    "fma": lambda a, b: (a.double() * b.double() + a.double()).float(),
}
INT_OPS = {
    "mul": torch.mul, "sub": torch.sub, "floordiv": lambda a, b: torch.div(a, b, rounding_mode="trunc"),
    "mod": torch.fmod, "max": torch.maximum, "min": torch.minimum, "and": torch.bitwise_and, "or": torch.bitwise_or,
    "xor": torch.bitwise_xor, "shl": lambda a, b: a << (b & 7), "shr": lambda a, b: a >> (b & 7),
    "where": lambda a, b: torch.where(a < b, a, b * 2),
}


@pytest.mark.parametrize("op", FLOAT_OPS)
def test_binary_float(op):
    x = floats(99)
    y = floats(99)[torch.randperm(99, generator=torch.Generator().manual_seed(1))]
    out = torch.zeros(99)
    binary_kernel[(4,)](x, y, out, 99, OP=op, BLOCK=32)
    torch.testing.assert_close(out, FLOAT_OPS[op](x, y), rtol=1e-6, atol=1e-37, equal_nan=True)


def test_clamp_of_nan_is_a_bound():
    x = floats(99)
    out = torch.zeros(99)
    binary_kernel[(4,)](x, x, out, 99, OP="clamp", BLOCK=32)
    numbers = ~x.isnan()
    torch.testing.assert_close(out[numbers], x[numbers].clamp(-1, 1), rtol=0, atol=0)
    assert set(out[~numbers].tolist()) <= {-1.0, 1.0}


@pytest.mark.parametrize("dtype", [torch.int8, torch.int16, torch.int32, torch.int64])
@pytest.mark.parametrize("op", INT_OPS)
def test_binary_int(op, dtype):
    x = (torch.arange(99) * 37 - 1500).to(dtype)
    y = (torch.arange(99) * 5 - 247).to(dtype)
    y[y == 0] = 3
    out = torch.zeros(99, dtype=dtype)
    binary_kernel[(4,)](x, y, out, 99, OP=op, BLOCK=32)
    assert torch.equal(out, INT_OPS[op](x, y))


def test_umulhi():
    x = torch.tensor([0, 1, -1, 2**31 - 1, -2**31, 123456789], dtype=torch.int32)
    y = torch.tensor([5, -1, -1, 2**31 - 1, -2**31, 987654321], dtype=torch.int32)
    out = torch.zeros(6, dtype=torch.int32)
    binary_kernel[(1,)](x.view(torch.uint32), y.view(torch.uint32), out.view(torch.uint32), 6, OP="umulhi", BLOCK=8)
    expected = [((a % 2**32) * (b % 2**32)) >> 32 for a, b in zip(x.tolist(), y.tolist(), strict=True)]
    assert [v % 2**32 for v in out.tolist()] == expected


@triton.jit
def cast_kernel(x, out, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    tl.store(out + offsets, tl.load(x + offsets, mask=mask).to(out.dtype.element_ty), mask=mask)


CASTS = [torch.float32, torch.float16, torch.bfloat16, torch.int8, torch.int16, torch.int32, torch.int64, torch.uint8]


@pytest.mark.parametrize("source", CASTS)
@pytest.mark.parametrize("target", CASTS)
def test_casts(source, target):
    x = torch.arange(0, 120) if torch.uint8 in (source, target) else torch.arange(-60, 60)
    x = x.to(source)
    out = torch.zeros(120, dtype=target)
    cast_kernel[(4,)](x, out, 120, BLOCK=32)
    assert torch.equal(out, x.to(target))


def test_float_cast_rounds_to_nearest():
    x = torch.cat([floats(40), torch.tensor([1 + 2**-11, 1 + 3 * 2**-11, 1 + 2**-8, 1 + 3 * 2**-8])])
    for target in (torch.float16, torch.bfloat16):
        out = torch.zeros(44, dtype=target)
        cast_kernel[(2,)](x, out, 44, BLOCK=32)
        torch.testing.assert_close(out, x.to(target), rtol=0, atol=0, equal_nan=True)


@triton.jit
def bool_kernel(x, y, out, n, BLOCK: tl.constexpr):
    offsets = tl.arange(0, BLOCK)
    mask = offsets < n
    a = tl.load(x + offsets, mask=mask)
    b = tl.load(y + offsets, mask=mask)
    tl.store(out + offsets, (a & ~b) | (a == b), mask=mask)


def test_bool_tensors_are_bytes():
    x = torch.tensor([True, True, False, False, True])
    y = torch.tensor([True, False, True, False, False])
    out = torch.zeros(5, dtype=torch.bool)
    bool_kernel[(1,)](x, y, out, 5, BLOCK=8)
    assert torch.equal(out, (x & ~y) | (x == y))


@triton.jit
def index_data_kernel(out, start, BLOCK: tl.constexpr):
    offsets = tl.arange(0, BLOCK)
    tl.store(out + offsets, (offsets * 654435769 + start).to(tl.int64) * 10000000000)


def test_index_used_as_data_wraps_like_integers():
    out = torch.zeros(64, dtype=torch.int64)
    index_data_kernel[(1,)](out, 12345, BLOCK=64)
    expected = (torch.arange(64, dtype=torch.int32) * 654435769 + 12345).to(torch.int64) * 10000000000
    assert torch.equal(out, expected)


@triton.jit
def wrapped_index_kernel(out, factor, BLOCK: tl.constexpr):
    offsets = tl.arange(0, BLOCK)
    tl.store(out + offsets, (offsets * factor).to(tl.int64))


def test_widening_sees_the_wrapped_value():
    out = torch.zeros(64, dtype=torch.int64)
    wrapped_index_kernel[(1,)](out, 2**30 + 12345, BLOCK=64)
    expected = (torch.arange(64, dtype=torch.int32) * (2**30 + 12345)).to(torch.int64)
    assert torch.equal(out, expected)

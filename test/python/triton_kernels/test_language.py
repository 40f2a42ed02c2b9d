"""Parts of the language that few kernels use: calls, scalar functions, printing, assertions, pointers as numbers."""

import pytest
import torch
import triton
import triton.language as tl
from binaries import needs_qemu

from hexagon_mlir.ir import HexError

pytestmark = pytest.mark.only_values

QEMU = pytest.param("qemu", marks=[needs_qemu, pytest.mark.filterwarnings("ignore:QEMU")])


@triton.jit(noinline=True)
def collatz(n, limit):
    if n <= 0:
        return -1
    steps = 0
    while (n != 1) & (steps < limit):
        n = tl.where(n % 2 == 0, n // 2, 3 * n + 1)
        steps += 1
    return steps


@triton.jit(noinline=True)
def twice(pointer, n):
    v = tl.load(pointer + n)
    tl.store(pointer + n, 2 * v)
    return collatz(v, 100) + n, v


@triton.jit
def calling(x, out, n):
    for i in range(n):
        a, b = twice(x, i)
        tl.store(out + i, a + b)


@pytest.mark.parametrize("executor", ["host", "sim"])
def test_functions_that_are_not_inlined(executor, monkeypatch):
    monkeypatch.setenv("HEXMLIR_EXECUTOR", executor)
    x, out = torch.tensor([1, 6, 27, 0, -4, 97], dtype=torch.int32), torch.empty(6, dtype=torch.int32)
    calling[(1,)](x, out, 6)
    assert x.tolist() == [2, 12, 54, 0, -8, 194]
    assert out.tolist() == [0 + 0 + 1, 8 + 1 + 6, 100 + 2 + 27, -1 + 3 + 0, -1 + 4 - 4, 100 + 5 + 97]


@triton.jit
def _sorted_pair(a, b):
    if a < b:
        return a, b
    else:
        return b, a


@triton.jit
def _steps(n):
    steps = 0
    while n > 1:
        n = n // 2
        steps += 1
    return steps


@triton.jit
def _first_of_two(a0, a1, b0, b1):
    return a0 + b1, a1 * 10  # the two elements of the one result


@triton.jit
def mapped(x, y, low, high, steps, packed, N: tl.constexpr):
    i = tl.arange(0, N)
    a, b = tl.load(x + i), tl.load(y + i)
    p, q = tl.map_elementwise(_sorted_pair, a, b)
    tl.store(low + i, p)
    tl.store(high + i, q)
    tl.store(steps + i, tl.map_elementwise(_steps, tl.abs(a)))
    tl.store(packed + i, tl.map_elementwise(_first_of_two, a, b, pack=2)[0])


def test_scalar_functions():
    x, y = torch.randint(-99, 99, (2, 32), dtype=torch.int32).unbind()
    low, high, steps, packed = torch.empty(4, 32, dtype=torch.int32).unbind()
    mapped[(1,)](x, y, low, high, steps, packed, N=32)
    assert torch.equal(low, torch.minimum(x, y))
    assert torch.equal(high, torch.maximum(x, y))
    assert steps.tolist() == [max(abs(v).bit_length() - 1, 0) for v in x.tolist()]
    assert torch.equal(packed[::2], x[::2] + y[1::2])
    assert torch.equal(packed[1::2], x[1::2] * 10)


@triton.jit
def _least(a, b):
    if a < b:
        return a
    else:
        if b < 0:
            return -b
    return b


@triton.jit
def mapped_and_narrowed(x, table, out, N: tl.constexpr):
    i = tl.arange(0, N)
    v = tl.load(x + i)
    found = tl.load(table + (v & 63))
    tl.store(out + i, tl.map_elementwise(_least, v, ~v).to(tl.int16))
    tl.store(out + N + i, tl.map_elementwise(_least, v, found).to(tl.int16))


@pytest.mark.parametrize("executor", ["host", "sim"])
def test_scalar_functions_with_more_in_their_loop(executor, monkeypatch):
    monkeypatch.setenv("HEXMLIR_EXECUTOR", executor)
    x, table = (torch.randint(-99, 99, (n,), dtype=torch.int32) for n in (128, 64))
    out = torch.zeros(2, 128, dtype=torch.int16)
    mapped_and_narrowed[(1,)](x, table, out, N=128)
    for result, b in zip(out, (~x, table[(x & 63).long()]), strict=True):
        assert torch.equal(result, torch.where(x < b, x, torch.where(b < 0, -b, b)).short())


@triton.jit
def printing(x, n, N: tl.constexpr):
    v = tl.load(x + tl.arange(0, N))
    tl.device_print("n is", n)
    tl.device_print("v: ", v[:, None] * 2, (v > 0)[:, None])
    tl.device_print("bits", n, hex=True)
    tl.device_print("here")


@pytest.mark.parametrize("executor", ["host", "sim", QEMU])
def test_print(executor, monkeypatch, capfd):
    monkeypatch.setenv("HEXMLIR_EXECUTOR", executor)
    printing[(1, 2)](torch.tensor([0.5, -3.0]), -7, N=2)
    lines = capfd.readouterr().out.splitlines()
    assert lines[: len(lines) // 2] == [
        "pid (0, 0, 0) n is: -7", "pid (0, 0, 0) idx (0, 0) v: 1", "pid (0, 0, 0) idx (1, 0) v: -6",
        "pid (0, 0, 0) idx (0, 0) v: 1", "pid (0, 0, 0) idx (1, 0) v: 0", "pid (0, 0, 0) bits: 0xfffffff9",
        "pid (0, 0, 0) here"]
    assert lines[len(lines) // 2] == "pid (0, 1, 0) n is: -7"


@triton.jit
def asserting(x, n, N: tl.constexpr):
    i = tl.arange(0, N)
    v = tl.load(x + i)
    tl.device_assert(v >= 0, "negative input", mask=i < n)  # the assertion
    tl.device_assert(n < 100)
    tl.store(x + i, v + 1)


@pytest.mark.ieee_arithmetic
@pytest.mark.parametrize("executor", ["host", "sim", QEMU])
def test_assertions(executor, monkeypatch):
    monkeypatch.setenv("HEXMLIR_EXECUTOR", executor)
    x = torch.tensor([1.0, 2.0, 3.0, -1.0])
    asserting[(1,)](x, 3, N=4, debug=True)
    assert x.tolist() == [2.0, 3.0, 4.0, 0.0]
    x[3] = -5.0
    with pytest.raises(HexError, match=r"assertion failed: negative input \(program \(1, 0, 0\)\)") as error:
        asserting_second[(2,)](x, N=4, debug=True)
    with open(__file__) as file:
        line = next(n for n, text in enumerate(file, 1) if text.endswith("# this line\n"))
    assert error.value.diagnostics[0].place.line == line
    asserting[(1,)](x, 4, N=4)  # without debug nothing is checked


@triton.jit
def asserting_second(x, N: tl.constexpr):
    v = tl.load(x + tl.arange(0, N))
    if tl.program_id(0) == 1:
        tl.device_assert(v >= 0, "negative input")  # this line


@triton.jit
def through_tables(addresses, sizes, out, BLOCK: tl.constexpr):
    """Pointers come from memory as integers, one problem per program."""
    g = tl.program_id(0)
    x = tl.load(addresses + 2 * g).to(tl.pointer_type(tl.float32))
    y = tl.load(addresses + 2 * g + 1).to(tl.pointer_type(tl.float16))
    n = tl.load(sizes + g)
    i = tl.arange(0, BLOCK)
    v = tl.load(x + i, mask=i < n, other=0.0)
    tl.store(y + i, v * 2, mask=i < n)
    tl.store(out + g, tl.sum(v))


@pytest.mark.parametrize("executor", ["host", "sim", QEMU])
def test_pointers_from_integers(executor, monkeypatch):
    monkeypatch.setenv("HEXMLIR_EXECUTOR", executor)
    xs = [torch.randn(n) for n in (5, 16, 1)]
    ys = [torch.zeros(n, dtype=torch.float16) for n in (6, 17, 2)]
    addresses = torch.tensor([t.data_ptr() for pair in zip(xs, ys, strict=True) for t in pair])
    out = torch.empty(3)
    through_tables[(3,)](addresses, torch.tensor([5, 16, 1], dtype=torch.int32), out, BLOCK=16)
    for k, (x, y) in enumerate(zip(xs, ys, strict=True)):
        torch.testing.assert_close(y[:-1], (x * 2).half())
        assert y[-1] == 0
        torch.testing.assert_close(out[k], x.sum())


@triton.jit
def other_views(x, out, N: tl.constexpr):
    """The same memory as other types, narrower and wider."""
    i = tl.arange(0, N)
    bits = x.to(tl.pointer_type(tl.int32), bitcast=True)
    tl.store(out + i, tl.load(bits + i))
    halves = (x + 2).to(tl.pointer_type(tl.int16), bitcast=True)
    tl.store(out + N + i, tl.load(halves + i).to(tl.int32))
    pairs = (out + 2 * N).to(tl.pointer_type(tl.int64), bitcast=True)
    tl.store(pairs + tl.arange(0, N // 2), tl.arange(0, N // 2).to(tl.int64) - 3)
    tl.store(out + 3 * N, ((x + 5).to(tl.int64) - x.to(tl.int64)).to(tl.int32))


@pytest.mark.parametrize("executor", ["host", "sim"])
def test_pointers_to_other_types(executor, monkeypatch):
    monkeypatch.setenv("HEXMLIR_EXECUTOR", executor)
    x, out = torch.randn(16), torch.zeros(49, dtype=torch.int32)
    other_views[(1,)](x, out, N=16)
    assert torch.equal(out[:16], x.view(torch.int32))
    assert torch.equal(out[16:32], x[2:10].view(torch.int16).int())
    assert torch.equal(out[32:48].view(torch.int64), torch.arange(8) - 3)
    assert out[48] == 20


@triton.jit
def rounded(x, out, back, n, N: tl.constexpr):
    i = tl.arange(0, N)
    v = tl.load(x + i, mask=i < n, other=0.0)
    tl.store(out + i, v.to(out.dtype.element_ty, fp_downcast_rounding="rtz"), mask=i < n)
    tl.store(back + i, v.to(out.dtype.element_ty).to(tl.float32), mask=i < n)


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16, torch.float8_e5m2, torch.float8_e4m3fn])
def test_rounding_towards_zero(dtype):
    top = torch.finfo(dtype).max
    x = torch.cat([torch.randn(100), torch.randn(50) * 1e-4, torch.tensor([top, top * 1.001, -top * 1.001, 0.0, -0.0])])
    out, back = torch.empty(len(x)).to(dtype), torch.empty(len(x))
    rounded[(1,)](x, out, back, len(x), N=256)
    wide, nearest = out.float(), x.to(dtype).float()
    assert (wide.abs() <= x.abs()).all()
    assert torch.equal(wide.signbit(), x.signbit())
    exact = nearest == x
    assert torch.equal(wide[exact], x[exact])
    away = nearest.abs() < x.abs()
    assert torch.equal(wide[away], nearest[away])
    torch.testing.assert_close(back, nearest, rtol=0, atol=0, equal_nan=True)


@triton.jit
def early_returns(x, out, n, mode):
    i = tl.program_id(0)
    if i >= n:
        return
    v = tl.load(x + i)
    if mode == 0:
        tl.store(out + i, v)
        return
    elif mode == 1:  # noqa: SIM102 - the inner return is the point
        if v < 0:
            return
    tl.store(out + i, v * 10)


@pytest.mark.parametrize("mode", [0, 1, 2])
def test_early_returns(mode):
    x, out = torch.tensor([1.0, -2.0, 3.0, 4.0]), torch.zeros(4)
    early_returns[(4,)](x, out, 3, mode)
    assert out.tolist() == [[1, -2, 3, 0], [10, 0, 30, 0], [10, -20, 30, 0]][mode]


@triton.jit
def wide_multiply(a, b, high, high_signed, precise, N: tl.constexpr):
    i = tl.arange(0, N)
    x, y = tl.load(a + i), tl.load(b + i)
    tl.store(high + i, tl.umulhi(x, y))
    tl.store(precise + i, tl.div_rn(x.to(tl.float32), 3.0) + tl.sqrt_rn(tl.abs(y).to(tl.float32)))
    tl.store(high_signed + i, tl.fma(x.to(tl.float32), 2.0, y.to(tl.float32)))


@pytest.mark.parametrize("dtype", [torch.int32, torch.int64])
def test_wide_multiply(dtype):
    bits = torch.iinfo(dtype).bits
    a, b = torch.randint(torch.iinfo(dtype).min, torch.iinfo(dtype).max, (2, 32)).to(dtype).unbind()
    high, precise, fused = torch.empty(32, dtype=dtype), torch.empty(32), torch.empty(32)
    wide_multiply[(1,)](a, b, high, fused, precise, N=32)
    mask = (1 << bits) - 1
    expected = [((int(p) & mask) * (int(q) & mask)) >> bits for p, q in zip(a.tolist(), b.tolist(), strict=True)]
    assert [int(v) & mask for v in high.tolist()] == expected
    torch.testing.assert_close(precise, a.float() / 3 + b.abs().float().sqrt())
    torch.testing.assert_close(fused, a.float() * 2 + b.float())


@triton.jit
def float_extremes(x, high, low, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    v = tl.load(x + i, mask=i < n)
    tl.atomic_max(high + i % 3, v, mask=i < n)
    tl.atomic_min(low + i * 0, v, mask=i < n)


@pytest.mark.parametrize("executor", ["host", "sim"])
def test_atomic_extremes_of_floats(executor, monkeypatch):
    monkeypatch.setenv("HEXMLIR_EXECUTOR", executor)
    x = torch.randn(50)
    high, low = torch.full((3,), -1e30), torch.full((1,), 1e30)
    float_extremes[(4,)](x, high, low, 50, BLOCK=16)
    assert torch.equal(high, torch.stack([x[k::3].max() for k in range(3)]))
    assert low[0] == x.min()


@triton.jit
def atomic_reads(flags, out, N: tl.constexpr):
    i = tl.arange(0, N)
    tl.atomic_store(flags + tl.program_id(0), tl.program_id(0) + 10)
    tl.store(out + i, tl.atomic_load(flags + i))


def test_atomic_loads_and_stores():
    flags, out = torch.zeros(4, dtype=torch.int32), torch.zeros(4, dtype=torch.int32)
    atomic_reads[(3,)](flags, out, N=4)
    assert out.tolist() == flags.tolist() == [10, 11, 12, 0]


@triton.jit
def one_after_another(flags, x, out, flag, N: tl.constexpr):
    """Each program waits for the flag of the one before it, and adds to its row."""
    i, program, row = tl.arange(0, N), tl.program_id(0), tl.zeros((N,), tl.float32)
    if program > 0:
        tl.atomic_poll(flags + program - 1, flag)
        row = tl.load(out + (program - 1) * N + i)
    tl.store(out + program * N + i, row + tl.load(x + program * N + i))
    tl.atomic_xchg(flags + program, 1)


@pytest.mark.parametrize("executor", ["host", "sim", QEMU])
def test_waiting_for_programs(executor, monkeypatch):
    monkeypatch.setenv("HEXMLIR_EXECUTOR", executor)
    x, flags = torch.randn(5, 32), torch.zeros(5, dtype=torch.int32)
    out = torch.empty_like(x)
    one_after_another[(5,)](flags, x, out, 1, N=32)
    torch.testing.assert_close(out, x.cumsum(0))
    with pytest.raises(HexError, match=r"atomic_poll waits for a value .* \(program \(1, 0, 0\)\)"):
        one_after_another[(2,)](flags, x, out, 2, N=32)


@triton.jit
def polled(flags, out, N: tl.constexpr):
    i = tl.arange(0, N)
    tl.store(out + i, tl.atomic_poll(flags + i, 3, timeout_ns=1000))


def test_waiting_for_some_time():
    flags, out = torch.arange(32) % 4, torch.zeros(32, dtype=torch.int8)
    polled[(1,)](flags, out, N=32)
    assert torch.equal(out, (flags == 3).to(torch.int8))


@triton.jit
def read_only(x: tl.const, out, n, N: tl.constexpr):
    i = tl.arange(0, N)
    tl.store(out + i, tl.load(x + i, mask=i < n, other=2.0))


def test_pointers_to_constants():
    x, out = torch.randn(20), torch.zeros(32)
    read_only[(1,)](x, out, 20, N=32)
    assert torch.equal(out, torch.cat([x, torch.full((12,), 2.0)]))


@triton.jit
def chosen_masks(x, y, out, n, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    a, b = tl.load(x + i, mask=i < n, other=0.0), tl.load(y + i, mask=i < n, other=0.0)
    tl.store(out + i, tl.where(a > 0, a > b, b > 1).to(tl.int32), mask=i < n)


@pytest.mark.parametrize("n", [128, 100])
def test_a_choice_between_conditions(n, monkeypatch):
    """Predicates have no select: code generation aborted."""
    monkeypatch.setenv("HEXMLIR_EXECUTOR", "sim")
    x, y, out = torch.randn(n), torch.randn(n), torch.zeros(n, dtype=torch.int32)
    chosen_masks[(1,)](x, y, out, n, BLOCK=128)
    assert torch.equal(out.bool(), torch.where(x > 0, x > y, y > 1))


@triton.jit
def gathered_conditions(out, n, ROWS: tl.constexpr, COLUMNS: tl.constexpr):
    r, i = tl.arange(0, ROWS), tl.arange(0, COLUMNS)
    found = tl.zeros((ROWS, COLUMNS), tl.int1)
    for k in range(ROWS // 2):
        found += tl.where(i[None, :] < n, r[:, None] == k, False)
    tl.store(out + r[:, None] * COLUMNS + i[None, :], found.to(tl.int8))


@pytest.mark.parametrize("executor", ["host", "sim"])
def test_conditions_of_positions_are_chosen_between(executor, monkeypatch):
    """All values of the loop have one bit: no elements tell how wide its masks are."""
    monkeypatch.setenv("HEXMLIR_EXECUTOR", executor)
    out = torch.zeros(8, 128, dtype=torch.int8)
    gathered_conditions[(1,)](out, 100, ROWS=8, COLUMNS=128)
    expected = torch.zeros(8, 128, dtype=torch.int8)
    expected[:4, :100] = 1
    assert torch.equal(out, expected)

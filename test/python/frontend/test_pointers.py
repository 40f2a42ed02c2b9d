"""What a launch takes for a pointer: tensors seen as another type, and objects that have an address."""

import ctypes

import pytest
import torch
import triton
import triton.language as tl

from hexagon_mlir.frontend.triton.pointers import element_bytes
from hexagon_mlir.ir import HexError

pytestmark = pytest.mark.parametrize("executor", ["host", "sim"])


@pytest.fixture(autouse=True)
def run_by(executor, monkeypatch):
    monkeypatch.setenv("HEXMLIR_EXECUTOR", executor)


@triton.jit
def doubled(x, out, n, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    v = tl.load(x + i, mask=i < n)
    tl.store(out + i, v + v, mask=i < n)


class Address:
    """A pointer that is no tensor; ``size`` is a name and what it gives."""

    def __init__(self, address: int, dtype: object = torch.float32, **sizes: object):
        self.address, self.dtype = address, dtype
        self.__dict__ |= sizes

    def data_ptr(self) -> int:
        return self.address


@pytest.mark.parametrize(("dtype", "seen"), [
    (torch.int8, tl.uint8), (torch.int16, tl.uint16), (torch.int32, tl.uint32), (torch.int64, tl.uint64),
    (torch.int16, tl.int16)])
def test_integers_without_a_sign(dtype, seen):
    x, out = torch.arange(-50, 50, dtype=dtype), torch.zeros(100, dtype=dtype)
    doubled[(1,)](triton.reinterpret(x, seen), triton.reinterpret(out, seen), 100, BLOCK=128)
    assert torch.equal(out, x + x)


def test_types_of_other_sizes_and_views():
    """Halves of words; the tensor begins in the middle of its storage, and is wrapped twice."""
    words = torch.arange(64, dtype=torch.float32)
    halves = words[16:].view(torch.bfloat16)
    out = torch.zeros(96, dtype=torch.int16)
    doubled[(1,)](triton.reinterpret(triton.reinterpret(words[16:], tl.int8), tl.bfloat16),
                  triton.reinterpret(out, tl.bfloat16), 96, BLOCK=128)
    assert torch.equal(out.view(torch.bfloat16), halves + halves)


@pytest.mark.ieee_arithmetic
@pytest.mark.parametrize(("kind", "seen"), [(torch.float8_e5m2, tl.float8e5), (torch.float8_e4m3fn, tl.float8e4nv)])
def test_bytes_as_small_floats(kind, seen):
    """Their sums are rounded."""
    x = torch.cat([torch.linspace(-3, 3, 32), torch.logspace(-6, 2, 32)]).to(kind)
    out = torch.zeros(64, dtype=torch.int8)
    doubled[(1,)](triton.reinterpret(x.view(torch.int8), seen), triton.reinterpret(out, seen), 64, BLOCK=64)
    torch.testing.assert_close(out.view(kind).float(), (2 * x.float()).to(kind).float(), rtol=0, atol=0, equal_nan=True)


@pytest.mark.ieee_arithmetic
@pytest.mark.parametrize("sizes", [{}, {"nbytes": 400}, {"nbytes": lambda: 400},
                                   {"numel": lambda: 100, "element_size": lambda: 4}])
def test_objects_with_an_address_in_a_tensor(sizes):
    x, out = torch.randn(120), torch.zeros(120)
    doubled[(1,)](Address(x[20:].data_ptr(), **sizes), Address(out[20:].data_ptr(), **sizes), 100, BLOCK=128)
    assert torch.equal(out[20:], x[20:] + x[20:]) and not out[:20].any()


@pytest.mark.ieee_arithmetic
def test_memory_that_is_no_tensors():
    memory = (ctypes.c_float * 64)(*range(64))
    out = torch.zeros(64)
    doubled[(1,)](Address(ctypes.addressof(memory), nbytes=256), out, 64, BLOCK=64)
    assert torch.equal(out, 2 * torch.arange(64.0))


def test_bounds_that_are_not_there():
    x, memory = torch.zeros(100), (ctypes.c_float * 64)()
    with pytest.raises(HexError, match="'x' is to point to 404 bytes, of which its tensor has 400"):
        doubled[(1,)](Address(x.data_ptr(), nbytes=404), x, 100, BLOCK=128)
    with pytest.raises(HexError, match="'out' points to memory of unknown size"):
        doubled[(1,)](x, Address(ctypes.addressof(memory)), 64, BLOCK=64)


def test_other_devices_are_refused():
    x = torch.zeros(64)
    with pytest.raises(HexError, match="'x' is a tensor on device 'meta'"):
        doubled[(1,)](triton.reinterpret(torch.zeros(64, device="meta"), tl.int32), x, 64, BLOCK=64)


def test_nothing_is_read_where_there_is_nothing():
    empty = torch.zeros(0)
    doubled[(1,)](triton.reinterpret(empty, tl.float32), Address(0, nbytes=0), 0, BLOCK=64)


def test_sizes_of_elements():
    assert [element_bytes(kind) for kind in ("*fp32", "*bf16", "*i1", "*u8", "*fp8e4nv", "*fp64", "*i64")] == [
        4, 2, 1, 1, 1, 8, 8]

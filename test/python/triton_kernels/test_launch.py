"""Launch features around a kernel: tuning, benchmarks, warm-up, hooks, operators, unusual arguments, errors."""

import pytest
import torch
import triton
import triton.language as tl
from torch.library import triton_op, wrap_triton

from hexagon_mlir.ir import HexError


@triton.jit
def scaled_add(x, y, out, n, BLOCK: tl.constexpr, SCALE: tl.constexpr = 1.0):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    v = tl.load(x + i, mask=i < n) + tl.load(y + i, mask=i < n) * SCALE
    tl.store(out + i, v, mask=i < n)


@pytest.fixture
def on_simulator(monkeypatch):
    monkeypatch.setenv("HEXMLIR_EXECUTOR", "sim")


@pytest.fixture
def data():
    return torch.randn(1000), torch.randn(1000), torch.zeros(1000)


@pytest.mark.ieee_arithmetic
def test_autotune_takes_the_fastest(on_simulator, data):
    x, y, out = data
    tuned = triton.autotune([triton.Config({"BLOCK": 16}), triton.Config({"BLOCK": 1024}, num_warps=8)], key=["n"])(
        scaled_add)
    tuned[lambda meta: (triton.cdiv(1000, meta["BLOCK"]),)](x, y, out, 1000)
    assert torch.equal(out, x + y)
    assert tuned.best_config.kwargs["BLOCK"] == 1024


def test_heuristics(data):
    x, y, out = data
    kernel = triton.heuristics({"BLOCK": lambda args: triton.next_power_of_2(args["n"])})(scaled_add)
    kernel[(1,)](x, y, out, 1000)
    assert torch.equal(out, x + y)


def test_benchmark_is_simulated_time(on_simulator, data):
    x, y, out = data

    def small():
        scaled_add[(1,)](x, y, out, 100, BLOCK=1024)

    def large():
        scaled_add[(1,)](x, y, out, 1000, BLOCK=1024)

    times = [triton.testing.do_bench(f) for f in (small, large, small)]
    assert times[0] == pytest.approx(times[2])
    assert 0 < times[0] < times[1] < 1
    assert triton.testing.do_bench(large, quantiles=[0.5, 0.2]) == pytest.approx([times[1]] * 2)
    assert triton.testing.do_bench(large, return_mode="min") == pytest.approx(times[1])


def test_warmup_compiles_without_running(data):
    x, y, out = data
    compiled = scaled_add.warmup(x, y, out, 1000, BLOCK=512, grid=(2,))
    assert compiled.metadata.name == "scaled_add"
    assert {"ttir", "linalg"} <= set(compiled.asm)
    assert scaled_add.warmup(torch.float16, torch.float16, torch.float16, 10, BLOCK=16, grid=(1,)) is not None
    assert (out == 0).all()


def test_keyword_arguments_and_defaults(data):
    x, y, out = data
    scaled_add[(2,)](n=1000, out=out, y=y, x=x, SCALE=2.0, BLOCK=512)
    assert torch.equal(out, x + y * 2)


@triton.jit
def optional_parts(x, y, out, pair, N: tl.constexpr):
    i = tl.arange(0, N)
    v = tl.load(x + i)
    if y is not None:
        v += tl.load(y + i)
    tl.store(out + i, v * pair[0] + tl.load(pair[1][0] + i) * pair[1][1])


@pytest.mark.parametrize("given", [False, True])
def test_none_and_nested_tuples(data, given):
    x, y, _ = data
    out = torch.empty(16)
    optional_parts[(1,)](x, y if given else None, out, (3.0, (y, 5)), 16)
    torch.testing.assert_close(out, (x[:16] + y[:16] * given) * 3 + y[:16] * 5)


def test_hooks(data):
    x, y, out = data
    seen = []
    entered, left = (lambda m: seen.append(("enter", m.get()["name"]))), (lambda m: seen.append(("exit", None)))
    triton.knobs.runtime.launch_enter_hook.add(entered)
    triton.knobs.runtime.launch_exit_hook.add(left)
    try:
        scaled_add[(1,)](x, y, out, 100, BLOCK=128)
    finally:
        triton.knobs.runtime.launch_enter_hook.remove(entered)
        triton.knobs.runtime.launch_exit_hook.remove(left)
    assert seen == [("enter", "scaled_add"), ("exit", None)]


@triton_op("hexagon_test::scaled_add", mutates_args={})
def scaled_add_op(x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
    out = torch.empty_like(x)
    wrap_triton(scaled_add)[(triton.cdiv(x.numel(), 256),)](x, y, out, x.numel(), BLOCK=256)
    return out


def test_operator_alone_and_in_compiled_code(data):
    x, y, _ = data
    assert torch.equal(scaled_add_op(x, y), x + y)
    compiled = torch.compile(lambda a, b: scaled_add_op(a, b) * 2, backend="eager")
    assert torch.equal(compiled(x, y), (x + y) * 2)


@triton.jit
def masks_and(x, y, out, flag, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    tl.store(out + i, tl.load(x + i) & tl.load(y + i) & flag)


@pytest.mark.parametrize("flag", [True, False])
def test_booleans(flag):
    x, y = torch.rand(2, 32) < 0.5
    out = torch.zeros(32, dtype=torch.bool)
    masks_and[(1,)](x, y, out, flag, BLOCK=32)
    assert torch.equal(out, x & y & flag)


@triton.jit
def program_numbers(out, BLOCK: tl.constexpr):
    x, y, z = tl.program_id(0), tl.program_id(1), tl.program_id(2)
    at = (z * tl.num_programs(1) + y) * tl.num_programs(0) + x
    tl.store(out + at, x + 10 * y + 100 * z)


def test_three_dimensional_grid():
    out = torch.full((24,), -1, dtype=torch.int32)
    program_numbers[(3, 4, 2)](out, BLOCK=1)
    assert out.tolist() == [x + 10 * y + 100 * z for z in range(2) for y in range(4) for x in range(3)]


def test_empty_grid(data):
    x, y, out = data
    scaled_add[(0,)](x, y, out, 1000, BLOCK=512)
    assert (out == 0).all()


class OnOtherDevice:
    """What a CUDA tensor shows of itself, on a machine without one."""

    dtype, device = torch.float32, torch.device("cuda", 0)

    def data_ptr(self):
        return 4096


@pytest.mark.parametrize("executor", ["host", "sim"])
def test_tensors_of_other_devices_are_refused(data, executor, monkeypatch):
    monkeypatch.setenv("HEXMLIR_EXECUTOR", executor)
    x, y, out = data
    with pytest.raises(HexError, match=r"device 'cuda:0'.*\n.*pass CPU tensors"):
        scaled_add[(1,)](OnOtherDevice(), y, out, 10, BLOCK=16)
    with pytest.raises(HexError, match="device 'meta'"):
        scaled_add[(1,)](x.to("meta"), y, out, 10, BLOCK=16)
    assert (out == 0).all()

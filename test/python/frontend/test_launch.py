"""Triton's ways to launch a kernel: heuristics, None, keywords, warmup, hooks, do_bench, torch.library.triton_op."""

import pytest
import torch
import triton
import triton.language as tl
from torch.library import triton_op, wrap_triton

from hexagon_mlir.exec import sim
from hexagon_mlir.ir import HexError


@triton.heuristics({"EVEN": lambda arguments: arguments["n"] % arguments["BLOCK"] == 0})
@triton.jit
def scale(x, out, n, factor, bias, BLOCK: tl.constexpr, EVEN: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    v = tl.load(x + i) if EVEN else tl.load(x + i, mask=i < n)
    v *= factor
    if bias is not None:
        v += tl.load(bias + i, mask=i < n)
    if EVEN:
        tl.store(out + i, v)
    else:
        tl.store(out + i, v, mask=i < n)


def ramp(n: int) -> tuple[torch.Tensor, torch.Tensor]:
    return torch.arange(-3.0, n - 3), torch.full((n,), 99.0)


@pytest.mark.parametrize("n", [64, 77])
def test_heuristics_keywords_and_none(n):
    x, out = ramp(n)
    scale[lambda meta: (triton.cdiv(n, meta["BLOCK"]),)](x, out, n, 2.0, None, BLOCK=32)
    assert torch.equal(out, x * 2)
    scale[(triton.cdiv(n, 32),)](bias=x, factor=-3.0, n=n, out=out, x=x, BLOCK=32)
    assert torch.equal(out, x * -2)


@pytest.mark.parametrize("grid", [(77 / 32,), (1, 2.0), (-1,), (2, 1, -3)])
def test_a_grid_counts_whole_programs(grid):
    x, out = ramp(77)
    with pytest.raises(HexError, match=r"a grid of \(.*[.-].*\) programs\n.*triton.cdiv"):
        scale[grid](x, out, 77, 2.0, None, BLOCK=32)


@pytest.mark.parametrize("grid", [(0,), (4, 0), (0, 0, 0)])
def test_empty_grid_runs_nothing(grid):
    x, out = ramp(64)
    scale[grid](x, out, 64, 2.0, None, BLOCK=32)
    assert (out == 99).all()


def test_warmup_compiles_without_a_launch():
    x, out = ramp(64)
    kernel = scale.fn.warmup(x, out, 64, 2.0, None, BLOCK=32, EVEN=True, grid=(2,))
    assert "func.func @scale" in kernel.asm["linalg"]
    assert (out == 99).all()


def test_hooks_see_each_launch():
    seen = []

    def enter(metadata):
        seen.append(metadata.get()["name"])

    def leave(metadata):
        seen.append("left")

    x, out = ramp(64)
    runtime = triton.knobs.runtime
    runtime.launch_enter_hook.add(enter)
    runtime.launch_exit_hook.add(leave)
    try:
        scale[(2,)](x, out, 64, 2.0, None, BLOCK=32)
    finally:
        runtime.launch_enter_hook.remove(enter)
        runtime.launch_exit_hook.remove(leave)
    assert seen == ["scale", "left"]
    assert torch.equal(out, x * 2)


def test_do_bench_gives_simulated_time(monkeypatch):
    monkeypatch.setenv("HEXMLIR_EXECUTOR", "sim")
    x, out = ramp(1000)
    times = triton.testing.do_bench(lambda: scale[(8,)](x, out, 1000, 2.0, None, BLOCK=128), quantiles=[0.2, 0.5, 0.8])
    assert times == pytest.approx([sim.history[-1].milliseconds] * 3, rel=1e-9)


@triton_op("hexmlir_tests::doubled", mutates_args={})
def doubled(x: torch.Tensor) -> torch.Tensor:
    out = torch.empty_like(x)
    wrap_triton(scale.fn)[(triton.cdiv(x.numel(), 32),)](x, out, x.numel(), 2.0, None, BLOCK=32, EVEN=False)
    return out


def test_triton_op():
    x, _ = ramp(77)
    assert torch.equal(doubled(x), x * 2)
    assert torch.equal(torch.compile(lambda x: doubled(x) + 1, backend="aot_eager")(x), x * 2 + 1)


@triton.jit
def foreign(x, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    y = tl.inline_asm_elementwise("nop", "=r,r", [tl.load(x + i)], dtype=tl.float32, is_pure=True, pack=1)
    tl.store(x + i, y)


def test_inline_assembly_is_refused_at_its_line():
    with pytest.raises(HexError, match=r"test_launch.py:\d+:\d+: error: triton-to-linalg: .*assembly") as error:
        foreign[(1,)](torch.zeros(64), BLOCK=64)
    assert "hint:" in str(error.value)


@triton.jit
def factorial(n):
    if n <= 1:
        return 1
    return n * factorial(n - 1)


@triton.jit
def recursive(x, n):
    tl.store(x, factorial(n))


def test_recursion_is_refused():
    with pytest.raises(triton.CompilationError, match="factorial"):
        recursive[(1,)](torch.zeros(1, dtype=torch.int32), 5)

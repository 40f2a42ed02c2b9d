"""The first tile of a kernel's weights comes while the kernel before computes: values, time, waits, files."""

from dataclasses import replace

import pytest
import torch
from torch import nn

import hexagon_mlir as hx
from hexagon_mlir.exec.model import ModelProgram
from hexagon_mlir.exec.sim import checking
from hexagon_mlir.frontend.torch.compile import compile_exported
from hexagon_mlir.settings import Settings
from hexagon_mlir.sim.checking.rules import Rule
from hexagon_mlir.targets import get
from hexagon_mlir.targets.dma import Engine


def layers(width=192, count=3):
    parts = [part for _ in range(count) for part in (nn.Linear(width, width), nn.GELU())]
    return nn.Sequential(*parts).eval()


@pytest.fixture(scope="module")
def case():
    """A model of equal layers, its input, what it gives."""
    torch.manual_seed(0)
    module, x = layers(), torch.randn(40, 192)
    return hx.compile(torch.export.export(module, (x,))), x, module(x).detach()


def test_equal_layers_share_a_kernel(case):
    model, x, expected = case
    with checking() as reports:
        got = model(x)
    torch.testing.assert_close(got, expected, rtol=0, atol=1e-5)
    assert not reports
    assert any(record.result.threads for record in model.last_run.launches)
    assert model.result.kernels < model.result.kernel_calls
    assert sum(nbytes > 0 for nbytes in model.result.streamed_bytes) == 2
    assert set(model.result.streamed_bytes) == {0, 192 * 192 * 4}


def test_later_calls_wait_less(case):
    """The same kernel without its first fetch; the bytes read are the same, and counted where they arrive."""
    model, x, _ = case
    model(x)
    first, *_ = launches = [record.result for record in model.last_run.launches if "matmul" in record.kernel]
    engine = Engine.of(get("v75"))
    transfer = engine.start + engine.busy(192 * 192 * 4)
    assert engine.start < first.stalls["copy"] < transfer, "it overlaps with what is before the first use"
    for later in launches[1:]:
        assert first.cycles - later.cycles > engine.start
        assert first.stalls["copy"] - later.stalls.get("copy", 0) > engine.start
        assert abs(later.ddr_read_bytes - first.ddr_read_bytes) < 1024


def test_saved(case, tmp_path):
    model, x, expected = case
    model(x)
    model.save(tmp_path / "m")
    loaded = hx.load(tmp_path / "m")
    torch.testing.assert_close(loaded(x), expected, rtol=0, atol=1e-5)
    assert loaded.last_run.cycles == model.last_run.cycles
    assert loaded.result.streamed_bytes == model.result.streamed_bytes


def test_the_wait_counts(case):
    """Without waits the kernel works on a tile that has not arrived."""
    model, x, _ = case
    schedule = model.schedule
    kernels = [replace(k, asm=k.asm.replace("call hexmlir_rt_dma_wait", "call hexmlir_rt_cycles"))
               for k in schedule.kernels]
    with checking() as reports:
        ModelProgram(replace(schedule, kernels=kernels)).run(
            [x.numpy() if place is not None else model.signature.constants[number].numpy()
             for number, place in enumerate(model.signature.inputs)])
    assert Rule.USE_BEFORE_WAIT in {report.rule for report in reports}


def test_in_c(case):
    """One block of TCM, a record for each tile; every kernel is told whose tile it starts."""
    source = case[0].binary().source
    assert source.count("hexmlir_rt_tcm_alloc(") == 2  # its declaration, and one call
    assert source.count("147456, 1, 147456, 0}") == 3
    assert "&tiles[0]" in source and "&tiles[2]" in source


def test_one_thread():
    module, x = layers(count=2), torch.randn(64, 192)
    model = compile_exported(torch.export.export(module, (x,)), settings=Settings(threads=1))
    with checking() as reports:
        torch.testing.assert_close(model(x), module(x).detach(), rtol=0, atol=1e-5)
    assert not reports
    assert sum(model.result.streamed_bytes)
    assert not any(record.result.threads for record in model.last_run.launches)

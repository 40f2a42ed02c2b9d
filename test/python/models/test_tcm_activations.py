"""Activations that stay in TCM from kernel to kernel: values, traffic, files, what stays in DDR."""

from dataclasses import replace

import pytest
import torch
from torch import nn

import hexagon_mlir as hx
from hexagon_mlir.codegen import schedule
from hexagon_mlir.exec.sim import checking

ROWS = 37


class Layer(nn.Module):
    """Two products with GELU between them, a residual and a norm: rows of 192 and 640 columns."""

    def __init__(self):
        super().__init__()
        self.up, self.down, self.norm = nn.Linear(192, 640), nn.Linear(640, 192), nn.LayerNorm(192)

    def forward(self, x):
        return self.norm(x + self.down(nn.functional.gelu(self.up(x))))


@pytest.fixture(scope="module")
def case():
    """A model of three equal layers, its ragged input, what it gives."""
    torch.manual_seed(0)
    module, x = nn.Sequential(Layer(), Layer(), Layer()).eval(), 2 * torch.randn(1, ROWS, 192)
    with torch.no_grad():
        return torch.export.export(module, (x,)), x, module(x)


def kept(model):
    return [number for number, buffer in enumerate(model.schedule.buffers) if buffer.in_tcm]


@pytest.mark.parametrize(("numerics", "error"), [("mixed", 4e-3), ("f32", 1e-5)])
def test_values_and_traffic(case, numerics, error, tmp_path):
    """The same values, to the last bit, as with all activations in DDR; nothing in TCM is read before it is written."""
    program, x, expected = case
    model = hx.compile(program, numerics=numerics)
    in_ddr = hx.compile(program, numerics=numerics, tcm_bytes=4 << 20)
    assert kept(model) and not kept(in_ddr)
    with checking() as reports:
        got = model(x)
    assert not reports
    torch.testing.assert_close(got, expected, rtol=0, atol=error)
    assert torch.equal(got, in_ddr(x))
    assert model.last_run.ddr_bytes < in_ddr.last_run.ddr_bytes - sum(
        model.schedule.buffers[number].nbytes for number in kept(model))
    model.save(tmp_path / "saved")
    loaded = hx.load(tmp_path / "saved")
    assert kept(loaded) == kept(model) and torch.equal(loaded(x), got)
    assert loaded.last_run.cycles == model.last_run.cycles


def test_a_row_of_nan_and_infinities(case):
    """Rows that fill up a tile, and what a buffer had before, do not reach others."""
    program, x, expected = case
    model = hx.compile(program)
    x = x.clone()
    x[0, 36], x[0, 3, 5] = torch.nan, torch.inf
    got = model(x)
    assert got[0, 3].isnan().any() and got[0, 36].isnan().any()  # not all: sums of qfloat lose some
    others = [row for row in range(ROWS) if row not in (3, 36)]
    torch.testing.assert_close(got[0, others], expected[0, others], rtol=0, atol=1e-5)


def test_results_and_short_rows_are_in_ddr():
    class Several(nn.Module):
        def __init__(self):
            super().__init__()
            self.one, self.two, self.few = nn.Linear(128, 256), nn.Linear(256, 128), nn.Linear(256, 8)

        def forward(self, x):
            hidden = self.one(x).relu()
            return hidden, self.two(hidden).softmax(-1), self.few(hidden).softmax(-1)

    module, x = Several().eval(), torch.randn(40, 128)
    model = hx.compile(torch.export.export(module, (x,)))
    for got, expected in zip(model(x), module(x), strict=True):
        torch.testing.assert_close(got, expected, rtol=0, atol=1e-5)
    shapes = [model.schedule.buffers[number].shape for number in kept(model)]
    assert (40, 256) not in shapes and (40, 8) not in shapes


def test_a_kernel_that_allocates_while_it_runs(case, monkeypatch):
    """It may take all of TCM: the kernels are compiled again for activations in DDR."""
    program, x, expected = case
    marked = []

    def compile_all(sources, *others):
        marked.append(sum("hexagon.in_tcm" in source for source in sources))
        first, *rest = compiled(sources, *others)
        return [replace(first, memory=None), *rest] if marked[-1] else [first, *rest]

    compiled = schedule.compile_all
    monkeypatch.setattr(schedule, "compile_all", compile_all)
    model = hx.compile(program)
    assert marked[0] and marked[1:] == [0] and not kept(model)
    torch.testing.assert_close(model(x), expected, rtol=0, atol=1e-5)

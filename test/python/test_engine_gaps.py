"""Reports say how long the matrix engine idles between kernels, and what is done meanwhile."""

from types import SimpleNamespace

import torch
from torch import nn

import hexagon_mlir as hx
from hexagon_mlir.report import text
from hexagon_mlir.report.engine_gaps import Gap, Idle, idle
from hexagon_mlir.report.model import model_report
from hexagon_mlir.sim.matrix_engine.timing import Use


def launch(kernel, cycles, first=None, last=None, array=0):
    use = None if first is None else Use(products=2, array_cycles=array, first_cycle=first, last_cycle=last)
    return SimpleNamespace(kernel=kernel, result=SimpleNamespace(cycles=cycles, matrix=use))


def test_gaps():
    """Only kernels with products end a gap; one that does not use the engine is named once."""
    records = [launch("copy", 10), launch("one", 100, 20, 70, 50), launch("two", 200, 30, 150, 100),
               launch("norm", 40), launch("norm", 41), launch("soft", 5), launch("one", 100, 21, 60, 30),
               launch("end", 7)]
    gaps = Gap("one", "two", (), 30, 0, 30), Gap("two", "one", ("norm", "soft"), 50, 86, 21)
    assert idle(records) == Idle(503, gaps, 0 + 20 + 9, 10 + 20 + 40 + 7)
    found = idle(records)
    assert [gap.cycles for gap in found.gaps] == [60, 157] and found.between == 217
    busy = sum(one.result.matrix.array_cycles for one in records if one.result.matrix)
    assert found.between + found.within + found.ends + busy == found.total


def test_without_products_nothing_is_idle():
    assert idle([]) is None
    assert idle([launch("a", 10), launch("bias only", 10, 0, 0)][:1]) is None
    unused = launch("no products", 10, 0, 0)
    unused.result.matrix.products = 0
    assert idle([unused]) is None


class Layers(nn.Module):
    """Two products with a softmax, which needs rows, between them."""

    def __init__(self):
        super().__init__()
        self.first, self.second = nn.Linear(128, 160), nn.Linear(160, 128)

    def forward(self, x):
        return self.second(torch.softmax(self.first(x), -1))


def test_reports_of_models_show_the_gaps():
    torch.manual_seed(0)
    module, x = Layers().eval().half(), torch.randn(96, 128).half()
    with torch.no_grad():
        model = hx.compile(torch.export.export(module, (x,)))
        assert (model(x).float() - module(x).float()).abs().max() < 2e-3
    launches = model.last_run.launches
    found = idle(launches)
    assert found is not None and len(found.gaps) == 1
    gap = found.gaps[0]
    first, later = (one for one in launches if one.result.matrix is not None)
    assert (gap.first, gap.later) == (first.kernel, later.kernel)
    assert 0 < gap.after < first.result.cycles and 0 < gap.before < later.result.cycles
    assert gap.others == sum(one.result.cycles for one in launches if one.result.matrix is None)
    shown = model_report(model)
    assert f"{gap.first} to {gap.later}" in shown
    assert f"idle between kernels for {gap.cycles:,} cycles ({gap.cycles / model.last_run.cycles:.1%})" in shown
    assert "idle between" not in text.launches(launches[:1])

"""Exported programs with dynamic batch and sequence length."""

import pytest
import torch
from models.zoo import Block
from torch import nn
from torch.export import Dim

import hexagon_mlir as hx
from hexagon_mlir.codegen import schedule
from hexagon_mlir.frontend.torch.domain import Domain, Size
from hexagon_mlir.ir import ir

pytestmark = pytest.mark.only_values


@pytest.fixture
def compilations(monkeypatch):
    """The names of the kernels that were compiled, as they are."""
    found, lower = [], schedule.lower_module

    def counted(module, *args, **kwargs):
        found.append(ir.StringAttr(module.body.operations[0].operation.attributes["sym_name"]).value)
        return lower(module, *args, **kwargs)

    monkeypatch.setattr(schedule, "lower_module", counted)
    return found


def same(model, module, *inputs, atol=1e-5):
    with torch.no_grad():
        torch.testing.assert_close(model(*inputs), module(*inputs), rtol=1e-4, atol=atol)


def test_batch_and_length(compilations):
    """One compilation for all, also of one row, and of rows that take more than one tile of attention."""
    module = Block().eval()
    program = torch.export.export(module, (torch.randn(2, 10, 48),),
                                  dynamic_shapes=({0: Dim("batch", max=8), 1: Dim("length", max=128)},))
    model = hx.compile(program)
    for number, shape in enumerate([(2, 10), (1, 7), (8, 33), (3, 1), (2, 70), (2, 10)]):
        same(model, module, torch.randn(*shape, 48))
        if not number:
            once = list(compilations)
        assert compilations == once
    assert len(once) == len(set(once)) == model.result.kernels > 1
    assert [remark.message for remark in model.remarks] == [f"compiled once for any sizes, {len(once)} kernels"]
    assert model.last_run.cycles > 0
    cycles = model.last_run.cycles
    specialized = model.specialize(torch.randn(2, 10, 48))
    assert len(compilations) > len(once)
    same(model, module, torch.randn(2, 10, 48))
    assert model.last_run is specialized.last_run
    assert model.last_run.cycles < 1.5 * cycles
    assert "compiled for 2x10x48, sizes number 1" in [remark.message for remark in model.remarks]


def test_sizes_the_program_excludes(compilations):
    module = nn.Sequential(nn.Linear(20, 7), nn.ReLU()).eval()
    model = hx.compile(torch.export.export(module, (torch.randn(4, 20),), dynamic_shapes=({0: Dim("n", max=8)},)))
    for shape in ((9, 20), (4, 21), (4, 20, 1)):
        with pytest.raises(hx.HexError, match=f"the program does not take {'x'.join(map(str, shape))}"):
            model(torch.randn(shape))
    assert not model.models
    assert not compilations
    with pytest.raises(hx.HexError, match="no sizes are compiled"):
        _ = model.last_run
    for rows in (1, 8, 0, 3):
        same(model, module, torch.randn(rows, 20))
    with pytest.raises(hx.HexError, match="the program does not take 9x20: a size of 9 is not in 0 to 8"):
        model(torch.randn(9, 20))
    with pytest.raises(hx.HexError, match=r"is torch\.float64 of shape \(3, 20\)"):
        model(torch.randn(3, 20, dtype=torch.float64))


def test_multiples_and_equal_sizes(compilations):
    class Sum(nn.Module):
        def forward(self, x, y):
            return (x.reshape(-1, 4, 6) + y[:, None]).mean(0), y.sum()

    module, rows = Sum(), Dim("rows", max=500)
    model = hx.compile(torch.export.export(module, (torch.randn(12, 6), torch.randn(3, 6)),
                                           dynamic_shapes=({0: 4 * rows}, {0: rows})))
    for n in (2, 3, 33, 500):
        same(model, module, torch.randn(4 * n, 6), torch.randn(n, 6))
    count = len(compilations)
    for shapes, reason in (((13, 3), "is a multiple of 4"), ((12, 4), "is 4, not 3"), ((2004, 501), "not in 0 to 500"),
                           ((4, 1), "Guard failed")):
        with pytest.raises(hx.HexError, match=reason):
            model(torch.randn(shapes[0], 6), torch.randn(shapes[1], 6))
    assert len(compilations) == count


def test_what_is_other_code_at_another_size_is_compiled_for_each(compilations):
    class Halved(nn.Module):
        def forward(self, x):
            return nn.functional.avg_pool1d(x.relu(), 2)

    module = Halved()
    size = Dim("n", min=4, max=99)
    model = hx.compile(torch.export.export(module, (torch.randn(2, 6, 12),), dynamic_shapes=({2: size},)))
    for n in (9, 30, 9):
        same(model, module, torch.randn(2, 6, n))
    first, *others = [remark.message for remark in model.remarks]
    assert first.startswith("compiled for each combination of sizes: 'avg_pool1d' has the size")
    assert others == ["compiled for 2x6x9, sizes number 1", "compiled for 2x6x30, sizes number 2"]
    assert len(compilations) >= 2


@pytest.mark.parametrize("way", ["mixed", pytest.param("f16", marks=pytest.mark.full)])
def test_products_of_the_matrix_engine_are_compiled_for_each(way):
    """Its tiles have known sizes: code for any sizes would multiply by HVX, 12 times slower for 64 rows of this MLP."""
    half = way == "f16"
    module = nn.Sequential(nn.Linear(96, 160), nn.GELU(), nn.Linear(160, 96)).eval().to(torch.half if half else None)
    x = torch.randn(9, 96, dtype=torch.half if half else None)
    program = torch.export.export(module, (x,), dynamic_shapes=({0: Dim("n", max=99)},))
    model = hx.compile(program, numerics="f32" if half else "mixed")
    for rows in (9, 64):
        x = torch.randn(rows, 96, dtype=x.dtype)
        with torch.no_grad():
            torch.testing.assert_close(model(x), module(x), rtol=1e-2, atol=2e-3)
    macs = sum(launch.result.matrix.macs for launch in model.last_run.launches if launch.result.matrix is not None)
    assert macs >= 2 * 64 * 96 * 160
    first, *others = [remark.message for remark in model.remarks]
    assert "the matrix engine multiplies matrices of known sizes only" in first
    assert others == ["compiled for 9x96, sizes number 1", "compiled for 64x96, sizes number 2"]


def test_ranges_of_few_sizes():
    domain = Domain(((Size("n"), 4),), {"n": (2, 3)}, {"n": 2})
    with pytest.raises(hx.HexError, match="sizes from 2 to 3 are too few"):
        domain.examples()
    assert domain.bind([torch.zeros(3, 4)]) == {"n": 3}


@pytest.mark.parametrize(("typical", "high"), [(0, None), (2, 8), (128, 512), (10, 12), (3, 5)])
def test_examples_are_different_sizes_of_the_range(typical, high):
    domain = Domain(((Size("n"), Size("m", 2)),), {"n": (0, high), "m": (0, None)}, {"n": typical})
    for small in (False, True):
        examples = domain.examples(small)
        numbers = [value for sizes in examples for value in sizes.values()]
        assert len(set(numbers)) == 6
        assert all(2 <= sizes["n"] <= (high or 1 << 20) for sizes in examples)
        assert domain.shapes(examples[0]) == [(examples[0]["n"], 2 * examples[0]["m"])]


class Recent(nn.Module):
    """A buffer that calls of any length write to."""

    def __init__(self):
        super().__init__()
        self.register_buffer("total", torch.zeros(5))

    def forward(self, x):
        self.total += x.sum(0)
        return self.total * 2


@pytest.mark.ieee_arithmetic
def test_buffers_are_shared_between_sizes(tmp_path):
    model = hx.compile(torch.export.export(Recent(), (torch.ones(3, 5),), dynamic_shapes=({0: Dim("n")},)))
    assert torch.equal(model(torch.ones(3, 5)), torch.full((5,), 6.0))
    assert torch.equal(model(torch.ones(4, 5)), torch.full((5,), 14.0))
    with pytest.raises(hx.HexError, match=r"specialize\(\*inputs\)"):
        model.save(tmp_path)
    model.specialize(torch.ones(3, 5)).save(tmp_path)
    assert torch.equal(hx.load(tmp_path)(torch.ones(3, 5)), torch.full((5,), 20.0))

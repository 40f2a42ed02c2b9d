"""Slices at indices that a run computes: of values, of bytes that move, of weights that are permuted once."""

import pytest
import torch
from torch import nn

import hexagon_mlir as hx
from hexagon_mlir.frontend.torch.capture import from_exported
from hexagon_mlir.frontend.torch.passes import run_passes
from hexagon_mlir.ir import HexError

pytestmark = pytest.mark.only_values

GENERATOR = torch.Generator().manual_seed(5)


class Function(nn.Module):
    def __init__(self, function, **weights):
        super().__init__()
        self.function = function
        for name, weight in weights.items():
            self.register_buffer(name, weight)

    def forward(self, *inputs):
        return self.function(self, *inputs)


def randn(*shape):
    return torch.randn(*shape, generator=GENERATOR)


def compiled(module, *inputs):
    with torch.no_grad():
        return hx.compile(torch.export.export(module, inputs))


@pytest.mark.full_except("0", "1")
@pytest.mark.parametrize("dim", (0, 1, 2, -1))
def test_along_each_dimension(dim):
    x = randn(3, 5, 7)
    x[1, 2, 3], x[2, 4, 6] = float("nan"), float("-inf")
    module = Function(lambda m, x, i: (x.index_select(dim, i).abs(), x.movedim(dim, 0)[i[0]].abs()))
    model = compiled(module, x, torch.tensor([0]))
    for place in range(x.shape[dim]):
        for ours, theirs in zip(model(x, torch.tensor([place])), module(x, torch.tensor([place])), strict=True):
            torch.testing.assert_close(ours, theirs, rtol=0, atol=0, equal_nan=True)


@pytest.mark.full_except("dtype0", "dtype1", "dtype6")
@pytest.mark.parametrize("dtype", (torch.float16, torch.int64, torch.int32, torch.int16, torch.int8, torch.uint8,
                                   torch.bool))
def test_of_each_type(dtype):
    """Indices of both widths; negative ones count from the end."""
    x = (100 * randn(6, 33)).to(dtype)
    module = Function(lambda m, x, i, j: (x[i], x[:, j]))
    model = compiled(module, x, torch.tensor([1]), torch.tensor([2], dtype=torch.int32))
    for i, j in ((0, 32), (-6, -33), (-1, -1), (5, 0), (3, -17)):
        inputs = torch.tensor([i]), torch.tensor([j], dtype=torch.int32)
        for ours, theirs in zip(model(x, *inputs), module(x, *inputs), strict=True):
            assert torch.equal(ours, theirs)


def test_out_of_bounds():
    """An input is refused as in eager PyTorch; what a model computes is bounded, so that memory around is not read."""
    w = torch.arange(12.0).reshape(4, 3)
    given = Function(lambda m, i: m.w[i].abs(), w=w)
    model = compiled(given, torch.tensor(0))
    assert torch.equal(model(torch.tensor(-4)), w[0])
    for place in (4, -5, 1 << 40):
        with pytest.raises(HexError, match=r"index|bounds|range"):
            model(torch.tensor(place))
    computed = compiled(Function(lambda m, i: m.w[(3 * i)[0]].abs(), w=w), torch.tensor([0]))
    for place, row in ((1, 3), (2, 3), (-1, 1), (-2, 0), (1 << 30, 3)):
        assert torch.equal(computed(torch.tensor([place])), w[row])


class Experts(nn.Module):
    """``y = sum of x @ w[i].T``, of the experts ``i``."""

    def __init__(self, experts, rows, columns, others=False):
        super().__init__()
        self.w = nn.Parameter(0.1 * randn(experts, rows, columns), requires_grad=False)
        self.others = others

    def forward(self, x, chosen):
        y = sum(x @ self.w[chosen[number]].T for number in range(len(chosen)))
        return y + self.w[0, :, 0] if self.others else y


@pytest.mark.full_except("True")
@pytest.mark.parametrize("others", (False, True))
def test_weights_of_the_chosen_experts(others):
    """Ragged sizes; weights that are read in another way too are not permuted."""
    module, x = Experts(5, 37, 61, others), randn(3, 61)
    model = compiled(module, x, torch.tensor([0, 1]))
    for chosen in ((0, 0), (4, 1), (-1, 3)):
        wanted = module(x, torch.tensor(chosen))
        torch.testing.assert_close(model(x, torch.tensor(chosen)), wanted, rtol=1e-5, atol=1e-5)


@pytest.mark.only_values(False)
def test_only_the_chosen_weights_move():
    module, x, chosen = Experts(16, 256, 512), randn(1, 512), torch.tensor([3, 11])
    model = compiled(module, x, chosen)
    torch.testing.assert_close(model(x, chosen), module(x, chosen), rtol=1e-5, atol=1e-5)
    needed = 2 * 256 * 512 * 4
    assert needed <= model.last_run.ddr_bytes < 1.1 * needed
    assert [launch.kernel.split("_")[-1] for launch in model.last_run.launches] == ["matmul", "matmul"]


def test_weights_are_permuted_once():
    graph = from_exported(torch.export.export(Experts(4, 8, 16), (randn(1, 16), torch.tensor([0, 1]))))
    run_passes(graph)
    assert [tuple(weight.shape) for weight in graph.constants.values() if weight.dim() == 3] == [(4, 16, 8)]
    used = [node for node in graph.graph.nodes if node.op == "placeholder" and node.users]
    assert {tuple(node.meta["val"].shape) for node in used} == {(4, 16, 8), (1, 16), (2,)}

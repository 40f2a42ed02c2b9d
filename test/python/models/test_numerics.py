"""Models stored in f16: against eager f32, within what 11 bits of mantissa allow."""

from math import prod

import pytest
import torch
from models.test_models import STRICT, flat
from models.zoo import Block, LeNet, mlp
from torch import nn

import hexagon_mlir as hx
from hexagon_mlir.dialects.engine_tiles import TILE
from hexagon_mlir.dialects.split_weights import split_shape

pytestmark = pytest.mark.only_values

CASES = {
    "mlp": lambda: (mlp(), (torch.randn(5, 20),)),
    "LeNet": lambda: (LeNet(), (torch.randn(1, 1, 28, 28),)),
    "transformer": lambda: (Block(), (torch.randn(1, 10, 48),)),
}


def in_tiles(shape: list[int]) -> int:
    """Elements of weights of ``shape`` where the matrix engine multiplies: whole tiles, of a convolution for each row
    of its taps."""
    outputs, inputs, high, wide = [*shape, 1, 1][:4]
    return high * prod(-(-size // TILE) * TILE for size in (outputs, inputs * wide))


@pytest.mark.full_except("LeNet-mixed", "transformer-mixed")
@pytest.mark.parametrize(("name", "numerics"), [("mlp", "mixed"), ("mlp", "f16"), ("LeNet", "mixed"),
                                                ("transformer", "mixed")])
def test_model(name, numerics):
    """An f16 operand is off by 2^-11 of itself, sums are f32: 0.4 % of the largest result is eight such roundings."""
    module, inputs = CASES[name]()
    module = module.eval()
    program = torch.export.export(module, inputs)
    model = hx.compile(program, numerics=numerics)
    got = model(*inputs)
    with torch.no_grad():
        expected = module(*inputs)
    for ours, theirs in zip(flat(got), flat(expected), strict=True):
        assert ours.dtype == torch.float32
        error, scale = (ours - theirs).abs().max(), theirs.abs().max()
        assert 0 < error <= 4e-3 * scale, "0 would mean nothing was stored in f16"
    matrices = sum(in_tiles(list(p.shape)) for p in module.parameters() if p.dim() > 1)
    assert model.result.weight_bytes <= 2 * matrices + 4 * sum(p.numel() for p in module.parameters() if p.dim() < 2)


@pytest.mark.parametrize("groups", [
    *(pytest.param(groups, marks=pytest.mark.full) for groups in (1, 4)), 16])
def test_convolutions_in_groups_are_mixed_with_f32(groups):
    """HVX computes them in less time in f32, in the very numbers of f32; others are f16."""
    module, x = nn.Conv2d(16, 16, 3, groups=groups).eval(), torch.randn(1, 16, 8, 9)
    exact, mixed = (hx.compile(torch.export.export(module, (x,)), numerics=name)(x) for name in ("f32", "mixed"))
    assert torch.equal(mixed, exact) == (groups > 1)
    assert (mixed - exact).abs().max() <= 4e-3 * exact.abs().max()


class Extreme(nn.Module):
    """Numbers that f16 has none of: a mask's lowest number times 0, squares beyond 65504 in a norm, a tiny epsilon."""

    def forward(self, x, keep):
        mask = (1.0 - keep) * torch.finfo(torch.float32).min
        weights = (x + mask).softmax(-1)
        return weights, x * torch.rsqrt((x * 400.0).square().mean(-1, keepdim=True) + 1e-12)


@pytest.mark.full_except("f16")
@pytest.mark.parametrize("numerics", ["mixed", "f16"])
def test_numbers_out_of_range(numerics):
    x, keep = torch.randn(3, 33) * 3, torch.ones(3, 33)
    keep[:, 20:] = 0
    model = hx.compile(torch.export.export(Extreme(), (x, keep)), numerics=numerics)
    weights, norm = model(x, keep)
    assert torch.equal(weights[:, 20:], torch.zeros(3, 13))
    expected = Extreme()(x, keep)
    torch.testing.assert_close(weights, expected[0], rtol=0, atol=4e-3)
    torch.testing.assert_close(norm, expected[1], rtol=4e-3, atol=0)


def test_torch_compile_takes_numerics():
    module, x = mlp().eval(), torch.randn(5, 20)
    with torch.no_grad():
        got = torch.compile(module, backend="hexagon", options={**STRICT, "numerics": "mixed"})(x)
        assert 0 < (got - module(x)).abs().max() < 4e-3


def test_unknown_numerics():
    program = torch.export.export(nn.Linear(3, 2), (torch.randn(1, 3),))
    with pytest.raises(hx.HexError, match=r"unknown numerics 'f8'[\s\S]*f32, f32-split, mixed, f16"):
        hx.compile(program, numerics="f8")
    with pytest.raises(hx.HexError, match="numerics is for whole models"):
        hx.compile("func.func @f(%x: tensor<4xf32>) -> tensor<4xf32> { return %x : tensor<4xf32> }", numerics="mixed")


@pytest.mark.only_values(False)
def test_products_of_f32_in_pieces():
    """Closer to the exact result than f32 on HVX, in fewer cycles; the weights are stored in three pieces."""
    module, x = nn.Linear(256, 256).eval(), torch.randn(256, 256)
    program = torch.export.export(module, (x,))
    exact = x.double() @ module.weight.detach().double().T + module.bias.detach().double()
    errors, cycles = {}, {}
    for numerics in ("f32", "f32-split"):
        model = hx.compile(program, numerics=numerics)
        got = model(x)
        errors[numerics], cycles[numerics] = float((got - exact).abs().max()), model.last_run.cycles
        assert got.dtype == torch.float32
        tiles = 2 * prod(split_shape(256, 256)) if numerics == "f32-split" else 4 * 256 * 256
        assert model.result.weight_bytes == tiles + 4 * 256
    assert errors["f32-split"] < errors["f32"] < 1e-5
    assert cycles["f32-split"] < 0.4 * cycles["f32"]


class Choices(nn.Module):
    """A convolution with a ReLU and a maximum of its result: numbers that it has rounded to f16 already."""

    def __init__(self, limit: float):
        super().__init__()
        self.convolution = nn.Conv2d(8, 32, 3, padding=1)
        self.limit = limit

    def forward(self, x):
        y = torch.relu(self.convolution(x))
        return nn.functional.max_pool2d(nn.functional.hardtanh(y, 0.0, self.limit), 2)


@pytest.mark.full_except("0.5")
@pytest.mark.parametrize("limit", [0.5, 0.3])
def test_choices_between_f16_numbers(limit):
    """0.3 is no f16 number: the clamp is computed in f32, and its result is 0.3."""
    module, x = Choices(limit).eval(), torch.randn(1, 8, 10, 12)
    model = hx.compile(torch.export.export(module, (x,)), numerics="mixed")
    with torch.no_grad():
        got, expected = model(x), module(x)
    assert (got - expected).abs().max() <= 2e-3
    assert bool((got == torch.tensor(limit)).any())


class Residual(nn.Module):
    """A projection, what is added to it, and the layer norm of the sum, which is a result as well."""

    def __init__(self, width: int):
        super().__init__()
        self.linear, self.norm = nn.Linear(width, width), nn.LayerNorm(width)

    def forward(self, x, y):
        z = x + self.linear(y)
        return z, self.norm(z)


@pytest.mark.only_values(False)
def test_residual_before_a_layer_norm():
    """197 rows: tiles of unequal size. The sum is computed once, the norm of it on several threads."""
    torch.manual_seed(0)
    module, inputs = Residual(192).eval(), (torch.randn(1, 197, 192), torch.randn(1, 197, 192))
    model = hx.compile(torch.export.export(module, inputs), numerics="mixed")
    with torch.no_grad():
        got, expected = model(*inputs), module(*inputs)
    assert all((a - b).abs().max() <= 4e-3 for a, b in zip(got, expected, strict=True))
    assert model.last_run.cycles < 90_000  # 148,343 when three loops added it, two of them on one thread


@pytest.mark.only_values(False)
def test_attention_on_more_threads_than_divide_its_rows():
    """Six threads share 16 pairs of rows of a tile: chunks of three, the last of one, whose maxima over the 32 columns
    are vector code like those of four threads."""
    class Attention(nn.Module):
        def forward(self, q, k, v):
            return nn.functional.scaled_dot_product_attention(q, k, v, is_causal=True)

    inputs = tuple(torch.randn(1, 2, 128, 64).half() for _ in range(3))
    expected = Attention()(*(x.double() for x in inputs))
    cycles = {}
    for target in ("v75", "v79"):
        model = hx.compile(torch.export.export(Attention(), inputs), numerics="mixed", target=target)
        assert (model(*inputs) - expected).abs().max() <= 2e-3 * expected.abs().max()
        cycles[target] = model.last_run.cycles
    assert cycles["v79"] < 1.5 * cycles["v75"]


@pytest.mark.only_values(False)
def test_attention_of_less_than_a_tile():
    """24 queries and keys, the last five of which a mask hides: 197,872 cycles when only whole tiles were taken."""
    class Attention(nn.Module):
        def forward(self, q, k, v, mask):
            return torch.matmul((torch.matmul(q, k.transpose(-1, -2)) / 8.0 + mask).softmax(-1), v)

    inputs = (*(torch.randn(1, 12, 24, 64) for _ in range(3)), torch.zeros(1, 1, 1, 24))
    inputs[3][..., 19:] = torch.finfo(torch.float32).min
    model = hx.compile(torch.export.export(Attention(), inputs), numerics="mixed")
    expected = Attention()(*(x.double() for x in inputs))
    assert (model(*inputs) - expected).abs().max() <= 2e-3 * expected.abs().max()
    assert sum(one.result.cycles for one in model.last_run.launches if "attention" in one.kernel) < 80_000

"""Models whose weights have 4 bits: they are stored so, and multiplied on the matrix engine."""

import pytest
import torch
import torch.nn.functional as F
from torch import nn

import hexagon_mlir as hx

pytestmark = pytest.mark.only_values

TOKENS, WIDTH, HIDDEN, GROUP = 70, 256, 200, 64


class Nibbles(nn.Module):
    """A linear layer: two weights in a byte, less 8, a scale for 64 of a row."""

    def __init__(self):
        super().__init__()
        generator = torch.Generator().manual_seed(0)
        self.register_buffer("bytes", torch.randint(0, 256, (HIDDEN, WIDTH // 2), generator=generator).to(torch.uint8))
        scales = (torch.rand(HIDDEN, WIDTH // GROUP, generator=generator) + 0.5) / 128
        scales[3, 1] = 0
        self.register_buffer("scales", scales.half())

    def weight(self):
        numbers = torch.stack([self.bytes & 15, self.bytes >> 4], -1).reshape(HIDDEN, -1, GROUP)
        return ((numbers.float() - 8) * self.scales.float()[..., None]).reshape(HIDDEN, WIDTH)

    def forward(self, x):
        return F.linear(x, self.weight())


@pytest.fixture(scope="module")
def case():
    torch.manual_seed(0)
    module, x = Nibbles().eval(), torch.randn(TOKENS, WIDTH)
    return module, x, hx.compile(torch.export.export(module, (x,)), numerics="mixed")


def test_stored_as_codes_and_scales(case):
    _, _, model = case
    weights = list(model.signature.constants.values())
    assert {(tuple(tensor.shape), tensor.dtype) for tensor in weights} == {
        ((4, 8, 4, 2, 32, 4), torch.int8), ((4, 8, 2, 32), torch.float16)}


def test_values(case):
    """The error of f16: tokens, weights and results are rounded once each."""
    module, x, model = case
    got = model(x).double()
    weight, x = module.weight().double(), x.double()
    bound = 2.0**-10 * (x.abs() @ weight.abs().T) + 2.0**-11 * (x @ weight.T).abs()
    assert bool(((got - x @ weight.T).abs() <= bound).all())
    assert any(record.result.matrix is not None for record in model.last_run.launches)


def test_saved(case, tmp_path):
    _, x, model = case
    model.save(tmp_path / "model")
    assert torch.equal(hx.load(tmp_path / "model")(x), model(x))

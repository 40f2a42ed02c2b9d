"""Permutations of bytes that look like the matrix engine's packing of tiles, but for the sizes of their pieces."""

import pytest
import torch
from torch import nn

import hexagon_mlir as hx

pytestmark = pytest.mark.only_values

GENERATOR = torch.Generator().manual_seed(11)


class Permuted(nn.Module):
    def __init__(self, order, flips):
        super().__init__()
        self.order, self.flips = order, flips

    def forward(self, x):
        y = x.permute(self.order)
        return y ^ -128 if self.flips else y.contiguous()


@pytest.mark.full_except(
    "(8, 64, 12, 16)-(0, 2, 1, 3)-False", "(4, 8, 4, 8, 16)-(3, 0, 1, 4, 2)-False",
    "(4, 32, 8, 8, 8)-(0, 2, 3, 1, 4)-True", "(4, 32, 8, 8, 4)-(0, 2, 3, 1, 4)-False")
@pytest.mark.parametrize("flips", (False, True))
@pytest.mark.parametrize(("shape", "order"), [
    ((8, 64, 12, 16), (0, 2, 1, 3)), ((8, 64, 12, 64), (0, 2, 1, 3)), ((4, 64, 12, 32), (0, 2, 1, 3)),
    ((5, 60, 9, 128), (0, 2, 1, 3)), ((8, 64, 7, 33), (0, 2, 1, 3)), ((4, 8, 4, 8, 64), (3, 0, 1, 4, 2)),
    ((4, 8, 4, 8, 16), (3, 0, 1, 4, 2)), ((4, 8, 4, 8, 32), (3, 0, 1, 4, 2)), ((4, 64, 8, 8, 4), (0, 2, 3, 1, 4)),
    ((4, 32, 8, 8, 8), (0, 2, 3, 1, 4)), ((4, 32, 8, 8, 4), (0, 2, 3, 1, 4))], ids=str)
def test_pieces_of_all_sizes(shape, order, flips):
    x = torch.randint(-128, 128, shape, generator=GENERATOR).to(torch.int8)
    module = Permuted(order, flips)
    model = hx.compile(torch.export.export(module, (x,)))
    assert torch.equal(model(x), module(x))

"""``torch.roll`` by less and by more than the size of a dimension, in both directions."""

import pytest
import torch
from torch import nn

import hexagon_mlir as hx

pytestmark = pytest.mark.only_values


class Roll(nn.Module):
    def __init__(self, shifts, dims):
        super().__init__()
        self.shifts, self.dims = shifts, dims

    def forward(self, x):
        return x.roll(self.shifts, self.dims)


@pytest.mark.each_value
@pytest.mark.parametrize(("shifts", "dims"), [
    (1, 0), (-1, 1), (5, 0), (0, 1), (7, 0), (-7, 0), (-23, 0), (4, 1), (-4, -1), ((1, -4), (0, 1)), ((6, 6), (1, -2)),
    ((2, 2), (0, 0)), (7, None), (-20, None), (15, None)], ids=str)
@pytest.mark.parametrize("shape", ((5, 3), (1, 2)))
def test_rolled(shifts, dims, shape):
    x = torch.arange(1.0, 1 + shape[0] * shape[1]).reshape(shape)
    module = Roll(shifts, dims)
    assert torch.equal(hx.compile(torch.export.export(module, (x,)))(x), module(x))

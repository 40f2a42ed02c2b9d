"""Exported programs with dynamic batch and sequence length."""

import pytest
import torch
from models.zoo import Block, mlp
from torch import nn
from torch.export import Dim

import hexagon_mlir as hx


def test_batch_and_length():
    module = Block().eval()
    program = torch.export.export(module, (torch.randn(2, 10, 48),),
                                  dynamic_shapes=({0: Dim("batch", max=8), 1: Dim("length", max=64)},))
    model = hx.compile(program)
    for shape in ((2, 10, 48), (1, 7, 48), (2, 10, 48)):
        x = torch.randn(shape)
        with torch.no_grad():
            torch.testing.assert_close(model(x), module(x), rtol=0, atol=1e-5)
    assert [str(remark.message) for remark in model.remarks] == [
        "compiled for 2x10x48, sizes number 1", "compiled for 1x7x48, sizes number 2"]
    assert model.last_run.cycles > 0 and model.result.kernels > 1


def test_sizes_the_program_excludes():
    module = mlp().eval()
    model = hx.compile(torch.export.export(module, (torch.randn(4, 20),), dynamic_shapes=({0: Dim("n", max=8)},)))
    for shape in ((9, 20), (4, 21)):
        with pytest.raises(hx.HexError, match=f"the program does not take {shape[0]}x{shape[1]}"):
            model(torch.randn(shape))
    assert not model.models
    with pytest.raises(hx.HexError, match="no sizes are compiled"):
        _ = model.last_run


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

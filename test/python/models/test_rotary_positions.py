"""Rotary positions of more bytes than a kernel has room for: what is passed from kernel to kernel."""

import torch
from torch import nn

import hexagon_mlir as hx

HEADS, ROWS, DEPTH = 4, 40, 32


class Rotary(nn.Module):
    """A product, heads first, rotated."""

    def __init__(self):
        super().__init__()
        self.product = nn.Linear(48, HEADS * DEPTH)
        self.register_buffer("cos", torch.randn(ROWS, DEPTH))
        self.register_buffer("sin", torch.randn(ROWS, DEPTH))

    def forward(self, x):
        y = self.product(x).view(1, ROWS, HEADS, DEPTH).transpose(1, 2)
        left, right = y.chunk(2, -1)
        return y * self.cos + torch.cat((-right, left), -1) * self.sin


def test_operands_alone_are_passed_on():
    """The product with the cosines, and slices, are computed where they are read; values as PyTorch's."""
    torch.manual_seed(0)
    module, x = Rotary().eval(), torch.randn(1, ROWS, 48)
    x[0, 3] *= -100
    model = hx.compile(torch.export.export(module, (x,)), tcm_bytes=1 << 15)
    with torch.no_grad():
        torch.testing.assert_close(model(x), module(x), rtol=1e-4, atol=1e-3)
    passed = [shape for record in model.last_run.launches for shape in record.shapes]
    assert (1, HEADS, ROWS, DEPTH // 2) not in passed
    assert passed.count((1, HEADS, ROWS, DEPTH)) == 1

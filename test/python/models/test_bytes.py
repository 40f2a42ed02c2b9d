"""Arithmetic on bytes: the importer takes those without a sign for signed, and ends the process at others."""

import pytest
import torch

import hexagon_mlir as hx

pytestmark = pytest.mark.only_values


class Arithmetic(torch.nn.Module):
    def forward(self, x, y):
        return (x // 3, x % 3, x * 3, 3 - x, x - 3, x + 3, x ** 3, x // y, x % y, x * y, x / 3, x * 0.5, x > 2,
                torch.div(x, 3, rounding_mode="trunc"), torch.fmod(x, 3), torch.maximum(x, y), x.clamp(2, 90),
                x.max(), x.min(), x.view(12, 10).max(1)[0], x.sum(), x >> 1, x << 1)


@pytest.mark.full_except("dtype0", "dtype1")
@pytest.mark.parametrize("dtype", [torch.int8, torch.uint8, torch.int16])
def test_arithmetic(dtype):
    x = torch.cat([torch.arange(-60, 57), torch.tensor([127, -128, 200])]).to(dtype)
    y = (torch.arange(120) * 7 - 300).to(dtype) | 1
    module = Arithmetic()
    got = hx.compile(torch.export.export(module, (x, y)))(x, y)
    for number, (ours, theirs) in enumerate(zip(got, module(x, y), strict=True)):
        torch.testing.assert_close(ours, theirs, msg=lambda text, number=number: f"result {number}: {text}")


class Constants(torch.nn.Module):
    def forward(self, x):
        return torch.ones_like(x), torch.zeros_like(x), torch.full_like(x, 200 if x.dtype == torch.uint8 else -3), x + 1


@pytest.mark.full_except("dtype1")
@pytest.mark.parametrize("dtype", [torch.int8, torch.uint8])
def test_constants_as_results(dtype):
    x = torch.arange(7).to(dtype)
    got = hx.compile(torch.export.export(Constants(), (x,)))(x)
    for ours, theirs in zip(got, Constants()(x), strict=True):
        assert ours.dtype == dtype and torch.equal(ours, theirs)

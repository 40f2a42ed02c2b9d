"""Which kernels of a model are searched for their best code."""

import pytest
import torch

import hexagon_mlir as hx
from hexagon_mlir.codegen.search_shares import REMARKS, SMALL, SMALLEST, searches
from hexagon_mlir.settings import Search

AUTO, FEW, NONE = Search.AUTO, Search.FEW, Search.NONE


@pytest.mark.parametrize(("cycles", "expected"), [
    ([], []),
    ([5.0], [AUTO]),
    ([0.0, 0.0], [AUTO, AUTO]),  # nothing says which takes longer
    ([100.0, 0.0], [AUTO, NONE]),
    ([97.0, 3.0], [AUTO, AUTO]),
    ([99.0, 0.9, 50.0], [AUTO, NONE, AUTO]),
    ([None, 99.5, 0.5], [AUTO, AUTO, NONE]),
    ([None, None], [AUTO, AUTO]),
    ([4.0] * 25, [AUTO] * 25),
    ([1.0] * 100, [NONE, NONE, *[FEW] * 98]),
    ([97.0, 0.8, 0.7, 0.9, 0.6], [AUTO, FEW, NONE, FEW, NONE]),  # 0.6 and 0.7 are less than 2 % together
])
def test_kernels_of_a_small_part_are_generated_in_few_ways(cycles, expected):
    assert (SMALL, SMALLEST) == (0.03, 0.02)
    assert searches(cycles) == expected


class Products(torch.nn.Module):
    """Products of 67 M and of 64 multiplications."""

    def __init__(self):
        super().__init__()
        self.large, self.small = torch.nn.Linear(512, 512), torch.nn.Linear(8, 8)

    def forward(self, x):
        return self.large(x), self.small(x[:1, :8])


@pytest.fixture(scope="module")
def program():
    torch.manual_seed(0)
    return torch.export.export(Products(), (torch.randn(256, 512),))


def generated(model, search):
    """The kernels whose remarks say that they are not searched, but generated as by ``search``."""
    return [kernel.name for kernel in model.schedule.kernels
            if REMARKS[search] in [remark.message for remark in kernel.remarks]]


def test_small_kernels_of_a_model_are_generated_once(program):
    model = hx.compile(program)
    _, small = model.schedule.kernels
    assert generated(model, NONE) == [small.name]
    assert generated(model, FEW) == []
    x = torch.randn(256, 512)
    torch.testing.assert_close(model(x), program.module()(x), rtol=1e-5, atol=1e-5)


def test_either_is_forced(program):
    every, none = hx.compile(program, search="all"), hx.compile(program, search="none")
    kernels = [kernel.name for kernel in every.schedule.kernels]
    assert generated(every, FEW) == generated(every, NONE) == []
    assert generated(none, NONE) == generated(hx.compile(program, search="few"), FEW) == kernels
    x = torch.randn(256, 512)
    torch.testing.assert_close(none(x), every(x), rtol=1e-6, atol=1e-6)


def test_an_unknown_search(program):
    with pytest.raises(hx.HexError, match=r"unknown search 'some'\s+hint: one of auto, all, few, none"):
        hx.compile(program, search="some")

"""Which kernels of a model are searched for their best code."""

import pytest
import torch

import hexagon_mlir as hx
from hexagon_mlir.codegen.search_shares import SMALL, TWICE, searched


@pytest.mark.parametrize(("cycles", "expected"), [
    ([], []),
    ([5.0], [True]),
    ([0.0, 0.0], [True, True]),  # nothing says which takes longer
    ([100.0, 0.0], [True, False]),
    ([99.0, 1.0], [True, True]),
    ([99.0, 0.9, 50.0], [True, False, True]),
    ([None, 99.5, 0.5], [True, True, False]),
    ([None, None], [True, True]),
    ([1.0] * 100, [True] * 100),
])
def test_kernels_of_a_small_part_are_not_searched(cycles, expected):
    assert SMALL == 0.01
    assert searched(cycles) == expected


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


def few(model):
    """The kernels whose remarks say that they are not searched."""
    return [kernel.name for kernel in model.schedule.kernels if TWICE in [remark.message for remark in kernel.remarks]]


def test_small_kernels_of_a_model_are_generated_twice(program):
    model = hx.compile(program)
    _, small = model.schedule.kernels
    assert few(model) == [small.name]
    x = torch.randn(256, 512)
    torch.testing.assert_close(model(x), program.module()(x), rtol=1e-5, atol=1e-5)


def test_either_is_forced(program):
    every, none = hx.compile(program, search="all"), hx.compile(program, search="none")
    assert few(every) == few(none) == []
    assert len(few(hx.compile(program, search="few"))) == len(every.schedule.kernels)
    x = torch.randn(256, 512)
    torch.testing.assert_close(none(x), every(x), rtol=1e-6, atol=1e-6)


def test_an_unknown_search(program):
    with pytest.raises(hx.HexError, match=r"unknown search 'some'\s+hint: one of auto, all, few, none"):
        hx.compile(program, search="some")

"""Control flow of PyTorch programs: values, and what of it is a loop."""

import pytest
import torch
from torch import nn
from torch._higher_order_ops.map import map as map_rows
from torch._higher_order_ops.scan import scan
from torch._higher_order_ops.while_loop import while_loop
from torch.utils import _pytree as pytree

import hexagon_mlir as hx
from hexagon_mlir.frontend.torch.capture import from_exported
from hexagon_mlir.frontend.torch.kernels.loop import loop
from hexagon_mlir.frontend.torch.passes import run_passes

pytestmark = pytest.mark.only_values


class Function(nn.Module):
    """A function with a linear layer of eight features to call."""

    def __init__(self, function):
        super().__init__()
        torch.manual_seed(0)
        self.linear, self.function = nn.Linear(8, 8), function

    def forward(self, *inputs):
        return self.function(self.linear, *inputs)


def check(function, *inputs, error=2e-6, others=()):
    """The program of ``function``, whose values are right for ``inputs`` and for each of ``others``."""
    program = torch.export.export(Function(function).eval(), inputs)
    model = hx.compile(program)
    for each in (inputs, *others):
        with torch.no_grad():
            expected = pytree.tree_leaves(program.module()(*each))
        found = pytree.tree_leaves(model(*each))
        assert len(found) == len(expected)
        for got, wanted in zip(found, expected, strict=True):
            assert got.dtype == wanted.dtype and got.shape == wanted.shape
            torch.testing.assert_close(got, wanted, rtol=error, atol=error, equal_nan=True)
    return program


def loops(program):
    graph = from_exported(program)
    run_passes(graph)
    return sum(node.target is loop for node in graph.graph.nodes)


def cell(linear, x, state):
    def step(state, x):
        new = torch.tanh(linear(state) + x)
        return new, new * 2

    return scan(step, state, x, dim=0)


@pytest.mark.full_except("40-1")
@pytest.mark.parametrize(("steps", "expected"), [
    (1, 0), (3, 0), (40, 1)])
def test_scans(steps, expected):
    torch.manual_seed(1)
    assert loops(check(cell, torch.randn(steps, 3, 8), torch.randn(3, 8))) == expected


@pytest.mark.parametrize("steps", [2, pytest.param(30, marks=pytest.mark.full)])
def test_scans_backwards_along_another_dimension(steps):
    def function(_, x, state):
        def step(state, x):
            first, second = state
            return (first.sigmoid() * second + x, second * 0.5 + first.softmax(-1)), [first + 1, second.sum(-1)]

        return scan(step, (state, state * 2), x, dim=1, reverse=True)

    torch.manual_seed(1)
    assert loops(check(function, torch.randn(4, steps, 5), torch.randn(4, 5))) == (steps > 2)


@pytest.mark.full_except("3-dtype0-0.004")
@pytest.mark.parametrize(("dtype", "error"), [(torch.float16, 4e-3), (torch.int32, 0)])
@pytest.mark.parametrize("steps", [3, 100])
def test_scans_of_other_types(dtype, error, steps):
    def function(_, x, state):
        def step(state, x):
            return torch.maximum(state, x) - x // 2, state + x

        return scan(step, state, x, dim=0)

    torch.manual_seed(1)
    assert loops(check(function, torch.randint(-9, 9, (steps, 7)).to(dtype), torch.zeros(7, dtype=dtype), error=error)
                 ) == (steps == 100)


@pytest.mark.full
def test_a_loop_gives_what_its_steps_give():
    torch.manual_seed(1)
    x, state = torch.randn(40, 3, 8), torch.randn(3, 8)
    whole = hx.compile(torch.export.export(Function(cell), (x, state)))(x, state)
    rows = []
    one = hx.compile(torch.export.export(Function(cell), (x[:1], state)))
    for step in range(40):
        state, row = one(x[step:step + 1], state)
        rows.append(row)
    torch.testing.assert_close(whole[0], state, rtol=1e-5, atol=1e-6)
    torch.testing.assert_close(whole[1], torch.cat(rows), rtol=1e-5, atol=1e-6)


def test_branches():
    """What is not selected has NaN."""
    def function(linear, x):
        return torch.cond(x.sum() > 0, lambda x: (linear(x), x.log()), lambda x: (x - 1, (-x).sqrt()), (x,))

    torch.manual_seed(1)
    x = torch.rand(3, 8) + 1
    program = check(function, x, others=[(-x,)])
    assert all(value.isfinite().all() for each in (x, -x) for value in program.module()(each))


def test_branches_in_a_loop_in_a_branch():
    def function(linear, x, state):
        def step(state, x):
            new = torch.cond(x.sum() > 0, lambda s, x: s + x, lambda s, x: s * 0.5 - x, (state, x))
            return new, new + 1

        def all_steps(x, state):
            return scan(step, state, x, dim=0)[1]

        return torch.cond(state.sum() > 0, all_steps, lambda x, state: x - state, (x, state))

    torch.manual_seed(1)
    x, state = torch.randn(4, 8), torch.rand(8)
    check(function, x, state, others=[(x, -state)])


def test_maps():
    def function(linear, x, shift):
        return map_rows(lambda row, shift: torch.softmax(linear(row) + shift, -1) @ row.T, x, shift)

    torch.manual_seed(1)
    check(function, torch.randn(5, 3, 8), torch.randn(8))


@pytest.mark.full_except("0", "1")
@pytest.mark.parametrize("count", [0, 1, 20])
def test_counted_loops(count):
    def function(_, x):
        return while_loop(lambda i, x: i < count, lambda i, x: (i + 1, x.sin() + 0.1 * i), (torch.tensor(0), x))

    torch.manual_seed(1)
    check(function, torch.randn(3, 5), error=1e-5)


def test_a_loop_that_counts_in_two_ways():
    def function(_, x):
        def body(i, step, x):
            return i + step, step * 2, x + i

        return while_loop(lambda i, step, x: (i < 100) & (step < 1000), body,
                          (torch.tensor(1), torch.tensor(3), x))

    check(function, torch.randn(4))


def test_a_loop_that_inputs_decide():
    def function(_, x):
        return while_loop(lambda x: x.sum() < 5, lambda x: (x + 1,), (x,))

    program = torch.export.export(Function(function), (torch.zeros(3),))
    with pytest.raises(hx.HexError, match="number of iterations of a while_loop depends on the values of inputs"):
        hx.compile(program)


def test_a_loop_that_is_too_long():
    def function(_, x):
        return while_loop(lambda i, x: i < 5000, lambda i, x: (i + 1, x * 0.5), (torch.tensor(0), x))

    program = torch.export.export(Function(function), (torch.zeros(3),))
    with pytest.raises(hx.HexError, match="a loop of 5,000 steps that are no kernel"):
        hx.compile(program)


def test_torch_compile():
    torch.manual_seed(1)
    model, x, state = Function(cell).eval(), torch.randn(40, 3, 8), torch.randn(3, 8)
    with torch.no_grad():
        expected = model(x, state)
        found = torch.compile(model, backend="hexagon", fullgraph=True)(x, state)
    for got, wanted in zip(found, expected, strict=True):
        torch.testing.assert_close(got, wanted, rtol=1e-5, atol=1e-6)


def test_torch_compile_of_what_has_no_code():
    """The loop runs in eager PyTorch; a branch next to it is compiled."""
    def function(x):
        y = torch.cond(x.sum() > 0, lambda x: x + 1, lambda x: x * 2, (x,))
        return while_loop(lambda x: x.sum() < 5, lambda x: (x + 1,), (y * 2,))[0] * 3

    for x in (torch.zeros(3), torch.ones(3)):
        expected = function(x)
        torch._dynamo.reset()
        with pytest.warns(UserWarning, match="hexagon: 1 of .* operations run in eager PyTorch, .* of a while_loop"):
            found = torch.compile(function, backend="hexagon")(x)
        torch.testing.assert_close(found, expected)

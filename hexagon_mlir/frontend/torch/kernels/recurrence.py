"""The steps of a recurrent layer in one direction, as a loop over time that carries the state.

The inputs of all steps are multiplied by their weights before. A step multiplies the state by the recurrent weights and
computes the gates, in PyTorch's order: LSTM has input, forget, new, output; GRU has reset, update, new.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Optional

import torch
from torch import Tensor
from torch.fx import Node

from hexagon_mlir.frontend.torch.graph import args_of, shape_of
from hexagon_mlir.frontend.torch.importer import BUILDERS
from hexagon_mlir.frontend.torch.kernels.builder import F32, FunctionBuilder, Type, Value

GATES = {"lstm": 4, "gru": 3, "tanh": 1, "relu": 1}
"""Kind of layer -> numbers that a step computes for each hidden one."""


@torch.library.custom_op("hexagon_mlir::recurrence", mutates_args=())
def recurrence(kind: str, inputs: Tensor, weight: Tensor, bias: Optional[Tensor], hidden: Tensor,  # noqa: UP045
               cell: Optional[Tensor], projection: Optional[Tensor], reverse: bool,  # noqa: UP045
               keep_cells: bool) -> tuple[Tensor, Tensor, Tensor]:
    """Hidden states of all steps (T, B, P), the last cell (B, H) of an LSTM or the last hidden state, and the cells of
    all steps (T, B, H) with ``keep_cells``, which only an LSTM has; without, no elements.

    ``kind`` is one of `GATES`, with G gates: ``inputs`` (T, B, G H) of f32 are multiplied already, ``weight`` is
    (P, G H), ``bias`` (G H) is added to the product with the state. ``projection`` (H, P) is of an LSTM. ``reverse``
    starts with the last step.
    """
    rows: list[Tensor] = []
    cells: list[Tensor] = []
    for step in inputs.flip(0) if reverse else inputs:
        product = hidden @ weight if bias is None else hidden @ weight + bias
        if kind == "lstm":
            assert cell is not None
            into, forget, new, out = (step + product).chunk(4, 1)
            cell = forget.sigmoid() * cell + into.sigmoid() * new.tanh()
            hidden = out.sigmoid() * cell.tanh()
            hidden = hidden if projection is None else hidden @ projection
        elif kind == "gru":
            reset_x, update_x, new_x = step.chunk(3, 1)
            reset_h, update_h, new_h = product.chunk(3, 1)
            new = (new_x + (reset_x + reset_h).sigmoid() * new_h).tanh()
            hidden = new + (update_x + update_h).sigmoid() * (hidden - new)
        else:
            hidden = getattr(torch, kind)(step + product)
        rows.append(hidden)
        if keep_cells:
            assert cell is not None
            cells.append(cell)
    last = hidden if cell is None else cell
    return _in_order(rows, reverse), last.clone(), _in_order(cells, reverse) if cells else inputs.new_empty(0)


def _in_order(rows: list[Tensor], reverse: bool) -> Tensor:
    return torch.stack(rows[::-1] if reverse else rows)


@recurrence.register_fake
def _(kind: str, inputs: Tensor, weight: Tensor, bias: Tensor | None, hidden: Tensor, cell: Tensor | None,
      projection: Tensor | None, reverse: bool, keep_cells: bool) -> tuple[Tensor, Tensor, Tensor]:
    last, steps = hidden if cell is None else cell, inputs.shape[:2]
    cells = inputs.new_empty(*steps, last.shape[1]) if keep_cells else inputs.new_empty(0)
    return inputs.new_empty(*steps, hidden.shape[1]), torch.empty_like(last), cells


def build(node: Node) -> str:
    """The function for one ``recurrence`` node."""
    return _Recurrence(node).function()


class _Recurrence:
    """Writes the function."""

    def __init__(self, node: Node) -> None:
        self.kind, inputs, weight, bias, hidden, cell, projection, self.reverse, self.keeps_cells = args_of(node)
        self.steps, self.batch, _ = shape_of(inputs)
        tensors = (inputs, weight, bias, hidden, cell, projection)
        self.op = op = FunctionBuilder([Type("f32", shape_of(one)) for one in tensors if one is not None])
        self.inputs, self.weight, *given = op.arguments
        self.projection = None if projection is None else given.pop()
        self.zero, self.one = op.constant(0.0, F32), op.constant(1.0, F32)
        self.biases = [] if bias is None else self._gates(given.pop(0))
        self.state = given

    def function(self) -> str:
        """The loop carries the state and the hidden states, and cells that are kept, of the steps so far."""
        op, count = self.op, len(self.state)
        kept = self.state if self.keeps_cells else self.state[:1]
        rows = [op.empty(Type("f32", (self.steps, *one.type.sizes))) for one in kept]
        carried = op.loop(op.index(0), op.index(self.steps), op.index(1), [*self.state, *rows], self._iteration)
        hidden, *cells = carried[count:]
        return op.text(hidden, carried[count - 1], *cells)

    def _iteration(self, index: Value, carried: list[Value]) -> Sequence[Value]:
        op, count = self.op, len(self.state)
        state, rows = carried[:count], carried[count:]
        if self.reverse:
            index = op.apply("arith.subi", op.index(self.steps - 1), index)
        inputs = op.extract_slice(self.inputs, [index, 0, 0], (1, *self.inputs.type.sizes[1:]), drop=1)
        state = self._step(self._gates(inputs), self._gates(self._product(state[0], self.weight)), *state)
        return [*state, *(op.insert_slice(one, into, [index, 0, 0], (1, *one.type.sizes))
                          for one, into in zip(state, rows, strict=False))]

    def _step(self, x: list[Value], h: list[Value], *state: Value) -> list[Value]:
        """The state after a step, from the gates of its input and of the state."""
        op = self.op
        match self.kind:
            case "lstm":
                cell = self._elements(lambda x, h, cell: self._new_cell(self._sums(x, h), cell), x[:3], h[:3], state[1])
                hidden = self._elements(lambda x, h, cell: self._multiply(
                    self._sigmoid(*self._sums(x, h)), op.apply("math.tanh", cell)), x[3:], h[3:], cell)
                return [hidden if self.projection is None else self._product(hidden, self.projection), cell]
            case "gru":
                return [self._elements(self._new_hidden, x, h, state[0])]
            case "tanh":
                return [self._elements(lambda x, h: op.apply("math.tanh", *self._sums(x, h)), x, h)]
        return [self._elements(lambda x, h: self._relu(*self._sums(x, h)), x, h)]

    def _new_cell(self, gates: list[Value], cell: Value) -> Value:
        into, forget, new = gates
        return self._add(self._multiply(self._sigmoid(forget), cell),
                         self._multiply(self._sigmoid(into), self.op.apply("math.tanh", new)))

    def _new_hidden(self, x: list[Value], h: list[Value], hidden: Value) -> Value:
        reset, update = (self._sigmoid(sum_) for sum_ in self._sums(x[:2], h[:2]))
        new = self.op.apply("math.tanh", self._add(x[2], self._multiply(reset, h[2])))
        return self._add(new, self._multiply(update, self.op.apply("arith.subf", hidden, new)))

    # -- tensors -------------------------------------------------------------------------------------------
    def _product(self, left: Value, right: Value) -> Value:
        op = self.op
        return op.matmul(left, right, op.fill(self.zero, op.empty(Type("f32", (self.batch, right.type.sizes[1])))))

    def _gates(self, value: Value) -> list[Value]:
        """The parts of ``value`` along its last dimension."""
        *rows, columns = value.type.sizes
        size = columns // GATES[self.kind]
        return [self.op.extract_slice(value, [*[0] * len(rows), first], (*rows, size))
                for first in range(0, columns, size)]

    def _elements(self, body: Callable[..., Value], x: list[Value], h: list[Value], *state: Value) -> Value:
        """``body`` of the elements of ``x``, of ``h`` with their biases, and of ``state``."""
        op, count, biases = self.op, len(x), self.biases[:len(h)]
        subscripts = ["ij"] * 2 * count + ["j"] * len(biases) + ["ij"] * len(state)

        def whole(*given: Value) -> Value:
            inputs, products, left = list(given[:count]), list(given[count:2 * count]), given[2 * count:-1]
            if biases:
                products = self._sums(products, list(left[:count]))
            return body(inputs, products, *left[len(biases):])

        return op.generic(f"{','.join(subscripts)}->ij", [*x, *h, *biases, *state], op.empty(h[0].type), whole)

    # -- elements ------------------------------------------------------------------------------------------
    def _add(self, left: Value, right: Value) -> Value:
        return self.op.apply("arith.addf", left, right)

    def _multiply(self, left: Value, right: Value) -> Value:
        return self.op.apply("arith.mulf", left, right)

    def _sums(self, left: list[Value], right: list[Value]) -> list[Value]:
        return [self._add(*pair) for pair in zip(left, right, strict=True)]

    def _sigmoid(self, x: Value) -> Value:
        exponential = self.op.apply("math.exp", self.op.apply("arith.negf", x))
        return self.op.apply("arith.divf", self.one, self._add(self.one, exponential))

    def _relu(self, x: Value) -> Value:
        return self.op.select(self.op.compare("ugt", x, self.zero), x, self.zero)  # NaN stays


BUILDERS[torch.ops.hexagon_mlir.recurrence.default] = build

"""Gradients of a recurrent layer's states as a loop over time, from the last step that was computed to the first.

A step's gradients are linear in those of the next step, and all factors are known before: the loop is a product with
the recurrent weights, and products of elements, whatever the kind of layer.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Optional

import torch
from torch import Tensor
from torch.fx import Node

from hexagon_mlir.frontend.torch.graph import args_of, shape_of
from hexagon_mlir.frontend.torch.importer import BUILDERS
from hexagon_mlir.frontend.torch.kernels.builder import F32, FunctionBuilder, Type, Value


@torch.library.custom_op("hexagon_mlir::recurrence_gradients", mutates_args=())
def recurrence_gradients(dy: Tensor, gates: Tensor, keeps: Optional[Tensor], through: Optional[Tensor],  # noqa: UP045
                         weight: Tensor, projection: Optional[Tensor], d_cell: Optional[Tensor],  # noqa: UP045
                         reverse: bool) -> tuple[Tensor, Tensor, Tensor, Tensor]:
    """Gradients of the hidden states of all steps (T, B, P) and of an LSTM's cells (T, B, H); of the state before the
    first step (B, P) and of an LSTM's cell then (B, H). Without cells those have no elements.

    ``dy`` (T, B, P) are gradients of the hidden states as results, ``d_cell`` (B, H) of the last cell. ``gates``
    (T, B, G H) are derivatives of the state by each gate: of an LSTM by the last of them, of its cell by the others.
    ``through`` (T, B, H) is that of an LSTM's hidden state by its cell. ``keeps`` (T, B, H) is what a step keeps of the
    cell, or else of the hidden state. ``weight`` (G H, P) and ``projection`` (P, H) are transposed. ``reverse`` is that
    of the layer.
    """
    d_hidden, hidden, cells = torch.zeros_like(dy[0]), [dy] * 0, [dy] * 0
    count = gates.shape[2] // (dy.shape[2] if projection is None else projection.shape[1])
    for t in range(len(dy)) if reverse else reversed(range(len(dy))):
        d_hidden = dy[t] + d_hidden
        hidden.append(d_hidden)
        d_out = d_hidden if projection is None else d_hidden @ projection
        sources = [d_out] * count
        if through is not None:
            assert d_cell is not None and keeps is not None
            d_cell = d_cell + d_out * through[t]
            cells.append(d_cell)
            sources = [d_cell, d_cell, d_cell, d_out]
            d_cell = d_cell * keeps[t]
        product = (torch.cat(sources, 1) * gates[t]) @ weight
        d_hidden = product if keeps is None or through is not None else product + d_out * keeps[t]
    order = slice(None) if reverse else slice(None, None, -1)
    nothing = dy.new_empty(0)
    if d_cell is None:
        return torch.stack(hidden[order]), nothing, d_hidden, nothing.clone()
    return torch.stack(hidden[order]), torch.stack(cells[order]), d_hidden, d_cell


@recurrence_gradients.register_fake
def _(dy: Tensor, gates: Tensor, keeps: Tensor | None, through: Tensor | None, weight: Tensor,
      projection: Tensor | None, d_cell: Tensor | None, reverse: bool) -> tuple[Tensor, Tensor, Tensor, Tensor]:
    cells, cell = (dy.new_empty(0), dy.new_empty(0)) if through is None or d_cell is None else (
        torch.empty_like(through), torch.empty_like(d_cell))
    return torch.empty_like(dy), cells, torch.empty_like(dy[0]), cell


def build(node: Node) -> str:
    """The function for one ``recurrence_gradients`` node."""
    return _Gradients(node).function()


class _Gradients:
    """Writes the function."""

    def __init__(self, node: Node) -> None:
        *tensors, self.reverse = args_of(node)
        self.op = op = FunctionBuilder([Type("f32", shape_of(one)) for one in tensors if one is not None])
        given = iter(op.arguments)
        self.dy, self.gates, self.keeps, self.through, self.weight, self.projection, self.d_cell = (
            None if one is None else next(given) for one in tensors)
        self.zero = op.constant(0.0, F32)

    def function(self) -> str:
        """The loop carries the gradients of the state, and those of all states so far."""
        op = self.op
        assert self.dy is not None
        steps, *sizes = self.dy.type.sizes
        state = [op.fill(self.zero, op.empty(Type("f32", tuple(sizes)))), *([self.d_cell] if self.d_cell else [])]
        rows = [op.empty(Type("f32", (steps, *one.type.sizes))) for one in state]
        carried = op.loop(op.index(0), op.index(steps), op.index(1), [*state, *rows], self._iteration)
        if self.d_cell is None:
            return op.text(carried[1], op.empty(Type("f32", (0,))), carried[0])
        return op.text(carried[2], carried[3], carried[0], carried[1])

    def _iteration(self, index: Value, carried: list[Value]) -> Sequence[Value]:
        op = self.op
        assert self.dy is not None and self.gates is not None and self.weight is not None
        if not self.reverse:
            index = op.apply("arith.subi", op.index(self.dy.type.sizes[0] - 1), index)
        count = 1 if self.d_cell is None else 2
        state, rows = carried[:count], carried[count:]
        state[0] = self._elements("arith.addf", state[0], self._row(self.dy, index))
        out = state[0] if self.projection is None else self._product(state[0], self.projection)
        if self.through is not None:
            state[1] = self._scaled_sum(out, self._row(self.through, index), state[1])
        rows = [op.insert_slice(one, into, [index, 0, 0], (1, *one.type.sizes))
                for one, into in zip(state, rows, strict=True)]
        product = self._product(self._gate_gradients(out, state[-1], index), self.weight)
        if self.keeps is None:
            return [product, *rows]
        kept = self._row(self.keeps, index)
        if self.d_cell is None:
            return [self._scaled_sum(out, kept, product), *rows]
        return [product, self._elements("arith.mulf", state[1], kept), *rows]

    def _gate_gradients(self, out: Value, cell: Value, index: Value) -> Value:
        """All gates of a step, (B, G H): of an LSTM the last one changes what leaves the cell, the others the cell."""
        op = self.op
        assert self.gates is not None
        batch, size = out.type.sizes
        total = self.gates.type.sizes[2]
        result = op.empty(Type("f32", (batch, total)))
        for first in range(0, total, size):
            factor = op.extract_slice(self.gates, [index, 0, first], (1, batch, size), drop=1)
            source = out if first + size == total else cell
            result = op.insert_slice(self._elements("arith.mulf", source, factor), result, [0, first], (batch, size))
        return result

    # -- tensors -------------------------------------------------------------------------------------------
    def _row(self, rows: Value, index: Value) -> Value:
        return self.op.extract_slice(rows, [index, 0, 0], (1, *rows.type.sizes[1:]), drop=1)

    def _product(self, left: Value, right: Value) -> Value:
        op = self.op
        out = op.empty(Type("f32", (left.type.sizes[0], right.type.sizes[1])))
        return op.matmul(left, right, op.fill(self.zero, out))

    def _elements(self, operation: str, left: Value, right: Value) -> Value:
        return self.op.generic("ij,ij->ij", [left, right], self.op.empty(left.type),
                               lambda x, y, _: self.op.apply(operation, x, y))

    def _scaled_sum(self, x: Value, factor: Value, others: Value) -> Value:
        """``others`` + ``x`` * ``factor``."""
        return self.op.generic("ij,ij,ij->ij", [x, factor, others], self.op.empty(x.type),
                               lambda x, y, z, _: self.op.apply("arith.addf", z, self.op.apply("arith.mulf", x, y)))


BUILDERS[torch.ops.hexagon_mlir.recurrence_gradients.default] = build

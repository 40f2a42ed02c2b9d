"""The image that a convolution reads, as rows in TCM: what surrounds it is written there and nowhere else."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from math import prod

from hexagon_mlir.ir import ir, tensor
from hexagon_mlir.ir.constants import constant, index
from hexagon_mlir.ir.make import cast, fill, subi
from hexagon_mlir.passes.engine_convolution.slices import Offset, extract, insert
from hexagon_mlir.passes.lib.engine_tiles import fills, only_rounds
from hexagon_mlir.passes.lib.linalg_generic import generic
from hexagon_mlir.passes.lib.tcm_tensors import tcm_copy, tcm_tensor

RESHAPES = ("tensor.collapse_shape", "tensor.expand_shape")
"""Ops whose result has the elements of their operand in the same order."""


def reshaped(value: ir.Value, shape: Sequence[int]) -> ir.Value:
    """``value``, whose sizes are known, with its elements in the same order as ``shape``."""
    type_ = ir.RankedTensorType(value.type)
    if list(type_.shape) == list(shape):
        return value
    flat = ir.RankedTensorType.get([prod(shape)], type_.element_type)
    if type_.rank != 1:
        value = tensor.collapse_shape(flat, value, [list(range(type_.rank))])
    if len(shape) == 1:
        return value
    result = ir.RankedTensorType.get(list(shape), type_.element_type)
    return tensor.expand_shape(result, value, [list(range(len(shape)))], [], list(shape))


@dataclass(frozen=True)
class Image:
    """``source``, [batches, rows, elements of a row], inside a frame of a number, zeros where ``border`` is None:
    ``above`` it are rows, ``left`` of it elements.
    """

    source: ir.Value
    shape: tuple[int, int, int]
    above: int
    left: int
    border: ir.Attribute | None = None

    @staticmethod
    def of(value: ir.Value, shape: tuple[int, int, int]) -> Image:
        """Of the padded image ``value``, whose elements in their order are ``shape``. The frame is recognized where it
        is written around an image into a tensor that is filled with a number."""
        inner = value
        while not isinstance(inner.owner, ir.Block) and inner.owner.operation.name in RESHAPES:
            inner = inner.owner.operation.operands[0]
        if not isinstance(inner.owner, ir.Block) and inner.owner.operation.name == "tensor.insert_slice":
            op = inner.owner.operation
            offsets, sizes, strides = (list(ir.DenseI64ArrayAttr(op.attributes[f"static_{name}"]))
                                       for name in ("offsets", "sizes", "strides"))
            known = ir.ShapedType.get_dynamic_size() not in (*offsets, *sizes) and set(strides) == {1}
            places = _places(list(ir.RankedTensorType(inner.type).shape), shape) if known else None
            border = _filled_with(op.operands[1])
            if places is not None and border is not None:
                framed = [_along(dims, list(ir.RankedTensorType(inner.type).shape), offsets, sizes) for dims in places]
                if None not in framed and framed[0] == (0, shape[0]):
                    (_, batches), (above, rows), (left, length) = (pair for pair in framed if pair is not None)
                    return Image(op.operands[0], (batches, rows, length), above, left, border)
        return Image(value, shape, 0, 0)

    def reaches(self, start: int, rows: int) -> bool:
        """Whether ``rows`` of the padded image from ``start`` on are rows of the source."""
        return start >= self.above and start + rows <= self.above + self.shape[1]

    def wide(self) -> Image | None:
        """The same image with the numbers of f32 that its source is rounded from, by an op whose result nothing else
        reads; None where there is no such op."""
        value = self.source
        while _has_one_use(value) and _owner_name(value) in RESHAPES:
            value = value.owner.operation.operands[0]
        if not _has_one_use(value) or isinstance(value.owner, ir.Block) or not only_rounds(value.owner.operation):
            return None
        return replace(self, source=value.owner.operation.operands[0])

    def rows(self, batch: Offset, start: Offset, size: tuple[int, int]) -> ir.Value:
        """Rows in TCM, ``size``: from ``start`` on of the padded image, a value only where they are rows of the
        source; with the border's number after it.
        """
        part, at = self._part(batch, start, size)
        if list(ir.RankedTensorType(part.type).shape) == list(size):
            return tcm_copy(part)
        return insert(part, self._frame(part, size), [at, self.left], ir.RankedTensorType(part.type).shape)

    def rounded_rows(self, batch: Offset, start: Offset, size: tuple[int, int]) -> Callable[[], Callable[[], ir.Value]]:
        """Transfers these rows of an image of f32; what writes their border in f16, and gives what rounds them."""
        part, at = self._part(batch, start, size)
        return partial(self._bordered, tcm_copy(part), [at, self.left], size)

    def _bordered(self, rows: ir.Value, place: list[int], size: tuple[int, int]) -> Callable[[], ir.Value]:
        """Writes the border of ``rows`` of f32, whose ``place`` is in a frame of ``size``; what rounds them into it."""
        frame, number = tcm_tensor(list(size), ir.F16Type.get()), constant(self.border or _zero(ir.F16Type.get()))
        for offsets, lengths in borders(size, place, list(ir.RankedTensorType(rows.type).shape)):
            frame = insert(fill(number, extract(frame, offsets, lengths)).result, frame, offsets, lengths)
        return partial(_rounded, rows, frame, place)

    def _part(self, batch: Offset, start: Offset, size: tuple[int, int]) -> tuple[ir.Value, int]:
        """The rows of the source among these of the padded image, and how many are above them."""
        count, length = size
        if isinstance(start, int):
            first, last = (min(max(row - self.above, 0), self.shape[1]) for row in (start, start + count))
            at = max(self.above - start, 0)
            begin: Offset = first
        else:
            first, last, at, begin = 0, count, 0, subi(start, index(self.above)) if self.above else start
        wide = min(self.shape[2], length - self.left)
        source = reshaped(self.source, self.shape)
        return extract(source, [batch, begin, 0], [1, last - first, wide], dropped=1), at

    def _frame(self, part: ir.Value, size: tuple[int, int]) -> ir.Value:
        element = ir.RankedTensorType(part.type).element_type
        return fill(constant(self.border or _zero(element)), tcm_tensor(list(size), element)).result


def _rounded(part: ir.Value, frame: ir.Value, place: Sequence[int]) -> ir.Value:
    """``part``, of f32, rounded to f16 into its ``place`` in ``frame``."""
    f16, sizes = ir.F16Type.get(), list(ir.RankedTensorType(part.type).shape)
    rounded = generic([part], extract(frame, place, sizes), [ir.AffineMap.get_identity(len(sizes))] * 2,
                      ["parallel"] * len(sizes), lambda elements: cast("arith.truncf", f16, elements[0]))
    return insert(rounded, frame, place, sizes)


def borders(size: Sequence[int], place: Sequence[int], inside: Sequence[int]) -> list[tuple[list[int], list[int]]]:
    """Offsets and sizes of what a part of sizes ``inside`` at ``place`` leaves of rows and columns ``size``: rows above
    and below it, columns left and right of it.

    >>> borders((4, 9), (1, 2), (3, 5))
    [([0, 0], [1, 9]), ([1, 0], [3, 2]), ([1, 7], [3, 2])]
    """
    (rows, columns), (above, left), (high, wide) = size, place, inside
    found = [([0, 0], [above, columns]), ([above + high, 0], [rows - above - high, columns]),
             ([above, 0], [high, left]), ([above, left + wide], [high, columns - left - wide])]
    return [(offsets, lengths) for offsets, lengths in found if 0 not in lengths]


def _has_one_use(value: ir.Value) -> bool:
    return sum(1 for _ in value.uses) == 1


def _owner_name(value: ir.Value) -> str:
    return "" if isinstance(value.owner, ir.Block) else value.owner.operation.name


def _places(sizes: Sequence[int], shape: Sequence[int]) -> list[list[int]] | None:
    """The dimensions of ``sizes`` that are one of ``shape`` each, in order; None where they are not."""
    places: list[list[int]] = []
    dims = list(range(len(sizes)))
    for extent in reversed(shape):
        own: list[int] = []
        while prod(sizes[dim] for dim in own) < extent and dims:
            own.insert(0, dims.pop())
        if prod(sizes[dim] for dim in own) != extent:
            return None
        places.insert(0, own)
    return places if prod(sizes[dim] for dim in dims) == 1 else None


def _along(dims: Sequence[int], shape: Sequence[int], offsets: Sequence[int],
           sizes: Sequence[int]) -> tuple[int, int] | None:
    """Start and count of the elements of a slice along ``dims``, seen as one; None where they do not follow each other.
    """
    cut = [dim for dim in dims if sizes[dim] != shape[dim]]
    if not cut:
        return 0, prod(shape[dim] for dim in dims)
    first = cut[0]
    inner = prod(shape[dim] for dim in dims if dim > first)
    if len(cut) > 1 or any(shape[dim] != 1 for dim in dims if dim < first):
        return None
    return offsets[first] * inner, sizes[first] * inner


def _filled_with(value: ir.Value) -> ir.Attribute | None:
    """The number that the tensor ``value`` is filled with; None where that is not known."""
    while not isinstance(value.owner, ir.Block) and value.owner.operation.name in RESHAPES:
        value = value.owner.operation.operands[0]
    if isinstance(value.owner, ir.Block) or not fills(value.owner.operation):
        return None
    number = value.owner.operation.operands[0]
    if isinstance(number.owner, ir.Block) or number.owner.operation.name != "arith.constant":
        return None
    return number.owner.operation.attributes["value"]


def _zero(element: ir.Type) -> ir.Attribute:
    return ir.IntegerAttr.get(element, 0) if isinstance(element, ir.IntegerType) else ir.FloatAttr.get(element, 0.0)

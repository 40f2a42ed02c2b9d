"""Tiles of arguments and results that are in TCM are parts of them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from math import prod
from typing import ClassVar

from hexagon_mlir.dialects.engine_tiles import TILE
from hexagon_mlir.ir import erase_op, ir, tensor
from hexagon_mlir.ir.query import TCM_SPACE, element_bytes, functions, memory_space, ops_named
from hexagon_mlir.pass_infra import Pass, PassContext
from hexagon_mlir.passes.lib.tcm_arguments import checked_arguments

_ALLOC, _SPACE = "bufferization.alloc_tensor", "memory_space"
_SLICE = "tensor.extract_slice"
_RESHAPES = frozenset({"tensor.expand_shape", "tensor.collapse_shape", "tensor.cast"})
_VIEWS = _RESHAPES | {_SLICE}
_CARRY = frozenset({"scf.for", "scf.forall", "scf.while", "scf.yield"})
"""All values that such ops carry from iteration to iteration are in one memory space."""


@dataclass(frozen=True)
class ElideTcmCopiesPass(Pass):
    """Computes on arguments and results that are in TCM where they are, instead of on copies of their tiles.

    The attribute ``hexagon.in_tcm`` of a model's kernel has the numbers of the arguments that its caller has in TCM;
    results are numbered after the arguments, as the buffers that they become. A tile that is copied from such an
    argument is a slice of it, if its elements follow each other or its rows are whole vectors. A tile that becomes
    contiguous elements of such a result, or rows of as many as a tile of the matrix engine has, is computed in its
    place; loops over short rows would take longer than a copy.

    Before:
        func.func @f(%x: tensor<8x64xf32>) -> tensor<8x64xf32> attributes {hexagon.in_tcm = array<i64: 0, 1>} {
          %e = tensor.empty() : tensor<8x64xf32>
          %s = tensor.extract_slice %x[0, 0] [4, 64] [1, 1] : tensor<8x64xf32> to tensor<4x64xf32>
          %t = bufferization.alloc_tensor() copy(%s) {memory_space = 1 : i64} : tensor<4x64xf32>
          %o = bufferization.alloc_tensor() {memory_space = 1 : i64} : tensor<4x64xf32>
          %y = linalg.exp ins(%t : tensor<4x64xf32>) outs(%o : tensor<4x64xf32>) -> tensor<4x64xf32>
          %r = tensor.insert_slice %y into %e[0, 0] [4, 64] [1, 1] : tensor<4x64xf32> into tensor<8x64xf32>
          return %r : tensor<8x64xf32>
        }

    After:
        func.func @f(%x: tensor<8x64xf32>) -> tensor<8x64xf32> attributes {hexagon.in_tcm = array<i64: 0, 1>} {
          %e = tensor.empty() : tensor<8x64xf32>
          %s = tensor.extract_slice %x[0, 0] [4, 64] [1, 1] : tensor<8x64xf32> to tensor<4x64xf32>
          %o = tensor.empty() : tensor<4x64xf32>
          %y = linalg.exp ins(%s : tensor<4x64xf32>) outs(%o : tensor<4x64xf32>) -> tensor<4x64xf32>
          %r = tensor.insert_slice %y into %e[0, 0] [4, 64] [1, 1] : tensor<4x64xf32> into tensor<8x64xf32>
          return %r : tensor<8x64xf32>
        }

    Options:
        none

    Refuses (an error): numbers of no tensor. Copies that ops change, or whose memory is filled up around them, stay,
    and tiles of results whose elements do not follow each other there. What a loop carries stays too: bufferization
    wants all of it in one memory space, and takes arguments and results for buffers in DDR.

    Needs: tensor.
    Leaves: tensor.
    """

    name: ClassVar[str] = "elide-tcm-copies"
    needs: ClassVar[str] = "tensor"
    leaves: ClassVar[str] = "tensor"

    def run(self, module: ir.Module, context: PassContext) -> None:
        """Look at each function with arguments in TCM."""
        vector_bytes = int(context.target.vector_bytes.value)
        for function in functions(module):
            numbers = checked_arguments(function, self)
            block = function.regions[0].blocks[0]
            arguments = list(block.arguments)
            given = [arguments[number] for number in numbers if number < len(arguments)]
            for op in ops_named(function, _ALLOC) if given else ():
                if _is_copy_of(op, given, vector_bytes):
                    op.results[0].replace_all_uses_with(op.operands[0])
                    erase_op(op, self.name)
            end = block.operations[len(block.operations) - 1].operation
            for number in numbers:
                place = number - len(arguments)
                if place >= 0:
                    self._erase_copy(end.operands[place])
                    for tile in _tiles_of(end.operands[place]):
                        self._compute_in_place(tile)

    def _erase_copy(self, result: ir.Value) -> None:
        """Erase the copy that makes a ``result`` in DDR of what is in TCM."""
        while not isinstance(result.owner, ir.Block) and (made := result.owner.operation).name in (*_RESHAPES, _ALLOC):
            if made.name == _ALLOC:
                if len(made.operands) == 1 and not _is_in_tcm(made):
                    result.replace_all_uses_with(made.operands[0])
                    erase_op(made, self.name)
                return
            result = made.operands[0]

    def _compute_in_place(self, tile: ir.Value) -> None:
        """Let bufferization choose the memory of ``tile``, which is in TCM of its own: the result's."""
        if _is_carried(tile):
            return
        made = tile.owner.operation
        for value in (tile, *made.operands):
            if isinstance(value.owner, ir.Block) or value.type != tile.type:
                continue
            allocation = value.owner.operation
            if len(allocation.operands) or not _is_in_tcm(allocation) or (value != tile and len(list(value.uses)) > 1):
                continue
            with allocation.location, ir.InsertionPoint(allocation):
                type_ = ir.RankedTensorType(tile.type)
                value.replace_all_uses_with(tensor.empty(list(type_.shape), type_.element_type))
            erase_op(allocation, self.name)


def _is_in_tcm(op: ir.Operation) -> bool:
    return op.name == _ALLOC and _SPACE in op.attributes and op.attributes[_SPACE] == memory_space(TCM_SPACE)


def _is_copy_of(op: ir.Operation, given: list[ir.Value], vector_bytes: int) -> bool:
    """True for a copy in TCM of elements of one of ``given`` that ops can read as well where they are."""
    if not _is_in_tcm(op) or len(op.operands) != 1 or _is_carried(op.results[0]) or _is_changed(op.results[0]):
        return False
    value = op.operands[0]
    while not isinstance(value.owner, ir.Block) and (view := value.owner.operation).name in _VIEWS:
        value = view.operands[0]
        if view.name == _SLICE and not (_is_contiguous(view, value) or _has_whole_vectors(view, value, vector_bytes)):
            return False
    return value in given


def _is_carried(value: ir.Value) -> bool:
    """Whether a loop carries ``value``, or a view of it."""
    return any(op.name in _CARRY or (op.name in _VIEWS and _is_carried(op.results[0]))
               for op in (use.owner.operation for use in value.uses))


def _is_changed(value: ir.Value) -> bool:
    """Whether an op writes to ``value``, or to a view of it, which is no argument then."""
    for use in value.uses:
        op = use.owner.operation
        written = range(len(op.operands) - len(op.results), len(op.operands)) if op.name.startswith("linalg.") else ()
        if use.operand_number in written or (op.name in _VIEWS and _is_changed(op.results[0])):
            return True
    return False


def _is_contiguous(op: ir.Operation, whole: ir.Value) -> bool:
    """Whether the part of ``whole`` that ``op`` reads or writes has contiguous elements: nothing is left out after the
    first dimension of which it has more than one."""
    sizes, strides = (list(ir.DenseI64ArrayAttr(op.attributes[name])) for name in ("static_sizes", "static_strides"))
    shape = list(ir.RankedTensorType(whole.type).shape)
    first = next((dim for dim, size in enumerate(sizes) if size != 1), len(sizes))
    return all(stride == 1 for stride in strides) and sizes[first + 1:] == shape[first + 1:]


def _has_whole_vectors(view: ir.Operation, whole: ir.Value, vector_bytes: int) -> bool:
    """Whether rows of ``whole``, and of its slice ``view``, are whole vectors."""
    type_ = ir.RankedTensorType(whole.type)
    *_, size = ir.DenseI64ArrayAttr(view.attributes["static_sizes"])
    *_, stride = ir.DenseI64ArrayAttr(view.attributes["static_strides"])
    rows = [extent * element_bytes(type_.element_type) for extent in (size, type_.shape[-1])]
    return stride == 1 and all(row > 0 and row % vector_bytes == 0 for row in rows)


def _has_long_rows(insert: ir.Operation) -> bool:
    """Whether the rows that ``insert`` puts into a tensor have as many elements, which follow each other, as a tile of
    the matrix engine: loops over them are long enough."""
    sizes = list(ir.DenseI64ArrayAttr(insert.attributes["static_sizes"]))
    shape = list(ir.RankedTensorType(insert.operands[1].type).shape)
    whole = next((dim for dim in range(len(shape)) if sizes[dim:] == shape[dim:]), len(shape))
    return prod(sizes[max(whole - 1, 0):]) >= TILE * TILE


def _tiles_of(result: ir.Value) -> Iterator[ir.Value]:
    """What is all of ``result``, or contiguous elements of it, in an order in which users come first."""
    pending, seen = [result], set()
    while pending:
        value = pending.pop()
        if isinstance(value.owner, ir.Block) or value in seen:
            continue
        seen.add(value)
        op = value.owner.operation
        if op.name == "tensor.insert_slice":
            pending.append(op.operands[1])
            in_place = _is_contiguous(op, op.operands[1]) or _has_long_rows(op)
            if in_place and not isinstance(op.operands[0].owner, ir.Block):
                yield op.operands[0]
        elif op.name in _RESHAPES:
            pending.append(op.operands[0])
        elif op.name == "scf.for":
            body = op.regions[0].blocks[0]
            ends = body.operations[len(body.operations) - 1].operation.operands
            pending.append(ends[ir.OpResult(value).result_number])
        elif op.name != "scf.forall":
            yield value

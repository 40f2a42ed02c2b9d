"""Neighbouring loops through contiguous memory become one."""

from __future__ import annotations

from collections.abc import Set
from dataclasses import dataclass
from itertools import pairwise
from typing import ClassVar

from hexagon_mlir.ir import ir
from hexagon_mlir.ir.query import element_bytes, functions, ops_named
from hexagon_mlir.pass_infra import CLEAN, Pass, PassContext, UpstreamStep
from hexagon_mlir.passes.loop_collapsing.pairs import Nest, collapsed_pairs, groups_of
from hexagon_mlir.passes.loop_collapsing.rewrite import collapse_op

_OWN = frozenset({"indexing_maps", "iterator_types", "operandSegmentSizes"})
"""Attributes of an op that nothing else has marked."""
_FREE = frozenset({"tensor.empty", "arith.constant"})
"""Operations that can give their tensor any shape."""
_READERS = frozenset({"func.return", "tensor.dim"})
"""Operations for which a tensor is expanded again at no cost."""


@dataclass(frozen=True)
class CollapseLoopsPass(Pass):
    """Collapses neighbouring loops of linalg ops into one where all their operands are contiguous along both.

    Rows that are no whole vectors, or whose length is known at run time, then need no vector of their own at their
    end, and tiles and threads share the elements evenly: a matrix that only elementwise ops work on becomes one row.
    Ops that read each other's results are collapsed together, so that nothing is copied. Whole rows of static size
    keep their loops.

    Before:
        func.func @f(%x: tensor<123x1000xf32>, %y: tensor<123x1000xf32>) -> tensor<123x1000xf32> {
          %0 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>],
              iterator_types = ["parallel", "parallel"]}
              ins(%x : tensor<123x1000xf32>) outs(%y : tensor<123x1000xf32>) {
          ^bb0(%in: f32, %out: f32):
            %s = arith.addf %in, %in : f32
            linalg.yield %s : f32
          } -> tensor<123x1000xf32>
          return %0 : tensor<123x1000xf32>
        }

    After:
        func.func @f(%x: tensor<123x1000xf32>, %y: tensor<123x1000xf32>) -> tensor<123x1000xf32> {
          %a = tensor.collapse_shape %x [[0, 1]] : tensor<123x1000xf32> into tensor<123000xf32>
          %b = tensor.collapse_shape %y [[0, 1]] : tensor<123x1000xf32> into tensor<123000xf32>
          %0 = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>],
              iterator_types = ["parallel"]}
              ins(%a : tensor<123000xf32>) outs(%b : tensor<123000xf32>) {
          ^bb0(%in: f32, %out: f32):
            %s = arith.addf %in, %in : f32
            linalg.yield %s : f32
          } -> tensor<123000xf32>
          %1 = tensor.expand_shape %0 [[0, 1]] output_shape [123, 1000] : tensor<123000xf32> into tensor<123x1000xf32>
          return %1 : tensor<123x1000xf32>
        }

    Options: none.

    Refuses: nothing; it leaves alone ops with marks of other passes, with ``linalg.index`` or with indices other than
    plain loop indices, tensors that other operations read or make (slices, products in tiles), tensors with a dimension
    of no elements, and loops along which an operand is broadcast or transposed, or one of which is reduced.

    Needs: tensor.
    Leaves: tensor.
    """

    name: ClassVar[str] = "collapse-loops"
    needs: ClassVar[str] = "tensor"
    leaves: ClassVar[str] = "tensor"
    runs: ClassVar[tuple[UpstreamStep, ...]] = (CLEAN,)

    def run(self, module: ir.Module, context: PassContext) -> None:
        """Decide for all ops of a block together, then rewrite them in order."""
        vector = int(context.target.vector_bytes.value)
        blocks = [block for function in functions(module) for block in function.regions[0].blocks]
        changed = [_collapse([view.operation for view in block.operations if _is_plain(view.operation)], vector)
                   for block in blocks]
        if any(changed):
            CLEAN.run(module, context)


def _collapse(ops: list[ir.Operation], vector_bytes: int) -> bool:
    """Whether loops of ``ops``, those of a block, were collapsed."""
    values = list(dict.fromkeys(value for op in ops for value in (*op.operands, *op.results)
                                if isinstance(value.type, ir.RankedTensorType)))
    numbers = {value: number for number, value in enumerate(values)}
    nests = [_nest(op, numbers) for op in ops]
    types = [ir.RankedTensorType(value.type) for value in values]

    def pays(tensor: int, dim: int, with_next: bool) -> bool:
        type_ = types[tensor]
        ragged = dim + 2 == type_.rank and type_.shape[-1] * element_bytes(type_.element_type) % vector_bytes > 0
        return not type_.has_static_shape or with_next or ragged

    members = set(ops)
    fixed = [number for number, value in enumerate(values) if 0 in types[number].shape or _keeps_shape(value, members)]
    of_ops: dict[int, set[tuple[int, int]]] = {}
    for kind, number, a, b in collapsed_pairs(nests, fixed, pays):
        if kind == "op":
            of_ops.setdefault(number, set()).add((a, b))
    old: list[ir.Value] = []
    for number, pairs in sorted(of_ops.items()):
        op, nest = ops[number], nests[number]
        dims = [groups_of(len(loops), ((at, at + 1) for at, pair in enumerate(pairwise(loops)) if pair in pairs))
                for loops in nest.dims[:len(op.operands)]]
        old += collapse_op(op, groups_of(len(nest.parallel), pairs), dims)
    for value in reversed(old):
        if not any(True for _ in value.uses):
            value.owner.operation.erase()
    return bool(of_ops)


def _is_plain(op: ir.Operation) -> bool:
    """True for a linalg.generic on tensors, of plain loop indices, that no pass has marked."""
    if op.name != "linalg.generic" or not op.results or {str(name) for name in op.attributes} - _OWN:
        return False
    maps = [ir.AffineMapAttr(attribute).value for attribute in ir.ArrayAttr(op.attributes["indexing_maps"])]
    plain = all(isinstance(result, ir.AffineDimExpr) for map_ in maps for result in map_.results)
    indices = [[result.position for result in map_.results] for map_ in maps] if plain else []
    return plain and all(len(set(loops)) == len(loops) for loops in indices) and not ops_named(op, "linalg.index")


def _nest(op: ir.Operation, numbers: dict[ir.Value, int]) -> Nest:
    """``op`` with its results, which have the loops of the outputs."""
    maps = [ir.AffineMapAttr(attribute).value for attribute in ir.ArrayAttr(op.attributes["indexing_maps"])]
    dims = [tuple(result.position for result in map_.results) for map_ in maps]
    values = [*op.operands, *op.results]
    kinds = ir.ArrayAttr(op.attributes["iterator_types"])
    return Nest(tuple(numbers.get(value) for value in values), (*dims, *dims[-len(op.results):]),
                tuple("parallel" in str(kind) for kind in kinds))


def _keeps_shape(value: ir.Value, ops: Set[ir.Operation]) -> bool:
    """Whether something else than ``ops`` makes or reads the elements of ``value``."""
    owner = value.owner
    if isinstance(owner, ir.Block):
        made = owner.owner.operation.name == "func.func"
    else:
        made = owner.operation in ops or owner.operation.name in _FREE
    return not made or any(use.owner.operation not in ops and use.owner.operation.name not in _READERS
                           for use in value.uses)

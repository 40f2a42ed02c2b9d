"""Working sets into TCM."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from hexagon_mlir.ir import ir
from hexagon_mlir.ir.query import element_bytes, find_ops
from hexagon_mlir.pass_infra import Pass, PassContext
from hexagon_mlir.pass_infra.schedule import apply_schedule, wrap_sequence
from hexagon_mlir.passes.tcm_tiling.place import Placement, indexing_maps, place_buffers, vector_loop
from hexagon_mlir.passes.tcm_tiling.promote import promote, return_from_tcm
from hexagon_mlir.passes.tcm_tiling.sizes import Footprint, choose_tile

_MARK = "hexagon.tile"


@dataclass(frozen=True)
class HexagonTcmTilingPass(Pass):
    """Puts the data a kernel works on into TCM, tile by tile where it does not fit as a whole.

    A kernel's own buffers (what Triton loads fill, what ops produce) move to memory space 1 when all of them fit.
    An op that reads or writes DDR tensors is tiled so that its operands fit, and each operand's slice is copied.

    Before:
        func.func @f(%x: tensor<64xf32>, %y: tensor<64xf32>) -> tensor<64xf32> {
          %0 = linalg.exp ins(%x : tensor<64xf32>) outs(%y : tensor<64xf32>) -> tensor<64xf32>
          return %0 : tensor<64xf32>
        }

    After:
        func.func @f(%x: tensor<64xf32>, %y: tensor<64xf32>) -> tensor<64xf32> {
          %0 = bufferization.alloc_tensor() copy(%x) {memory_space = 1 : i64} : tensor<64xf32>
          %1 = bufferization.alloc_tensor() {memory_space = 1 : i64} : tensor<64xf32>
          %2 = linalg.exp ins(%0 : tensor<64xf32>) outs(%1 : tensor<64xf32>) -> tensor<64xf32>
          %3 = bufferization.alloc_tensor() copy(%2) {memory_space = 0 : i64} : tensor<64xf32>
          return %3 : tensor<64xf32>
        }

    Options:
        tcm-bytes: bytes one kernel may use; 0 takes the target's whole TCM.

    Refuses (with a remark; the op works on DDR): dynamic shapes, indices other than plain loop indices, ops whose
    smallest tile exceeds the budget.

    Needs: tensor.
    Leaves: tiled.
    """

    name: ClassVar[str] = "hexagon-tcm-tiling"
    needs: ClassVar[str] = "tensor"
    leaves: ClassVar[str] = "tiled"

    tcm_bytes: int = 0

    def run(self, module: ir.Module, context: PassContext) -> None:
        """Place buffers, tile what reads DDR, copy the slices."""
        budget = self.tcm_bytes or context.target.tcm_budget_bytes
        alignment = int(context.target.tcm_alignment.value)
        placement = place_buffers(module, budget, int(context.target.vector_bytes.value), alignment)
        for op, reason in placement.refused:
            self.remark(context, op, reason)
        sizes = self._decide(module, placement, budget, alignment, context)
        if any(s is not None and any(s) for s in sizes):
            apply_schedule(module, _schedule(sizes), self.name, context)
        else:
            _mark(module, sizes)
        for op in _linalg_ops(module):
            if _MARK in op.attributes:
                del op.attributes[_MARK]
                promote(op, placement.wants_tcm)
        return_from_tcm(module)

    def _decide(self, module: ir.Module, placement: Placement, budget: int, alignment: int,
                context: PassContext) -> list[list[int] | None]:
        """Tile sizes per linalg op in order; 0 = that loop whole, None = leave the op alone."""
        decisions: list[list[int] | None] = []
        for op in _linalg_ops(module):
            if not placement.reads_ddr(op):
                decisions.append(None)
                continue
            description = _describe(op)
            if isinstance(description, str):
                self.remark(context, op, f"stays in DDR: {description}")
                decisions.append(None)
                continue
            extents, parallel, operands = description
            vectorized = vector_loop(len(extents), [o.loops for o in operands])
            along_parallel = vectorized is not None and parallel[vectorized]
            narrowest = min(o.element_bytes for o in operands)
            lanes = context.target.lanes(8 * narrowest) if along_parallel else 1
            tile = choose_tile(extents, parallel, operands, budget, lanes, alignment)
            if tile is None:
                self.remark(context, op, f"stays in DDR: the smallest tile exceeds the budget of {budget} bytes")
            decisions.append(None if tile is None else
                             [0 if t == e else t for t, e in zip(tile, extents, strict=True)])
        return decisions


def _schedule(sizes: list[list[int] | None]) -> str:
    """A transform sequence that tiles op number i by ``sizes[i]`` and marks the tiled op."""
    handles = [f"%op{i}" for i in range(len(sizes))]
    any_op = "!transform.any_op"
    lines = [f"    %ops = transform.structured.match interface{{LinalgOp}} in %root : ({any_op}) -> {any_op}"]
    if len(sizes) == 1:
        handles = ["%ops"]
    else:
        kinds = ", ".join([any_op] * len(sizes))
        lines.append(f"    {', '.join(handles)} = transform.split_handle %ops : ({any_op}) -> ({kinds})")
    for number, (handle, tile) in enumerate(zip(handles, sizes, strict=True)):
        if tile is None:
            continue
        tiled = handle
        if any(tile):
            tiled = f"%tiled{number}"
            loops = [f"%loop{number}_{i}" for i, t in enumerate(tile) if t]
            results = ", ".join([any_op] * (1 + len(loops)))
            lines.append(f"    {', '.join([tiled, *loops])} = transform.structured.tile_using_for {handle} "
                         f"tile_sizes [{', '.join(map(str, tile))}] : ({any_op}) -> ({results})")
        lines.append(f'    transform.annotate {tiled} "{_MARK}" : {any_op}')
    return wrap_sequence("\n".join(lines) + "\n")


def _mark(module: ir.Module, sizes: list[list[int] | None]) -> None:
    for op, tile in zip(_linalg_ops(module), sizes, strict=True):
        if tile is not None:
            op.attributes[_MARK] = ir.UnitAttr.get()


def _describe(op: ir.Operation) -> tuple[list[int], list[bool], list[Footprint]] | str:
    """Extents, parallel flags and footprints of ``op``, or why it cannot be tiled."""
    maps = [ir.AffineMapAttr(a).value for a in indexing_maps(op)]
    iterators = [str(a) for a in op.attributes["iterator_types"]] if "iterator_types" in op.attributes else None
    extents: dict[int, int] = {}
    operands = []
    for value, map_ in zip(op.operands, maps, strict=True):
        if not isinstance(value.type, ir.RankedTensorType):
            operands.append(Footprint((), 4))
            continue
        loops = []
        for position, result in enumerate(map_.results):
            if value.type.is_dynamic_dim(position):
                return "dynamic shape"
            if not isinstance(result, ir.AffineDimExpr):
                return f"index expression {result} is not a plain loop index"
            extents[result.position] = value.type.shape[position]
            loops.append(result.position)
        operands.append(Footprint(tuple(loops), element_bytes(value.type.element_type)))
    count = maps[0].n_dims
    if len(extents) != count:
        return "a loop that indexes no operand"
    if iterators is None:
        written = {r.position for r in maps[-1].results}
        parallel = [loop in written for loop in range(count)]
    else:
        parallel = ["parallel" in text for text in iterators]
    return [extents[loop] for loop in range(count)], parallel, operands


def _linalg_ops(module: ir.Module) -> list[ir.Operation]:
    return find_ops(module, lambda op: op.name.startswith("linalg.") and len(op.regions) == 1 and len(op.results) > 0)

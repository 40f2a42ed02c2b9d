"""Working sets into TCM."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar

from hexagon_mlir.dialects.block_weights import ROWS_LOOP, TILES_LOOP, code_bits
from hexagon_mlir.dialects.kernel_memory import IN_MODEL
from hexagon_mlir.ir import ir
from hexagon_mlir.ir.cost import estimated_cycles
from hexagon_mlir.ir.query import functions
from hexagon_mlir.pass_infra import CLEAN, Pass, PassContext, UpstreamStep
from hexagon_mlir.passes.lib.cached_results import most_cached_bytes
from hexagon_mlir.passes.lib.engine_tiles import is_for_engine
from hexagon_mlir.passes.lib.thread_cost import ForkCost
from hexagon_mlir.passes.lib.vector_loop import dims_of
from hexagon_mlir.passes.tcm_tiling.blocks import place_blocks
from hexagon_mlir.passes.tcm_tiling.destinations import forget_overwritten
from hexagon_mlir.passes.tcm_tiling.groups import (
    Group,
    alone,
    find_groups,
    is_fill,
    is_linalg,
    linalg_ops,
    streaming,
)
from hexagon_mlir.passes.tcm_tiling.loops import place_for_loops
from hexagon_mlir.passes.tcm_tiling.place import has_own_buffers
from hexagon_mlir.passes.tcm_tiling.promote import promote_group, settle
from hexagon_mlir.passes.tcm_tiling.region import footprints, place_between, vector_lanes
from hexagon_mlir.passes.tcm_tiling.run_time_tiles import RunTimeTile, run_time_tile, set_step
from hexagon_mlir.passes.tcm_tiling.schedule import HOIST, tile_groups
from hexagon_mlir.passes.tcm_tiling.sizes import (
    Role,
    choose_tile,
    overlapping_tile,
    steps_together,
    streamed_tile,
    transposed_loops,
    working_set,
)
from hexagon_mlir.targets.dma import Engine

_GAPS = 16
"""The part of TCM that is left for gaps between buffers."""

_UNBOUNDED = 1 << 30
"""Trip count of a loop of which no tile is all."""

_TILES_OF_TCM = 8
"""Tiles of weights that earlier kernels fetch: four of a kernel and of the next one."""


@dataclass(frozen=True)
class HexagonTcmTilingPass(Pass):
    """Moves the data that a kernel works on into TCM, tile by tile.

    Ops that read each other's results form groups. A group shares one loop over tiles of its last op: each tile of an
    input is copied once, intermediates exist only as tiles in TCM, results are copied back tile by tile, and
    loop-invariant data are copied before the loop. Tiles fit the budget, counting two of everything that is
    transferred, and are small enough to overlap transfers with computation, if that is predicted to pay; of weights in
    blocks in a kernel of a model, whose first tiles earlier kernels fetch, they are as large as an eighth of TCM if
    threads share them evenly; a row of the first kernel has smaller ones. Of a loop with a trip count that is known at
    run time, the step is what is chosen for that count, computed before the loop. A group whose tiles do not fit (a
    softmax of long rows) is split, and its reductions are then tiled as well: the loop carries the results accumulated
    so far. A reduction without another loop to overlap transfers with is tiled in the same way.
    Results that only other groups or transfers to TCM read stay there where they fit, and so do those of products that
    are put together from blocks, where groups read them; if they are results of the function, too, they are copied to
    DDR once they are whole. What a loop of the program carries, or reads in every
    iteration, moves to TCM before the loop, up to half of the budget.
    Kernels with buffers of their own (Triton kernels) are left to `hexagon-tcm-placement`.

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
        tile-sizes: the tile of groups with so many loops, outermost first, 0 for a whole loop; nothing: it is chosen.
        threads: as many may share a tile's work; 0 takes the target's HVX contexts.

    Refuses (with a remark; the op works on DDR): sizes known at run time only, but for that of one parallel loop, where
    all ops of the group share its tiles; indices other than plain loop indices, ops without indexing maps, ops whose
    smallest tile exceeds the budget.

    Needs: tensor.
    Leaves: tiled.
    """

    name: ClassVar[str] = "hexagon-tcm-tiling"
    needs: ClassVar[str] = "tensor"
    leaves: ClassVar[str] = "tiled"
    runs: ClassVar[tuple[UpstreamStep, ...]] = (HOIST, CLEAN)

    tcm_bytes: int = 0
    tile_sizes: tuple[int, ...] = ()
    threads: int = 0

    def run(self, module: ir.Module, context: PassContext) -> None:
        """Tile each function group by group, but for those that `hexagon-tcm-placement` is for."""
        if any(size < 0 for size in self.tile_sizes):
            raise self.refuse(module.operation, f"tile-sizes={','.join(map(str, self.tile_sizes))}",
                              "elements of a tile along each loop, 0 for all")
        for op in functions(module):
            if not has_own_buffers(op):
                forget_overwritten(op)
                self._tile_groups(module, op, context)

    def _tile_groups(self, module: ir.Module, function: ir.Operation, context: PassContext) -> None:
        """One tile loop per group of ops; results that other groups read stay in TCM where they fit."""
        target = context.target
        budget = self.tcm_bytes or target.tcm_budget_bytes
        small = int(target.vector_bytes.value)
        groups: list[Group] = []
        for block in _blocks(function):
            ops = [op.operation for op in block.operations if is_linalg(op.operation)
                   and not is_for_engine(op.operation)]
            groups += find_groups(ops, lambda op, reason: self.remark(context, op, f"stays in DDR: {reason}"))
        if any(group.dynamic is not None for group in groups):
            budget -= budget // _GAPS  # iterations of dynamic loops over chunks allocate
        groups = [part for group in groups for part in self._parts(group, budget, context)]
        half, room = budget // 2, budget - budget // _GAPS
        budget -= place_for_loops(function, groups, half, small)
        given = place_between(groups, half, room, small)
        budget -= given + place_blocks(function, groups, half - given, room - given, small)
        tiled: list[tuple[Group, list[int]]] = []
        steps: dict[int, RunTimeTile] = {}
        for group in groups:
            if group.dynamic is not None and all(is_fill(op) for op in group.members):
                continue  # vector stores take no longer
            tile = self._choose(group, budget, context)
            if tile and group.dynamic is not None and len(self.tile_sizes) != len(group.extents):
                steps[len(tiled)] = self._run_time(group, tile, budget, context)
                tile[group.dynamic] = steps[len(tiled)].most
            if tile == group.extents:
                promote_group(group.members, None, small)
            elif tile is None:
                self._stays(group.root, budget, context)
            elif tile:
                tiled.append((group, [0 if t == e else t for t, e in zip(tile, group.extents, strict=True)]))
        copies: dict[int, dict[ir.Value, ir.Value]] = {}
        for tiles in tile_groups(module, tiled, self.name, context):
            if tiles.number in steps and tiles.loop is not None:
                set_step(tiles.loop, steps[tiles.number])
            promote_group(tiles.ops, tiles.loop, small, tiles.carries, copies.setdefault(tiles.number, {}))
        settle(function)

    def _parts(self, group: Group, budget: int, context: PassContext) -> list[Group]:
        """``group``; smaller ones where its tiles exceed ``budget`` or a reduction in tiles hides its transfers."""
        if group.dynamic is not None:
            return [group]
        part = streaming(group)
        rest = [op for op in group.members if op not in part.members]
        tile = self._choose(group, budget, context)
        if not rest and part.cuttable == group.cuttable:
            if tile is not None or len(group.members) == 1:
                return [group]
            part, rest = alone(group.root), group.members[:-1]  # reductions among them can be tiled on their own
        if tile is not None:
            tiles = self._choose(part, budget, context) if all(is_fill(op) for op in rest) else None
            ragged = tiles and any(e % t for e, t in zip(part.extents, tiles, strict=True))
            if tile != group.extents or tiles in (None, part.extents) or (ragged and self.threads != 1):
                return [group]  # threads share reductions of sizes known now
        others = find_groups(rest, lambda op, reason: None)
        return [*(smaller for other in others for smaller in self._parts(other, budget, context)), part]

    def _choose(self, group: Group, budget: int, context: PassContext) -> list[int] | None:
        """Tile sizes of the root's loops; none where nothing is moved, None when the smallest exceeds ``budget``.

        A loop with a count that is known at run time must be cut: others only where it does not suffice.
        """
        if group.dynamic is None:
            return self._tile(group, budget, context)
        only = replace(group, cuttable=[group.dynamic])
        tile = self._tile(only, budget, context) or self._tile(group, budget, context)
        if tile:
            tile[group.dynamic] = min(tile[group.dynamic], group.extents[group.dynamic] // 2)  # all has no bound
        return tile

    def _run_time(self, group: Group, tile: list[int], budget: int, context: PassContext) -> RunTimeTile:
        """Sizes of the tiles of the loop of ``group`` that has a dynamic extent; ``tile`` are those of the others."""
        loop = group.dynamic
        assert loop is not None

        def of(count: int, overlapping: bool = True) -> int:
            extents = [count if at == loop else size for at, size in enumerate(group.extents)]
            found = self._tile(replace(group, extents=extents), budget, context, overlapping)
            return found[loop] if found and [*found[:loop], *found[loop + 1:]] == [
                *tile[:loop], *tile[loop + 1:]] else min(count, tile[loop])

        unit = max(vector_lanes(group, footprints(group), context.target) if loop == max(group.cuttable) else 1, 1)
        return run_time_tile(of, unit, of(_UNBOUNDED, overlapping=False))

    def _tile(self, group: Group, budget: int, context: PassContext, overlapping: bool = True) -> list[int] | None:
        """The same, where an extent may be assumed and the tile all of it. Not ``overlapping``: the largest that fits.
        """
        target = context.target
        alignment = int(target.tcm_alignment.value)
        operands = footprints(group)
        if 0 in group.extents or not any(o.role is not Role.KEEP for o in operands):
            return []
        lanes = vector_lanes(group, operands, target)
        cuttable = [loop in group.cuttable for loop in range(len(group.extents))]
        if len(self.tile_sizes) == len(group.extents):
            given = [min(size or extent, extent) if cut else extent
                     for size, extent, cut in zip(self.tile_sizes, group.extents, cuttable, strict=True)]
            return given if working_set(given, operands, alignment, group.extents) <= budget else None
        transposed = transposed_loops(dims_of(group.root) or [] if all(group.parallel) else [], len(group.extents))
        tile = choose_tile(group.extents, cuttable, operands, budget, lanes, alignment, transposed)
        if tile is None or not overlapping:
            return tile
        work = sum(estimated_cycles(op, int(target.vector_bytes.value), float(target.hvx_issue_interval_cycles.value),
                                    group.size) or 0.0 for op in group.members)
        threads = ForkCost.of(target, self.threads)
        tile = overlapping_tile(group.extents, tile, cuttable, operands, lanes, Engine.of(target), work,
                                len(group.members), threads.spread, threads.tasks, transposed,
                                most_cached_bytes(target), steps_together(operands, int(target.vector_bytes.value)))
        if code_bits(group.root) and tile != group.extents and _is_streamed(group):
            return streamed_tile(group.extents, tile, TILES_LOOP, operands, budget, threads.tasks,
                                 target.tcm_budget_bytes // _TILES_OF_TCM)
        return tile

    def _stays(self, op: ir.Operation, budget: int, context: PassContext) -> None:
        self.remark(context, op, f"stays in DDR: the smallest tile exceeds the budget of {budget} bytes")


def _is_streamed(group: Group) -> bool:
    """Whether earlier kernels of a model may fetch the first tiles of ``group``: they compute what it reads. Several
    rows take longer than their weights' transfer, so that in the first kernel, too, few tiles are best."""
    function: ir.Operation = group.root
    while function.name != "func.func":
        function = function.parent.operation
    if IN_MODEL not in function.attributes:
        return False
    given = function.attributes[IN_MODEL]
    arguments = range(len(function.regions[0].blocks[0].arguments))
    is_first = isinstance(given, ir.DenseI64ArrayAttr) and set(arguments) <= set(given)
    return not is_first or group.extents[ROWS_LOOP] > 1


def _blocks(function: ir.Operation) -> list[ir.Block]:
    """Every block of ``function`` with linalg ops on tensors."""
    found: list[ir.Block] = []
    for op in linalg_ops(function):
        if op.block not in found:
            found.append(op.block)
    return found

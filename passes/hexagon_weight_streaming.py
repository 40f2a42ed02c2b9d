"""The first tiles of a kernel's weights come while an earlier kernel of the model computes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from hexagon_mlir.dialects.kernel_memory import IN_MODEL, KernelMemory, write
from hexagon_mlir.ir import erase_op, func, ir, memref
from hexagon_mlir.ir.constants import index
from hexagon_mlir.ir.engine_operations import ENGINE_PRODUCT
from hexagon_mlir.ir.query import functions, in_tcm, ops_named
from hexagon_mlir.pass_infra import Pass, PassContext
from hexagon_mlir.passes.weight_streaming.build import (
    add_argument,
    close_gap,
    declare,
    declare_start,
    is_arena,
    start_next,
    start_tiles,
    tag_of,
    take_arena,
    take_slot,
)
from hexagon_mlir.passes.weight_streaming.find import (
    FirstTile,
    count_started_first,
    fetches,
    find_first_tiles,
    find_starts,
    find_starts_after_fetches,
    find_work,
)
from hexagon_mlir.passes.weight_streaming.rounds import find_rounds, start_in_rounds
from hexagon_mlir.passes.weight_streaming.spare import later_cycles, spare_cycles, spare_cycles_after
from hexagon_mlir.targets import Target
from hexagon_mlir.targets.dma import Engine

WAIT, DMA_START = "hexmlir_rt_dma_wait", "memref.dma_start"
_LEAST_SPARE = 8192
"""Cycles of work for which a kernel without a tile starts a later one's: two more arguments cost some hundreds."""
_WITHIN = 0.5
"""Part of the transfer of its first tile that a kernel's work on it takes at least: others wait for memory most of the
time, and a tile that one of them starts delays its own transfers."""
_MOST_TILES = 8
"""Tiles of a kernel on the matrix engine: each is an argument."""
_MOST_TRANSFERS = 24
"""Of any other kernel: four tiles of codes, upper bits, scales, minima and the factors of both."""


@dataclass(frozen=True)
class HexagonWeightStreamingPass(Pass):
    """Prefetches a kernel's first tiles of weights in an earlier kernel of the model.

    A function marked ``hexagon.in_model`` (with the numbers of the arguments that exist before the model runs) gets its
    TCM from its caller, which plans the TCM of all kernels. The caller passes the arena, and the memory of the
    function's first tiles: blocks of such arguments that are always fetched, and before all work on their memory. Where
    the matrix engine computes products, these are the first eight, in order, elsewhere the largest one and those that
    the same loop works on, as scales are beside codes, 24 at most.
    ``hexmlir_rt_tile_start(records, number, 1)`` replaces such a fetch: it starts the transfer unless an earlier kernel
    has started it, and returns its tag. Where the matrix engine computes nothing, it stands at the beginning of the
    function, unless something else is fetched before: what a kernel does before that loop overlaps with the transfer.
    After the last fetch of the loop that works on the tile, or after that of the kernel where the loop has none,
    ``hexmlir_rt_tile_start(records, 0, count)`` starts the transfers of ``count`` tiles of a later kernel, or of none.
    It does not start sooner, because transfers reach memory one after the other: it would delay the kernel's own
    transfers. In a kernel without a tile, and in one whose products the matrix engine computes, it stands after the
    last fetch of all. Where that is in a parallel loop, as in attention, the thread of the first iteration starts a
    part of the tiles in each of its iterations, after the fetches of the threads beside it.

    The attribute ``hexagon.tcm`` describes the arguments that are added after the others: for each of the tiles
    (argument, offset, bytes of a row, rows, stride, bytes of its memory) its memory, then the address of their records;
    the arena; and with ``spare`` (the estimated cycles of work after the last fetch, in a kernel without a tile at
    least 8,192) the address of the later tiles' records and their number. The kernel begins with the transfers of the
    first ``leading`` tiles.

    Before:
        func.func @f(%w: memref<32768xf32>, %y: memref<32768xf32>)
            attributes {hexagon.in_model = array<i64: 0>} {
          %c0 = arith.constant 0 : index
          %c1 = arith.constant 1 : index
          %arena = memref.alloc() {alignment = 128 : i64} : memref<262144xi8, 1>
          %slot = memref.view %arena[%c0][] {hexagon.tcm_slot} : memref<262144xi8, 1> to memref<131072xi8, 1>
          %c131072 = arith.constant 131072 : index
          %other = memref.view %arena[%c131072][] {hexagon.tcm_slot} : memref<262144xi8, 1> to memref<131072xi8, 1>
          %t = memref.view %slot[%c0][] : memref<131072xi8, 1> to memref<32768xf32, 1>
          %u = memref.view %other[%c0][] : memref<131072xi8, 1> to memref<32768xf32, 1>
          memref.copy %w, %t : memref<32768xf32> to memref<32768xf32, 1>
          scf.for %i = %c0 to %c131072 step %c1 {
            linalg.exp ins(%t : memref<32768xf32, 1>) outs(%u : memref<32768xf32, 1>)
          }
          memref.copy %u, %y : memref<32768xf32, 1> to memref<32768xf32>
          memref.dealloc %arena : memref<262144xi8, 1>
          return
        }

    After:
        func.func private @hexmlir_rt_dma_wait(i32)
        func.func private @hexmlir_rt_tile_start(index, index, index) -> i32
        func.func @f(%arg0: memref<32768xf32>, %arg1: memref<32768xf32>, %arg2: memref<131072xi8, 1>, %arg3: index,
            %arg4: memref<131072xi8, 1>, %arg5: index, %arg6: index) attributes {hexagon.tcm = {arena = 131072 : i64,
            leading = 1 : i64, spare = 536870912 : i64, tiles = [array<i64: 0, 0, 131072, 1, 131072, 131072>]}} {
          %assume_align = memref.assume_alignment %arg4, 128 : memref<131072xi8, 1>
          %c0 = arith.constant 0 : index
          %c1 = arith.constant 1 : index
          %0 = call @hexmlir_rt_tile_start(%arg3, %c0, %c1) : (index, index, index) -> i32
          %assume_align_0 = memref.assume_alignment %arg2, 128 : memref<131072xi8, 1>
          %c0_1 = arith.constant 0 : index
          %view = memref.view %assume_align_0[%c0_1][] {hexagon.tcm_slot} : memref<131072xi8, 1> to memref<131072xi8, 1>
          %c0_2 = arith.constant 0 : index
          %c1_3 = arith.constant 1 : index
          %c131072 = arith.constant 131072 : index
          %c0_4 = arith.constant 0 : index
          %view_5 = memref.view %assume_align[%c0_4][] {hexagon.tcm_slot} : memref<131072xi8, 1> to memref<131072xi8, 1>
          %view_6 = memref.view %view[%c0_2][] : memref<131072xi8, 1> to memref<32768xf32, 1>
          %view_7 = memref.view %view_5[%c0_2][] : memref<131072xi8, 1> to memref<32768xf32, 1>
          call @hexmlir_rt_dma_wait(%0) : (i32) -> ()
          %c0_8 = arith.constant 0 : index
          %1 = call @hexmlir_rt_tile_start(%arg5, %c0_8, %arg6) : (index, index, index) -> i32
          scf.for %arg7 = %c0_2 to %c131072 step %c1_3 {
            linalg.exp ins(%view_6 : memref<32768xf32, 1>) outs(%view_7 : memref<32768xf32, 1>)
          }
          memref.copy %view_7, %arg1 : memref<32768xf32, 1> to memref<32768xf32>
          return
        }

    Options:
        tile-bytes: first transfers of fewer bytes stay where they are; 0 takes those that the core copies sooner than
            the DMA.

    Refuses (with a remark): TCM allocations in addition to one arena; the kernel then has the whole TCM. A kernel on
    HVX with less work than the transfer of its first tile takes has no tile. A kernel whose loop on the tile fetches in
    more than one way starts no transfer of a later one.

    Needs: buffer.
    Leaves: buffer.
    """

    name: ClassVar[str] = "hexagon-weight-streaming"
    needs: ClassVar[str] = "buffer"
    leaves: ClassVar[str] = "buffer"

    tile_bytes: int = 0

    def run(self, module: ir.Module, context: PassContext) -> None:
        """Rewrite the kernel of a model that ``module`` is."""
        for function in [op for op in functions(module) if IN_MODEL in op.attributes]:
            arguments = function.attributes[IN_MODEL]
            if not isinstance(arguments, ir.DenseI64ArrayAttr):
                raise self.refuse(function, f"{IN_MODEL} is not an array of i64", "the scheduler of models writes it")
            given = list(arguments)
            del function.attributes[IN_MODEL]
            allocations = [op for op in ops_named(module, "memref.alloc") if in_tcm(op.results[0].type)]
            if any(not is_arena(op, function) for op in allocations) or len(allocations) > 1:
                self.remark(context, function, "keeps all of TCM: it has buffers outside its arena")
                continue
            arena = allocations[0] if allocations else None
            write(function, self._rewrite(module, function, arena, given, context) if arena else KernelMemory(0))

    def _rewrite(self, module: ir.Module, function: ir.Operation, arena: ir.Operation, given: list[int],
                 context: PassContext) -> KernelMemory:
        block = function.regions[0].blocks[0]
        alignment = int(context.target.vector_bytes.value)
        engine = Engine.of(context.target)
        transfers = find_first_tiles(block, arena, given)
        found = [one for one in transfers if one.tile.nbytes >= (self.tile_bytes or engine.break_even_bytes)]
        places: list[ir.Operation] | str
        places, spare = _ends_of_fetches(function, engine.break_even_bytes, context.target)
        if not found:
            self.remark(context, function, "no first tile: no large block is always fetched before all work on it")
        elif not ops_named(function, ENGINE_PRODUCT):
            first = max(found, key=lambda one: one.tile.nbytes)
            work = find_work(first, block)
            found = [one for one in transfers if one is first or (
                one.fetch.name == DMA_START and work is not None and find_work(one, block) == work)][:_MOST_TRANSFERS]
            places = find_starts(work) if work is not None else "nothing works on the tile"
            spare = 0 if isinstance(places, str) else spare_cycles(places, context.target)
            later = later_cycles(work, context.target) if spare and work is not None else 0
            if isinstance(places, str):
                self.remark(context, work or function, f"prefetches no tile of a later kernel: {places}")
            elif spare < _WITHIN * (engine.start + engine.busy(first.tile.nbytes)):
                self.remark(context, function,
                            f"no first tile: half of its transfer takes longer than the {spare} cycles of work")
                found = []
            else:
                spare += later
                if places == [work]:  # nothing is fetched after the tiles
                    own = {one.fetch for one in found[:count_started_first(found, block, engine.break_even_bytes)]}
                    places = find_starts_after_fetches(block, engine.break_even_bytes, own)
        else:
            found = found[:_MOST_TILES]
        rounds = None
        if spare < (1 if found else _LEAST_SPARE) and (not found or ops_named(function, ENGINE_PRODUCT)):
            rounds = find_rounds(block, engine.break_even_bytes, context.target)
            spare = max(spare, rounds.spare) if rounds is not None else spare
        early = 0 if ops_named(function, ENGINE_PRODUCT) else count_started_first(found, block, engine.break_even_bytes)
        self._take_tiles(module, function, found, early, arena, alignment)
        tiles = tuple(one.tile for one in found)
        arena_bytes = take_arena(function, arena, alignment)
        if isinstance(places, str) or spare < (1 if tiles else _LEAST_SPARE):
            return KernelMemory(arena_bytes, tiles, leading=early)
        declare_start(module)
        records, count = (add_argument(function, ir.IndexType.get()) for _ in range(2))
        if rounds is not None:
            start_in_rounds(rounds, records, count)
        for op in places if rounds is None else ():
            start_next(op, records, count)
        return KernelMemory(arena_bytes, tiles, spare, early)

    def _take_tiles(self, module: ir.Module, function: ir.Operation, found: list[FirstTile], early: int,
                    arena: ir.Operation, alignment: int) -> None:
        """Make the memory of each of ``found`` an argument, and the address of their records. The transfers of the
        first ``early`` ones are started before all else."""
        if not found:
            return
        declare_start(module)
        for one in sorted(found, key=lambda one: -one.offset):  # the offsets of those before it stay
            close_gap(arena, one)
        slots = [take_slot(function, one.tile.slot_bytes, alignment) for one in found]
        records = add_argument(function, ir.IndexType.get())
        with function.location, ir.InsertionPoint.at_block_begin(function.regions[0].blocks[0]):
            tags = [start_tiles(records, index(number), index(1)) for number in range(early)]
        for number, (one, slot) in enumerate(zip(found, slots, strict=True)):
            one.slot.results[0].replace_all_uses_with(slot)
            erase_op(one.slot, self.name)
            self._start_own(module, one.fetch, tags[number] if number < early else None, records, number)

    def _start_own(self, module: ir.Module, fetch: ir.Operation, tag: ir.Value | None, records: ir.Value,
                   number: int) -> None:
        """In place of ``fetch``: start the tile's transfer, unless ``tag`` tells that it has been, or an earlier kernel
        has."""
        with fetch.location, ir.InsertionPoint(fetch):
            tag = start_tiles(records, index(number), index(1)) if tag is None else tag
            if fetch.name == "memref.copy":
                declare(module, WAIT, [ir.IntegerType.get_signless(32)], [])
                func.CallOp([], ir.FlatSymbolRefAttr.get(WAIT), [tag])
            else:
                tags, at = tag_of(fetch)
                memref.store(tag, tags, [at])
        erase_op(fetch, self.name)


def _ends_of_fetches(function: ir.Operation, least_bytes: int, target: Target) -> tuple[list[ir.Operation], int]:
    """Where the last transfer of ``function`` has been started, and the cycles of work after that. Where it branches,
    that is so in each block that fetches, and the cycles are the most of one."""
    blocks = list(function.regions[0].blocks)
    with_fetches = [block for block in blocks if any(fetches(view.operation, least_bytes) for view in block.operations)]
    places: list[ir.Operation] = []
    spare = 0
    for block in with_fetches if len(blocks) > 1 and with_fetches else blocks[:1]:
        ends = find_starts_after_fetches(block, least_bytes)
        places += ends
        spare = max(spare, spare_cycles_after(ends, block, target))
    return places, spare

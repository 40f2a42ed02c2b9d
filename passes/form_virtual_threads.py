"""Work on tensors, spread over virtual threads."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import prod
from typing import ClassVar

from hexagon_mlir.dialects.programs import Order, forget, may_spread, order_on
from hexagon_mlir.ir import INDEX_BITS, ir
from hexagon_mlir.ir.query import find_ops, functions
from hexagon_mlir.pass_infra import Pass, PassContext
from hexagon_mlir.passes.lib.chunk_choice import Cut, choose_cut, choose_split, refine_cut
from hexagon_mlir.passes.lib.engine_tiles import is_for_engine
from hexagon_mlir.passes.lib.program_spread import Grid, program_cycles
from hexagon_mlir.passes.lib.thread_cost import ForkCost, least_programs
from hexagon_mlir.passes.virtual_threads.build import ForallBuilder
from hexagon_mlir.passes.virtual_threads.groups import BlockOrder, Group, Member, grow
from hexagon_mlir.passes.virtual_threads.nests import ThreadNest, is_linalg, read
from hexagon_mlir.passes.virtual_threads.reductions import read_reduction
from hexagon_mlir.passes.virtual_threads.run_time_chunks import chunk_sizes, fine_units

_WORD = INDEX_BITS // 8
"""Bytes that two threads never both write in."""
_LONG_BODY = 40
_NEAR = 1.02
"""Columns of elementwise ops with so many operations are shared where that saves more than so many times as much as
rows, which vector code joins: a product with GELU of 197x768 takes 53,413 cycles in columns, 46,048 in rows."""


@dataclass(frozen=True)
class FormVirtualThreadsPass(Pass):
    """Distributes groups of linalg ops over threads where that pays: all ops of a group share one scf.forall.

    Each iteration is a virtual thread, which runs the whole group on its slices. The work, and the target's overhead of
    starting and joining tasks, decide whether this pays and into which chunks the loops are split. Loops with equal
    iterations get one chunk for each thread; others get more chunks, dealt round-robin, where this balances better.
    So do short elementwise ones where the main thread can run more chunks than the others while these start
    (``hexagon.iteration_cycles``, the estimate for a chunk, decides in `form-async-threads`).
    Chunks end at whole vectors. Of a loop with a trip count that is known at run time, chunks are computed from the
    count: as many as of its bound, no smaller than pays. A reduction with too few results for the threads is split
    along its reduction dimension: each thread computes partial results, and a small op combines them. Sums of floats
    are then added in another order, as in vectors.

    Independent programs of a Triton kernel run in parallel: ``NAME.grid`` runs a whole launch, on several threads when
    there are enough programs. A kernel with parallel loops of its own becomes ``NAME.program``, which has an argument
    that says whether it may fork; it may not fork when there are as many programs as threads. Its chunks then run as
    one chunk if they have equal length and only elementwise work (`serialize-forall`). If other chunks would cost a
    program too much, ``NAME.program`` is a copy without them, and the kernel is compiled twice.

    Before:
        func.func @f(%x: tensor<65536xf32>, %y: tensor<65536xf32>) -> tensor<65536xf32> {
          %0 = linalg.add ins(%x, %x : tensor<65536xf32>, tensor<65536xf32>) outs(%y : tensor<65536xf32>)
              -> tensor<65536xf32>
          return %0 : tensor<65536xf32>
        }

    After:
        func.func @f(%x: tensor<65536xf32>, %y: tensor<65536xf32>) -> tensor<65536xf32> {
          %0 = scf.forall (%i) = (0) to (65536) step (16384) shared_outs(%o = %y) -> (tensor<65536xf32>) {
            %a = tensor.extract_slice %x[%i] [16384] [1] : tensor<65536xf32> to tensor<16384xf32>
            %c = tensor.extract_slice %o[%i] [16384] [1] : tensor<65536xf32> to tensor<16384xf32>
            %d = linalg.add ins(%a, %a : tensor<16384xf32>, tensor<16384xf32>) outs(%c : tensor<16384xf32>)
                -> tensor<16384xf32>
            scf.forall.in_parallel {
              tensor.parallel_insert_slice %d into %o[%i] [16384] [1] : tensor<16384xf32> into tensor<65536xf32>
            }
          } {hexagon.iteration_cycles = 4136 : i64}
          return %0 : tensor<65536xf32>
        }

    Options:
        threads: most threads at a time; 0 takes the target's HVX contexts, 1 leaves everything as it is. A number
            also spreads programs that are not seen to be independent (those with atomics never).
        min-cycles: work of at least so many cycles (of one thread) is spread; 0 decides by the cost estimate.

    Refuses (with a remark; the op stays on one thread): a loop that is a plain index of no operand
    or whose dynamic size is not seen, work too small to pay for the threads.

    Needs: tiled.
    Leaves: tiled.
    """

    name: ClassVar[str] = "form-virtual-threads"
    needs: ClassVar[str] = "tiled"
    leaves: ClassVar[str] = "tiled"

    threads: int = 0
    min_cycles: int = 0

    def run(self, module: ir.Module, context: PassContext) -> None:
        """Form the groups of every block and spread those that are worth it."""
        if self.threads < 0:
            raise self.refuse(module.operation, f"threads={self.threads}", "0, or how many threads there may be")
        kernels = self._kernels(module, context)
        if self.threads == 1:
            return
        cost = ForkCost.of(context.target, self.threads)
        if kernels:
            cost = cost.beside_others()
        todo: list[tuple[ir.Operation, ThreadNest]] = []
        for op in find_ops(module, is_linalg):
            if is_for_engine(op):
                continue
            nest = read(op, context.target)
            if isinstance(nest, str):
                self.remark(context, op, f"one thread: {nest}")
            elif _is_frame(op):
                self.remark(context, op, "one thread: only the border around the inserted slice will be filled")
            elif not _in_parallel_loop(op):
                todo.append((op, nest))
        grids = []
        for kernel in kernels:
            cycles = program_cycles(kernel, context.target)
            grids.append(Grid(kernel, cycles, least_programs(cycles, cost, self.min_cycles)))
        self._spread(todo, cost, context)
        for grid in grids:
            if grid.write(cost.tasks, context.target):
                self.remark(context, grid.kernel, "compiled twice, for threads and for programs in parallel: "
                                                  "chunks for threads would cost a program too much")

    def _kernels(self, module: ir.Module, context: PassContext) -> list[ir.Operation]:
        """The Triton kernels whose programs may run in parallel. All marks are taken away."""
        found = []
        for function in functions(module):
            try:
                order = order_on(function)
            except ValueError as error:
                raise self.refuse(function, str(error), "triton-to-linalg writes it") from None
            forget(function)
            if may_spread(order, self.threads):
                found.append(function)
            elif order is Order.UNPROVEN and self.threads == 0:
                self.remark(context, function, "programs run one after another: they are not known to be independent; "
                                               "threads=N runs them in parallel")
        return found

    def _spread(self, todo: list[tuple[ir.Operation, ThreadNest]], cost: ForkCost, context: PassContext) -> None:
        """Form groups of ``todo`` and write a parallel loop for each that pays."""
        vector = int(context.target.vector_bytes.value)
        order: BlockOrder | None = None
        while todo:
            order = order if order is not None and order.block == todo[0][0].block else BlockOrder(todo[0][0])
            group, cut = self._best(_together(todo), order, cost, vector)
            members = [member.op for member in group.members]
            gain = None if cut is None else group.cycles - cost.time(group.cycles, cut.chunks)
            idle = cut is not None and cut.chunks.count < cost.tasks  # a reduction among them may occupy all
            least = None if idle and cost.all else gain
            rest = self._split_one(group.members if idle else group.members[:1], todo, least, cost, context)
            if rest is not None:
                todo, order = rest, None
                continue
            if cut is None:
                self.remark(context, members[0], f"one thread: about {group.cycles:.0f} cycles do not pay for threads")
                members = members[:1]
            todo = [(op, nest) for op, nest in todo if op not in members]
            if cut is not None:
                if group.elementwise and not any(group.counts):
                    cut = refine_cut(cut, group.cycles, cost, group.lanes(vector))
                each = cost.chunk_cycles(group.cycles, cut.chunks)
                ForallBuilder(group, chunk_sizes(group, cut, cost, vector), each).build()
                order = None

    def _split_one(self, members: Sequence[Member], todo: list[tuple[ir.Operation, ThreadNest]], gain: float | None,
                   cost: ForkCost, context: PassContext) -> list[tuple[ir.Operation, ThreadNest]] | None:
        """Split the first of ``members`` that `_split` does; gives ``todo`` without it, None when there is none."""
        for member in members:
            others = [(op, nest) for op, nest in todo if op != member.op]
            if self._split(member.op, member.nest, gain, cost, context):
                return others
        return None

    def _split(self, op: ir.Operation, nest: ThreadNest, gain: float | None, cost: ForkCost,
               context: PassContext) -> bool:
        """Split reduction ``op`` along what it reduces if that saves more cycles than ``gain``; None: than nothing."""
        reduction = read_reduction(op, nest)
        if reduction is None:
            return False
        vector = int(context.target.vector_bytes.value)
        unit = reduction.unit(vector)
        combine = reduction.combine_cycles(vector, float(context.target.hvx_issue_interval_cycles.value))
        chunks = choose_split(-(-reduction.extent // unit), nest.cycles, combine, cost, self.min_cycles)
        if chunks is None or not nest.allows((reduction.loop,), (chunks.sizes[0] * unit,)):
            return False
        if gain is not None and nest.cycles - cost.time(nest.cycles, chunks) - chunks.count * combine <= gain:
            return False
        reduction.split(chunks.sizes[0] * unit, vector)
        return True

    def _best(self, nests: dict[ir.Operation, ThreadNest], order: BlockOrder, cost: ForkCost,
              vector: int) -> tuple[Group, Cut | None]:
        """The group starting with the first op that gains most from threads, and how to cut it; None: not at all.

        ``nests`` must be fresh: the hash of an operation changes with its operands.
        """
        seed = next(iter(nests))
        best: tuple[Group, Cut | None] = Group((Member(seed, nests[seed], ()),), order.operations[-1]), None
        most = 0.0
        placed, first = order.at_positions(nests), order.position[seed]
        for loops in nests[seed].splits:
            group = grow(first, loops, placed, order, cost.tasks, vector)
            own = replace(cost, certain=group.certain)
            units = [] if own.exceeds(group.cycles) and not self.min_cycles else [
                group.units(vector, vector), group.units(vector, _WORD)]
            lanes = group.lanes(vector)
            cut = choose_cut(group.extents, fine_units([u for u in dict.fromkeys(units) if u], lanes, group.counts),
                             group.cycles, own, self.min_cycles, lanes, group.even(vector)) if units else None
            if cut is not None and not all(m.nest.allows(m.loops, cut.steps) for m in group.members):
                cut = None
            gain = 0.0 if cut is None else group.cycles - cost.time(group.cycles, cut.chunks)
            more = (_NEAR if group.elementwise and group.longest_body >= _LONG_BODY else 1.0) * most
            if (best[1] is None and (cut is not None or group.cycles > best[0].cycles)) or gain > more:
                best, most = (group, cut), gain
        return best


def _together(todo: list[tuple[ir.Operation, ThreadNest]]) -> dict[ir.Operation, ThreadNest]:
    """The first of ``todo`` and those that may share a parallel loop with it."""
    return dict(todo[:1]) if todo[0][1].alone else {op: nest for op, nest in todo if not nest.alone}


def _is_frame(op: ir.Operation) -> bool:
    """True for a fill into which rows are inserted that take most of it: `hexagon-fill-borders` fills the rest."""
    if any(isinstance(value.type, ir.ShapedType) for value in list(op.operands)[:-1]) or len(op.results) != 1:
        return False
    value = op.results[0]
    uses = list(value.uses)
    while len(uses) == 1 and uses[0].owner.operation.name == "tensor.expand_shape":
        value = uses[0].owner.operation.results[0]
        uses = list(value.uses)
    if len(uses) != 1 or uses[0].owner.operation.name != "tensor.insert_slice" or uses[0].operand_number != 1:
        return False
    whole, part = (ir.RankedTensorType(v.type) for v in (value, uses[0].owner.operation.operands[0]))
    return (whole.has_static_shape and part.has_static_shape and sum(size > 1 for size in part.shape) <= 2
            and 2 * prod(part.shape) >= prod(whole.shape))


def _in_parallel_loop(op: ir.Operation) -> bool:
    while (parent := op.parent) is not None and parent.operation.name != "builtin.module":
        op = parent.operation
        if op.name == "scf.forall":
            return True
    return False

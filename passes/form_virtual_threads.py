"""Work on tensors, spread over virtual threads."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from hexagon_mlir.ir import ir
from hexagon_mlir.ir.query import find_ops
from hexagon_mlir.pass_infra import Pass, PassContext
from hexagon_mlir.passes.virtual_threads.build import ForallBuilder
from hexagon_mlir.passes.virtual_threads.cost import Blocks, ForkCost, choose_blocks
from hexagon_mlir.passes.virtual_threads.groups import Group, grow, splits
from hexagon_mlir.passes.virtual_threads.nests import Nest, is_linalg, read


@dataclass(frozen=True)
class FormVirtualThreadsPass(Pass):
    """Spreads groups of linalg ops over threads where that pays: all ops of a group share one scf.forall.

    Each iteration is a virtual thread: it runs the whole group on its slices. Whether it pays, and how the loops are
    cut, is estimated from the work and the target's cost to start and join tasks. Even loops are cut into one block
    for each thread, others into more blocks that are dealt in turn where that balances better; blocks
    end at whole vectors.

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
            %b = tensor.extract_slice %x[%i] [16384] [1] : tensor<65536xf32> to tensor<16384xf32>
            %c = tensor.extract_slice %o[%i] [16384] [1] : tensor<65536xf32> to tensor<16384xf32>
            %d = linalg.add ins(%a, %b : tensor<16384xf32>, tensor<16384xf32>) outs(%c : tensor<16384xf32>)
                -> tensor<16384xf32>
            scf.forall.in_parallel {
              tensor.parallel_insert_slice %d into %o[%i] [16384] [1] : tensor<16384xf32> into tensor<65536xf32>
            }
          }
          return %0 : tensor<65536xf32>
        }

    Options:
        threads: most threads at a time; 0 takes the target's HVX contexts, 1 leaves everything as it is.
        min-cycles: work of at least so many cycles (of one thread) is spread; 0 decides by the cost estimate.

    Refuses (with a remark; the op stays with one thread): dynamic shapes, loops that index something but by themselves,
    work too small to pay for the threads.

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
        if self.threads == 1:
            return
        cost = ForkCost.of(context.target, self.threads)
        nests: dict[ir.Operation, Nest] = {}
        for op in find_ops(module, is_linalg):
            nest = read(op, context.target)
            if isinstance(nest, str):
                self.remark(context, op, f"one thread: {nest}")
            elif not _in_parallel_loop(op):
                nests[op] = nest
        while nests:
            self._next(nests, cost, context)

    def _next(self, nests: dict[ir.Operation, Nest], cost: ForkCost, context: PassContext) -> None:
        """Decide about the best group that starts with the first op; drops the ops it has dealt with."""
        seed = next(iter(nests))
        order = [view.operation for view in seed.block.operations]
        best: tuple[float, Group, Blocks] | None = None
        for loops in splits(nests[seed]):
            group = grow(seed, loops, nests, order)
            counts = tuple(-(-n // unit) for n, unit in zip(group.extents, group.units, strict=True))
            blocks = choose_blocks(counts, group.cycles, cost, self.min_cycles)
            if blocks is not None:
                gain = group.cycles - cost.time(group.cycles, blocks)
                if best is None or gain > best[0]:
                    best = gain, group, blocks
        if best is None:
            if nests[seed].extents:
                self.remark(context, seed, f"one thread: about {nests[seed].cycles:.0f} cycles do not pay for threads")
            del nests[seed]
            return
        _, group, blocks = best
        for member in group.members:
            del nests[member.op]
        ForallBuilder(group, [c * u for c, u in zip(blocks.chunk, group.units, strict=True)]).build()


def _in_parallel_loop(op: ir.Operation) -> bool:
    while (parent := op.parent) is not None and parent.operation.name != "builtin.module":
        op = parent.operation
        if op.name == "scf.forall":
            return True
    return False

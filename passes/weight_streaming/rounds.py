"""Parallel loops that fetch in each iteration: the tiles of a later kernel come in parts, during the work of a few
iterations, each after the fetches of all that run beside it."""

from __future__ import annotations

from dataclasses import dataclass

from hexagon_mlir.ir import arith, ir, scf
from hexagon_mlir.ir.constants import index
from hexagon_mlir.ir.cost import trip_count
from hexagon_mlir.ir.engine_operations import ENGINE_PRODUCT
from hexagon_mlir.passes.weight_streaming.build import start_tiles
from hexagon_mlir.passes.weight_streaming.find import fetches, last_fetching
from hexagon_mlir.passes.weight_streaming.spare import work_cycles
from hexagon_mlir.targets import Target


@dataclass(frozen=True)
class Rounds:
    """``forall`` does ``count`` iterations on each of so many ``threads``. Before ``place``, the first thread starts a
    part of the tiles in each of its own; ``spare`` are the cycles of all its work after it."""

    forall: ir.Operation
    place: ir.Operation
    count: int
    threads: int
    spare: int


def find_rounds(block: ir.Block, least_bytes: int, target: Target) -> Rounds | None:
    """The last operation of ``block``, a kernel's body, that fetches ``least_bytes``, if it is a parallel loop over one
    range whose work begins after its last fetch.

    The threads take turns: iterations that are multiples of their number run on the first one. Each thread has begun
    to fetch when that one has done the first operation after its fetches.
    """
    forall, threads = last_fetching(block, least_bytes), int(target.hvx_contexts.value)
    if forall is None or forall.name != "scf.forall" or not _counts_from_zero(forall):
        return None
    body = [view.operation for view in forall.regions[0].blocks[0].operations]
    last = max(number for number, op in enumerate(body) if fetches(op, least_bytes))
    work = [number for number, op in enumerate(body) if number > last
            and (op.name.startswith("linalg.") or op.name == ENGINE_PRODUCT)]
    if not work or any(len(op.regions) for op in body[last:last + 1]):
        return None
    place = body[work[0] + 1]
    rounds = -(-(trip_count(forall) or 0) // threads)
    return Rounds(forall, place, rounds, threads,
                  rounds * round(sum(work_cycles(op, target) for op in body[work[0] + 1:])))


def _counts_from_zero(forall: ir.Operation) -> bool:
    """Whether the iterations are the numbers below a known one."""
    low, step = (list(ir.DenseI64ArrayAttr(forall.attributes[f"static{side}"])) for side in ("LowerBound", "Step"))
    return low == [0] and step == [1] and trip_count(forall) is not None


def start_in_rounds(rounds: Rounds, records: ir.Value, count: ir.Value) -> None:
    """Start the next part of ``count`` tiles in each round."""
    iteration = rounds.forall.regions[0].blocks[0].arguments[0]
    with rounds.place.location, ir.InsertionPoint(rounds.place):
        threads = index(rounds.threads)
        first_thread = arith.cmpi(arith.CmpIPredicate.eq, arith.remui(iteration, threads), index(0))
        branch = scf.IfOp(first_thread)
        with ir.InsertionPoint(branch.then_block):
            share = arith.divui(arith.addi(count, index(rounds.count - 1)), index(rounds.count))
            first = arith.minui(arith.muli(arith.divui(iteration, threads), share), count)
            start_tiles(records, first, arith.minui(share, arith.subi(count, first)))
            scf.yield_([])

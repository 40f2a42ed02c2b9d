"""The register block of a contraction: pure functions over a `Contraction`, no IR.

A block is ``rows`` steps of one parallel loop by ``columns`` vectors of another. Its accumulators stay in registers
through all reduction loops; one step of the innermost loop loads the columns' vectors once for all rows and each row's
element once for all columns.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil

from hexagon_mlir.passes.contraction.read import Contraction
from hexagon_mlir.passes.vectorization.nest import Unsupported

_ACCUMULATORS = 9  # LLVM 22's pipeliner overlaps the steps of so many; larger blocks leave it no registers
_MANY = 8
_LOOP = 1.0  # packets a step takes beside its arithmetic
_SHORT = 8  # lanes; below, the reduction is the better loop to vectorize if it can be
_UNROLLED = 64  # multiplications of one straight-line body at most
_LATENCY = 4.0  # packets of a multiplication and the addition that waits for it


@dataclass(frozen=True)
class Plan:
    """``loop`` runs along the lanes, ``columns`` vectors of ``lanes`` elements at a time; ``row_loop``, if any, is
    taken ``rows`` steps at a time. ``reductions`` are ordered, the innermost last; the last ``unrolled`` have no loop.
    """

    loop: int
    lanes: int
    columns: int
    row_loop: int | None
    rows: int
    reductions: tuple[int, ...]
    unrolled: int = 0


def make_plan(contraction: Contraction, vector_bytes: int, rows: int = 0, columns: int = 0) -> Plan:
    """The plan; ``rows`` and ``columns`` are chosen where they are 0.

    Raises `Unsupported` with the reason when no loop goes along lanes.
    """
    loop = choose_loop(contraction)
    lanes = vector_bytes * 8 // contraction.narrowest_bits
    row_loop = choose_row_loop(contraction, loop)
    extent = contraction.extents[loop]
    vectors = None if extent is None else ceil(extent / lanes)
    steps = contraction.extents[row_loop] if row_loop is not None else 1
    spread = sum(not contraction.accesses[i].uses(loop) for i in contraction.inputs)
    best = choose_block(steps, vectors, contraction.widening, spread)
    rows, columns = rows or best[0], columns or best[1]
    reductions = tuple(sorted((i for i, r in enumerate(contraction.reduction) if r),
                              key=lambda i: _length(contraction.extents[i])))
    return Plan(loop, lanes, columns, row_loop, rows, reductions,
                unrolled_loops([contraction.extents[i] for i in reductions], rows * columns))


def choose_loop(contraction: Contraction) -> int:
    """The longest parallel loop that walks the output and every input it indexes element by element."""
    fitting = []
    for loop, is_reduction in enumerate(contraction.reduction):
        users = [contraction.accesses[i] for i in contraction.inputs if contraction.accesses[i].uses(loop)]
        if not is_reduction and users and contraction.output.walks(loop) and all(a.walks(loop) for a in users):
            fitting.append((_length(contraction.extents[loop]), loop))
    if not fitting:
        raise Unsupported("no parallel loop walks the output and its inputs element by element")
    length, loop = max(fitting)
    if length < _SHORT and not contraction.is_strided:
        raise Unsupported(f"only {length} elements along the lanes")
    return loop


def choose_row_loop(contraction: Contraction, loop: int) -> int | None:
    """The parallel loop taken several steps at a time: best one over which the vectors stay and the scalars change."""
    ranked = []
    for other, is_reduction in enumerate(contraction.reduction):
        if is_reduction or other == loop or contraction.extents[other] == 1:
            continue
        inputs = [contraction.accesses[i] for i in contraction.inputs]
        shared = [a for a in inputs if a.uses(loop) and not a.uses(other)]
        ranked.append((bool(shared), _length(contraction.extents[other]), other))
    return max(ranked)[-1] if ranked else None


def choose_block(steps: int | None, vectors: int | None, widening: int, spread: int) -> tuple[int, int]:
    """Rows and columns of the cheapest block, the remainders of ``steps`` and ``vectors`` counted.

    ``widening`` is accumulators per column vector, ``spread`` how many inputs are spread over the lanes.
    """
    fitting = [(rows, columns) for rows in range(1, _ACCUMULATORS + 1) for columns in range(1, _ACCUMULATORS + 1)
               if rows * columns * widening <= _ACCUMULATORS
               and (steps is None or rows <= max(steps, 1)) and (vectors is None or columns <= max(vectors, 1))]
    if not fitting:
        return 1, 1

    def cost(block: tuple[int, int]) -> tuple[float, int]:
        rows, columns = block
        height, width = steps or _MANY * rows, vectors or _MANY * columns  # many of an unknown number
        return block_cost(height, width, rows, columns, widening, spread) / (height * width), -rows

    return min(fitting, key=cost)


def block_cost(steps: int, vectors: int, rows: int, columns: int, widening: int, spread: int) -> float:
    """Packets that one step of the innermost loop takes for all of ``steps`` x ``vectors``, in blocks.

    Products and their sums take a packet per accumulator (shift or multiply pipes). An element of a row is turned to
    lane 0 and spread: two permutations. Loads take a packet each, beside the arithmetic.
    """
    total = 0.0
    for row_blocks, height in ((steps // rows, rows), (1, steps % rows)):
        for column_blocks, width in ((vectors // columns, columns), (1, vectors % columns)):
            if height and width:
                work = height * width * widening
                packets = max(work + _LOOP, 2 * spread * height, height + width, _LATENCY)
                total += row_blocks * column_blocks * packets
    return total


def unrolled_loops(extents: list[int | None], block: int) -> int:
    """How many of the innermost reduction loops are written out: short ones, while the body stays small."""
    count, copies = 0, 1
    for extent in reversed(extents):
        if extent is None or copies * extent * block > _UNROLLED:
            break
        copies *= extent
        count += 1
    return count


def _length(extent: int | None) -> int:
    """Trip count for comparisons: what is not known is taken as long."""
    return 1 << 30 if extent is None else extent

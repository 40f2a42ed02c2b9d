"""The register block of a contraction: pure functions over a `Contraction`, no IR.

A block is ``rows`` steps of one parallel loop by ``columns`` vectors of another. Its accumulators stay in registers
through all reduction loops; one step of the innermost loop loads the columns' vectors once for all rows and each row's
element once for all columns.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from math import ceil, prod

from hexagon_mlir.passes.lib.contractions import Contraction, OperandAccess
from hexagon_mlir.passes.lib.loop_nests import Unsupported

_ACCUMULATORS = 9  # accumulators for which LLVM 22's software pipeliner has registers to overlap steps
_DOT_PRODUCT_ACCUMULATORS = 16  # their products need no registers
_MANY = 8
_UNKNOWN = 4  # assumed trip count of a loop of unknown length when compared with others: tiles at an edge have few
WORD_BYTES = 4
"""Bytes in a word: what one lane of vrmpy multiplies and adds."""
_LEAST_ROWS = 4  # that multiply a copy of unknown length (measured: 2 rows take 18 % longer with one, 8 rows 58 % less)
_DOT_PRODUCT_PACE = 0.5  # packets of a vrmpy: there are two multiply pipes
_LOOP = 1.0  # packets of a step besides its arithmetic
_SHORT = 8  # lanes: for a shorter parallel loop, vectorizing the reduction is better where possible
_UNROLLED = 64  # multiplications of one straight-line body at most
_LATENCY = 4.0  # packets of a multiplication and the addition that waits for it
_SINGLE = 1.3  # a block of one row, where there are several, waits for the broadcast of its elements (measured)
_ROTATION_STEPS = 4
"""Steps between rotations where permutations limit the throughput of products."""


@dataclass(frozen=True)
class ContractionPlan:
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
    rotation_steps: int = 1
    """Steps between two rotations of a row's vector."""
    dot_products: bool = False
    """Bytes are multiplied four at a time along the innermost reduction."""


@lru_cache
def make_plan(contraction: Contraction, vector_bytes: int, rows: int = 0, columns: int = 0,
              words: bool = False) -> ContractionPlan:
    """The plan; ``rows`` and ``columns`` are chosen where they are 0. ``words``: bytes need no copy to be words.

    Raises `Unsupported` with the reason when no loop can be vectorized.
    """
    loop = choose_loop(contraction)
    word_loop = choose_dot_product_loop(contraction, loop, words)
    if word_loop is not None:
        return _dot_product_plan(contraction, loop, word_loop, vector_bytes, rows, columns)
    lanes = vector_bytes * 8 // contraction.narrowest_bits
    extent = contraction.extents[loop]
    vectors = None if extent is None else ceil(extent / lanes)
    spread = sum(not contraction.accesses[i].uses(loop) for i in contraction.inputs)
    row_loop = choose_row_loop(contraction, loop, lambda steps: best_cost(steps, vectors, contraction.widening, spread))
    steps = contraction.most(row_loop) if row_loop is not None else 1
    best = choose_block(steps, vectors, contraction.widening, spread)
    rows, columns = rows or best[0], columns or best[1]
    reductions = tuple(sorted((i for i, r in enumerate(contraction.reduction) if r),
                              key=lambda i: _length(contraction.extents[i])))
    return ContractionPlan(loop, lanes, columns, row_loop, rows, reductions,
                unrolled_loops([contraction.extents[i] for i in reductions], rows * columns),
                choose_rotation_steps(columns, contraction.widening, spread))


def _dot_product_plan(contraction: Contraction, loop: int, word_loop: int, vector_bytes: int, rows: int,
               columns: int) -> ContractionPlan:
    lanes = vector_bytes * 8 // contraction.output.bits
    extent = contraction.extents[loop]
    vectors = None if extent is None else ceil(extent / lanes)
    row_loop = choose_row_loop(contraction, loop, lambda steps: best_cost(steps, vectors, 1, 1, _DOT_PRODUCT_PACE))
    inputs = [contraction.accesses[i] for i in contraction.inputs]
    if row_loop is not None and any(a.uses(loop) and a.uses(row_loop) for a in inputs):
        row_loop = None  # all rows of a block are multiplied by the same packed vectors
    steps = contraction.most(row_loop) if row_loop is not None else 1
    best = choose_block(steps, vectors, 1, 1, _DOT_PRODUCT_PACE)
    others = (i for i, r in enumerate(contraction.reduction) if r and i != word_loop)
    reductions = (*sorted(others, key=lambda i: _length(contraction.extents[i])), word_loop)
    return ContractionPlan(loop, lanes, columns or best[1], row_loop, rows or best[0], reductions,
                rotation_steps=choose_rotation_steps(columns or best[1], 1, 1, _DOT_PRODUCT_PACE), dot_products=True)


def choose_dot_product_loop(contraction: Contraction, loop: int, words: bool = False) -> int | None:
    """The reduction along which bytes are multiplied four at a time; None when the operands do not allow it. The factor
    is copied for it, unless it is ``words``."""
    if contraction.narrowest_bits * WORD_BYTES != contraction.output.bits or len(contraction.inputs) != 2:
        return None
    accesses = [contraction.accesses[i] for i in contraction.inputs]
    vectors = [a for a in accesses if a.uses(loop)]
    spread = [a for a in accesses if not a.uses(loop)]
    if contraction.combiner != "arith.addi" or len(vectors) != 1 or any(a.bits != accesses[0].bits for a in accesses):
        return None
    plain = [index.plain for index in vectors[0].indices]
    if any(p is None or (contraction.reduction[p] and contraction.extents[p] is None) for p in plain):
        return None
    if not words and contraction.extents[loop] is None and (
            contraction.most(loop) is None or _sharing_rows(contraction, vectors[0]) < _LEAST_ROWS):
        return None
    fitting = [i for i, r in enumerate(contraction.reduction)
               if r and spread[0].walks(i) and i in plain and (contraction.extents[i] or 0) >= WORD_BYTES]
    return max(fitting, key=lambda i: _length(contraction.extents[i]), default=None)


def _sharing_rows(contraction: Contraction, factor: OperandAccess) -> int:
    """How many rows are multiplied by the same elements of ``factor``."""
    return prod(_length(contraction.most(other)) for other, reduction in enumerate(contraction.reduction)
                if not reduction and not factor.uses(other))


def choose_loop(contraction: Contraction) -> int:
    """The longest parallel loop along which the output and every input that it indexes are contiguous."""
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


def choose_row_loop(contraction: Contraction, loop: int, cost: Callable[[int], float]) -> int | None:
    """The parallel loop that is blocked: preferably one along which the vectors are invariant and the scalars change.

    Of those, the one of lowest ``cost`` (of a number of steps), then the innermost, whose rows one base address covers.
    """
    ranked = []
    for other, is_reduction in enumerate(contraction.reduction):
        if is_reduction or other == loop or contraction.extents[other] == 1:
            continue
        inputs = [contraction.accesses[i] for i in contraction.inputs]
        shared = [a for a in inputs if a.uses(loop) and not a.uses(other)]
        extent = contraction.most(other)
        ranked.append((bool(shared), -cost(_UNKNOWN if extent is None else extent), other))
    return max(ranked)[-1] if ranked else None


def choose_block(steps: int | None, vectors: int | None, widening: int, spread: int,
                 pace: float = 1.0) -> tuple[int, int]:
    """Rows and columns of the cheapest block, the remainders of ``steps`` and ``vectors`` counted.

    ``widening`` is accumulators per column vector, ``spread`` the number of inputs broadcast to the lanes, ``pace`` the
    packets of one accumulator's product and sum.
    """
    return _best_block(steps, vectors, widening, spread, pace)[1]


def best_cost(steps: int | None, vectors: int | None, widening: int, spread: int, pace: float = 1.0) -> float:
    """Packets that one step of the innermost loop takes per row and vector, in the block of `choose_block`."""
    return _best_block(steps, vectors, widening, spread, pace)[0]


def _best_block(steps: int | None, vectors: int | None, widening: int, spread: int,
                pace: float) -> tuple[float, tuple[int, int]]:
    most = _ACCUMULATORS if pace == 1 else _DOT_PRODUCT_ACCUMULATORS
    fitting = [(rows, columns) for rows in range(1, most + 1) for columns in range(1, most + 1)
               if rows * columns * widening <= most
               and (steps is None or rows <= max(steps, 1)) and (vectors is None or columns <= max(vectors, 1))]
    if not fitting:
        return float(widening), (1, 1)

    def cost(block: tuple[int, int]) -> tuple[float, int]:
        """Ties go to the block measured to be best, the one with most uses of each vector."""
        rows, columns = block
        height, width = steps or _MANY * rows, vectors or _MANY * columns  # an unknown trip count is taken as large
        packets = block_cost(height, width, rows, columns, widening, spread, pace) / (height * width)
        return packets * (_SINGLE if rows == 1 < height else 1.0), columns

    best = min(fitting, key=cost)
    return cost(best)[0], best


def choose_rotation_steps(columns: int, widening: int, spread: int, pace: float = 1.0) -> int:
    """Steps between rotations of a row's vector: several where rotating and broadcasting outlast the products."""
    return _ROTATION_STEPS if widening == 1 and columns * pace <= 2 * spread else 1


def block_cost(steps: int, vectors: int, rows: int, columns: int, widening: int, spread: int,
               pace: float = 1.0) -> float:
    """Packets that one step of the innermost loop takes for all of ``steps`` x ``vectors``, in blocks.

    Products and their sums take ``pace`` packets per accumulator (shift or multiply pipes). Broadcasting an element of
    a row is one permutation, the occasional rotation of the row another. Loads take a packet each. All of these
    overlap.
    """
    total = 0.0
    for row_blocks, height in ((steps // rows, rows), (1, steps % rows)):
        for column_blocks, width in ((vectors // columns, columns), (1, vectors % columns)):
            if height and width:
                work = height * width * widening * pace
                loads = width if spread else width * (height + 1)
                moved = (1 + 1 / choose_rotation_steps(width, widening, spread, pace)) * spread * height
                total += row_blocks * column_blocks * max(work + _LOOP, moved, loads, _LATENCY)
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
    """Trip count for comparisons: an unknown one is taken as large."""
    return 1 << 30 if extent is None else extent

"""Decisions of `hexagon-vectorization`: pure functions over a `LoopNest`, no IR."""

from __future__ import annotations

from hexagon_mlir.passes.lib.loop_nests import LoopNest, Operand, Unsupported
from hexagon_mlir.passes.lib.table_reads import Table
from hexagon_mlir.passes.vectorization.order import is_extreme
from hexagon_mlir.passes.vectorization.plan import RowReductionsPlan, TransposedPlan, UnrolledPlan, VectorizationPlan

_CHAINS = 4  # independent dependence chains that keep the pipes busy: results have a latency of up to two packets
_LIGHT_BODY = 2  # ops: in a shorter body the loop overhead counts, and registers are plenty
_HEAVY_BODY = 120  # ops: in a longer body constants and temporaries leave registers for half of the chains
_HUGE_BODY = 400
_ROW_BODY, _ROW_OPS = 4, 16  # most operations on one vector, and on all vectors, of a row
_STRAIGHT, _COMPUTED = 400, 200  # most instructions of loaded, or of computed, rows that are reduced without a loop
_GROUP, _MOST_GROUPS = 4, 16  # rows that one iteration reduces, and most iterations: results are on the stack
_EXTREME = 5  # instructions for a maximum or minimum of floats (`vectorization.order`)


def make_plan(nest: LoopNest, vector_bytes: int, unroll: int = 0) -> VectorizationPlan:
    """The plan for ``nest``; ``unroll`` 0 chooses the number of vectors per iteration.

    Raises `Unsupported` with the reason when every operand is contiguous along no single loop and no pair of loops.
    """
    lanes = vector_lanes(nest, vector_bytes)
    transposed = _transposed_plan(nest, lanes, vector_bytes)
    try:
        loop = choose_loop(nest, lanes)
        if nest.reduction[loop] and any(c is None for c in nest.combiners):
            raise Unsupported("a reduction whose combiner is not a known associative op")
    except Unsupported:
        if transposed is None:
            raise
        return transposed
    if transposed is not None and row_reductions_pay(nest, loop, transposed):
        row_loop = transposed.loop
        return RowReductionsPlan(loop, lanes, row_loop, choose_group(nest, loop, row_loop, lanes))
    if transposed is not None and transposing_pays(nest, loop, transposed):
        return transposed
    return _unrolled_plan(nest, loop, lanes, vector_bytes, unroll)


def _unrolled_plan(nest: LoopNest, loop: int, lanes: int, vector_bytes: int, unroll: int) -> UnrolledPlan:
    jammed_loop, jammed = choose_unroll_and_jam(nest, loop)
    in_step = all(o.pitch % vector_bytes == 0 for o in nest.operands if o.uses(loop))
    known = nest.extents[loop]
    if known is None and nest.whole(loop, lanes) > 1:
        known = nest.whole(loop, lanes)  # a lower bound, unless the loop is empty
    chosen = unroll or choose_unroll(nest.ops_along(loop), known, lanes, nest.widening,
                                     light=in_step and not any(nest.reduction))
    if jammed > 1:
        chosen = min(chosen, 2)  # jammed * unroll accumulators are live at once
    elif nest.reduction[loop] and in_step and not unroll:
        jammed_loop, jammed = choose_rows_to_jam(nest, choose_unroll(nest.ops_along(loop), None, lanes, nest.widening))
        chosen = max(chosen // jammed, 1)
    return UnrolledPlan(loop, lanes, chosen, jammed_loop, jammed)


def vector_lanes(nest: LoopNest, vector_bytes: int) -> int:
    """Elements of one vector step: a vector of the narrowest ones."""
    return vector_bytes * 8 // nest.narrowest_bits


def choose_transposed_loops(nest: LoopNest) -> tuple[int, int] | None:
    """(vectorized loop, loop along which the transposed operands are contiguous), if there are two such loops.

    Outputs are contiguous along the first one, each input along either. With reductions, the second must be one, and
    the only one that indexes the last dimension of the transposed operands.
    """
    if nest.tables:
        return None
    for loop in range(len(nest.extents) - 1, -1, -1):
        if nest.reduction[loop] or not all(o.contiguous_in(loop) for o in nest.operands if o.is_output):
            continue
        strided = [o for o in nest.operands if is_transposed(o, loop)]
        transposed = {o.dims[-1] for o in strided}
        if len(transposed) != 1 or len({o.bits for o in strided}) != 1:
            continue
        other = transposed.pop()
        if other is None or other == loop or (any(nest.reduction) and not nest.reduction[other]):
            continue
        if all(o.contiguous_in(other) and o.dims.count(loop) == 1 for o in strided):
            return loop, other
    return None


def transposing_pays(nest: LoopNest, loop: int, plan: TransposedPlan) -> bool:
    """True when ``plan`` beats vectors along ``loop``: rows too short to pay for their last step.

    Operands that vary along the rows alone are then read element by element, which is slow in TCM.
    """
    extent, rows = nest.extents[loop], nest.extents[plan.loop]
    if extent is None or (rows is not None and 2 * rows < plan.lanes):
        return False
    waits = any(o.in_tcm and o.uses(plan.column_loop) and not o.uses(plan.loop) for o in nest.operands)
    return extent <= (2 * plan.lanes if nest.reduction[loop] and not waits else plan.lanes // 4)


def row_reductions_pay(nest: LoopNest, loop: int, transposed: TransposedPlan) -> bool:
    """True when rows along ``loop``, which ``transposed`` would transpose, are best reduced as vectors, as many rows at
    a time as a vector has lanes: rows of half a vector to a few vectors with short bodies, since every row of a block
    is unrolled.
    """
    row_loop, lanes = transposed.loop, transposed.lanes
    extent, rows = nest.extents[loop], nest.extents[row_loop]
    if extent is None or (rows is not None and 2 * rows < lanes):
        return False
    if loop != transposed.column_loop or nest.reduction.count(True) != 1:
        return False
    if any(c is None for c in nest.combiners) or any(o.bits != nest.narrowest_bits for o in nest.operands):
        return False
    ops = nest.ops_along(loop, row_loop)
    return 2 * extent >= lanes and ops <= _ROW_BODY and ops * -(-extent // lanes) <= _ROW_OPS


def choose_group(nest: LoopNest, loop: int, row_loop: int, lanes: int) -> int:
    """How many rows along ``loop`` are reduced without a loop: all ``lanes`` where the code is short. LLVM's compile
    time grows more than linearly with a block's length, and in a loop computed rows hide the latency of the reduction.
    """
    extent = nest.extents[loop]
    assert extent is not None
    extremes = sum(map(is_extreme, nest.combiners))
    operations = nest.ops_along(loop, row_loop)
    instructions = 1 + operations + (_EXTREME - 1) * extremes
    most = _COMPUTED if operations > len(nest.combiners) else _STRAIGHT
    if lanes * -(-extent // lanes) * instructions <= most:
        return lanes
    return max(_GROUP, lanes // _MOST_GROUPS)


def _transposed_plan(nest: LoopNest, lanes: int, vector_bytes: int) -> TransposedPlan | None:
    loops = choose_transposed_loops(nest)
    if loops is None:
        return None
    loop, column_loop = loops
    bits = next(o.bits for o in nest.operands if is_transposed(o, loop))
    return TransposedPlan(loop, lanes, column_loop, columns=vector_bytes * 8 // bits)


def is_transposed(operand: Operand, loop: int) -> bool:
    """True for an operand that depends on ``loop`` but is contiguous along another one."""
    return operand.uses(loop) and not operand.contiguous_in(loop)


def choose_loop(nest: LoopNest, lanes: int = 1) -> int:
    """The loop to vectorize: parallel before reduction, then fullest vectors of ``lanes``, then longest. Each operand
    is invariant in it or has a small stride; a table has stride -1 only where the trip count is known.
    """
    candidates = []
    reasons = []
    for loop, extent in enumerate(nest.extents):
        users = [o for o in (*nest.operands, *nest.tables) if o.uses(loop)]
        steps = [_step(o, loop, extent) for o in users]
        bad = steps.count(None)
        if bad or not users:
            reasons.append(f"loop {loop} is strided in {bad} of {len(nest.operands) + len(nest.tables)} operands")
            continue
        length = extent if extent is not None else 1 << 30
        full = min(length, lanes) // max(step or 0 for step in steps)
        candidates.append((length >= 8, not nest.reduction[loop], full, length, loop))
    if not candidates:
        raise Unsupported("no loop walks all operands element by element: " + "; ".join(reasons))
    return max(candidates)[-1]


def _step(operand: Operand | Table, loop: int, extent: int | None) -> int | None:
    """Absolute stride of the operand along ``loop``; None for an operand that cannot be read in vectors.
    """
    if operand.contiguous_in(loop):
        return None if isinstance(operand, Table) and operand.backward and extent is None else 1
    if isinstance(operand, Table) or not operand.strided_in(loop):
        return None
    stride = operand.stride_in(loop)
    assert stride is not None
    return abs(stride)


def choose_unroll(body_ops: int, extent: int | None, lanes: int, widening: int = 1, light: bool = True) -> int:
    """Vectors per iteration: enough independent chains to hide latency, few enough to stay in registers.

    A step of mixed widths is ``widening`` chains already. ``light``: a short body may have twice as many chains,
    because there are no accumulators to combine at the end and no rows of another alignment.
    """
    chains = _CHAINS if body_ops <= _HEAVY_BODY else _CHAINS // 2 if body_ops <= _HUGE_BODY else 1
    if light and body_ops <= _LIGHT_BODY and extent is not None:
        chains = 2 * _CHAINS
    wanted = max(chains // widening, 1)
    while wanted > 1 and extent is not None and extent < wanted * lanes:
        wanted //= 2
    return wanted


def choose_unroll_and_jam(nest: LoopNest, loop: int) -> tuple[int | None, int]:
    """A parallel loop to unroll around an inner reduction, when an operand is shared between its iterations."""
    if not any(nest.reduction) or nest.reduction[loop]:
        return None, 1
    for other, extent in enumerate(nest.extents):
        if other == loop or nest.reduction[other] or extent is None:
            continue
        if all(o.uses(other) for o in nest.operands):
            continue  # no operand is shared
        for jammed in (4, 2):
            if extent % jammed == 0:
                return other, jammed
    return None, 1


def choose_rows_to_jam(nest: LoopNest, chains: int) -> tuple[int | None, int]:
    """A parallel loop and how many of its iterations are reduced together, ``chains`` at most: combining the lanes of
    all takes as many steps as for one.
    """
    for loop in range(len(nest.extents) - 1, -1, -1):
        extent = nest.extents[loop]
        if nest.reduction[loop]:
            continue
        jammed = chains if extent is None else min(chains, 1 << extent.bit_length() - 1)
        if jammed > 1:
            return loop, jammed
    return None, 1

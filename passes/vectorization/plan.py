"""Decisions of `hexagon-vectorization`: pure functions over a `LoopNest`, no IR."""

from __future__ import annotations

from dataclasses import dataclass

from hexagon_mlir.passes.lib.loop_nests import LoopNest, Operand, Unsupported
from hexagon_mlir.passes.lib.table_reads import Table
from hexagon_mlir.passes.vectorization.order import is_extreme

_CHAINS = 4  # independent chains that fill the pipes: an operand waits up to two packets, for one pipe or another
_LIGHT_BODY = 2  # ops: up to this, the loop's own instructions show, and registers are plenty
_HEAVY_BODY = 120  # ops: above this, constants and temporaries leave registers for half of the chains
_HUGE_BODY = 400
_ROW_BODY, _ROW_OPS = 4, 16  # operations on a vector, and on all vectors, of each row that is reduced with others
_STRAIGHT, _COMPUTED = 400, 200  # instructions of rows reduced together, as they are or computed: so many need no loop
_GROUP, _MOST_GROUPS = 4, 16  # rows that a loop reduces at a time, and their totals, which wait on the stack
_EXTREME = 5  # instructions for a maximum or minimum of floats (`vectorization.order`)


@dataclass(frozen=True)
class VectorizationPlan:
    """How to vectorize one op.

    ``loop`` is the vectorized loop, ``lanes`` the elements of one vector step, ``unroll`` the vectors per
    iteration, ``jammed_loop`` a second loop, unrolled and jammed: ``jammed`` of its iterations
    share the accumulators' inner loop.

    ``transposed``, when there is one, is the loop along which some operands lie in memory instead: blocks of
    ``columns`` iterations of it by ``lanes`` of ``loop`` are transposed in registers. With ``periodic``, some
    operands repeat every ``unroll`` vectors. With ``short_rows``, ``jammed_loop`` runs along rows of ``jammed``
    elements, and ``loop`` across them. With ``row_reductions``, ``jammed`` rows are reduced along ``loop``
    together, each to one lane of a vector; a loop reduces ``group`` of them at a time.
    """

    loop: int
    lanes: int
    unroll: int
    jammed_loop: int | None = None
    jammed: int = 1
    transposed: int | None = None
    columns: int = 0
    periodic: bool = False
    short_rows: bool = False
    row_reductions: bool = False
    group: int = 0

    @property
    def step(self) -> int:
        """Elements one iteration of the main loop covers."""
        return self.lanes * self.unroll


def make_plan(nest: LoopNest, vector_bytes: int, unroll: int = 0) -> VectorizationPlan:
    """The plan for ``nest``; ``unroll`` 0 chooses the number of vectors per iteration.

    Raises `Unsupported` with the reason when no loop walks every operand element by element and no two loops do.
    """
    lanes = vector_lanes(nest, vector_bytes)
    try:
        loop = choose_loop(nest, lanes)
        if nest.reduction[loop] and any(c is None for c in nest.combiners):
            raise Unsupported("a reduction whose combiner is not a known associative op")
    except Unsupported:
        turn = choose_turn(nest)
        if turn is None:
            raise
        return _turned_plan(nest, turn, lanes, vector_bytes)
    turn = choose_turn(nest)
    if turn is not None and totals_pay(nest, loop, turn, lanes):
        return VectorizationPlan(loop, lanes, 1, turn[0], lanes, row_reductions=True,
                                 group=choose_group(nest, loop, turn[0], lanes))
    if turn is not None and is_short(nest, loop, turn, lanes):
        return _turned_plan(nest, turn, lanes, vector_bytes)
    jammed_loop, jammed = choose_unroll_and_jam(nest, loop)
    in_step = all(o.pitch % vector_bytes == 0 for o in nest.operands if o.uses(loop))
    known = nest.extents[loop]
    if known is None and nest.whole(loop, lanes) > 1:
        known = nest.whole(loop, lanes)  # so many at least, unless there are none
    chosen = unroll or choose_unroll(nest.ops_along(loop), known, lanes, nest.widening,
                                     light=in_step and not any(nest.reduction))
    if jammed > 1:
        chosen = min(chosen, 2)  # jammed x unroll accumulators live at once
    elif nest.reduction[loop] and in_step and not unroll:
        jammed_loop, jammed = choose_rows(nest, choose_unroll(nest.ops_along(loop), None, lanes, nest.widening))
        chosen = max(chosen // jammed, 1)
    return VectorizationPlan(loop, lanes, chosen, jammed_loop, jammed)


def vector_lanes(nest: LoopNest, vector_bytes: int) -> int:
    """Elements of one vector step: a vector of the narrowest ones."""
    return vector_bytes * 8 // nest.narrowest_bits


def choose_turn(nest: LoopNest) -> tuple[int, int] | None:
    """(vectorized loop, loop along which the other operands lie), if there are such two loops.

    The outputs walk the first one element by element; an input walks either of the two so. With reductions, the
    second must be one, and be the only one that operands to transpose depend on by their last dimension.
    """
    if nest.tables:
        return None
    for loop in range(len(nest.extents) - 1, -1, -1):
        if nest.reduction[loop] or not all(o.contiguous_in(loop) for o in nest.operands if o.is_output):
            continue
        strided = [o for o in nest.operands if o.uses(loop) and not o.contiguous_in(loop)]
        transposed = {o.dims[-1] for o in strided}
        if len(transposed) != 1 or len({o.bits for o in strided}) != 1:
            continue
        other = transposed.pop()
        if other is None or other == loop or (any(nest.reduction) and not nest.reduction[other]):
            continue
        if all(o.contiguous_in(other) and o.dims.count(loop) == 1 for o in strided):
            return loop, other
    return None


def is_short(nest: LoopNest, loop: int, turn: tuple[int, int], lanes: int) -> bool:
    """True when transposing for ``turn`` beats vectors along ``loop``: rows too short to pay for their last step.

    What goes along the rows alone is then read element by element, for which TCM is slow.
    """
    extent, other = nest.extents[loop], nest.extents[turn[0]]
    if extent is None or (other is not None and 2 * other < lanes):
        return False
    waits = any(o.in_tcm and o.uses(turn[1]) and not o.uses(turn[0]) for o in nest.operands)
    return extent <= (2 * lanes if nest.reduction[loop] and not waits else lanes // 4)


def totals_pay(nest: LoopNest, loop: int, turn: tuple[int, int], lanes: int) -> bool:
    """True when rows along ``loop`` are best reduced as vectors, and a vector's worth of them together: rows of half a
    vector to a few, with little to do for each, since the code has all of it for every row of a block.
    """
    extent, rows = nest.extents[loop], nest.extents[turn[0]]
    if extent is None or (rows is not None and 2 * rows < lanes) or loop != turn[1] or nest.reduction.count(True) != 1:
        return False
    if any(c is None for c in nest.combiners) or any(o.bits != nest.narrowest_bits for o in nest.operands):
        return False
    ops = nest.ops_along(loop, turn[0])
    return 2 * extent >= lanes and ops <= _ROW_BODY and ops * -(-extent // lanes) <= _ROW_OPS


def choose_group(nest: LoopNest, loop: int, row: int, lanes: int) -> int:
    """Rows along ``loop`` to reduce without a loop around them: all ``lanes`` where that is little code. LLVM's time
    grows faster than a block's length, and computing a row gives a loop what it waits for otherwise.
    """
    extent = nest.extents[loop]
    assert extent is not None
    extremes = sum(map(is_extreme, nest.combiners))
    operations = nest.ops_along(loop, row)
    instructions = 1 + operations + (_EXTREME - 1) * extremes
    most = _COMPUTED if operations > len(nest.combiners) else _STRAIGHT
    if lanes * -(-extent // lanes) * instructions <= most:
        return lanes
    return max(_GROUP, lanes // _MOST_GROUPS)


def _turned_plan(nest: LoopNest, turn: tuple[int, int], lanes: int, vector_bytes: int) -> VectorizationPlan:
    loop, transposed = turn
    bits = next(o.bits for o in nest.operands if is_turned(o, loop))
    return VectorizationPlan(loop, lanes, 1, transposed=transposed, columns=vector_bytes * 8 // bits)


def is_turned(operand: Operand, loop: int) -> bool:
    """True for an operand that moves with ``loop`` but lies in memory along another one."""
    return operand.uses(loop) and not operand.contiguous_in(loop)


def choose_loop(nest: LoopNest, lanes: int = 1) -> int:
    """The loop to vectorize: parallel before reduction, then fullest vectors of ``lanes``, then longest. Each operand
    is constant in it or walked in steps of a few elements; a table backwards only where their number is known.
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
    """Elements that vectors along ``loop`` go through for each of their own; None for an operand that has no vectors.
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

    A step of mixed widths is ``widening`` chains already. ``light``: twice as many of a short body cost nothing,
    neither accumulators to combine at the end nor rows that start elsewhere in a vector.
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
            continue  # nothing shared
        for jammed in (4, 2):
            if extent % jammed == 0:
                return other, jammed
    return None, 1



def choose_rows(nest: LoopNest, chains: int) -> tuple[int | None, int]:
    """A parallel loop and how many of its iterations are reduced together, ``chains`` at most: their lanes are combined
    in the steps that one of them takes alone.
    """
    for loop in range(len(nest.extents) - 1, -1, -1):
        extent = nest.extents[loop]
        if nest.reduction[loop] or extent is None:
            continue
        jammed = min(chains, 1 << extent.bit_length() - 1)
        if jammed > 1:
            return loop, jammed
    return None, 1

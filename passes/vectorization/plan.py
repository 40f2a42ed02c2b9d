"""Decisions of `hexagon-vectorization`: pure functions over a `Nest`, no IR."""

from __future__ import annotations

from dataclasses import dataclass

from hexagon_mlir.passes.vectorization.nest import Nest, Unsupported

_CHAINS = 4  # independent chains that fill the pipes: an operand waits up to two packets, for one pipe or another
_HEAVY_BODY = 120  # ops: above this, constants and temporaries leave registers for half of the chains
_HUGE_BODY = 400


@dataclass(frozen=True)
class Plan:
    """How to vectorize one op.

    ``loop`` is the vectorized loop, ``lanes`` the elements of one vector step, ``unroll`` the vectors per
    iteration, ``jam_loop``/``jam`` a second loop whose iterations share the accumulators' inner loop.
    """

    loop: int
    lanes: int
    unroll: int
    jam_loop: int | None = None
    jam: int = 1
    flatten: bool = False

    @property
    def step(self) -> int:
        """Elements one iteration of the main loop covers."""
        return self.lanes * self.unroll


def make_plan(nest: Nest, vector_bytes: int, unroll: int = 0) -> Plan:
    """The plan for ``nest``; ``unroll`` 0 chooses the number of vectors per iteration.

    Raises `Unsupported` with the reason when no loop walks every operand element by element.
    """
    lanes = vector_bytes * 8 // nest.narrowest_bits
    if can_flatten(nest):
        return Plan(0, lanes, unroll or choose_unroll(nest.body_ops, _total(nest.extents), lanes, nest.widening),
                    flatten=True)
    loop = choose_loop(nest)
    if nest.reduction[loop] and any(c is None for c in nest.combiners):
        raise Unsupported("a reduction whose combiner is not a known associative op")
    jam_loop, jam = choose_jam(nest, loop)
    chosen = unroll or choose_unroll(nest.body_ops, nest.extents[loop], lanes, nest.widening)
    if jam > 1:
        chosen = min(chosen, 2)  # jam x unroll accumulators live at once
    return Plan(loop, lanes, chosen, jam_loop, jam)


def can_flatten(nest: Nest) -> bool:
    """True when every operand is one contiguous block walked in the same order: the nest is one long loop."""
    identity = tuple(range(len(nest.extents)))
    return (
        len(identity) > 1
        and not any(nest.reduction)
        and not nest.reads_indices
        and all(e is not None for e in nest.extents)
        and all(o.dims == () or (o.dims == identity and o.contiguous) for o in nest.operands)
    )


def choose_loop(nest: Nest) -> int:
    """The loop to vectorize: parallel before reduction, longest first, all operands unit-stride or constant in it."""
    candidates = []
    reasons = []
    for loop, extent in enumerate(nest.extents):
        users = [o for o in nest.operands if o.uses(loop)]
        bad = [o for o in users if not o.contiguous_in(loop)]
        if bad or not users:
            reasons.append(f"loop {loop} is strided in {len(bad)} of {len(nest.operands)} operands")
            continue
        length = extent if extent is not None else 1 << 30
        candidates.append((length >= 8, not nest.reduction[loop], length, loop))
    if not candidates:
        raise Unsupported("no loop walks all operands element by element: " + "; ".join(reasons))
    return max(candidates)[-1]


def choose_unroll(body_ops: int, extent: int | None, lanes: int, widening: int = 1) -> int:
    """Vectors per iteration: enough independent chains to hide latency, few enough to stay in registers.

    A step of mixed widths is ``widening`` chains already.
    """
    chains = _CHAINS if body_ops <= _HEAVY_BODY else _CHAINS // 2 if body_ops <= _HUGE_BODY else 1
    wanted = max(chains // widening, 1)
    while wanted > 1 and extent is not None and extent < wanted * lanes:
        wanted //= 2
    return wanted


def choose_jam(nest: Nest, loop: int) -> tuple[int | None, int]:
    """A parallel loop to unroll around an inner reduction, when an operand is shared between its iterations."""
    if not any(nest.reduction) or nest.reduction[loop]:
        return None, 1
    for other, extent in enumerate(nest.extents):
        if other == loop or nest.reduction[other] or extent is None:
            continue
        if all(o.uses(other) for o in nest.operands):
            continue  # nothing shared
        for jam in (4, 2):
            if extent % jam == 0:
                return other, jam
    return None, 1


def _total(extents: tuple[int | None, ...]) -> int:
    total = 1
    for extent in extents:
        total *= extent or 1
    return total

"""The strategies of `hexagon-vectorization` for a nest: one plan and one emitter for each."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class VectorizationPlan:
    """What all plans have: ``loop`` is the vectorized loop, ``lanes`` the elements of one vector step."""

    loop: int
    lanes: int


@dataclass(frozen=True)
class UnrolledPlan(VectorizationPlan):
    """Vectors along ``loop``, ``unroll`` of them per iteration; reduced to one lane at the end of a reduction.

    ``jammed_loop`` is a second loop, unrolled and jammed: ``jammed`` of its iterations share the inner loop over the
    accumulators. Without it ``jammed`` is 1. Emitted by `UnrolledEmitter`.
    """

    unroll: int
    jammed_loop: int | None = None
    jammed: int = 1


@dataclass(frozen=True)
class TransposedPlan(VectorizationPlan):
    """Vectors along ``loop``, of operands that are contiguous along ``column_loop`` instead: blocks of ``columns``
    iterations of it by ``lanes`` of ``loop`` are transposed in registers. Emitted by `TransposedEmitter`.
    """

    column_loop: int
    columns: int


@dataclass(frozen=True)
class PeriodicPlan(VectorizationPlan):
    """Vectors along ``loop``, which is over all rows: the values broadcast to each row repeat every ``period`` vectors.
    Emitted by `PeriodicEmitter`.
    """

    period: int


@dataclass(frozen=True)
class ShortRowsPlan(VectorizationPlan):
    """Vectors along ``loop``, across rows of ``row_length`` elements along ``row_loop``, whose elements are
    deinterleaved, and the results interleaved. Emitted by `ShortRowsEmitter`.
    """

    row_loop: int
    row_length: int


@dataclass(frozen=True)
class RowReductionsPlan(VectorizationPlan):
    """Rows along ``loop``, one for each iteration of ``row_loop``: ``lanes`` of them are reduced together, each to one
    lane of a vector. A loop reduces ``group`` of them at a time. Emitted by `RowReductionEmitter`.
    """

    row_loop: int
    group: int

"""The ways to generate code for a function, in the order in which they are tried, and when to stop.

LLVM's scheduler and its window search each help some loops and crowd the registers of others; so do ordered loops.
What a function computes tells which way is best most often: it comes first.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from hexagon_mlir.codegen.scheduling.loop_order import REGISTERS, RegisterBudget
from hexagon_mlir.codegen.scheduling.static_cost import Cost
from hexagon_mlir.codegen.scheduling.traits import Traits


@dataclass(frozen=True)
class Variant:
    """One way to generate code: with the vector loops ordered (`loop_order`), scheduled by LLVM before register
    allocation, looking for another window where software pipelining fails. With ``live_range`` qfloat values that wait
    for more vector instructions wait in IEEE format (`qfloat_lifetimes`). ``budget`` makes loops take constants from a
    table. ``bits`` is LLVM's search for bits that are known, up to a third of its time: it keeps a thousand of them for
    each vector. Address arithmetic gets shorter by it, which counts in tight loops.
    """

    ordered: bool = False
    scheduled: bool = False
    windows: bool = False
    live_range: int = 0
    budget: RegisterBudget | None = None
    bits: bool = True

    @property
    def effort(self) -> float:
        """Time of a try, in those of the first of `_GENERAL`."""
        return 1 if self.windows or self.ordered else 1 / 3


BUDGET = RegisterBudget(34, slots=False)
"""That of what is tried first."""
_QUICK, _EVERYTHING = Variant(scheduled=True), Variant(ordered=True, scheduled=True, windows=True, budget=BUDGET)
_GENERAL = (Variant(ordered=True, windows=True, budget=BUDGET), _QUICK, _EVERYTHING, Variant(windows=True))
_PRODUCTS = (_EVERYTHING, _GENERAL[0], _QUICK, Variant(windows=True))
"""Where loops add up products of a matrix's elements: LLVM's scheduler pipelines them best when they are in order."""
# Where constants find no register. No budget suits every loop: LLVM reorders and allocates in its own way. In the first
# their loads get no slots of their own, which other arithmetic than qfloat's leaves free.
_TABLED = (Variant(ordered=True, scheduled=True, windows=True, budget=RegisterBudget(32, slots=False)),
           Variant(ordered=True, scheduled=True, windows=True, budget=RegisterBudget(31)),
           Variant(ordered=True, windows=True, budget=RegisterBudget(32, slots=False)),
           Variant(ordered=True, windows=True, budget=RegisterBudget(30)),
           Variant(ordered=True, windows=True, budget=RegisterBudget(31)))
_MIXED, _FULL = 1 / 3, 3 / 5
"""The part of a loop's instructions that are qfloat's from which on one of `_TABLED` is best most often, and that from
which on few slots are free.
"""
# Where registers are short: fewer values alive, and those that LLVM may have to spill in IEEE format. The search for
# windows takes three times as long, and rarely finds registers.
_SPILLING = (Variant(scheduled=True, live_range=80, bits=False), Variant(live_range=80, bits=False),
          Variant(ordered=True, live_range=80), Variant(ordered=True, windows=True, live_range=80),
          Variant(windows=True, live_range=80), Variant(live_range=20))
# At twice the registers LLVM's scheduler spills more than it hides: its order of random numbers takes 5 to 10 % longer.
_FLOODED = (_SPILLING[1], _SPILLING[0], *_SPILLING[2:])
_CROWDED = (Variant(ordered=True, budget=BUDGET, bits=False), Variant(ordered=True, scheduled=True, budget=BUDGET),
            *_SPILLING)
# In front of an exact GELU, products of f16 are pipelined only by the search for windows: 6 or 8 packets instead of 12.
_CROWDED_PRODUCTS = (replace(_EVERYTHING, budget=RegisterBudget(34), live_range=80), _SPILLING[4], _SPILLING[3])
_CROWD = 45
"""Vectors at hand at once (`traits`) from which on LLVM spills some, however it orders them."""
_CHAINS = 1 / 4
"""The part of a crowded loop's instructions that are qfloat's from which on our order beats LLVM's."""
_MANY = 8
"""Vectors at hand at once in code without loops over them from which on LLVM's scheduler finds packets to fill."""
UNCHAINED = (Variant(),)  # for code without chains
BASELINES = (Variant(scheduled=True, windows=True), Variant(scheduled=True), Variant())
PATIENCE = 100_000
"""Characters of LLVM IR in all the right variants together that loops at twice their bound are worth."""
_TIDINESS = 80_000
"""Characters of LLVM IR in all variants together that are worth a loop without spills, addresses and copies."""
_TIDY = 1 / 12
"""How far above its bound such a loop is good enough as it is: another order only trades its overhead for waits."""

_FAR = 0.3
"""How far above the bound loops that were scheduled by LLVM are tried without, however long that takes."""


def variants(traits: Traits) -> list[Variant]:
    """What to try for code of these ``traits``."""
    straight = traits.pressure == 0 and traits.outside >= _MANY
    if straight or traits.pressure <= REGISTERS < traits.outside:  # no order of ours helps
        quick = [replace(_QUICK, bits=False), *(v for v in _GENERAL if v != _QUICK)]
        return [*_SPILLING] if traits.outside >= _CROWD else quick
    if traits.pressure >= _CROWD:
        if traits.products:
            return [*_CROWDED_PRODUCTS, *(v for v in _CROWDED if v not in _CROWDED_PRODUCTS)]
        if traits.qfloat >= _CHAINS:
            return [*_CROWDED]
        return [*(_FLOODED if traits.pressure >= 2 * REGISTERS else _SPILLING)]
    if traits.products:  # of halves with bits: matrix product 105,555 cycles, 117,891 without
        return [replace(_PRODUCTS[0], bits=traits.qfloat < _MIXED), *_PRODUCTS[1:]]
    if traits.pressure <= REGISTERS:
        return [*_GENERAL]
    if _MIXED <= traits.qfloat < _FULL:
        return [*_TABLED[:2], _GENERAL[0], *_TABLED[2:], *_GENERAL[1:]]
    return [_GENERAL[0], *_TABLED[traits.qfloat >= _FULL:], *_GENERAL[1:]]


def after_spills(variant: Variant, left: list[Variant]) -> list[Variant]:
    """What to try when registers were short in ``variant``, with others ``left``."""
    if replace(variant, bits=True) not in (*_GENERAL, *_TABLED):
        return left
    return [*(v for v in (_QUICK, _EVERYTHING) if v in left), *_CROWDED]


def worth(variant: Variant, best: Cost, spent: float, patience: int) -> bool:
    """Whether trying ``variant`` for code at the cost ``best`` is worth its time, ``spent`` characters being enough."""
    if variant == _GENERAL[0] and best.above_bound > _FAR and patience:
        return True
    untidy = best.overhead > 0 and best.above_bound > _TIDY and variant in _TABLED and spent <= _TIDINESS
    return best.above_bound * patience >= spent or (untidy and patience > 0)

"""The ways to generate code for a function, in the order in which they are tried, and when to stop.

LLVM's scheduler and its window search each help some loops and raise the register pressure of others; so do ordered
loops. A function's traits predict the variant that is most often best, which is tried first. ``python
bench/variants.py`` measures the effect of every number here and of every variant.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from typing import Any

from hexagon_mlir.codegen.scheduling.loop_order import REGISTERS, RegisterBudget
from hexagon_mlir.codegen.scheduling.static_cost import Cost
from hexagon_mlir.codegen.scheduling.traits import Traits


@dataclass(frozen=True)
class Variant:
    """One way to generate code: with the vector loops ordered (`loop_order`), scheduled by LLVM before register
    allocation, with LLVM's window search (``windows``) where software pipelining fails. ``budget`` makes loops load
    constants from a table. ``rescheduled``: LLVM schedules again after register allocation, which fills packets, but
    moves instructions next to the loads that they wait for. ``bits`` is LLVM's known-bits analysis, up to a third of
    its time: it keeps a thousand bits for each vector. It shortens address arithmetic, which matters in tight loops.
    ``realigned``: LLVM combines loads and stores at known distances to aligned ones, which it shifts.
    """

    ordered: bool = False
    scheduled: bool = False
    windows: bool = False
    budget: RegisterBudget | None = None
    rescheduled: bool = True
    bits: bool = True
    realigned: bool = True


def _limit(value: float, meaning: str) -> Any:
    return field(default=value, metadata={"meaning": meaning})


@dataclass(frozen=True)
class Limits:
    """The numbers that decide between variants, each with its meaning (`bench/variants.py` prints it).

    From 30 to 36 ``registers`` static costs are the same, but softmax takes 5 % more cycles at 32. ``fewer`` is for
    loops whose constants LLVM spills nevertheless, since it reorders and allocates differently.
    """

    patience: int = _limit(100_000, "characters of LLVM IR in a program up to which loops at twice their bound are "
                                    "worth another try")
    registers: int = _limit(34, "live vectors up to which loops keep their constants in registers")
    fewer: int = _limit(32, "the same where LLVM spilled some of them")
    crowded: int = _limit(50, "live vectors from which on LLVM spills some, however it orders them")
    overhead: float = _limit(0.001, "overhead, as a part of the packets, from which on another try is worth as much "
                                    "as at twice the bound")
    qfloat: float = _limit(1 / 3, "the part of the vector instructions that are qfloat's from which on they decide "
                                  "which variant is best")
    unaligned: float = _limit(0.08, "the part of the vector loads that are unaligned from which on loops other than "
                                    "products load each by itself")
    some: float = _limit(1 / 20, "the same part of qfloat's in crowded loops, which are ordered then")


LIMITS = Limits()
BUDGET = RegisterBudget(LIMITS.registers, slots=False)
WITHOUT_QFLOAT = (Variant(),)
"""For code whose qfloat results are converted at once."""
BASELINES = (Variant(scheduled=True, windows=True), Variant(scheduled=True), Variant())
"""For loops that the pipeline leaves to LLVM."""


def variants(traits: Traits, limits: Limits = LIMITS) -> tuple[Variant, ...]:
    """The variants to try for code of these ``traits``, the best one of most such functions first. Of 36 functions of
    MobileViT with unaligned loads, static costs are 5 % lower where LLVM does not realign them, and none is higher."""
    found = _by_registers(traits, limits)
    if traits.unaligned < limits.unaligned or traits.products or not traits.longest:
        return found
    return tuple(replace(variant, realigned=False) for variant in found)


def _by_registers(traits: Traits, limits: Limits) -> tuple[Variant, ...]:
    """The variants that suit the registers and units that code of these ``traits`` needs."""
    ordered = Variant(ordered=True, windows=True, budget=RegisterBudget(limits.registers, slots=False))
    scheduled, both = Variant(scheduled=True), replace(ordered, scheduled=True)
    table = replace(both, budget=RegisterBudget(limits.fewer, slots=False))
    if traits.moves:  # nothing to do while a load is under way
        return replace(scheduled, rescheduled=False), replace(ordered, windows=False)
    in_qfloat, crowded = traits.qfloat >= limits.qfloat, traits.pressure >= limits.crowded
    if traits.pressure == 0 < traits.outside or traits.pressure <= REGISTERS < traits.outside:
        return replace(scheduled, bits=False), ordered  # registers are short outside of loops
    if traits.products:  # LLVM pipelines them best when ordered; the address arithmetic of f16 loops must be short
        return replace(both, bits=crowded or not in_qfloat), scheduled
    if crowded and in_qfloat:  # our order spills less than LLVM's; windows spill more
        return replace(both, windows=False, bits=False), replace(ordered, windows=False, bits=False)
    if crowded and traits.qfloat >= limits.some:  # GELU of f16
        return replace(both, windows=False), Variant(bits=False)
    if crowded:  # random numbers need the fewest registers in the given order
        return Variant(bits=False), Variant(scheduled=True, bits=False)
    if traits.pressure > REGISTERS and in_qfloat:  # loads of constants reserve slots where few are free
        return table, replace(both, budget=RegisterBudget(limits.fewer)), ordered
    if traits.pressure > REGISTERS:
        return ordered, table
    return ordered, scheduled, both, Variant(windows=True)  # the last for loops that exchange lanes (short rows)


def worth(best: Cost, length: float, limits: Limits = LIMITS) -> bool:
    """Whether another try is worth its time for code at the cost ``best``, in a program of ``length`` characters.
    Much overhead counts as twice the bound: another variant rarely has overhead.
    """
    overhead = best.overhead > limits.overhead * best.packets
    return max(best.above_bound, overhead) * limits.patience >= length


LONG = 250
"""Instructions of a loop from which on LLVM's window search takes half of the time of code generation. Of 43 functions
with such loops, static costs are 0.2 % higher without it and with a single try, for a third of the time."""


def quick(candidates: Iterable[Variant], traits: Traits) -> tuple[Variant, ...]:
    """``candidates`` for code of these ``traits`` that takes little of a program's cycles: without window search in
    `LONG` loops, and without LLVM's known-bits analysis. Of 65 functions of GhostNet that takes 28 % of the time;
    static costs are 0.2 % lower without it, at worst 0.2 % higher; those of GELU in f16 15 % higher."""
    is_long = traits.longest >= LONG
    return tuple(dict.fromkeys(replace(candidate, bits=False, windows=candidate.windows and not is_long)
                               for candidate in candidates))


def quick_tries(traits: Traits, most: int) -> int:
    """How many of the `quick` candidates are tried, ``most`` at most. The first is good enough for `LONG` loops, and
    for products: of 38 functions, static costs are 0.4 % higher than after two tries."""
    return 1 if traits.longest >= LONG or traits.products else most


def first_correct(candidates: Iterable[Variant],
                  generate: Callable[[Variant], str | None]) -> tuple[str, Variant] | None:
    """The first correct assembly of the ``candidates``, with its variant; ``generate`` returns None where it is
    incorrect.
    """
    return next(((made, variant) for variant in candidates if (made := generate(variant)) is not None), None)


def search(candidates: Iterable[Variant], generate: Callable[[Variant], tuple[Cost, str] | None], length: float,
           limits: Limits = LIMITS, most: int = 0) -> tuple[Cost, str, Variant] | None:
    """The cheapest assembly of the ``candidates`` that are worth trying, with its cost and variant; ``generate``
    returns None where it is incorrect. It stops after ``most`` correct ones, if that is not 0.
    """
    best: tuple[Cost, str, Variant] | None = None
    correct = 0
    for variant in candidates:
        if best is not None and (correct == most or not worth(best[0], length, limits)):
            break
        made = generate(variant)
        correct += made is not None
        if made is not None and (best is None or made[0] < best[0]):
            best = *made, variant
    return best

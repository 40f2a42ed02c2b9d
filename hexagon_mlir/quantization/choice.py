"""The scheme of each layer under a budget, by an exact solver. Nothing here knows what a layer is."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import inf, isfinite, log10
from typing import Any

from hexagon_mlir.ir import HexError
from hexagon_mlir.quantization.schemes import Scheme

_TOLERANCE = 1e-6
"""Of errors, relative to the largest one of a layer."""
_ANY = -300.0
"""Decibels that everything finite has."""
_MILLISECONDS = 60_000
"""Time limit of the solver; a choice that it has not proved to be the best one by then is still within the budget."""


@dataclass(frozen=True)
class Budget:
    """What a choice must hold; at least one of these. ``sqnr``: the signal of the model's results is at least so many
    decibels above the error. ``loss``: the loss rises by at most so much. ``cycles`` and ``nbytes`` (of weights) are at
    most these of all layers together. The fewest cycles are chosen within limits of the error, the least error
    otherwise.
    """

    sqnr: float | None = None
    loss: float | None = None
    cycles: float | None = None
    nbytes: float | None = None

    def __post_init__(self) -> None:
        limits = [self.sqnr, self.loss, self.cycles, self.nbytes]
        if all(limit is None for limit in limits):
            raise HexError.plain("quantize: the budget has no limit", hint="Budget(sqnr=30), or loss, cycles, nbytes")
        for limit in limits:
            if limit is not None and not (isinstance(limit, int | float) and isfinite(limit)):
                raise HexError.plain(f"quantize: a limit of the budget is {limit!r}", hint="a finite number")

    @property
    def limits_error(self) -> bool:
        """Whether the error has a limit: then cycles are what should be few."""
        return self.sqnr is not None or self.loss is not None


@dataclass(frozen=True)
class Option:
    """A layer in one scheme: its ``cycles``, the ``nbytes`` of its weights, the ``noise`` that it alone brings into the
    model's results (squared error, summed), and by how much the model's ``loss`` rises."""

    scheme: Scheme
    cycles: int
    nbytes: int
    noise: float
    loss: float = 0.0


Options = Mapping[str, Sequence[Option]]
"""By layer."""


@dataclass(frozen=True)
class Conversion:
    """Takes ``cycles`` if ``layer`` computes with bytes and one of ``neighbours`` does not; None: whenever ``layer``
    does."""

    layer: str
    cycles: int
    neighbours: frozenset[str] | None


@dataclass(frozen=True)
class Problem:
    """Layers with their ``options``, the ``conversions`` between them, and the sum of squares of the model's results.
    """

    options: Options
    conversions: Sequence[Conversion]
    signal: float

    def cycles(self, choice: Mapping[str, Option]) -> int:
        """Of all layers and the conversions between them."""
        def bytes_(name: str) -> bool:
            return choice[name].scheme == Scheme.INT8

        return sum(option.cycles for option in choice.values()) + sum(
            each.cycles for each in self.conversions
            if bytes_(each.layer) and (each.neighbours is None or not all(map(bytes_, each.neighbours))))

    def sqnr(self, choice: Mapping[str, Option]) -> float:
        """Decibels, if the errors of layers add up."""
        return decibels(self.signal, sum(option.noise for option in choice.values()))


def decibels(signal: float, noise: float) -> float:
    """SQNR of results whose elements have ``signal`` and ``noise`` as sums of squares."""
    return inf if noise == 0 else -inf if signal == 0 else 10 * log10(signal / noise)


def as_text(sqnr: float) -> str:
    """Decibels for a reader."""
    return "infinitely many" if sqnr == inf else f"{sqnr:.1f}"


def choose(problem: Problem, budget: Budget) -> dict[str, Option]:
    """An option for each layer, within ``budget``. Errors of layers are taken to add up. Raises `HexError` where no
    choice is within the budget."""
    found = _solved(problem, budget)
    if found is None:
        raise HexError.plain("quantize: no choice of schemes is within the budget", hint=_extremes(problem))
    return found


def pareto(problem: Problem, points: int = 16) -> list[dict[str, Option]]:
    """Choices of least error between the fewest cycles and those of the most exact choice; none is worse than another
    one in both."""
    unlimited = Budget(nbytes=sum(option.nbytes for each in problem.options.values() for option in each))
    exact = problem.cycles(choose(problem, unlimited))
    fewest = problem.cycles(choose(problem, Budget(sqnr=_ANY, nbytes=unlimited.nbytes)))
    found: list[dict[str, Option]] = []
    for step in range(points):
        tried = choose(problem, Budget(cycles=fewest + (exact - fewest) * step / max(points - 1, 1)))
        if not found or problem.sqnr(tried) > problem.sqnr(found[-1]):
            found.append(tried)
    return found


def _solved(problem: Problem, budget: Budget) -> dict[str, Option] | None:
    """The best choice; of equally good ones that of least error, or fewest cycles."""
    from ortools.linear_solver import pywraplp

    allowed = inf if budget.sqnr is None else problem.signal / 10 ** (budget.sqnr / 10)
    solver = pywraplp.Solver.CreateSolver("SCIP")  # CP-SAT 9.15 proves wrong optima: google/or-tools issue 5293
    solver.SetTimeLimit(_MILLISECONDS)
    taken = {name: [(option, solver.BoolVar(f"{name} {option.scheme}")) for option in options
                    if isfinite(option.noise) and isfinite(option.loss) and option.noise <= allowed]
             for name, options in problem.options.items()}
    of_bytes = {name: sum(variable for option, variable in each if option.scheme == Scheme.INT8)
                for name, each in taken.items()}
    for each in taken.values():
        solver.Add(sum(variable for _, variable in each) == 1)

    def total(of: str) -> Any:
        """The sum of a field of the chosen options; numbers about 1 are what the solver's tolerances are for."""
        scale = max((abs(getattr(option, of)) for each in taken.values() for option, _ in each), default=0) or 1
        return sum(getattr(option, of) / scale * variable for each in taken.values() for option, variable in each
                   ), scale

    noise, most_noise = total("noise")
    cycles = sum(option.cycles * variable for each in taken.values() for option, variable in each)
    for number, conversion in enumerate(problem.conversions):
        needed = of_bytes[conversion.layer]
        if conversion.neighbours is not None:
            needed = solver.NumVar(0, 1, f"conversion {number}")
            for neighbour in conversion.neighbours:
                solver.Add(needed >= of_bytes[conversion.layer] - of_bytes[neighbour])
        cycles += conversion.cycles * needed
    if isfinite(allowed):
        solver.Add(noise <= allowed / most_noise)
    if budget.cycles is not None:
        solver.Add(cycles <= budget.cycles)
    for limit, of in ((budget.loss, "loss"), (budget.nbytes, "nbytes")):
        if limit is not None:
            value, scale = total(of)
            solver.Add(value <= limit / scale)
    found = None
    for objective, slack in ((cycles, 0.5), (noise, _TOLERANCE))[::1 if budget.limits_error else -1]:
        solver.Minimize(objective)
        if solver.Solve() not in (pywraplp.Solver.OPTIMAL, pywraplp.Solver.FEASIBLE):
            break
        found = {name: next(option for option, variable in each if variable.solution_value() > 0.5)
                 for name, each in taken.items()}
        solver.Add(objective <= solver.Objective().Value() + slack)
    return found


def _extremes(problem: Problem) -> str:
    each = problem.options.values()
    exact = sum(min(option.noise for option in options) for options in each)
    cycles, nbytes = (sum(min(getattr(option, of) for option in options) for options in each)
                      for of in ("cycles", "nbytes"))
    return (f"at best {as_text(decibels(problem.signal, exact))} dB, {cycles:,} cycles, {nbytes:,} bytes, "
            "not all three together")

"""Which scheme each layer gets: against all choices there are."""

from itertools import product
from math import inf

import numpy as np
import pytest

from hexagon_mlir.ir import HexError
from hexagon_mlir.quantization.choice import Budget, Conversion, Option, Problem, choose, decibels, pareto
from hexagon_mlir.quantization.schemes import Scheme


def problem(rng, layers=4):
    names = [f"layer{number}" for number in range(layers)]
    options = {name: [Option(scheme, int(rng.integers(1, 100)), int(rng.integers(1, 50)),
                             0.0 if scheme == Scheme.F32 else float(rng.random()), float(rng.normal()))
                      for scheme in Scheme] for name in names}
    conversions = [Conversion(name, int(rng.integers(0, 40)), None if rng.random() < 0.3 else
                              frozenset(other for other in names if other != name and rng.random() < 0.5))
                   for name in names for _ in range(2)]
    return Problem(options, conversions, 10.0)


def all_choices(of):
    return [dict(zip(of.options, each, strict=True)) for each in product(*of.options.values())]


def noise(choice):
    return sum(option.noise for option in choice.values())


def within(of, choice, budget):
    return ((budget.sqnr is None or of.sqnr(choice) >= budget.sqnr)
            and (budget.loss is None or sum(option.loss for option in choice.values()) <= budget.loss)
            and (budget.cycles is None or of.cycles(choice) <= budget.cycles)
            and (budget.nbytes is None or sum(option.nbytes for option in choice.values()) <= budget.nbytes))


BUDGETS = [Budget(sqnr=12.0), Budget(sqnr=8.0, nbytes=90), Budget(loss=-1.0), Budget(cycles=150),
           Budget(nbytes=80), Budget(cycles=200, nbytes=100), Budget(sqnr=60.0)]


@pytest.mark.parametrize("seed", range(12))
@pytest.mark.parametrize("budget", BUDGETS, ids=str)
def test_the_best_of_all_choices(seed, budget):
    given = problem(np.random.default_rng(seed))
    allowed = [choice for choice in all_choices(given) if within(given, choice, budget)]
    if not allowed:
        with pytest.raises(HexError, match="is within the budget\n  hint: at best infinitely many dB"):
            choose(given, budget)
        return
    found = choose(given, budget)
    assert within(given, found, budget)
    if budget.limits_error:
        assert given.cycles(found) == min(map(given.cycles, allowed))
    else:
        assert noise(found) == pytest.approx(min(map(noise, allowed)), abs=1e-5)


def test_the_frontier_has_no_point_that_another_one_beats():
    given = problem(np.random.default_rng(0))
    points = [(given.cycles(choice), noise(choice)) for choice in pareto(given)]
    assert len(points) > 2
    for cycles, error in points:
        assert not any(given.cycles(other) <= cycles and noise(other) < error - 1e-5 for other in all_choices(given))
    assert points == sorted(points)
    assert points[0][0] == min(map(given.cycles, all_choices(given)))
    assert points[-1][1] == 0


def test_options_that_are_not_finite_are_never_chosen():
    options = {"layer": [Option(Scheme.F32, 100, 4, 0.0), Option(Scheme.F16, 10, 2, inf)]}
    for budget in (Budget(sqnr=0.0), Budget(nbytes=100), Budget(sqnr=-50.0)):
        assert choose(Problem(options, [], 1.0), budget)["layer"].scheme == Scheme.F32


def test_conversions_are_counted_where_neighbours_are_f32():
    fast, slow = Option(Scheme.INT8, 10, 1, 0.0), Option(Scheme.F32, 25, 4, 0.0)
    options = {"a": [slow, fast], "b": [slow, fast]}
    both = frozenset({"b"}), frozenset({"a"})
    given = Problem(options, [Conversion("a", 9, None), Conversion("a", 9, both[0]), Conversion("b", 9, both[1]),
                              Conversion("b", 9, None)], 1.0)
    assert given.cycles({"a": fast, "b": slow}) == 53
    assert given.cycles({"a": fast, "b": fast}) == 38
    assert [option.scheme for option in choose(given, Budget(sqnr=10.0)).values()] == [Scheme.INT8, Scheme.INT8]


@pytest.mark.parametrize(("limits", "message"), [({}, "the budget has no limit"),
                                                 ({"sqnr": float("nan")}, "a limit of the budget is nan"),
                                                 ({"cycles": "many"}, "a limit of the budget is 'many'")])
def test_budgets_that_say_nothing(limits, message):
    with pytest.raises(HexError, match=message):
        Budget(**limits)


def test_decibels():
    assert decibels(100.0, 1.0) == 20.0
    assert decibels(1.0, 0.0) == inf
    assert decibels(0.0, 1.0) == -inf

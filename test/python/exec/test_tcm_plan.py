"""Where kernels find their TCM: nothing meets, and tiles come ahead only where there is time and room."""

import random
from itertools import pairwise

import pytest

from hexagon_mlir.exec.tcm_plan import WHOLE, Need, plan_tcm

VECTOR = 128


def product(arena=256, tile=512, cycles=10.0, spare=100.0):
    return Need(arena, tile, cycles, spare)


def ahead(calls, tcm=8192):
    return [place.ahead for place in plan_tcm(calls, tcm, VECTOR).places]


def test_products_in_a_row():
    plan = plan_tcm([product()] * 3, 8192, VECTOR)
    assert [(p.tile, p.arena, p.starts, p.ahead) for p in plan.places] == [
        (plan.nbytes - VECTOR - 512, 512, 1, False),
        (0, 512, 2, True), (plan.nbytes - VECTOR - 512, 0, None, True)]
    assert plan.nbytes == 256 + 2 * 512 + VECTOR


@pytest.mark.parametrize(("calls", "expected"), [
    ([], []),
    ([Need(100)], [False]),
    ([product(), product(cycles=100.0)], [False, True]),  # just enough time
    ([product(), product(cycles=101.0)], [False, False]),
    ([Need(100, spare_cycles=50.0), product()], [False, True]),  # a call without a tile starts one
    ([Need(WHOLE), Need(100, spare_cycles=50.0), product()], [False, False, True]),
    ([product(spare=0.0), product()], [False, False]),  # it cannot start one
    ([product(), Need(4096), product()], [False, False, True]),  # it stays during the call between
    ([product(), Need(7000), product()], [False, False, True]),
    ([product(), Need(7553), product()], [False, False, False]),  # which leaves no room
    ([product(), Need(WHOLE), product()], [False, False, False]),
    ([product(), product(spare=0.0), product()], [False, True, False]),  # the last one with a tile would have to
    ([product(tile=4096), product(tile=4096)], [False, False]),
    ([product(tile=3584), product(tile=4096)], [False, True]),
])
def test_when(calls, expected):
    assert ahead(calls) == expected


@pytest.mark.parametrize("seed", range(20))
def test_nothing_meets(seed):
    """At every step: the arena, the call's own tile and the tile under way are apart and inside."""
    rng = random.Random(seed)
    calls = [Need(rng.choice([0, WHOLE, 1, rng.randrange(4000)]), *(
        (rng.randrange(1, 4000), rng.uniform(0, 20), rng.choice([0, 15, 100])) if rng.random() < 0.6 else ()))
        for _ in range(30)]
    calls = [call if call.arena_bytes != WHOLE else Need(WHOLE) for call in calls]
    plan = plan_tcm(calls, 8192, VECTOR)
    assert plan.nbytes <= 8192
    started = {place.starts: step for step, place in enumerate(plan.places) if place.starts is not None}
    assert {step for step, place in enumerate(plan.places) if place.ahead} == set(started)
    for step, (call, place) in enumerate(zip(calls, plan.places, strict=True)):
        under_way = [(plan.places[later].tile, calls[later].tile_bytes) for later, first in started.items()
                     if first <= step < later]
        assert not under_way or call.arena_bytes != WHOLE
        spans = sorted((at, at + size) for at, size in [
            (place.arena, max(call.arena_bytes, 0)), (place.tile, call.tile_bytes), *under_way] if size)
        assert all(at % VECTOR == 0 for at, _ in spans)
        assert all(one[1] <= other[0] for one, other in pairwise(spans)), (step, spans)
        assert not spans or spans[-1][1] <= plan.nbytes - VECTOR
    for later, first in started.items():
        assert calls[first].spare_cycles >= calls[later].tile_cycles


@pytest.mark.parametrize(("spare", "starter"), [
    ((100.0, 100.0, 100.0), 2),  # the last one that works as long as the transfer takes
    ((100.0, 100.0, 99.0), 1),
    ((99.0, 99.0, 99.0), None),
])
def test_who_starts(spare, starter):
    calls = [*(Need(100, spare_cycles=cycles) for cycles in spare), product(cycles=100.0)]
    places = plan_tcm(calls, 8192, VECTOR).places
    assert [place.starts for place in places] == [3 if step == starter else None for step in range(4)]

"""Where kernels find their TCM: nothing meets, and tiles come ahead only where there is time and room."""

import random
from dataclasses import replace
from itertools import pairwise

import pytest

from hexagon_mlir.codegen.memory_plan import Interval
from hexagon_mlir.codegen.tcm_activations import plan_activations
from hexagon_mlir.exec.tcm_plan import WHOLE, Need, Start, TileNeed, plan_tcm

VECTOR = 128


def product(arena=256, tile=512, cycles=10.0, spare=100.0, count=1, leading=0):
    return Need(arena, (TileNeed(tile, cycles),) * count, spare, leading)


def ahead(calls, tcm=8192):
    return [place.ahead for place in plan_tcm(calls, tcm, VECTOR).places]


def test_products_in_a_row():
    plan = plan_tcm([product()] * 3, 8192, VECTOR)
    assert [(p.tiles, p.starts, p.ahead) for p in plan.places] == [
        ((256,), (Start(1, 0, 1), Start(2, 0, 1)), 0), ((768 + 512,), (), 1), ((768,), (), 1)]
    assert plan.nbytes == 256 + 3 * 512 + VECTOR


def test_room_is_used_again():
    """Three calls whose tiles take a third of the TCM each, beside those of the next one."""
    plan = plan_tcm([product(tile=2560, spare=10.0)] * 5, 8192, VECTOR)
    assert [p.ahead for p in plan.places] == [0, 1, 1, 1, 1]
    assert [p.starts for p in plan.places] == [(Start(step, 0, 1),) for step in range(1, 5)] + [()]
    assert plan.nbytes == 256 + 2 * 2560 + VECTOR


@pytest.mark.parametrize(("spare", "expected"), [
    (40.0, (Start(1, 0, 2),)),
    (54.0, (Start(1, 0, 2),)),  # for three quarters of the tile for a later call: the next one does not wait for it
    (55.0, (Start(1, 0, 2), Start(2, 0, 1))),
    (80.0, (Start(1, 0, 2), Start(2, 0, 2))),
])
def test_tiles_of_several_calls(spare, expected):
    calls = [Need(100, spare_cycles=spare), product(cycles=20.0, count=2, spare=0.0), product(cycles=20.0, count=2)]
    assert plan_tcm(calls, 8192, VECTOR).places[0].starts == expected


@pytest.mark.parametrize(("calls", "expected"), [
    ([], []),
    ([Need(100)], [0]),
    ([product(), product(cycles=200.0)], [0, 1]),  # just enough time for half of it
    ([product(), product(cycles=201.0)], [0, 0]),
    ([product(), product(cycles=40.0, count=4)], [0, 3]),  # of the third one half
    ([product(spare=90.0), Need(0, spare_cycles=30.0), product(cycles=40.0, count=4)], [0, 0, 3]),
    ([product(tile=1024), product(tile=1792, count=4)], [0, 3]),  # no room for four
    ([product(), Need(4096), product(tile=2048, count=3)], [0, 0, 1]),  # in each call on the way
    ([Need(100, spare_cycles=50.0), product()], [0, 1]),  # a call without a tile starts one
    ([Need(WHOLE), Need(100, spare_cycles=50.0), product()], [0, 0, 1]),
    ([product(spare=0.0), product()], [0, 0]),  # it cannot start one
    ([product(), Need(4096), product()], [0, 0, 1]),  # it stays during the call between
    ([product(), Need(7000), product()], [0, 0, 1]),
    ([product(), Need(7553), product()], [0, 0, 0]),  # which leaves no room
    ([product(), Need(WHOLE), product()], [0, 0, 0]),
    ([product(), product(spare=0.0), product()], [0, 1, 1]),  # one call starts those of both
    ([product(spare=15.0), product(spare=0.0), product()], [0, 1, 0]),  # without time for the second one
    ([product(tile=4096), product(tile=4096)], [0, 0]),
    ([product(tile=3584), product(tile=4096)], [0, 1]),
    ([product(), product(cycles=500.0, count=4, leading=3)], [0, 3]),  # nothing else is transferred before them
    ([product(), Need(0), product(cycles=500.0, count=4, leading=3)], [0, 0, 3]),
    ([product(), Need(100), product(cycles=500.0, count=4, leading=3)], [0, 0, 0]),  # what that one transfers waits
    ([product(spare=0.0), product(cycles=500.0, count=4, leading=3)], [0, 0]),
])
def test_when(calls, expected):
    assert ahead(calls) == expected


@pytest.mark.parametrize("seed", range(40))
def test_nothing_meets(seed):
    """At every step: the arena, the call's own tiles and the tiles under way are apart and inside."""
    rng = random.Random(seed)
    calls = []
    for _ in range(30):
        arena = rng.choice([0, WHOLE, 1, rng.randrange(4000)])
        tiles = tuple(TileNeed(rng.randrange(1, 1500), rng.uniform(0, 20)) for _ in range(rng.choice([0, 1, 3])))
        calls.append(Need(WHOLE) if arena == WHOLE else Need(arena, tiles, rng.choice([0, 15, 100])))
    lives = {}
    for number in range(seed % 2 * 12):  # activations, in half of the cases
        begin = rng.randrange(len(calls) - 3)
        lives[number] = Interval(rng.randrange(1, 600), begin, begin + rng.randrange(3))
    kept = plan_activations(lives, lives, len(calls), VECTOR)
    if lives:  # as kernels are compiled: what activations take is theirs
        calls = [replace(call, arena_bytes=min(call.arena_bytes, 8192 - 3 * 1536 - VECTOR - taken))
                 if call.arena_bytes != WHOLE else Need(100) for call, taken in zip(calls, kept.taken, strict=True)]
    plan = plan_tcm(calls, 8192, VECTOR, kept)
    assert plan.nbytes <= 8192
    started = [(start.step, number, step) for step, place in enumerate(plan.places) for start in place.starts
               for number in start.tiles]
    order = [(later, number) for later, number, _ in started]
    assert order == sorted(order)
    for step, place in enumerate(plan.places):
        assert [number for later, number, _ in started if later == step] == list(range(place.ahead))
    for step, (call, place) in enumerate(zip(calls, plan.places, strict=True)):
        under_way = [(plan.places[later].tiles[number], calls[later].tiles[number].nbytes)
                     for later, number, first in started if first <= step < later]
        assert not under_way or call.arena_bytes != WHOLE
        own = zip(place.tiles, (tile.nbytes for tile in call.tiles), strict=True)
        live = [(plan.activations[number], one.nbytes) for number, one in lives.items() if one.begin <= step <= one.end]
        spans = sorted((at, at + size) for at, size in [(0, max(call.arena_bytes, 0)), *own, *under_way, *live]
                       if size)
        assert all(at % VECTOR == 0 for at, _ in spans)
        assert all(one[1] <= other[0] for one, other in pairwise(spans)), (step, spans)
        assert not spans or spans[-1][1] <= plan.nbytes - VECTOR
    assert any(place.ahead > 1 for place in plan.places) or seed not in (0, 1, 2)


@pytest.mark.parametrize(("spare", "starter"), [
    ((100.0, 100.0, 100.0), 0),  # the first one that has time
    ((74.0, 75.0, 100.0), 1),
    ((49.0, 49.0, 50.0), 2),  # half of it, where nothing else comes in between
    ((49.0, 49.0, 49.0), None),
])
def test_who_starts(spare, starter):
    calls = [*(Need(100, spare_cycles=cycles) for cycles in spare), product(cycles=100.0)]
    places = plan_tcm(calls, 8192, VECTOR).places
    assert [place.starts for place in places] == [(Start(3, 0, 1),) if step == starter else () for step in range(4)]

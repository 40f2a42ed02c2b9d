"""The plan of activations: no two that live together overlap, and little is wasted."""

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hexagon_mlir.codegen.memory_plan import Interval, assign_slots, plan, plan_slots

INTERVALS = st.lists(st.tuples(st.integers(0, 5000), st.integers(0, 30), st.integers(0, 8)).map(
    lambda t: Interval(t[0], t[1], t[1] + t[2])), max_size=25)


@given(INTERVALS)
def test_nothing_overlaps(intervals):
    result = plan(intervals, 128)
    places = [(offset, offset + interval.nbytes) for offset, interval in zip(result.offsets, intervals, strict=True)]
    for i, first in enumerate(intervals):
        assert places[i][0] % 128 == 0 and places[i][1] <= result.arena_bytes
        for j in range(i):
            if first.meets(intervals[j]):
                assert places[i][1] <= places[j][0] or places[j][1] <= places[i][0]
    assert result.bound_bytes <= result.arena_bytes <= result.total_bytes


def test_a_chain_needs_two():
    chain = [Interval(1024, step, step + 1) for step in range(10)]
    result = plan(chain, 128)
    assert (result.total_bytes, result.arena_bytes, result.bound_bytes) == (10240, 2048, 2048)


@pytest.mark.parametrize("seed", range(20))
def test_slots_hold_any_sizes(seed):
    """Slots are assigned for one set of sizes; of others, buffers that are live together do not overlap either."""
    rng = random.Random(seed)
    spans = [sorted(rng.choices(range(12), k=2)) for _ in range(rng.randint(0, 25))]
    first = [Interval(rng.randint(0, 5000), *span) for span in spans]
    slots = assign_slots(first)
    for _ in range(5):
        intervals = [Interval(rng.choice([0, 1, 127, 128, rng.randint(0, 90000)]), *span) for span in spans]
        made = plan_slots(intervals, slots, 128)
        best = plan(intervals, 128)
        assert (made.total_bytes, made.bound_bytes) == (best.total_bytes, best.bound_bytes)
        assert made.bound_bytes <= made.arena_bytes <= made.total_bytes
        for one, begin in zip(intervals, made.offsets, strict=True):
            assert begin % 128 == 0 and begin + one.nbytes <= made.arena_bytes
            for other, start in zip(intervals, made.offsets, strict=True):
                if one is not other and one.meets(other):
                    assert begin + one.nbytes <= start or start + other.nbytes <= begin

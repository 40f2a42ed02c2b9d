"""The plan of activations: no two that live together overlap, and little is wasted."""

from hypothesis import given, settings
from hypothesis import strategies as st

from hexagon_mlir.exec.memory_plan import Interval, plan

INTERVALS = st.lists(st.tuples(st.integers(0, 5000), st.integers(0, 30), st.integers(0, 8)).map(
    lambda t: Interval(t[0], t[1], t[1] + t[2])), max_size=25)


@settings(max_examples=200, deadline=None)
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

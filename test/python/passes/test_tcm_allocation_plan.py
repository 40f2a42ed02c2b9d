"""Offsets in the TCM arena: nothing live overlaps, nothing exceeds the budget, sharing where lifetimes allow."""

import itertools
import random

import pytest

from hexagon_mlir.passes.tcm_allocation.plan import Lifetime, plan


def check(lifetimes, found, budget, alignment, reuse=True):
    placed = [(b, o) for b, o in zip(lifetimes, found.offsets, strict=True) if o is not None]
    for buffer, offset in placed:
        assert offset % alignment == 0
        assert offset + buffer.size <= found.peak <= budget
        if buffer.size:
            assert sum(low <= offset and offset + buffer.size <= low + size for low, size in found.slots) == 1
    for (a, at), (b, bt) in itertools.combinations(placed, 2):
        meet = a.begin <= b.end and b.begin <= a.end
        handed_over = at == bt and (a.end == b.begin or b.end == a.begin)
        if (meet or not reuse) and not handed_over:
            assert at + a.size <= bt or bt + b.size <= at, (a, at, b, bt)
    for (low, size), (following, _) in itertools.pairwise(found.slots):
        assert low + size <= following


def test_buffers_of_different_times_share():
    lifetimes = [Lifetime(100, 1, 2), Lifetime(100, 3, 4), Lifetime(50, 2, 3)]
    found = plan(lifetimes, 1000, 10)
    assert found.offsets[0] == found.offsets[1] != found.offsets[2]
    assert (found.asked, found.peak, found.lower_bound) == (250, 150, 150)
    assert found.slots == ((0, 100), (100, 50))


def test_without_reuse_each_has_its_own_place():
    found = plan([Lifetime(100, 1, 2), Lifetime(100, 3, 4)], 1000, 10, reuse=False)
    assert sorted(found.offsets) == [0, 100]
    assert (found.peak, found.lower_bound) == (200, 100)


def test_taking_over_a_dying_operand():
    lifetimes = [Lifetime(100, 1, 5), Lifetime(100, 5, 9, takes_over=0), Lifetime(100, 9, 10, takes_over=1)]
    assert plan(lifetimes, 1000, 1).peak == 100
    # not when it lives on, is of another size, or was not offered
    assert plan([Lifetime(100, 1, 6), Lifetime(100, 5, 9, takes_over=0)], 1000, 1).peak == 200
    assert plan([Lifetime(100, 1, 5), Lifetime(90, 5, 9, takes_over=0)], 1000, 1).peak == 190
    assert plan([Lifetime(100, 1, 5), Lifetime(100, 5, 9)], 1000, 1).peak == 200


def test_two_cannot_take_over_the_same_place():
    lifetimes = [Lifetime(8, 1, 5), Lifetime(8, 5, 9, takes_over=0), Lifetime(8, 5, 9, takes_over=0)]
    assert plan(lifetimes, 100, 1).peak == 16


def test_what_does_not_fit_stays_outside():
    found = plan([Lifetime(80, 1, 2), Lifetime(50, 1, 2), Lifetime(30, 3, 4)], 100, 1)
    assert found.offsets == (0, None, 0)
    assert plan([], 100, 1).peak == 0
    assert plan([Lifetime(0, 1, 2)], 100, 128).offsets == (0,)


@pytest.mark.parametrize("seed", range(40))
@pytest.mark.parametrize("reuse", [True, False])
def test_random_lifetimes(seed, reuse):
    rng = random.Random(seed)
    lifetimes = []
    for number in range(rng.randint(1, 30)):
        begin = rng.randint(0, 50)
        lifetimes.append(Lifetime(rng.choice([0, 1, 100, 128, 129, 4096]), begin, begin + rng.randint(0, 9),
                                  rng.randint(-1, number - 1)))
    budget = rng.choice([1 << 20, 8192, 100])
    found = plan(lifetimes, budget, 128, reuse)
    check(lifetimes, found, budget, 128, reuse)
    if budget == 1 << 20:
        assert None not in found.offsets
        assert found.lower_bound <= found.peak
    if reuse and budget == 1 << 20:  # first fit stays near the bound on such inputs
        assert found.peak <= 1.5 * found.lower_bound

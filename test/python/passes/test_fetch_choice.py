"""Which copies become transfers, against all ways to divide them between the DMA engine and the core."""

from itertools import combinations

import numpy as np
import pytest

from hexagon_mlir import targets
from hexagon_mlir.passes.lib.fetch_choice import choose_transfers, fetch_cycles
from hexagon_mlir.targets.dma import Engine


def cycles(sizes, moved, target):
    """By the target's numbers, if the engine moves the copies numbered ``moved``."""
    copied = [size for number, size in enumerate(sizes) if number not in moved]
    vectors = sum(copied) / target.vector_bytes.value
    core = len(copied) * target.ddr_latency_cycles.value + sum(copied) / target.ddr_bytes_per_cycle.value \
        + 2 * vectors * target.hvx_issue_interval_cycles.value
    engine = sum(sizes[number] for number in moved) / target.dma_bytes_per_cycle.value
    engine += target.dma_start_cycles.value + (len(moved) - 1) * target.dma_descriptor_cycles.value if moved else 0
    return max(core, engine)


@pytest.mark.parametrize("name", targets.names())
def test_no_division_is_much_better(name):
    rng, target = np.random.default_rng(0), targets.get(name)
    engine = Engine.of(target)
    for _ in range(40):
        sizes = [int(size) for size in 2 ** rng.uniform(7, 19, int(rng.integers(1, 6)))]
        chosen = choose_transfers(sizes, engine)
        expected = cycles(sizes, chosen, target)
        assert fetch_cycles(sizes, engine) == pytest.approx(expected)
        every = [set(moved) for count in range(len(sizes) + 1) for moved in combinations(range(len(sizes)), count)]
        assert expected <= 1.15 * min(cycles(sizes, moved, target) for moved in every)
        assert expected <= min(cycles(sizes, (), target), cycles(sizes, range(len(sizes)), target))


@pytest.mark.parametrize(("sizes", "chosen"), [
    ([], []), ([8192], []), ([32768], [0]), ([32768, 32768], [1]), ([128, 1 << 20, 128, 1 << 19], [1, 3])])
def test_the_largest_are_moved(sizes, chosen):
    assert choose_transfers(sizes, Engine.of(targets.get("v75"))) == chosen


def test_nothing_takes_no_time():
    assert fetch_cycles([], Engine.of(targets.get())) == 0

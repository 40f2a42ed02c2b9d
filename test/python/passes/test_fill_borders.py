"""What `hexagon-fill-borders` leaves to be filled: a pure function over numbers."""

import numpy as np
import pytest

from hexagon_mlir.passes.hexagon_fill_borders import Run, border

pytestmark = pytest.mark.only_values


@pytest.mark.parametrize(("shape", "first", "sizes"), [
    ((30, 2880), (1, 96), (28, 2688)),  # an image with all of its border
    ((7, 9), (0, 0), (6, 8)),           # a border at the end only
    ((7, 9), (1, 1), (6, 8)),           # at the start only
    ((7, 9), (1, 0), (5, 9)),           # whole rows: they are one run
    ((7, 9), (0, 3), (7, 1)),           # a column
    ((7, 9), (3, 2), (1, 4)),           # a row
    ((13,), (2,), (7,)),
    ((1, 13), (0, 13 - 5), (1, 5)),
    ((4, 4), (0, 0), (4, 4)),           # nothing is left
])
def test_a_border_is_what_the_block_leaves(shape, first, sizes):
    whole = np.zeros(shape, np.int64)
    strides = [step // whole.itemsize for step in whole.strides]
    block = tuple(slice(at, at + size) for at, size in zip(first, sizes, strict=True))
    whole[block] += 1
    runs = border(whole.size, sum(a * s for a, s in zip(first, strides, strict=True)), sizes, strides)
    flat = whole.reshape(-1)
    for run in runs:
        for row in range(run.rows):
            assert run.start + row * run.pitch + run.length <= whole.size
            flat[run.start + row * run.pitch:][:run.length] += 1
    assert (whole == 1).all(), "each element once"
    assert len(runs) <= 3


@pytest.mark.parametrize(("total", "sizes", "strides"), [
    (840, (2, 8, 40), (420, 42, 1)),  # two images
    (128, (4, 40), (32, 1)),          # rows that overlap
    (128, (0, 4), (32, 1)),           # nothing is copied
])
def test_no_rows_no_border(total, sizes, strides):
    assert border(total, 0, sizes, strides) is None


def test_rows_that_end_within_a_vector_take_longer():
    assert Run(0, 1, 200, 200).stores(64) == 4
    assert Run(77, 199, 96, 19).stores(64) == 3 * 199
    assert Run(0, 57, 3712, 128).stores(64) == 2 * 57

"""What the address registers of the matrix engine's instructions say: counters of masked bits, taps, groups, stores."""

import numpy as np
import pytest

from hexagon_mlir.isa.matrix import OPERATIONS
from hexagon_mlir.sim.matrix_engine import fields
from hexagon_mlir.sim.matrix_engine.fields import CHANNEL_MAJOR, HALF, SPATIAL_MAJOR, Taps
from hexagon_mlir.sim.matrix_engine.walks import Pair

Y = 0x700
"""Rows of a picture of 8 x 8 bytes or 8 x 4 halves; its columns are bits 7 and 1:0."""


def pair(activation, weight):
    return Pair(OPERATIONS[activation], OPERATIONS[weight])


def test_a_counter_counts_through_bits_that_are_no_neighbours():
    assert fields.counter(0x83) == (0, 1, 2, 3, 0x80, 0x81, 0x82, 0x83)
    assert fields.counter(Y) == tuple(range(0, 0x800, 0x100))
    assert fields.counter(0) == (0,)


@pytest.mark.parametrize(("which", "expected"), [
    (Taps.ALL, [0, 1, 2, 3, 0x80]), (Taps.LAST, [0x80]), (Taps.REST, [0x80, 0x81, 0x82, 0x83]),
    (Taps.EVEN, [0, 2, 0x80]), (Taps.NONE, [0]),
])  # fmt: skip
def test_taps_up_to_the_fifth_of_eight_columns(which, expected):
    assert list(fields.taps(0x83, 0x80, which)) == expected


@pytest.mark.parametrize(("layout", "rows"), [(HALF, 32), (SPATIAL_MAJOR, 64), (CHANNEL_MAJOR, 64)])
def test_rows_are_the_spatial_bits_packed(layout, rows):
    assert [layout.row(offset) for offset in fields.counter(layout.spatial)] == list(range(rows))
    assert layout.channel(0x7E0 | 0x1D if layout is CHANNEL_MAJOR else 0x783 | 0x1D << 2) == 0x1D


def test_rows_below_the_tile_come_from_the_next_one():
    found = fields.sources(SPATIAL_MAJOR, Y, 0x200).values.reshape(8, 8)
    np.testing.assert_array_equal(found[:6], np.arange(16, 64).reshape(6, 8))
    np.testing.assert_array_equal(found[6:], 64 + np.arange(16).reshape(2, 8))


def test_columns_right_of_the_tile_go_to_the_other_set():
    found = fields.targets(SPATIAL_MAJOR, Y, 3, 1, False).values.reshape(8, 8)
    assert found[0].tolist() == [64 + 3, 64 + 4, 64 + 5, 64 + 6, 64 + 7, 0, 1, 2]
    dropped = fields.targets(SPATIAL_MAJOR, Y, 3, 1, True).values.reshape(8, 8)
    assert dropped[7].tolist() == [64 + 59, 64 + 60, 64 + 61, 64 + 62, 64 + 63, -1, -1, -1]


def test_a_store_moved_down_and_right_comes_in_four_pieces():
    pieces = {(p.age, p.below): p for p in fields.placements(SPATIAL_MAJOR, Y, 0x101)}
    assert {key: len(piece.rows) for key, piece in pieces.items()} == {
        (0, False): 49, (0, True): 7, (1, False): 7, (1, True): 1,
    }  # fmt: skip
    assert pieces[1, True].rows.tolist() == [63]
    assert pieces[1, True].places[0].tolist() == list(range(0, 128, 4))
    assert pieces[0, False].places[0, 0] == 0x101


@pytest.mark.parametrize(("first", "last", "size"), [(1, 0, 1), (2, 1, 2), (4, 3, 4), (8, 7, 8), (16, 15, 16)])
def test_a_first_channel_after_the_last_one_makes_groups(first, last, size):
    assert 32 >> fields.borrows(first, last) == size
    walk = pair("activation.ub=mxmem(R,R)", "weight.b=mxmem(R,R)").walk(first << 2, last << 2, 1, 2048)
    assert (walk.group, walk.stream, walk.channels) == (size, size, max(size, 4))


def test_a_walk_goes_through_tiles_taps_sets_and_channels_in_this_order():
    walk = pair("activation.hf=mxmem(R,R)", "weight.hf=mxmem(R,R)").walk(0x102, Y | 0x7C, 1, 1024)
    assert [(s.y_tap, s.x_tap, s.stream) for s in walk.steps] == [(0, 0, 0), (0, 2, 32), (0x100, 0, 64), (0x100, 2, 96)]
    assert walk.below and walk.both and walk.channels == 128
    deep = pair("activation.ub=mxmem(R,R):deep", "weight.b=mxmem(R,R):deep").walk(4 << 2, 19 << 2, 3, 2048)
    assert [(s.tile, s.half, s.first, s.count) for s in deep.steps] == [
        (0, 0, 4, 28), (0, 1, 4, 28), (1, 0, 0, 32), (1, 1, 0, 32), (2, 0, 0, 20), (2, 1, 0, 20),
    ]  # fmt: skip


def test_a_walk_stops_where_the_weights_end():
    ends = pair("activation.ub=mxmem(R,R):deep", "weight.b=mxmem(R,R)").walk(0, 31 << 2, 4, 72)
    assert [step.count for step in ends.steps] == [32, 32, 8] and ends.channels == 72


def test_small_weights_take_all_channels():
    walk = pair("activation.ub=mxmem(R,R)", "weight.n=mxmem(R,R)").walk(8 << 2, 15 << 2, 1, 2048)
    assert [(step.first, step.count) for step in walk.steps] == [(8, 24)]

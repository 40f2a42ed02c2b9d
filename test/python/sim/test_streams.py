"""Streams of reads from DDR: the order of a few lines does not matter, the direction neither, far lines do."""

import numpy as np
import pytest
from sim.forms_harness import function

from hexagon_mlir import targets
from hexagon_mlir.sim import Machine

V75 = targets.get("v75")
LINES = 256
LATENCY = float(V75.ddr_latency_cycles.value)
PER_LINE = float(V75.l2_line_bytes.value) / float(V75.ddr_bytes_per_cycle.value)
WINDOW = int(V75.ddr_stream_window_lines.value)
FIRST = 4096
"""Line of the buffer that the orders start at."""


def stall(lines):
    """Cycles waited for DDR by vector loads of ``lines`` of a buffer, in that order."""
    packets = [["r2 = memw(r1++#4)"], ["r3 = addasl(r0,r2,#7)"], ["v0 = vmem(r3+#0)"]]
    text = function("f", [[f"loop0(.LL,##{len(lines)})"], *packets])
    text = text.replace("\t{\n\t\tr2 =", ".LL:\n\t{\n\t\tr2 =")
    machine = Machine(text.replace("vmem(r3+#0)\n\t}", "vmem(r3+#0)\n\t} :endloop0"))
    data, table = machine.alloc_ddr(128 * 3 * FIRST), machine.alloc_tcm(4 * len(lines))
    machine.write(table, np.array(lines, np.int32))
    return machine.run("f", [data, table]).stalls["memory-ddr"]


def groups(order):
    return [FIRST + group + place for group in range(0, LINES, len(order)) for place in order]


ASCENDING = [FIRST + n for n in range(LINES)]
STREAMED = LATENCY + (LINES - 1) * PER_LINE


def test_ascending_lines_cost_the_bandwidth_after_the_first():
    assert stall(ASCENDING) == pytest.approx(STREAMED, abs=1)


def test_descending_lines_cost_as_much():
    assert stall(ASCENDING[::-1]) == pytest.approx(STREAMED, abs=1)


@pytest.mark.parametrize("order", [(1, 0, 2, 3), (3, 2, 1, 0), (2, 3, 0, 1), (0, 3, 1, 2)])
@pytest.mark.parametrize("direction", [1, -1])
def test_small_reorderings_stay_in_the_stream(order, direction):
    assert stall(groups(order)[::direction]) == pytest.approx(STREAMED, abs=1)


@pytest.mark.parametrize("direction", [1, -1])
@pytest.mark.parametrize("pitch", [2, 3, WINDOW - 1, WINDOW, WINDOW + 1])
def test_rows_with_lines_between_them_cost_the_latency_each(direction, pitch):
    assert stall([FIRST + direction * pitch * n for n in range(64)]) == pytest.approx(64 * LATENCY, abs=1)


@pytest.mark.parametrize("rows", [1, 2, 5])
def test_each_row_of_a_matrix_costs_its_own_latency(rows):
    """Rows of 20 lines, 23 lines apart: the first line of a row lies in the window of the row before."""
    lines = [FIRST + 23 * row + n for row in range(rows) for n in range(20)]
    assert stall(lines) == pytest.approx(rows * (LATENCY + 19 * PER_LINE), abs=1)


def test_lines_that_fill_a_gap_join_what_is_round_it():
    assert stall([FIRST, FIRST + 4]) == pytest.approx(2 * LATENCY, abs=1)
    assert stall([FIRST, FIRST + 4, FIRST + 2]) == pytest.approx(3 * LATENCY, abs=1)
    assert stall([FIRST, FIRST + 4, FIRST + 2, FIRST + 1]) == pytest.approx(2 * LATENCY + 2 * PER_LINE, abs=1)
    assert stall([FIRST, FIRST + 4, FIRST + 2, FIRST + 1, FIRST + 3]) == pytest.approx(LATENCY + 4 * PER_LINE, abs=1)


@pytest.mark.parametrize("far", [FIRST - 1, FIRST - WINDOW - 1, FIRST + 5 * WINDOW])
def test_what_is_far_from_the_newest_lines_begins_anew(far):
    """Though the stream has passed there once."""
    lines = [FIRST + n for n in range(4 * WINDOW)]
    assert stall([*lines, far]) == pytest.approx(2 * LATENCY + (len(lines) - 1) * PER_LINE, abs=1)


def test_as_many_streams_as_the_target_has():
    """One more than that, in turn, and each has lost its place when its next line comes."""
    count = int(V75.ddr_streams.value)

    def turns(streams):
        return [FIRST // 2 + 100 * stream + n for n in range(16) for stream in range(streams)]

    assert stall(turns(count)) == pytest.approx(count * (LATENCY + 15 * PER_LINE), abs=1)
    assert stall(turns(count + 1)) == pytest.approx((count + 1) * 16 * LATENCY, abs=1)

"""`form-kernels`: which operations share a kernel."""

import pytest

from hexagon_mlir.passes.kernels.decide import Kind, OpInfo, group

BIG = 1 << 20


def op(kind, *operands, size=4, result=False, table=0, elementwise=False):
    return OpInfo(kind, operands, size, result, table, elementwise)


def each(*operands, size=0, result=False):
    """An elementwise operation; nothing of its result is stored unless ``size`` says so."""
    return op(J, *operands, size=size, result=result, elementwise=True)


A, J, COPY, CALL = Kind.ANCHOR, Kind.JOINS, Kind.COPIED, Kind.CALL
CASES = {
    "a chain joins its anchor": ([op(A), op(J, 0), op(J, 1)], [0, 0, 0]),
    "each anchor starts": ([op(A), op(A, 0)], [0, 1]),
    "the later producer is joined": ([op(A), op(A), op(J, 0, 1)], [0, 1, 1]),
    "through views": ([op(A), op(COPY, 0), op(J, 1)], [0, None, 0]),
    "nothing joins a call": ([op(CALL), op(J, 0)], [0, 1]),
    "two kernels between: no cycle": ([op(A), op(A, 0), op(J, 0), op(J, 1, 2)], [0, 1, 0, 1]),
    "arguments only, one reader": ([op(J), op(A, 0)], [1, 1]),
    "arguments only, read through a view": ([op(J), op(COPY, 0), op(A, 1)], [1, None, 1]),
    "arguments only, two readers": ([op(J), op(A, 0), op(A, 0)], [0, 1, 2]),
    "arguments only, a result": ([op(J, result=True), op(A, 0)], [0, 1]),
    "arguments only, read by a call": ([op(J), op(CALL, 0)], [0, 1]),
    "too large": ([op(A, size=BIG), op(J, 0)], [0, 1]),
    "too large, in place of what it reads": ([op(J), op(A, 0, size=0), op(COPY, 1), op(J, 2, size=BIG)],
                                             [0, 1, None, 1]),
    "too large, and what it reads is stored": ([op(A, size=8), op(COPY, 0), op(J, 1, size=BIG)], [0, None, 1]),
    "too large to be absorbed": ([op(J, size=BIG), op(A, 0)], [0, 1]),
    "a lookup in a table": ([op(J, table=BIG), op(A, 0)], [1, 1]),
    "a lookup in a large table": ([op(J, table=BIG + 1), op(A, 0)], [0, 1]),
    "postponed: its operand is passed on anyway": ([op(A), each(0), op(A), each(0, 1, 2)], [0, 1, 1, 1]),
    "postponed, through what is copied": (
        [op(A), op(COPY, 0), each(1), op(A), each(0, 2, 3)], [0, None, 1, 1, 1]),
    "not postponed: its operand is not passed on": ([op(A), each(0), op(A), each(1, 2)], [0, 0, 1, 1]),
    "not postponed: two kernels read it": (
        [op(A), each(0), op(A), each(0, 1, 2), op(A), each(0, 1, 4)], [0, 0, 1, 1, 2, 2]),
    "not postponed: it is stored": ([op(A), each(0, size=4), op(A), each(0, 1, 2)], [0, 0, 1, 1]),
    "not postponed: a result": ([op(A), each(0, result=True), op(A), each(0, 1, 2)], [0, 0, 1, 1]),
    "not postponed: a reduction": ([op(A), op(J, 0, size=0), op(A), each(0, 1, 2)], [0, 0, 1, 1]),
    "nothing": ([], []),
}


@pytest.mark.parametrize(("ops", "expected"), CASES.values(), ids=CASES)
def test_group(ops, expected):
    assert group(ops, BIG) == expected

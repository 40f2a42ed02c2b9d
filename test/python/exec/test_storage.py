"""Host memory as spans: what overlaps is one, and the host's addresses leave no trace in their order."""

import itertools

import pytest

from hexagon_mlir.exec.storage import Span, spans_of

APART = [(0x9000, 256, False), (0x1000, 64, True), (0x5000, 128, True)]


@pytest.mark.parametrize("addresses", list(itertools.permutations((0x1000, 0x5000, 0x9000))))
def test_spans_keep_the_order_of_the_arguments(addresses):
    storages = [(start, nbytes, writable) for start, (_, nbytes, writable) in zip(addresses, APART, strict=True)]
    assert spans_of(storages) == [Span(start, start + nbytes, writable) for start, nbytes, writable in storages]


@pytest.mark.parametrize("order", list(itertools.permutations(range(4))))
def test_what_overlaps_is_one_span_where_the_first_of_it_stands(order):
    storages = [(0x1000, 64, False), (0x1020, 64, True), (0x2000, 16, False), (0x3000, 0, True)]
    joined = Span(0x1000, 0x1060, True)
    first = min(order.index(0), order.index(1)) < order.index(2)
    other = Span(0x2000, 0x2010, False)
    assert spans_of([storages[n] for n in order]) == ([joined, other] if first else [other, joined])

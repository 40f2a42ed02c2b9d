"""Host memory as spans: what overlaps is one, and the host's addresses leave no trace in their order."""

import itertools
import threading

import pytest
import torch

from hexagon_mlir.exec.storage import Span, live_storages, spans_of

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


def test_live_tensors_are_found():
    plain, parameter = torch.zeros(3), torch.nn.Parameter(torch.zeros(5))
    part = torch.arange(8.0)[2:4]
    starts = {start for start, _, _ in live_storages()}
    assert {t.untyped_storage().data_ptr() for t in (plain, parameter, part)} <= starts


def test_looking_for_tensors_does_not_hinder_a_thread_that_builds_a_tuple():
    """A tuple cannot grow while a list of all objects refers to it."""
    stop, built = threading.Event(), []

    def build():
        while not stop.is_set():
            built.append(len(tuple(number for number in range(40))))
        built.append("to the end")

    thread = threading.Thread(target=build)
    thread.start()
    for _ in range(20):
        list(live_storages())
    stop.set()
    thread.join()
    assert built[-1] == "to the end" and set(built[:-1]) <= {40}

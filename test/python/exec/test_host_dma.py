"""The host's DMA: transfers land at their wait, a model's first tile is started once, and nothing is forgiven."""

import ctypes

import numpy as np
import pytest

from hexagon_mlir.exec.host_dma import HostDma, HostTile
from hexagon_mlir.ir import HexError


@pytest.fixture
def dma():
    return HostDma("test")


def tile(source, columns, tag=0):
    """The record of the first ``columns`` of the rows of ``source``."""
    return HostTile(source.ctypes.data, columns * source.itemsize, len(source), source.strides[0], tag)


def start(dma, record, memory):
    address = None if record is None else ctypes.addressof(record)
    return dma.functions()["hexmlir_rt_tile_start"](address, memory.ctypes.data)


def test_a_tile_lands_at_its_wait(dma):
    """Rows of a strided source, packed; what is read before is no number of the source."""
    source = np.arange(35, dtype=np.float32).reshape(5, 7)
    memory, record = np.zeros((5, 3), np.float32), tile(source, 3)
    tag = start(dma, record, memory)
    assert tag == record.tag != 0
    assert not np.isin(memory, source).any()
    source[2, 1] = -1.0  # read at the wait, as late as any engine may
    dma.functions()["hexmlir_rt_dma_wait"](tag)
    assert np.array_equal(memory, source[:, :3])
    dma.end()


def test_a_tile_under_way_is_not_started_again(dma):
    """The kernel before has started it: its tag is given, and memory is left alone."""
    source = np.arange(6, dtype=np.float32).reshape(2, 3)
    memory, record = np.zeros((2, 3), np.float32), tile(source, 3)
    first = start(dma, record, memory)
    dma.functions()["hexmlir_rt_dma_wait"](first)
    assert start(dma, record, memory) == first and np.array_equal(memory, source)
    assert not dma.pending


def test_no_tile_is_no_transfer(dma):
    memory = np.ones(3, np.float32)
    assert start(dma, None, memory) == 0
    dma.end()
    assert memory.tolist() == [1, 1, 1]


def test_faults(dma):
    source, memory = np.ones((1, 4), np.float32), np.zeros((1, 4), np.float32)
    wait = dma.functions()["hexmlir_rt_dma_wait"]
    start(dma, tile(source, 4), memory)
    with pytest.raises(HexError, match="1 DMA transfers were never waited for"):
        dma.end()
    dma.begin()
    tag = start(dma, tile(source, 4), memory)
    wait(tag)
    wait(tag)
    with pytest.raises(HexError, match=f"wait for DMA transfer {tag}, which is not under way"):
        dma.end()

"""The host's DMA: transfers land at their wait, a model's first tile is started once, and nothing is forgiven."""

import ctypes

import numpy as np
import pytest

from hexagon_mlir.exec.host_dma import HostDma, HostTile
from hexagon_mlir.ir import HexError


@pytest.fixture
def dma():
    return HostDma("test")


def tile(source, columns, memory, tag=0):
    """The record of the first ``columns`` of the rows of ``source``, which go to ``memory``."""
    return HostTile(memory.ctypes.data, source.ctypes.data, columns * source.itemsize, len(source), source.strides[0],
                    tag)


def start(dma, records, first=0, count=1):
    address = None if records is None else ctypes.addressof(records)
    return dma.functions()["hexmlir_rt_tile_start"](address, first, count)


def test_a_tile_lands_at_its_wait(dma):
    """Rows of a strided source, packed; what is read before is no number of the source."""
    source = np.arange(35, dtype=np.float32).reshape(5, 7)
    memory = np.zeros((5, 3), np.float32)
    record = tile(source, 3, memory)
    tag = start(dma, record)
    assert tag == record.tag != 0
    assert not np.isin(memory, source).any()
    source[2, 1] = -1.0  # read at the wait, as late as any engine may
    dma.functions()["hexmlir_rt_dma_wait"](tag)
    assert np.array_equal(memory, source[:, :3])
    dma.end()


def test_a_tile_under_way_is_not_started_again(dma):
    """The kernel before has started it: its tag is given, and memory is left alone."""
    source = np.arange(6, dtype=np.float32).reshape(2, 3)
    memory = np.zeros((2, 3), np.float32)
    record = tile(source, 3, memory)
    first = start(dma, record)
    dma.functions()["hexmlir_rt_dma_wait"](first)
    assert start(dma, record) == first and np.array_equal(memory, source)
    assert not dma.pending


def test_several_tiles(dma):
    """Those from the first one on; the last one's tag is given."""
    source, memory = np.arange(6, dtype=np.float32).reshape(3, 2), np.zeros((3, 2), np.float32)
    records = (HostTile * 3)(*(tile(source[row:row + 1], 2, memory[row:row + 1]) for row in range(3)))
    last = start(dma, records, 1, 2)
    assert [record.tag for record in records] == [0, last - 1, last]
    for tag in (last - 1, last):
        dma.functions()["hexmlir_rt_dma_wait"](tag)
    assert memory.tolist() == [[0, 0], [2, 3], [4, 5]]


def test_no_tile_is_no_transfer(dma):
    memory = np.ones(3, np.float32)
    assert start(dma, None, 0, 0) == 0
    dma.end()
    assert memory.tolist() == [1, 1, 1]


def test_faults(dma):
    source, memory = np.ones((1, 4), np.float32), np.zeros((1, 4), np.float32)
    wait = dma.functions()["hexmlir_rt_dma_wait"]
    start(dma, tile(source, 4, memory))
    with pytest.raises(HexError, match="1 DMA transfers were never waited for"):
        dma.end()
    dma.begin()
    tag = start(dma, tile(source, 4, memory))
    wait(tag)
    wait(tag)
    with pytest.raises(HexError, match=f"wait for DMA transfer {tag}, which is not under way"):
        dma.end()

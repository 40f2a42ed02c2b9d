"""When `hexagon-copy-lowering` uses DMA: the break-even of a target, and what bounds a copy."""

from dataclasses import replace

import pytest

from hexagon_mlir import targets
from hexagon_mlir.ir import ir, parse
from hexagon_mlir.passes.copies.rows import Rows, rows_of
from hexagon_mlir.passes.hexagon_copy_lowering import size_bound
from hexagon_mlir.targets.dma import Engine


@pytest.mark.parametrize("name", targets.names())
def test_break_even(name):
    """At this size both take the same number of cycles, up to the rounding to a byte."""
    target = targets.get(name)
    size = Engine.of(target).break_even_bytes
    core = size / target.ddr_bytes_per_cycle.value
    dma = target.dma_start_cycles.value + size / target.dma_bytes_per_cycle.value
    assert core == pytest.approx(dma, rel=1e-4)
    assert 4096 < size < target.tcm_bytes.value


@pytest.mark.parametrize("name", targets.names())
@pytest.mark.parametrize("count", [1, 14])
def test_break_even_of_transfers_that_the_core_waits_for(name, count):
    engine = Engine.of(targets.get(name))
    size = engine.least_awaited_bytes(count)
    transfer = count * engine.descriptor + engine.latency + size / engine.rate
    assert size / engine.core_rate == pytest.approx(transfer, rel=1e-3)
    assert count * engine.least_overlapped_bytes() == pytest.approx(engine.least_overlapped_bytes(count), abs=count)
    assert engine.least_overlapped_bytes(count) < size
    assert engine.least_awaited_bytes() < engine.break_even_bytes


def test_a_slower_start_needs_more_bytes():
    target = targets.get("v75")
    slower = replace(target, dma_start_cycles=replace(target.dma_start_cycles,
                                                      value=2 * target.dma_start_cycles.value))
    assert Engine.of(slower).break_even_bytes == pytest.approx(2 * Engine.of(target).break_even_bytes, abs=1)


@pytest.mark.parametrize(("arguments", "body", "bound"), [
    ("%x: memref<8x4xf32>, %y: memref<8x4xf32>", "memref.copy %x, %y : memref<8x4xf32> to memref<8x4xf32>", 128),
    ("%x: memref<?xf32>, %y: memref<?xf32>", "memref.copy %x, %y : memref<?xf32> to memref<?xf32>", None),
    ("%x: memref<?xf32>, %z: memref<64xf32>, %n: index",
     "%y = memref.subview %z[0] [%n] [1] : memref<64xf32> to memref<?xf32, strided<[1]>>\n"
     "memref.copy %x, %y : memref<?xf32> to memref<?xf32, strided<[1]>>", 256),
    ("%z: memref<1024xf32>, %y: memref<?xf32>, %n: index",
     "%a = memref.subview %z[0] [32] [1] : memref<1024xf32> to memref<32xf32, strided<[1]>>\n"
     "%b = memref.subview %a[0] [%n] [1] : memref<32xf32, strided<[1]>> to memref<?xf32, strided<[1]>>\n"
     "memref.copy %b, %y : memref<?xf32, strided<[1]>> to memref<?xf32>", 128),
    ("%z: memref<1024xf32>, %y: memref<?xf32>",
     "%a = memref.cast %z : memref<1024xf32> to memref<?xf32>\n"
     "memref.copy %a, %y : memref<?xf32> to memref<?xf32>", 4096),
])
def test_size_bound(arguments, body, bound):
    module = parse(f"func.func @f({arguments}) {{\n{body}\nreturn\n}}\n")
    found = []

    def visit(op):
        if op.name == "memref.copy":
            found.append(size_bound(op))
        return ir.WalkResult.ADVANCE

    module.operation.walk(visit)
    assert found == [bound]


@pytest.mark.parametrize(("sizes", "strides", "rows"), [
    ([64], [[1], [1]], Rows((), (), (0,))),
    ([4, 8, 16], [[128, 16, 1], [128, 16, 1]], Rows((), (), (0, 1, 2))),
    ([4, 8, 16], [[256, 32, 1], [128, 16, 1]], Rows((), (0, 1), (2,))),
    ([4, 8, 16], [[300, 32, 1], [128, 16, 1]], Rows((0,), (1,), (2,))),
    ([2, 4, 8, 16], [[9999, 300, 32, 1], [512, 128, 16, 1]], Rows((0, 1), (2,), (3,))),
    ([4, 8, 1], [[256, 32, 7], [8, 1, 1]], Rows((), (0, 1), ())),  # a column: the stride of one element is nothing
    ([1, 8, 16], [[0, 32, 1], [5, 16, 1]], Rows((), (1,), (2,))),
    ([None, 16], [[16, 1], [16, 1]], Rows((), (), (0, 1))),
    ([4, None, 16], [[256, 16, 1], [256, 16, 1]], Rows((), (0,), (1, 2))),  # how long a row is tells the run
    ([4, 16], [[None, 1], [16, 1]], Rows((), (0,), (1,))),
    ([4, 8, 16], [[None, None, 1], [128, 16, 1]], Rows((0,), (1,), (2,))),
    ([], [[], []], Rows((), (), ())),
    ([1, 1], [[3, 3], [5, 5]], Rows((), (), ())),
])
def test_rows(sizes, strides, rows):
    assert rows_of(sizes, strides) == rows


@pytest.mark.parametrize(("rows", "row_bytes", "pitch", "transfers", "pays"), [
    (9, 128, 256, 1, True), (8, 128, 256, 1, False), (100, 4, 64, 1, False), (192, 256, 256, 3, True),
    (128, 32, 4096, 64, True), (20, 32, 4096, 20, False), (0, 128, 256, 1, False),
])
def test_rows_of_ddr(rows, row_bytes, pitch, transfers, pays):
    """On v75 a transfer starts in 1,650 cycles and a line comes after 375, half of which are counted."""
    assert Engine.of(targets.get("v75")).moves_rows(rows, row_bytes, pitch, transfers) is pays


def test_rows_in_order():
    """Rows one behind the other are one stream to a core that reads line by line; with a line between they are not."""
    engine = Engine.of(targets.get("v75"))
    assert engine.moves_rows(16, 768, 768) and not engine.moves_rows(16, 768, 768, in_order=True)
    assert engine.moves_rows(16, 768, 1024, in_order=True)

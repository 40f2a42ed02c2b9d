"""What a convolution takes on the matrix engine at best, whatever its schedule: a function over numbers."""

from __future__ import annotations

from dataclasses import dataclass

from hexagon_mlir.dialects.engine_tiles import BYTE_ROWS, PLANES, TILE, tiles
from hexagon_mlir.targets import Target
from hexagon_mlir.targets.dma import Engine

_TILE_BYTES = 2048
_SETS = 2
"""Of accumulators: as many results may be summed at the same time."""


@dataclass(frozen=True)
class ConvolutionSizes:
    """Pixels of the result, channels of image and result, ``taps`` of a window (products of a result for each channel
    of the image), pixels of the image that windows read; bytes of an element of image, weights and result, and of all
    of a bias. ``of_bytes``: bytes with sums of 32 bits.
    """

    pixels: int
    inputs: int
    outputs: int
    taps: float
    read_pixels: int
    image_bytes: int
    weight_bytes: int
    result_bytes: int
    bias_bytes: int = 0
    of_bytes: bool = False
    groups: int = 1


def arrival(nbytes: float, target: Target) -> float:
    """Cycles until so many bytes of DDR are there, where one thread copies and, once its first transfer has started,
    the DMA engine moves what the memory's interface has left.

    >>> from hexagon_mlir import targets
    >>> round(arrival(1730, targets.get("v75"))), round(arrival(130945, targets.get("v75")))
    (100, 3650)
    """
    engine, peak = Engine.of(target), float(target.ddr_peak_bytes_per_cycle.value)
    before = engine.start * engine.core_rate
    if nbytes <= before:
        return nbytes / engine.core_rate
    return engine.start + (nbytes - before) / min(engine.core_rate + engine.rate, peak)


def convolution_bounds(sizes: ConvolutionSizes, target: Target) -> dict[str, float]:
    """Cycles at best, by what takes them.

    *MACs*: products of tiles at the array's rate. *sums*: conversions of sums of 32 bits, four bytes of each in turn.
    *DDR*: all operands come, and results beyond what the second-level cache holds leave; then the products of one tile
    of results with what came last, and its end. *ends*: the operands of the first product come and are packed before
    all products; or those of the first result before all products but those of as many results as there are sets of
    accumulators; then the end of the last tile. The *end* of a tile is its conversion, its store, the rest of the time
    until its values can be read, and the packets that store them, on all HVX contexts.
    """
    rows = BYTE_ROWS if sizes.of_bytes else TILE
    cycles = float((target.matrix_byte_tile_cycles if sizes.of_bytes else target.matrix_half_tile_cycles).value)
    results = -(-sizes.pixels // rows) * tiles(sizes.outputs)
    steps = sizes.taps * tiles(sizes.inputs)
    array = results * steps * cycles
    read_out = float(target.matrix_convert_cycles.value) + float(target.matrix_store_cycles.value)
    latency = max(read_out, float(target.matrix_result_cycles.value))
    planes = PLANES if sizes.of_bytes else 1
    packet = float(target.hvx_issue_interval_cycles.value) / int(target.hvx_contexts.value)
    vector = int(target.vector_bytes.value)
    held = min(sizes.pixels, rows) * min(sizes.outputs, TILE) * sizes.result_bytes
    end = (planes - 1) * read_out + latency + held / vector * packet
    pack = _TILE_BYTES / vector * packet
    image = sizes.read_pixels * sizes.inputs * sizes.image_bytes
    weights = sizes.inputs * sizes.outputs * sizes.taps * sizes.weight_bytes
    leaving = max(sizes.pixels * sizes.outputs * sizes.result_bytes - int(target.l2_bytes.value), 0)
    channels, depth = min(sizes.outputs, TILE), min(sizes.inputs // sizes.groups, TILE)
    product = min(sizes.pixels, rows) * depth * sizes.image_bytes + depth * channels * sizes.weight_bytes
    least_pixels = min(sizes.pixels, rows, sizes.read_pixels)
    result = least_pixels * sizes.image_bytes * sizes.inputs / sizes.groups
    result += channels * sizes.inputs * sizes.taps * sizes.weight_bytes
    begun = min(results, _SETS) * steps * cycles
    found = {"MACs": array, "DDR": arrival(image + weights + sizes.bias_bytes + leaving, target) + pack + cycles + end,
             "ends": max(arrival(product, target) + pack + array, arrival(result, target) + pack + array - begun) + end}
    return found | ({"sums": results * PLANES * read_out} if sizes.of_bytes else {})

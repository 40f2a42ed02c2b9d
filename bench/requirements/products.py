"""Products of matrices: shares of the engine's rate and of the bound, and cycles against HVX."""

from __future__ import annotations

from collections.abc import Iterator

from bench.engine_products import (
    BENCH,
    BYTE_PRODUCTS,
    INTEGER_PRODUCTS,
    PRODUCTS,
    AnyProduct,
    Measurement,
    measure,
)
from bench.requantized_products import REQUANTIZED_PRODUCTS
from bench.requirements.line import Bound, Kept, Line
from hexagon_mlir import targets
from hexagon_mlir.targets.dma import Engine

_OF_RATE, _OF_BOUND = {"1024x1024x1024": 0.85}, {"1024x1024x1024": 0.7}
"""Asked of products in TCM and of those from DDR."""
_OF_BYTES = 0.75
_CYCLES = {"512x512x512": 100_000}
_TIMES = {"123x200x77": 5.0}


def measurement(kept: Kept, product: AnyProduct) -> Measurement:
    """A row of the table of products."""
    def measured() -> dict[str, float]:
        found = measure(product)
        return {"cycles": found.cycles, "hvx": found.hvx, "error": found.error}

    place = "TCM" if product.in_tcm else "DDR"
    found = kept.numbers(f"product {product.name} from {place}", measured)
    return Measurement(product, int(found["cycles"]), int(found["hvx"]), found["error"])


def table(kept: Kept) -> Iterator[Measurement]:
    """All rows."""
    return (measurement(kept, product) for product in BENCH.rows)


def lines(kept: Kept) -> Iterator[Line]:
    """A line for each product of which something is asked, and for bytes from DDR."""
    for product in PRODUCTS:
        name = product.name
        if product.in_tcm and name in _OF_RATE:
            yield _of_rate(measurement(kept, product), _OF_RATE[name])
        elif not product.in_tcm and name in _OF_BOUND:
            yield _of_bound(measurement(kept, product), _OF_BOUND[name])
        elif not product.in_tcm and name in _CYCLES:
            found = measurement(kept, product)
            yield Line(f"{name} f16 from DDR", f"{_CYCLES[name]:,} cycles", f"{found.cycles:,}",
                       found.cycles <= _CYCLES[name], found.cycles, bound(product))
        elif name in _TIMES:
            found = measurement(kept, product)
            yield Line(f"{name} f16 from DDR", f"{_TIMES[name]:g} times fewer than HVX",
                       f"{found.hvx / found.cycles:.1f} times: {found.cycles:,}, {found.hvx:,}",
                       found.hvx >= _TIMES[name] * found.cycles, found.cycles, bound(product))
    for byte_product in BYTE_PRODUCTS:
        if byte_product.m == byte_product.k:
            yield _of_rate(measurement(kept, byte_product), _OF_BYTES)
    for integers in INTEGER_PRODUCTS:
        found = measurement(kept, integers)
        yield Line(f"{integers.name} from DDR", "", f"{found.cycles:,}, HVX {found.hvx:,}", None, found.cycles,
                   bound(integers))
    for requantized in REQUANTIZED_PRODUCTS:
        found = measurement(kept, requantized)
        yield Line(f"{requantized.name} from DDR", "", f"{found.cycles:,}", None, found.cycles, bound(requantized))


def bound(product: AnyProduct) -> Bound:
    """Of the multiplier array, and of the transfers where operands are in DDR."""
    if product.in_tcm:
        return Bound(product.array, "MACs")
    return Bound.largest({"MACs": product.array, "DDR": product.moved / Engine.of(targets.get()).rate})


def _of_rate(found: Measurement, asked: float) -> Line:
    share = found.product.array / found.cycles
    kind = "" if " " in found.product.name else " f16"
    return Line(f"{found.product.name}{kind} in TCM", f"{asked:.0%} of the rate", f"{share:.0%}: {found.cycles:,}",
                share >= asked, found.cycles, bound(found.product))


def _of_bound(found: Measurement, asked: float) -> Line:
    best = bound(found.product)
    share = best.cycles / found.cycles
    return Line(f"{found.product.name} f16 from DDR", f"{asked:.0%} of the rate or of DDR",
                f"{share:.0%}: {found.cycles:,}", share >= asked, found.cycles, best)

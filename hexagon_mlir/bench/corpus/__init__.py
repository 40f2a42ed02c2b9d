"""The kernels of ``hexmlir bench``: MLIR on operands in DDR, with inputs and values in numpy."""

from __future__ import annotations

from hexagon_mlir.bench.corpus import elementwise, movement, products, reductions
from hexagon_mlir.bench.corpus.entry import Entry

ENTRIES: tuple[Entry, ...] = (*elementwise.ENTRIES, *reductions.ENTRIES, *products.ENTRIES, *movement.ENTRIES)
"""Names are unique, and stay what they are: older results are compared by them."""

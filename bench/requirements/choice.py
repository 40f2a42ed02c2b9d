"""Whether the compiler chooses the faster one of the engine and HVX for random products."""

from __future__ import annotations

from collections.abc import Iterator

from bench.engine_choice import NOISE, SHAPES, chosen, cycles
from bench.engine_choice_kinds import products
from bench.requirements.line import Kept, Line, Numbers


def lines(kept: Kept, count: int = SHAPES) -> Iterator[Line]:
    """The first ``count`` products of f16, each measured both ways; fewer than `SHAPES` hold nothing."""
    wrong, taken, best = 0, 0.0, 0.0
    for product in products(count, "f16", 0):
        def measure(product=product) -> Numbers:
            return {"engine": cycles(product, True), "HVX": cycles(product, False), "chosen": chosen(product)}

        found = kept.numbers(f"choice {product.name}", measure)
        fewer, mine = min(found["engine"], found["HVX"]), found["engine" if found["chosen"] else "HVX"]
        wrong += mine > NOISE * fewer
        taken, best = taken + mine, best + fewer
    yield Line("choice between engine and HVX, random products", f"right on {SHAPES}",
               f"{count - wrong} of {count}, {taken / best - 1:.1%} longer than the best",
               wrong == 0 if count >= SHAPES or wrong else None)

"""Copies to TCM that follow each other: which of them the DMA engine makes while the core makes the others."""

from __future__ import annotations

from collections.abc import Sequence

from hexagon_mlir.targets.dma import Engine


def choose_transfers(sizes: Sequence[int], engine: Engine) -> list[int]:
    """The copies, of ``sizes`` bytes, that become transfers: all but some of similar size, so that all end first.

    >>> from hexagon_mlir import targets
    >>> engine = Engine.of(targets.get("v75"))
    >>> choose_transfers([4096, 4096], engine), choose_transfers([1024, 65536, 65536], engine)
    ([], [1, 2])
    """
    largest_first = sorted(range(len(sizes)), key=lambda number: -sizes[number])
    part = _core_part([sizes[number] for number in largest_first], engine)
    return sorted(largest_first[:part.start] + largest_first[part.stop:])


def fetch_cycles(sizes: Sequence[int], engine: Engine) -> float:
    """Cycles until all copies of ``sizes`` bytes are made, if the transfers are those of `choose_transfers`."""
    ordered = sorted(sizes, reverse=True)
    return _cycles(ordered, _core_part(ordered, engine), engine)


def _core_part(ordered: Sequence[int], engine: Engine) -> range:
    """Which copies, of ``ordered`` sizes, the core makes."""
    count = len(ordered)
    parts = [range(first, end) for first in range(count + 1) for end in range(count, first - 1, -1)]
    return min(parts, key=lambda part: _cycles(ordered, part, engine))


def _cycles(ordered: Sequence[int], part: range, engine: Engine) -> float:
    """Cycles if the core makes the copies of ``part``, after all transfers have been started."""
    moved, copied = [*ordered[:part.start], *ordered[part.stop:]], ordered[part.start:part.stop]
    transfers = engine.start - engine.descriptor + sum(map(engine.busy, moved)) if moved else 0.0
    return max(transfers, sum(map(engine.copied, copied)))

"""Passes of other packages: entry points in the group ``hexagon_mlir.passes``, name = pass name, value =
``module:Class``. Imports nothing of them."""

from __future__ import annotations

from functools import cache
from importlib.metadata import EntryPoint, entry_points

GROUP = "hexagon_mlir.passes"


@cache
def plugins() -> dict[str, EntryPoint]:
    """The entry point of each pass, by name."""
    return {point.name: point for point in entry_points(group=GROUP)}

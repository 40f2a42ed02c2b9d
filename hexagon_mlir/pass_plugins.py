"""Passes of other packages: entry points in the group ``hexagon_mlir.passes``, name = pass name, value =
``module:Class``. Imports nothing of them."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

GROUP = "hexagon_mlir.passes"


@cache
def plugins() -> dict[str, EntryPoint]:
    """The entry point of each pass, by name."""
    from importlib.metadata import entry_points  # slow to import, and rarely asked for

    return {point.name: point for point in entry_points(group=GROUP)}

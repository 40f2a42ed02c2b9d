"""Reads the loops that `hexagon-double-buffer-generic-s1` has marked."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, field

from hexagon_mlir.ir import ir

Key = tuple[str, int, int]
"""A buffer's transfers: `FETCH` or `STORE`, the set of buffers, the number of the copy in it."""


@dataclass
class MarkedLoop:
    """A double-buffered loop: its parts by set of buffers, and its copies."""

    loop: ir.Operation
    parts: dict[int, ir.Operation] = field(default_factory=dict)
    copies: dict[Key, list[ir.Operation]] = field(default_factory=lambda: defaultdict(list))

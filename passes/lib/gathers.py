"""Decisions of `form-gathers`: pure functions over numbers."""

from __future__ import annotations

WIDTHS = (2, 4)
"""Bytes of the elements that HVX gathers."""
OFFSET_BITS = 16
"""A vector of halfword elements has halfword offsets, in bytes."""
_REUSE = 8  # copying one element of a table to TCM costs an eighth of a scalar look-up


TABLE_BYTES = 65536
"""The most bytes of a table that is copied to TCM."""


def most_elements(width: int, lookups: int) -> int:
    """Elements of the largest table, of ``width`` bytes each, for which gathers pay with ``lookups`` reads."""
    return min(TABLE_BYTES // width, lookups * _REUSE)


def refusal(width: int, elements: int, lookups: int, limit: int) -> str:
    """Why ``lookups`` reads of a table of ``elements`` of ``width`` bytes stay scalar; empty when gathers pay.

    ``limit`` is the most bytes a table may take in TCM.
    """
    if width not in WIDTHS:
        return f"HVX gathers elements of 2 and 4 bytes, not {width}"
    if elements == 0:
        return "the table has no elements"
    most = min(limit, 1 << OFFSET_BITS) if width == WIDTHS[0] else limit
    if width * elements > most:
        return f"a table of {width * elements} bytes; at most {most} are copied into TCM"
    if lookups * _REUSE < elements:
        return f"{lookups} reads of a table of {elements} elements do not pay for its copy in TCM"
    return ""

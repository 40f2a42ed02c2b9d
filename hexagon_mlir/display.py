"""HTML of results for notebooks: tables and shares, without a page around them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from html import escape
from typing import Any

_STYLE = "text-align:right;font-variant-numeric:tabular-nums"
NOTE = "Cycles of an approximate model of the chip: compare ratios, not absolute times."


def table(headers: Sequence[str], rows: Iterable[Sequence[str]], caption: str = "") -> str:
    """A table; columns whose cells all start with a digit are aligned to the right."""
    shown = [tuple(row) for row in rows]
    numeric = [all(row[i][:1].isdigit() for row in shown) for i in range(len(headers))]

    def cells(tag: str, row: Sequence[str]) -> str:
        return "".join(f"<{tag}{f' style={_STYLE!r}' if right else ''}>{escape(cell)}</{tag}>"
                       for cell, right in zip(row, numeric, strict=True))

    head = f"<thead><tr>{cells('th', headers)}</tr></thead>" if any(headers) else ""
    body = "".join(f"<tr>{cells('td', row)}</tr>" for row in shown)
    return f"<table>{f'<caption>{escape(caption)}</caption>' if caption else ''}{head}<tbody>{body}</tbody></table>"


def shares(packets: int, stalls: Mapping[str, int]) -> list[tuple[str, int, float]]:
    """What the cycles of all threads went to: (what, cycles, share of them), the largest first; shares add up to 1.

    A run with several threads ends before their cycles are spent one after the other, so they are no shares of its end.
    """
    total = packets + sum(stalls.values())
    parts = [("packets issued", packets), *stalls.items()]
    return [(name, cycles, cycles / total) for name, cycles in sorted(parts, key=lambda part: -part[1]) if cycles]


def heading(text: str) -> str:
    """``text`` in bold."""
    return f"<p><b>{escape(text)}</b></p>"


def run(result: Any) -> str:
    """One run of the simulator, a `RunResult`."""
    rows = [(name, f"{cycles:,}", f"{share:.1%}") for name, cycles, share in shares(result.packets, result.stalls)]
    traffic = [(name, f"{getattr(result, field):,}") for name, field in (
        ("DDR read", "ddr_read_bytes"), ("DDR written", "ddr_write_bytes"), ("TCM read", "tcm_read_bytes"),
        ("TCM written", "tcm_write_bytes"), ("TCM peak", "tcm_high_water"))]
    return (f"<p><b>{result.cycles:,} cycles</b>, {result.packets:,} packets, "
            f"{result.hvx_packets:,} of them with HVX</p>"
            + table(("cycles of all threads", "cycles", "share"), rows) + table(("", "bytes"), traffic)
            + f"<p>{NOTE}</p>")


def launches(records: Sequence[Any]) -> str:
    """`LaunchRecord` of a model's run: a line for each kernel, equal ones together, with its share of the cycles."""
    cycles: dict[str, int] = {}
    counts: dict[str, int] = {}
    for record in records:
        cycles[record.kernel] = cycles.get(record.kernel, 0) + record.result.cycles
        counts[record.kernel] = counts.get(record.kernel, 0) + 1
    total = sum(cycles.values())
    rows = [(name, f"{counts[name]}", f"{spent:,}", f"{spent / total if total else 0:.1%}")
            for name, spent in sorted(cycles.items(), key=lambda item: -item[1])]
    return table(("kernel", "launches", "cycles", "share"), rows, f"{total:,} cycles") + f"<p>{NOTE}</p>"

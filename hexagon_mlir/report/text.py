"""Runs of the simulator as plain text tables."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import groupby
from typing import TYPE_CHECKING

from hexagon_mlir import display
from hexagon_mlir.report.engine_gaps import Gap, idle
from hexagon_mlir.sim.arithmetic import IEEE_NOTE, Arithmetic

if TYPE_CHECKING:
    from hexagon_mlir.exec.session import LaunchRecord
    from hexagon_mlir.sim import Report, RunResult

NOTE = ("Cycles come from an approximate model of the chip, parts of which are estimates: compare ratios, "
        "not absolute times.")
_TOP_BLOCKS = 8
_LEAST_SHARE = 0.01  # smaller causes are left out of the one-line summary
_HEADERS = ("kernel", "runs", "grid", "shapes", "cycles", "packets", "HVX", "DDR read", "DDR written",
            "TCM read", "TCM written", "TCM peak", "compile")

_TOP_GAPS = 12
_GAP_HEADERS = ("gaps", "cycles idle", "unpacking, storing", "other kernels", "fetching, packing", "from, to", "others")
_MATRIX_HEADERS = ("kernel", "MACs", "utilization", "products", "conversions", "array cycles", "converter cycles",
                   "TCM read", "TCM written")  # fmt: skip


def run(result: RunResult) -> str:
    """One run in detail: totals, stalls by cause, traffic, cycles by function and the hottest blocks."""
    rows = [
        ("cycles", f"{result.cycles:,}"),
        ("packets", f"{result.packets:,}"),
        ("packets with HVX", f"{result.hvx_packets:,} ({hvx_share(result):.1%})"),
        *((f"stalls: {cause}", f"{cycles:,} ({share:.1%})") for cause, cycles, share in _stall_shares(result)),
        ("DDR read, written", f"{size(result.ddr_read_bytes)}, {size(result.ddr_write_bytes)}"),
        ("TCM read, written", f"{size(result.tcm_read_bytes)}, {size(result.tcm_write_bytes)}"),
        ("TCM peak", size(result.tcm_high_water)),
        *_matrix_rows(result),
    ]
    parts = [table((), rows)]
    if result.functions:
        functions = [(f"{cycles:,}", name) for name, cycles in _largest(result.functions)]
        parts.append(table(("cycles", "function"), functions))
    blocks = sorted(result.blocks, key=lambda block: -block.cycles)[:_TOP_BLOCKS]
    if blocks:
        parts.append(table(("cycles", "count", "packets", "block"), [
            (f"{b.cycles:,}", f"{b.count:,}", f"{b.packets:,}", f"{b.function} {b.label}") for b in blocks]))
    return "\n".join((*parts, *_arithmetic([result]), NOTE)) + "\n"


def _matrix_rows(result: RunResult) -> list[tuple[str, str]]:
    """What the matrix engine did, if the program used it."""
    use = result.matrix
    if use is None:
        return []
    return [
        ("matrix engine: MACs", f"{use.macs:,} ({use.utilization(result.cycles):.1%} of what it could do)"),
        ("matrix engine: products", f"{use.products:,}, {_busy(use.array_cycles, result)}"),
        ("matrix engine: conversions, stores",
         f"{use.conversions:,}, {use.stores:,}, {_busy(use.converter_cycles, result)}"),
        ("matrix engine: TCM read, written", f"{size(use.read_bytes)}, {size(use.written_bytes)}"),
    ]


def _busy(cycles: int, result: RunResult) -> str:
    return f"busy {cycles:,} cycles ({_ratio(cycles, result.cycles):.1%})"


def _arithmetic(results: Iterable[RunResult]) -> list[str]:
    """A line to say that values are not the chip's, if they are not, and of how many of the ``results``."""
    arithmetics = [result.arithmetic for result in results]
    count = arithmetics.count(Arithmetic.IEEE)
    part = "" if count == len(arithmetics) else f", in {count} of {len(arithmetics)} launches"
    return [f"{IEEE_NOTE}{part}."] if count else []


def faults(reports: Sequence[Report]) -> str:
    """What a checked run found, and how much of it is certain."""
    count = sum(report.certain for report in reports)
    doubt = f", {len(reports) - count} to look at" if len(reports) > count else ""
    return ("".join(f"{report}\n" for report in reports)
            + f"{count or 'no'} fault{'' if count == 1 else 's'} found{doubt}\n")


def launches(records: Sequence[LaunchRecord]) -> str:
    """A line for each launch (equal ones in a row are counted), their stalls, and the total."""
    if not records:
        return "no kernel was launched on the simulator\n"
    groups = [list(group) for _, group in groupby(records, key=_identity)]
    rows = [_row(group) for group in groups]
    stalls = [(group[0].kernel, _stalls(group[0].result)) for group in groups]
    total = sum(record.result.cycles for record in records)
    seconds = sum(record.compile_seconds for record in {record.kernel: record for record in records}.values())
    targets = ", ".join(dict.fromkeys(record.target for record in records))
    count = "1 launch" if len(records) == 1 else f"{len(records)} launches"
    return "\n".join((
        table(_HEADERS, rows), table(("kernel", "stalls by cause"), list(dict.fromkeys(stalls))),
        *_matrix_table([group[0] for group in groups]), *_gap_table(records),
        f"{count} on {targets}: {total:,} cycles, compiled in {seconds:.2f} s",
        *_arithmetic(record.result for record in records), NOTE)) + "\n"


def _matrix_table(records: Sequence[LaunchRecord]) -> list[str]:
    """A table of the launches that used the matrix engine, if any did."""
    rows = [(record.kernel, f"{use.macs:,}", f"{use.utilization(record.result.cycles):.1%}", f"{use.products:,}",
             f"{use.conversions:,}", f"{use.array_cycles:,}", f"{use.converter_cycles:,}",
             size(use.read_bytes), size(use.written_bytes))
            for record in records if (use := record.result.matrix) is not None]  # fmt: skip
    return [table(_MATRIX_HEADERS, list(dict.fromkeys(rows)))] if rows else []


def _gap_table(records: Sequence[LaunchRecord]) -> list[str]:
    """Where the matrix engine idles between kernels, the longest gaps first, if two kernels use it."""
    found = idle(records)
    if found is None or not found.gaps:
        return []
    same: dict[tuple[str, str, tuple[str, ...]], list[Gap]] = {}
    for gap in found.gaps:
        same.setdefault((gap.first, gap.later, gap.between), []).append(gap)
    longest = sorted(same.items(), key=lambda item: -sum(gap.cycles for gap in item[1]))
    rows = [(f"{len(gaps)}", *(f"{sum(getattr(gap, part) for gap in gaps):,}"
                               for part in ("cycles", "after", "others", "before")),
             f"{first} to {later}", ", ".join(between)) for (first, later, between), gaps in longest[:_TOP_GAPS]]
    rest = f", of which the table has the {_TOP_GAPS} longest kinds" if len(longest) > _TOP_GAPS else ""
    return [table(_GAP_HEADERS, rows) + (
        f"matrix engine: idle between kernels for {_share(found.between, found.total)}{rest}, between the first and "
        f"the last product of a kernel for {_share(found.within, found.total)}, before the first and after the last "
        f"one of all for {_share(found.ends, found.total)}\n")]


def _share(cycles: int, total: int) -> str:
    return f"{cycles:,} cycles ({_ratio(cycles, total):.1%})"


def _identity(record: LaunchRecord) -> tuple:
    result = record.result
    return record.kernel, record.target, record.grid, record.shapes, result.cycles, result.arithmetic


def _row(group: Sequence[LaunchRecord]) -> tuple[str, ...]:
    record, result = group[0], group[0].result
    return (record.kernel, str(len(group)), "x".join(map(str, record.grid or ())) or "-",
            " ".join("x".join(map(str, shape)) or "scalar" for shape in record.shapes) or "-",
            f"{result.cycles:,}", f"{result.packets:,}", f"{hvx_share(result):.0%}",
            size(result.ddr_read_bytes), size(result.ddr_write_bytes), size(result.tcm_read_bytes),
            size(result.tcm_write_bytes), size(result.tcm_high_water), f"{record.compile_seconds:.2f} s")


def _stalls(result: RunResult) -> str:
    return ", ".join(f"{cause} {share:.0%}" for cause, _, share in _stall_shares(result)
                     if share >= _LEAST_SHARE) or "none"


def _stall_shares(result: RunResult) -> list[tuple[str, int, float]]:
    """Cause, cycles and their share of the cycles of all threads, without those in which packets issued."""
    return [part for part in display.shares(result.packets, result.stalls) if part[0] in result.stalls]


def hvx_share(result: RunResult) -> float:
    """Share of the packets that use the vector unit."""
    return _ratio(result.hvx_packets, result.packets)


def size(count: int) -> str:
    """``count`` bytes with a binary unit: 1536 -> 1.5 KiB."""
    for power, unit in ((30, "GiB"), (20, "MiB"), (10, "KiB")):
        if count >= 1 << power:
            return f"{count / (1 << power):.1f} {unit}"
    return f"{count} B"


def table(headers: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Rows in columns: text to the left, what starts with a digit to the right."""
    lines = [tuple(headers), *rows] if headers else list(rows)
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    numeric = [all(row[i][:1].isdigit() for row in rows) for i in range(len(widths))]
    text = []
    for line in lines:
        cells = [cell.rjust(width) if right else cell.ljust(width)
                 for cell, width, right in zip(line, widths, numeric, strict=True)]
        text.append("  ".join(cells).rstrip())
    return "\n".join(text) + "\n"


def _largest(counts: dict[str, int]) -> list[tuple[str, int]]:
    return sorted(((name, count) for name, count in counts.items() if count), key=lambda item: -item[1])


def _ratio(part: int, whole: int) -> float:
    return part / whole if whole else 0.0

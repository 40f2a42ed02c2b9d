"""What a sweep has measured, as a table and as a plot."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from hexagon_mlir.ir.diagnostics import HexError
from hexagon_mlir.sweep.measure import Row
from hexagon_mlir.sweep.points import Point

_NUMBERS = ("cycles", "packets", "ddr_bytes")


def markdown(points: Sequence[Point], rows: Mapping[str, Row]) -> str:
    """A line for each point, and below the table why points failed; columns of settings and sizes that were given."""
    settings, sizes = _names(points)
    headers = ["program", "target", *settings, *sizes, "cycles", "packets", "DDR bytes"]
    lines = [f"| {' | '.join(headers)} |", "|---|---|" + "---|" * len(settings) + "--:|" * (len(sizes) + len(_NUMBERS))]
    failures = []
    for point in points:
        row = rows[point.key]
        chosen, measured = dict(point.settings), dict(point.sizes)
        numbers = [f"{value:,}" if (value := getattr(row, name)) is not None else "-" for name in _NUMBERS]
        cells = [point.program.name, point.target, *(str(chosen[name]) for name in settings),
                 *(str(measured.get(name, "-")) for name in sizes), *numbers]
        lines.append(f"| {' | '.join(cells)} |")
        if row.error:
            failures.append(f"* {point.label}: {row.error}")
    return "\n".join([*lines, "", *failures, *([""] if failures else [])])


def plot(points: Sequence[Point], rows: Mapping[str, Row], path: Path) -> None:
    """Cycles over the first size, a line for everything else, as an SVG; raises `HexError` without matplotlib."""
    try:
        import matplotlib
    except ImportError:
        raise HexError.plain("--plot needs the package matplotlib, which is not installed",
                             hint="pip install 'hexagon-mlir[bench]'") from None
    from io import BytesIO

    from matplotlib.figure import Figure

    from hexagon_mlir.whole_files import write_files

    first = _names(points)[1][0]
    lines: dict[str, list[tuple[int, int]]] = {}
    for point in points:
        cycles = rows[point.key].cycles
        if cycles is not None and first in dict(point.sizes):
            others = [f"{name}={value}" for name, value in (*point.settings, *point.sizes) if name != first]
            lines.setdefault(" ".join([point.program.name, point.target, *others]), []).append(
                (dict(point.sizes)[first], cycles))
    figure = Figure(figsize=(8, 5), layout="constrained")
    axes = figure.subplots()
    for label, values in lines.items():
        axes.plot(*zip(*sorted(values), strict=True), marker="o", label=label)
    axes.set(xlabel=first, ylabel="cycles (simulated)", ylim=(0, None))
    axes.grid(alpha=0.3)
    if lines:
        axes.legend(fontsize="small")
    content = BytesIO()
    with matplotlib.rc_context({"svg.hashsalt": "hexmlir sweep"}):
        figure.savefig(content, format="svg", metadata={"Date": None})
    write_files({path: content.getvalue()})


def _names(points: Sequence[Point]) -> tuple[list[str], list[str]]:
    """The names of settings and of sizes."""
    return (list(dict.fromkeys(name for point in points for name, _ in point.settings)),
            list(dict.fromkeys(name for point in points for name, _ in point.sizes)))

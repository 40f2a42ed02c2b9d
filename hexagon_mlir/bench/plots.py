"""Plots of benchmarks as SVG, each for light and for dark pages; the same bytes for the same numbers."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path
from typing import Any

from hexagon_mlir.bench import ways
from hexagon_mlir.bench.results import Results
from hexagon_mlir.ir import HexError


@dataclass(frozen=True)
class Theme:
    """Colors of a page, and of the series on it, in this order."""

    name: str
    page: str
    ink: str
    grid: str
    series: tuple[str, ...]


THEMES = (
    Theme("light", "#ffffff", "#1f2328", "#d1d9e0", ("#2a78d6", "#d95f0e", "#1a936f", "#8e44ad", "#6b7280")),
    Theme("dark", "#0d1117", "#e6edf3", "#30363d", ("#58a6ff", "#ffa657", "#56d4a0", "#c297ff", "#9aa4af")),
)
Draw = Callable[[Any, Theme], None]
"""Draws on axes of matplotlib."""


def check() -> None:
    """Raises `HexError` where matplotlib is not installed."""
    try:
        import matplotlib  # noqa: F401
    except ImportError:
        raise HexError.plain("plots need the package matplotlib, which is not installed",
                             hint="pip install 'hexagon-mlir[bench]'") from None


def drawn(stem: Path, draw: Draw, size: tuple[float, float]) -> dict[Path, bytes]:
    """What ``draw`` draws, ``size`` inches large, in ``stem-light.svg`` and ``stem-dark.svg``."""
    return {stem.with_name(f"{stem.name}-{theme.name}.svg"): _svg(draw, theme, size) for theme in THEMES}


def bars(groups: Sequence[str], series: Mapping[str, Sequence[float | None]], xlabel: str, log: bool = False,
         mark: float | None = None) -> Draw:
    """Horizontal bars: one of each of ``series`` in each group, from the top; ``mark`` is a line across."""
    def draw(axes: Any, theme: Theme) -> None:
        height = 0.8 / len(series)
        for number, (name, values) in enumerate(series.items()):
            places = [at + (number - (len(series) - 1) / 2) * height for at in range(len(groups))]
            shown = [(place, value) for place, value in zip(places, values, strict=True) if value is not None]
            axes.barh([place for place, _ in shown], [value for _, value in shown], height * 0.9, label=name,
                      color=theme.series[number % len(theme.series)])
        axes.set_yticks(range(len(groups)), groups)
        axes.margins(y=0.01)
        axes.invert_yaxis()
        axes.set_xlabel(xlabel)
        if log:
            axes.set_xscale("log")
        if mark is not None:
            axes.axvline(mark, color=theme.ink, linewidth=0.8)
        axes.grid(axis="x")
        if len(series) > 1:
            axes.legend(loc="best")

    return draw


def lines(series: Mapping[str, Sequence[tuple[float, float]]], xlabel: str, ylabel: str, base: int = 2) -> Draw:
    """Points joined by lines; x on a logarithmic axis of ``base``."""
    def draw(axes: Any, theme: Theme) -> None:
        for number, (name, points) in enumerate(series.items()):
            axes.plot([x for x, _ in points], [y for _, y in points], marker="o", label=name,
                      color=theme.series[number % len(theme.series)])
        axes.set_xscale("log", base=base)
        axes.set(xlabel=xlabel, ylabel=ylabel)
        axes.set_ylim(bottom=0)
        axes.grid()
        axes.legend(loc="best")

    return draw


def of_results(results: Results, folder: Path) -> dict[Path, bytes]:
    """``folder``'s plots of how many times the cycles of others are ours, and of the share of the bound."""
    kernels = results.kernels
    others = list(dict.fromkeys(way for one in kernels.values() for way in one.cycles if way not in ways.OURS))
    height = 1.2 + (0.16 * len(others) + 0.1) * len(kernels)
    files: dict[Path, bytes] = {}
    if others and kernels:
        ratios = {way: [one.ratio(way) for one in kernels.values()] for way in others}
        label = f"cycles over ours, {results.target}, simulated"
        files |= drawn(folder / "speed-ups", bars(list(kernels), ratios, label, True, 1), (8, height))
    shares = {"share": [one.share for one in kernels.values()]}
    return files | drawn(folder / "bounds", bars(list(kernels), shares, "share of the bound", False, 1),
                         (8, 1.2 + 0.26 * len(kernels)))


def _svg(draw: Draw, theme: Theme, size: tuple[float, float]) -> bytes:
    import matplotlib
    from matplotlib.figure import Figure

    colors = {name: theme.ink for name in ("text.color", "axes.labelcolor", "axes.edgecolor", "xtick.color",
                                           "ytick.color")}
    style = {**colors, "svg.hashsalt": "hexmlir bench", "axes.facecolor": theme.page, "figure.facecolor": theme.page,
             "grid.color": theme.grid, "legend.facecolor": theme.page, "legend.edgecolor": theme.grid, "font.size": 9,
             "axes.axisbelow": True}
    with matplotlib.rc_context(style):
        figure = Figure(figsize=size, layout="constrained")
        draw(figure.subplots(), theme)
        content = BytesIO()
        figure.savefig(content, format="svg", metadata={"Date": None})
    return content.getvalue()

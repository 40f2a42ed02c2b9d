"""What was chosen for a model's layers, as text and as a plot."""

from __future__ import annotations

import io
from math import inf, isfinite
from typing import TYPE_CHECKING

from hexagon_mlir.ir import HexError
from hexagon_mlir.quantization.choice import as_text, decibels
from hexagon_mlir.quantization.schemes import Scheme

if TYPE_CHECKING:
    from hexagon_mlir.quantization.quantize import Quantized

_WIDTH = 120


def text(quantized: Quantized) -> str:
    """A table of the layers and one of the frontier."""
    from rich.console import Console
    from rich.table import Table

    problem = quantized.problem
    schemes = [scheme for scheme in Scheme if any(option.scheme == scheme for options in problem.options.values()
                                                  for option in options)]
    layers = Table(title="Layers")
    layers.add_column("layer")
    for scheme in schemes:
        layers.add_column(f"{scheme}: cycles", justify="right")
        layers.add_column("dB", justify="right")
    layers.add_column("chosen, why")
    for name, options in problem.options.items():
        cells = []
        for scheme in schemes:
            option = next((option for option in options if option.scheme == scheme), None)
            cells += ["", ""] if option is None else [f"{option.cycles:,}", _decibels(problem.signal, option.noise)]
        layers.add_row(name, *cells, f"{quantized.choice[name].scheme}: {reason(quantized, name)}")
    frontier = Table(title="Least error for cycles")
    for column in ("cycles", "bytes", "dB"):
        frontier.add_column(column, justify="right")
    frontier.add_column("schemes")
    for choice in quantized.frontier:
        chosen = [option.scheme for option in choice.values()]
        frontier.add_row(f"{problem.cycles(choice):,}", f"{sum(option.nbytes for option in choice.values()):,}",
                         _text(problem.sqnr(choice)),
                         ", ".join(f"{chosen.count(scheme)} {scheme}" for scheme in schemes if scheme in chosen))
    out = io.StringIO()
    console = Console(file=out, width=_WIDTH, highlight=False)
    console.print(layers)
    console.print("cycles: of the layer alone; those of int8 between bytes. dB: of the model's results if only this "
                  "layer is rounded.")
    console.print(frontier)
    console.print(f"chosen: {quantized.cycles:,} cycles of layers and conversions, {quantized.weight_bytes:,} bytes of "
                  f"weights; {_text(quantized.sqnr)} dB measured, {_text(problem.sqnr(quantized.choice))} dB if errors "
                  "add up")
    return out.getvalue()


def reason(quantized: Quantized, name: str) -> str:
    """Why layer ``name`` has its scheme: what another one would do to the cycles of the whole, and to the error."""
    problem, choice = quantized.problem, quantized.choice
    others = [option for option in problem.options[name] if option != choice[name]]
    changes = {option: problem.cycles({**choice, name: option}) - quantized.cycles for option in others}
    fewer = [option for option in others if changes[option] < 0]
    if not fewer:
        return "the fewest cycles"
    other = min(fewer, key=lambda option: option.noise)
    return f"{other.scheme} takes {-changes[other]:,} cycles less, {_decibels(problem.signal, other.noise)} dB"


def plot(quantized: Quantized, file: str) -> None:
    """The frontier as a line, the choice as a point, into ``file``."""
    try:
        from matplotlib.figure import Figure
    except ImportError as error:
        raise HexError.plain("quantize: a plot needs matplotlib", hint="pip install hexagon-mlir[bench]") from error

    problem = quantized.problem
    figure = Figure(figsize=(7, 4.5), layout="constrained")
    axes = figure.subplots()
    points = [(problem.cycles(choice), problem.sqnr(choice)) for choice in quantized.frontier]
    finite = [point for point in points if isfinite(point[1])]
    if finite:
        axes.plot(*zip(*finite, strict=True), marker="o", label="least error")
    if isfinite(quantized.sqnr):
        axes.plot(quantized.cycles, quantized.sqnr, marker="*", markersize=14, linestyle="", label="chosen, measured")
    axes.set(xlabel="cycles of layers and conversions", ylabel="SQNR of the results, dB")
    axes.legend()
    figure.savefig(file)


def _decibels(signal: float, noise: float) -> str:
    return _text(decibels(signal, noise))


def _text(value: float) -> str:
    return "exact" if value == inf else as_text(value)

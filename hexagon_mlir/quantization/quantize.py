"""Chooses how each layer of a model computes, by what that costs and what it does to the results."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import torch
from torch import nn
from torch.export import ExportedProgram

from hexagon_mlir import targets
from hexagon_mlir.exec.progress import ProgressBar
from hexagon_mlir.ir import HexError
from hexagon_mlir.quantization.choice import Budget, Conversion, Option, Problem, choose, decibels, pareto
from hexagon_mlir.quantization.layers import Layer, copy_of, observe
from hexagon_mlir.quantization.links import neighbours
from hexagon_mlir.quantization.measure import Costs, Loss, options_of, squared_error, squares
from hexagon_mlir.quantization.program import exported
from hexagon_mlir.quantization.report import plot, text
from hexagon_mlir.quantization.schemes import PRODUCTS

_TRIES = 5
"""Choices that are tried where errors of layers add up to more than their sum."""
_MARGIN = 0.1
"""Decibels that the next one has more than it seems to need."""


@dataclass(frozen=True)
class Quantized:
    """A model with a scheme for each layer. ``program`` goes to `hexagon_mlir.compile`; ``choice`` is the option of
    each layer, ``problem`` what there was to choose from. ``sqnr`` is measured with ``program`` in PyTorch, in
    decibels, over the calibration. ``frontier`` are the choices from the fewest cycles to the least error.
    """

    program: ExportedProgram
    budget: Budget
    problem: Problem
    choice: Mapping[str, Option]
    frontier: Sequence[Mapping[str, Option]]
    sqnr: float

    @property
    def cycles(self) -> int:
        """Of all layers, each alone on the simulator, and of the conversions between bytes and f32; other operations
        are not in them."""
        return self.problem.cycles(self.choice)

    @property
    def weight_bytes(self) -> int:
        """Of the weights of all layers, with their scales."""
        return sum(option.nbytes for option in self.choice.values())

    def report(self) -> str:
        """What was chosen for each layer and why, and the frontier, as tables of text."""
        return text(self)

    def plot(self, file: str) -> None:
        """Draw the frontier and the choice into ``file`` (needs matplotlib, extra ``bench``)."""
        plot(self, file)


def quantize(model: nn.Module, calibration: Iterable[Any], *, budget: Budget, loss: Loss | None = None,
             target: str = targets.DEFAULT, **options: Any) -> Quantized:
    """Choose f32, f16, static int8 or 4-bit weights for each linear layer and convolution of ``model``.

    ``calibration``: inputs of the model, each a tensor or a tuple of positional arguments, the first ones of the sizes
    that the model will be compiled for. ``budget`` limits the error or the cost. ``loss(result, batch)`` gives a number
    that may rise by ``budget.loss``. ``target`` and ``options`` (``numerics``, ``threads``, ...) are those of
    `hexagon_mlir.compile`: cycles are measured with them. ``model`` is not changed; its modules are used in evaluation
    mode. Raises `HexError` for calibrations without inputs, with inputs that the model refuses, or with results that
    are not finite, for budgets that no choice is within, and where the extra ``quantization`` is not installed.
    """
    import hexagon_mlir as hx

    if not isinstance(budget, Budget):
        raise HexError.plain(f"quantize: the budget is {budget!r:.60}",
                             hint="hx.Budget(sqnr=30), or loss, cycles, nbytes")
    _check_installed()
    batches = [batch if isinstance(batch, tuple) else (batch,) for batch in calibration]
    if not batches:
        raise HexError.plain("quantize: the calibration has no inputs")
    if budget.loss is not None and loss is None:
        raise HexError.plain("quantize: the budget limits the loss, and there is none", hint="quantize(..., loss=...)")
    model = copy_of(nn.Sequential(model) if isinstance(model, PRODUCTS) else model)
    layers, exact = observe(model, batches)
    if not layers:
        raise HexError.plain("quantize: the model has no linear layer or convolution of f32 to choose for")

    def cycles(program: ExportedProgram, inputs: Sequence[torch.Tensor]) -> int:
        compiled: Any = hx.compile(program, target=target, **options)
        compiled(*inputs)
        return compiled.last_run.cycles

    costs = Costs(cycles)
    found = options_of(model, batches, layers, exact, costs, loss, ProgressBar())
    problem = Problem(found, _conversions(model, batches[0], layers, costs),
                      sum(squares(result) for results in exact for result in results))
    asked = budget
    for _ in range(_TRIES):
        choice = choose(problem, asked)
        program = exported(model, batches, layers, {name: option.scheme for name, option in choice.items()})
        sqnr = decibels(problem.signal, squared_error(program.module(), batches, exact))
        if budget.sqnr is None or sqnr >= budget.sqnr:
            return Quantized(program, budget, problem, choice, pareto(problem), sqnr)
        assert asked.sqnr is not None
        asked = replace(asked, sqnr=asked.sqnr + (budget.sqnr - sqnr) + _MARGIN)
    raise HexError.plain(f"quantize: errors of layers do not add up: {sqnr:.1f} dB measured, {budget.sqnr} asked",
                         hint="ask for more decibels, or calibrate with more inputs")


def _conversions(model: nn.Module, batch: tuple[Any, ...], layers: Mapping[str, Layer], costs: Costs,
                 ) -> list[Conversion]:
    graph = torch.export.export(model, batch).graph
    found = []
    for name, each in neighbours(graph, layers).items():
        before, after = costs.of_conversions(layers[name])
        found += [Conversion(name, before, each.before), Conversion(name, after, each.after)]
    return found


def _check_installed() -> None:
    import importlib.util

    for module in ("ortools", "torchao"):
        if importlib.util.find_spec(module) is None:
            raise HexError.plain(f"quantize: needs the package {module}", hint="pip install hexagon-mlir[quantization]")

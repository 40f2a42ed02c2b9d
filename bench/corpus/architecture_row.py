"""One row of bench/architectures.py.

``state`` of a row is "whole" (all on the chip, right), "parts" (right, some operations in eager PyTorch), "eager"
(nothing compiled), "wrong" or "failed". Seconds are those of this machine, which takes ``slowness`` times as long as
the reference machine (bench/machine.py) while the row is made.
"""

from __future__ import annotations

import time
import traceback
import warnings
from collections.abc import Callable, Iterator, Mapping
from typing import Any, NamedTuple

import torch
from torch._dynamo.utils import counters

import hexagon_mlir as hx
from bench.corpus.architecture_table import without_folders
from bench.corpus.architectures import TRANSFORMERS
from bench.corpus.image_architectures import IMAGES
from bench.machine import slowness
from hexagon_mlir.codegen.processes.worker import workers
from hexagon_mlir.frontend.torch.dynamo import models
from hexagon_mlir.frontend.torch.model import CompiledModel

_TOLERANCE = 1e-4
"""Of the largest value of a result; of a loss."""
_VANISHING = 1e-4
"""The largest value of a result that vanishes."""
_STEPS = 3
_INF = float("inf")


def tensors(value: Any) -> Iterator[torch.Tensor]:
    """The tensors of floats in a model's result, in order; caches of keys and values are left out."""
    if isinstance(value, torch.Tensor):
        if value.is_floating_point():
            yield value
    elif isinstance(value, Mapping):
        for part in value.values():
            yield from tensors(part)
    elif isinstance(value, list | tuple):
        for part in value:
            yield from tensors(part)


def error_of(results: list[torch.Tensor], expected: list[torch.Tensor]) -> float:
    """The largest difference of a result, relative to its largest value; infinite where shapes or NaN differ."""
    worst = 0.0 if len(results) == len(expected) and expected else _INF
    for ours, theirs in zip(results, expected, strict=False):
        if ours.shape != theirs.shape:
            return _INF
        if theirs.numel():
            same = (ours == theirs) | (ours.isnan() & theirs.isnan())
            difference = torch.where(same, 0.0, (ours - theirs).abs()).nan_to_num(_INF, _INF).max()
            worst = max(worst, float(difference) / max(float(theirs.abs().nan_to_num(0.0, 0.0).max()), 1e-30))
    return worst


class _Taken(NamedTuple):
    """``cpu`` seconds of this process and of those that run LLVM, and seconds of the clock on the ``wall``."""

    cpu: float
    wall: float


_simulated: list[_Taken] = []
"""The first runs of compiled models, in which the simulator translates their code."""
_run_flat = CompiledModel.run_flat


def _expected(module: torch.nn.Module, inputs: dict[str, torch.Tensor]) -> list[torch.Tensor]:
    """The results of eager PyTorch; ValueError where they are too small to say anything about the compiled ones."""
    expected = list(tensors(module(**inputs)))
    if any(not float(one.abs().nan_to_num(_INF).max()) > _VANISHING for one in expected if one.numel()):
        raise ValueError("the values of the model vanish in eager PyTorch")
    return expected


def _timed(function: Callable[[], Any]) -> tuple[_Taken, Any]:
    """What ``function`` takes, and its result."""
    cpu, wall = time.process_time() + workers().cpu_seconds, time.perf_counter()
    result = function()
    return _Taken(time.process_time() + workers().cpu_seconds - cpu, time.perf_counter() - wall), result


def _run_timed(model: CompiledModel, *arguments: Any, **options: Any) -> Any:
    is_first = model.last_run is None
    taken, results = _timed(lambda: _run_flat(model, *arguments, **options))
    if is_first:
        _simulated.append(taken)
    return results


def _compilation(first: _Taken) -> dict[str, float]:
    """The seconds of the ``first`` call, which compiles, apart from runs in the simulator."""
    simulated = _Taken(sum(one.cpu for one in _simulated), sum(one.wall for one in _simulated))
    return {"compile_seconds": round(first.cpu - simulated.cpu, 1), "simulator_seconds": round(simulated.cpu, 1),
            "wall_seconds": round(first.wall - simulated.wall, 1)}


def run(module: torch.nn.Module, inputs: dict[str, torch.Tensor]) -> dict[str, Any]:
    """``torch.compile``, without gradients. The first call compiles."""
    module.eval()
    with torch.no_grad():
        expected = _expected(module, inputs)
        compiled = torch.compile(module, backend="hexagon")
        first, results = _timed(lambda: compiled(**inputs))
        compilation = _compilation(first)
        again = compiled(**inputs)
    error = max(error_of(list(tensors(got)), expected) for got in (results, again))
    return {"error": error, **compilation, "graphs": counters["stats"]["unique_graphs"],
            "compiled": len(models)}


def export(module: torch.nn.Module, inputs: dict[str, torch.Tensor]) -> dict[str, Any]:
    """``torch.export`` and ``hexagon_mlir.compile``, without a cache, which PyTorch refuses as a result."""
    module.eval()
    for config in (getattr(part, "config", None) for part in module.modules()):  # a decoder has its own
        if hasattr(config, "use_cache"):
            config.use_cache = False
    with torch.no_grad():
        expected = _expected(module, inputs)
        program = torch.export.export(module, (), inputs)
        taken, compiled = _timed(lambda: hx.compile(program))
        compilation = _compilation(taken)
        models.append(compiled)
        results = list(tensors(compiled(**inputs)))
    return {"error": error_of(results, expected), **compilation, "graphs": 1, "compiled": 1}


def train(module: torch.nn.Module, inputs: dict[str, torch.Tensor]) -> dict[str, Any]:
    """Three steps of SGD on the mean square of the results, in evaluation mode: the losses against those of eager
    PyTorch."""
    state = {name: value.clone() for name, value in module.state_dict().items()}
    module.eval()  # attention asks for itself whether the module is in training, and draws what it drops
    losses = []
    compilation = {}
    for model in (module, torch.compile(module, backend="hexagon")):
        module.load_state_dict(state)
        optimizer = torch.optim.SGD(module.parameters(), 0.01)
        for _ in range(_STEPS):
            optimizer.zero_grad()
            taken, loss = _timed(lambda model=model: _descend(model, inputs))
            if model is not module:
                compilation = compilation or _compilation(taken)
            optimizer.step()
            losses.append(loss)
    worst = max(abs(ours - theirs) / max(1.0, abs(theirs))
                for ours, theirs in zip(losses[_STEPS:], losses[:_STEPS], strict=True))
    return {"error": worst if worst == worst else _INF, **compilation,
            "graphs": counters["stats"]["unique_graphs"], "compiled": len(models), "losses": losses}


def _descend(model: Callable[..., Any], inputs: dict[str, torch.Tensor]) -> float:
    loss = sum((result.square().mean() for result in tensors(model(**inputs)) if result.requires_grad),
               torch.zeros(()))
    loss.backward()
    return float(loss.detach())


def row(name: str, kind: str) -> dict[str, Any]:
    """The row, whatever happens."""
    torch.manual_seed(0)
    CompiledModel.run_flat = _run_timed  # type: ignore[method-assign]
    module, inputs = {**TRANSFORMERS, **IMAGES}[name]()
    before = slowness()
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            result = {"run": run, "export": export, "train": train}[kind](module, inputs)
        except Exception as error:
            traceback.print_exc()
            lines = [line for line in str(error).splitlines() if line.strip()] or [""]
            return {"state": "failed", "reason": without_folders(f"{type(error).__name__}: {lines[0]}")[:400]}
    eager = [text.removeprefix("hexagon: ") for text in (str(one.message) for one in caught)
             if text.startswith("hexagon: ")]
    results = [model.result for model in models]
    result["compiler_seconds"] = round(sum(sum(one.cpu_seconds.values()) + sum(one.llvm_seconds.values())
                                           for one in results), 1)
    result["slowness"] = round((before + slowness()) / 2, 2)
    state = "whole" if not eager else "parts" if result["compiled"] else "eager"
    if not result["error"] <= _TOLERANCE:
        state = "wrong"
    return {"state": state, **result, **({"reason": without_folders(eager[0])[:600]} if eager else {})}

"""Whole models as rows of ``hexmlir bench``: PyTorch programs of a few layers, compared with eager PyTorch."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from hexagon_mlir.bench import ways
from hexagon_mlir.bench.bounds import bound
from hexagon_mlir.bench.corpus.entry import Run
from hexagon_mlir.bench.results import Measured
from hexagon_mlir.ir import HexError
from hexagon_mlir.targets import Target

_OPTIONS: dict[str, dict[str, Any]] = {
    ways.LLVM: {"pipeline": "auto-vectorized", "threads": 1}, ways.SCALAR: {"pipeline": "scalar", "threads": 1},
    "+DB": {"threads": 1, "matrix_engine": False}, "+MT+DB": {"matrix_engine": False},
    ways.ENGINE: {"numerics": "f32-split"}}
"""Way -> options of `hexagon_mlir.compile`; with the matrix engine, products of f32 in pieces of f16."""


@dataclass(frozen=True)
class ModelEntry:
    """A model by name; ``make`` gives the module and its inputs. ``tolerance`` is relative to 1 + the largest value."""

    name: str
    size: str
    make: Callable[[], tuple[Any, tuple[Any, ...]]]
    tolerance: float = 1e-4


def _transformer() -> tuple[Any, tuple[Any, ...]]:
    import torch
    from torch import nn

    layer = nn.TransformerEncoderLayer(64, 4, 256, activation="gelu", batch_first=True, norm_first=True)
    return nn.Sequential(layer), (torch.randn(1, 32, 64),)


def _network() -> tuple[Any, tuple[Any, ...]]:
    import torch
    from torch import nn

    def block(inputs: int, outputs: int, stride: int) -> list[nn.Module]:
        return [nn.Conv2d(inputs, outputs, 3, stride, 1), nn.BatchNorm2d(outputs), nn.ReLU()]

    layers = [*block(3, 16, 1), *block(16, 32, 2), *block(32, 64, 2), nn.AdaptiveAvgPool2d(1), nn.Flatten(),
              nn.Linear(64, 10)]
    return nn.Sequential(*layers), (torch.randn(1, 3, 16, 16),)


def _perceptron() -> tuple[Any, tuple[Any, ...]]:
    import torch
    from torch import nn

    layers = [nn.Linear(128, 256), nn.SiLU(), nn.Linear(256, 128), nn.LayerNorm(128)]
    return nn.Sequential(*layers), (torch.randn(32, 128),)


MODELS = (
    ModelEntry("model: perceptron", "32x128 f32", _perceptron),
    ModelEntry("model: transformer layer", "1x32x64 f32", _transformer),
    ModelEntry("model: convolutional network", "1x3x16x16 f32", _network),
)


def measure_model(entry: ModelEntry, target: Target, wanted: Sequence[str] = ways.WAYS) -> Measured:
    """Compile, run and check ``entry`` in those of `_OPTIONS` that are ``wanted``; where one does not work, why stands
    in place of its cycles. The bound is the sum of those of its kernels."""
    cycles: dict[str, int] = {}
    failures: dict[str, str] = {}
    best: list[Run] = []
    for way in (way for way in wanted if way in _OPTIONS):
        try:
            total, runs = _run(entry, target, _OPTIONS[way])
        except HexError as error:
            failures[way] = error.diagnostics[0].message
            continue
        cycles[way] = total
        if way in ways.OURS and total == min(cycles[other] for other in cycles if other in ways.OURS):
            best = runs
    needs: Counter[str] = Counter()
    for run in best:
        limit = bound(run.asm, run.result, target)
        needs[limit.by] += round(limit.cycles)
    by = max(needs, key=lambda name: needs[name], default="")
    return Measured(entry.size, cycles, failures, sum(needs.values()), by)


def _run(entry: ModelEntry, target: Target, options: dict[str, Any]) -> tuple[int, list[Run]]:
    """Cycles of one call, and its launches; raises `HexError`."""
    try:
        import torch
    except ImportError:
        raise HexError.plain("this is a model in PyTorch, which is not installed",
                             hint="pip install 'hexagon-mlir[torch]'") from None
    import hexagon_mlir

    with torch.random.fork_rng(devices=[]), torch.no_grad():
        torch.manual_seed(0)
        module, inputs = entry.make()
        module.eval()
        expected = module(*inputs).numpy()
        model: Any = hexagon_mlir.compile(torch.export.export(module, inputs), target=target.name, **options)
        output = np.asarray(model(*inputs))
    error = float(np.abs(output - expected).max()) / (1 + float(np.abs(expected).max()))
    if not error <= entry.tolerance:
        raise HexError.plain(f"values are off by {error:.1e}, {entry.tolerance:.1e} at most is right")
    return model.last_run.cycles, [Run(record.asm, record.result) for record in model.last_run.launches]

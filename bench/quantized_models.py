"""Static int8 against f32 on HVX, in cycles on the simulator.

    python bench/quantized_models.py          # the table of docs/models.md
    python bench/quantized_models.py MLP      # rows whose name holds a word
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path

import torch
from torch import nn
from torchao.quantization.pt2e.quantize_pt2e import convert_pt2e, prepare_pt2e

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import hexagon_mlir as hx
from bench.corpus.model_zoo import MobileNetV2, ResNet18
from hexagon_mlir.quantization.quantizer import HexagonQuantizer


def _mlp(width: int) -> nn.Module:
    return nn.Sequential(nn.Linear(width, width), nn.ReLU(), nn.Linear(width, width))


MODELS: dict[str, tuple[Callable[[], nn.Module], tuple[int, ...]]] = {
    "MLP 256x1024x1024, twice": (lambda: _mlp(1024), (256, 1024)),
    "ResNet-18, 64x64": (ResNet18, (1, 3, 64, 64)),
    "MobileNetV2, 64x64": (MobileNetV2, (1, 3, 64, 64)),
}


def quantized(model: nn.Module, x: torch.Tensor, powers_of_two: bool = False) -> torch.export.ExportedProgram:
    """``model`` in static int8, calibrated on ``x``."""
    with torch.no_grad():
        quantizer = HexagonQuantizer(powers_of_two=powers_of_two)
        prepared = prepare_pt2e(torch.export.export(model, (x,)).module(), quantizer)
        prepared(x)
        return torch.export.export(convert_pt2e(prepared), (x,))


def row(name: str) -> str:
    """A row of the table: cycles of f32, of int8 with sums converted by HVX, with powers of two by the engine, and with
    all by the engine; the ratio of the first two."""
    made, shape = MODELS[name]
    torch.manual_seed(0)
    model, x = made().eval(), torch.randn(shape)
    cycles = []
    programs = torch.export.export(model, (x,)), quantized(model, x), quantized(model, x, powers_of_two=True)
    for program, requantization in ((programs[0], "exact"), (programs[1], "exact"), (programs[2], "exact"),
                                    (programs[1], "engine")):
        compiled = hx.compile(program, requantization=requantization)
        compiled(x)
        cycles.append(compiled.last_run.cycles)
    return f"| {name} | {' | '.join(f'{count:,}' for count in cycles)} | {cycles[1] / cycles[0]:.2f} |"


def main() -> None:
    """Print the rows whose name holds a word of the command line."""
    for name in MODELS:
        if not sys.argv[1:] or any(word in name for word in sys.argv[1:]):
            print(row(name), flush=True)


if __name__ == "__main__":
    main()

"""A model whose layers compute in the chosen schemes, as an exported program."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any

import torch
from torch import nn
from torch.export import ExportedProgram

from hexagon_mlir.quantization.layers import Layer, substituted
from hexagon_mlir.quantization.schemes import Scheme, replaced


def exported(model: nn.Module, batches: Sequence[tuple[Any, ...]], layers: Mapping[str, Layer],
             schemes: Mapping[str, Scheme]) -> ExportedProgram:
    """``model`` with these ``schemes`` of its ``layers``; scales of bytes are those of ``batches``."""
    others = {name: replaced(layers[name].module, scheme) for name, scheme in schemes.items()}
    bytes_ = {name for name, scheme in schemes.items() if scheme == Scheme.INT8}
    with substituted(model, {name: other for name, other in others.items() if other is not layers[name].module}):
        return _with_bytes(model, batches, bytes_) if bytes_ else torch.export.export(model, batches[0])


def _with_bytes(model: nn.Module, batches: Sequence[tuple[Any, ...]], layers: Collection[str]) -> ExportedProgram:
    from torchao.quantization.pt2e.quantize_pt2e import convert_pt2e, prepare_pt2e

    from hexagon_mlir.quantization.quantizer import HexagonQuantizer

    with torch.no_grad():
        prepared = prepare_pt2e(torch.export.export(model, batches[0]).module(), HexagonQuantizer(layers=layers))
        for batch in batches:
            prepared(*batch)
        return torch.export.export(convert_pt2e(prepared), batches[0])

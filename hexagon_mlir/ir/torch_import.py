"""torch.fx graphs to linalg on tensors, with the bindings' own importer. Kept apart because it imports torch."""

from __future__ import annotations

from typing import Any

from torch_mlir import ir
from torch_mlir.dialects import torch as torch_dialect
from torch_mlir.extras.fx_importer import FxImporter
from torch_mlir.passmanager import PassManager

from hexagon_mlir.ir.context import make_context
from hexagon_mlir.ir.diagnostics import HexError, from_mlir_error
from hexagon_mlir.ir.guards import captured_stderr

ORIGIN = "torch-import"
_TO_LINALG = ("torchdynamo-export-to-torch-backend-pipeline", "torch-backend-to-linalg-on-tensors-backend-pipeline")


def import_graph(graph: Any, entry: str) -> ir.Module:
    """``graph`` (a functional torch.fx.Graph of ATen ops) as function ``entry`` of linalg on tensors.

    Placeholders become arguments in order: weights stay outside the module. Raises `HexError` with the source line
    of the model for an op without a lowering.
    """
    context = make_context()
    torch_dialect.register_dialect(context)
    importer = FxImporter(context=context)
    try:
        importer.import_stateless_graph(graph, func_name=entry)
    except (NotImplementedError, ValueError, TypeError, KeyError) as error:
        raise HexError.plain(str(error).splitlines()[0] if str(error) else type(error).__name__,
                             origin=ORIGIN) from None
    module = importer.module
    with context, captured_stderr():
        for pipeline in _TO_LINALG:
            try:
                PassManager.parse(f"builtin.module({pipeline})").run(module.operation)
            except ir.MLIRError as error:
                raise from_mlir_error(error, origin=ORIGIN) from None
    return module

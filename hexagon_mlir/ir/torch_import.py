"""torch.fx graphs to linalg on tensors, with the bindings' own importer. Kept apart because it imports torch."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from torch_mlir import ir
from torch_mlir.dialects import torch as torch_dialect
from torch_mlir.extras.fx_importer import ContextCache, FxImporter
from torch_mlir.passmanager import PassManager

from hexagon_mlir.ir.context import make_context
from hexagon_mlir.ir.diagnostics import HexError, from_mlir_error
from hexagon_mlir.ir.guards import captured_stderr

ORIGIN = "torch-import"
_TO_LINALG = ("torchdynamo-export-to-torch-backend-pipeline", "torch-backend-to-linalg-on-tensors-backend-pipeline")


class _NamingCache(ContextCache):
    """What an importer knows of its context; names the locations of nodes that have one and get a name."""

    __slots__ = ("_name",)

    def __init__(self, importer: FxImporter, name: Callable[[Any], str]):
        super().__init__(importer._c, py_attr_tracker=importer._py_attr_tracker)
        self._name = name

    def get_node_location(self, node: Any) -> ir.Location | None:
        location, text = super().get_node_location(node), self._name(node)
        return location if location is None or not text else ir.Location.name(text, location, location.context)


def import_graph(graph: Any, entry: str, name: Callable[[Any], str] | None = None) -> ir.Module:
    """``graph`` (a functional torch.fx.Graph of ATen ops) as function ``entry`` of linalg on tensors.

    Placeholders become arguments in order: weights stay outside the module. ``name``, if given, names the locations of
    a node, where it has a name. Raises `HexError` with the source line
    of the model for an op without a lowering.
    """
    context = make_context()
    torch_dialect.register_dialect(context)
    importer = FxImporter(context=context)
    if name is not None:
        importer._cc = _NamingCache(importer, name)
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


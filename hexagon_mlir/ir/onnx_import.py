"""ONNX graphs to the torch dialect, with the bindings' own importer. Kept apart because it imports onnx and torch."""

from __future__ import annotations

import re
import warnings
from collections.abc import Collection
from typing import Any

from torch_mlir import ir
from torch_mlir.dialects import torch as torch_dialect
from torch_mlir.extras.fx_importer import TORCH_DTYPE_TO_INT
from torch_mlir.extras.onnx_importer import Config, ModelInfo, NodeImporter, OnnxImportError
from torch_mlir.passmanager import PassManager

from hexagon_mlir.ir.context import make_context
from hexagon_mlir.ir.diagnostics import Diagnostic, HexError, Place
from hexagon_mlir.ir.guards import captured_stderr
from hexagon_mlir.ir.query import ops_named

ORIGIN = "onnx-import"
DTYPES = {number: dtype for dtype, number in TORCH_DTYPE_TO_INT.items()}
"""The numbers by which operations of the torch dialect name element types."""

OWN = "own."
"""How the names of operators begin that have no lowering to the torch dialect here."""

_TO_TORCH = "builtin.module(func.func(convert-torch-onnx-to-torch),canonicalize,cse)"
_OPERATOR = re.compile(r'torch\.operator"? ?\(?.*?"onnx\.(\w+)"', re.DOTALL)
_NAME = re.compile(r'loc\("([^"]*)"')


def import_onnx(model: Any, file: str, own: Collection[str] = ()) -> ir.Module:
    """``model`` (an ``onnx.ModelProto`` whose shapes are inferred) as one function of ATen operations.

    Operators ``own`` stay: their names then begin with `OWN`. Raises `HexError` with the name of the node that has no
    lowering; ``file`` is what it says it comes from.
    """
    context = make_context()
    torch_dialect.register_dialect(context)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of types that inference did not find: of results nobody uses
            info = ModelInfo(model, config=Config(function_expansion_allowlists_by_domain={}))
            module = info.create_module(context=context)
            NodeImporter.define_function(info.main_graph, module.operation).import_all()
    except (OnnxImportError, KeyError, TypeError, ValueError, ir.MLIRError) as error:
        raise HexError.plain(str(error).splitlines()[0], origin=ORIGIN, file=file) from None
    with context, captured_stderr():
        for op in ops_named(module, "torch.operator"):
            name = ir.StringAttr(op.attributes["name"]).value.removeprefix("onnx.")
            if name in own:
                op.attributes["name"] = ir.StringAttr.get(OWN + name)
        try:
            PassManager.parse(_TO_TORCH).run(module.operation)
        except ir.MLIRError as error:
            raise HexError(_no_lowering(error, file)) from None
    return module


def attributes_of(op: ir.Operation) -> tuple[str, dict[str, Any]]:
    """The operator's name, and its attributes as numbers, strings and lists of them."""
    values = {name.removeprefix("torch.onnx."): _plain(op.attributes[name]) for name in op.attributes}
    return str(values.pop("name")), values


def _plain(attribute: ir.Attribute) -> Any:
    if isinstance(attribute, ir.ArrayAttr):
        return [_plain(part) for part in attribute]
    return attribute.value


def name_of(op: ir.Operation) -> str:
    """The ONNX node behind ``op``; empty when it has no name."""
    found = _NAME.search(str(op.location))
    return found.group(1) if found else ""


def _no_lowering(error: ir.MLIRError, file: str) -> Diagnostic:
    infos = error.error_diagnostics
    text = "\n".join([str(error), *(note.message for info in infos for note in info.notes)])
    operator, node = _OPERATOR.search(text), _NAME.search(str(infos[0].location)) if infos else None
    what = f"no lowering for '{operator.group(1)}'" if operator else text.splitlines()[0]
    return Diagnostic("error", Place(file), ORIGIN, what + (f" (node '{node.group(1)}')" if node else ""),
                      hint="an operator, or a form of it, that torch-mlir does not convert")

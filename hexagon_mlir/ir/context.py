"""Contexts and the data layout: `index` is 32 bits from the start, as on the machine."""

from __future__ import annotations

import sys
import types

from torch_mlir import ir

from hexagon_mlir.interrupts import deferred
from hexagon_mlir.ir import hexagon_dialect

INDEX_BITS = 32
_LAYOUT_ATTRIBUTE = "dlti.dl_spec"
_DIALECTS = ("affine", "arith", "async", "bufferization", "builtin", "cf", "complex", "dlti", "func", "index", "linalg",
             "llvm", "math", "memref", "scf", "tensor", "ub", "vector")
"""What passes build operations of. Others are loaded where the parser or an upstream pass meets them: loading all that
there are takes four times as long, and each canonicalization would collect the patterns of all of them."""

# The bindings look for a Python module of an operation's dialect each time they meet one; without a module they
# search the file system again, which costs more than translating the operation.
for _name in (f"torch_mlir.dialects.{dialect}" for dialect in ("async", "dlti", "hexagon", "tt")):
    sys.modules.setdefault(_name, types.ModuleType(_name))


@deferred()
def make_context() -> ir.Context:
    """A fresh context that accepts unregistered dialects (TTIR arrives as one)."""
    context = ir.Context(load_on_create_dialects=())
    for dialect in _DIALECTS:
        context.get_dialect_descriptor(dialect)  # unlike `context.dialects`, this leaves the Python modules unimported
    hexagon_dialect.load(context)
    context.allow_unregistered_dialects = True
    return context


def set_index_bits(module: ir.Module, bits: int = INDEX_BITS) -> None:
    """State the width of `index` on ``module``: 32 for Hexagon, 64 to execute a stage on the host."""
    layout = ir.Attribute.parse(f"#dlti.dl_spec<index = {bits} : i32>", module.context)
    module.operation.attributes[_LAYOUT_ATTRIBUTE] = layout

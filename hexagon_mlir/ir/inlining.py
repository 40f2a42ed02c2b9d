"""Functions put in place of their calls."""

from __future__ import annotations

from torch_mlir import ir
from torch_mlir.passmanager import PassManager

_INLINE = "builtin.module(inline,symbol-dce)"


def inlined(callees: ir.Module, function: str) -> str:
    """``function``, a text that calls functions of ``callees``, with these in place of the calls; as a module's text.
    """
    with callees.context:
        for view in callees.body.operations:
            view.operation.attributes["sym_visibility"] = ir.StringAttr.get("private")
        module = str(callees).rstrip()
        joined = ir.Module.parse(f"{module[:module.rindex('}')]}{function}}}")
        PassManager.parse(_INLINE).run(joined.operation)
        return str(joined)

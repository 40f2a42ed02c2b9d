"""Names of functions and globals: any text in MLIR, identifiers in LLVM IR, assembly, C and file names."""

from __future__ import annotations

import re
from collections.abc import Mapping

from hexagon_mlir.ir import error_at, ir
from hexagon_mlir.ir.order import nested_ops

ORIGIN = "symbols"
_WORD = re.compile(r"[A-Za-z_$][\w$.-]*", re.ASCII)
_OTHER = re.compile(r"[^\w$.-]", re.ASCII)
_OWN_LINKAGE = ("internal", "private")


def check_symbols(module: ir.Module) -> None:
    """Rename private symbols of ``module`` to identifiers, in place; raises `HexError` for others that are none.

    Public symbols keep their name or are refused: text of an input file would become code.
    """
    named = {_name(op): op for op in (view.operation for view in module.body.operations)
             if "sym_name" in op.attributes}
    new: dict[str, str] = {}
    for name, op in named.items():
        if _WORD.fullmatch(name):
            continue
        if not _is_private(op):
            raise error_at(op, ORIGIN, f"the name {name[:60]!r} is not an identifier of assembly and C",
                           hint="letters, digits and _, as in @my_kernel")
        word = f"_{_OTHER.sub('_', name)}"
        while word in named or word in new.values():
            word += "_"
        new[name] = word
    if new:
        _rename(module, new)


def _name(op: ir.Operation) -> str:
    return ir.StringAttr(op.attributes["sym_name"]).value


def _is_private(op: ir.Operation) -> bool:
    visibility = op.attributes.get("sym_visibility")
    linkage = str(op.attributes.get("linkage", ""))
    return (visibility is not None and ir.StringAttr(visibility).value == "private") or any(
        word in linkage for word in _OWN_LINKAGE)


def _rename(module: ir.Module, new: Mapping[str, str]) -> None:
    """Rename symbols and all references to them, in unregistered operations too."""
    with module.context:
        for op in nested_ops(module.operation):
            for key in list(op.attributes):
                attribute = op.attributes[key]
                if key == "sym_name" and _name(op) in new:
                    op.attributes[key] = ir.StringAttr.get(new[_name(op)])
                elif (changed := _renamed(attribute, new)) is not None:
                    op.attributes[key] = changed


def _renamed(attribute: ir.Attribute, new: Mapping[str, str]) -> ir.Attribute | None:
    """``attribute`` with new names; None when it has none of the old ones."""
    if isinstance(attribute, ir.FlatSymbolRefAttr):
        return ir.FlatSymbolRefAttr.get(new[attribute.value]) if attribute.value in new else None
    if isinstance(attribute, ir.ArrayAttr):
        parts = [(part, _renamed(part, new)) for part in attribute]
        if any(changed is not None for _, changed in parts):
            return ir.ArrayAttr.get([part if changed is None else changed for part, changed in parts])
    return None

"""Moves functions into modules of their own, which run through the last passes while LLVM compiles the first ones."""

from __future__ import annotations

from collections.abc import Iterable

from hexagon_mlir.dialects import permissions
from hexagon_mlir.ir import ir
from hexagon_mlir.ir.order import nested_ops
from hexagon_mlir.ir.query import functions, ops_named

_ADDRESSES = ("func.constant", "llvm.mlir.addressof", "llvm.call", "memref.get_global")
"""What names a symbol besides calls of functions."""


def take_out(module: ir.Module) -> dict[str, ir.Module]:
    """Take functions out of ``module``; returns a module of each by its name, the one of fewest operations first.

    Only functions opaque to LLVM anyway are taken out: those that are not to be inlined. Their arguments are scalars
    and buffers of static size, and they refer to no symbols but functions. If any function has an argument for the fork
    permission (`dialects.permissions`), so has this one. A declaration is left for calls.
    """
    defined = {_name(op): op for op in functions(module)}
    limited = any(permissions.of(op) is not None for op in defined.values())
    lengths = {name: len(nested_ops(op)) for name, op in defined.items()
               if _is_noinline(op) and _stands_alone(op, limited)}
    known = {_name(view.operation): view.operation for view in module.body.operations}
    apart = {name: _alone(known[name], known) for name in sorted(lengths, key=lambda name: lengths[name])}
    _declare(module, _called(module) & apart.keys(), known)
    return apart


def name_apart(module: ir.Module, name: str) -> None:
    """Prefix ``name`` to the names of all other functions that ``module`` defines: passes have made them, and equal
    names in other modules of `take_out`.
    """
    for op in [view.operation for view in module.body.operations if "sym_name" in view.operation.attributes]:
        if (old := _name(op)) != name and any(len(region.blocks) for region in op.regions):
            ir.SymbolTable.set_symbol_name(op, f"{name}.{old}")
            ir.SymbolTable.replace_all_symbol_uses(old, f"{name}.{old}", module.operation)


def _is_noinline(function: ir.Operation) -> bool:
    if "llvm.no_inline" in function.attributes:
        return True
    given = function.attributes.get("llvm.passthrough", ())
    return any(isinstance(word, ir.StringAttr) and word.value == "noinline" for word in given)


def _stands_alone(function: ir.Operation, limited: bool) -> bool:
    types = ir.FunctionType(function.attributes["function_type"].value).inputs
    if any(isinstance(type_, ir.MemRefType) and not type_.has_static_shape for type_ in types):
        return False  # sizes will become arguments, which its callers pass
    if limited and permissions.of(function) is None and ops_named(function, "scf.forall"):
        return False
    return not ops_named(function, *_ADDRESSES)


def _alone(function: ir.Operation, known: dict[str, ir.Operation]) -> ir.Module:
    """``function`` in a module with the attributes of the one it leaves, and a declaration of each callee."""
    module = _like(function.parent.operation)
    _declare(module, _called(function) - {_name(function)}, known)
    module.body.append(function)
    return module


def as_module(root: ir.Operation | ir.OpView) -> ir.Module:
    """The operations of the builtin.module ``root``, which is left empty, as a module of their own."""
    module = _like(root.operation)
    for op in list(root.operation.regions[0].blocks[0].operations):
        module.body.append(op)
    return module


def _like(root: ir.Operation) -> ir.Module:
    """An empty module with location and attributes of ``root``."""
    with root.location:
        module = ir.Module.create()
    for name in root.attributes:
        module.operation.attributes[name] = root.attributes[name]
    return module


def _declare(module: ir.Module, names: Iterable[str], known: dict[str, ir.Operation]) -> None:
    """Declarations in ``module`` of the functions called ``names``."""
    for function in map(known.__getitem__, sorted(names)):
        with function.location, ir.InsertionPoint.at_block_begin(module.body):
            made = ir.Operation.create("func.func", regions=1, attributes={
                given: function.attributes[given] for given in function.attributes})
            made.attributes["sym_visibility"] = ir.StringAttr.get("private")
            permissions.forget(made)


def _called(root: ir.Module | ir.Operation) -> set[str]:
    return {ir.FlatSymbolRefAttr(op.attributes["callee"]).value for op in ops_named(root, "func.call")}


def _name(op: ir.Operation) -> str:
    return ir.StringAttr(op.attributes["sym_name"]).value

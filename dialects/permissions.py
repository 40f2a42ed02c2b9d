"""The argument that tells a function at run time whether it may fork: programs in parallel may not."""

from __future__ import annotations

from hexagon_mlir.ir import ir

MAY_FORK = "hexagon.may_fork"


def add(function: ir.Operation) -> None:
    """Give ``function`` the argument (i1), behind its others; its calls are left to whoever adds it."""
    kind = ir.IntegerType.get_signless(1)
    type_ = ir.FunctionType(function.attributes["function_type"].value)
    known = list(function.attributes["arg_attrs"]) if "arg_attrs" in function.attributes else \
        [ir.DictAttr.get({})] * len(type_.inputs)
    function.attributes["function_type"] = ir.TypeAttr.get(ir.FunctionType.get([*type_.inputs, kind], type_.results))
    function.attributes["arg_attrs"] = ir.ArrayAttr.get([*known, ir.DictAttr.get({MAY_FORK: ir.UnitAttr.get()})])
    function.regions[0].blocks[0].add_argument(kind, function.location)


def of(function: ir.Operation) -> ir.Value | None:
    """The argument of ``function``, None where there is none: it may always fork.

    Raises ValueError for a mark on an argument of another type.
    """
    if "arg_attrs" not in function.attributes or not len(function.regions[0].blocks):
        return None
    arguments = function.regions[0].blocks[0].arguments
    found = next((value for value, known in zip(arguments, function.attributes["arg_attrs"], strict=True)
                  if MAY_FORK in ir.DictAttr(known)), None)
    if found is not None and found.type != ir.IntegerType.get_signless(1):
        raise ValueError(f"{MAY_FORK} on an argument of type {found.type}")
    return found


def forget(function: ir.Operation) -> None:
    """Take the mark away, of a definition or a declaration; the argument stays."""
    if "arg_attrs" in function.attributes:
        function.attributes["arg_attrs"] = ir.ArrayAttr.get([
            ir.DictAttr.get({named.name: named.attr for named in ir.DictAttr(known) if named.name != MAY_FORK})
            for known in function.attributes["arg_attrs"]])

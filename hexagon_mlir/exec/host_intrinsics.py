"""HVX intrinsics on this machine, by the simulator's semantics of their instructions."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from hexagon_mlir.isa.form import BY_INTRINSIC
from hexagon_mlir.llvmir import Module
from hexagon_mlir.llvmir.names import with_globals_renamed

_PREFIX, _SUFFIX = "@llvm.hexagon.", ".128B"
_HALVES = {"V6.lo": 0, "V6.hi": 1}
"""Register pair to one of its registers: no instruction."""


def define_intrinsics(llvm_ir: str) -> str:
    """``llvm_ir`` with a function for each HVX intrinsic in it; raises `KeyError` for one that is no instruction."""
    module = Module.parse(llvm_ir)
    declared = sorted(name for name in module.declared if name.startswith(f"{_PREFIX}V6."))
    if not declared:
        return llvm_ir
    names = {name: name.removeprefix(_PREFIX).removesuffix(_SUFFIX) for name in declared}
    helpers: set[str] = set()
    functions = [_function(name, helpers) for name in names.values()]
    text = with_globals_renamed(module.without_declarations(declared).text,
                                {name[1:]: _symbol(short)[1:] for name, short in names.items()})
    return "\n".join([text, *sorted(helpers), *functions, ""])


def _symbol(name: str) -> str:
    return f"@hexmlir.{name}"


def _function(name: str, helpers: set[str]) -> str:
    """A function that computes ``name``; the functions it calls are added to ``helpers``."""
    from hexagon_mlir.sim.semantics.lanes import VECTOR, concat, split
    from hexagon_mlir.sim.semantics.tables import SEMANTICS
    from hexagon_mlir.sim.semantics.value import I32, Code, Val

    pair = VECTOR._replace(lanes=2 * VECTOR.lanes)
    types = {"V": VECTOR, "VV": pair, "R": I32, "I": I32}
    sources: tuple[str, ...]
    if name in _HALVES:
        sources, emit = ("VV",), _picked(_HALVES[name])
    else:
        form = BY_INTRINSIC[name]
        sources = (*form.dests * form.reads_dest, *form.sources)
        emit = SEMANTICS[form.template]
    code = Code(helpers)
    arguments = [Val(code, f"%p{number}", types[kind]) for number, kind in enumerate(sources)]
    result = emit(*(split(value) if value.ty == pair else value for value in arguments))
    made = concat(*(half.as_(VECTOR) for half in result)) if isinstance(result, tuple) else result.as_(VECTOR)
    taken = ", ".join(f"{value.ty} {value.name}" for value in arguments)
    body = "\n".join([*code.allocas, *code.lines])
    return f"define internal {made.ty} {_symbol(name)}({taken}) noinline {{\n{body}\n  ret {made.ty} {made.name}\n}}"


def _picked(half: int) -> Callable[..., Any]:
    return lambda pair: pair[half]

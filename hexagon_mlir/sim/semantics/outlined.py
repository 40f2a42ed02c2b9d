"""Long semantics as functions of their own, which quick code calls and fast code inlines, see `host`."""

from __future__ import annotations

import functools
from collections.abc import Callable

from hexagon_mlir.sim.semantics.value import Code, Type, Val

Results = tuple[Val, ...]


def outlined(name: str, body: Callable[..., Results], *arguments: Val) -> Results:
    """``body(*arguments)`` as a call of the function ``name``, which is defined once in a module."""
    code = arguments[0].code
    declarations, types = _definition(name, body, tuple(argument.ty for argument in arguments))
    code.declarations |= declarations
    record = _record(types)
    given = ", ".join(f"{argument.ty} {argument.name}" for argument in arguments)
    whole = code.op(f"call {record} @{name}({given})", types[0])
    return tuple(code.op(f"extractvalue {record} {whole.name}, {i}", ty) for i, ty in enumerate(types))


@functools.cache
def _definition(
    name: str, body: Callable[..., Results], parameters: tuple[Type, ...]
) -> tuple[frozenset[str], tuple[Type, ...]]:
    """The function's text with the declarations it needs, and the types of its results."""
    code = Code(set())
    results = body(*(Val(code, f"%p{i}", ty) for i, ty in enumerate(parameters)))
    types = tuple(result.ty for result in results)
    record = _record(types)
    last = "undef"
    for i, result in enumerate(results):
        last = code.op(f"insertvalue {record} {last}, {result.ty} {result.name}, {i}", result.ty).name
    code.put(f"ret {record} {last}")
    taken = ", ".join(f"{ty} %p{i}" for i, ty in enumerate(parameters))
    lines = "\n".join([*code.allocas, *code.lines])
    text = f"define internal {record} @{name}({taken}) alwaysinline {{\n{lines}\n}}"
    return frozenset({text, *code.declarations}), types


def _record(types: tuple[Type, ...]) -> str:
    return "{ " + ", ".join(map(str, types)) + " }"

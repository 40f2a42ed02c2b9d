"""HVX forms as functions in objects of their own, which quick code calls: a form is compiled once, not in each program.

A function has the form's semantics for given immediates as a chip computes them; its name is the hash of its IR and of
the host.
Short semantics stay where they are used, and so does what calls `semantics.routines`.
"""

from __future__ import annotations

import functools
import hashlib
from collections.abc import Iterator
from typing import Any

from hexagon_mlir.sim.semantics.float_model import FloatModel
from hexagon_mlir.sim.semantics.lanes import VECTOR
from hexagon_mlir.sim.semantics.qfloat_forms import Extended
from hexagon_mlir.sim.semantics.routines import PREFIX as ROUTINE
from hexagon_mlir.sim.semantics.tables import SEMANTICS
from hexagon_mlir.sim.semantics.value import Code, Type, Val
from hexagon_mlir.sim.translation import host

PREFIX = "form_"
SHORT = 2
"""Instructions, without casts of bits, that are not worth a call."""
WIDE_SHUFFLE = 64
"""Lanes from which a shuffle alone is worth a call: LLVM takes 4 ms to select instructions for one, a hundred times as
long as for an addition."""
Shape = Any
"""An argument or result with its type in place of each value: a `Type`, a number, or a tuple of these."""


def apply(key: str, code: Code, arguments: list[Any], functions: dict[str, str]) -> Any:
    """The result of form ``key`` for ``arguments``: in place, or from its function, whose IR becomes an entry of
    ``functions``.
    """
    if any(value.name in code.conditions for value in _values(arguments)):  # the lane results make shorter code
        return SEMANTICS[key](*arguments)
    found = _function(key, code.floats, tuple(_shape(argument) for argument in arguments), host.cpu())
    if found is None:
        return SEMANTICS[key](*arguments)
    name, functions[name], result = found
    types = list(_leaves(result))
    record = _record(types)
    given = [f"{value.ty} {value.name}" for value in _values(arguments)]
    code.declarations.add(f"declare {record} @{name}({', '.join(str(value.ty) for value in _values(arguments))})")
    whole = code.op(f"call {record} @{name}({', '.join(given)})", types[0])
    parts = [whole] if len(types) == 1 else [
        code.op(f"extractvalue {record} {whole.name}, {index}", ty) for index, ty in enumerate(types)
    ]  # fmt: skip
    return _filled(result, iter(parts))


@functools.cache
def _function(
    key: str, floats: FloatModel, shapes: tuple[Shape, ...], cpu: tuple[str, str]
) -> tuple[str, str, Shape] | None:
    """Name and IR of the form's function and the shape of its result; None when the form stays in place."""
    code = Code(set(), floats)
    parameters = [ty for shape in shapes for ty in _leaves(shape)]
    values = iter([Val(code, f"%p{index}", ty) for index, ty in enumerate(parameters)])
    result = SEMANTICS[key](*(_filled(shape, values) for shape in shapes))
    results = [value.as_(VECTOR) if value.ty.lanes > 1 else value for value in _values([result])]
    instructions = sum(" = bitcast " not in line for line in code.lines)
    short = instructions <= SHORT and code.widest_shuffle < WIDE_SHUFFLE
    if short or any(f" @{ROUTINE}" in text for text in code.declarations):
        return None
    types = [value.ty for value in results]
    whole = results[0].name
    if len(types) > 1:
        whole = "poison"
        for index, value in enumerate(results):
            whole = code.op(f"insertvalue {_record(types)} {whole}, {value.ty} {value.name}, {index}", value.ty).name
    body = "\n".join([*code.allocas, *code.lines, f"  ret {_record(types)} {whole}"])
    taken = ", ".join(f"{ty} %p{index}" for index, ty in enumerate(parameters))
    text = "\n".join([f"({taken}) nounwind {{\nentry:\n{body}\n}}", *sorted(code.declarations)])
    name = PREFIX + hashlib.sha256("\0".join((text, *cpu)).encode()).hexdigest()
    return name, f"define {_record(types)} @{name}{text}", _typed(result, iter(types))


def _record(types: list[Type]) -> str:
    return str(types[0]) if len(types) == 1 else f"{{ {', '.join(map(str, types))} }}"


def _values(item: Any) -> Iterator[Val]:
    """The values in an argument, a result or a list of these."""
    if isinstance(item, Val):
        yield item
    elif isinstance(item, list | tuple):
        for each in item:
            yield from _values(each)


def _leaves(shape: Shape) -> Iterator[Type]:
    """The types in ``shape``."""
    if isinstance(shape, Type):
        yield shape
    elif isinstance(shape, tuple):
        for each in shape:
            yield from _leaves(each)


def _shape(item: Any) -> Shape:
    if isinstance(item, Val):
        return item.ty
    return _rebuilt(item, [_shape(each) for each in item]) if isinstance(item, tuple) else item


def _typed(item: Any, types: Iterator[Type]) -> Shape:
    """The shape of ``item`` with the types of ``types``."""
    if isinstance(item, Val):
        return next(types)
    return _rebuilt(item, [_typed(each, types) for each in item]) if isinstance(item, tuple) else item


def _filled(shape: Shape, values: Iterator[Val]) -> Any:
    """``shape`` with the next of ``values`` for each type."""
    if isinstance(shape, Type):
        return next(values)
    return _rebuilt(shape, [_filled(each, values) for each in shape]) if isinstance(shape, tuple) else shape


def _rebuilt(item: Any, parts: list[Any]) -> Any:
    """A tuple of the kind of ``item``."""
    return Extended(*parts) if isinstance(item, Extended) else tuple(parts)

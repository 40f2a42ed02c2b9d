"""HVX forms as functions in objects of their own, which quick code calls: a form is compiled once, not in each program.

A function has the form's semantics for given immediates as a chip computes them; its name is the hash of its IR and of
the host. It takes vectors by pointer, after pointers to its vector results, which may be where its arguments are.
"""

from __future__ import annotations

import functools
import hashlib
from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

from hexagon_mlir.sim.semantics.float_model import FloatModel
from hexagon_mlir.sim.semantics.lanes import VECTOR, blend
from hexagon_mlir.sim.semantics.qfloat_forms import Extended
from hexagon_mlir.sim.semantics.routines import with_definitions
from hexagon_mlir.sim.semantics.tables import SEMANTICS
from hexagon_mlir.sim.semantics.value import Code, Type, Val
from hexagon_mlir.sim.translation import host
from hexagon_mlir.sim.translation.vectors import PREFIX, Stored, Vectors

BLEND = "blend"
"""What a form with a vector predicate ends with: the predicate, the bytes where it holds, the others."""
Shape = Any
"""An argument or result with its type in place of each value: a `Type`, a number, or a tuple of these."""


class _Form(NamedTuple):
    """A form's function: its name, IR and declaration, the shape of its result with the types in it, and of those the
    numbers. ``moves`` are the numbers of the arguments that are its results; without them there is a function.
    """

    name: str
    text: str
    declaration: str
    result: Shape
    types: tuple[Type, ...]
    numbers: tuple[Type, ...]
    moves: tuple[int, ...] | None = None


def apply(key: str, vectors: Vectors, arguments: list[Any], targets: Sequence[Stored] = ()) -> Any:
    """The result of form ``key``, or `BLEND`, for ``arguments``, from its function, whose IR becomes an entry of
    ``vectors.forms``. Vectors are written to ``targets``, if there are any.
    """
    code = vectors.code
    values = list(_values(arguments))
    form = _form(key, code.floats, tuple(map(_shape, arguments)), host.cpu())
    if form.moves is not None:
        return _filled(form.result, iter([values[number] for number in form.moves]))
    vectors.forms[form.name] = form.text
    code.declarations.add(form.declaration)
    places = targets or [vectors.place() for _ in range(len(form.types) - len(form.numbers))]
    given = [f"ptr {place.pointer}" for place in places]
    given += [f"ptr {vectors.in_memory(value).pointer}" if value.ty.lanes > 1 else f"{value.ty} {value.name}"
              for value in values]
    call = f"call {_record(form.numbers)} {code.address('@' + form.name)}({', '.join(given)})"
    stored = iter(places)
    if not form.numbers:
        code.put(call)
        return _filled(form.result, stored)
    whole = code.op(call, form.numbers[0])
    parts = iter([whole] if len(form.numbers) == 1 else [
        code.op(f"extractvalue {_record(form.numbers)} {whole.name}, {index}", ty)
        for index, ty in enumerate(form.numbers)
    ])  # fmt: skip
    return _filled(form.result, (next(stored) if ty.lanes > 1 else next(parts) for ty in form.types))


def _semantics(key: str) -> Callable[..., Any]:
    return blend if key == BLEND else SEMANTICS[key]


@functools.cache
def _form(key: str, floats: FloatModel, shapes: tuple[Shape, ...], cpu: tuple[str, str]) -> _Form:
    code = Code(set(), floats)
    parameters = [ty for shape in shapes for ty in _leaves(shape)]
    code.label("entry")
    given = [code.load(f"%p{number}", ty, 1) if ty.lanes > 1 else Val(code, f"%p{number}", ty)
             for number, ty in enumerate(parameters)]
    before = len(code.lines)
    values = iter(given)
    result = _semantics(key)(*(_filled(shape, values) for shape in shapes))
    results = [value.as_(VECTOR) if value.ty.lanes > 1 else value for value in _values([result])]
    shape = _typed(result, iter([value.ty for value in results]))
    names = [value.name for value in given]
    if len(code.lines) == before and all(value.name in names for value in results):
        return _Form("", "", "", shape, (), (), tuple(names.index(value.name) for value in results))
    wide, numbers = ([value for value in results if (value.ty.lanes > 1) is kind] for kind in (True, False))
    for number, value in enumerate(wide):
        code.store(value, f"%r{number}", 1)
    record, whole = _record([value.ty for value in numbers]), numbers[0].name if numbers else ""
    if len(numbers) > 1:
        whole = "poison"
        for index, value in enumerate(numbers):
            whole = code.op(f"insertvalue {record} {whole}, {value.ty} {value.name}, {index}", value.ty).name
    code.put(f"ret {record} {whole}")
    taken = [("ptr", f"%r{number}") for number in range(len(wide))]
    taken += [("ptr" if ty.lanes > 1 else str(ty), f"%p{number}") for number, ty in enumerate(parameters)]
    body = "\n".join([code.lines[0], *code.allocas, *code.lines[1:]])
    others = with_definitions(code.declarations, floats, host.routine_lanes())
    head = f"({', '.join(f'{ty} {name}' for ty, name in taken)}) nounwind"
    text = "\n".join([f"{head} {{\n{body}\n}}", *others])
    name = PREFIX + hashlib.sha256("\0".join((record, text, *cpu)).encode()).hexdigest()
    declaration = f"declare {record} @{name}({', '.join(ty for ty, _ in taken)})"
    return _Form(name, f"define {record} @{name}{text}", declaration, shape, tuple(value.ty for value in results),
                 tuple(value.ty for value in numbers))


def _record(types: Sequence[Type]) -> str:
    """IR type of numbers that a function gives."""
    if not types:
        return "void"
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

"""The calls of kernels that a model consists of, read from its function."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from hexagon_mlir.dialects.in_place import changed
from hexagon_mlir.ir import HexError, ir, to_text
from hexagon_mlir.ir.query import known_bytes

ORIGIN = "schedule"
VIEWS = frozenset({"tensor.expand_shape", "tensor.collapse_shape", "tensor.cast"})
"""Operations whose result is the memory of their operand."""


@dataclass(frozen=True)
class Buffer:
    """Memory of one tensor. ``argument`` is its index among the model's arguments; None for a tensor that kernels
    make, in DDR or, ``in_tcm``, there."""

    shape: tuple[int, ...]
    element: str
    nbytes: int
    argument: int | None = None
    in_tcm: bool = False


@dataclass(frozen=True)
class Call:
    """One kernel launch: numbers of the kernel, of the buffers it reads and of those it writes. One that is among
    both is changed in place. Of a kernel for any sizes, ``numbers`` are passed before the results, ``sizes`` after."""

    kernel: int
    arguments: tuple[int, ...]
    results: tuple[int, ...]
    numbers: tuple[int, ...] = ()
    sizes: tuple[int, ...] = ()


@dataclass
class Calls:
    """The calls of a model in order, and its buffers. ``outputs`` are buffer numbers.

    ``kernels`` are the names of the first of ``functions`` with the same text; of each, ``texts`` is this text,
    ``counts`` how often it is called, ``given`` the arguments that exist before the model runs, in every call.
    """

    functions: Mapping[str, ir.Operation]
    buffers: list[Buffer] = field(default_factory=list)
    calls: list[Call] = field(default_factory=list)
    outputs: list[int] = field(default_factory=list)
    output_shapes: list[tuple[int, ...]] = field(default_factory=list)
    kernels: list[str] = field(default_factory=list)
    texts: list[str] = field(default_factory=list)
    counts: list[int] = field(default_factory=list)
    given: list[set[int]] = field(default_factory=list)


def read_calls(module: ir.Module, entry: str) -> Calls:
    """The calls of function ``entry`` of ``module``, after `form-kernels`."""
    functions = {ir.StringAttr(o.operation.attributes["sym_name"]).value: o.operation
                 for o in module.body.operations if o.operation.name == "func.func"}
    main = functions[entry]
    block = main.regions[0].blocks[0]
    found = Calls(functions)
    buffers, calls = found.buffers, found.calls
    number_of: dict[ir.Value, int] = {}
    for place, argument in enumerate(block.arguments):
        number_of[argument] = len(buffers)
        buffers.append(_buffer(argument.type, place))
    texts: dict[str, int] = {}
    written: set[int] = set()  # arguments that calls have changed
    for view in block.operations:
        op = view.operation
        if op.name == "func.call":
            name = ir.FlatSymbolRefAttr(op.attributes["callee"]).value
            key = _canonical(functions[name], name)
            kernel = texts.setdefault(key, len(texts))
            ready = {place for place, v in enumerate(op.operands) if number_of[v] not in written
                     and buffers[number_of[v]].argument is not None}
            if kernel == len(found.kernels):
                found.kernels.append(name)
                found.texts.append(key)
                found.given.append(ready)
                found.counts.append(0)
            found.given[kernel] &= ready
            found.counts[kernel] += 1
            in_place = changed(functions[name])
            for place, result in enumerate(op.results):
                if place in in_place:
                    number_of[result] = number_of[op.operands[in_place[place]]]
                    written.add(number_of[result])
                    continue
                number_of[result] = len(buffers)
                buffers.append(_buffer(result.type))
            calls.append(Call(kernel, tuple(number_of[v] for v in op.operands),
                              tuple(number_of[v] for v in op.results)))
        elif op.name in VIEWS:
            number_of[op.results[0]] = number_of[op.operands[0]]
        elif op.name == "func.return":
            found.outputs = [number_of[v] for v in op.operands]
            found.output_shapes = [tuple(v.type.shape) for v in op.operands]
        else:
            raise HexError.plain(f"'{op.name}' is between kernels", origin=ORIGIN)
    return found


def module_text(function: ir.Operation) -> str:
    """The text of ``function`` as a module of its own, with source lines."""
    return to_text(function, elide=False, locations=True).replace("func.func private @", "func.func @", 1)


def _buffer(type_: ir.Type, argument: int | None = None) -> Buffer:
    if not isinstance(type_, ir.RankedTensorType) or not type_.has_static_shape:
        raise HexError.plain(f"a value of type {type_}", origin=ORIGIN, hint="only static shapes can be scheduled")
    return Buffer(tuple(type_.shape), str(type_.element_type), known_bytes(type_), argument)


def _canonical(function: ir.Operation, name: str) -> str:
    """The text of ``function`` without its name and source lines: equal layers have equal texts."""
    return to_text(function, elide=False).replace(f"@{name}(", "@kernel(", 1)

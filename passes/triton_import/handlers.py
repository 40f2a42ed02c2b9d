"""The table of handlers that translate TTIR operations, by operation name."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING

from hexagon_mlir.ir import arith, ir, math
from hexagon_mlir.passes.triton_import import (
    access,
    atomic,
    calls,
    casts,
    control,
    descriptor,
    elementwise,
    extremes,
    float8,
    histogram,
    ints,
    linear,
    masks,
    memory,
    networks,
    pointers,
    reduce,
    runtime,
    scaled,
    shapes,
    types,
    wide,
)
from hexagon_mlir.passes.triton_import.build import from_compact, scalar_of
from hexagon_mlir.passes.triton_import.ints import Int
from hexagon_mlir.passes.triton_import.place import place_in_kernel
from hexagon_mlir.passes.triton_import.types import Unsupported
from hexagon_mlir.passes.triton_import.values import Choice, Descriptor, Known, Mask, Pointer, Tensor

if TYPE_CHECKING:
    from hexagon_mlir.passes.triton_import.translate import Translator

Handler = Callable[["Translator", ir.Operation], Known | list | None]
_PAD_NAN = 2
EXTERN_PREFIX = "hexagon_"
"""Prefix by which `hexagon_mlir.frontend.triton.libdevice` names operations of the math dialect."""


def clone(t: Translator, op: ir.Operation) -> list[Tensor]:
    """An element-wise arith or math operation."""
    elements = [types.scalar(types.split(r.type)[1]) for r in op.results]
    nodes, shape = [t.tensor(v) for v in op.operands], types.split(op.results[0].type)[0]
    if (step := networks.step_of(op, nodes, shape)) is not None:
        return [step]
    sources = [types.split(v.type)[1] for v in op.operands]
    if op.name.endswith("f") and any(str(source) in types.FLOAT8 for source in sources):
        return casts.in_f32(op, nodes, sources, [types.split(r.type)[1] for r in op.results], shape)
    results = elementwise.clone(op, nodes, elements, shape)
    return [networks.known(op, nodes, results[0])] if len(results) == 1 else results


def _integer(op: ir.Operation, name: str) -> int:
    return ir.IntegerAttr(op.attributes[name]).value


def _shape(op: ir.Operation) -> tuple[int, ...]:
    return types.split(op.results[0].type)[0]


def _constant(t: Translator, op: ir.Operation) -> Tensor:
    attribute = op.attributes["value"]
    shape, element = types.split(op.results[0].type)
    if isinstance(attribute, ir.DenseElementsAttr):
        if not attribute.is_splat:
            return from_compact(arith.constant(op.results[0].type, attribute), types.scalar(element), shape)
        attribute = attribute.get_splat_value()
    if str(element) in types.FLOAT8:
        return Tensor(types.scalar(element), shape, (), float8.encode(ir.FloatAttr(attribute).value, str(element)))
    if isinstance(element, ir.IntegerType) and element.width > 1:
        return Tensor(element, shape, (), ir.IntegerAttr(attribute).value)
    return Tensor(types.scalar(element), shape, (), arith.constant(element, attribute))


def _addptr(t: Translator, op: ir.Operation) -> Pointer | Choice:
    offset, index = t.tensor(op.operands[1]), ints.index_type()
    step = linear.converted(linear.linear_of(offset), offset.element, index)
    return pointers.each(_pointer(t, op), lambda p: replace(p, linear=linear.added(p.linear, step, index)))


def _pointer(t: Translator, op: ir.Operation) -> Pointer | Choice:
    """The first operand."""
    pointer = t.of(op.operands[0])
    if not isinstance(pointer, Pointer | Choice):
        raise Unsupported("the address is no pointer")
    return pointer


def _access(t: Translator, op: ir.Operation, mask_at: int) -> tuple[Pointer | Choice, Mask]:
    pointer = _pointer(t, op)
    mask = masks.mask_of(t.tensor(op.operands[mask_at])) if len(op.operands) > mask_at else Mask()

    def tell(pointer: Pointer | Choice, mask: Mask) -> None:
        if isinstance(pointer, Choice):
            for part, where in pointers.sides(pointer):
                tell(part, masks.both(mask, where))
        elif (walked := access.plan(pointer, mask, is_store=mask_at == 2)).loop:
            extents = " x ".join(str(pointer.shape[d]) for d in walked.loop)
            t.remark(op, f"address or mask is not a block: a loop over {extents} elements or rows")

    tell(pointer, mask)
    return pointer, mask


def _load(t: Translator, op: ir.Operation) -> Tensor:
    pointer, mask = _access(t, op, 1)
    other = t.tensor(op.operands[2]) if len(op.operands) > 2 else None
    return memory.load(pointer, mask, other)


def _store(t: Translator, op: ir.Operation) -> None:
    pointer, mask = _access(t, op, 2)
    memory.store(pointer, t.tensor(op.operands[1]), mask)


def _atomic_rmw(t: Translator, op: ir.Operation) -> Tensor:
    return _atomic(t, op, 1, atomic.rmw(_integer(op, "atomic_rmw_op")))


def _atomic(t: Translator, op: ir.Operation, operands: int, change: atomic.Update) -> Tensor:
    nodes = [t.tensor(v) for v in list(op.operands)[1: 1 + operands]]
    mask = masks.mask_of(t.tensor(op.operands[1 + operands])) if len(op.operands) > 1 + operands else Mask()
    return atomic.update(_pointer(t, op), nodes, mask, change)


def _atomic_poll(t: Translator, op: ir.Operation) -> Tensor:
    """Whether memory equals the awaited value. No other program runs meanwhile, so polling again would not change
    it."""
    found, wanted = memory.load(_pointer(t, op), Mask(), None), t.tensor(op.operands[1])
    holds = elementwise.apply([found, wanted], [ir.IntegerType.get_signless(1)], found.shape,
                              lambda a, b: arith.cmpi(arith.CmpIPredicate.eq, a, b))[0]
    if len(op.operands) < 3:  # without a time limit
        _check(t, op, holds, "atomic_poll waits for a value that no program before this one has stored")
    return holds


def _histogram(t: Translator, op: ir.Operation) -> Tensor:
    nodes = [t.tensor(v) for v in op.operands]
    shape, element = types.split(op.results[0].type)
    return histogram.histogram(nodes[0], nodes[1] if len(nodes) > 1 else None, shape[0], element)


def _extern(t: Translator, op: ir.Operation) -> Tensor:
    symbol = ir.StringAttr(op.attributes["symbol"]).value
    name = symbol.removeprefix(EXTERN_PREFIX)
    if name == symbol or not hasattr(math, name):
        raise Unsupported(f"external function '{symbol}'", "use the functions of triton.language.extra.libdevice")
    shape, element = types.split(op.results[0].type)
    return elementwise.apply([t.tensor(v) for v in op.operands], [types.scalar(element)], shape,
                             getattr(math, name))[0]


def _select(t: Translator, op: ir.Operation) -> Known:
    condition, a, b = t.tensor(op.operands[0]), t.of(op.operands[1]), t.of(op.operands[2])
    if isinstance(a, Descriptor) and isinstance(b, Descriptor):
        return descriptor.select(scalar_of(condition), a, b)
    if isinstance(a, Pointer | Choice) and isinstance(b, Pointer | Choice):
        return pointers.select(condition, a, b)
    return clone(t, op)[0]


def _bitcast(t: Translator, op: ir.Operation) -> Known:
    node = t.of(op.operands[0])
    element = _element(op.results[0])
    if isinstance(node, Pointer | Choice):
        target = types.pointee(element)
        if target is None:
            raise Unsupported(f"a pointer to {node.pointee} used as {element}",
                              "convert it with .to(tl.int64) and back with .to(tl.pointer_type(..))")
        return pointers.each(node, lambda pointer: pointers.seen_as(pointer, target))
    return casts.bitcast(t.tensor(op.operands[0]), element)


def _int_to_pointer(t: Translator, op: ir.Operation) -> Pointer:
    target = types.pointee(_element(op.results[0]))
    if target is None:
        raise Unsupported(f"a result of type {op.results[0].type}")
    return pointers.of_address(t.tensor(op.operands[0]), target)


def _pointer_to_int(t: Translator, op: ir.Operation) -> Tensor:
    return pointers.address_of(_pointer(t, op), types.scalar(_element(op.results[0])))


def _assert(t: Translator, op: ir.Operation) -> None:
    _check(t, op, t.tensor(op.operands[0]), ir.StringAttr(op.attributes["message"]).value)


def _check(t: Translator, op: ir.Operation, condition: Tensor, message: str) -> None:
    runtime.check(t.runtime, condition, place_in_kernel(op.location), message, t.grid[3:])


def _print(t: Translator, op: ir.Operation) -> None:
    prefix = ir.StringAttr(op.attributes["prefix"]).value
    signs = list(ir.DenseI32ArrayAttr(op.attributes["isSigned"]))
    if not op.operands:
        one = Tensor(ir.IntegerType.get_signless(1), data=1)
        runtime.show(t.runtime, one, prefix, "n", t.grid[3:])
    for value, signed in zip(op.operands, signs, strict=True):
        node = t.of(value)
        if isinstance(node, Pointer | Choice):
            node = pointers.address_of(node, ir.IntegerType.get_signless(64))
        elif str(_element(value)) in types.FLOAT8:
            node = casts.as_float(t.tensor(value), _element(value), ir.F32Type.get())
        kind = "i" if signed else "u"
        if isinstance(node, Tensor) and not isinstance(node.element, ir.IntegerType):
            kind = "f"
        elif ir.BoolAttr(op.attributes["hex"]).value or isinstance(t.of(value), Pointer | Choice):
            kind = "x"
        if not isinstance(node, Tensor):
            raise Unsupported("a descriptor cannot be printed", "print what it loads")
        runtime.show(t.runtime, node, prefix, kind, t.grid[3:])


def _element(value: ir.Value) -> ir.Type:
    return types.split(value.type)[1]


def _fp_to_fp(t: Translator, op: ir.Operation) -> Tensor:
    rounding = _integer(op, "rounding") if "rounding" in op.attributes else None
    return casts.convert(t.tensor(op.operands[0]), _element(op.operands[0]), _element(op.results[0]), rounding)


def _dot(t: Translator, op: ir.Operation) -> Tensor:
    f16 = ir.F16Type.get()  # holds every 8-bit float
    a, b = (casts.as_float(t.tensor(v), _element(v), f16) for v in list(op.operands)[:2])
    return reduce.dot(a, b, t.tensor(op.operands[2]))


def _dot_scaled(t: Translator, op: ir.Operation) -> Tensor:
    sizes = list(ir.DenseI32ArrayAttr(op.attributes["operandSegmentSizes"]))
    operands = iter(op.operands)
    values = [next(operands) if size else None for size in sizes]

    def side(value: int, scale: int, letter: str, name: str) -> scaled.Operand:
        given = values[scale]
        packed = ir.BoolAttr(op.attributes[f"{name}_k_pack"]).value if f"{name}_k_pack" in op.attributes else True
        return scaled.Operand(t.tensor(values[value]), _integer(op, f"{letter}_elem_type"),
                              None if given is None else t.tensor(given),
                              None if given is None else _element(given), packed)

    return scaled.dot(side(0, 3, "a", "lhs"), side(1, 4, "b", "rhs"), t.tensor(values[2]),
                      t.multiplies_bf16)


def _descriptor(t: Translator, value: ir.Value) -> Descriptor:
    node = t.of(value)
    if not isinstance(node, Descriptor):
        raise Unsupported("not a tensor descriptor")
    return node


def _make_descriptor(t: Translator, op: ir.Operation) -> Descriptor:
    model = types.descriptor(op.results[0].type)
    if model is None:
        raise Unsupported(f"a result of type {op.results[0].type}")
    rank = len(model.block)
    numbers = [t.tensor(v) for v in list(op.operands)[1:]]
    return descriptor.make(model, t.of(op.operands[0]), numbers[:rank], numbers[rank:],
                           int(_integer(op, "padding") == _PAD_NAN))


def _descriptor_load(t: Translator, op: ir.Operation) -> Known:
    return descriptor.load(_descriptor(t, op.operands[0]), [t.tensor(v) for v in list(op.operands)[1:]], _shape(op))


def _descriptor_store(t: Translator, op: ir.Operation) -> None:
    target, value, *offsets = op.operands
    descriptor.store(_descriptor(t, target), t.tensor(value), [t.tensor(v) for v in offsets])


def _descriptor_reduce(t: Translator, op: ir.Operation) -> None:
    target, value, *offsets = op.operands
    descriptor.reduce(_descriptor(t, target), t.tensor(value), [t.tensor(v) for v in offsets], _integer(op, "kind"))


def _descriptor_gather(t: Translator, op: ir.Operation) -> Tensor:
    source, rows, column = op.operands
    return descriptor.gather(_descriptor(t, source), t.tensor(rows), t.tensor(column))


def _descriptor_scatter(t: Translator, op: ir.Operation) -> None:
    target, rows, column, value = op.operands
    descriptor.scatter(_descriptor(t, target), t.tensor(value), t.tensor(rows), t.tensor(column))


def _clamp(t: Translator, op: ir.Operation) -> Tensor:
    nodes = [t.tensor(v) for v in op.operands]
    all_nan = _integer(op, "propagateNan") != 0
    return elementwise.apply(nodes, [nodes[0].element], _shape(op),
                             lambda x, low, high: elementwise.clamp(x, low, high, all_nan))[0]


def _program(base: int) -> Callable[[Translator, ir.Operation], Tensor]:
    return lambda t, op: Tensor(ir.IntegerType.get_signless(32), data=t.grid[base + _integer(op, "axis")])


def _reduce(t: Translator, op: ir.Operation) -> list[Tensor]:
    nodes = [t.tensor(v) for v in op.operands]
    if (extreme := extremes.extreme_of_pairs(op)) is not None:
        return extremes.value_and_place(nodes, _integer(op, "axis"), extreme)
    axis, operation = _integer(op, "axis"), _single_operation(op)
    if (half := networks.half(nodes[0], axis, operation)) is not None:
        return [half]
    results = wide.reduce_wide(nodes, axis, t.combiner(op), operation)
    return [networks.with_pairs(t, op, results[0])] if operation == "arith.xori" else results


def _single_operation(op: ir.Operation) -> str | None:
    """The one operation that a combiner region applies to its two arguments; None when it does more."""
    block = op.regions[0].blocks[0]
    inside = [view.operation for view in block.operations]
    if len(inside) != 2 or len(block.arguments) != 2:
        return None
    operands = list(inside[0].operands)
    arguments = list(block.arguments)
    return inside[0].name if operands in (arguments, arguments[::-1]) else None


def _scan(t: Translator, op: ir.Operation) -> list[Tensor]:
    reverse = "reverse" in op.attributes and ir.BoolAttr(op.attributes["reverse"]).value
    return reduce.scan([t.tensor(v) for v in op.operands], _integer(op, "axis"), reverse, t.combiner(op))


def _broadcast(t: Translator, op: ir.Operation) -> Known:
    node, shape = t.of(op.operands[0]), _shape(op)
    spread = networks.spread(node, shape) if isinstance(node, Tensor) else None
    return shapes.broadcast(node, shape) if spread is None else spread


def _reshape(t: Translator, op: ir.Operation) -> Known:
    networks.keep_for_halves(t, op)
    return shapes.reshape(t.of(op.operands[0]), _shape(op))


def _poison(t: Translator, op: ir.Operation) -> Known:
    shape, element = types.split(op.results[0].type)
    zero: Int = arith.constant(types.scalar(element), memory.zero(element))
    return Tensor(element, shape, (), zero)


HANDLERS: dict[str, Handler] = {
    "arith.constant": _constant,
    "arith.select": _select,
    "ub.poison": _poison,
    "tt.get_num_programs": _program(0),
    "tt.get_program_id": _program(3),
    "tt.make_range": lambda t, op: shapes.make_range(_integer(op, "start"), _integer(op, "end"),
                                                     types.split(op.results[0].type)[1]),
    "tt.splat": lambda t, op: shapes.splat(t.of(op.operands[0]), _shape(op)),
    "tt.unsplat": lambda t, op: shapes.reshape(t.of(op.operands[0]), ()),
    "tt.expand_dims": lambda t, op: shapes.expand_dims(t.of(op.operands[0]), _integer(op, "axis")),
    "tt.broadcast": _broadcast,
    "tt.trans": lambda t, op: shapes.transpose(t.of(op.operands[0]), list(
        ir.DenseI32ArrayAttr(op.attributes["order"]))),
    "tt.reshape": _reshape,
    "tt.join": lambda t, op: shapes.join(t.tensor(op.operands[0]), t.tensor(op.operands[1])),
    "tt.split": lambda t, op: shapes.split(t.tensor(op.operands[0])),
    "tt.cat": lambda t, op: shapes.cat(t.tensor(op.operands[0]), t.tensor(op.operands[1])),
    "tt.addptr": _addptr,
    "tt.load": _load,
    "tt.store": _store,
    "tt.atomic_load": _load,  # no other program runs meanwhile: plain accesses are atomic
    "tt.atomic_store": _store,
    "tt.bitcast": _bitcast,
    "tt.int_to_ptr": _int_to_pointer,
    "tt.ptr_to_int": _pointer_to_int,
    "tt.assert": _assert,
    "tt.print": _print,
    "tt.call": calls.call,
    "tt.map_elementwise": calls.map_elementwise,
    "tt.gather": lambda t, op: shapes.gather(t.tensor(op.operands[0]), t.tensor(op.operands[1]), _integer(op, "axis")),
    "tt.histogram": _histogram,
    "tt.atomic_rmw": _atomic_rmw,
    "tt.atomic_poll": _atomic_poll,
    "tt.atomic_cas": lambda t, op: _atomic(t, op, 2, atomic.compare_and_swap),
    "tt.extern_elementwise": _extern,
    "tt.fp_to_fp": _fp_to_fp,
    "tt.clampf": _clamp,
    "tt.reduce": _reduce,
    "tt.scan": _scan,
    "tt.dot": _dot,
    "tt.dot_scaled": _dot_scaled,
    "tt.make_tensor_descriptor": _make_descriptor,
    "tt.descriptor_load": _descriptor_load,
    "tt.descriptor_store": _descriptor_store,
    "tt.descriptor_reduce": _descriptor_reduce,
    "tt.descriptor_gather": _descriptor_gather,
    "tt.descriptor_scatter": _descriptor_scatter,
    "scf.for": control.for_loop,
    "scf.if": control.branch,
    "scf.while": control.while_loop,
}

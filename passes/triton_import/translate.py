"""Translates one ``tt.func``: walks its operations in order and builds a ``func.func`` beside it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from hexagon_mlir.ir import HexError, arith, func, ir
from hexagon_mlir.ir.diagnostics import Diagnostic, Place, op_line
from hexagon_mlir.passes.triton_import import (
    control,
    elementwise,
    ints,
    linear,
    masks,
    memory,
    reduce,
    shapes,
    types,
)
from hexagon_mlir.passes.triton_import.build import from_compact, scalar_of
from hexagon_mlir.passes.triton_import.ints import Int
from hexagon_mlir.passes.triton_import.place import place_in_kernel
from hexagon_mlir.passes.triton_import.state import base_type
from hexagon_mlir.passes.triton_import.types import Unsupported
from hexagon_mlir.passes.triton_import.values import Known, Mask, Pointer, Tensor

Remark = Callable[[ir.Operation, str], None]
_DROPPED = {"llvm.intr.assume", "tt.assert", "tt.print", "ttg.barrier", "gpu.barrier"}
_TERMINATORS = {"tt.return", "scf.yield", "scf.condition", "tt.reduce.return", "tt.scan.return"}
_MALFORMED = (KeyError, IndexError, ValueError, TypeError, AttributeError, AssertionError, ir.MLIRError)


class Translator:
    """State of one function: the values known so far, and the grid arguments."""

    def __init__(self, origin: str, remark: Remark):
        self.origin = origin
        self.remark = remark
        self.known: dict[ir.Value, Known] = {}
        self.grid: list[ir.Value] = []

    def function(self, op: ir.Operation) -> None:
        """Build the ``func.func`` of ``op`` at the current insertion point."""
        try:
            name = ir.StringAttr(op.attributes["sym_name"]).value
            block = op.regions[0].blocks[0]
            arguments = []
            for argument in block.arguments:
                target = types.pointee(argument.type)
                arguments.append(types.scalar(argument.type) if target is None else base_type(target))
        except Unsupported as error:
            raise self.error(op, f"argument of {error}", error.hint) from None
        except _MALFORMED as error:
            raise self.error(op, f"malformed operation: {_first_line(error)}") from None
        i32 = ir.IntegerType.get_signless(32)
        with op.location:
            made = func.FuncOp(name, ir.FunctionType.get([*arguments, *[i32] * 6], []))
            entry = made.add_entry_block()
            self.grid = list(entry.arguments)[len(arguments):]
            for argument, value in zip(block.arguments, entry.arguments, strict=False):
                target = types.pointee(argument.type)
                self.known[argument] = (Tensor(argument.type, data=value) if target is None
                                        else Pointer(value, target, ()))
            with ir.InsertionPoint(entry):
                control.body(self, block, (), [0])
                func.ReturnOp([])

    def of(self, value: ir.Value) -> Known:
        """What is known of a TTIR value."""
        return self.known[value]

    def tensor(self, value: ir.Value) -> Tensor:
        """The same, for a value that must not be a pointer."""
        node = self.known[value]
        if isinstance(node, Pointer):
            raise Unsupported("a pointer used as a number")
        return node

    def block(self, block: ir.Block) -> tuple[ir.Operation, list[Known]]:
        """Translate the operations of ``block``; its terminator and that one's operands."""
        for view in block.operations:
            op = view.operation
            if op.name in _TERMINATORS or op.name.startswith("cf."):
                return op, [self.of(v) for v in op.operands]
            self.operation(op)
        raise Unsupported("a block without terminator")

    def operation(self, op: ir.Operation) -> None:
        """Translate ``op`` and remember its results. Raises `HexError` with the kernel's source position."""
        try:
            with op.location:
                results = self._translate(op)
        except Unsupported as error:
            raise self.error(op, str(error), error.hint) from None
        except _MALFORMED as error:
            raise self.error(op, f"malformed operation: {_first_line(error)}") from None
        for result, node in zip(op.results, results, strict=True):
            if types.split(result.type)[0] != node.shape:
                raise self.error(op, f"malformed operation: result type {result.type} does not fit the operands")
            self.known[result] = node

    def error(self, op: ir.Operation, message: str, hint: str = "") -> HexError:
        """An error at the line of the kernel that led to ``op``."""
        place = place_in_kernel(op.location)
        return HexError(Diagnostic("error", place or Place(), self.origin, f"{op.name}: {message}", op_line(op), hint))

    def combiner(self, op: ir.Operation) -> reduce.Combine:
        """The region of a reduction as an emitter of scalar code."""
        block = op.regions[0].blocks[0]

        def combine(values: Sequence[ir.Value]) -> Sequence[ir.Value]:
            for argument, value in zip(block.arguments, values, strict=True):
                self.known[argument] = Tensor(argument.type, data=value)
            _, results = self.block(block)
            return [scalar_of(node) for node in results]

        return combine

    def _translate(self, op: ir.Operation) -> Sequence[Known]:
        name = op.name
        if name in _DROPPED:
            self.remark(op, f"{name} is dropped")
            return []
        handler = HANDLERS.get(name)
        if handler is not None:
            result = handler(self, op)
            return result if isinstance(result, list) else [] if result is None else [result]
        if name in elementwise.SIMPLE:
            nodes = [self.tensor(v) for v in op.operands]
            shape, element = types.split(op.results[0].type)
            return elementwise.apply(nodes, [element], shape, elementwise.SIMPLE[name])
        if name.startswith(("arith.", "math.")) and op.results:
            return _clone(self, op)
        raise Unsupported("not translated", "see docs/triton.md for what is")


def _first_line(error: Exception) -> str:
    if isinstance(error, KeyError):
        return f"no attribute or value {error}"
    return (str(error).splitlines() or [type(error).__name__])[0]


def _clone(t: Translator, op: ir.Operation) -> list[Tensor]:
    elements = [types.scalar(types.split(r.type)[1]) for r in op.results]
    return elementwise.clone(op, [t.tensor(v) for v in op.operands], elements, types.split(op.results[0].type)[0])


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
    if isinstance(element, ir.IntegerType) and element.width > 1:
        return Tensor(element, shape, (), ir.IntegerAttr(attribute).value)
    return Tensor(types.scalar(element), shape, (), arith.constant(element, attribute))


def _addptr(t: Translator, op: ir.Operation) -> Pointer:
    pointer, offset = t.of(op.operands[0]), t.tensor(op.operands[1])
    if not isinstance(pointer, Pointer):
        raise Unsupported("the first operand is no pointer")
    index = ints.index_type()
    step = linear.converted(linear.linear_of(offset), offset.element, index)
    return replace(pointer, linear=linear.added(pointer.linear, step, index))


def _access(t: Translator, op: ir.Operation, mask_at: int) -> tuple[Pointer, Mask]:
    pointer = t.of(op.operands[0])
    if not isinstance(pointer, Pointer):
        raise Unsupported("the address is no pointer")
    mask = masks.mask_of(t.tensor(op.operands[mask_at])) if len(op.operands) > mask_at else Mask()
    access = memory.plan(pointer.linear, mask, pointer.shape, is_store=mask_at == 2)
    if access.loop:
        extents = " x ".join(str(pointer.shape[d]) for d in access.loop)
        t.remark(op, f"address or mask is no block: a loop over {extents} elements or rows")
    return pointer, mask


def _load(t: Translator, op: ir.Operation) -> Tensor:
    pointer, mask = _access(t, op, 1)
    other = t.tensor(op.operands[2]) if len(op.operands) > 2 else None
    return memory.load(pointer, mask, other)


def _store(t: Translator, op: ir.Operation) -> None:
    pointer, mask = _access(t, op, 2)
    memory.store(pointer, t.tensor(op.operands[1]), mask)


def _select(t: Translator, op: ir.Operation) -> Known:
    condition, a, b = t.tensor(op.operands[0]), t.of(op.operands[1]), t.of(op.operands[2])
    if not isinstance(a, Pointer) or not isinstance(b, Pointer):
        return _clone(t, op)[0]
    index = ints.index_type()
    base = a.base
    if a.base != b.base:
        if not condition.uniform:
            raise Unsupported("elements of two different pointers are mixed in one tensor")
        base = arith.select(scalar_of(condition), a.base, b.base)
    nodes = [condition, *[linear.as_node(p.linear, index, p.shape) for p in (a, b)]]
    offsets = elementwise.apply(nodes, [index], a.shape, lambda c, x, y: arith.select(c, x, y), cheap=True)[0]
    return replace(a, base=base, linear=linear.linear_of(offsets))


def _bitcast(t: Translator, op: ir.Operation) -> Known:
    node = t.of(op.operands[0])
    shape, element = types.split(op.results[0].type)
    if isinstance(node, Pointer):
        if types.pointee(element) != node.pointee:
            raise Unsupported(f"a pointer to {node.pointee} used as {element}")
        return node
    return elementwise.apply([node], [types.scalar(element)], shape, lambda x: arith.bitcast(element, x))[0]


def _fp_to_fp(t: Translator, op: ir.Operation) -> Tensor:
    node = t.tensor(op.operands[0])
    shape, element = types.split(op.results[0].type)
    return elementwise.apply([node], [types.scalar(element)], shape, lambda x: _float_cast(x, element))[0]


def _float_cast(x: ir.Value, element: ir.Type) -> ir.Value:
    """``x`` as ``element``; between f16 and bf16 through f32, which holds both."""
    if x.type == element:
        return x
    if element.width == x.type.width:
        x = arith.extf(ir.F32Type.get(), x)
    return arith.extf(element, x) if element.width > x.type.width else arith.truncf(element, x)


def _clamp(t: Translator, op: ir.Operation) -> Tensor:
    nodes = [t.tensor(v) for v in op.operands]
    all_nan = _integer(op, "propagateNan") != 0
    return elementwise.apply(nodes, [nodes[0].element], _shape(op),
                             lambda x, low, high: elementwise.clamp(x, low, high, all_nan))[0]


def _program(base: int) -> Callable[[Translator, ir.Operation], Tensor]:
    return lambda t, op: Tensor(ir.IntegerType.get_signless(32), data=t.grid[base + _integer(op, "axis")])


def _reduce(t: Translator, op: ir.Operation) -> list[Tensor]:
    nodes = [t.tensor(v) for v in op.operands]
    return reduce.reduce(nodes, _integer(op, "axis"), t.combiner(op), _single_operation(op))


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


def _reshape(t: Translator, op: ir.Operation) -> Known:
    return shapes.reshape(t.of(op.operands[0]), _shape(op))


def _poison(t: Translator, op: ir.Operation) -> Known:
    shape, element = types.split(op.results[0].type)
    zero: Int = arith.constant(types.scalar(element), memory.zero(element))
    return Tensor(element, shape, (), zero)


HANDLERS: dict[str, Callable[[Translator, ir.Operation], Known | list | None]] = {
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
    "tt.broadcast": lambda t, op: shapes.broadcast(t.of(op.operands[0]), _shape(op)),
    "tt.trans": lambda t, op: shapes.transpose(t.of(op.operands[0]), list(
        ir.DenseI32ArrayAttr(op.attributes["order"]))),
    "tt.reshape": _reshape,
    "tt.join": lambda t, op: shapes.join(t.tensor(op.operands[0]), t.tensor(op.operands[1])),
    "tt.split": lambda t, op: shapes.split(t.tensor(op.operands[0])),
    "tt.cat": lambda t, op: shapes.cat(t.tensor(op.operands[0]), t.tensor(op.operands[1])),
    "tt.addptr": _addptr,
    "tt.load": _load,
    "tt.store": _store,
    "tt.bitcast": _bitcast,
    "tt.fp_to_fp": _fp_to_fp,
    "tt.clampf": _clamp,
    "tt.reduce": _reduce,
    "tt.scan": _scan,
    "tt.dot": lambda t, op: reduce.dot(*[t.tensor(v) for v in op.operands]),
    "scf.for": control.for_loop,
    "scf.if": control.branch,
    "scf.while": control.while_loop,
}

"""What a kernel asks of the runtime: failed assertions, printed values, and pointers made of integers.

Each function takes words: strings as addresses of constants of the module, the program's id as three i32.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from hexagon_mlir.ir import arith, func, ir, memref, scf, tensor
from hexagon_mlir.passes.triton_import import build, ints, linear, reduce
from hexagon_mlir.passes.triton_import.types import Unsupported
from hexagon_mlir.passes.triton_import.values import Linear, Pointer, Tensor, varying

ASSERT_FAILED = "hexmlir_rt_assert_failed"
"""(text: address, x, y, z: i32); the text is ``file:line:column`` and, on the next line, the message."""
PRINT = "hexmlir_rt_print"
"""(value: i64, text: address, index, x, y, z: i32); the text is ``kind``, ``shape`` and prefix, a line each."""
_INT_TO_POINTER = "builtin.unrealized_conversion_cast"
"""From i64 to a pointer: `hexagon-memory-lowering` makes it a call, once nobody asks who frees the memory."""


class Runtime:
    """Declarations and strings of one module, made when they are first needed."""

    def __init__(self, module: ir.Module):
        self.module = module
        self.functions: set[str] = set()
        self.texts: dict[str, str] = {}

    def call(self, name: str, arguments: Sequence[ir.Value]) -> None:
        """Call the runtime function ``name``, which gives nothing back."""
        if name not in self.functions:
            self.functions.add(name)
            with ir.InsertionPoint.at_block_begin(self.module.body), ir.Location.unknown():
                func.FuncOp(name, ([a.type for a in arguments], []), visibility="private")
        func.CallOp([], ir.FlatSymbolRefAttr.get(name), list(arguments))

    def text(self, text: str) -> ir.Value:
        """The address (index) of ``text`` as a constant that ends in a zero byte."""
        data = [*text.encode(), 0]
        byte = ir.IntegerType.get_signless(8)
        type = ir.MemRefType.get([len(data)], byte)
        if text not in self.texts:
            self.texts[text] = f"hexmlir_text_{len(self.texts)}"
            values = [ir.IntegerAttr.get(byte, ints.wrap(b, byte)) for b in data]
            with ir.InsertionPoint.at_block_begin(self.module.body), ir.Location.unknown():
                constant = ir.DenseElementsAttr.get(values, ir.RankedTensorType.get([len(data)], byte))
                memref.GlobalOp(self.texts[text], ir.TypeAttr.get(type), sym_visibility=ir.StringAttr.get("private"),
                                initial_value=constant, constant=ir.UnitAttr.get())
        return memref.extract_aligned_pointer_as_index(memref.GetGlobalOp(type, self.texts[text]).result)


def check(runtime: Runtime, condition: Tensor, place: str, message: str, program: Sequence[ir.Value]) -> None:
    """Report ``message`` unless ``condition`` (i1) holds for every element."""
    bit = ir.IntegerType.get_signless(1)
    holds = condition
    while holds.shape:
        holds, = reduce.reduce([holds], 0, lambda v: [arith.andi(v[0], v[1])], "arith.andi")
    failed = arith.xori(build.scalar_of(holds), ints.value(1, bit))
    branch = scf.IfOp(failed)
    with ir.InsertionPoint(branch.then_block):
        runtime.call(ASSERT_FAILED, [runtime.text(f"{place}\n{message}"), *program])
        scf.YieldOp([])


def show(runtime: Runtime, node: Tensor, prefix: str, kind: str, program: Sequence[ir.Value]) -> None:
    """Print every element of ``node``; ``kind`` is how: i, u, x or f."""
    dims, index, i32 = varying(node.shape), ints.index_type(), ir.IntegerType.get_signless(32)
    value = build.compact(node)
    shape = "x".join(map(str, node.shape))
    text = runtime.text(f"{kind}{node.element.width}\n{shape}\n{prefix}")
    position: list[ir.Value] = []

    def nest(rest: Sequence[int], flat: ints.Int) -> None:
        if rest:
            size = node.shape[rest[0]]
            loop = scf.ForOp(*[ints.value(n, index) for n in (0, size, 1)])
            with ir.InsertionPoint(loop.body):
                position.append(loop.induction_variable)
                nest(rest[1:], ints.add(ints.mul(flat, size, index), loop.induction_variable, index))
                position.pop()
                scf.YieldOp([])
            return
        element = tensor.extract(value, list(position)) if position else value
        number = ints.value(ints.cast(flat, index, i32), i32)
        runtime.call(PRINT, [_bits(element, kind), text, number, *program])

    nest(dims, 0)


def _bits(element: ir.Value, kind: str) -> ir.Value:
    """``element`` as 64 bits: a float as f64, an integer sign- or zero-extended."""
    i64, f64 = ir.IntegerType.get_signless(64), ir.F64Type.get()
    if not isinstance(element.type, ir.IntegerType):
        wide = element if element.type == f64 else arith.extf(f64, element)
        return arith.bitcast(i64, wide)
    if element.type.width == 64:
        return element
    return arith.extsi(i64, element) if kind == "i" else arith.extui(i64, element)


def pointer_of(address: Tensor, pointee: ir.Type) -> Pointer:
    """The pointer (or tensor of equal pointers) to ``pointee`` at an integer ``address``."""
    if not address.uniform:
        raise Unsupported("a tensor of different integers as pointers",
                          "add offsets to one pointer, or convert them one by one")
    wide = ints.cast(build.scalar_of(address), address.element, ir.IntegerType.get_signless(64))
    base = ir.Operation.create(_INT_TO_POINTER, results=[ir.MemRefType.get([1], pointee)],
                               operands=[ints.value(wide, ir.IntegerType.get_signless(64))]).result
    return Pointer(base, pointee, address.shape, Linear(0, (0,) * len(address.shape)))


def address_of(pointer: Pointer, element: ir.Type) -> Tensor:
    """The address of each element of ``pointer`` as an integer of type ``element``."""
    index = ints.index_type()
    base = memref.extract_aligned_pointer_as_index(pointer.base)
    size = pointer.pointee.width // 8
    bytes_ = linear.added(linear.scaled(pointer.linear, size, index),
                          Linear(base, (0,) * len(pointer.shape)), index)
    return linear.as_node(linear.converted(bytes_, index, element), element, pointer.shape)


def seen_as(pointer: Pointer, pointee: ir.Type) -> Pointer:
    """``pointer`` as one to elements of another type; its steps must be whole elements of that type."""
    i64, index = ir.IntegerType.get_signless(64), ints.index_type()
    base = ints.value(ints.cast(memref.extract_aligned_pointer_as_index(pointer.base), index, i64), i64)
    old, new = pointer.pointee.width, pointee.width
    if old < new and not linear.dims_of(pointer.linear, pointer.shape):  # the offset goes into the address
        at = ints.value(ints.cast(ints.mul(pointer.linear.offset, old // 8, index), index, i64), i64)
        base = arith.addi(base, at)
        pointer = replace(pointer, linear=replace(pointer.linear, offset=0))
    elif old < new:
        raise Unsupported(f"a tensor of pointers to {pointer.pointee} used as pointers to {pointee}",
                          "cast the pointer before adding offsets")
    moved = pointer_of(Tensor(i64, (), (), base), pointee)
    scaled = linear.scaled(pointer.linear, max(old // new, 1), index)
    return Pointer(moved.base, pointee, pointer.shape, scaled)

"""Calls of the runtime by kernels: failed assertions and printed values.

Arguments are words: strings as addresses of constants of the module, the program's id as three i32.
"""

from __future__ import annotations

from collections.abc import Sequence

from hexagon_mlir.ir import Place, arith, func, ir, memref, scf, tensor
from hexagon_mlir.passes.triton_import import build, ints, reduce
from hexagon_mlir.passes.triton_import.values import Tensor, varying

ASSERT_FAILED = "hexmlir_rt_assert_failed"
"""(text: address, x, y, z: i32); the text is ``file:line:column`` and, on the next line, the message."""
PRINT = "hexmlir_rt_print"
"""(value: i64, text: address, index, x, y, z: i32); the text is ``kind``, ``shape`` and prefix, a line each."""


class Runtime:
    """Declarations and strings of one module, made when they are first needed."""

    def __init__(self, module: ir.Module):
        self.module = module
        self.functions: set[str] = set()
        self.texts: dict[str, str] = {}

    def call(self, name: str, arguments: Sequence[ir.Value]) -> None:
        """Call the runtime function ``name``, which returns nothing."""
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


def check(runtime: Runtime, condition: Tensor, place: Place, message: str, program: Sequence[ir.Value]) -> None:
    """Report ``message`` unless ``condition`` (i1) holds for every element."""
    bit = ir.IntegerType.get_signless(1)
    holds = condition
    while holds.shape:
        holds, = reduce.reduce([holds], 0, lambda v: [arith.andi(v[0], v[1])], "arith.andi")
    failed = arith.xori(build.scalar_of(holds), ints.value(1, bit))
    branch = scf.IfOp(failed)
    with ir.InsertionPoint(branch.then_block):
        text = runtime.text(f"{place.file}:{place.line}:{place.column}\n{message}")
        runtime.call(ASSERT_FAILED, [text, *program])
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

"""``tt.atomic_rmw`` and ``tt.atomic_cas``: element after element.

The programs of such a kernel run one after another (`program_grids.order`), and a loop that stores is never split over
threads: a plain read-modify-write sequence is atomic.
"""

from __future__ import annotations

from collections.abc import Callable

from hexagon_mlir.ir import arith, bufferization, ir, make, memref, tensor
from hexagon_mlir.passes.triton_import import ints, masks, memory, pointers
from hexagon_mlir.passes.triton_import.access import PointerAccess, stored
from hexagon_mlir.passes.triton_import.build import dense
from hexagon_mlir.passes.triton_import.types import Unsupported
from hexagon_mlir.passes.triton_import.values import Choice, IndexOf, Mask, Pointer, Tensor, varying
from hexagon_mlir.passes.triton_import.walk import Bounds, walk

Update = Callable[[ir.Value, list[ir.Value]], ir.Value]
"""The new value from the old one and the operands' elements."""

_RMW: dict[int, Callable[[ir.Value, ir.Value], ir.Value]] = {
    1: arith.andi, 2: arith.ori, 3: arith.xori, 4: arith.addi, 5: arith.addf, 6: arith.maxsi, 7: arith.minsi,
    8: arith.maxui, 9: arith.minui, 10: lambda old, new: new,
}
"""TTIR's numbers of the read-modify-write operations."""


def rmw(kind: int) -> Update:
    """The update of ``tt.atomic_rmw`` number ``kind``."""
    if kind not in _RMW:
        raise Unsupported(f"atomic operation number {kind}")
    return lambda old, operands: _RMW[kind](old, operands[0])


def compare_and_swap(old: ir.Value, operands: list[ir.Value]) -> ir.Value:
    """The update of ``tt.atomic_cas``: writes the second operand where memory equals the first."""
    expected, new = operands
    if isinstance(old.type, ir.IntegerType):
        equal = arith.cmpi(arith.CmpIPredicate.eq, old, expected)
    else:
        bits = ir.IntegerType.get_signless(old.type.width)
        equal = arith.cmpi(arith.CmpIPredicate.eq, arith.bitcast(bits, old), arith.bitcast(bits, expected))
    return arith.select(equal, new, old)


def update(pointer: Pointer | Choice, operands: list[Tensor], mask: Mask, change: Update) -> Tensor:
    """Change each selected element of memory; the old values (0 where nothing is selected)."""
    shape, type = pointer.shape, pointer.pointee
    if isinstance(pointer, Choice):
        pointer = pointers.of_address(pointers.address_of(pointer, ir.IntegerType.get_signless(64)), type)
    dims = varying(shape)
    sources = [dense(node, dims) for node in operands]
    zero = ints.value(0, ints.index_type())
    buffer = memref.alloc(ir.MemRefType.get([shape[d] for d in dims] or [1], type), [], [])
    make.fill(arith.constant(type, memory.zero(type)), buffer)

    def move(index: IndexOf, _: Bounds, window: ir.Value) -> None:
        at = [index(d) for d in dims]
        old = memref.load(window, [zero])
        elements = [tensor.extract(s, at) if dims else s for s in sources]
        memref.store(change(old, elements), window, [zero])
        memref.store(old, buffer, at or [zero])

    bounds = {d: masks.bounds(mask, d, shape[d]) for d in dims}
    walk(pointer, stored(mask), PointerAccess((), dims, ()), bounds, masks.condition(mask), move)
    if not dims:
        return Tensor(type, shape, (), memref.load(buffer, [zero]))
    result = ir.RankedTensorType.get([shape[d] for d in dims], type)
    return Tensor(type, shape, dims, bufferization.ToTensorOp(result, buffer, restrict=True, writable=True).result)

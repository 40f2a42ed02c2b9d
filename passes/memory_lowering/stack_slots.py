"""Small buffers on the stack."""

from __future__ import annotations

from math import prod

from hexagon_mlir.ir import arith, ir, memref
from hexagon_mlir.ir.query import in_tcm, known_bytes
from hexagon_mlir.passes.lib.outlining import NOCAPTURE
from hexagon_mlir.passes.memory_lowering.runtime_calls import padded

_SCALAR_USERS = frozenset({"memref.load", "memref.store", "memref.dealloc", "vector.load", "vector.store",
                           "vector.maskedload", "vector.maskedstore"})


def fits_stack(op: ir.Operation, limit: int, symbols: ir.SymbolTable) -> bool:
    """True for a small DDR buffer whose only users are plain accesses and functions that do not capture it (so it never
    outlives its block)."""
    type_ = ir.MemRefType(op.results[0].type)
    if in_tcm(type_) or not type_.has_static_shape:
        return False
    return known_bytes(type_) <= limit and all(
        use.owner.operation.name in _SCALAR_USERS or _is_lent(use, symbols) for use in op.results[0].uses)


def _is_lent(use: ir.OpOperand, symbols: ir.SymbolTable) -> bool:
    """True where a function takes the buffer and promises (``llvm.nocapture``) not to keep its address."""
    call = use.owner.operation
    if call.name != "func.call":
        return False
    attributes = symbols[ir.FlatSymbolRefAttr(call.attributes["callee"]).value].attributes
    return "arg_attrs" in attributes and NOCAPTURE in ir.DictAttr(
        ir.ArrayAttr(attributes["arg_attrs"])[use.operand_number])


def to_stack(op: ir.Operation, alignment: int) -> None:
    """Replace ``op`` by a slot in the function's entry block; a slot in a loop would move the stack pointer.

    A single element, which LLVM promotes to a register, is set to poison in place of ``op``: otherwise the value of an
    earlier iteration would be carried through the loop.
    """
    function = op.parent
    while function.operation.name != "func.func":
        function = function.operation.parent
    for use in list(op.results[0].uses):
        if use.owner.operation.name == "memref.dealloc":
            use.owner.operation.erase()
    type_ = ir.MemRefType(op.results[0].type)
    with op.location, ir.InsertionPoint.at_block_begin(function.operation.regions[0].blocks[0]):
        if any(use.owner.operation.name.startswith(("vector.", "func.")) for use in op.results[0].uses):
            bytes_ = ir.MemRefType.get([padded(type_, alignment)], ir.IntegerType.get_signless(8))
            whole = memref.alloca(bytes_, [], [], alignment=alignment)
            slot = memref.view(type_, whole, arith.constant(ir.IndexType.get(), 0), [])
        else:
            slot = memref.alloca(type_, [], [], alignment=alignment)
    if prod(type_.shape) == 1 and op.parent != function:
        with op.location, ir.InsertionPoint(op):
            nothing = ir.Operation.create("ub.poison", [type_.element_type]).result
            memref.store(nothing, slot, [arith.constant(ir.IndexType.get(), 0) for _ in type_.shape])
    op.results[0].replace_all_uses_with(slot)
    op.erase()

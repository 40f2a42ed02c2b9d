"""Buffers and the views of them: where a memref comes from, who uses it, which memory it is in."""

from __future__ import annotations

from math import gcd, prod

from torch_mlir import ir

from hexagon_mlir.ir.bounds import multiple_of, upper_bound
from hexagon_mlir.ir.query import element_bytes, known_bytes, memory_space

VIEWS = frozenset({"memref.subview", "memref.cast", "memref.reinterpret_cast", "memref.expand_shape",
                   "memref.collapse_shape", "memref.view", "memref.assume_alignment"})
"""Operations whose result is (part of) the buffer that is their first operand."""


def root_buffer(value: ir.Value) -> ir.Value:
    """The buffer that ``value`` is a view of: an allocation, an argument, or what is not followed further."""
    while isinstance(value.owner, ir.OpView | ir.Operation) and value.owner.operation.name in VIEWS:
        value = value.owner.operation.operands[0]
    return value


def start_alignment(value: ir.Value, allocation: int) -> int:
    """Bytes that the address of the first element of ``value`` is a multiple of; 1 when unknown.

    Our own allocations are aligned to ``allocation`` bytes, others as ``memref.assume_alignment`` says.
    """
    found, moved = allocation, True  # a view by reinterpret_cast starts where it says, wherever its source does
    while isinstance(value.owner, ir.OpView | ir.Operation) and value.owner.operation.name in VIEWS:
        view = value.owner.operation
        if view.name == "memref.assume_alignment":
            break
        if view.name == "memref.view":
            found = gcd(found, multiple_of(view.operands[1]))
        elif moved and view.name in ("memref.subview", "memref.reinterpret_cast"):
            found = gcd(found, _offset_alignment(view))
            moved = view.name == "memref.subview"
        value = view.operands[0]
    maker = value.owner.operation if isinstance(value.owner, ir.OpView | ir.Operation) else None
    if maker is None or ir.MemRefType(value.type).get_strides_and_offset()[1] != 0:
        return 1
    if maker.name == "memref.assume_alignment":
        return gcd(found, ir.IntegerAttr(maker.attributes["alignment"]).value)
    return found if maker.name == "memref.alloc" else 1


def _offset_alignment(view: ir.Operation) -> int:
    """Bytes that ``view``, a subview or a reinterpret_cast, starts behind its source are a multiple of."""
    type_, dynamic = ir.MemRefType(view.operands[0].type), ir.ShapedType.get_dynamic_size()
    strides = type_.get_strides_and_offset()[0] if view.name == "memref.subview" else [1]
    operands, found = iter(list(view.operands)[1:]), 0
    for offset, stride in zip(ir.DenseI64ArrayAttr(view.attributes["static_offsets"]), strides, strict=True):
        multiple = multiple_of(next(operands)) if offset == dynamic else offset
        found = gcd(found, multiple * (1 if stride == dynamic else stride))
    return found * element_bytes(type_.element_type)


def has_vectors(type_: ir.MemRefType) -> bool:
    """True when vectors along the last dimension can be loaded: its stride is 1, and none is known to be negative,
    which the vector dialect's loads and stores refuse."""
    strides, dynamic = type_.get_strides_and_offset()[0], ir.ShapedType.get_dynamic_stride_or_offset()
    return bool(strides) and strides[-1] == 1 and all(s >= 0 or s == dynamic for s in strides)


def is_contiguous(type_: ir.MemRefType) -> bool:
    """Whether elements of static sizes follow one another from the first of the buffer on, as those of its first rows
    do."""
    strides, offset = type_.get_strides_and_offset()
    return offset == 0 and list(strides) == [prod(type_.shape[dim + 1:]) for dim in range(type_.rank)]


def has_contiguous_parts(type_: ir.MemRefType) -> bool:
    """Whether the elements of each part along the first dimension, of static sizes, follow one another."""
    strides, _ = type_.get_strides_and_offset()
    return list(strides)[1:] == [prod(type_.shape[dim + 1:]) for dim in range(1, type_.rank)]


def allocation_bytes(allocation: ir.Operation) -> int | None:
    """Most bytes ``allocation`` can take, or None when a dynamic size has no bound."""
    size = known_bytes(allocation.results[0].type)
    for value in allocation.operands:
        bound = upper_bound(value)
        if bound is None:
            return None
        size *= max(bound, 0)
    return size


def uses_of_buffer(value: ir.Value) -> list[ir.OpOperand]:
    """Every use of ``value`` and of views of it; the operations that make the views included."""
    found: list[ir.OpOperand] = []
    pending = [value]
    while pending:
        for use in pending.pop().uses:
            found.append(use)
            if use.operand_number == 0 and (user := use.owner.operation).name in VIEWS:
                pending.append(user.results[0])
    return found


def assume_alignment(buffer: ir.Value, nbytes: int) -> ir.Value:
    """``buffer``, whose address is a multiple of ``nbytes``."""
    number = ir.IntegerAttr.get(ir.IntegerType.get_signless(32), nbytes)
    return ir.Operation.create("memref.assume_alignment", [buffer.type], [buffer], {"alignment": number}).result


def set_space(value: ir.Value, space: int) -> None:
    """Put the buffer ``value`` and its views into memory ``space``: only types change."""
    value.set_type(_in_space(ir.MemRefType(value.type), space))
    for use in uses_of_buffer(value):
        user = use.owner.operation
        if user.name in VIEWS and use.operand_number == 0:
            user.results[0].set_type(_in_space(ir.MemRefType(user.results[0].type), space))


def _in_space(type_: ir.MemRefType, space: int) -> ir.MemRefType:
    return ir.MemRefType.get(type_.shape, type_.element_type, type_.layout, memory_space(space) if space else None)


def is_noalias(value: ir.Value) -> bool:
    """True for an argument that the caller promises to overlap nothing else the function is given."""
    if not isinstance(value.owner, ir.Block):
        return False
    function = value.owner.owner.operation
    if function.name != "func.func" or "arg_attrs" not in function.attributes:
        return False
    given = ir.DictAttr(ir.ArrayAttr(function.attributes["arg_attrs"])[ir.BlockArgument(value).arg_number])
    return "llvm.noalias" in given

"""Recognizes loops that copy contiguous elements one by one under a mask of words in memory."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from hexagon_mlir.ir import arith, ir, scf
from hexagon_mlir.ir.query import element_bytes

_NE = int(arith.CmpIPredicate.ne)
_VIEWS = ("memref.view", "memref.subview", "memref.reinterpret_cast", "memref.cast", "memref.collapse_shape",
          "memref.expand_shape")


@dataclass(frozen=True)
class MaskedCopy:
    """``for i: if masks[0][i] and masks[1][i] ...: target[start + i] = value[i]``.

    ``store`` is the memref.store; ``loads`` are the memref.load of the masks, whose words are 0 or 1. ``source`` is the
    memref.load of the value, contiguous too; None for a scalar defined outside of the loop.
    """

    loop: scf.ForOp
    loads: tuple[ir.Operation, ...]
    store: ir.Operation
    source: ir.Operation | None
    bits: int
    """Bits of an element of the target."""
    most: int | None
    """Upper bound of the iterations, when known."""
    count: int | None
    """The number of iterations, when known."""

    @property
    def private_source(self) -> bool:
        """True when the function has allocated the memory that is read: all of it may be read."""
        return self.source is None or is_own(self.source.operands[0])


def match(loop: scf.ForOp) -> MaskedCopy | None:
    """``loop`` as a masked copy; None for any other loop."""
    operations = [o.operation for o in loop.body.operations]
    if len(loop.results) or _constant(loop.step) != 1 or len(operations) < 3 or operations[-2].name != "scf.if":
        return None
    branch = operations[-2]
    if len(branch.results) or len(branch.regions[1].blocks):
        return None
    inside = [o.operation for o in branch.regions[0].blocks[0].operations]
    along = _factors(loop, [*operations, *inside])
    stores = [op for op in inside if op.name == "memref.store"]
    loads = _conditions(branch.operands[0], loop)
    if len(stores) != 1 or not loads or any(not _plain(op) for op in (*operations[:-2], *inside[:-1])):
        return None
    store = stores[0]
    source = _loaded(store.operands[0], inside)
    if not all(_walks(*_accessed(load), along) and is_own(load.operands[0]) for load in loads):
        return None
    if not _walks(*_accessed(store), along) or (source is None and along(store.operands[0]) != 0):
        return None
    if source is not None and not _walks(*_accessed(source), along):
        return None
    if not (is_own(store.operands[1]) or source is None or is_own(source.operands[0])):
        return None  # the two may alias
    type_ = ir.MemRefType(store.operands[1].type)
    return MaskedCopy(loop, loads, store, source, 8 * element_bytes(type_.element_type), *_counts(loop, loads))


def is_own(value: ir.Value) -> bool:
    """True for memory that the function has allocated, which is padded by one vector."""
    while not isinstance(value.owner, ir.Block) and value.owner.operation.name in _VIEWS:
        value = value.owner.operation.operands[0]
    return not isinstance(value.owner, ir.Block) and value.owner.operation.name == "memref.alloc"


def _counts(loop: scf.ForOp, loads: tuple[ir.Operation, ...]) -> tuple[int | None, int | None]:
    """(upper bound of the iterations, iterations); None where unknown."""
    lower, upper = _constant(loop.lowerBound), _constant(loop.upperBound)
    count = None if lower is None or upper is None else max(upper - lower, 0)
    sizes = [ir.MemRefType(load.operands[0].type).shape[-1] for load in loads]
    sizes = [size for size in sizes if size != ir.ShapedType.get_dynamic_size()]
    return min([*sizes, *([] if count is None else [count])], default=None), count


def _plain(op: ir.Operation) -> bool:
    return op.name.startswith("arith.") or op.name in ("memref.load", "memref.store", "memref.reinterpret_cast")


def _constant(value: ir.Value) -> int | None:
    owner = value.owner
    if isinstance(owner, ir.Block) or owner.operation.name != "arith.constant":
        return None
    return int(ir.IntegerAttr(owner.operation.attributes["value"]).value)


def _conditions(value: ir.Value, loop: scf.ForOp) -> tuple[ir.Operation, ...]:
    """The loads of words whose conjunction, each compared with 0, is the condition; empty for another condition."""
    owner = value.owner
    if isinstance(owner, ir.Block) or owner.operation.block != loop.body:
        return ()
    op = owner.operation
    if op.name == "arith.andi":
        left, right = (_conditions(v, loop) for v in op.operands)
        return (*left, *right) if left and right else ()
    if op.name != "arith.cmpi" or ir.IntegerAttr(op.attributes["predicate"]).value != _NE:
        return ()
    load = op.operands[0].owner
    if isinstance(load, ir.Block) or load.operation.name != "memref.load" or _constant(op.operands[1]) != 0:
        return ()
    return (load.operation,) if str(op.operands[0].type) == "i32" else ()


def _loaded(value: ir.Value, inside: list[ir.Operation]) -> ir.Operation | None:
    owner = value.owner
    if isinstance(owner, ir.Block) or owner.operation.name != "memref.load":
        return None
    return owner.operation if owner.operation in inside else None


def _accessed(op: ir.Operation) -> tuple[ir.Value, list[ir.Value]]:
    """(memory, indices) of a load or store."""
    first = int(op.name == "memref.store")
    return op.operands[first], list(op.operands)[first + 1:]


def _walks(memory: ir.Value, indices: list[ir.Value], along: Callable[[ir.Value], int | None]) -> bool:
    """True when ``indices`` has unit stride in the loop."""
    if along(memory) != 0:  # a view of one element
        view = memory.owner.operation
        return (view.name == "memref.reinterpret_cast" and list(ir.MemRefType(memory.type).shape) == [1]
                and len(view.operands) == 2 and along(view.operands[1]) == 1)
    strides = ir.MemRefType(memory.type).get_strides_and_offset()[0]
    return (bool(indices) and strides[-1] == 1 and along(indices[-1]) == 1
            and all(along(index) == 0 for index in indices[:-1]))


def _factors(loop: scf.ForOp, operations: list[ir.Operation]) -> Callable[[ir.Value], int | None]:
    """The increment of a value per iteration; None where it is not constant, or unknown."""
    def along(value: ir.Value) -> int | None:
        if value == loop.induction_variable:
            return 1
        if isinstance(value.owner, ir.Block) or value.owner.operation not in operations:
            return 0
        op = value.owner.operation
        parts = [along(operand) for operand in op.operands]
        if None in parts or op.name == "memref.load":
            return None
        known = [part for part in parts if part is not None]
        if not any(known):
            return 0
        if op.name == "arith.addi":
            return sum(known)
        if op.name == "arith.subi":
            return known[0] - known[1]
        return known[0] if op.name == "arith.index_cast" else None

    return along

"""Whether the programs of a Triton kernel may run in parallel.

Triton leaves the order of programs open, and concurrent accesses to one address without atomics undefined. Atomic
operations are plain reads and writes here, and printed output must be in order: such programs run sequentially. So do,
unless the user asks for threads, programs with an apparent dependence: a store whose address does not depend on the
program, and a read through a pointer that is written elsewhere.
"""

from __future__ import annotations

from collections.abc import Iterator

from hexagon_mlir.dialects.programs import GRID_ARGUMENTS, Order
from hexagon_mlir.ir import ir
from hexagon_mlir.ir.query import find_ops, ops_named

_ORDERED = {"tt.atomic_rmw": "atomic operations", "tt.atomic_cas": "atomic operations",
            "tt.descriptor_reduce": "atomic operations", "tt.atomic_load": "atomic operations",
            "tt.atomic_store": "atomic operations", "tt.atomic_poll": "atomic operations", "tt.print": "output",
            "tt.assert": "assertions"}
_VIEWS = frozenset({"memref.reinterpret_cast", "memref.subview", "memref.cast", "memref.expand_shape",
                    "memref.collapse_shape"})


def needs_order(kernels: ir.Module) -> str:
    """The reason for which the TTIR module ``kernels`` needs its programs in order; empty if there is none."""
    found = ops_named(kernels, *_ORDERED)
    return f"{_ORDERED[found[0].name]} need the programs to run in order" if found else ""


def order_of(function: ir.Operation) -> tuple[Order, str]:
    """The order of the programs of ``function`` (after translation, without what `needs_order`), and why."""
    programs = set(list(function.regions[0].blocks[0].arguments)[-GRID_ARGUMENTS // 2:])
    written: dict[ir.Value, set[tuple]] = {}
    for op, target in _stores(function):
        base, places = _place(target)
        if _is_own(base):
            continue
        if not isinstance(base.owner, ir.Block):
            return Order.UNPROVEN, "a store through a pointer that is computed"
        if not any(_depends(value, programs, set()) for value in (*places, *_conditions(op))):
            return Order.UNPROVEN, "every program stores to the same place"
        written.setdefault(base, set()).add(_window(target))
    for source in _loads(function):
        base, _ = _place(source)
        if base in written and written[base] != {_window(source)}:
            return Order.UNPROVEN, "a program may read what another one writes"
    return Order.INDEPENDENT, ""


def _stores(function: ir.Operation) -> Iterator[tuple[ir.Operation, ir.Value]]:
    """Each operation that writes to memory, with the buffer it writes; tensors are private to a program."""
    for op in find_ops(function, lambda op: True):
        if op.name in ("memref.store", "memref.copy", "bufferization.materialize_in_destination"):
            written = [op.operands[1]]
        elif op.name.startswith("linalg.") and not len(op.results):
            written = list(op.operands)
        else:
            continue
        yield from ((op, value) for value in written if isinstance(value.type, ir.MemRefType))


def _loads(function: ir.Operation) -> Iterator[ir.Value]:
    for op in ops_named(function, "memref.load", "memref.copy", "bufferization.to_tensor"):
        yield op.operands[0]


def _place(buffer: ir.Value) -> tuple[ir.Value, list[ir.Value]]:
    """The buffer that ``buffer`` is a view of, and the values that determine its offset."""
    places = []
    while not isinstance(buffer.owner, ir.Block) and buffer.owner.operation.name in _VIEWS:
        places += list(buffer.owner.operation.operands)[1:]
        buffer = buffer.owner.operation.operands[0]
    return buffer, places


def _window(buffer: ir.Value) -> tuple:
    """The part of a pointer's memory that ``buffer`` is in: equal windows start at the same place."""
    window: tuple = ()
    while not isinstance(buffer.owner, ir.Block) and buffer.owner.operation.name in _VIEWS:
        op = buffer.owner.operation
        if op.name == "memref.reinterpret_cast":
            window = (*(str(op.attributes[name]) for name in ("static_offsets", "static_strides")),
                      *list(op.operands)[1:])
        buffer = op.operands[0]
    return window


def _is_own(base: ir.Value) -> bool:
    return not isinstance(base.owner, ir.Block) and base.owner.operation.name in ("memref.alloc", "memref.alloca")


def _conditions(op: ir.Operation) -> Iterator[ir.Value]:
    """The values that decide whether ``op`` runs, and its indices."""
    yield from list(op.operands)[2:]
    while op.name != "func.func":
        op = op.parent.operation
        if op.name == "scf.if":
            yield op.operands[0]


def _depends(value: ir.Value, on: set[ir.Value], seen: set[ir.Value]) -> bool:
    """True when ``value`` is computed from one of ``on``."""
    if value in on:
        return True
    if value in seen:
        return False
    seen.add(value)
    if isinstance(value.owner, ir.Block):
        holder = value.owner.owner.operation
        if holder.name == "func.func":
            return False
        sources = list(holder.operands) + [v for block in holder.regions[0] for v in block.operations[
            len(block.operations) - 1].operation.operands]
    else:
        op = value.owner.operation
        sources = list(op.operands) + [v for region in op.regions for block in region for v in block.operations[
            len(block.operations) - 1].operation.operands]
    return any(_depends(source, on, seen) for source in sources)

"""Which memory an operation on buffers reads and writes, and which buffers may be the same memory."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from math import prod

from hexagon_mlir.dialects.engine_tiles import EngineProduct
from hexagon_mlir.ir import ir
from hexagon_mlir.ir.buffers import is_noalias, root_buffer
from hexagon_mlir.ir.engine_operations import ENGINE_PRODUCT, ENGINE_WAIT
from hexagon_mlir.ir.order import nested_ops
from hexagon_mlir.ir.query import input_count
from hexagon_mlir.passes.lib.pure_slices import is_pure

_READS = frozenset({"memref.load", "vector.load", "vector.maskedload", "vector.transfer_read"})
_WRITES = {"memref.store": 1, "vector.store": 1, "vector.maskedstore": 0, "vector.transfer_write": 1}
"""Operations that write, with the number of the operand that is written."""
_NO_ACCESS = frozenset({"memref.alloc", "memref.dealloc", ENGINE_WAIT})
_STRUCTURE = ("scf.", "math.", "ub.", "linalg.yield", "linalg.index")


@dataclass(frozen=True)
class BufferAccess:
    """``op`` reads or writes ``value``."""

    op: ir.Operation
    value: ir.Value
    writes: bool

    @cached_property
    def root(self) -> ir.Value:
        """The buffer that ``value`` is, or is a view of."""
        return root_buffer(self.value)

    @cached_property
    def _slice(self) -> tuple[ir.Value, list[tuple[int, int]]] | None:
        """The buffer that ``value`` is a slice of, and the first index and the end of the slice in each dimension; None
        for what is no slice with static offsets, sizes and steps."""
        view = None if isinstance(self.value.owner, ir.Block) else self.value.owner.operation
        if view is None or view.name != "memref.subview" or len(view.operands) != 1:
            return None
        offsets, sizes, strides = (list(ir.DenseI64ArrayAttr(view.attributes[f"static_{name}"]))
                                   for name in ("offsets", "sizes", "strides"))
        return view.operands[0], [(offset, offset + (size - 1) * stride + 1)
                                  for offset, size, stride in zip(offsets, sizes, strides, strict=True)]

    @cached_property
    def _runs(self) -> list[tuple[int, int]] | None:
        """The first element and the end of each run of elements of the buffer that ``value`` has, in order; None for
        sizes known at run time, very many runs, and views with another element type."""
        type_, whole = ir.MemRefType(self.value.type), ir.MemRefType(self.root.type)
        strides, offset = type_.get_strides_and_offset()
        dynamic = ir.ShapedType.get_dynamic_stride_or_offset()
        if (type_.element_type != whole.element_type or whole.affine_map != ir.AffineMap.get_identity(whole.rank)
                or not type_.has_static_shape or dynamic in (offset, *strides)):
            return None
        length, dims = 1, sorted(zip(strides, type_.shape, strict=True))
        while dims and dims[0][0] == length:
            length *= dims.pop(0)[1]
        if prod(size for _, size in dims) > _MOST_RUNS:
            return None
        starts = [offset]
        for stride, size in dims:
            starts = [start + number * stride for start in starts for number in range(size)]
        return [(start, start + length) for start in sorted(starts)]

    def may_overlap(self, other: BufferAccess) -> bool:
        """False where the memory is known to be disjoint from that of ``other``."""
        if not may_alias(self.root, other.root):
            return False
        one, two = self._slice, other._slice
        if one is None or two is None or one[0] != two[0]:
            return self.root != other.root or self._runs is None or other._runs is None or _meet(
                self._runs, other._runs)
        return all(low < other_high and other_low < high
                   for (low, high), (other_low, other_high) in zip(one[1], two[1], strict=True))


class UnknownEffect(Exception):
    """An operation that may touch any memory; the text names it."""


def accesses(op: ir.Operation) -> list[BufferAccess]:
    """Every access of ``op`` and of the operations in its regions; raises `UnknownEffect`."""
    found: list[BufferAccess] = []
    for inner in nested_ops(op) if len(op.regions) else (op,):
        own = _own_accesses(inner)
        if own is None:
            raise UnknownEffect(f"{inner.name} may touch any memory")
        found += own
    return found


def _own_accesses(op: ir.Operation) -> list[BufferAccess] | None:
    if op.name == "memref.copy":
        return [BufferAccess(op, op.operands[0], False), BufferAccess(op, op.operands[1], True)]
    if op.name in _READS:
        return [BufferAccess(op, op.operands[0], False)]
    if op.name in _WRITES:
        return [BufferAccess(op, op.operands[_WRITES[op.name]], True)]
    if op.name == ENGINE_PRODUCT:
        product = EngineProduct.of(op)
        reads = (product.activations, product.weights, product.columns)
        return [*(BufferAccess(op, value, False) for value in reads), BufferAccess(op, product.results, True)]
    if op.name in _NO_ACCESS or is_pure(op) or op.name.startswith(_STRUCTURE):
        return []
    if op.name.startswith("linalg.") and len(op.regions) == 1:
        return _of_linalg(op)
    buffers = any(isinstance(value.type, ir.MemRefType) for value in op.operands)
    return [] if op.name.startswith("vector.") and not buffers else None


def _of_linalg(op: ir.Operation) -> list[BufferAccess]:
    inputs = input_count(op)
    body = op.regions[0].blocks[0]
    found = []
    for position, value in enumerate(op.operands):
        if not isinstance(value.type, ir.MemRefType):
            continue
        if position < inputs or any(True for _ in body.arguments[position].uses):
            found.append(BufferAccess(op, value, False))
        if position >= inputs:
            found.append(BufferAccess(op, value, True))
    return found


_MOST_RUNS = 1024


def _meet(one: list[tuple[int, int]], other: list[tuple[int, int]]) -> bool:
    """Whether any run of ``one`` has an element of any run of ``other``."""
    ordered = sorted([*one, *other])
    return any(end > start for (_, end), (start, _) in pairwise(ordered))


def may_alias(one: ir.Value, other: ir.Value) -> bool:
    """False when buffers ``one`` and ``other`` (roots) are known to be disjoint memory.

    Arguments with a shape are different buffers, as bufferization assumes them to be; bare pointers
    (``memref<1xT>``, of Triton kernels) may point anywhere outside our own allocations, unless the caller promises.
    """
    if one == other:
        return True
    kinds = _kind(one), _kind(other)
    if "unknown" in kinds:
        return True
    return kinds[0] == kinds[1] == "argument" and not (is_noalias(one) or is_noalias(other)) and (
        _is_pointer(one) or _is_pointer(other))


def _kind(value: ir.Value) -> str:
    owner = value.owner
    if isinstance(owner, ir.Block):
        return "argument" if owner.owner is not None and owner.owner.operation.name == "func.func" else "unknown"
    return "own" if owner.operation.name in ("memref.alloc", "memref.get_global") else "unknown"


def _is_pointer(value: ir.Value) -> bool:
    return list(ir.MemRefType(value.type).shape) == [1]

"""Which loads a kernel has: copies from footprints of its arrays into buffers of its own."""

from __future__ import annotations

from dataclasses import dataclass, field

from hexagon_mlir.ir import ir
from hexagon_mlir.ir.bounds import constant_value
from hexagon_mlir.ir.buffers import root_buffer
from hexagon_mlir.ir.query import element_bytes
from hexagon_mlir.passes.footprints.spans import Footprint, is_dense

VIEWS = frozenset({"memref.subview", "memref.reinterpret_cast", "memref.extract_strided_metadata", "memref.dim"})
ALLOCATION = "memref.alloc"
_PURE = ("arith.", "tensor.", "affine.", "math.")
_CAST = "memref.reinterpret_cast"

_SHORT = 4
"""Rows shorter than this part of a vector are read by one transfer; longer ones are faster one by one."""


@dataclass(frozen=True)
class Load:
    """A copy from a footprint that starts ``start`` and ``footprint.first`` elements after ``pointer``."""

    copy: ir.Operation
    pointer: ir.Value
    start: ir.Value | None
    footprint: Footprint

    @property
    def source(self) -> ir.Value:
        """The view that is copied."""
        return self.copy.operands[0]


@dataclass(frozen=True)
class Span:
    """All elements from the first of some footprints to the last."""

    first: int
    size: int

    @staticmethod
    def of(loads: list[Load]) -> Span:
        """What ``loads``, of one array, read and lies in between."""
        first = min(load.footprint.first for load in loads)
        return Span(first, max(load.footprint.last for load in loads) - first + 1)


@dataclass
class _Run:
    """Loads of one array with no store in between."""

    pointer: ir.Value
    start: ir.Value | None
    loads: list[Load] = field(default_factory=list)


def runs_of(block: ir.Block) -> list[list[Load]]:
    """The loads of ``block`` that may be merged: of one array, with no store in between."""
    done: list[_Run] = []
    current: list[_Run] = []
    for op in (inner.operation for inner in block.operations):
        load = load_of(op) if is_load(op) else None
        if load is not None:
            run = next((r for r in current if r.pointer == load.pointer and r.start == load.start), None)
            if run is None:
                current.append(run := _Run(load.pointer, load.start))
            run.loads.append(load)
        elif not _leaves_arrays_alone(op):
            done, current = done + current, []
    return [run.loads for run in done + current]


def is_load(op: ir.Operation) -> bool:
    """True for a copy into an allocation."""
    return op.name == "memref.copy" and _is_allocation(root_buffer(op.operands[1]))


def _is_allocation(value: ir.Value) -> bool:
    return not isinstance(value.owner, ir.Block) and value.owner.operation.name == ALLOCATION


def _leaves_arrays_alone(op: ir.Operation) -> bool:
    """True for an operation that writes to no array of the kernel's arguments."""
    if op.name in VIEWS or op.name in (ALLOCATION, "bufferization.to_tensor", "memref.copy"):
        return op.name != "memref.copy" or is_load(op)
    if op.name.startswith("linalg."):
        return all(not isinstance(v.type, ir.MemRefType) or _is_allocation(root_buffer(v)) for v in op.operands)
    return op.name.startswith(_PURE)


def load_of(op: ir.Operation) -> Load | None:
    """The `Load` of copy ``op``, where its sizes, strides and offset in the array are known."""
    view, type_ = op.operands[0], ir.MemRefType(op.operands[0].type)
    strides, dynamic = type_.get_strides_and_offset()[0], ir.ShapedType.get_dynamic_size()
    unknown = ir.ShapedType.get_dynamic_stride_or_offset()
    if not type_.has_static_shape or 0 in type_.shape or any(s == unknown or s < 0 for s in strides):
        return None
    first = 0
    while not isinstance(view.owner, ir.Block) and view.owner.operation.name == "memref.subview":
        subview = view.owner.operation
        view = subview.operands[0]
        outer = ir.MemRefType(view.type).get_strides_and_offset()[0]
        offsets = list(ir.DenseI64ArrayAttr(subview.attributes["static_offsets"]))
        if dynamic in offsets or unknown in outer:
            return None
        first += sum(offset * stride for offset, stride in zip(offsets, outer, strict=True))
    if isinstance(view.owner, ir.Block) or view.owner.operation.name != _CAST:
        return None
    cast = view.owner.operation
    (offset,), start = ir.DenseI64ArrayAttr(cast.attributes["static_offsets"]), None
    if offset == dynamic:
        start, offset = _split(cast.operands[1])
    footprint = Footprint(first + offset, tuple(type_.shape), tuple(strides))
    return Load(op, cast.operands[0], start, footprint)


def spreads_rows(load: Load, vector: int) -> bool:
    """True where short contiguous rows are copied to longer, padded ones: each row would be a read of its own."""
    to = ir.MemRefType(load.copy.operands[1].type)
    size = element_bytes(to.element_type)
    short = is_dense(load.footprint, vector // _SHORT // size) and load.footprint.count * size >= vector
    return short and tuple(to.get_strides_and_offset()[0]) != load.footprint.strides


def _split(value: ir.Value) -> tuple[ir.Value | None, int]:
    """``value`` as the sum of a variable (None if there is none) and a constant."""
    number = constant_value(value)
    if number is not None:
        return None, number
    owner = value.owner
    if not isinstance(owner, ir.Block) and owner.operation.name == "arith.addi":
        number = constant_value(owner.operation.operands[1])
        if number is not None:
            return owner.operation.operands[0], number
    return value, 0

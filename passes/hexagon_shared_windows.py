"""Windows of one array that overlap or interleave are read from one transfer."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import ClassVar

from hexagon_mlir.ir import arith, ir, memref
from hexagon_mlir.ir.bounds import constant_value
from hexagon_mlir.ir.buffers import root_buffer
from hexagon_mlir.ir.query import element_bytes, find_ops, known_bytes
from hexagon_mlir.pass_infra import Pass, PassContext
from hexagon_mlir.passes.windows.spans import Window, is_dense, shared_spans
from hexagon_mlir.targets.dma import Engine

_VIEWS = frozenset({"memref.subview", "memref.reinterpret_cast", "memref.extract_strided_metadata", "memref.dim"})
_PURE = ("arith.", "tensor.", "affine.", "math.")
_ALLOCATION = "memref.alloc"
_CAST = "memref.reinterpret_cast"
_FEW = 32
"""Vectors up to which latency is most of what loads of odd strides from DDR cost; more, they read in order."""

_SHORT = 4
"""Part of a vector that rows are shorter than which come as one; longer ones are read faster one by one."""


@dataclass(frozen=True)
class HexagonSharedWindowsPass(Pass):
    """Copies what several loads of a kernel read together once, into a buffer that they read then.

    The even and the odd elements of an array would come by two times loads of every line of it, in no order that is
    fetched ahead. Now the whole array comes, in order, and lanes are picked in TCM. So do short rows, such as pixels of
    three channels, that are copied to longer ones.

    Before:
        func.func @f(%x: memref<1xf32>, %even: memref<4096xf32>, %odd: memref<4096xf32>) {
          %a = memref.reinterpret_cast %x to offset: [0], sizes: [4096], strides: [2]
              : memref<1xf32> to memref<4096xf32, strided<[2]>>
          %e = memref.alloc() : memref<4096xf32>
          memref.copy %a, %e : memref<4096xf32, strided<[2]>> to memref<4096xf32>
          %b = memref.reinterpret_cast %x to offset: [1], sizes: [4096], strides: [2]
              : memref<1xf32> to memref<4096xf32, strided<[2], offset: 1>>
          %o = memref.alloc() : memref<4096xf32>
          memref.copy %b, %o : memref<4096xf32, strided<[2], offset: 1>> to memref<4096xf32>
          return
        }

    After:
        func.func @f(%x: memref<1xf32>, %even: memref<4096xf32>, %odd: memref<4096xf32>) {
          %e = memref.alloc() : memref<4096xf32>
          %all = memref.reinterpret_cast %x to offset: [0], sizes: [8192], strides: [1]
              : memref<1xf32> to memref<8192xf32, strided<[1]>>
          %near = memref.alloc() : memref<8192xf32>
          memref.copy %all, %near : memref<8192xf32, strided<[1]>> to memref<8192xf32>
          %a = memref.reinterpret_cast %near to offset: [0], sizes: [4096], strides: [2]
              : memref<8192xf32> to memref<4096xf32, strided<[2]>>
          memref.copy %a, %e : memref<4096xf32, strided<[2]>> to memref<4096xf32>
          %o = memref.alloc() : memref<4096xf32>
          %b = memref.reinterpret_cast %near to offset: [1], sizes: [4096], strides: [2]
              : memref<8192xf32> to memref<4096xf32, strided<[2], offset: 1>>
          memref.copy %b, %o : memref<4096xf32, strided<[2], offset: 1>> to memref<4096xf32>
          return
        }

    Options:
        tcm-bytes: bytes one kernel may use; 0 takes the target's whole TCM.

    Refuses: nothing; it leaves alone windows of sizes known at run time, those with a store in between, neighbours
    alone (each comes by a transfer of its own), odd strides of a few kilobytes (they are read in order, which is as
    fast as memcpy), and what would not fit one thread's share of the TCM.

    Needs: tensor.
    Leaves: tensor.
    """

    name: ClassVar[str] = "hexagon-shared-windows"
    needs: ClassVar[str] = "tensor"
    leaves: ClassVar[str] = "tensor"

    tcm_bytes: int = 0

    def run(self, module: ir.Module, context: PassContext) -> None:
        """Kernels with buffers of their own, block by block."""
        target = context.target
        share = (self.tcm_bytes or target.tcm_budget_bytes) // int(target.hvx_contexts.value)
        vector = int(target.vector_bytes.value)
        engine, few = Engine.of(target).break_even_bytes, _FEW * vector
        for function in find_ops(module, lambda op: op.name == "func.func" and len(op.regions[0].blocks) > 0):
            room = share - _buffer_bytes(function)
            blocks = list(dict.fromkeys(op.block for op in find_ops(function, _loads)))
            for loads in [part for block in blocks for part in _runs(block)]:
                groups = shared_spans([load.window for load in loads])
                alone = set(range(len(loads))).difference(*groups)
                for group in groups + [[number] for number in sorted(alone) if _spreads_rows(loads[number], vector)]:
                    chosen = [loads[number] for number in group]
                    size = _Span.of(chosen).size * element_bytes(ir.MemRefType(chosen[0].source.type).element_type)
                    even = any(load.window.strides[-1] % 2 == 0 for load in chosen)
                    if size <= room and (even or len(group) == 1 or size <= few or size >= engine):
                        _share(chosen)
                        room -= size


@dataclass(frozen=True)
class _Load:
    """A copy from a window that starts ``window.first`` elements behind ``start`` elements behind ``pointer``."""

    copy: ir.Operation
    pointer: ir.Value
    start: ir.Value | None
    window: Window

    @property
    def source(self) -> ir.Value:
        return self.copy.operands[0]


@dataclass(frozen=True)
class _Span:
    """All elements from the first of some windows to the last."""

    first: int
    size: int

    @staticmethod
    def of(loads: list[_Load]) -> _Span:
        first = min(load.window.first for load in loads)
        return _Span(first, max(load.window.last for load in loads) - first + 1)


@dataclass
class _Run:
    """Loads of one array with no store in between."""

    pointer: ir.Value
    start: ir.Value | None
    loads: list[_Load] = field(default_factory=list)


def _runs(block: ir.Block) -> list[list[_Load]]:
    """The loads of ``block`` that may be done together."""
    done: list[_Run] = []
    current: list[_Run] = []
    for op in (inner.operation for inner in block.operations):
        load = _load(op) if _loads(op) else None
        if load is not None:
            run = next((r for r in current if r.pointer == load.pointer and r.start == load.start), None)
            if run is None:
                current.append(run := _Run(load.pointer, load.start))
            run.loads.append(load)
        elif not _leaves_arrays_alone(op):
            done, current = done + current, []
    return [run.loads for run in done + current]


def _loads(op: ir.Operation) -> bool:
    """True for a copy into an allocation."""
    return op.name == "memref.copy" and _is_allocation(root_buffer(op.operands[1]))


def _is_allocation(value: ir.Value) -> bool:
    return not isinstance(value.owner, ir.Block) and value.owner.operation.name == _ALLOCATION


def _leaves_arrays_alone(op: ir.Operation) -> bool:
    """True for what writes to no array that the kernel was given."""
    if op.name in _VIEWS or op.name in (_ALLOCATION, "bufferization.to_tensor", "memref.copy"):
        return op.name != "memref.copy" or _loads(op)
    if op.name.startswith("linalg."):
        return all(not isinstance(v.type, ir.MemRefType) or _is_allocation(root_buffer(v)) for v in op.operands)
    return op.name.startswith(_PURE)


def _load(op: ir.Operation) -> _Load | None:
    """What the copy ``op`` reads, where sizes, strides and the place in the array are known."""
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
    window = Window(first + offset, tuple(type_.shape), tuple(strides))
    return _Load(op, cast.operands[0], start, window)


def _spreads_rows(load: _Load, vector: int) -> bool:
    """True where short rows, one right behind the other, are copied to longer ones: each would be read by itself."""
    to = ir.MemRefType(load.copy.operands[1].type)
    size = element_bytes(to.element_type)
    short = is_dense(load.window, vector // _SHORT // size) and load.window.count * size >= vector
    return short and tuple(to.get_strides_and_offset()[0]) != load.window.strides


def _split(value: ir.Value) -> tuple[ir.Value | None, int]:
    """``value`` as a sum of a variable, None for no such, and a number."""
    number = constant_value(value)
    if number is not None:
        return None, number
    owner = value.owner
    if not isinstance(owner, ir.Block) and owner.operation.name == "arith.addi":
        number = constant_value(owner.operation.operands[1])
        if number is not None:
            return owner.operation.operands[0], number
    return value, 0


def _share(loads: list[_Load]) -> None:
    """Copy everything that ``loads`` read before the first of them, and let them read the copy."""
    first, span = loads[0], _Span.of(loads)
    element = ir.MemRefType(first.source.type).element_type
    dynamic = ir.ShapedType.get_dynamic_size()
    with first.copy.location, ir.InsertionPoint(first.copy):
        offset, operands = span.first, []
        if first.start is not None or offset < 0:
            number = arith.constant(ir.IndexType.get(), offset)
            offset, operands = dynamic, [number if first.start is None else arith.addi(first.start, number)]
        whole = _view(first.pointer, element, offset, operands, (span.size,), (1,))
        near = memref.alloc(ir.MemRefType.get([span.size], element), [], [])
        memref.copy(whole, near)
    for load in loads:
        with load.copy.location, ir.InsertionPoint(load.copy):
            old = load.source
            load.copy.operands[0] = _view(near, element, load.window.first - span.first, [], load.window.sizes,
                                          load.window.strides)
        _erase_unused(old)


def _view(buffer: ir.Value, element: ir.Type, offset: int, operands: list[ir.Value], sizes: tuple[int, ...],
          strides: tuple[int, ...]) -> ir.Value:
    layout = ir.StridedLayoutAttr.get(offset, list(strides))
    type_ = ir.MemRefType.get(list(sizes), element, layout)
    return memref.ReinterpretCastOp(type_, buffer, operands, [], [], [offset], list(sizes), list(strides)).result


def _erase_unused(view: ir.Value) -> None:
    while not isinstance(view.owner, ir.Block) and not any(True for _ in view.uses):
        op = view.owner.operation
        if op.name not in _VIEWS:
            return
        view = op.operands[0]
        op.erase()


def _buffer_bytes(function: ir.Operation) -> int:
    """Bytes of the buffers of ``function`` that may come to be in TCM."""
    return sum(known_bytes(op.results[0].type)
               for op in find_ops(function, lambda op: op.name in (_ALLOCATION, "tensor.empty")))

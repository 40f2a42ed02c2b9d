"""What the iterations of an scf.forall on buffers do with their slices."""

from __future__ import annotations

from dataclasses import dataclass, field

from hexagon_mlir.ir import ir, memref
from hexagon_mlir.passes.lib.even_foralls import even_chunks, is_elementwise

_UNKNOWN = ir.ShapedType.get_dynamic_size()


@dataclass
class Chunks:
    """Chunks of ``length`` of a loop over ``extent``."""

    extent: int
    length: int
    cut: dict[ir.Value, int] = field(default_factory=dict)
    """Slices of buffers, and private buffers of a chunk -> the dimension along the loop."""
    ends: list[ir.Operation] = field(default_factory=list)
    """The deallocations of private buffers."""

    def whole(self, own: ir.Value) -> ir.Value:
        """Create, at the insertion point, the buffer of all chunks that replaces a buffer of each chunk."""
        made = own.owner.operation.clone().operation
        made.results[0].set_type(_resized(own.type, self.cut[own], self.extent))
        return made.results[0]

    def slice_of(self, old: ir.Value, source: ir.Value, first: ir.Value, length: ir.Value) -> ir.Value:
        """Create, at the insertion point, the replacement of slice ``old``: ``length`` elements from ``first`` on."""
        at, type_ = self.cut[old], ir.MemRefType(old.type)
        strides = ir.MemRefType(source.type).get_strides_and_offset()[0]
        layout = ir.StridedLayoutAttr.get(_UNKNOWN, strides)
        shape = [_UNKNOWN if dim == at else size for dim, size in enumerate(type_.shape)]
        result = ir.MemRefType.get(shape, type_.element_type, layout, type_.memory_space)
        offsets = [_UNKNOWN if dim == at else 0 for dim in range(type_.rank)]
        return memref.SubViewOp(result, source, [first], [length], [], offsets, shape, [1] * type_.rank).result


def read(forall: ir.Operation) -> Chunks | str:
    """The chunks of ``forall``, or why they cannot be merged.

    An iteration may use its number only as the offset of its slices and as the index of its elements.
    """
    even = even_chunks(forall)
    if even is None:
        return "not one loop cut into chunks of the same length"
    block = forall.regions[0].blocks[0]
    chunks, number = Chunks(*even), block.arguments[0]
    for view in list(block.operations)[:-1]:
        if not _reads(view.operation, number, chunks):
            return f"{view.operation.name} is not elementwise work on slices"
    if any(use.owner.operation.name not in ("memref.subview", "arith.addi") for use in number.uses):
        return "the body computes with the number of a chunk"
    return chunks


def _reads(op: ir.Operation, number: ir.Value, chunks: Chunks) -> bool:
    """True where ``op`` may process all chunks together; its results are added to ``chunks``."""
    if op.name == "memref.alloc":
        shape = list(ir.MemRefType(op.results[0].type).shape)
        if shape.count(chunks.length) != 1 or len(op.operands):
            return False  # the dimension is ambiguous
        chunks.cut[op.results[0]] = shape.index(chunks.length)
        return True
    if op.name == "memref.dealloc":
        chunks.ends.append(op)
        return op.operands[0] in chunks.cut
    if op.name == "memref.subview":
        return _reads_slice(op, number, chunks)
    if op.name.startswith("arith."):
        return number not in list(op.operands)
    return is_elementwise(op) and _is_cut(op, number, chunks)


def _reads_slice(op: ir.Operation, number: ir.Value, chunks: Chunks) -> bool:
    """True for a slice of a buffer from outside with offset ``number`` along one dimension, and whole along all
    others."""
    offsets, sizes, strides = [list(ir.DenseI64ArrayAttr(op.attributes[f"static_{name}"]))
                               for name in ("offsets", "sizes", "strides")]
    if list(op.operands)[1:] != [number] or offsets.count(_UNKNOWN) != 1 or op.operands[0] in chunks.cut:
        return False
    at = offsets.index(_UNKNOWN)
    chunks.cut[op.results[0]] = at
    return (sizes[at] == chunks.length and set(strides) == {1} and {*offsets[:at], *offsets[at + 1:]} <= {0}
            and ir.MemRefType(op.results[0].type).rank == len(sizes))


def _is_cut(op: ir.Operation, number: ir.Value, chunks: Chunks) -> bool:
    """True where one loop of ``op`` runs along the chunk dimension of all chunked operands and of all outputs."""
    maps = [ir.AffineMapAttr(a).value for a in ir.ArrayAttr(op.attributes["indexing_maps"])]
    inputs = ir.DenseI32ArrayAttr(op.attributes["operandSegmentSizes"])[0]
    loops = {map_.results[chunks.cut[value]] for value, map_ in zip(op.operands, maps, strict=True)
             if value in chunks.cut}
    if len(loops) != 1 or any(value not in chunks.cut for value in list(op.operands)[inputs:]):
        return False
    loop = loops.pop()
    if not isinstance(loop, ir.AffineDimExpr):
        return False
    for value, map_ in zip(op.operands, maps, strict=True):
        along = chunks.cut.get(value)
        if any(_uses(result, loop) for at, result in enumerate(map_.results) if at != along):
            return False
    shifted = [inner.operation for inner in op.regions[0].blocks[0].operations
               if number in list(inner.operation.operands)]
    return all(inner.name == "arith.addi" and _is_index(inner, loop.position) for inner in shifted) and all(
        inner.operation.name != "memref.load" or inner.operation.operands[0] not in chunks.cut
        for inner in op.regions[0].blocks[0].operations)


def _is_index(sum_: ir.Operation, loop: int) -> bool:
    made = [None if isinstance(value.owner, ir.Block) else value.owner.operation for value in sum_.operands]
    return any(op is not None and op.name == "linalg.index" and ir.IntegerAttr(op.attributes["dim"]).value == loop
               for op in made)


def _uses(expression: ir.AffineExpr, loop: ir.AffineDimExpr) -> bool:
    if isinstance(expression, ir.AffineBinaryExpr):
        return _uses(expression.lhs, loop) or _uses(expression.rhs, loop)
    return expression == loop


def _resized(type_: ir.Type, at: int, size: int) -> ir.MemRefType:
    buffer = ir.MemRefType(type_)
    shape = list(buffer.shape)
    shape[at] = size
    return ir.MemRefType.get(shape, buffer.element_type, None, buffer.memory_space)

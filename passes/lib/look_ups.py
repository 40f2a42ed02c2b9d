"""Look-ups of tables that fit the registers: every lane reads an element of vectors that are loaded once.

HVX finds 32 bytes or 16 halfwords in a vector for each byte of another one (vlut32, vlut16; HVX V73 PRM 80-N2040-54,
chapter 5). A table of up to 256 elements has indices of one byte and is looked up segment by segment; an index outside
all segments gives zero, so only the table's own memory is read.
"""

from __future__ import annotations

from hexagon_mlir.dialects.look_ups import ELEMENT_BITS, INDEX_BITS, MOST_ELEMENTS, LookUp
from hexagon_mlir.ir import arith, ir, vector
from hexagon_mlir.ir.buffers import has_vectors
from hexagon_mlir.passes.lib.tail import Tail

_CASTS = frozenset({"arith.index_cast", "arith.index_castui", "arith.extui", "arith.extsi", "arith.trunci"})


def fits_registers(type_: ir.ShapedType) -> bool:
    """True for a table in one dimension that can be held in vectors and numbered with bytes."""
    if type_.rank != 1 or type_.is_dynamic_dim(0) or not 0 < type_.shape[0] <= MOST_ELEMENTS:
        return False
    element = type_.element_type
    return ((isinstance(element, ir.IntegerType) and element.width in ELEMENT_BITS)
            or str(element) in ("f16", "bf16", "f32")) and (not isinstance(type_, ir.MemRefType) or has_vectors(type_))


def is_index_cast(op: ir.Operation) -> bool:
    """True for an operation that leaves the low byte of an index as it was."""
    return op.name in _CASTS and _bits(op.operands[0].type) >= INDEX_BITS <= _bits(op.results[0].type)


def low_byte(index: ir.Value, body: ir.Block) -> ir.Value:
    """The value of ``body`` from which ``index`` is made by casts that preserve its low byte."""
    while not isinstance(index.owner, ir.Block) and index.owner.operation.block == body and \
            is_index_cast(index.owner.operation):
        index = index.owner.operation.operands[0]
    return index


def load_table(table: ir.Value, vector_bytes: int) -> ir.Value:
    """All elements of ``table``, padded with zeros, as a vector of integers: 1, 2, 4 or 8 HVX vectors."""
    type_ = ir.MemRefType(table.type)
    bits = _bits(type_.element_type)
    native, count = vector_bytes * 8 // bits, type_.shape[0]
    lanes = native
    while lanes < count:
        lanes *= 2
    wide = ir.VectorType.get([lanes], type_.element_type)
    zero, index = arith.constant(ir.IndexType.get(), 0), ir.IndexType.get()
    if count == lanes:
        loaded = vector.load(wide, table, [zero], alignment=bits // 8)
    else:
        tail = Tail(arith.constant(index, count), count, lanes, bits, lanes // native)
        loaded = tail.load(wide, table, [zero], bits, bits // 8)
    return _as_type(loaded, ir.IntegerType.get_signless(bits))


def look_up(table: ir.Value, count: int, index: ir.Value, element: ir.Type) -> ir.Value:
    """``element`` number ``index`` (a vector of integers, of which the low byte counts) of the ``count`` in ``table``
    (see `load_table`).
    """
    lanes = ir.VectorType(index.type).shape[0]
    byte = ir.IntegerType.get_signless(INDEX_BITS)
    bytes_ = ir.VectorType.get([lanes], byte)
    if _bits(ir.VectorType(index.type).element_type) < INDEX_BITS:
        index = arith.extui(bytes_, index)
    elif ir.VectorType(index.type).element_type == ir.IndexType.get():
        index = arith.index_cast(bytes_, index)
    elif index.type != bytes_:
        index = arith.trunci(bytes_, index)
    return _as_type(LookUp(table, index, count).emit(), element)


def _as_type(value: ir.Value, element: ir.Type) -> ir.Value:
    type_ = ir.VectorType.get(ir.VectorType(value.type).shape, element)
    return value if value.type == type_ else arith.bitcast(type_, value)


def _bits(type_: ir.Type) -> int:
    return 32 if isinstance(type_, ir.IndexType) else int(type_.width)

"""The last, partial vector step: masked memory accesses and selects.

Every mask has the lanes of one HVX vector of the elements it guards, and is a constant or comes from a comparison of
integers of their size. A mask in any other form would have to be converted, which LLVM 22 does with byte permutations
that repeat lanes and gets wrong. A step of mixed element sizes therefore handles its wide elements vector by vector.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from hexagon_mlir.ir import arith, ir, make, vector
from hexagon_mlir.ir.constants import constant, index
from hexagon_mlir.ir.query import in_tcm


@dataclass
class Tail:
    """``valid`` (an index; ``static`` when known) of ``lanes`` elements, ``vectors`` HVX vectors of the narrowest
    element size, ``bits``.

    ``masks`` caches the masks made so far. They are emitted right after ``valid``, so they dominate the same
    operations.
    """

    valid: ir.Value
    static: int | None
    lanes: int
    bits: int
    vectors: int = 1
    masks: dict[tuple[int, int], ir.Value] = field(default_factory=dict)

    def load(self, type_: ir.VectorType, source: ir.Value, indices: Sequence[ir.Value], bits: int,
             alignment: int) -> ir.Value:
        """``vector<lanes x T>`` with zeros past the valid elements; ``bits`` is the size of T."""
        return concatenate(self.load_parts(type_, source, indices, bits, alignment))

    def load_parts(self, type_: ir.VectorType, source: ir.Value, indices: Sequence[ir.Value], bits: int,
                   alignment: int) -> list[ir.Value]:
        """As `load`, as one value per HVX vector."""
        width = self._width(bits)
        part_type = ir.VectorType.get([width], type_.element_type)
        parts = []
        for start in range(0, self.lanes, width):
            if self._is_empty(start):
                parts.append(zeros(part_type))
                continue
            at = self._place(indices, start)
            if self._is_full(start, width):
                parts.append(make.load(part_type, source, at, alignment=alignment))
            elif in_tcm(ir.MemRefType(source.type)):  # allocations end one vector later: no masks needed
                whole = make.load(part_type, source, at, alignment=alignment)
                parts.append(arith.select(self._mask(start, bits), whole, zeros(part_type)))
            else:
                parts.append(vector.maskedload(part_type, source, at, self._mask(start, bits), zeros(part_type),
                                               alignment=alignment))
        return parts

    def store(self, value: ir.Value, target: ir.Value, indices: Sequence[ir.Value], bits: int, alignment: int) -> None:
        """Store the valid elements of ``value``."""
        width = self._width(bits)
        self.store_parts([_slice(value, start, width) for start in range(0, self.lanes, width)], target, indices, bits,
                         alignment)

    def store_parts(self, parts: Sequence[ir.Value], target: ir.Value, indices: Sequence[ir.Value], bits: int,
                    alignment: int) -> None:
        """As `store`, with one value per HVX vector."""
        width = self._width(bits)
        for start, part in zip(range(0, self.lanes, width), parts, strict=True):
            if self._is_empty(start):
                break
            at = self._place(indices, start)
            if self._is_full(start, width):
                make.store(part, target, at, alignment=alignment)
            else:
                vector.maskedstore(target, at, self._mask(start, bits), part, alignment=alignment)

    def select(self, new: ir.Value, old: ir.Value, bits: int) -> ir.Value:
        """``new`` in the valid lanes, ``old`` in the others."""
        width = self._width(bits)
        parts = []
        for start in range(0, self.lanes, width):
            if self._is_empty(start):
                parts.append(_slice(old, start, width))
            elif self._is_full(start, width):
                parts.append(_slice(new, start, width))
            else:
                parts.append(arith.select(self._mask(start, bits), _slice(new, start, width),
                                          _slice(old, start, width)))
        return concatenate(parts)

    def with_elements_between(self, stride: int) -> Tail:
        """The same elements with ``stride`` - 1 other elements between neighbours."""
        span = make.addi(make.muli(make.subi(self.valid, index(1)), index(stride)),
                        index(1))
        static = None if self.static is None else (self.static - 1) * stride + 1
        return Tail(span, static, self.lanes * stride, self.bits, self.vectors * stride)

    def rows(self, count: int) -> Tail:
        """All elements of the first rows, of ``count`` elements each."""
        static = None if self.static is None else self.static * count
        valid = make.muli(self.valid, index(count))
        return Tail(valid, static, self.lanes * count, self.bits, self.vectors * count)

    def store_every(self, parts: Sequence[ir.Value], stride: int, target: ir.Value, indices: Sequence[ir.Value],
                    bits: int) -> None:
        """Store the valid elements whose number is a multiple of ``stride``."""
        width = self._width(bits)
        for start, part in zip(range(0, self.lanes, width), parts, strict=True):
            if self._is_empty(start):
                break
            known = self.lanes if self.static is None else self.static
            mask = _chosen([(start + lane) % stride == 0 and start + lane < known for lane in range(width)])
            if self.static is None:
                mask = arith.andi(mask, self._mask(start, bits))
            vector.maskedstore(target, self._place(indices, start), mask, part, alignment=bits // 8)

    def part(self, start: int, lanes: int, bits: int) -> Tail:
        """The ``lanes`` elements of ``bits`` from number ``start`` on, which are one HVX vector."""
        if self.static is not None:
            count = min(max(self.static - start, 0), lanes)
            return Tail(index(count), count, lanes, bits)
        left = make.subi(self.valid, index(start)) if start else self.valid
        least, most = index(0), index(lanes)
        return Tail(arith.maxsi(arith.minsi(left, most), least), None, lanes, bits)

    def _place(self, indices: Sequence[ir.Value], start: int) -> list[ir.Value]:
        """Indices of the vector from element ``start`` on; of the first vector if it has no valid element.

        HVX accesses masked-off lanes too, and memory is allocated for one vector past the valid elements, not for
        several.
        """
        if not start or self.static is not None:
            return shifted(indices, start)
        valid = arith.cmpi(arith.CmpIPredicate.sgt, self.valid, index(start))
        offset = arith.select(valid, index(start), index(0))
        return [*indices[:-1], make.addi(indices[-1], offset)]

    def _width(self, bits: int) -> int:
        """Elements of ``bits`` in one HVX vector."""
        return self.lanes * self.bits // (bits * self.vectors)

    def _is_empty(self, start: int) -> bool:
        return self.static is not None and self.static <= start

    def _is_full(self, start: int, width: int) -> bool:
        return self.static is not None and self.static >= start + width

    def _mask(self, start: int, bits: int) -> ir.Value:
        if self.static is not None:
            return _chosen([start + lane < self.static for lane in range(self._width(bits))])
        if (start, bits) not in self.masks:
            with ir.InsertionPoint.after(self.valid.owner):
                self.masks[start, bits] = self._new_mask(start, bits)
        return self.masks[start, bits]

    def _new_mask(self, start: int, bits: int) -> ir.Value:
        element = ir.IntegerType.get_signless(bits)
        width = self._width(bits)
        type_ = ir.VectorType.get([width], element)
        # 128 lanes, one more than the largest signed byte: counted from the end, all of them fit
        low = start + (width if width >> (bits - 1) else 0)
        numbers = ir.DenseElementsAttr.get([ir.IntegerAttr.get(element, i + start - low) for i in range(width)],
                                           type_)
        left = make.subi(self.valid, index(low)) if low else self.valid
        if self.lanes > 1 << (bits - 1):  # clamped to the range of ``element``
            left = arith.maxsi(left, index(-(1 << (bits - 1))))
            left = arith.minsi(left, index((1 << (bits - 1)) - 1))
        bound = make.broadcast(type_, arith.index_cast(element, left))
        return arith.cmpi(arith.CmpIPredicate.slt, constant(numbers), bound)


def _chosen(lanes: Sequence[bool]) -> ir.Value:
    """A mask that is loop-invariant."""
    true, false = ir.BoolAttr.get(True), ir.BoolAttr.get(False)
    type_ = ir.VectorType.get([len(lanes)], true.type)
    return constant(ir.DenseElementsAttr.get([true if lane else false for lane in lanes], type_))


def shifted(indices: Sequence[ir.Value], start: int) -> list[ir.Value]:
    """``indices``, the last one by ``start`` elements further."""
    if not start:
        return list(indices)
    return [*indices[:-1], make.addi(indices[-1], index(start))]


def _slice(value: ir.Value, start: int, width: int) -> ir.Value:
    if ir.VectorType(value.type).shape[0] == width:
        return value
    return make.shuffle(value, value, list(range(start, start + width)))


def concatenate(parts: list[ir.Value]) -> ir.Value:
    """The concatenation of ``parts``, a power of two of them."""
    while len(parts) > 1:
        width = 2 * ir.VectorType(parts[0].type).shape[0]
        parts = [make.shuffle(a, b, list(range(width))) for a, b in zip(parts[::2], parts[1::2], strict=True)]
    return parts[0]


def zeros(type_: ir.VectorType) -> ir.Value:
    """Zero in every lane."""
    element = type_.element_type
    zero = (ir.IntegerAttr.get(element, 0) if isinstance(element, ir.IntegerType | ir.IndexType)
            else ir.FloatAttr.get(element, 0.0))
    return constant(ir.DenseElementsAttr.get_splat(type_, zero))

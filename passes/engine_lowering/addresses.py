"""Where a view of a buffer begins, in bytes: a buffer's address, and what indices add to it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace

from hexagon_mlir.ir import ir
from hexagon_mlir.ir.bounds import constant_value
from hexagon_mlir.ir.constants import index
from hexagon_mlir.ir.make import addi, muli
from hexagon_mlir.ir.query import element_bytes


@dataclass(frozen=True)
class Address:
    """``offset`` bytes after the first element of ``buffer``, and ``terms[v]`` bytes more for each ``v``, an index."""

    buffer: ir.Value
    offset: int = 0
    terms: dict[ir.Value, int] = field(default_factory=dict)

    @staticmethod
    def of(value: ir.Value) -> Address:
        """Where ``value``, a buffer of static layout, begins: its slices are followed, and sums and multiples of their
        indices."""
        if isinstance(value.owner, ir.Block) or value.owner.operation.name != "memref.subview":
            return Address(value)
        view = value.owner.operation
        source = ir.MemRefType(view.operands[0].type)
        width = element_bytes(source.element_type)
        dynamic = iter(list(view.operands)[1:])
        found = Address.of(view.operands[0])
        for place, stride in zip(ir.DenseI64ArrayAttr(view.attributes["static_offsets"]),
                                 source.get_strides_and_offset()[0], strict=True):
            known = place != ir.ShapedType.get_dynamic_size()
            found = (replace(found, offset=found.offset + place * stride * width) if known
                     else found._plus(next(dynamic), stride * width))
        return found

    def _plus(self, value: ir.Value, factor: int) -> Address:
        """``factor`` times the index ``value`` further."""
        number = constant_value(value)
        if number is not None:
            return replace(self, offset=self.offset + number * factor)
        op = None if isinstance(value.owner, ir.Block) else value.owner.operation
        if op is not None and op.name == "arith.addi":
            return self._plus(op.operands[0], factor)._plus(op.operands[1], factor)
        if op is not None and op.name == "arith.muli":
            for one, other in (list(op.operands), list(op.operands)[::-1]):
                number = constant_value(other)
                if number is not None:
                    return self._plus(one, factor * number)
        return replace(self, terms={**self.terms, value: self.terms.get(value, 0) + factor})

    def after(self, other: Address) -> int | None:
        """Bytes from ``other`` to this address; None if they are not known."""
        return self.offset - other.offset if (self.buffer, self.terms) == (other.buffer, other.terms) else None

    def moved(self, step: int) -> Address:
        """``step`` bytes further."""
        return replace(self, offset=self.offset + step)

    def without(self, value: ir.Value) -> Address:
        """Where this is for 0 as ``value``."""
        return replace(self, terms={term: factor for term, factor in self.terms.items() if term != value})

    def emit(self, start: Callable[[ir.Value], ir.Value]) -> ir.Value:
        """The address, an index, at the insertion point; ``start`` gives that of a buffer's first element."""
        address = start(self.buffer)
        for value, factor in self.terms.items():
            address = addi(address, muli(value, index(factor)))
        return addi(address, index(self.offset)) if self.offset else address

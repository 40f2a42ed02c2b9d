"""How a TTIR value crosses the border of a loop or branch: which IR values carry it, and how it is rebuilt."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import Enum

from hexagon_mlir.ir import ir
from hexagon_mlir.passes.triton_import import build, ints, linear
from hexagon_mlir.passes.triton_import.values import Descriptor, Known, Pointer, Tensor, varying


class Form(Enum):
    """OFFSET: same strides, only the offset changes. WHOLE: every element (and a pointer's base) is carried."""

    OFFSET = "offset"
    WHOLE = "whole"


@dataclass(frozen=True)
class Carried:
    """One carried value: what it looked like on the way in, and its form."""

    model: Known
    form: Form

    def unpack(self, node: Known) -> list[ir.Value] | None:
        """The IR values that carry ``node``; None when it does not fit the form."""
        if self.form is Form.OFFSET:
            assert not isinstance(self.model, Descriptor)
            assert self.model.linear is not None
            if isinstance(node, Descriptor) or node.linear is None:
                return None
            if not linear.same_shape_of_access(self.model.linear, node.linear):
                return None
            if isinstance(node, Pointer) and node.base != self.model.base:
                return None
            return [ints.value(node.linear.offset, self._integer)]
        if isinstance(node, Pointer):
            offsets = linear.as_node(node.linear, ints.index_type(), node.shape)
            return [node.base, build.compact(offsets)]
        if isinstance(node, Descriptor):
            return [node.base, *[ints.value(n, ints.index_type()) for n in node.numbers],
                    ints.value(node.pad_nan, ir.IntegerType.get_signless(1))]
        return [build.compact(node)]

    def pack(self, values: Sequence[ir.Value]) -> tuple[Known, int]:
        """The node that ``values`` begin with, and how many of them it took."""
        model = self.model
        if self.form is Form.OFFSET:
            assert not isinstance(model, Descriptor)
            assert model.linear is not None
            form = replace(model.linear, offset=values[0])
            if isinstance(model, Pointer):
                return replace(model, linear=form), 1
            return linear.as_node(form, model.element, model.shape), 1
        if isinstance(model, Pointer):
            offsets = build.from_compact(values[1], ints.index_type(), model.shape)
            return replace(model, base=values[0], linear=linear.linear_of(offsets)), 2
        if isinstance(model, Descriptor):
            count = 2 * len(model.block) + 1
            return model.rebuilt(values[0], values[1: 1 + count], values[1 + count]), 2 + count
        return build.from_compact(values[0], model.element, model.shape), 1

    def types(self) -> list[ir.Type]:
        """The IR types of `unpack`'s values."""
        if self.form is Form.OFFSET:
            return [self._integer]
        if isinstance(self.model, Descriptor):
            numbers = [ints.index_type()] * (2 * len(self.model.block) + 1)
            return [base_type(self.model.pointee), *numbers, ir.IntegerType.get_signless(1)]
        sizes = [self.model.shape[d] for d in varying(self.model.shape)]
        element = ints.index_type() if isinstance(self.model, Pointer) else self.model.element
        value = ir.RankedTensorType.get(sizes, element) if sizes else element
        return [base_type(self.model.pointee), value] if isinstance(self.model, Pointer) else [value]

    @property
    def _integer(self) -> ir.Type:
        return self.model.element if isinstance(self.model, Tensor) else ints.index_type()


def base_type(pointee: ir.Type) -> ir.Type:
    """The type of a kernel's pointer argument: a bare pointer, seen as a buffer of one element."""
    return ir.MemRefType.get([1], pointee)


def first_form(node: Known) -> Form:
    """The cheapest form that may do: pointers and index tensors start as offsets."""
    if isinstance(node, Tensor):
        return Form.OFFSET if node.shape and node.linear is not None and node.data is None else Form.WHOLE
    return Form.OFFSET if isinstance(node, Pointer) else Form.WHOLE

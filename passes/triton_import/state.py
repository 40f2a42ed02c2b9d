"""How a loop or branch carries a TTIR value: the IR values for it, and how it is rebuilt from them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import Enum

from hexagon_mlir.ir import ir
from hexagon_mlir.passes.triton_import import build, ints, linear, pointers
from hexagon_mlir.passes.triton_import.types import Unsupported
from hexagon_mlir.passes.triton_import.values import Choice, Descriptor, Dims, Known, Linear, Pointer, Tensor, varying


class Form(Enum):
    """OFFSET: the offset is carried, and the steps are either unchanged or carried too. WHOLE: every element is
    carried. ADDRESSES: so are pointers with different bases, as integers.
    """

    OFFSET = "offset"
    WHOLE = "whole"
    ADDRESSES = "addresses"


@dataclass(frozen=True)
class Carried:
    """One carried value: its model on entry, and its form.

    With an OFFSET, the strides of the dimensions ``steps`` and, if ``base``, a pointer's base are carried too.
    """

    model: Known
    form: Form
    steps: Dims = ()
    base: bool = False

    def unpack(self, node: Known) -> list[ir.Value] | None:
        """The IR values that carry ``node``; None when it does not fit the form."""
        if self.form is Form.OFFSET:
            return self._offset(node)
        index = ints.index_type()
        if self.form is Form.ADDRESSES:
            assert isinstance(node, Pointer | Choice)
            return [build.compact(pointers.address_of(node, ir.IntegerType.get_signless(64)))]
        if _of_several(node):
            raise Unsupported("pointers to several places are the result of a function", "return what they point to")
        if isinstance(node, Pointer):
            return [node.base, build.compact(linear.as_node(node.linear, index, node.shape))]
        if isinstance(node, Descriptor):
            return [node.base, *[ints.value(n, index) for n in node.numbers],
                    ints.value(node.pad_nan, ir.IntegerType.get_signless(1))]
        assert isinstance(node, Tensor)
        return [build.compact(node)]

    def _offset(self, node: Known) -> list[ir.Value] | None:
        if isinstance(self.model, Choice):
            if not isinstance(node, Choice) or node.condition is not self.model.condition:
                return None
            parts = [half.unpack(part) for half, part in zip(self._halves, (node.a, node.b), strict=True)]
            return None if parts[0] is None or parts[1] is None else [*parts[0], *parts[1]]
        form, own = _linear(node), _linear(self.model)
        if form is None or own is None or not linear.same_shape_of_access(self._without_steps(own),
                                                                          self._without_steps(form)):
            return None
        if not self.base and isinstance(node, Pointer) and not _same_base(node, self.model):
            return None
        numbers = [form.offset, *(form.strides[d] for d in self.steps)]
        return [*([node.base] if self.base and isinstance(node, Pointer) else []),
                *(ints.value(number, self._integer) for number in numbers)]

    def widened(self, node: Known) -> Carried:
        """The form that also carries the properties in which ``node`` differs from the model."""
        if _of_several(node) or _of_several(self.model):
            return Carried(self.model, Form.ADDRESSES)
        form, own, whole = _linear(node), _linear(self.model), Carried(self.model, Form.WHOLE)
        if form is None or own is None or form.lanes or form.pieces or own.lanes or own.pieces:
            return whole
        apart = tuple(d for d, (s, t) in enumerate(zip(form.strides, own.strides, strict=True))
                      if d in self.steps or not ints.same(s, t))
        base = self.base or (isinstance(node, Pointer) and not _same_base(node, self.model))
        wider = Carried(self.model, Form.OFFSET, apart, base)
        return wider if wider != self and wider.unpack(node) is not None else whole

    def pack(self, values: Sequence[ir.Value]) -> tuple[Known, int]:
        """The node at the head of ``values``, and the number of values it takes."""
        model = self.model
        if self.form is Form.OFFSET:
            return self._moved(values)
        if self.form is Form.ADDRESSES:
            assert isinstance(model, Pointer | Choice)
            addresses = build.from_compact(values[0], ir.IntegerType.get_signless(64), model.shape)
            return pointers.of_address(addresses, model.pointee), 1
        if isinstance(model, Pointer):
            offsets = build.from_compact(values[1], ints.index_type(), model.shape)
            return replace(model, base=values[0], linear=linear.linear_of(offsets)), 2
        if isinstance(model, Descriptor):
            count = 2 * len(model.block) + 1
            return model.rebuilt(values[0], values[1: 1 + count], values[1 + count]), 2 + count
        assert isinstance(model, Tensor)
        return build.from_compact(values[0], model.element, model.shape), 1

    def _moved(self, values: Sequence[ir.Value]) -> tuple[Known, int]:
        model = self.model
        if isinstance(model, Choice):
            first, second = self._halves
            a, used = first.pack(values)
            b, more = second.pack(values[used:])
            return Choice(model.condition, a, b), used + more  # type: ignore[arg-type]
        own = _linear(model)
        assert own is not None
        offset, *steps = values[self.base: self.base + 1 + len(self.steps)]
        changed = dict(zip(self.steps, steps, strict=True))
        form = replace(own, offset=offset, strides=tuple(changed.get(d, s) for d, s in enumerate(own.strides)))
        used = self.base + 1 + len(self.steps)
        if isinstance(model, Pointer):
            return replace(model, base=values[0] if self.base else model.base, linear=form), used
        assert isinstance(model, Tensor)
        return linear.as_node(form, model.element, model.shape), used

    def types(self) -> list[ir.Type]:
        """The IR types of `unpack`'s values."""
        model = self.model
        if self.form is Form.OFFSET:
            if isinstance(model, Choice):
                return [type for half in self._halves for type in half.types()]
            base = [base_type(model.pointee)] if self.base and isinstance(model, Pointer) else []
            return [*base, *[self._integer] * (1 + len(self.steps))]
        if isinstance(model, Descriptor):
            numbers = [ints.index_type()] * (2 * len(model.block) + 1)
            return [base_type(model.pointee), *numbers, ir.IntegerType.get_signless(1)]
        sizes = [model.shape[d] for d in varying(model.shape)]

        def whole(element: ir.Type) -> ir.Type:
            return ir.RankedTensorType.get(sizes, element) if sizes else element

        if isinstance(model, Tensor):
            return [whole(model.element)]
        if self.form is Form.ADDRESSES:
            return [whole(ir.IntegerType.get_signless(64))]
        return [base_type(model.pointee), whole(ints.index_type())]

    @property
    def _integer(self) -> ir.Type:
        return self.model.element if isinstance(self.model, Tensor) else ints.index_type()

    @property
    def _halves(self) -> tuple[Carried, Carried]:
        assert isinstance(self.model, Choice)
        return Carried(self.model.a, self.form), Carried(self.model.b, self.form)

    def _without_steps(self, form: Linear) -> Linear:
        return replace(form, strides=tuple(0 if d in self.steps else s for d, s in enumerate(form.strides)))


def _linear(node: Known) -> Linear | None:
    return node.linear if isinstance(node, Tensor | Pointer) else None


def _of_several(node: Known) -> bool:
    """True for pointers with different bases."""
    return isinstance(node, Choice) or (isinstance(node, Pointer) and isinstance(node.base, Tensor))


def _same_base(a: Pointer, b: Known) -> bool:
    if not isinstance(b, Pointer):
        return False
    return a.base is b.base if isinstance(a.base, Tensor) or isinstance(b.base, Tensor) else a.base == b.base


def base_type(pointee: ir.Type) -> ir.Type:
    """The type of a kernel's pointer argument: a bare pointer, seen as a buffer of one element."""
    return ir.MemRefType.get([1], pointee)


def whole(node: Known) -> Carried:
    """The form that carries any node of the kind of ``node``."""
    return Carried(node, Form.ADDRESSES if _of_several(node) else Form.WHOLE)


def first_form(node: Known) -> Carried:
    """The cheapest form that may suffice: pointers and index tensors start as offsets."""
    if isinstance(node, Tensor):
        steps = node.shape and node.linear is not None and node.data is None
        return Carried(node, Form.OFFSET if steps else Form.WHOLE)
    return Carried(node, Form.WHOLE if isinstance(node, Descriptor) else Form.OFFSET)

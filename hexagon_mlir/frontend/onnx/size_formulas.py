"""Whether the sizes in an ONNX graph are polynomials of the named sizes of its inputs."""

from __future__ import annotations

from collections.abc import Mapping

import onnx
from onnx import GraphProto, ModelProto, NodeProto, TensorProto

Shape = tuple[int | None, ...]
"""Sizes, None for those that are not known before a run."""
_SEVERAL_CASES = frozenset({"Min", "Max", "Clip", "Mod", "Div", "Floor", "Ceil", "Round", "NonZero", "Unique",
                            "Compress"})
"""What of sizes is no polynomial, or another one for other sizes."""
_INTEGERS = (TensorProto.INT64, TensorProto.INT32)
_LARGEST_END = 1 << 31
"""Ends of slices from here on mean the whole dimension."""


def not_polynomial(proto: ModelProto) -> str | None:
    """The name of the first node of ``proto`` whose result has other formulas for other sizes; None without one.

    Looks at numbers that are computed from dynamic sizes, and at slices of a dynamic dimension with constant bounds.
    """
    return _Formulas(proto).first(proto.graph)


class _Formulas:
    """What is known of the values in ``proto`` before a run: ``shapes``, ``constants``, and which are ``dynamic``, that
    is computed from sizes; of a shape, for each of its sizes. ``floats`` are dynamic too: a quotient of them is no
    size as long as it is no integer again."""

    def __init__(self, proto: ModelProto) -> None:
        self.shapes = _shapes(proto)
        self.constants: dict[str, TensorProto] = {tensor.name: tensor for tensor in proto.graph.initializer}
        self.dynamic: dict[str, tuple[bool, ...]] = {}
        self.floats: set[str] = set()

    def first(self, graph: GraphProto) -> str | None:
        """The name of the first node with several cases."""
        for node in graph.node:
            inner = (self.first(attribute.g) for attribute in node.attribute if attribute.HasField("g"))
            found = next((name for name in inner if name), None)
            if found:
                return found
            dynamic = any(any(self.dynamic.get(name, ())) for name in node.input)
            if (dynamic and self._has_cases(node)) or (node.op_type == "Slice" and self._cuts(node)):
                return node.name or node.op_type
            self._note(node, dynamic)
        return None

    def _has_cases(self, node: NodeProto) -> bool:
        """Whether ``node`` computes other formulas for other dynamic operands."""
        floats = not self.floats.isdisjoint(node.input)
        if node.op_type == "Cast":
            return floats and node.attribute[0].i in _INTEGERS
        return node.op_type in _SEVERAL_CASES and not (floats and node.op_type == "Div")

    def _note(self, node: NodeProto, dynamic: bool) -> None:
        """Write down what the results of ``node`` depend on."""
        flags: tuple[bool, ...] = (True,) if dynamic else ()
        if node.op_type == "Constant":
            self.constants.update((node.output[0], one.t) for one in node.attribute if one.name == "value")
        elif node.op_type == "Shape" and not node.attribute:
            shape = self.shapes.get(node.input[0])
            flags = (True,) if shape is None else tuple(size is None for size in shape)
        elif node.op_type in ("Shape", "Size"):
            flags = (True,)
        elif node.op_type == "Gather":
            given, places = self.dynamic.get(node.input[0], ()), _numbers(self.constants.get(node.input[1]))
            if places is not None and all(-len(given) <= place < len(given) for place in places):
                flags = tuple(given[place] for place in places)
        elif node.op_type in ("Identity", "Cast", "Unsqueeze", "Squeeze"):
            flags = self.dynamic.get(node.input[0], ())
        self.dynamic |= dict.fromkeys(node.output, flags)
        to_float = node.op_type == "Cast" and node.attribute[0].i not in _INTEGERS
        if any(flags) and (to_float or not self.floats.isdisjoint(node.input)):
            self.floats.update(node.output)

    def _cuts(self, node: NodeProto) -> bool:
        """Whether a slice starts or ends at a constant that may be outside a dynamic dimension."""
        shape = self.shapes.get(node.input[0])
        if shape is None or len(node.input) < 3 or any(self.dynamic.get(node.input[0], ())):
            return shape is None
        starts, ends = (_numbers(self.constants.get(name)) for name in node.input[1:3])
        axes = _numbers(self.constants.get(node.input[3])) if len(node.input) > 3 and node.input[3] else list(
            range(len(ends or starts or ())))
        if axes is None:
            return True
        return any(shape[axis] is None and bounds is not None and 0 < abs(bounds[number]) < _LARGEST_END
                   for number, axis in enumerate(axes) for bounds in (starts, ends))


def _numbers(tensor: TensorProto | None) -> list[int] | None:
    """The integers in ``tensor``; None where they are not known."""
    if tensor is None or tensor.data_type not in _INTEGERS or tensor.external_data:
        return None
    return [int(number) for number in onnx.numpy_helper.to_array(tensor).reshape(-1)]


def _shapes(proto: ModelProto) -> Mapping[str, Shape]:
    """The shapes that are known."""
    try:
        proto = onnx.shape_inference.infer_shapes(proto, data_prop=True)
    except onnx.shape_inference.InferenceError:
        return {}
    values = [*proto.graph.value_info, *proto.graph.input, *proto.graph.output]
    found: dict[str, Shape] = {value.name: tuple(dim.dim_value if dim.HasField("dim_value") else None
                                                 for dim in value.type.tensor_type.shape.dim)
                               for value in values if value.type.tensor_type.HasField("shape")}
    return found | {tensor.name: tuple(tensor.dims) for tensor in proto.graph.initializer}

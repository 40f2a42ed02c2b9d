"""Convolutions with channels last: a row of the window and its channels as one contiguous dimension.

``image[n, y, x, c]`` is read as ``image[n, y, x * C + c]`` where the columns of the window are adjacent: sums are over
``KW * C`` contiguous elements, in whole vectors even for three channels.
"""

from __future__ import annotations

from hexagon_mlir.ir import ir, tensor

WINDOWS = {"linalg.conv_1d_nwc_wcf": 1, "linalg.conv_2d_nhwc_hwcf": 2}
"""Op -> number of dimensions of the window."""


def has_rows(op: ir.Operation) -> bool:
    """True for a convolution on tensors that `join_rows` takes: neighbouring columns, a known number of channels."""
    if op.name not in WINDOWS or len(op.results) != 1:
        return False
    shape = list(ir.RankedTensorType(op.operands[1].type).shape)
    image = ir.RankedTensorType(op.operands[0].type)
    static = not any(ir.RankedTensorType(op.operands[1].type).is_dynamic_dim(d) for d in range(len(shape)))
    return static and not image.is_dynamic_dim(image.rank - 1) and _numbers(op, "dilations")[-1] == 1


def join_rows(op: ir.Operation) -> None:
    """Replace ``op`` by a linalg.generic on its image and filter with columns and channels in one dimension."""
    window = WINDOWS[op.name]
    strides, dilations = _numbers(op, "strides"), _numbers(op, "dilations")
    image, filter_, start = op.operands
    channels = ir.RankedTensorType(image.type).shape[-1]
    places = 1 + window + 1  # of the result: sample, position, channel
    loops = places + window
    dim = ir.AffineDimExpr.get
    positions = [dim(1 + axis) * strides[axis] + dim(places + axis) * dilations[axis] for axis in range(window - 1)]
    along = dim(window) * (strides[-1] * channels) + dim(loops - 1)
    maps = [[dim(0), *positions, along], [*(dim(places + axis) for axis in range(window)), dim(places - 1)],
            [dim(d) for d in range(places)]]
    kinds = ["parallel"] * places + ["reduction"] * window
    affine = [ir.AffineMapAttr.get(ir.AffineMap.get(loops, 0, of)) for of in maps]
    with op.location, ir.InsertionPoint(op):
        new = ir.Operation.create(
            "linalg.generic", results=[start.type], regions=1,
            operands=[_collapsed(image, window), _collapsed(filter_, window - 1), start],
            attributes={
                "indexing_maps": ir.ArrayAttr.get(affine),
                "iterator_types": ir.ArrayAttr.get([ir.Attribute.parse(f"#linalg.iterator_type<{kind}>")
                                                    for kind in kinds]),
                "operandSegmentSizes": ir.DenseI32ArrayAttr.get([2, 1])})
    op.regions[0].blocks[0].append_to(new.regions[0])
    op.results[0].replace_all_uses_with(new.results[0])
    op.erase()


def _collapsed(value: ir.Value, first: int) -> ir.Value:
    """``value`` with dimensions ``first`` and ``first + 1`` collapsed."""
    type_ = ir.RankedTensorType(value.type)
    groups = [[d] for d in range(first)] + [[first, first + 1]] + [[d] for d in range(first + 2, type_.rank)]
    dynamic = ir.ShapedType.get_dynamic_size()
    sizes = [dynamic if type_.is_dynamic_dim(d) else type_.shape[d] for d in range(type_.rank)]
    both = dynamic if dynamic in sizes[first:first + 2] else sizes[first] * sizes[first + 1]
    shape = [*sizes[:first], both, *sizes[first + 2:]]
    return tensor.collapse_shape(ir.RankedTensorType.get(shape, type_.element_type), value, groups)


def _numbers(op: ir.Operation, name: str) -> list[int]:
    """``strides`` or ``dilations``; 1 where ``op`` has no such attribute."""
    if name not in op.attributes:
        return [1] * WINDOWS[op.name]
    return [int(number) for number in ir.DenseIntElementsAttr(op.attributes[name])]

"""Operations with sizes among their attributes, generalized."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from hexagon_mlir.codegen.generic_sizes.formulas import Numbers
from hexagon_mlir.codegen.generic_sizes.numbers import Numerals
from hexagon_mlir.ir import Diagnostic, HexError, Place, arith, ir, linalg, tensor

ORIGIN = "generic-sizes"
_DYNAMIC = ir.ShapedType.get_dynamic_size()


class Differs(HexError):
    """The same kernel at other sizes is other code, because of an operation called ``op``."""

    def __init__(self, op: str, reason: str) -> None:
        super().__init__(Diagnostic("error", Place("<model>"), ORIGIN, f"'{op}': {reason}"))


def dimensions(values: Sequence[ir.Value]) -> list[Numbers]:
    """The sizes of each dimension at the examples; none of what is no tensor."""
    types = [value.type for value in values]
    if not isinstance(types[0], ir.RankedTensorType):
        return []
    return list(zip(*(type_.shape for type_ in types), strict=True))


def generalized_type(values: Sequence[ir.Value]) -> ir.Type:
    """The type of values that differ in sizes alone; raises `Differs`."""
    types = [value.type for value in values]
    if all(type_ == types[0] or str(type_) == str(types[0]) for type_ in types):
        return types[0]
    kinds = {(str(t.element_type), t.rank, str(t.encoding)) if isinstance(t, ir.RankedTensorType) else str(t)
             for t in types}
    if len(kinds) > 1:
        raise Differs(_owner(values[0]), f"types {types[0]} and {types[-1]}")
    shape = [sizes[0] if len(set(sizes)) == 1 else _DYNAMIC for sizes in dimensions(values)]
    return ir.RankedTensorType.get(shape, types[0].element_type, types[0].encoding)


def _owner(value: ir.Value) -> str:
    return value.owner.operation.name if isinstance(value.owner, ir.OpView) else "func.func"


def _replace(op: ir.Operation, new: ir.Value) -> None:
    op.results[0].replace_all_uses_with(new)
    op.erase()


def _constant(ops: Sequence[ir.Operation], types: list[ir.Type], numerals: Numerals) -> None:
    values = [op.attributes["value"] for op in ops]
    if isinstance(types[0], ir.RankedTensorType):
        _replace(ops[0], _splat(values, types[0], numerals, [dimensions([op.results[0] for op in ops])][0]))
    elif isinstance(values[0], ir.IntegerAttr):
        result = numerals.value(tuple(value.value for value in values))
        _replace(ops[0], result if isinstance(types[0], ir.IndexType) else arith.index_cast(types[0], result))
    else:
        _replace(ops[0], _float([value.value for value in values], types[0], numerals))


def _splat(values: Sequence[Any], type_: ir.Type, numerals: Numerals, sizes: list[Numbers]) -> ir.Value:
    if not all(isinstance(value, ir.DenseElementsAttr) and value.is_splat for value in values) or len(
            {str(value.get_splat_value()) for value in values}) > 1:
        raise Differs("arith.constant", "a table depends on sizes")
    element = arith.ConstantOp(type_.element_type, values[0].get_splat_value()).result
    empty = tensor.empty([numerals.size(numbers) for numbers in sizes], type_.element_type)
    return linalg.fill(element, outs=[empty])


def _float(values: Sequence[float], type_: ir.Type, numerals: Numerals) -> ir.Value:
    """A float that is a size, or one divided by a size (of f32 or f64); raises `Differs` for other ones."""
    rounded = np.float32 if isinstance(type_, ir.F32Type) else np.float64
    if isinstance(type_, ir.F32Type | ir.F64Type) and all(np.isfinite(values)):
        for inverse in (False, True):
            numbers = tuple(round(1 / value if inverse and value else value) for value in values)
            again = [float(rounded(1) / rounded(number) if inverse else rounded(number)) if number else 0.0
                     for number in numbers]
            if again == list(values) and min(numbers) > 0 and max(numbers) < 1 << 24:
                wide = arith.index_cast(ir.IntegerType.get_signless(32), numerals.value(numbers))
                number = arith.sitofp(type_, wide)
                return arith.divf(arith.constant(type_, 1.0), number) if inverse else number
    raise Differs("arith.constant", f"the number {values[0]} depends on sizes")


def _empty(ops: Sequence[ir.Operation], types: list[ir.Type], numerals: Numerals) -> None:
    sizes = [numerals.size(numbers) for numbers in dimensions([op.results[0] for op in ops])]
    _replace(ops[0], tensor.empty(sizes, types[0].element_type))


def _expand(ops: Sequence[ir.Operation], types: list[ir.Type], numerals: Numerals) -> None:
    sizes = dimensions([op.results[0] for op in ops])
    static = [numbers[0] if len(set(numbers)) == 1 else _DYNAMIC for numbers in sizes]
    given = [numerals.value(numbers) for numbers, size in zip(sizes, static, strict=True) if size == _DYNAMIC]
    new = tensor.ExpandShapeOp(types[0], ops[0].operands[0], ops[0].attributes["reassociation"], given, static)
    _replace(ops[0], new.result)


def _mixed(ops: Sequence[ir.Operation], first: int, numerals: Numerals, names: Sequence[str]
           ) -> list[tuple[list[ir.Value], list[int]]]:
    """Of each array of numbers called ``names``: its dynamic ones, and the array with marks in their places. Those that
    are dynamic already are operands from number ``first`` on."""
    found = []
    for name in names:
        arrays = [list(ir.DenseI64ArrayAttr(op.attributes[name])) for op in ops]
        values, static = [], []
        for numbers in zip(*arrays, strict=True):
            if numbers[0] == _DYNAMIC:
                values.append(ops[0].operands[first])
                first += 1
            elif len(set(numbers)) > 1:
                values.append(numerals.value(numbers))
            static.append(numbers[0] if len(set(numbers)) == 1 else _DYNAMIC)
        found.append((values, static))
    return found


_SLICE = ("static_offsets", "static_sizes", "static_strides")


def _extract(ops: Sequence[ir.Operation], types: list[ir.Type], numerals: Numerals) -> None:
    (offsets, at), (sizes, by), (strides, step) = _mixed(ops, 1, numerals, _SLICE)
    new = tensor.ExtractSliceOp(types[0], ops[0].operands[0], offsets, sizes, strides, at, by, step)
    _replace(ops[0], new.result)


def _insert(ops: Sequence[ir.Operation], types: list[ir.Type], numerals: Numerals) -> None:
    (offsets, at), (sizes, by), (strides, step) = _mixed(ops, 2, numerals, _SLICE)
    source, target = list(ops[0].operands)[:2]
    _replace(ops[0], tensor.InsertSliceOp(source, target, offsets, sizes, strides, at, by, step).result)


Rewrite = Callable[[Sequence[ir.Operation], list[ir.Type], Numerals], None]
REWRITES: dict[str, Rewrite] = {
    "arith.constant": _constant, "tensor.empty": _empty, "tensor.expand_shape": _expand,
    "tensor.extract_slice": _extract, "tensor.insert_slice": _insert}
"""By the names of operations."""
SIZED = frozenset({"tensor.empty", "tensor.expand_shape", "arith.constant"})
"""Those that need operands where their results have dynamic sizes."""

"""A kernel of any sizes, generalized from the same kernel at several sizes.

The functions are walked side by side. They must be the same but for numbers: a dimension whose size differs becomes a
dynamic one, and a number that differs becomes a formula over the sizes of arguments, or an additional argument.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from hexagon_mlir.codegen.generic_sizes.formulas import Numbers
from hexagon_mlir.codegen.generic_sizes.numbers import Numerals
from hexagon_mlir.codegen.generic_sizes.operations import ORIGIN, REWRITES, SIZED, Differs, dimensions, generalized_type
from hexagon_mlir.ir import HexError, ir, parse, to_text
from hexagon_mlir.ir.order import nested_ops
from hexagon_mlir.ir.query import element_bytes, functions

ENGINE_SIZES = "the matrix engine multiplies matrices of known sizes only"
_FACTORS = 2
_NARROW_BYTES = 2
"""Of an element that the matrix engine multiplies."""


@dataclass(frozen=True)
class GenericFunction:
    """``text`` is a module of one function. Its index arguments, after the others, take ``numbers``; ``sizes`` are
    those of its dynamic dimensions, of the arguments and then of the results."""

    text: str
    numbers: tuple[Numbers, ...]
    sizes: tuple[Numbers, ...]


def generalize(texts: Sequence[str], on_engine: bool = False) -> GenericFunction:
    """The function that each of ``texts`` holds for other sizes; raises `Differs` where they are not the same.

    Raises `HexError` for products with dynamic sizes that the matrix engine multiplies if ``on_engine``: they are other
    programs for other sizes, whatever the examples.
    """
    modules = [parse(text, file="<kernel>") for text in texts]
    twins = [functions(module)[0] for module in modules]
    walks = [[op for op in nested_ops(twin) if op != twin] for twin in twins]
    names = [[op.name for op in walk] for walk in walks]
    if any(other != names[0] for other in names[1:]):
        place = next((mine for mine, *others in zip(*names, strict=False) if set(others) != {mine}), names[0][-1])
        raise Differs(place, "other sizes are computed by other operations")
    _check_operands(twins, walks)
    product = next((ops[0] for ops in zip(*walks, strict=True) if on_engine and _multiplies_narrow(ops)), None)
    if product is not None:
        raise HexError.plain(f"'{product.name}': {ENGINE_SIZES}", origin=ORIGIN)
    function = twins[0]
    with function.context, function.location:
        types = [_types(ops) for ops in zip(*walks, strict=True)]
        numerals = Numerals(function, [dimensions(values) for values in zip(
            *(t.regions[0].blocks[0].arguments for t in twins), strict=True)])
        ends = next(ops for ops in zip(*walks, strict=True) if ops[0].name == "func.return")
        results = [dimensions(values) for values in zip(*(op.operands for op in ends), strict=True)]
        for ops in [twins, *zip(*walks, strict=True)]:
            _set_arguments(ops)
        for ops, of_results in zip(list(zip(*walks, strict=True)), types, strict=True):
            _rewrite(ops, of_results, numerals)
        numerals.finish()
        block = function.regions[0].blocks[0]
        end = block.operations[len(block.operations) - 1]
        function.attributes["function_type"] = ir.TypeAttr.get(ir.FunctionType.get(
            [argument.type for argument in block.arguments], [value.type for value in end.operands]))
    sizes = [dim for value in (*numerals.arguments, *results) for dim in value if len(set(dim)) > 1]
    try:
        modules[0].operation.verify()
    except ir.MLIRError as error:
        raise Differs(names[0][-1], str(error).splitlines()[0]) from None
    return GenericFunction(to_text(modules[0], elide=False, locations=True), tuple(numerals.added), tuple(sizes))


def _check_operands(twins: Sequence[ir.Operation], walks: Sequence[list[ir.Operation]]) -> None:
    """Raise `Differs` unless operations have the same operands, by the order of their definitions."""
    graphs = []
    for twin, walk in zip(twins, walks, strict=True):
        number: dict[ir.Value, int] = {}
        for op in [twin, *walk]:
            for value in op.results:
                number[value] = len(number)
            for region in op.regions:
                for block in region.blocks:
                    for argument in block.arguments:
                        number[argument] = len(number)
        graphs.append([tuple(number[value] for value in op.operands) for op in walk])
    for op, *operands in zip(walks[0], *graphs, strict=True):
        if len(set(operands)) > 1:
            raise Differs(op.name, "other sizes are computed from other values")


def _multiplies_narrow(ops: Sequence[ir.Operation]) -> bool:
    """Whether ``ops`` sum products of f16, bf16 or bytes, of sizes that differ."""
    op = ops[0]
    shaped = [value.type for value in op.operands if isinstance(value.type, ir.RankedTensorType)]
    if len(shaped) <= _FACTORS or not op.name.startswith(("linalg.", "hexagon.")):
        return False
    generic = op.name == "linalg.generic"
    narrow = all(element_bytes(type_.element_type) <= _NARROW_BYTES for type_ in shaped[:_FACTORS])
    if not narrow or (generic and "reduction" not in str(op.attributes["iterator_types"])):
        return False
    if generic and not any("mul" in inner.operation.name for inner in op.regions[0].blocks[0].operations):
        return False
    return any(len(set(sizes)) > 1 for values in zip(*(one.operands for one in ops), strict=True)
               for sizes in dimensions(values))


def _types(ops: Sequence[ir.Operation]) -> list[ir.Type]:
    return [generalized_type(values) for values in zip(*(op.results for op in ops), strict=True)]


def _set_arguments(ops: Sequence[ir.Operation]) -> None:
    """The types of the arguments of the blocks in ``ops[0]``."""
    for regions in zip(*(one.regions for one in ops), strict=True):
        for blocks in zip(*(region.blocks for region in regions), strict=True):
            for arguments in zip(*(block.arguments for block in blocks), strict=True):
                arguments[0].set_type(generalized_type(arguments))


def _rewrite(ops: Sequence[ir.Operation], types: list[ir.Type], numerals: Numerals) -> None:
    """Generalize ``ops[0]``, whose operands are already."""
    op = ops[0]
    differing = [name for name in op.attributes
                 if len({str(other.attributes[name]) for other in ops}) > 1]
    if op.name in REWRITES and (differing or (op.name in SIZED and types != [r.type for r in op.results])):
        with ir.InsertionPoint(op), op.location:
            REWRITES[op.name](ops, types, numerals)
        return
    if differing:
        raise Differs(op.name, f"its attribute '{differing[0]}' depends on sizes")
    for result, type_ in zip(op.results, types, strict=True):
        result.set_type(type_)

"""Chains of products: a product whose result another product takes as its left factor, and all that stands between."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum, auto

from hexagon_mlir.ir import ir
from hexagon_mlir.ir.query import input_count
from hexagon_mlir.passes.lib.contractions import multiplies_and_adds
from hexagon_mlir.passes.lib.engine_conversions import scale_of
from hexagon_mlir.passes.lib.engine_tiles import fills_zero
from hexagon_mlir.passes.lib.vector_loop import dims_of

_MAXIMA = ("arith.maxnumf", "arith.maximumf")


class Kind(Enum):
    """What an op of a chain does."""

    PRODUCT = auto()
    ELEMENTWISE = auto()
    MAXIMUM = auto()
    """Of each row."""
    SUM = auto()
    """Of each row of a left factor: one more column of the product."""


@dataclass
class Chain:
    """Ops of a block, in order, on matrices of the same ``rows`` rows. The first is a product."""

    rows: int
    ops: list[tuple[ir.Operation, Kind]] = field(default_factory=list)
    sums: dict[ir.Operation, ir.Operation] = field(default_factory=dict)
    """Product to the op that sums its left factor."""
    scales: dict[ir.Operation, float] = field(default_factory=dict)
    """Product to the power of two that its sums are multiplied with before they are rounded."""
    results: list[ir.Value] = field(default_factory=list)
    """Matrices that ops outside the chain read."""

    @property
    def products(self) -> list[ir.Operation]:
        """The products, in order."""
        return [op for op, kind in self.ops if kind is Kind.PRODUCT]


def is_product(op: ir.Operation) -> bool:
    """True for a linalg op on tensors that multiplies two matrices of f16, the right one maybe transposed, and sums in
    f32 from zero."""
    maps = dims_of(op)
    if maps is None or len(op.operands) != 3 or not multiplies_and_adds(op):
        return False
    (left, right, result), types = maps, [ir.RankedTensorType(value.type) for value in op.operands]
    if not all(type_.has_static_shape and 0 not in type_.shape for type_ in types):
        return False
    (row, depth), (same, column) = left if len(left) == 2 else (-1, -1), result if len(result) == 2 else (-2, -2)
    start = op.operands[2].owner
    return (row == same and sorted(right) == sorted((depth, column)) and len({row, depth, column}) == 3
            and all(isinstance(type_.element_type, ir.F16Type) for type_ in types[:2])
            and isinstance(types[2].element_type, ir.F32Type)
            and not isinstance(start, ir.Block) and fills_zero(start.operation))


def find_chain(first: ir.Operation) -> Chain | str | None:
    """The chain that begins with the product ``first``; why there is none; None where no other product follows."""
    chain = Chain(ir.RankedTensorType(first.results[0].type).shape[0])
    matrices: list[ir.Value] = [first.results[0]]
    rows: list[ir.Value] = []
    chain.ops.append((first, Kind.PRODUCT))
    unresolved: list[ir.Operation] = []
    following = False
    for view in first.block.operations:
        op = view.operation
        if op == first:
            following = True
            continue
        if not following or not any(value in matrices or value in rows for value in op.operands):
            continue
        kind = _kind(op, matrices, rows)
        if isinstance(kind, str):
            if any(value in rows for value in op.operands):
                return f"other operations read one number a row: {kind}"
            chain.results += [value for value in op.operands if value in matrices]
            continue
        if kind is Kind.SUM:
            unresolved.append(op)
        if kind is Kind.PRODUCT:
            for sum_ in [sum_ for sum_ in unresolved if sum_.operands[0] == op.operands[0]]:
                chain.sums[op] = sum_
                unresolved.remove(sum_)
        elif any(value == sum_.results[0] for sum_ in unresolved for value in op.operands):
            return "a sum of rows is read before the product whose left factor is summed"
        chain.ops.append((op, kind))
        (matrices if ir.RankedTensorType(op.results[0].type).rank == 2 else rows).append(op.results[0])
    if len(chain.products) < 2:
        return None
    if unresolved:
        return "a sum of rows is not one of a left factor"
    return _checked(chain, matrices, rows)


def _checked(chain: Chain, matrices: list[ir.Value], rows: list[ir.Value]) -> Chain | str:
    """``chain`` without what stands after its last product and the ops that read it; why it is none."""
    chain.results += [value for value in matrices if any(_inserts(use.owner.operation) for use in value.uses)]
    sums = [op.results[0] for op in chain.products]
    for op, kind in chain.ops:
        for place, value in enumerate(list(op.operands)):
            if value not in sums:
                continue
            scale = _rounds_first(op, place) if kind is not Kind.PRODUCT else None
            if scale is None or chain.scales.setdefault(value.owner.operation, scale) != scale:
                return "sums in f32 are read before they are rounded to f16"
    if any(value in sums or not isinstance(ir.RankedTensorType(value.type).element_type, ir.F16Type)
           for value in chain.results):
        return "a result is not f16"
    used = [use.owner.operation for value in rows for use in value.uses]
    members = [op for op, _ in chain.ops]
    if any(user not in members for user in used):
        return "other operations read one number a row"
    inside = [use.owner.operation for value in matrices for use in value.uses]
    if any(user not in members and user.block != chain.ops[0][0].block and not _inserts(user) for user in inside):
        return "operations in a region read a matrix"
    chain.results = list(dict.fromkeys(chain.results))
    return chain


def _inserts(op: ir.Operation) -> bool:
    """True for the op that gives the result of an iteration of an scf.forall."""
    return op.name == "tensor.parallel_insert_slice"


def _kind(op: ir.Operation, matrices: list[ir.Value], rows: list[ir.Value]) -> Kind | str:
    """What ``op`` does, which reads some of ``matrices`` and ``rows``; why it cannot stay in tiles."""
    if is_product(op):
        if op.operands[0] in matrices and op.operands[1] not in matrices:
            return Kind.PRODUCT
        return "a right factor is not in tiles of weights"
    dims = dims_of(op) if op.name == "linalg.generic" else None
    if dims is None or not all(_static(value) for value in op.operands):
        return "not elementwise"
    count, body = input_count(op), op.regions[0].blocks[0]
    if any(inner.operation.name == "linalg.index" for inner in body.operations):
        return "it depends on its indices"
    kinds = ["reduction" in str(kind) for kind in op.attributes["iterator_types"]]
    if len(dims[-1]) == 2 and len(kinds) == 2 and not any(kinds):
        row, column = dims[-1]
    elif len(dims[-1]) == 1 and len(kinds) == 2 and sum(kinds) == 1:
        row, column = dims[-1][0], 1 - dims[-1][0]
    elif len(dims[-1]) == 1 and len(kinds) == 1 and not any(kinds):
        row, column = dims[-1][0], -1
    else:
        return "not elementwise, nor a reduction of rows"
    allowed = ((row, column), (row,), (column,), ())
    for value, read in zip(list(op.operands)[:count], dims, strict=False):
        if read not in allowed or (value in matrices and read != (row, column)) or (value in rows and read != (row,)):
            return "a transposed operand"
        if value not in matrices and value not in rows and read and _bits(value) != 16:
            return "an operand that does not have 16 bits"
    if any(kinds):
        return _reduction(op, count)
    return Kind.ELEMENTWISE if not any(True for _ in body.arguments[count].uses) else "it reads its output"


def _reduction(op: ir.Operation, count: int) -> Kind | str:
    """A maximum of rows of f16, or the sum of the rows of one matrix."""
    body = op.regions[0].blocks[0]
    out, result = body.arguments[count], body.operations[len(body.operations) - 1].operands[0]
    combiner, element = result.owner, ir.RankedTensorType(op.results[0].type).element_type
    if isinstance(combiner, ir.Block) or out not in list(combiner.operation.operands) or len(list(out.uses)) != 1:
        return "a reduction that is no maximum and no sum"
    name = combiner.operation.name
    if name in _MAXIMA and isinstance(element, ir.F16Type) and _filled_with(op.operands[count]) is not None:
        return Kind.MAXIMUM
    other = next(value for value in combiner.operation.operands if value != out)
    widened = not isinstance(other.owner, ir.Block) and other.owner.operation.name == "arith.extf" \
        and other.owner.operation.operands[0] == body.arguments[0]
    start = op.operands[count].owner
    if name == "arith.addf" and count == 1 and widened and isinstance(element, ir.F32Type) \
            and not isinstance(start, ir.Block) and fills_zero(start.operation):
        return Kind.SUM
    return "a reduction that is no maximum and no sum"


def _filled_with(value: ir.Value) -> ir.Value | None:
    """The scalar that fills ``value``."""
    owner = value.owner
    if isinstance(owner, ir.Block) or owner.operation.name not in ("linalg.fill", "linalg.generic"):
        return None
    op = owner.operation
    body = op.regions[0].blocks[0]
    fills = input_count(op) == 1 and len(list(body.operations)) == 1 and \
        body.operations[0].operands[0] == body.arguments[0] and not isinstance(op.operands[0].type, ir.ShapedType)
    return op.operands[0] if fills else None


def start_of(op: ir.Operation) -> ir.Value:
    """The scalar that a maximum of rows starts from."""
    found = _filled_with(op.operands[input_count(op)])
    assert found is not None
    return found


def _rounds_first(op: ir.Operation, place: int) -> float | None:
    """The scale where ``op`` rounds its operand to f16, maybe times a power of two, before all else."""
    argument = op.regions[0].blocks[0].arguments[place]
    uses = [use.owner.operation for use in argument.uses]
    scales = {scale_of(use) for use in uses} - {None}
    if scales:
        if len(scales) > 1 or any(scale_of(use) is None or use.operands[0] != argument for use in uses):
            return None
        uses = [later.owner.operation for use in uses for later in use.results[0].uses]
    rounds = all(use.name == "arith.truncf" and isinstance(use.results[0].type, ir.F16Type) for use in uses)
    return next((scale for scale in scales if scale is not None), 1.0) if rounds else None


def _static(value: ir.Value) -> bool:
    return not isinstance(value.type, ir.RankedTensorType) or ir.RankedTensorType(value.type).has_static_shape


def _bits(value: ir.Value) -> int:
    element = ir.RankedTensorType(value.type).element_type
    return 16 if str(element) in ("f16", "i16") else 0

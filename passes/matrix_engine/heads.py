"""Results that are cut into heads of columns, as attention reads them: ``[heads, rows, columns of a head]``."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum, auto

from hexagon_mlir.dialects.engine_tiles import TILE
from hexagon_mlir.ir import ir
from hexagon_mlir.ir.query import input_count
from hexagon_mlir.passes.lib.vector_loop import dims_of
from hexagon_mlir.passes.matrix_engine.read import RESULT, Matmul


class Role(Enum):
    """What a dimension counts; ``ONE`` has one element."""

    ONE = auto()
    ROWS = auto()
    COLUMNS = auto()
    HEADS = auto()
    WIDTH = auto()


_ORDER = [Role.HEADS, Role.ROWS, Role.WIDTH]


@dataclass(frozen=True)
class Heads:
    """The op that copies columns of a product, from ``first`` on, as ``count`` heads of ``width`` columns; ``views``
    are the ops from the product to it."""

    op: ir.Operation
    first: int
    count: int
    width: int
    views: tuple[ir.Operation, ...]

    @property
    def end(self) -> int:
        """The column after the last one."""
        return self.first + self.count * self.width

    def cut(self, first: int, count: int) -> tuple[int, int] | None:
        """The first and the last column but one of a block of ``count`` columns from ``first`` on that are among them;
        None where there is none."""
        start, end = max(first, self.first), min(first + count, self.end)
        return (start, end) if start < end else None


def read_heads(matmul: Matmul) -> list[Heads] | None:
    """What copies the result of ``matmul``, which the engine rounds to f16, where all that read it copy heads of the
    same width, in whole tiles."""
    converts = matmul.only_converts if matmul.epilogue is not None else isinstance(matmul.element, ir.F16Type)
    if matmul.in_f32 or matmul.batches or matmul.transposed(RESULT) or not converts:
        return None
    found = _readers(matmul.last.results[0], [Role.ROWS, Role.COLUMNS], 0, ())
    if not found or len({heads.width for heads in found}) > 1 or found[0].width % TILE:
        return None
    whole = all(heads.first % heads.width == 0 for heads in found)
    return sorted(found, key=lambda heads: heads.first) if whole else None


def _readers(value: ir.Value, roles: Sequence[Role], first: int, views: tuple[ir.Operation, ...]) -> list[Heads] | None:
    """What copies ``value``, whose dimensions have ``roles`` and whose columns start at column ``first``; None where an
    op does anything else."""
    found: list[Heads] = []
    for use in value.uses:
        op = use.owner.operation
        if op.name == "linalg.generic":
            heads = _copied(op, use.operand_number, roles, first, views)
            more = None if heads is None else [heads]
        else:
            seen = _viewed(op, roles, first)
            more = None if seen is None else _readers(op.results[0], *seen, (*views, op))
        if more is None:
            return None
        found += more
    return found


def _viewed(op: ir.Operation, roles: Sequence[Role], first: int) -> tuple[list[Role], int] | None:
    """Roles and first column of the view ``op`` of a value with ``roles``."""
    if op.name == "tensor.expand_shape":
        expanded = _expanded(op, roles)
        return None if expanded is None else (expanded, first)
    if op.name == "tensor.collapse_shape":
        collapsed = [_together([roles[dim] for dim in group]) for group in _groups(op)]
        kept = [role for role in collapsed if role is not None]
        return (kept, first) if len(kept) == len(collapsed) else None
    return _sliced(op, roles, first) if op.name == "tensor.extract_slice" and len(op.operands) == 1 else None


def _groups(op: ir.Operation) -> list[list[int]]:
    return [[ir.IntegerAttr(dim).value for dim in ir.ArrayAttr(group)]
            for group in ir.ArrayAttr(op.attributes["reassociation"])]


def _expanded(op: ir.Operation, roles: Sequence[Role]) -> list[Role] | None:
    shape = ir.RankedTensorType(op.results[0].type).shape
    found = [Role.ONE] * len(shape)
    for group, role in zip(_groups(op), roles, strict=True):
        several = [dim for dim in group if shape[dim] > 1]
        if len(several) == 1:
            found[several[0]] = role
        elif len(several) == 2 and role is Role.COLUMNS:
            found[several[0]], found[several[1]] = Role.HEADS, Role.WIDTH
        elif several or role is not Role.ONE:
            return None
    return found


def _together(roles: Sequence[Role]) -> Role | None:
    """The role of dimensions with ``roles`` as one."""
    several = [role for role in roles if role is not Role.ONE]
    if several == [Role.HEADS, Role.WIDTH]:
        return Role.COLUMNS
    return None if len(several) > 1 else several[0] if several else Role.ONE


def _sliced(op: ir.Operation, roles: Sequence[Role], first: int) -> tuple[list[Role], int] | None:
    """Some of the columns."""
    offsets, sizes, strides = (list(ir.DenseI64ArrayAttr(op.attributes[f"static_{what}"]))
                               for what in ("offsets", "sizes", "strides"))
    whole = ir.RankedTensorType(op.operands[0].type).shape
    for role, offset, size, extent in zip(roles, offsets, sizes, whole, strict=True):
        if role is Role.COLUMNS:
            first += offset
        elif size != extent:
            return None
    kept = [role for role in roles if role is not Role.ONE]
    ones = ir.RankedTensorType(op.results[0].type).rank - len(kept)
    at_start = list(roles[:ones]) == [Role.ONE] * ones
    same = ones == len(roles) - len(kept)
    if any(stride != 1 for stride in strides) or not (same or at_start):
        return None
    return (list(roles) if same else [*[Role.ONE] * ones, *kept]), first


def _copied(op: ir.Operation, place: int, roles: Sequence[Role], first: int,
            views: tuple[ir.Operation, ...]) -> Heads | None:
    """The heads that linalg.generic ``op`` copies from its input ``place``, of ``roles``."""
    dims, body = dims_of(op), op.regions[0].blocks[0]
    only_copies = len(list(body.operations)) == 1 and body.operations[0].operands[0] == body.arguments[0]
    if dims is None or place != 0 or input_count(op) != 1 or not only_copies or len(dims[0]) != len(dims[1]):
        return None
    of_loops = dict(zip(dims[0], roles, strict=True))
    order = [of_loops.get(loop, Role.ONE) for loop in dims[1]]
    if [role for role in order if role is not Role.ONE] != _ORDER or len(of_loops) != len(roles):
        return None
    shape = ir.RankedTensorType(op.results[0].type).shape
    count, width = (shape[order.index(role)] for role in (Role.HEADS, Role.WIDTH))
    return Heads(op, first, count, width, views)

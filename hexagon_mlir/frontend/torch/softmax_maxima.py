"""The maximum that a softmax subtracts, of numbers only: ``arith.maximumf`` becomes ``arith.maxnumf``.

A row with a NaN is NaN either way, by the sum of its powers. On v68 to v75 a sum with minus infinity is a NaN pattern,
so that an added mask of minus infinity would otherwise make its whole row NaN.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from hexagon_mlir.ir import ir
from hexagon_mlir.ir.query import ops_named

_GENERIC = "linalg.generic"
_RESHAPES = ("tensor.expand_shape", "tensor.collapse_shape")
_KEEP_NAN = ("arith.addf", "arith.subf", "arith.mulf", "arith.divf", "arith.negf", "arith.truncf", "arith.extf",
             "math.log")


def skip_nan_in_softmax(module: ir.Module) -> None:
    """Rewrite the maxima of rows of which everything that reads them is NaN where the row has a NaN."""
    for maximum in ops_named(module, _GENERIC):
        rows = _Rows.of(maximum)
        if rows is None or not rows.sums or not rows.is_nan_without(maximum.results[0]):
            continue
        old = _body(maximum)[0]
        with ir.InsertionPoint(old), old.location:
            new = ir.Operation.create("arith.maxnumf", results=[old.results[0].type], operands=list(old.operands))
        old.results[0].replace_all_uses_with(new.results[0])
        old.erase()


@dataclass
class _Rows:
    """The rows x that loop ``reduced`` of ``maximum`` goes along, and the ``sums`` of exp(x - m) of each."""

    maximum: ir.Operation
    reduced: int
    sums: list[ir.Value] = field(default_factory=list)

    @staticmethod
    def of(op: ir.Operation) -> _Rows | None:
        """None when ``op`` is not the maximum along one dimension."""
        kinds = [str(kind) for kind in op.attributes["iterator_types"]]
        loops = [loop for loop, kind in enumerate(kinds) if "reduction" in kind]
        if len(loops) != 1 or _single_op(op) != "arith.maximumf" or not _takes_in_order(op):
            return None
        rows = _Rows(op, loops[0])
        rows.sums += rows._sums_of_powers()
        return rows

    def _sums_of_powers(self) -> Iterator[ir.Value]:
        kinds = self.maximum.attributes["iterator_types"]
        for difference in _readers(self.maximum.operands[0], "arith.subf"):
            for power in _readers(difference.results[0], "math.exp"):
                for total in _readers(power.results[0], "arith.addf"):
                    if total.attributes["iterator_types"] == kinds:
                        yield total.results[0]

    def is_nan_without(self, value: ir.Value) -> bool:
        """Whether everything computed of ``value`` ends in one of the sums, or in arithmetic with one."""
        for use in value.uses:
            user = use.owner.operation
            if user.name not in (_GENERIC, *_RESHAPES) or len(user.results) != 1:
                return False
            result = user.results[0]
            if result not in self.sums and not self._is_nan(user) and not self.is_nan_without(result):
                return False
        return True

    def _is_nan(self, op: ir.Operation) -> bool:
        """Whether ``op`` is arithmetic with the sum of each row, with its logarithm or another view of it."""
        if op.name in _RESHAPES:
            shapes = [list(ir.RankedTensorType(v.type).shape) for v in (op.operands[0], op.results[0])]
            short, long = sorted(shapes, key=len)
            return [*short[:self.reduced], 1, *short[self.reduced:]] == long and self._has_nan(op.operands[0])
        return op.name == _GENERIC and _single_op(op) in _KEEP_NAN and any(
            self._has_nan(operand) and self._is_of_its_row(op, number)
            for number, operand in enumerate(list(op.operands)[:-1]))

    def _has_nan(self, value: ir.Value) -> bool:
        return value in self.sums or (not isinstance(value.owner, ir.Block) and self._is_nan(value.owner))

    def _is_of_its_row(self, op: ir.Operation, operand: int) -> bool:
        """Whether the loops around ``op`` read the operand at their own indices, at 0 or not at all along the row."""
        map_ = ir.AffineMapAttr(op.attributes["indexing_maps"][operand]).value
        loops = [loop for loop in range(map_.n_dims) if loop != self.reduced or map_.n_dims == len(map_.results)]
        return len(loops) == len(map_.results) and all(
            result in (ir.AffineExpr.get_dim(loop), ir.AffineExpr.get_constant(0))
            for loop, result in zip(loops, map_.results, strict=True))


def _readers(value: ir.Value, name: str) -> list[ir.Operation]:
    """Generics that compute op ``name`` of each element of ``value`` as its first operand."""
    users = [use.owner.operation for use in value.uses]
    return [user for user in users if user.name == _GENERIC and user.operands[0] == value
            and _single_op(user) == name and _takes_in_order(user)]


def _body(op: ir.Operation) -> list[ir.Operation]:
    return [view.operation for view in op.regions[0].blocks[0].operations]


def _single_op(op: ir.Operation) -> str | None:
    """The name of the only operation of the body of generic ``op``, which takes its arguments and is yielded."""
    body = _body(op)
    if len(body) != 2 or len(op.results) != 1 or list(body[1].operands) != list(body[0].results):
        return None
    arguments = list(op.regions[0].blocks[0].arguments)
    return body[0].name if all(operand in arguments for operand in body[0].operands) else None


def _takes_in_order(op: ir.Operation) -> bool:
    """Whether the body's operation takes element (i, j, ...) of the first operand first, in iteration (i, j, ...)."""
    map_ = ir.AffineMapAttr(op.attributes["indexing_maps"][0]).value
    return (map_ == ir.AffineMap.get_identity(map_.n_dims)
            and _body(op)[0].operands[0] == op.regions[0].blocks[0].arguments[0])

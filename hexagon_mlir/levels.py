"""What may stand in the IR at each level: checked between passes with ``--verify-levels``.

source -> tensor -> tiled -> buffer -> runtime -> llvm -> machine; a pass states the level it needs and leaves.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from hexagon_mlir.dialects import ATTRIBUTES, OPERATIONS, PREFIX
from hexagon_mlir.ir import error_at, ir

_SCALAR = frozenset({"builtin", "func", "arith", "math", "scf", "cf", "affine", "ub", "index"})
_TENSORS = ir.RankedTensorType, ir.UnrankedTensorType
_TENSOR = _SCALAR | {"linalg", "tensor", "bufferization", "memref", "vector"}


@dataclass(frozen=True)
class Level:
    """One level: its allowed dialects and what else must hold for an operation (a reason, or None)."""

    name: str
    dialects: frozenset[str]
    invariant: Callable[[ir.Operation], str | None] = lambda op: None


def _no_tensor(op: ir.Operation) -> str | None:
    """Of the values that ``op`` defines; each operand is defined somewhere."""
    defined = [*op.results]
    for region in op.regions:
        for block in region.blocks:
            defined += block.arguments
    for value in defined:
        if isinstance(type_ := value.type, _TENSORS):
            return f"a tensor ({type_}) after bufferization"
    return None


def _of_buffers(op: ir.Operation) -> str | None:
    """Instructions of HVX are calls of LLVM's intrinsics; nothing else of its dialect may stand there."""
    if op.name.startswith("llvm.") and op.name != "llvm.call_intrinsic":
        return f"'{op.name}'"
    return _no_tensor(op)


def _no_cast(op: ir.Operation) -> str | None:
    return "an unrealized cast" if op.name == "builtin.unrealized_conversion_cast" else None


LEVELS = {
    level.name: level
    for level in (
        Level("source", _TENSOR | {"tt", "ttg", "llvm", "hexagon"}),  # TTIR holds llvm.intr.assume
        Level("tensor", _TENSOR | {"hexagon"}),
        Level("tiled", _TENSOR),
        Level("buffer", (_TENSOR - {"tensor", "bufferization"}) | {"async", "hexagon", "llvm"}, _of_buffers),
        Level("runtime", (_TENSOR - {"tensor", "bufferization", "linalg"}) | {"llvm", "hexagon"}, _no_tensor),
        Level("llvm", frozenset({"builtin", "llvm"}), _no_cast),
    )
}


def check(module: ir.Module, level: str, origin: str) -> None:
    """Raise `HexError` at the first operation of ``module`` that ``level`` does not allow."""
    rule = LEVELS[level]
    problem: list = []
    allowed: set[str] = set()
    ours = {name for name, attribute in ATTRIBUTES.items() if level in attribute.levels}

    def visit(op: ir.Operation) -> ir.WalkResult:
        name = op.name
        reason = rule.invariant(op)
        if name not in allowed:
            if (dialect := name.split(".")[0]) not in rule.dialects:
                reason = f"dialect '{dialect}'"
            elif name in OPERATIONS and level not in OPERATIONS[name].levels:
                reason = f"'{name}'"
            else:
                allowed.add(name)
        if unknown := [key for key in op.attributes if key.startswith(PREFIX) and key not in ours]:
            reason = f"attribute '{unknown[0]}'"
        if reason is None:
            return ir.WalkResult.ADVANCE
        problem.append(error_at(op, origin, f"level '{level}' does not allow {reason}",
                                hint="a pass left IR that later stages cannot take"))
        return ir.WalkResult.INTERRUPT

    module.operation.walk(visit)
    if problem:
        raise problem[0]

"""Guards for calls with which the bindings are known to take the whole process down."""

from __future__ import annotations

from torch_mlir import ir

from hexagon_mlir.ir.diagnostics import error_at

_LLVM_LEVEL = ("llvm", "builtin")


def erase_op(op: ir.Operation | ir.OpView, origin: str) -> None:
    """Erase ``op``; a used result is an error here and a crash in the bindings."""
    operation = op.operation
    if any(True for result in operation.results for _ in result.uses):
        raise error_at(operation, origin, "internal: erasing an operation whose result is still used")
    operation.erase()


def untranslatable_ops(module: ir.Module) -> list[ir.Operation]:
    """Operations that LLVM translation cannot handle: it would print an error and then crash."""
    found: list[ir.Operation] = []

    def visit(op: ir.Operation) -> ir.WalkResult:
        if op.name == "builtin.unrealized_conversion_cast" or op.name.split(".")[0] not in _LLVM_LEVEL:
            found.append(op)
        return ir.WalkResult.ADVANCE

    module.operation.walk(visit)
    return found

"""Guards for what the bindings do not survive, and for what upstream passes would change in silence."""

from __future__ import annotations

import contextlib
import os
import tempfile
from collections.abc import Iterator

from torch_mlir import ir, rewrite

from hexagon_mlir.ir.bounds import constant_value
from hexagon_mlir.ir.context import INDEX_BITS
from hexagon_mlir.ir.diagnostics import error_at
from hexagon_mlir.ir.query import ops_named

_LLVM_LEVEL = ("llvm.", "builtin.")


def erase_op(op: ir.Operation | ir.OpView, origin: str) -> None:
    """Erase ``op``; a used result is an error here and a crash in the bindings."""
    operation = op.operation
    if any(True for result in operation.results for _ in result.uses):
        raise error_at(operation, origin, "internal: erasing an operation whose result is still used")
    operation.erase()


def check_index_constants(module: ir.Module, origin: str) -> None:
    """Raise `HexError` at a constant of type ``index`` that has more bits than addresses: they would be cut off."""
    for op in ops_named(module, "arith.constant"):
        if isinstance(op.results[0].type, ir.IndexType):
            number = constant_value(op.results[0])
            if number is not None and not -1 << INDEX_BITS - 1 <= number < 1 << INDEX_BITS:
                raise error_at(op, origin, f"{number} is no index: those have {INDEX_BITS} bits here",
                               "count in i64, as in 'scf.for %i = %a to %b step %c : i64'")


def untranslatable_ops(module: ir.Module) -> list[ir.Operation]:
    """Operations that LLVM translation cannot handle: it would print an error and then crash."""
    if _all_legal(module):
        return []
    found: list[ir.Operation] = []
    advance = ir.WalkResult.ADVANCE

    def visit(op: ir.Operation) -> ir.WalkResult:
        name = op.name
        if not name.startswith(_LLVM_LEVEL) or name == "builtin.unrealized_conversion_cast":
            found.append(op)
        return advance

    module.operation.walk(visit)
    return found


def _all_legal(module: ir.Module) -> bool:
    """True when a conversion to LLVM that has no patterns has nothing to do: a tenth of the time of a walk."""
    target = rewrite.ConversionTarget(module.context)
    target.add_legal_dialect("llvm")
    target.add_legal_op("builtin.module")
    try:
        rewrite.apply_full_conversion(module.operation, target, rewrite.RewritePatternSet(module.context).freeze())
    except ir.MLIRError:
        return False
    return True


@contextlib.contextmanager
def captured_stderr() -> Iterator[list[str]]:
    """Collects what C++ code writes to standard error by itself, as lines; filled in at the end."""
    lines: list[str] = []
    saved = os.dup(2)
    with tempfile.TemporaryFile() as file:
        os.dup2(file.fileno(), 2)
        try:
            yield lines
        finally:
            os.dup2(saved, 2)
            os.close(saved)
            file.seek(0)
            lines += [line for line in file.read().decode(errors="replace").splitlines() if line.strip()]

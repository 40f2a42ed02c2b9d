"""The arguments of a model's kernel that its caller has in TCM, for passes."""

from __future__ import annotations

from hexagon_mlir.dialects.kernel_memory import arguments_in_tcm
from hexagon_mlir.ir import ir
from hexagon_mlir.pass_infra import Pass


def checked_arguments(function: ir.Operation, asking: Pass) -> list[int]:
    """Their numbers (`arguments_in_tcm`); pass ``asking`` refuses wrong ones."""
    try:
        return arguments_in_tcm(function)
    except ValueError as error:
        raise asking.refuse(function, str(error), "the scheduler of models writes it") from None

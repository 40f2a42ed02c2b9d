"""Working sets into TCM."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from hexagon_mlir.ir import ir
from hexagon_mlir.pass_infra import Pass, PassContext


@dataclass(frozen=True)
class HexagonTcmTilingPass(Pass):
    """Places working sets in TCM."""

    name: ClassVar[str] = "hexagon-tcm-tiling"
    needs: ClassVar[str] = "tensor"
    leaves: ClassVar[str] = "tiled"

    def run(self, module: ir.Module, context: PassContext) -> None:
        """TODO"""

"""Fusion of elementwise chains."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from hexagon_mlir.ir import ir
from hexagon_mlir.pass_infra import Pass, PassContext, UpstreamStep


@dataclass(frozen=True)
class HexagonFusionPass(Pass):
    """Fuses."""

    name: ClassVar[str] = "hexagon-fusion"
    needs: ClassVar[str] = "tensor"
    leaves: ClassVar[str] = "tensor"

    def run(self, module: ir.Module, context: PassContext) -> None:
        """TODO"""
        UpstreamStep("linalg-fuse-elementwise-ops,canonicalize,cse").run(module, context)

"""ONNX operators in terms of PyTorch: those for which torch-mlir has no lowering or a wrong one."""

from hexagon_mlir.frontend.onnx.operators import (  # noqa: F401  (they register their own)
    attention,
    blocks,
    elements,
    moves,
    pooling,
    quantized,
    recurrent,
    resize,
)
from hexagon_mlir.frontend.onnx.operators.registry import OPERATORS, Operator

__all__ = ["OPERATORS", "Operator"]

"""ONNX operators in PyTorch's words: those that torch-mlir has no lowering for, or gives another meaning."""

from hexagon_mlir.frontend.onnx.operators import (  # noqa: F401  (they register their own)
    attention,
    elements,
    moves,
    pooling,
    quantized,
    recurrent,
    resize,
)
from hexagon_mlir.frontend.onnx.operators.registry import OPERATORS, Operator

__all__ = ["OPERATORS", "Operator"]

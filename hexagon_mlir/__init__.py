"""hexagon-mlir: from Triton kernels, PyTorch models and linalg to Hexagon NPU code, and to cycles without a device.

The public interface is what this module exports; everything else may change.
"""

import importlib
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from hexagon_mlir.api import CompiledKernel, Run, compile, load
    from hexagon_mlir.frontend.llm.model import CausalLM, load_causal_lm
    from hexagon_mlir.frontend.torch.dynamic import SpecializedModel
    from hexagon_mlir.frontend.torch.model import CompiledModel
    from hexagon_mlir.frontend.torch.result import CompilationResult
    from hexagon_mlir.ir.diagnostics import HexError
    from hexagon_mlir.quantization.choice import Budget
    from hexagon_mlir.quantization.quantize import Quantized, quantize
    from hexagon_mlir.version import VERSION as __version__

_HOME = {"CompiledKernel": "api", "Run": "api", "compile": "api", "load": "api",
         "CompiledModel": "frontend.torch.model", "CompilationResult": "frontend.torch.result",
         "SpecializedModel": "frontend.torch.dynamic", "HexError": "ir.diagnostics",
         "CausalLM": "frontend.llm.model", "load_causal_lm": "frontend.llm.model",
         "Budget": "quantization.choice", "Quantized": "quantization.quantize", "quantize": "quantization.quantize"}

__all__ = ["Budget", "CausalLM", "CompilationResult", "CompiledKernel", "CompiledModel", "HexError", "Quantized", "Run",
           "SpecializedModel", "__version__", "compile", "load", "load_causal_lm", "quantize"]


def __getattr__(name: str):
    """Import on first use: ``import hexagon_mlir`` itself is free."""
    if name == "__version__":  # reading the package's metadata takes longer than all else here
        return importlib.import_module("hexagon_mlir.version").VERSION
    if name in _HOME:
        from hexagon_mlir.interrupts import deferred

        with deferred():
            return getattr(importlib.import_module(f"hexagon_mlir.{_HOME[name]}"), name)
    raise AttributeError(f"module 'hexagon_mlir' has no attribute '{name}'")

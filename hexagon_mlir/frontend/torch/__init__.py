"""PyTorch: ``torch.compile(model, backend="hexagon")``, exported programs, and files of them.

Light to import: torch and the compiler are loaded when a model is compiled.
"""

from __future__ import annotations

from typing import Any


def backend(module: Any, example_inputs: Any, **options: Any) -> Any:
    """What PyTorch calls for ``torch.compile(model, backend="hexagon", options={...})``; see `dynamo.backend`."""
    from hexagon_mlir.frontend.torch.dynamo import backend as compile_graph_module

    return compile_graph_module(module, example_inputs, **options)

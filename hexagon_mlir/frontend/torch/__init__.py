"""PyTorch: ``torch.compile(model, backend="hexagon")``, exported programs, and files of them.

Light to import: torch and the compiler are loaded when a model is compiled.
"""

from __future__ import annotations

from typing import Any


def __getattr__(name: str) -> Any:
    """``backend``, which PyTorch looks up here for ``torch.compile(model, backend="hexagon")``: `dynamo.backend`."""
    if name != "backend":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from hexagon_mlir.frontend.torch.dynamo import backend

    return backend

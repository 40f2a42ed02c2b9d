"""``triton.language.extra.hexagon``, for kernels: `libdevice`, imported on first access."""

from __future__ import annotations

from types import ModuleType


def __getattr__(name: str) -> ModuleType:
    if name != "libdevice":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from hexagon_mlir.frontend.triton import libdevice

    return libdevice

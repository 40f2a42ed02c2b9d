"""The Triton backend plug-in: `activate()` makes ``kernel[grid](cpu_tensors)`` run on the simulated NPU.

Triton imports `compiler` and `driver` through the entry point ``triton.backends``; both stay light, because every
``import triton`` pays for them.
"""


def activate() -> None:
    """Make Hexagon the active Triton driver of this process."""
    import triton

    from hexagon_mlir.frontend.triton.driver import HexagonDriver

    triton.runtime.driver.set_active(HexagonDriver())


__all__ = ["activate"]

"""The Triton backend plug-in: `activate()` makes ``kernel[grid](cpu_tensors)`` run on the simulated NPU.

Triton imports `compiler` and `driver` through the entry point ``triton.backends``; both stay light, because every
``import triton`` pays for them.
"""

import sys


def activate() -> None:
    """Make Hexagon the active Triton driver of this process; ``tl.extra.hexagon`` is available from then on."""
    import triton

    from hexagon_mlir.frontend.triton import extra
    from hexagon_mlir.frontend.triton.driver import HexagonDriver

    triton.runtime.driver.set_active(HexagonDriver())
    triton.language.extra.hexagon = sys.modules["triton.language.extra.hexagon"] = extra


__all__ = ["activate"]

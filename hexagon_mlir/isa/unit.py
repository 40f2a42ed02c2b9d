"""The execution units of instructions."""

from __future__ import annotations

from enum import Enum


class Unit(Enum):
    """Execution unit of a form: scalar classes after LLVM's tc_*, HVX after table 5-1 of the PRM (80-N2040-54)."""

    ALU = "alu"
    TC2 = "tc2"  # min/max, extract, count, add-accumulate
    MPY = "mpy"  # integer multiply
    FLOAT = "float"  # scalar floating point
    LOAD = "load"
    STORE = "store"
    FLOW = "flow"
    SYSTEM = "system"
    MATRIX = "matrix"  # hands its work to the matrix engine
    VA = "va"  # single-vector ALU
    VA_DV = "va-dv"
    VX = "vx"  # multiply
    VX_DV = "vx-dv"
    VX_LATE = "vx-late"  # occupies a multiply pipe but reads late
    VS = "vs"  # shift
    VP = "vp"  # permute
    VP_VS = "vp-vs"
    V_EXTRACT = "v-extract"
    V_HISTOGRAM = "v-histogram"
    V_LOAD = "v-load"
    V_STORE = "v-store"

    def __init__(self, name: str) -> None:
        self.hvx = name.startswith("v")
        self.early = name in ("vx", "vx-dv", "vs", "vp", "vp-vs")
        """Vector inputs (not accumulators) are read early."""

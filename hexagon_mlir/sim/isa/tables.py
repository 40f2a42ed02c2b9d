"""Every instruction form the simulator knows: importing this fills the table."""

from hexagon_mlir.sim.isa import (
    constants,
    hvx_float,
    hvx_int,
    hvx_multiply,
    hvx_permute,
    scalar,
    scalar_bits,
    scalar_float,
    scalar_lanes,
    scalar_multiply,
)
from hexagon_mlir.sim.isa.spec import FORMS

TABLES = (constants, hvx_float, hvx_int, hvx_multiply, hvx_permute, scalar,
          scalar_bits, scalar_float, scalar_lanes, scalar_multiply)  # fmt: skip

__all__ = ["FORMS", "TABLES"]

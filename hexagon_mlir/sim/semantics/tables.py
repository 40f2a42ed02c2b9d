"""The semantics of all forms: importing this module fills the table."""

from hexagon_mlir.sim.semantics import (
    constants,
    hvx_convert,
    hvx_extra,
    hvx_filter,
    hvx_float,
    hvx_int,
    hvx_multiply,
    hvx_permute,
    hvx_qfloat,
    hvx_qfloat_convert,
    hvx_small_float,
    hvx_sums,
    hvx_tables,
    routines,
    scalar,
    scalar_bits,
    scalar_float,
    scalar_lanes,
    scalar_multiply,
)
from hexagon_mlir.sim.semantics.registry import SEMANTICS

TABLES = (
    constants, hvx_convert, hvx_extra, hvx_filter, hvx_float, hvx_int, hvx_multiply, hvx_permute, hvx_qfloat,
    hvx_qfloat_convert, hvx_small_float, hvx_sums, hvx_tables, scalar, scalar_bits, scalar_float, scalar_lanes,
    scalar_multiply,
)  # fmt: skip

__all__ = ["SEMANTICS", "TABLES", "routines"]

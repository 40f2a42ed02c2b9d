"""All routines of the matrix engine."""

from __future__ import annotations

from hexagon_mlir.codegen.matrix_engine.byte_run_routines import BYTE_RUN_ROUTINES
from hexagon_mlir.codegen.matrix_engine.integer_routines import INTEGER_ROUTINES
from hexagon_mlir.codegen.matrix_engine.piece_routines import PIECE_ROUTINES
from hexagon_mlir.codegen.matrix_engine.routines import ROUTINES as HALF_ROUTINES
from hexagon_mlir.codegen.matrix_engine.run_routines import RUN_ROUTINES

ROUTINES = {**HALF_ROUTINES, **INTEGER_ROUTINES, **PIECE_ROUTINES, **RUN_ROUTINES, **BYTE_RUN_ROUTINES}
"""Name to routine."""

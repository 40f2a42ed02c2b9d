"""Whether an op goes to the matrix engine, by two estimates that may be too close to tell."""

from __future__ import annotations

from enum import StrEnum

from hexagon_mlir.ir import ir
from hexagon_mlir.pass_infra import CloseEstimates, Pass, PassContext


class Close(StrEnum):
    """What becomes of ops that are estimated to take about as long on the engine as on HVX."""

    ESTIMATED = "estimated"
    ENGINE = "engine"
    HVX = "hvx"
    REFUSED = "refused"


def goes_to_engine(op: ir.Operation, estimates: tuple[float, float], factor: float, close: Close, origin: Pass,
                   context: PassContext) -> bool:
    """Whether ``op`` goes to the engine, with a remark of ``origin`` where it does not. ``estimates`` are cycles there
    and on HVX; where they are within ``factor``, ``close`` decides, or `CloseEstimates` is raised."""
    engine, hvx = estimates
    if not (hvx < factor * engine and engine < factor * hvx):
        close = Close.ESTIMATED
    if close is Close.REFUSED:
        message = f"estimated to take {engine:.0f} cycles on the engine, {hvx:.0f} on HVX"
        raise CloseEstimates(*origin.refuse(op, message, "close=estimated takes the lesser one").diagnostics)
    if close is Close.ENGINE or (close is Close.ESTIMATED and engine < hvx):
        return True
    origin.remark(context, op, "left to HVX, which is estimated to compute it in less time"
                  if close is Close.ESTIMATED else "left to HVX, as its option close=hvx says")
    return False

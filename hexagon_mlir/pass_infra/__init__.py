"""The pass framework: what a pass is, how passes are found, and how a list of steps is run."""

from hexagon_mlir.pass_infra.base import CloseEstimates, Pass, PassContext, TilesOutsideTcm
from hexagon_mlir.pass_infra.step import CLEAN, GENERALIZE, PassStep, ScheduleStep, Step, UpstreamStep

__all__ = ["CLEAN", "GENERALIZE", "CloseEstimates", "Pass", "PassContext", "PassStep", "ScheduleStep", "Step",
           "TilesOutsideTcm", "UpstreamStep"]

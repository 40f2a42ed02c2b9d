"""Predicts the cost of a model from sizes alone: its bytes from and to DDR, and its cycles."""

from __future__ import annotations

from dataclasses import dataclass

from hexagon_mlir.codegen.kernel_cycles import call_cycles
from hexagon_mlir.codegen.schedule import ModelSchedule
from hexagon_mlir.targets import Target

_CALL_CYCLES = 8000
"""Constant cycles of each call: cold caches, first tiles, starting threads. Of an MLP, LeNet and a transformer
block on v75: 8,900, 9,800 and 7,400."""


@dataclass(frozen=True)
class Prediction:
    """Of one run. ``ddr_bytes``: every kernel reads its operands and writes its results once, but for those that stay
    in TCM. ``cycles``: each call takes a constant time and the longer of its transfers and its computation on all
    threads; None when a loop's length is unknown."""

    ddr_bytes: int
    cycles: int | None


def predict(schedule: ModelSchedule, computing: dict[str, float | None], target: Target) -> Prediction:
    """The cost of ``schedule``, whose kernels take ``computing`` cycles on one thread."""
    threads = schedule.settings.threads or int(target.hvx_contexts.value)
    total: float | None = 0.0
    moved = 0
    for call in schedule.calls:
        operands = [schedule.buffers[number] for number in (*call.arguments, *call.results)]
        nbytes = sum(buffer.nbytes for buffer in operands if not buffer.in_tcm)
        moved += nbytes
        work = computing[schedule.kernels[call.kernel].name]
        total = None if total is None or work is None else \
            total + _CALL_CYCLES + call_cycles(work, nbytes, threads, target)
    return Prediction(moved, None if total is None else round(total))

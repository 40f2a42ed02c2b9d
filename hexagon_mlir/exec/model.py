"""Runs a `ModelSchedule` on the simulator: one launch per kernel, activations in one planned arena of DDR."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from functools import cached_property
from itertools import islice
from math import prod
from typing import Any

import ml_dtypes
import numpy as np

from hexagon_mlir import display
from hexagon_mlir.codegen.memory_plan import Interval, MemoryPlan, lifetimes, plan, plan_slots
from hexagon_mlir.codegen.schedule import ModelSchedule, Progress
from hexagon_mlir.codegen.tcm_activations import padded_bytes
from hexagon_mlir.dialects.kernel_memory import Tile
from hexagon_mlir.exec.handover import TcmUse
from hexagon_mlir.exec.qemu import Counters
from hexagon_mlir.exec.session import LaunchRecord
from hexagon_mlir.exec.sim import SESSION, launch, one_at_a_time
from hexagon_mlir.exec.tcm_plan import Start, TcmPlan, plan_schedule
from hexagon_mlir.ir import HexError
from hexagon_mlir.sim import RunResult
from hexagon_mlir.sim.memory_system.cache_model import Q8
from hexagon_mlir.targets import get

NUMPY: dict[str, Any] = {"i1": np.bool_, "i8": np.int8, "i16": np.int16, "i32": np.int32, "i64": np.int64,
                         "f16": np.float16, "bf16": ml_dtypes.bfloat16, "f32": np.float32, "f64": np.float64}


@dataclass(frozen=True)
class ModelRun:
    """One run of a model: its results and the launches that made them, or QEMU's counters."""

    outputs: tuple[np.ndarray, ...]
    launches: tuple[LaunchRecord, ...]
    counters: Counters | None = None

    @property
    def cycles(self) -> int:
        """Cycles of all kernels, one after the other; `HexError` for a run under QEMU, which has no clock."""
        if self.counters is not None:
            raise HexError.plain("a run under QEMU has no cycles: QEMU counts packets and has no clock",
                                 hint="counters holds them; executor='sim' times")
        return sum(record.result.cycles for record in self.launches)

    @property
    def ddr_bytes(self) -> int:
        """Bytes read from and written to DDR."""
        return sum(r.result.ddr_read_bytes + r.result.ddr_write_bytes for r in self.launches)

    def _repr_html_(self) -> str:
        """What a notebook shows: each kernel with its share of the cycles."""
        return display.launches(self.launches)


@dataclass(frozen=True)
class InFlight:
    """Transfers that calls have started for later ones: the later call's number, and what is left of their times, in
    1/256 cycle, in the order of their starts."""

    left_q8: tuple[tuple[int, tuple[int, ...]], ...] = ()

    def of(self, step: int) -> tuple[int, ...]:
        """Those for call ``step``."""
        return tuple(left for number, times in self.left_q8 if number == step for left in times)

    @property
    def busy_q8(self) -> int:
        """How long they occupy the memory interface."""
        return max((left for _, times in self.left_q8 for left in times), default=0)

    def after(self, result: RunResult, starts: Sequence[Start]) -> InFlight:
        """What is left after a call with ``result``, which has started those of ``starts``."""
        spent = result.cycles * Q8
        left = [(number, tuple(max(time - spent, 0) for time in times)) for number, times in self.left_q8]
        times = iter(result.left_q8)
        return InFlight((*left, *((start.step, tuple(islice(times, start.count))) for start in starts)))


class ModelProgram:
    """A schedule ready to run."""

    def __init__(self, schedule: ModelSchedule, tcm: TcmPlan | None = None):
        self.schedule = schedule
        if tcm is not None:
            self.tcm = tcm  # of the same kernels at other sizes, none of which starts tiles of another

    @cached_property
    def _lifetimes(self) -> dict[int, Interval]:
        """Those of the activations in DDR, by the numbers of their buffers."""
        schedule = self.schedule
        found = lifetimes(schedule.calls, schedule.buffers, schedule.outputs)
        return {number: interval for number, interval in found.items() if not schedule.buffers[number].in_tcm}

    @cached_property
    def memory(self) -> MemoryPlan:
        """The arena of the activations; results are among them and live until the end."""
        alignment, intervals = int(get(self.schedule.target).vector_bytes.value), [*self._lifetimes.values()]
        if self.schedule.slots is not None:
            return plan_slots(intervals, self.schedule.slots, alignment)
        return plan(intervals, alignment)

    @cached_property
    def tcm(self) -> TcmPlan:
        """The TCM of each call, and the tiles of a later one that it starts."""
        return plan_schedule(self.schedule)

    @property
    def streamed_bytes(self) -> list[int]:
        """Bytes of the first tiles of each call that are in flight or in TCM when it begins."""
        memories = [self.schedule.kernels[call.kernel].memory for call in self.schedule.calls]
        return [sum(tile.nbytes for tile in memory.tiles[:place.ahead]) if memory else 0
                for memory, place in zip(memories, self.tcm.places, strict=True)]

    def _tcm_use(self, step: int, flying: InFlight) -> TcmUse | None:
        """The `TcmUse` of call ``step``; None when its kernel allocates TCM itself."""
        schedule, place, call = self.schedule, self.tcm.places[step], self.schedule.calls[step]
        memory = schedule.kernels[call.kernel].memory
        if memory is None:
            return None
        following: list[tuple[Tile, int]] = []
        for start in place.starts:
            later = schedule.kernels[schedule.calls[start.step].kernel].memory
            assert later is not None
            offsets = self.tcm.places[start.step].tiles
            following += [(later.tiles[number], offsets[number]) for number in start.tiles]
        activations = {at: (self.tcm.activations[number], padded_bytes(schedule.buffers[number]))
                       for at, number in enumerate((*call.arguments, *call.results)) if number in self.tcm.activations}
        return TcmUse(memory, place, tuple(following), flying.of(step), flying.busy_q8, activations)

    @one_at_a_time
    def run(self, arguments: Sequence[np.ndarray], progress: Progress | None = None,
            arithmetic: str | None = None) -> ModelRun:
        """Run with ``arguments`` (weights and inputs) in the order of the model's arguments. Launches pack
        those that are views; ``arithmetic`` is theirs, too. An argument that kernels change is changed in place, and
        is the result itself."""
        schedule = self.schedule
        arena = _aligned(self.memory.arena_bytes, int(get(schedule.target).vector_bytes.value))
        arrays: dict[int, np.ndarray] = {}
        for number, offset in zip(self._lifetimes, self.memory.offsets, strict=True):
            arrays[number] = _view(arena, offset, schedule.buffers[number].shape, schedule.buffers[number].element)
        for number in self.tcm.activations:
            buffer = schedule.buffers[number]
            arrays[number] = np.zeros(buffer.shape, NUMPY[buffer.element])
        changed = {number for call in schedule.calls for number in call.results}
        for number, buffer in enumerate(schedule.buffers):
            if buffer.argument is not None:
                arrays[number] = arguments[buffer.argument].view()
                arrays[number].flags.writeable = number in changed
        flying = InFlight()
        idle_q8: tuple[int, ...] = ()
        report = progress or (lambda what, done, total: None)
        with SESSION.recording() as launches, ExitStack() as at_end:
            at_end.callback(report, "simulating", len(schedule.calls), len(schedule.calls))
            for step, call in enumerate(schedule.calls):
                report("simulating", step, len(schedule.calls))
                kernel = schedule.kernels[call.kernel]
                inputs = [_read_only(arrays[n]) for n in call.arguments]
                values = [*inputs, *call.numbers, *(arrays[n] for n in call.results), *call.sizes]
                result = launch(kernel.asm, kernel.name, values, None, schedule.target,
                                compile_seconds=kernel.seconds, whole_storage=False,
                                tcm=self._tcm_use(step, flying), arithmetic=arithmetic, idle_q8=idle_q8)
                idle_q8 = result.idle_q8
                flying = flying.after(result, self.tcm.places[step].starts)
        kept = {n for n in changed if schedule.buffers[n].argument is not None}
        outputs = tuple(arrays[n].reshape(shape) if n in kept else arrays[n].reshape(shape).copy()
                        for n, shape in zip(schedule.outputs, schedule.output_shapes, strict=True))
        return ModelRun(outputs, tuple(launches))


def _aligned(nbytes: int, alignment: int) -> np.ndarray:
    raw = np.zeros(nbytes + alignment, np.uint8)
    start = -raw.ctypes.data % alignment
    return raw[start: start + nbytes]


def _view(arena: np.ndarray, offset: int, shape: tuple[int, ...], element: str) -> np.ndarray:
    dtype = np.dtype(NUMPY[element])
    return arena[offset: offset + prod(shape) * dtype.itemsize].view(dtype).reshape(shape)


def _read_only(array: np.ndarray) -> np.ndarray:
    view = array.view()
    view.flags.writeable = False
    return view

"""Launches compiled kernels on the simulator with torch tensors or numpy arrays, and records every launch."""

from __future__ import annotations

import struct
import threading
from collections import OrderedDict
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import wraps
from math import prod
from typing import Any, ParamSpec, TypeVar

import numpy as np

from hexagon_mlir import targets
from hexagon_mlir.exec.handover import TcmUse
from hexagon_mlir.exec.session import LaunchRecord, Session, Trace
from hexagon_mlir.exec.storage import (
    Span,
    bytes_of,
    guest_address,
    host_bytes,
    is_array,
    live_storages,
    spans_of,
    storage_of,
)
from hexagon_mlir.ir.diagnostics import Diagnostic, HexError, Place
from hexagon_mlir.ir.query import GRID_SUFFIX
from hexagon_mlir.sim import Arg64, Arithmetic, Machine, Report, RunResult, SimError
from hexagon_mlir.sim.host_library.kernel_output import AssertionFailed
from hexagon_mlir.sim.layout import TCM_BASE
from hexagon_mlir.sim.trace import annotate, by_source_line, timeline

ORIGIN = "launch"
_MACHINES_KEPT = 64  # a model has some dozens of kernels
_ALIGN = 128  # bytes; the start of a storage is aligned the same on every run, so that cycles repeat


SESSION = Session()
"""The session of this process."""
history = SESSION.history
"""The last launches of this process, the oldest first."""
_machines: OrderedDict[tuple[str, str, bool, Arithmetic], Machine] = OrderedDict()
_simulating = threading.RLock()
_P = ParamSpec("_P")
_R = TypeVar("_R")


def one_at_a_time(function: Callable[_P, _R]) -> Callable[_P, _R]:
    """Serialize calls of ``function`` by several threads: machines and the history are shared by the process."""
    @wraps(function)
    def called(*args: _P.args, **kwargs: _P.kwargs) -> _R:
        with _simulating:
            return function(*args, **kwargs)

    return called


@contextmanager
def checking(wanted: bool = True) -> Iterator[list[Report]]:
    """Within this context launches are checked if ``wanted``; their reports are added to the list at its end."""
    reports: list[Report] = []
    with SESSION.recording() as records, SESSION.running(checked=wanted):
        try:
            yield reports
        finally:
            reports += [report for record in records for report in record.result.reports]


def known_arithmetic(name: str) -> Arithmetic:
    """The arithmetic called ``name``; raises `HexError` for an unknown one."""
    if name not in list(Arithmetic):
        raise HexError.plain(f"unknown arithmetic '{name}'", hint=f"one of {', '.join(Arithmetic)}")
    return Arithmetic(name)


@contextmanager
def computing(name: str | None) -> Iterator[None]:
    """Within this context launches compute HVX floating point by the `Arithmetic` of that name; None changes
    nothing."""
    with SESSION.running(**({"arithmetic": known_arithmetic(name)} if name else {})):
        yield


@one_at_a_time
def launch(asm: str, entry: str, args: Sequence[Any], grid: tuple[int, int, int] | None = None,
           target: str = targets.DEFAULT, kinds: Sequence[str] | None = None,
           compile_seconds: float = 0.0, whole_storage: bool = True, trace: bool = False,
           tcm: TcmUse | None = None, arithmetic: str | None = None, idle_q8: Sequence[int] = ()) -> RunResult:
    """Run ``entry`` of ``asm`` once, or once per program of ``grid``, and record it.

    Tensors and arrays are copied to guest memory with their whole storage and back, so that views and overlapping
    arguments are preserved; without ``whole_storage`` only their own elements are, and read-only arrays that are not
    contiguous are packed. ``kinds`` has the types of arguments: ``i64`` and ``f64`` take two words. ``trace`` adds a
    `Trace` to the record; cycles are the same. ``tcm`` is the TCM of a model's kernel. ``arithmetic`` is "chip" or
    "ieee" (see `Arithmetic`); None means that of `computing`. ``idle_q8`` is `RunResult.idle_q8` of the launch right
    before this one in the same process of the chip. Raises `HexError` when the simulated program fails.
    """
    kinds = kinds or [""] * len(args)
    trace = trace or SESSION.traced
    machine = None
    try:
        machine = _machine(asm, target, arithmetic)
        place = storage_of if whole_storage else bytes_of
        kept = tcm.activations if tcm is not None else {}
        views = set() if whole_storage else {number for number, a in enumerate(args) if _is_view(a)}
        spans = _Spans(machine, [place(a) for number, a in enumerate(args)
                                 if is_array(a) and number not in views and number not in kept])
        in_tcm = {number: TCM_BASE + offset for number, (offset, _) in kept.items()}
        words = [in_tcm[number] if number in in_tcm else _packed(machine, a) if number in views
                 else spans.address(a) if is_array(a) else _scalar(a, kind)
                 for number, (a, kind) in enumerate(zip(args, kinds, strict=True))]
        handover = None
        if tcm is not None:
            extra, handover = tcm.prepare(machine, words)
            words += extra
        kept_bytes = {number: machine.view(address, args[number].nbytes) for number, address in in_tcm.items()}
        for number, there in kept_bytes.items():
            there[:] = args[number].reshape(-1).view(np.uint8)
        machine.host_pointer = spans.resolved
        if grid is not None and prod(grid) > 1 and entry + GRID_SUFFIX in machine.program.functions:
            result = machine.run(entry + GRID_SUFFIX, [*words, *grid], trace=trace)
        else:
            result = machine.run(entry, words, grid, trace=trace, handover=handover, idle_q8=idle_q8)
        spans.write_back()
        for number, there in kept_bytes.items():
            if args[number].flags.writeable:
                args[number].reshape(-1).view(np.uint8)[:] = there
        seen = Trace(annotate(machine), by_source_line(machine), timeline(machine)) if trace else None
    except AssertionFailed as error:
        raise HexError(Diagnostic("error", Place(error.file, error.line, error.column), ORIGIN,
                                  error.message)) from error
    except SimError as error:
        raise HexError.plain(str(error), origin=ORIGIN, file=entry) from error
    finally:
        if machine is not None:
            machine.host_pointer = None
            machine.reset()  # immediately: the guest memory of cached machines would add up
    shapes = tuple(tuple(a.shape) for a in args if is_array(a))
    SESSION.add(LaunchRecord(entry, target, grid, shapes, result, compile_seconds, asm, seen))
    return result


def _is_view(argument: Any) -> bool:
    return isinstance(argument, np.ndarray) and not argument.flags.c_contiguous and not argument.flags.writeable


def _packed(machine: Machine, array: np.ndarray) -> int:
    """Guest address of a packed copy of ``array``, without a copy on the host."""
    guest = machine.alloc_ddr(array.nbytes, _ALIGN)
    machine.view(guest, array.nbytes).view(array.dtype).reshape(array.shape)[...] = array
    return guest


def _scalar(argument: Any, kind: str) -> int | float | Arg64:
    """``argument`` as words of the calling convention; ``kind`` as in MLIR or Triton (f64 or fp64)."""
    kind = kind.replace("fp", "f").replace("u", "i")
    if kind == "f64":
        return Arg64(struct.unpack("<Q", struct.pack("<d", float(argument)))[0])
    if kind == "i64":
        return Arg64(int(argument) & (1 << 64) - 1)
    if kind == "f32":
        return float(argument)
    if kind in ("f16", "bf16"):
        raise HexError.plain(f"a scalar argument of type {kind}", origin=ORIGIN, hint="pass it as f32")
    if isinstance(argument, float | np.floating):
        return float(argument)
    return int(argument) & 0xFFFFFFFF


def _machine(asm: str, target: str, name: str | None) -> Machine:
    chosen = known_arithmetic(name) if name else SESSION.arithmetic
    key = (asm, target, SESSION.checked, chosen)
    if key not in _machines:
        while len(_machines) >= _MACHINES_KEPT:
            _machines.popitem(last=False)
        _machines[key] = Machine(asm, target, check=SESSION.checked, arithmetic=chosen)
    _machines.move_to_end(key)
    return _machines[key]


class _Spans:
    """Host storages copied into guest DDR, one allocation for those that overlap."""

    def __init__(self, machine: Machine, storages: Sequence[tuple[int, int, bool]]) -> None:
        self.machine = machine
        self.spans = spans_of(storages)
        for span in self.spans:
            self._copy_in(span)

    def _copy_in(self, span: Span) -> None:
        span.guest = self.machine.alloc_ddr(span.nbytes, _ALIGN)
        self.machine.view(span.guest, span.nbytes)[:] = host_bytes(span.start, span.end)

    def address(self, array: Any) -> int:
        """Guest address of the first element of ``array``; 0 when it has no memory."""
        return guest_address(self.spans, array)

    def resolved(self, host: int) -> int:
        """Guest address of the byte at ``host``; copies the live tensor that contains it when that is no argument."""
        for span in self.spans:
            if span.start <= host < span.end:
                return span.guest + host - span.start
        for start, nbytes, writable in live_storages():
            if start <= host < start + nbytes:
                span = Span(start, start + nbytes, writable)
                self._copy_in(span)
                self.spans.append(span)
                return span.guest + host - start
        raise SimError(f"{host:#x} is no address of a live CPU tensor")

    def write_back(self) -> None:
        """Copy guest memory back to the host, except over read-only arrays."""
        for span in self.spans:
            if span.writable:
                host_bytes(span.start, span.end)[:] = self.machine.view(span.guest, span.nbytes)

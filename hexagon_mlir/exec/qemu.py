"""Runs a linked kernel under ``qemu-hexagon``: arguments and results are in one mapped file; returns QEMU's counters.

QEMU executes; it does not time. What it can execute differs by version: before QEMU 11 there is no HVX floating point
and no chip later than v67, so kernels are compiled for the target `runs` names.
"""

from __future__ import annotations

import re
import signal
import struct
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from hexagon_mlir.codegen.artifacts.weights import Weights
from hexagon_mlir.codegen.processes.isolation import find_program
from hexagon_mlir.exec.images import Image, read_back
from hexagon_mlir.ir.diagnostics import Diagnostic, HexError, Place

ORIGIN = "qemu"
EMULATOR = "qemu-hexagon"
TIMEOUT_SECONDS = 600.0
VECTOR_FLOAT_SINCE = 11
"""First major version with HVX floating point and the v68..v79 chips it belongs to."""
_ASSERTION = re.compile(r"(.+):(\d+):(\d+): (assertion failed.*)")
RUNTIME_FAILED = 86  # HEXMLIR_RT_FAILED


@dataclass(frozen=True)
class Counters:
    """QEMU's counts of the kernel without runtime calls (main thread), and the runtime's state at the end."""

    packets: int
    instructions: int
    hvx_instructions: int
    tcm_in_use: int
    """Bytes of TCM that the kernel did not free."""
    tcm_high_water: int
    dma_pending: int
    """Transfers nobody waited for."""


def emulator() -> str:
    """Path of the emulator; `HexError` when there is none."""
    path = find_program(EMULATOR)
    if path is None:
        raise HexError.plain(f"{EMULATOR} is not installed", origin=ORIGIN, hint="apt-get install qemu-user")
    return path


@cache
def version() -> tuple[int, ...]:
    """Version of the installed emulator."""
    text = subprocess.run([emulator(), "--version"], capture_output=True, text=True, timeout=60).stdout
    found = re.search(r"version (\d+(?:\.\d+)*)", text)
    if found is None:
        raise HexError.plain(f"cannot read the version of {EMULATOR} in {text[:80]!r}", origin=ORIGIN)
    return tuple(map(int, found[1].split(".")))


def runs(target: str) -> tuple[str, str]:
    """The target to compile for in place of ``target`` so that this QEMU executes the code, and why it differs ("")."""
    if target == "v67" or version()[0] >= VECTOR_FLOAT_SINCE:
        return target, ""
    return "v67", (f"QEMU {'.'.join(map(str, version()))} has no HVX floating point: integers run as HVX code of v67, "
                   "floats as scalar code")


def run(program: bytes, target: str, arguments: Sequence[Any], kinds: Sequence[str] = (),
        grid: tuple[int, int, int] | None = None, threads: int | None = None,
        timeout: float = TIMEOUT_SECONDS, weights: Weights | None = None) -> Counters:
    """Run ``program`` (see `exec.elf`) once, or once per program of ``grid``.

    Arguments are as in `exec.sim.launch`; arrays are changed in place, and only when the run succeeded. ``threads`` is
    the number of workers for async tasks, ``weights`` what the program maps. Raises `HexError` for a failure, a crash,
    or more than ``timeout`` seconds.
    """
    words = [emulator(), "-cpu", target]
    if threads is not None:
        words += ["-E", f"HEXMLIR_RT_THREADS={threads}"]
    image = Image(arguments, kinds, grid)
    with _room() as room:
        path = Path(room, "image")
        words += [_write(Path(room, "program"), [program]), _write(path, [image.data])]
        if weights is not None:
            words.append(_write(Path(room, "weights"), weights.chunks()))
        try:
            done = subprocess.run(words, capture_output=True, timeout=timeout)
        except subprocess.TimeoutExpired:
            raise HexError.plain(f"the program did not finish in {timeout:g} s", origin=ORIGIN) from None
        except OSError as error:
            raise HexError.plain(f"cannot run {EMULATOR}: {error.strerror}", origin=ORIGIN) from None
        sys.stdout.write(done.stdout.decode(errors="replace"))
        _check(done)
        after = np.fromfile(path, np.uint8)
    counts = struct.unpack_from("<7I", after[24:52].tobytes())
    if not counts[6]:
        raise HexError.plain("the program ended before the kernel did", origin=ORIGIN)
    read_back(image, after)
    return Counters(*counts[:6])


@contextmanager
def _room() -> Iterator[str]:
    """A folder for one run; `HexError` when the disk has no space for it."""
    try:
        room = tempfile.TemporaryDirectory(prefix="hexmlir-")
    except OSError as error:
        raise HexError.plain(f"cannot make a folder for the run: {error.strerror}", origin=ORIGIN) from None
    with room as path:
        yield path


def _write(path: Path, pieces: Iterable[bytes | bytearray | memoryview]) -> str:
    """Write what the program needs; returns its path."""
    try:
        with open(path, "wb") as file:
            file.writelines(pieces)
        path.chmod(0o700)
    except OSError as error:
        raise HexError.plain(f"cannot write the {path.name} of the run: {error.strerror}", origin=ORIGIN,
                             file=str(path.parent)) from None
    return str(path)


def _check(done: subprocess.CompletedProcess[bytes]) -> None:
    """Raise the error of ``done``, if it failed."""
    if done.returncode == 0:
        return
    lines = done.stderr.decode(errors="replace").strip().splitlines()
    if done.returncode == RUNTIME_FAILED and lines:
        reason = lines[-1].removeprefix("hexmlir_rt: ")
        assertion = _ASSERTION.fullmatch(reason)
        if assertion is not None:
            file, line, column, message = assertion.groups()
            raise HexError(Diagnostic("error", Place(file, int(line), int(column)), ORIGIN, message))
    elif done.returncode < 0:
        reason = f"{EMULATOR} was ended by {signal.Signals(-done.returncode).name}"
    elif "unknown CPU" in "".join(lines) or "unable to find CPU" in "".join(lines):
        reason = f"the program is for a chip that {EMULATOR} {'.'.join(map(str, version()))} does not know"
    elif any("uncaught target signal" in line for line in lines):
        reason = "the program crashed: " + next(line for line in lines if "uncaught target signal" in line)
    else:
        reason = f"exit code {done.returncode}" + (f": {lines[-1]}" if lines else "")
    raise HexError.plain(reason, origin=ORIGIN)

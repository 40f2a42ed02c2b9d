"""Objects, shared objects and programs, linked with the compiler and the C library of the ``ziglang`` package."""

from __future__ import annotations

import importlib.util
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path

import hexagon_mlir
from hexagon_mlir.ir import HexError

TIMEOUT_SECONDS = 900
"""The first link for a chip builds the C library: minutes on a slow machine. Later ones take a second."""
TRIPLE = "hexagon-linux-musl"
CPU = "hexagonv67"
"""For what is written in C: every chip runs it, and the C library is built once. Kernels arrive as objects."""
FLAGS = ("-O2", "-g0", "-std=gnu11", "-fno-sanitize=all")
ORIGIN = "link"


def runtime_folder() -> Path:
    """Where the C runtime's sources are: inside the package when installed, beside it in a checkout."""
    package = Path(hexagon_mlir.__file__).parent
    inside = package / "runtime"
    return inside if inside.is_dir() else package.parent / "runtime"


def available() -> bool:
    """True when a linker is there (the ``elf`` extra)."""
    return importlib.util.find_spec("ziglang") is not None


def runtime_sources() -> list[Path]:
    """The C files of the runtime, DMA emulated."""
    return sorted(file for file in (runtime_folder() / "src").glob("*.c") if file.name != "dma_engine.c")


def program(files: Mapping[str, bytes], output: Path) -> None:
    """Link ``files`` (name -> object or C text) with the runtime and its driver into the executable ``output``."""
    folder = runtime_folder()
    sources = [*map(str, runtime_sources()), str(folder / "driver" / "main.c")]
    _zig(["-static", "-s", f"-I{folder / 'include'}", f"-I{folder / 'driver'}", *sources], files, output)


def shared_object(object_file: bytes, output: Path) -> None:
    """A shared object of a position-independent object; the runtime's functions stay undefined in it."""
    _zig(["-shared", "-nostdlib", "-s"], {"kernel.o": object_file}, output)


def _zig(words: Sequence[str], files: Mapping[str, bytes], output: Path) -> None:
    if not available():
        raise HexError.plain("no linker: the Python package 'ziglang' is not installed", origin=ORIGIN,
                             hint="pip install 'hexagon-mlir[elf]'")
    with tempfile.TemporaryDirectory(prefix="hexmlir-") as room:
        for name, data in files.items():
            Path(room, name).write_bytes(data)
        command = [sys.executable, "-m", "ziglang", "cc", "-target", TRIPLE, f"-mcpu={CPU}", *FLAGS, *words, *files,
                   "-o", "linked"]
        try:
            done = subprocess.run(command, cwd=room, capture_output=True, text=True, timeout=TIMEOUT_SECONDS)
        except subprocess.TimeoutExpired:
            raise HexError.plain(f"the linker did not finish in {TIMEOUT_SECONDS} s", origin=ORIGIN) from None
        if done.returncode:
            reasons = [line for line in done.stderr.splitlines() if "error" in line] or [f"exit {done.returncode}"]
            raise HexError.plain(f"zig cc: {reasons[0].strip()}", origin=ORIGIN)
        place(Path(room, "linked"), output)


def place(made: Path, output: Path) -> None:
    """Move ``made`` to ``output`` in one step: a full disk leaves the old file as it was."""
    temporary = output.with_name(f".{output.name}.{os.getpid()}")
    try:
        shutil.copy(made, temporary)
        os.replace(temporary, output)
    except OSError as error:
        temporary.unlink(missing_ok=True)
        raise HexError.plain(f"cannot write the file: {error.strerror}", origin=ORIGIN, file=str(output)) from None


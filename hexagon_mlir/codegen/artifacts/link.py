"""Objects, shared objects and programs, linked with the compiler and the C library of the ``ziglang`` package."""

from __future__ import annotations

import importlib.util
import subprocess
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path

import hexagon_mlir
from hexagon_mlir.ir import HexError

TIMEOUT_SECONDS = 900
"""The first link for a chip builds the C library: minutes on a slow machine. Later ones take a second."""
TRIPLE = "hexagon-linux-musl"
CPU = "hexagonv67"
"""The CPU for C sources: every chip runs its code, and the C library is built once. Kernels are linked as objects."""
FLAGS = ("-O2", "-g0", "-std=gnu11", "-fno-sanitize=all")
WRAPPED = ("hexmlir_rt_tcm_alloc", "hexmlir_rt_tcm_free", "hexmlir_rt_dma_start_2d", "hexmlir_rt_dma_wait",
           "hexmlir_rt_tile_start", "hexmlir_rt_copy_2d", "aligned_alloc", "free",
           "__hexagon_memcpy_likely_aligned_min32bytes_mult8bytes", "hexmlir_rt_pointer")
"""Functions that the driver wraps: wrap.c to count separately from the kernel, main.c to translate addresses."""
OF_DEVICES = ("dma_engine.c", "engine_device.c")
"""Files of the runtime that need a device, and whose work others emulate."""
ORIGIN = "link"


def runtime_folder() -> Path:
    """Where the C runtime's sources are: inside the package when installed, next to it in a checkout."""
    package = Path(hexagon_mlir.__file__).parent
    inside = package / "runtime"
    return inside if inside.is_dir() else package.parent / "runtime"


def available() -> bool:
    """True when a linker is installed (the ``elf`` extra)."""
    return _installed() is not None


def compiler() -> Path:
    """The program ``zig`` of the package ``ziglang``; raises `HexError` when that is not installed."""
    if (found := _installed()) is None:
        raise HexError.plain("no linker: the Python package 'ziglang' is not installed", origin=ORIGIN,
                             hint="pip install 'hexagon-mlir[elf]'")
    return found


def _installed() -> Path | None:
    found = importlib.util.find_spec("ziglang")
    return Path(found.origin).with_name("zig") if found is not None and found.origin is not None else None


def runtime_sources() -> list[Path]:
    """The C files of the runtime, DMA and matrix engine emulated."""
    return sorted(file for file in (runtime_folder() / "src").glob("*.c") if file.name not in OF_DEVICES)


def program(files: Mapping[str, bytes]) -> bytes:
    """An executable of ``files`` (name -> object or C text), the runtime and its driver."""
    folder = runtime_folder()
    sources = map(str, [*runtime_sources(), folder / "driver" / "main.c", folder / "driver" / "wrap.c"])
    wrapped = [f"-Wl,--wrap={name}" for name in WRAPPED]
    return _zig(["-static", "-s", *wrapped, f"-I{folder / 'include'}", f"-I{folder / 'driver'}", *sources], files)


def shared_object(files: Mapping[str, bytes]) -> bytes:
    """A shared object of C text and position-independent objects; the runtime's functions stay undefined in it."""
    return _zig(["-shared", "-fPIC", "-nostdlib", "-s"], files)


def relocatable(files: Mapping[str, bytes]) -> bytes:
    """One object of several, and of C text."""
    return _zig(["-r", "-nostdlib"], files)


def _zig(words: Sequence[str], files: Mapping[str, bytes]) -> bytes:
    zig = compiler()
    inputs = [name for name in files if not name.endswith(".h")]
    try:
        with tempfile.TemporaryDirectory(prefix="hexmlir-") as room:
            for name, data in files.items():
                Path(room, name).write_bytes(data)
            command = [str(zig), "cc", "-target", TRIPLE, f"-mcpu={CPU}", *FLAGS, *words, *inputs, "-o", "linked"]
            done = subprocess.run(command, cwd=room, capture_output=True, text=True, timeout=TIMEOUT_SECONDS)
            if done.returncode:
                reasons = [line for line in done.stderr.splitlines() if "error" in line] or [f"exit {done.returncode}"]
                hint = "it keeps what it builds below $ZIG_GLOBAL_CACHE_DIR, $XDG_CACHE_HOME or $HOME"
                raise HexError.plain(f"zig cc: {reasons[0].strip()}", origin=ORIGIN,
                                     hint=hint if "cache" in reasons[0] else "")
            return Path(room, "linked").read_bytes()
    except subprocess.TimeoutExpired:
        raise HexError.plain(f"the linker did not finish in {TIMEOUT_SECONDS} s", origin=ORIGIN) from None
    except OSError as error:
        raise HexError.plain(f"cannot link: {error.strerror}", origin=ORIGIN, file=error.filename or "") from None

"""Measures one point of a sweep; runs in a process of its own."""

from __future__ import annotations

import hashlib
import importlib.util
import runpy
import string
import sys
import time
from collections.abc import Iterable
from contextlib import redirect_stdout
from io import StringIO
from pathlib import Path
from typing import Any

import msgspec

from hexagon_mlir.ir.diagnostics import HexError
from hexagon_mlir.sweep.points import Point

_FAST = 10
"""How much more ``accuracy="fast"`` may be off: exp of f32 by 110 units in the last place (docs/maths.md)."""


class Row(msgspec.Struct, frozen=True):
    """What a point takes: cycles and packets of all launches, bytes from and to DDR, seconds of the whole measurement;
    ``error`` says why there are none."""

    cycles: int | None = None
    packets: int | None = None
    hvx_packets: int | None = None
    ddr_bytes: int | None = None
    tcm_bytes: int | None = None
    seconds: float = 0.0
    error: str = ""


def measured(encoded: bytes) -> bytes:
    """The `Row` of a `Point`, both as JSON: nothing else goes from process to process. It raises nothing."""
    start = time.perf_counter()
    try:
        point = msgspec.json.decode(encoded, type=Point)
        row = _row(_results(point))
    except HexError as error:
        row = Row(error=str(error.diagnostics[0].message))
    except Exception as error:  # the boundary of a worker: one point fails, not the sweep
        row = Row(error=f"{type(error).__name__}: {str(error).strip()[:500]}")
    return msgspec.json.encode(msgspec.structs.replace(row, seconds=round(time.perf_counter() - start, 3)))


def _row(results: Iterable[Any]) -> Row:
    found = list(results)
    if not found:
        return Row(error="nothing was launched")
    return Row(sum(one.cycles for one in found), sum(one.packets for one in found),
               sum(one.hvx_packets for one in found), sum(one.ddr_read_bytes + one.ddr_write_bytes for one in found),
               max(one.tcm_high_water for one in found))


def _results(point: Point) -> list[Any]:
    """The results of the launches."""
    if point.program.kind == "script":
        return _of_script(point)
    return [_of_corpus(point) if point.program.kind == "corpus" else _of_kernel(point)]


def _of_kernel(point: Point) -> Any:
    from hexagon_mlir.api import compile as compile_kernel
    from hexagon_mlir.exec.made_up import made_up
    from hexagon_mlir.ir import parse

    module = parse(with_sizes(point.program.text, dict(point.sizes)), file=point.program.name)
    kernel: Any = compile_kernel(module, target=point.target, **_settings(point))
    return kernel.run(*map(made_up, kernel.interface.arguments)).result


def with_sizes(text: str, sizes: dict[str, int]) -> str:
    """``text`` with its ``$NAME`` and ``${NAME}``; raises `HexError` for one that has no size, or a size without place.

    >>> with_sizes("tensor<${M}xf32>", {"M": 8})
    'tensor<8xf32>'
    """
    template = string.Template(text)
    wanted = set(template.get_identifiers())
    if not template.is_valid():
        raise HexError.plain("a '$' that begins no name", hint="$NAME is a size, $$ is a dollar sign")
    for name in sorted(wanted ^ set(sizes)):
        raise HexError.plain(f"${name} has no size" if name in wanted else f"there is no ${name} in the kernel",
                             hint=f"--size {name}=64,128" if name in wanted else "")
    return template.substitute(sizes)


def _of_corpus(point: Point) -> Any:
    from hexagon_mlir.api import compile as compile_kernel
    from hexagon_mlir.bench.corpus import ENTRIES
    from hexagon_mlir.ir import parse

    entry = next(entry for entry in ENTRIES if entry.name == point.program.text)
    kernel: Any = compile_kernel(parse(entry.text, file=point.program.name), target=point.target, **_settings(point))
    tolerance = entry.tolerance * (_FAST if _settings(point).get("accuracy") == "fast" else 1)
    return entry.compiled_run(kernel.asm, point.target, tolerance)


def _of_script(point: Point) -> list[Any]:
    """The results of all launches of a script, which is still what it was when the sweep began."""
    from hexagon_mlir.exec.sim import SESSION

    path = Path(point.program.text)
    if hashlib.sha256(path.read_bytes()).hexdigest() != point.program.digest:
        raise HexError.plain("the script has changed since the sweep began")
    if importlib.util.find_spec("triton") is not None:
        from hexagon_mlir.frontend.triton import activate

        activate()
    argv, search = sys.argv, list(sys.path)
    sys.argv = [str(path), *(f"--{name}={size}" for name, size in point.sizes)]
    sys.path.insert(0, str(path.parent))
    try:
        with SESSION.recording() as records, redirect_stdout(StringIO()):
            runpy.run_path(str(path), run_name="__main__")
    except SystemExit as leave:
        if leave.code:
            raise HexError.plain(f"the script ends with {leave.code!r:.200}") from None
    finally:
        sys.argv, sys.path[:] = argv, search
    return [record.result for record in records]


def _settings(point: Point) -> dict[str, Any]:
    return dict(point.settings)

"""The kernels of the corpus in plain C, ``c/NAME.c``, by clang's vectorizer for HVX with the options that suit it best.

What they would take from math.h is plain C too (``c/functions.h``). Operands stay in DDR, behind the cache, on one
thread: what an ordinary compiler gives.
"""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from hexagon_mlir.bench.corpus.entry import Entry, Run
from hexagon_mlir.codegen.artifacts.link import TRIPLE, compiler
from hexagon_mlir.ir import HexError
from hexagon_mlir.targets import Target

FOLDER = Path(__file__).with_name("c")
ALWAYS = ("-O3", "-ffast-math", "-fvectorize", "-mllvm", "-hexagon-autohvx", "-mhvx", "-mhvx-length=128b",
          "-fhonor-nans", "-g0", "-w")
"""With NaNs, as comparisons are lane by lane else: LLVM 22 makes them minnum, for which it uses no vectors."""
_IEEE = "-mhvx-ieee-fp"


def _lanes(count: int) -> tuple[str, ...]:
    """Vectors of ``count`` elements: LLVM's own estimate is that most of the kernels should stay scalar."""
    return ("-mllvm", f"-force-vector-width={count}")


OPTIONS: tuple[tuple[str, ...], ...] = (
    (), _lanes(64), (*_lanes(32), _IEEE), (*_lanes(64), _IEEE), (*_lanes(128), _IEEE),
    (*_lanes(64), _IEEE, "-fno-unroll-loops"), (*_lanes(32), _IEEE, "-mllvm", "-force-vector-interleave=2"))
"""Each is the fastest for some kernel."""
TIMEOUT_SECONDS = 30
"""Loops that are unrolled whole and then vectorized take LLVM minutes with some options; others are faster then."""


def source_of(entry: Entry) -> Path:
    """The file of ``entry`` in C."""
    return FOLDER / f"{entry.symbol}.c"


def assembly(source: Path, target: Target, options: tuple[str, ...] = ()) -> str:
    """What clang makes of the file ``source``; raises `HexError` where it fails, takes long, or is not installed."""
    command = [str(compiler()), "clang", "-target", TRIPLE, f"-m{target.name}", *ALWAYS, *options, "-S", "-o", "-",
               str(source)]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=TIMEOUT_SECONDS)
    except subprocess.TimeoutExpired:
        raise HexError.plain(f"clang takes more than {TIMEOUT_SECONDS} s", file=source.name) from None
    except OSError as error:
        raise HexError.plain(f"cannot run clang: {error.strerror}", file=source.name) from None
    if done.returncode:
        reason = next((line for line in done.stderr.splitlines() if "error" in line), f"exit {done.returncode}")
        raise HexError.plain(f"clang: {reason.strip()}", file=source.name)
    return done.stdout


def best_run(entry: Entry, target: Target) -> Run:
    """The fastest run of ``entry`` in C whose values are right; raises `HexError`, the last reason, without one."""
    best: Run | None = None
    why = HexError.plain("no options")
    for made in _compiled(source_of(entry), target):
        try:
            if isinstance(made, HexError):
                raise made
            result = entry.native_run(made, target.name)
        except HexError as error:
            why = error
            continue
        if best is None or result.cycles < best.result.cycles:
            best = Run(made, result)
    if best is None:
        raise why
    return best


def _compiled(source: Path, target: Target) -> Iterator[str | HexError]:
    """By each of `OPTIONS`: the assembly, once where two make the same, or why there is none."""
    seen = set()
    with ThreadPoolExecutor() as pool:
        for made in pool.map(lambda options: _tried(source, target, options), OPTIONS):
            if made not in seen:
                seen.add(made)
                yield made


def _tried(source: Path, target: Target, options: tuple[str, ...]) -> str | HexError:
    try:
        return assembly(source, target, options)
    except HexError as error:
        return error

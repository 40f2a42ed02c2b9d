"""Cycles of one kernel of the corpus in every combination of what makes it faster, beside LLVM's own vectorizer."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from hexagon_mlir import pipelines
from hexagon_mlir.bench.combinations import COMBINATIONS, steps
from hexagon_mlir.bench.corpus import ENTRY, Entry
from hexagon_mlir.bench.results import Measured
from hexagon_mlir.codegen.emission import emit
from hexagon_mlir.codegen.translate import translate_to_llvm_ir
from hexagon_mlir.exec.sim import launch
from hexagon_mlir.ir import HexError, parse, set_index_bits
from hexagon_mlir.pass_infra import PassContext, Step
from hexagon_mlir.pass_infra.runner import run_steps
from hexagon_mlir.report.roofline import bound
from hexagon_mlir.settings import DEFAULT_SETTINGS, Settings
from hexagon_mlir.sim import RunResult
from hexagon_mlir.targets import Target

LLVM = "LLVM"
"""The loops of the same linalg, fused as ours are, by LLVM -O3 with its vectorizers for HVX."""
ENGINE = "+ME"
"""With threads and double buffering, and the matrix engine."""
WAYS = (LLVM, *COMBINATIONS, ENGINE)
_BASELINE = "auto-vectorized"


def measure(entry: Entry, target: Target) -> Measured:
    """Compile, run and check ``entry`` in all `WAYS`; where one does not work, why stands in place of its cycles."""
    cycles: dict[str, int] = {}
    failures: dict[str, str] = {}
    best: RunResult | None = None
    for way in WAYS:
        if way == ENGINE and not any(dtype in ("float16", "int8") for dtype in entry.dtypes):
            continue
        try:
            result = run(entry, way, target)
        except HexError as error:
            failures[way] = error.diagnostics[0].message
            continue
        cycles[way] = result.cycles
        if way != LLVM and (best is None or result.cycles < best.cycles):
            best = result
    limit = bound(best, target) if best is not None else None
    return Measured(entry.size, cycles, failures, round(limit.cycles) if limit else 0, limit.by if limit else "")


def run(entry: Entry, way: str, target: Target) -> RunResult:
    """One run, its values compared; raises `HexError` where the compiler, the simulator or the values fail."""
    pipeline = _BASELINE if way == LLVM else "default"
    settings = Settings(threads=1) if way == LLVM else DEFAULT_SETTINGS
    module = parse(entry.text, file=f"{entry.name}.mlir")
    set_index_bits(module)
    run_steps(module, _steps(way, target), PassContext(target))
    asm = emit(translate_to_llvm_ir(module), target, pipeline=pipeline, settings=settings)
    assert isinstance(asm, str)
    arguments = entry.arguments()
    output = np.zeros(entry.shapes[-1], entry.dtypes[-1])
    result = launch(asm, ENTRY, [*arguments, output], target=target.name)
    expected = entry.reference(*(argument.astype(np.float64) for argument in arguments))
    error = float(np.abs(output - expected).max()) / (1 + float(np.abs(expected).max()))
    if not error <= entry.tolerance:
        raise HexError.plain(f"values are off by {error:.1e}, {entry.tolerance:.1e} at most is right")
    return result


def _steps(way: str, target: Target) -> Sequence[Step]:
    if way == LLVM:
        return pipelines.get(_BASELINE, target, Settings(threads=1))
    return steps(COMBINATIONS[-1] if way == ENGINE else way, target, matrix_engine=way == ENGINE)

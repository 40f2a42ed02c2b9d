"""Cycles of one kernel of the corpus in every combination of what makes it faster, beside what others make of it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial

from hexagon_mlir import pipelines
from hexagon_mlir.bench import plain_c, ways
from hexagon_mlir.bench.bounds import bound
from hexagon_mlir.bench.combinations import steps
from hexagon_mlir.bench.corpus.entry import Entry, Run
from hexagon_mlir.bench.results import Measured
from hexagon_mlir.codegen.emission import emit
from hexagon_mlir.codegen.translate import translate_to_llvm_ir
from hexagon_mlir.ir import HexError, parse, set_index_bits
from hexagon_mlir.pass_infra import PassContext, Step
from hexagon_mlir.pass_infra.runner import run_steps
from hexagon_mlir.settings import DEFAULT_SETTINGS, Settings
from hexagon_mlir.targets import Target

_PIPELINES = {ways.LLVM: "auto-vectorized", ways.SCALAR: "scalar"}
"""Others are combinations of the default pipeline."""


def measure(entry: Entry, target: Target, hand_written: Mapping[str, str] | None = None,
            wanted: Sequence[str] = ways.WAYS) -> Measured:
    """Compile, run and check ``entry`` in all ways that are ``wanted``; where one does not work, why stands in place of
    its cycles. ``hand_written`` has assembly by name, each a further way if it has a function for this kernel."""
    runs: dict[str, Callable[[], Run]] = {}
    for way in wanted:
        if way != ways.ENGINE or any(dtype in ("float16", "int8") for dtype in entry.dtypes):
            runs[way] = partial(_run, entry, way, target)
    for name, asm in (hand_written or {}).items():
        if f"\n{entry.symbol}:" in f"\n{asm}":
            runs[name] = partial(_hand_written, entry, asm, target)
    cycles: dict[str, int] = {}
    failures: dict[str, str] = {}
    best: Run | None = None
    for way, start in runs.items():
        try:
            run = start()
        except HexError as error:
            failures[way] = error.diagnostics[0].message
            continue
        cycles[way] = run.result.cycles
        if way in ways.OURS and (best is None or run.result.cycles < best.result.cycles):
            best = run
    limit = bound(best.asm, best.result, target) if best is not None else None
    return Measured(entry.size, cycles, failures, round(limit.cycles) if limit else 0, limit.by if limit else "")


def _hand_written(entry: Entry, asm: str, target: Target) -> Run:
    return Run(asm, entry.native_run(asm, target.name))


def _run(entry: Entry, way: str, target: Target) -> Run:
    """One run, its values compared; raises `HexError` where the compiler, the simulator or the values fail."""
    if way == ways.PLAIN_C:
        return plain_c.best_run(entry, target)
    pipeline = _PIPELINES.get(way, "default")
    settings = Settings(threads=1) if way in _PIPELINES else DEFAULT_SETTINGS
    module = parse(entry.text, file=f"{entry.name}.mlir")
    set_index_bits(module)
    run_steps(module, _steps(way, target), PassContext(target))
    asm = emit(translate_to_llvm_ir(module), target, pipeline=pipeline, settings=settings)
    assert isinstance(asm, str)
    return Run(asm, entry.compiled_run(asm, target.name))


def _steps(way: str, target: Target) -> Sequence[Step]:
    if way in _PIPELINES:
        return pipelines.get(_PIPELINES[way], target, Settings(threads=1))
    if way == ways.ENGINE:
        return steps(ways.COMBINATIONS[-1], target, matrix_engine=True)
    return steps(way, target, matrix_engine=False)

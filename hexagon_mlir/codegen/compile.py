"""Compiles one module through a whole pipeline to Hexagon assembly."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import cached_property

from hexagon_mlir import pipelines, targets
from hexagon_mlir.codegen import engine_choice
from hexagon_mlir.codegen.emission import Emission, linked
from hexagon_mlir.codegen.function_modules import as_module, name_apart, take_out
from hexagon_mlir.codegen.processes.worker import workers
from hexagon_mlir.codegen.symbols import check_symbols
from hexagon_mlir.codegen.translate import translate_to_llvm_ir
from hexagon_mlir.dialects import kernel_memory
from hexagon_mlir.dialects.kernel_memory import KernelMemory
from hexagon_mlir.interpreter import switching_often, uncollected
from hexagon_mlir.interrupts import deferred
from hexagon_mlir.ir import ir, set_index_bits, to_text
from hexagon_mlir.ir.diagnostics import Diagnostic
from hexagon_mlir.ir.guards import check_index_constants
from hexagon_mlir.ir.order import nested_ops
from hexagon_mlir.isa.remarks import remarks_of
from hexagon_mlir.pass_infra import CloseEstimates, PassContext, PassStep, Step, TilesOutsideTcm
from hexagon_mlir.pass_infra.runner import Observer, RunOptions, StepRecord, run_steps
from hexagon_mlir.passes.hexagon_engine_convolution import HexagonEngineConvolutionPass
from hexagon_mlir.passes.hexagon_matrix_engine import HexagonMatrixEnginePass
from hexagon_mlir.passes.lib.close_estimates import Close
from hexagon_mlir.settings import DEFAULT_SETTINGS, Settings
from hexagon_mlir.targets import Target


@dataclass
class Compiled:
    """The assembly and its derivation. ``stages``, if kept, is the IR as (title, text): the source, after each step.

    ``modules`` are the LLVM IR; ``memory`` describes the memory that a kernel of a model gets from its caller besides
    tensors.
    """

    asm: str
    modules: tuple[str, ...]
    target: str
    pipeline: str
    settings: Settings
    seconds: float
    steps: list[StepRecord] = field(default_factory=list)
    remarks: list[Diagnostic] = field(default_factory=list)
    schedules: list[tuple[str, str]] = field(default_factory=list)
    stages: tuple[tuple[str, str], ...] = ()
    memory: KernelMemory | None = None

    @cached_property
    def llvm_ir(self) -> str:
        """LLVM IR of the whole program."""
        return linked(self.modules, targets.get(self.target))


@dataclass
class Lowered:
    """A program after the passes: LLVM IR that `finish` compiles to assembly, in any thread. Fields as in
    `Compiled`."""

    modules: tuple[str, ...]
    target: Target
    pipeline: str
    settings: Settings
    seconds: float
    steps: list[StepRecord]
    context: PassContext
    stages: tuple[tuple[str, str], ...] = ()
    memory: KernelMemory | None = None

    def finish(self, emission: Emission | None = None, among_many: bool = False) -> Compiled:
        """Generate code, by the ``emission`` that has all modules already or by a new one; raises `HexError`."""
        start = time.perf_counter()
        if emission is None:
            emission = Emission(self.target, self.pipeline, self.settings, among_many=among_many)
            for llvm_ir in self.modules:
                emission.add(llvm_ir, 1 / len(self.modules))
        return self.compiled(emission.finish(), start)

    def compiled(self, asm: str, start: float) -> Compiled:
        """The program with its assembly, whose generation began at ``start`` by `time.perf_counter`."""
        note_remarks(asm, self.context)
        compiled = Compiled(asm, self.modules, self.target.name, self.pipeline, self.settings,
                            self.seconds + time.perf_counter() - start, self.steps, self.context.log.entries,
                            self.context.schedules, self.stages, self.memory)
        for compilations in _EXPLAINED:
            compilations.append(compiled)
        return compiled


def note_remarks(asm: str, context: PassContext) -> None:
    """Add the remarks of code generation in ``asm`` to those of the passes."""
    for remark in remarks_of(asm):
        context.log.add("remark", None, "llvm-codegen", remark)


_LEAST = 100
"""Constant term, in operations, of the estimated share of a function in a program: a product is one operation.
"""
_EXPLAINED: list[list[Compiled]] = []
"""The lists that collect every compilation of this process: see `explaining`."""


def is_explaining() -> bool:
    """Whether some `explaining` is active."""
    return bool(_EXPLAINED)


@contextmanager
def explaining() -> Iterator[list[Compiled]]:
    """Within this context the compilations of all threads keep stages and line info and are appended to the list."""
    compilations: list[Compiled] = []
    _EXPLAINED.append(compilations)
    try:
        yield compilations
    finally:
        _EXPLAINED[:] = [other for other in _EXPLAINED if other is not compilations]


@uncollected()
@switching_often()
def compile_module(module: ir.Module, target: str | Target = targets.DEFAULT, pipeline: str = "default",
                   options: RunOptions | None = None, settings: Settings = DEFAULT_SETTINGS) -> Compiled:
    """Run ``pipeline`` over ``module`` and generate code for ``target``; raises `HexError`.

    LLVM starts while passes are running, so functions are moved out of ``module``.
    """
    chip = targets.get(target) if isinstance(target, str) else target
    emission = Emission(chip, pipeline, settings)
    try:
        return lower_module(module, chip, pipeline, options, settings, emit=emission.add).finish(emission)
    finally:
        emission.close()


@deferred()
def lower_module(module: ir.Module, target: str | Target = targets.DEFAULT, pipeline: str = "default",
                 options: RunOptions | None = None, settings: Settings = DEFAULT_SETTINGS, keep_stages: bool = False,
                 emit: Callable[[str, float], None] | None = None) -> Lowered:
    """Run ``pipeline`` over ``module``, down to LLVM IR; raises `HexError`. Keeping stages costs time.

    ``emit`` is called with LLVM IR as soon as it is available, and its share of the program: separable functions run
    through the last passes one after the other, unless the whole module is to be shown between passes. Where the matrix
    engine is estimated to take about as long as HVX, the program is compiled both ways and measured, if it can be
    (`engine_choice`); where tiles do not fit TCM together, all is compiled again: with smaller blocks, then without the
    engine. Remarks say so.
    """
    start = time.perf_counter()
    options = options or RunOptions(verify_each=False, verify_boundaries=True)
    chip = targets.get(target) if isinstance(target, str) else target
    workers().start()  # LLVM loads while the passes run
    how = _How(chip, pipeline, options, settings, keep_stages, emit, start)
    if not (settings.matrix_engine and chip.has_matrix_engine and pipelines.uses(pipeline, "hexagon-matrix-engine")):
        return _lower(module, how)
    if not engine_choice.measurable(module, chip):
        return _lower_with_engine(module, how)
    source = module.operation.clone()
    try:
        return _lower_with_engine(module, replace(how, close=Close.REFUSED))
    except CloseEstimates:
        module = as_module(source)
    choice = engine_choice.choose(module, chip, pipeline, settings, lambda ways: _assemblies(module, how, ways))
    lowered = _lower_with_engine(module, replace(how, close=choice.close))
    lowered.context.log.add("remark", None, HexagonMatrixEnginePass.name, choice.why)
    return lowered


@dataclass(frozen=True)
class _How:
    """How a module is lowered: arguments of `lower_module`, which began at ``start``; ``close`` of
    `hexagon-engine-convolution` and `hexagon-matrix-engine`, whose ``gaps`` are theirs, 0 its own."""

    chip: Target
    pipeline: str
    options: RunOptions
    settings: Settings
    keep_stages: bool
    emit: Callable[[str, float], None] | None
    start: float
    close: Close = Close.ESTIMATED
    gaps: int = 0


def _assemblies(module: ir.Module, how: _How, ways: tuple[Close, ...]) -> list[str]:
    """The assembly of ``module``, which stays as it is, with products of close estimates in each of ``ways``."""
    options = RunOptions(verify_each=False, verify_boundaries=True)
    emissions: list[Emission] = []
    try:
        for close in ways:
            emissions.append(Emission(how.chip, how.pipeline, how.settings))
            _lower_with_engine(as_module(module.operation.clone()), replace(
                how, options=options, keep_stages=False, emit=emissions[-1].add, close=close))
        return [emission.finish() for emission in emissions]
    finally:
        for emission in emissions:
            emission.close()


def _lower_with_engine(module: ir.Module, how: _How) -> Lowered:
    """`_lower`, again with smaller blocks and without the engine where tiles do not fit TCM together."""
    source = module.operation.clone()
    reason = ""
    for gaps in (0, _MORE_GAPS):
        try:
            return _lower(as_module(source.clone()) if gaps else module, replace(how, gaps=gaps))
        except TilesOutsideTcm as error:
            reason = error.diagnostics[0].message
    lowered = _lower(as_module(source), replace(how, settings=replace(how.settings, matrix_engine=False)))
    lowered.context.log.add("remark", None, HexagonMatrixEnginePass.name,
                            f"compiled again without the engine: {reason}")
    return replace(lowered, settings=how.settings)


def _lower(module: ir.Module, how: _How) -> Lowered:
    """``module`` through all passes; raises `TilesOutsideTcm` and `CloseEstimates` before anything is emitted."""
    chip, pipeline, options, settings, emit = how.chip, how.pipeline, how.options, how.settings, how.emit
    stages: list[tuple[str, str]] = []
    if _EXPLAINED:
        settings = replace(settings, line_info=True)
    if how.keep_stages or _EXPLAINED:
        stages.append(("source", to_text(module)))
        options = replace(options, observers=[*options.observers, _keeper(stages)])
    check_index_constants(module, pipeline)
    check_symbols(module)
    set_index_bits(module)
    context = PassContext(chip)
    steps = [_for_engine(step, how) for step in pipelines.get(pipeline, chip, settings)]
    seen_whole = emit is None or settings.line_info or options.observers or options.dump_dir is not None
    first = len(steps) if seen_whole else len(steps) - pipelines.named(pipeline).by_function
    records = run_steps(module, steps[:first], context, options)
    with module.context:
        parts = {**({} if seen_whole else take_out(module)), "": module}
    lengths = {} if emit is None else {name: _LEAST + len(nested_ops(part.operation)) for name, part in parts.items()}
    modules: list[str] = []
    later: list[list[StepRecord]] = []
    for name, part in parts.items():
        later.append(run_steps(part, steps[first:], context, replace(options, first_index=first)))
        if name:
            with part.context:
                name_apart(part, name)
        modules.append(translate_to_llvm_ir(part))
        if emit is not None:
            emit(modules[-1], lengths[name] / sum(lengths.values()))
    records += [_sum(of_one_step) for of_one_step in zip(*later, strict=True)]
    return Lowered(tuple(modules), chip, pipeline, settings, time.perf_counter() - how.start, records, context,
                   tuple(stages), kernel_memory.read(module))


_MORE_GAPS = 4
"""A quarter of TCM: what buffers of several sizes leave between them."""


def _for_engine(step: Step, how: _How) -> Step:
    """``step``, as ``how`` says if it chooses what the matrix engine computes."""
    if not isinstance(step, PassStep):
        return step
    if isinstance(step.instance, HexagonEngineConvolutionPass):
        return replace(step, instance=replace(step.instance, close=how.close))
    if not isinstance(step.instance, HexagonMatrixEnginePass):
        return step
    instance = replace(step.instance, close=how.close)
    return replace(step, instance=replace(instance, gaps=how.gaps) if how.gaps else instance)


def _sum(records: Sequence[StepRecord]) -> StepRecord:
    """The records of one step in several modules, added up."""
    return StepRecord(records[0].title, sum(r.seconds for r in records), sum(r.ops_before for r in records),
                      sum(r.ops_after for r in records))


def _keeper(stages: list[tuple[str, str]]) -> Observer:
    def observe(index: int, step: Step, when: str, current: ir.Module) -> None:
        if when == "after":
            stages.append((step.title, to_text(current)))

    return observe

"""One module through a whole pipeline to Hexagon assembly."""

from __future__ import annotations

import time
from dataclasses import dataclass, field, replace

from hexagon_mlir import pipelines, targets
from hexagon_mlir.codegen import cache
from hexagon_mlir.codegen.assembly import assembled
from hexagon_mlir.codegen.llvm_ir.module_parts import divide
from hexagon_mlir.codegen.processes.worker import workers
from hexagon_mlir.codegen.translate import translate_to_llvm_ir
from hexagon_mlir.dialects import kernel_memory
from hexagon_mlir.dialects.kernel_memory import KernelMemory
from hexagon_mlir.ir import ir, set_index_bits, to_text
from hexagon_mlir.ir.diagnostics import Diagnostic
from hexagon_mlir.pass_infra import PassContext, Step
from hexagon_mlir.pass_infra.runner import Observer, RunOptions, StepRecord, run_steps
from hexagon_mlir.pipelines import DEFAULT_SETTINGS, Settings
from hexagon_mlir.targets import Target


@dataclass
class Compiled:
    """Assembly and how it came about. ``stages``, if kept, is the IR as (title, text): the source, after each step.

    ``memory`` is what a kernel of a model takes from its caller besides tensors.
    """

    asm: str
    llvm_ir: str
    target: str
    pipeline: str
    settings: Settings
    seconds: float
    steps: list[StepRecord] = field(default_factory=list)
    remarks: list[Diagnostic] = field(default_factory=list)
    schedules: list[tuple[str, str]] = field(default_factory=list)
    stages: tuple[tuple[str, str], ...] = ()
    memory: KernelMemory | None = None


@dataclass
class Lowered:
    """A module after the passes: LLVM IR that `finish` turns to assembly, in any thread. Fields as in `Compiled`."""

    llvm_ir: str
    target: Target
    pipeline: str
    settings: Settings
    seconds: float
    steps: list[StepRecord]
    context: PassContext
    stages: tuple[tuple[str, str], ...] = ()
    memory: KernelMemory | None = None

    def finish(self) -> Compiled:
        """Generate code; raises `HexError`."""
        start = time.perf_counter()
        asm = emit(self.llvm_ir, self.target, "asm", self.pipeline, self.settings)
        assert isinstance(asm, str)
        compiled = Compiled(asm, self.llvm_ir, self.target.name, self.pipeline, self.settings,
                            self.seconds + time.perf_counter() - start, self.steps, self.context.log.entries,
                            self.context.schedules, self.stages, self.memory)
        if kept is not None:
            kept.append(compiled)
        return compiled


kept: list[Compiled] | None = None
"""While it is a list, every compilation of this process is added to it, with its stages and line info."""


def compile_module(module: ir.Module, target: str | Target = targets.DEFAULT, pipeline: str = "default",
                   options: RunOptions | None = None, settings: Settings = DEFAULT_SETTINGS,
                   keep_stages: bool = False) -> Compiled:
    """Run ``pipeline`` over ``module`` in place and generate code for ``target``; raises `HexError`."""
    return lower_module(module, target, pipeline, options, settings, keep_stages).finish()


def lower_module(module: ir.Module, target: str | Target = targets.DEFAULT, pipeline: str = "default",
                 options: RunOptions | None = None, settings: Settings = DEFAULT_SETTINGS,
                 keep_stages: bool = False) -> Lowered:
    """Run ``pipeline`` over ``module`` in place, down to LLVM IR; raises `HexError`. Keeping stages costs time."""
    start = time.perf_counter()
    options = options or RunOptions(verify_each=False, verify_handed_on=True)
    chip = targets.get(target) if isinstance(target, str) else target
    workers().start()  # LLVM loads while the passes run
    stages: list[tuple[str, str]] = []
    if kept is not None:
        settings = replace(settings, line_info=True)
    if keep_stages or kept is not None:
        stages.append(("source", to_text(module)))
        options = replace(options, observers=[*options.observers, _keeper(stages)])
    set_index_bits(module)
    context = PassContext(chip)
    records = run_steps(module, pipelines.get(pipeline, chip, settings), context, options)
    return Lowered(translate_to_llvm_ir(module), chip, pipeline, settings, time.perf_counter() - start, records,
                   context, tuple(stages), kernel_memory.read(module))


def _keeper(stages: list[tuple[str, str]]) -> Observer:
    def observe(index: int, step: Step, when: str, current: ir.Module) -> None:
        if when == "after":
            stages.append((step.title, to_text(current)))

    return observe


def emit(llvm_ir: str, target: Target, kind: str = "asm", pipeline: str = "default",
         settings: Settings = DEFAULT_SETTINGS, position_independent: bool = False) -> str | bytes:
    """Assembly text (``asm``), object bytes (``obj``) or optimised LLVM IR text (``llvm``) for ``llvm_ir``.

    The ``pipeline`` that ``llvm_ir`` came through decides what LLVM may do to its loops (`pipelines.LlvmLoops`).
    """
    loops = pipelines.named(pipeline).llvm_loops
    key = cache.key(cache.compiler(), llvm_ir, target.cpu, target.features, kind, loops,
                    str(position_independent), str(settings.qfloat))
    name = f"{key}.{kind}"
    data = cache.load(name)
    if data is None:
        request = {"cpu": target.cpu, "features": target.features, "kind": kind, "loops": loops,
                   "position_independent": position_independent, "qfloat": settings.qfloat}
        if kind == "asm":
            data = assembled(divide(llvm_ir), request, workers()).encode()
        else:
            data = workers().request(request, llvm_ir)
        cache.store(name, data)
    return data if kind == "obj" else data.decode()

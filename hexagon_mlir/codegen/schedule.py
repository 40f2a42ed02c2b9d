"""A model as data: buffers, kernels, and the calls that run them in order."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field, replace

from hexagon_mlir import pipelines, targets
from hexagon_mlir.codegen.compile import Compiled, Lowered, lower_module
from hexagon_mlir.codegen.kernel_cycles import call_cycles
from hexagon_mlir.codegen.model_calls import VIEWS, Buffer, Call, Calls, module_text, read_calls
from hexagon_mlir.codegen.processes.worker import workers
from hexagon_mlir.codegen.same_programs import under_name, without_name
from hexagon_mlir.codegen.search_shares import REMARKS, searches
from hexagon_mlir.codegen.tcm_activations import Activations, choose_activations, ports
from hexagon_mlir.dialects.engine_tiles import tiles
from hexagon_mlir.dialects.kernel_memory import IN_MODEL, IN_TCM, KernelMemory
from hexagon_mlir.interpreter import switching_often
from hexagon_mlir.interrupts import deferred
from hexagon_mlir.ir import ir, make_context, parse
from hexagon_mlir.ir.diagnostics import Diagnostic
from hexagon_mlir.ir.hexagon_dialect import ENGINE_MATRIX
from hexagon_mlir.ir.order import nested_ops
from hexagon_mlir.pass_infra.runner import RunOptions
from hexagon_mlir.settings import DEFAULT_SETTINGS, Search, Settings
from hexagon_mlir.targets import Target


@dataclass(frozen=True)
class Kernel:
    """One compiled kernel; ``calls`` counts how often the model runs it; ``llvm_ir`` is "" in a loaded model.

    ``memory`` describes the memory that the model passes besides tensors; None when the kernel uses all of TCM.
    """

    name: str
    asm: str
    seconds: float = 0.0
    remarks: tuple[Diagnostic, ...] = ()
    calls: int = 0
    llvm_ir: str = ""
    memory: KernelMemory | None = None


@dataclass
class ModelSchedule:
    """The model after compilation. ``outputs`` are buffer numbers. Of a model for any sizes, ``slots`` are those of the
    buffers that kernels make: parts of the memory, in the order of the buffers; None where offsets are planned."""

    target: str
    buffers: list[Buffer]
    calls: list[Call]
    outputs: list[int]
    output_shapes: list[tuple[int, ...]]
    kernels: list[Kernel] = field(default_factory=list)
    pipeline: str = "default"
    settings: Settings = DEFAULT_SETTINGS
    slots: tuple[int, ...] | None = None


Progress = Callable[[str, int, int], None]
"""Called as ``progress(what, done, total)``."""


def build_schedule(module: ir.Module, entry: str, target: str = targets.DEFAULT, pipeline: str = "default",
                   progress: Progress | None = None, settings: Settings = DEFAULT_SETTINGS,
                   computing: Mapping[str, float | None] | None = None,
                   options: RunOptions | None = None) -> ModelSchedule:
    """Compile every kernel of ``module`` (after `form-kernels`) once, and read the calls of ``entry`` in order.

    ``computing`` are the `computing_cycles` of the kernels, by which `searches` decides; without it all are searched.
    """
    calls = read_calls(module, entry)
    chip = targets.get(target)
    with deferred():
        whole = [_needs_all_tcm(calls.functions[name], chip, settings) for name in calls.kernels]
        kept = _activations(calls, whole, chip, pipeline, settings)
    searched: Sequence[str] = [settings.search] * len(whole)
    if computing is not None and settings.search == Search.AUTO:
        searched = searches(_cycles(calls.calls, calls.buffers, [computing[name] for name in calls.kernels], chip,
                                    settings))

    def compiled(kept: Activations) -> list[Kernel]:
        with deferred():
            sources = [_source(calls.functions[name], ready, in_tcm) for name, ready, in_tcm in
                       zip(calls.kernels, calls.given, _ports_in_tcm(calls, kept), strict=True)]
        shares = [_share(needs_all, chip, kept.taken_from(kernel, calls.calls))
                  for kernel, needs_all in enumerate(whole)]
        own = [replace(settings, search=search, tcm_bytes=settings.tcm_bytes or share)
               for search, share in zip(searched, shares, strict=True)]
        return compile_all(sources, target, pipeline, progress, own, options)

    kernels = compiled(kept)
    if kept.from_end and any(kernel.memory is None for kernel in kernels):  # one allocates TCM while it runs
        kept = Activations()
        kernels = compiled(kept)
    kernels = [replace(kernel, calls=count) for kernel, count in zip(kernels, calls.counts, strict=True)]
    buffers = [replace(buffer, in_tcm=number in kept.from_end) for number, buffer in enumerate(calls.buffers)]
    return ModelSchedule(target, buffers, calls.calls, calls.outputs, calls.output_shapes, kernels, pipeline, settings)


def _activations(calls: Calls, whole: Sequence[bool], chip: Target, pipeline: str, settings: Settings) -> Activations:
    """The activations that stay in TCM; none where the pipeline does not know how, or the user plans the TCM. A kernel
    that needs all of TCM, as ``whole`` says, leaves what its data does not fill."""
    if settings.tcm_bytes or not pipelines.uses(pipeline, "elide-tcm-copies"):
        return Activations()
    refused = {(kernel, place) for kernel, name in enumerate(calls.kernels)
               for place, argument in enumerate(calls.functions[name].regions[0].blocks[0].arguments)
               if _is_read_by_element(argument)}
    room = []
    for call in calls.calls:
        data = sum(calls.buffers[number].nbytes for number in {*call.arguments, *call.results})
        free = max(chip.tcm_budget_bytes - data, 0) if whole[call.kernel] else chip.tcm_budget_bytes
        room.append(min(free, chip.tcm_activation_bytes))
    return choose_activations(calls.calls, calls.buffers, calls.outputs, refused, room, chip)


def _is_read_by_element(value: ir.Value) -> bool:
    """Whether ``value`` is a table: the core's loads from DDR are cached, those from TCM are not."""
    users = [use.owner.operation for use in value.uses]
    return any(op.name == "tensor.extract" or (op.name in VIEWS and _is_read_by_element(op.results[0])) for op in users)


def _ports_in_tcm(calls: Calls, kept: Activations) -> list[list[int]]:
    """Of each kernel, the numbers of the arguments and results that are in TCM."""
    found: list[set[int]] = [set() for _ in calls.kernels]
    for call in calls.calls:
        found[call.kernel] |= {place for (_, place), number in ports(call) if number in kept.from_end}
    return [sorted(places) for places in found]


def _cycles(calls: Sequence[Call], buffers: Sequence[Buffer], computing: Sequence[float | None], chip: Target,
            settings: Settings) -> list[float | None]:
    """The predicted cycles of all calls of each kernel; None where those of computing are unknown."""
    threads = settings.threads or int(chip.hvx_contexts.value)
    found: list[float | None] = [None if work is None else 0.0 for work in computing]
    for call in calls:
        before, work = found[call.kernel], computing[call.kernel]
        if before is not None and work is not None:
            nbytes = sum(buffers[number].nbytes for number in (*call.arguments, *call.results))
            found[call.kernel] = before + call_cycles(work, nbytes, threads, chip)
    return found


def _source(function: ir.Operation, given: set[int], in_tcm: Sequence[int] = ()) -> str:
    """The text of ``function`` as a module of its own, with source lines, marked as a model's kernel.

    ``given`` are the arguments that exist before the model runs, in every call; ``in_tcm`` are those in TCM.
    """
    with function.context:
        function.attributes[IN_MODEL] = ir.DenseI64ArrayAttr.get(sorted(given))
        if in_tcm:
            function.attributes[IN_TCM] = ir.DenseI64ArrayAttr.get(in_tcm)
        elif IN_TCM in function.attributes:
            del function.attributes[IN_TCM]
    return module_text(function)


def _share(whole: bool, chip: Target, taken: int) -> int:
    """Bytes of TCM that a kernel may use where ``taken`` bytes are activations; 0 for all of it."""
    if not whole:
        return chip.tcm_share_bytes
    return chip.tcm_budget_bytes - taken if taken else 0


def _needs_all_tcm(kernel: ir.Operation, chip: Target, settings: Settings) -> bool:
    """Whether smaller tiles cost ``kernel`` more than prefetching the first tile of the next kernel saves: a
    convolution reads its windows more often, a product with weights in blocks converts them again for each block of
    rows, and factors of a product on the matrix engine are transferred again if none of them fits.
    """
    on_engine = settings.matrix_engine and chip.has_matrix_engine
    return any("conv_" in op.name or op.name == ENGINE_MATRIX
               or (on_engine and takes_long(op, chip)) for op in nested_ops(kernel))


_LONG_CYCLES = 40000.0
"""Of the matrix engine: several times what it takes to transfer a first tile."""


def takes_long(op: ir.Operation, target: Target) -> bool:
    """Whether ``op`` is a product of f16 matrices that takes the matrix engine long, or one with at least as many steps
    of the reduction as columns."""
    if op.name != "linalg.matmul":
        return False
    types = [ir.RankedTensorType(value.type) for value in list(op.operands)[:2]]
    if not all(isinstance(type_.element_type, ir.F16Type) for type_ in types):
        return False
    rows, (reduction, columns) = types[0].shape[0], types[1].shape
    cycles = tiles(rows) * tiles(reduction) * tiles(columns) * float(target.matrix_half_tile_cycles.value)
    return reduction >= columns or cycles >= _LONG_CYCLES


_MANY = 8
"""Kernels of a model that keep all workers busy, functions of one kernel in one worker."""


@switching_often()
def compile_all(sources: Sequence[str], target: str, pipeline: str, progress: Progress | None,
                 settings: Sequence[Settings], options: RunOptions | None = None) -> list[Kernel]:
    """The kernels of ``sources``: LLVM generates code for some, in other processes, while passes run on the next. Those
    that are one program by other names share it. With ``options``, dumps of each kernel are in a folder of its name."""
    report = progress or (lambda what, done, total: None)
    names: list[str] = []
    pending: list[Future[Compiled]] = []
    first: dict[tuple[str, Settings], int] = {}
    shared: dict[int, tuple[Lowered, int]] = {}  # kernel -> it, and the first one of the same program
    pool = ThreadPoolExecutor(len(workers().all))
    among_many = len(sources) >= _MANY
    context = make_context()  # one for all: to load the dialects takes as long as to parse a kernel
    try:
        for source, own in zip(sources, settings, strict=True):
            report("compiling", sum(future.done() for future in pending), len(sources))
            module = parse(source, file="<kernel>", context=context)
            names.append(ir.StringAttr(module.body.operations[0].operation.attributes["sym_name"]).value)
            lowered = lower_module(module, target, pipeline, options and options.within(names[-1]), own)
            if own.search in REMARKS:
                lowered.context.log.add("remark", None, "llvm-codegen", REMARKS[Search(own.search)])
            program = without_name(lowered.modules, names[-1]), replace(own, tcm_bytes=0)
            number = first.setdefault(program, len(pending))
            if number < len(pending):
                shared[len(pending)] = lowered, number
            pending.append(pending[number] if number < len(pending) else pool.submit(
                lowered.finish, among_many=among_many))
        kernels = []
        for done, (name, future) in enumerate(zip(names, pending, strict=True), start=1):
            compiled = future.result()
            if done - 1 in shared:
                lowered, number = shared[done - 1]
                compiled = _renamed(lowered, compiled.asm, names[number], name)
            kernels.append(Kernel(name, compiled.asm, compiled.seconds, tuple(compiled.remarks),
                                  llvm_ir=compiled.llvm_ir, memory=compiled.memory))
            report("compiling", max(done, sum(future.done() for future in pending)), len(sources))
        return kernels
    except KeyboardInterrupt:  # the results of running requests are not needed
        workers().stop()
        raise
    finally:
        report("compiling", len(sources), len(sources))
        pool.shutdown(cancel_futures=True)


def _renamed(lowered: Lowered, asm: str, other: str, name: str) -> Compiled:
    """The kernel ``name``, the same program as the kernel ``other``, whose assembly is ``asm``."""
    start = time.perf_counter()
    renamed = under_name(asm, other, name)
    return lowered.finish() if renamed is None else lowered.compiled(renamed, start)

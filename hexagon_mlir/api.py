"""The Python interface: ``compile`` a kernel, ``run`` it on the simulator, look at its IR, assembly and cost."""

from __future__ import annotations

import os
import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import ml_dtypes
import numpy as np

from hexagon_mlir import display, pipelines, targets
from hexagon_mlir.codegen import Compiled, compile_module
from hexagon_mlir.codegen.artifacts.weights import Weights, lay_out, take_weights
from hexagon_mlir.codegen.compile import lower_module
from hexagon_mlir.codegen.function_modules import as_module
from hexagon_mlir.codegen.interface import Interface, Tensor, launch_grid, read_interface
from hexagon_mlir.exec import check_executor
from hexagon_mlir.frontend import MODEL_FILES
from hexagon_mlir.interrupts import deferred
from hexagon_mlir.ir import HexError, ir, name_locations, parse, read_all, to_text
from hexagon_mlir.pass_infra import PassContext, Step
from hexagon_mlir.pass_infra.runner import RunOptions, run_steps
from hexagon_mlir.settings import Settings
from hexagon_mlir.sim import RunResult
from hexagon_mlir.whole_files import write_files

if TYPE_CHECKING:
    from hexagon_mlir.exec.qemu import Counters
    from hexagon_mlir.exec.session import Trace
    from hexagon_mlir.frontend.torch.dynamic import SpecializedModel
    from hexagon_mlir.frontend.torch.model import CompiledModel

_NUMPY: dict[str, Any] = {"i1": np.bool_, "i8": np.int8, "i16": np.int16, "i32": np.int32, "i64": np.int64,
                          "index": np.int32, "f8E4M3FN": ml_dtypes.float8_e4m3fn, "f8E5M2": ml_dtypes.float8_e5m2,
                          "f16": np.float16, "bf16": ml_dtypes.bfloat16, "f32": np.float32, "f64": np.float64}


_SHOWN_PASSES = 5


@dataclass(frozen=True)
class Run:
    """One run: the results of the entry function (none for Triton kernels, which write to their arguments)."""

    outputs: tuple[np.ndarray, ...]
    result: RunResult | Counters
    trace: Trace | None = None
    """Annotated assembly and timeline, of a run with ``trace=True``."""

    @property
    def profile(self) -> RunResult:
        """What the run cost on the simulator; `HexError` for a run under QEMU, which has no clock."""
        if not isinstance(self.result, RunResult):
            raise HexError.plain("a run under QEMU has no profile: QEMU counts packets and has no clock",
                                 hint="run.result holds its counters; executor='sim' times")
        return self.result

    @property
    def cycles(self) -> int:
        """Cycles of the simulator's model: compare ratios, not absolute times."""
        return self.profile.cycles

    def _repr_html_(self) -> str:
        """What a notebook shows: the cycles, and what they went to."""
        if isinstance(self.result, RunResult):
            return display.run(self.result)
        return display.table(("QEMU", ""), [(name, f"{value}") for name, value in vars(self.result).items()])


class CompiledKernel:
    """A kernel compiled for one target."""

    def __init__(self, compiled: Compiled, interface: Interface, again: Callable[[str], CompiledKernel],
                 show: Callable[[], tuple[tuple[str, str], ...]], weights: Weights | None = None):
        self._compiled = compiled
        self._show = show  # the source and the IR after each pass, by running the passes again
        self._again = again  # the same source for another target
        self.interface = interface
        self.weights = weights
        """Its large constants, which a file holds; None when there are none."""
        self.last_run: Run | None = None

    @property
    def asm(self) -> str:
        """The Hexagon assembly."""
        return self._compiled.asm

    @property
    def llvm_ir(self) -> str:
        """The LLVM IR handed to code generation."""
        return self._compiled.llvm_ir

    @property
    def target(self) -> str:
        """Name of the target."""
        return self._compiled.target

    @property
    def pipeline(self) -> str:
        """Name of the pipeline."""
        return self._compiled.pipeline

    @property
    def settings(self) -> Settings:
        """Threads, accuracy and qfloat as compiled for."""
        return self._compiled.settings

    @property
    def stages(self) -> tuple[str, ...]:
        """Names that `ir` accepts, in order: ``source``, then a name for each pass that ran."""
        return tuple(name for name, _ in self._stages)

    @cached_property
    def _stages(self) -> tuple[tuple[str, str], ...]:
        return self._compiled.stages or self._show()

    def ir(self, stage: str) -> str:
        """The IR after ``stage``, a pass of the pipeline; ``source`` is the input. The last of equal names wins.

        The first call runs the passes once more, to print what is between them.
        """
        texts = dict(self._stages)
        if stage not in texts:
            raise HexError.plain(f"no stage '{stage}'", hint=f"stages: {', '.join(texts)}")
        return texts[stage]

    def run(self, *arguments: Any, grid: Sequence[int] | None = None, executor: str = "sim",
            trace: bool = False, arithmetic: str | None = None) -> Run:
        """Run on the simulator, or as an ELF program under ``qemu-hexagon`` (``executor="qemu"``).

        Tensors (numpy or torch, CPU) must have the shape and element type compiled for, in dynamic dimensions sizes
        that fit each other; pointers take any tensor of the element type and are written in place. ``grid`` is the
        launch grid of a Triton kernel. A QEMU that cannot execute the target's code gets code it can, with a
        warning that says what differs. ``trace`` keeps where the simulator's cycles went (`Run.trace`).
        ``arithmetic`` of the simulator is "chip" or "ieee": floats of HVX as the target computes them, or as plain
        IEEE numbers.
        """
        interface = self.interface
        check_executor(executor, arithmetic)
        if len(arguments) != len(interface.arguments):
            raise HexError.plain(
                f"{interface.entry} takes {len(interface.arguments)} arguments, {len(arguments)} given")
        programs = _programs(interface, grid)
        for number, (kind, value) in enumerate(zip(interface.arguments, arguments, strict=True)):
            _check(interface.entry, number, kind, value)
        _check_sizes(interface, arguments)
        shapes = [_result_shape(interface, number, arguments) for number in range(len(interface.results))]
        outputs = tuple(np.empty(shape, _NUMPY[r.element]) for shape, r in zip(shapes, interface.results, strict=True))
        self.last_run = self._launch(executor, arguments, outputs, programs, trace, arithmetic)
        return self.last_run

    def _launch(self, executor: str, arguments: Sequence[Any], outputs: tuple[np.ndarray, ...],
                programs: tuple[int, int, int] | None, trace: bool, arithmetic: str | None) -> Run:
        kinds = [kind if isinstance(kind, str) else "" for kind in self.interface.arguments]
        tensors = [*self.interface.arguments, *self.interface.results]
        sizes = [array.shape[d] for kind, array in zip(tensors, [*arguments, *outputs], strict=True)
                 if isinstance(kind, Tensor) for d in kind.dynamic]
        if executor == "sim":
            from hexagon_mlir.exec.sim import SESSION, launch

            weights = self.weights.tensors if self.weights is not None else ()
            values = [*arguments, *weights, *outputs, *sizes]
            kinds += [""] * (len(weights) + len(outputs)) + ["i32"] * len(sizes)
            with SESSION.recording() as records:  # of all threads
                result = launch(self.asm, self.interface.entry, values, programs, self.target, kinds,
                                self._compiled.seconds, trace=trace, arithmetic=arithmetic)
            return Run(outputs, result, next(record.trace for record in records if record.result is result))
        from hexagon_mlir.exec import qemu

        target, note = qemu.runs(self.target)
        kernel = self
        if note:
            warnings.warn(note, stacklevel=3)
            kernel = self._again(target)
        kinds += [""] * len(outputs) + ["i32"] * len(sizes)
        return Run(outputs, qemu.run(kernel.program(), target, [*arguments, *outputs, *sizes], kinds, programs,
                                     weights=kernel.weights))

    def program(self) -> bytes:
        """The kernel as an ELF program with the C runtime, called on a memory image (see docs/device.md)."""
        from hexagon_mlir.exec.elf import program

        return program(self.llvm_ir, self.interface, self.target, self.pipeline, self.settings,
                       self.weights)

    def report(self, file: str | os.PathLike[str] | None = None) -> str:
        """Compile times, remarks, and the profile of the last run, as text; also written to ``file``.

        A ``file`` that ends in .html gets a page instead, which needs no other file: each pass with what it changed
        and declined, the LLVM IR, the assembly and the run; of a run with ``trace=True`` the assembly with cycles per
        packet and the timeline. Returns what was written.
        """
        text = self.report_text(file or "")
        if file is not None:
            write_files({Path(file): text.encode()})
        return text

    def _repr_html_(self) -> str:
        """What a notebook shows: the passes that took the most time, and the last run."""
        steps = sorted(self._compiled.steps, key=lambda step: -step.seconds)[:_SHOWN_PASSES]
        rows = [(f"{step.seconds * 1e3:.1f} ms", step.title) for step in steps]
        last = self.last_run._repr_html_() if self.last_run is not None else "<p>Not run yet.</p>"
        return (display.heading(f"{self.interface.entry} on {self.target}")
                + display.table(("", "pass"), rows, f"compiled in {self._compiled.seconds:.3f} s") + last)

    def report_text(self, file: str | os.PathLike[str]) -> str:
        """What `report` writes into a file of this name."""
        run = self.last_run if self.last_run and isinstance(self.last_run.result, RunResult) else None
        if Path(file).suffix == ".html":
            from hexagon_mlir.report.page import kernel_page

            shown = replace(self._compiled, stages=self._stages)
            return kernel_page(self.interface.entry, self.asm, self.target, shown, run.profile if run else None,
                               run.trace if run else None)
        from hexagon_mlir.report.kernel import kernel_report

        return kernel_report(self._compiled, run.profile if run else None)


def compile(source: Any, *, target: str = targets.DEFAULT, pipeline: str = "default", entry: str | None = None,
            signature: Mapping[str, str] | None = None, constants: Mapping[str, Any] | None = None,
            dump_dir: str | os.PathLike[str] | None = None, verify_levels: bool = False,
            threads: int = 0, accuracy: str = "accurate", qfloat: bool = True,
            line_info: bool = False, tcm_bytes: int = 0, matrix_engine: bool = True, f32_split: bool = False,
            requantization: str = "exact", search: str = "auto", numerics: str = "f32",
            trust: bool = False) -> CompiledKernel | CompiledModel | SpecializedModel:
    """Compile ``source`` for ``target``.

    ``source`` is a path, MLIR text, an MLIR module (left as it was), or a ``@triton.jit`` function with ``signature``
    (argument name -> Triton type such as ``*fp32`` or ``i32``) and ``constants`` (its constexpr arguments). ``entry``
    names the function to run when there are several. ``dump_dir`` gets the IR before and after each pass, of a model in
    a folder of each kernel and in one of the whole, ``model``.
    A ``torch.export.ExportedProgram``, a ``.pt2`` file of one, or an ``.onnx`` file gives a `CompiledModel`; one with
    dynamic sizes a `SpecializedModel`, which is compiled when it is first called. Both take PyTorch tensors.
    ``trust`` also takes a ``.pt2`` file whose parts run code when they are read (docs/security.md).
    ``threads`` is how many threads may share the work; 0 takes the target's HVX contexts where that pays.
    ``accuracy`` of math functions is "accurate" or "fast" (bounds: docs/maths.md). ``qfloat=False`` converts every
    result to IEEE at once instead of keeping values in qfloat between operations.
    ``numerics`` of a model: "f32" as exported, "f32-split" (the same with ``f32_split``), "mixed" (f16 weights and
    operands of products, f32 sums, arithmetic and depthwise convolutions) or "f16" (these, sums and selections between
    products in f16 too).
    ``line_info``: the same code, but what the simulator says of it names source lines. ``tcm_bytes`` is how much
    tightly coupled memory a kernel may use; 0 takes the target's. ``matrix_engine=False`` leaves products of f16
    and bf16 matrices to HVX; ``f32_split`` gives the engine those of f32 too, in pieces of f16 (bound:
    docs/engine_arithmetic.md). ``requantization="engine"``: in models, the engine may convert sums of products of bytes
    to bytes where some are off by one, not only where all are the scheme's (share: docs/engine_arithmetic.md).
    ``search``: LLVM generates code in several ways, and the best is taken: in "all", in "few" (two), in one ("none"),
    or, "auto", in two for the kernels of a model that take little of its predicted cycles, in all for others
    (docs/compile_times.md).
    Raises `HexError` for anything wrong with the source.
    """
    if pipeline not in pipelines.names():
        raise HexError.plain(f"unknown pipeline '{pipeline}'", hint=f"pipelines: {', '.join(pipelines.names())}")
    settings = Settings(threads, accuracy, qfloat, line_info, tcm_bytes, matrix_engine, f32_split, requantization,
                        search)
    options = RunOptions(dump_dir=Path(dump_dir) if dump_dir is not None else None, verify_levels=verify_levels)
    if _is_torch_program(source):
        from hexagon_mlir.frontend.torch.compile import compile_exported

        for name, value in (("entry", entry), ("signature", signature), ("constants", constants)):
            if value is not None:
                raise HexError.plain(f"{name} is for kernels", hint="a model has its inputs' names, shapes and types")
        return compile_exported(source, target, pipeline, settings=settings, numerics=numerics, trust=trust,
                                options=options if dump_dir is not None or verify_levels else None)
    if numerics != "f32":
        raise HexError.plain("numerics is for whole models", hint="a kernel computes in the types it is written in")
    return _compile_kernel(source, target, pipeline, entry, signature, constants, options, settings)


def _compile_kernel(source: Any, target: str, pipeline: str, entry: str | None, signature: Mapping[str, str] | None,
                    constants: Mapping[str, Any] | None, options: RunOptions,
                    settings: Settings) -> CompiledKernel:
    with deferred():
        module = _module(source, signature, constants, target)
        chip = pipelines.target_of(target)
        of_constants = PassContext(chip)
        run_steps(module, pipelines.of_constants(pipeline, chip, settings), of_constants,
                  RunOptions(verify_each=False))
        tensors = take_weights(module, entry)
    grid = any(op.operation.name == "tt.func" for op in module.body.operations)
    interfaces: list[Interface] = []

    def observe(index: int, step: Step, when: str, current: ir.Module) -> None:
        if when == "after" and index == 0:  # the front-end pass: everything is linalg on tensors now
            interfaces.append(read_interface(current, entry, grid, len(tensors)))

    def again(other: str) -> CompiledKernel:
        return _compile_kernel(source, other, pipeline, entry, signature, constants, RunOptions(), settings)

    copy = module.operation.clone()

    def show() -> tuple[tuple[str, str], ...]:
        return lower_module(as_module(copy.clone()), chip, pipeline, settings=settings, keep_stages=True).stages

    compiled = compile_module(module, chip, pipeline, replace(options, observers=[observe]), settings)
    compiled.remarks[:0] = of_constants.log.entries
    weights = lay_out(tensors, int(chip.vector_bytes.value)) if tensors else None
    return CompiledKernel(compiled, interfaces[0], again, show, weights)


def load(folder: str | os.PathLike[str]) -> CompiledModel:
    """The model that `CompiledModel.save` wrote into ``folder``; raises `HexError` when there is none."""
    from hexagon_mlir.frontend.torch.model import CompiledModel

    return CompiledModel.load(Path(folder))


def _is_torch_program(source: Any) -> bool:
    """True for an ExportedProgram (found without importing torch) and for the path of a model's file."""
    if isinstance(source, str | os.PathLike):
        return "\n" not in str(source) and Path(source).suffix in MODEL_FILES
    return any(base.__module__.startswith("torch.export") for base in type(source).__mro__)


def _module(source: Any, signature: Mapping[str, str] | None, constants: Mapping[str, Any] | None,
            target: str) -> ir.Module:
    if isinstance(source, ir.Module):
        with source.context, ir.Location.unknown():
            return ir.Module.parse(to_text(source, generic=True, locations=True, elide=False))
    if isinstance(source, str) and "\n" in source:
        return parse(source, file="<text>")
    if isinstance(source, str | os.PathLike):
        return _read(Path(source))
    if hasattr(source, "arg_names") and hasattr(source, "fn"):  # a triton.JITFunction, without importing triton
        if signature is None:
            raise HexError.plain("a Triton kernel needs a signature", hint="signature={'x_ptr': '*fp32', 'n': 'i32'}")
        from hexagon_mlir.frontend.triton.kernel import from_kernel

        return parse(from_kernel(source, {**signature, **dict.fromkeys(constants or {}, "constexpr")},
                                 dict(constants or {}), target), file="<ttir>")
    raise HexError.plain(f"cannot compile a {type(source).__name__}",
                         hint="pass a path, MLIR text, an MLIR module, a @triton.jit function with a signature, or "
                              "torch.export.export(module, inputs)")


def _read(path: Path) -> ir.Module:
    try:
        with path.open("rb") as stream:
            module = parse(read_all(stream, str(path)), file=str(path))
    except OSError as error:
        raise HexError.plain(f"cannot read the file: {error.strerror}", file=str(path)) from None
    name_locations(module, str(path))
    return module


def _programs(interface: Interface, grid: Sequence[int] | None) -> tuple[int, int, int] | None:
    """The launch grid of a Triton kernel; None of any other."""
    if interface.grid and grid is None:
        raise HexError.plain(f"{interface.entry} is a Triton kernel and needs a grid", hint="run(..., grid=(n,))")
    if not interface.grid and grid is not None:
        raise HexError.plain(f"{interface.entry} is no Triton kernel and has no grid", hint="run it without one")
    return None if grid is None else launch_grid(interface.entry, grid)


def _check(entry: str, number: int, kind: Tensor | str, value: Any) -> None:
    place = f"argument {number} of {entry}"
    if isinstance(kind, str) and not kind.startswith("*"):
        if not isinstance(value, bool | int | float | np.generic):
            raise HexError.plain(f"{place} is a scalar of type {kind}, not a {type(value).__name__}")
        _check_scalar(place, kind, value)
        return
    if not isinstance(value, np.ndarray) and not hasattr(value, "untyped_storage"):
        raise HexError.plain(f"{place} is a tensor, not a {type(value).__name__}", hint="pass numpy or torch arrays")
    element = kind[1:] if isinstance(kind, str) else kind.element
    if element in _NUMPY and str(value.dtype).removeprefix("torch.") != np.dtype(_NUMPY[element]).name:
        raise HexError.plain(f"{place} has elements of type {value.dtype}, compiled for {element}")
    if isinstance(kind, Tensor):
        if len(value.shape) != len(kind.shape) or any(
                size not in (None, given) for size, given in zip(kind.shape, value.shape, strict=True)):
            compiled = str(kind.shape).replace("None", "?")
            raise HexError.plain(f"{place} has shape {tuple(value.shape)}, compiled for {compiled}")
        contiguous = value.flags.c_contiguous if isinstance(value, np.ndarray) else value.is_contiguous()
        if not contiguous:
            raise HexError.plain(f"{place} is not contiguous", hint="pass a contiguous copy")


def _check_scalar(place: str, kind: str, value: Any) -> None:
    """Raise `HexError` for a number that type ``kind`` does not hold; integers may be meant with a sign or without."""
    if kind not in _NUMPY or np.dtype(_NUMPY[kind]).kind not in "ib":
        try:
            float(value)
        except OverflowError:
            raise HexError.plain(f"{place} is a scalar of type {kind}, which holds no number as large") from None
        return
    if not isinstance(value, bool | int | np.bool_ | np.integer):
        raise HexError.plain(f"{place} is a scalar of type {kind}, not {value}")
    bits = 32 if kind == "index" else int(kind[1:])
    if not (0 if bits == 1 else -1 << (bits - 1)) <= int(value) < 1 << bits:
        raise HexError.plain(f"{place} is a scalar of type {kind}, which does not hold {value}")


def _check_sizes(interface: Interface, arguments: Sequence[Any]) -> None:
    """Raise `HexError` where sizes differ that the kernel takes to be equal."""
    for group in interface.sizes.equal:
        numbers = {size for size in group if isinstance(size, int)}
        places = sorted(place for place in group if not isinstance(place, int))
        found = {place: arguments[place[0]].shape[place[1]] for place in places}
        if len({*found.values(), *numbers}) > 1:
            sizes_found = ", ".join(f"dimension {d} of argument {a} is {size}" for (a, d), size in found.items())
            wanted = f"all {min(numbers)}" if len(numbers) == 1 else "equal"
            raise HexError.plain(f"{interface.entry} needs sizes that are {wanted}: {sizes_found}")


def _result_shape(interface: Interface, number: int, arguments: Sequence[Any]) -> tuple[int, ...]:
    """The shape of a result for these arguments."""
    shape = interface.results[number].shape
    sizes = interface.sizes.results[number] if interface.sizes.results else shape
    return tuple(size if size is not None else given if isinstance(given, int) else arguments[given[0]].shape[given[1]]
                 for size, given in zip(shape, sizes, strict=True) if given is not None)

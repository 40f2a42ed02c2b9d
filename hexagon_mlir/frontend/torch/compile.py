"""From a captured graph to a `CompiledModel`: graph passes, import, kernels, code, each phase timed."""

from __future__ import annotations

import os
from functools import partial
from typing import TYPE_CHECKING, Any

from torch.export import ExportedProgram

from hexagon_mlir import targets
from hexagon_mlir.codegen.compile import is_explaining
from hexagon_mlir.codegen.prediction import predict
from hexagon_mlir.codegen.schedule import Progress, build_schedule
from hexagon_mlir.exec.model import ModelProgram
from hexagon_mlir.exec.progress import ProgressBar
from hexagon_mlir.frontend.torch import modules
from hexagon_mlir.frontend.torch.archive import read as archive
from hexagon_mlir.frontend.torch.capture import from_exported
from hexagon_mlir.frontend.torch.clock import Clock
from hexagon_mlir.frontend.torch.dynamic import DynamicProgram, SpecializedModel, is_dynamic
from hexagon_mlir.frontend.torch.generic import Recipe
from hexagon_mlir.frontend.torch.graph import TorchGraph
from hexagon_mlir.frontend.torch.importer import ENTRY
from hexagon_mlir.frontend.torch.model import CompiledModel
from hexagon_mlir.frontend.torch.prepare import prepare
from hexagon_mlir.frontend.torch.result import CompilationResult
from hexagon_mlir.frontend.torch.rewrites.precision import Numerics
from hexagon_mlir.interpreter import uncollected
from hexagon_mlir.ir import HexError
from hexagon_mlir.pass_infra.runner import RunOptions
from hexagon_mlir.pipelines import target_of
from hexagon_mlir.settings import DEFAULT_SETTINGS, Settings

if TYPE_CHECKING:
    from hexagon_mlir.frontend.onnx.model import OnnxModel


def compile_exported(program: Any, target: str = targets.DEFAULT, pipeline: str = "default",
                     progress: Progress | None = None, settings: Settings = DEFAULT_SETTINGS,
                     numerics: str = Numerics.F32, trust: bool = False, options: RunOptions | None = None
                     ) -> CompiledModel | SpecializedModel:
    """Compile an `ExportedProgram`, a file made by ``torch.export.save``, or an ONNX file; raises `HexError`.

    See `Numerics`. ``trust`` lets such a file run code, see `archive`. Dumps of ``options`` are in a folder of each
    kernel and in one of the whole, ``model``.
    """
    compiler = partial(_compile_static, target=target, pipeline=pipeline, progress=progress, settings=settings,
                       numerics=numerics, options=options)
    recipe = Recipe(target, pipeline, settings, numerics, progress, options)
    if isinstance(program, str | os.PathLike):
        if os.fspath(program).endswith(".onnx"):
            model = _read_onnx(program)
            return SpecializedModel(model, recipe, compiler) if model.is_dynamic else compiler(model.export())
        program = archive.read(program, trust)
    return SpecializedModel(DynamicProgram(program), recipe, compiler) if is_dynamic(program) else compiler(program)


@uncollected()
def _compile_static(program: ExportedProgram, target: str, pipeline: str, progress: Progress | None,
                    settings: Settings, numerics: str, options: RunOptions | None = None) -> CompiledModel:
    clock = Clock()
    with clock.phase("capture"):
        graph = from_exported(program)
    model = compile_graph(graph, target, pipeline, clock, progress, settings, numerics, options)
    model.signature.in_spec, model.signature.out_spec = program.call_spec.in_spec, program.call_spec.out_spec
    model.again = lambda other: _compile_static(program, other, pipeline, progress, settings, numerics)
    return model


@uncollected()
def compile_graph(graph: TorchGraph, target: str, pipeline: str, clock: Clock | None = None,
                  progress: Progress | None = None, settings: Settings = DEFAULT_SETTINGS,
                  numerics: str = Numerics.F32, options: RunOptions | None = None) -> CompiledModel:
    """Compile ``graph``, which is rewritten in place."""
    clock, progress = clock or Clock(), progress or ProgressBar()
    prepared = prepare(graph, target, pipeline, clock, settings, numerics, options)
    calls = modules.of_calls(prepared.module, ENTRY) if is_explaining() else None
    with clock.phase("code"):
        schedule = build_schedule(prepared.module, ENTRY, target, pipeline, progress, prepared.settings,
                                  prepared.computing, options)
    signature = prepared.signature()
    with clock.phase("memory plan"):
        program = ModelProgram(schedule)
        memory = program.memory
    result = CompilationResult(
        tuple(prepared.records), clock.seconds, prepared.ops, len(schedule.kernels), len(schedule.calls),
        len(memory.offsets), memory,
        sum(tensor.numel() * tensor.element_size() for tensor in signature.constants.values()),
        clock.cpu_seconds, clock.llvm_seconds, program.tcm.nbytes, tuple(program.streamed_bytes),
        predict(schedule, prepared.computing, target_of(target)), saved_bytes=prepared.saved,
        remarks=tuple(graph.remarks))
    model = CompiledModel(schedule, signature, result, progress)
    if calls is not None:
        model.modules = modules.of_kernels(calls, schedule)
    return model


def _read_onnx(path: str | os.PathLike[str]) -> OnnxModel:
    """The model in an ONNX file."""
    try:
        import onnx  # noqa: F401
    except ImportError:
        raise HexError.plain("ONNX files are read by the package onnx, which is not installed", file=os.fspath(path),
                             hint="pip install 'hexagon-mlir[onnx]'") from None
    from hexagon_mlir.frontend.onnx.model import read

    return read(path)

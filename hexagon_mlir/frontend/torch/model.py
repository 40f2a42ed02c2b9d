"""A compiled PyTorch model: call it like the model, look at what the compiler did."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch.utils import _pytree as pytree

from hexagon_mlir import display
from hexagon_mlir.codegen.schedule import ModelSchedule, Progress
from hexagon_mlir.exec import check_executor
from hexagon_mlir.exec.model import ModelProgram, ModelRun
from hexagon_mlir.exec.model_binary import ModelBinary, build
from hexagon_mlir.exec.progress import ProgressBar
from hexagon_mlir.frontend.torch import explanation
from hexagon_mlir.frontend.torch.graph import Constant
from hexagon_mlir.frontend.torch.nesting import alike
from hexagon_mlir.frontend.torch.random_keys import draw_keys
from hexagon_mlir.frontend.torch.result import CompilationResult, Signature
from hexagon_mlir.ir import Diagnostic, HexError
from hexagon_mlir.report.model import model_report

_INTEGER_OF = {torch.bfloat16: torch.int16}


class CompiledModel:
    """A model compiled for one target. ``model(*inputs)`` takes and gives what the PyTorch model does."""

    def __init__(self, schedule: ModelSchedule, signature: Signature, result: CompilationResult,
                 progress: Progress | None = None):
        self.schedule, self.signature, self.result = schedule, signature, result
        self.progress = progress or ProgressBar()
        self.again: Callable[[str], CompiledModel] | None = None
        """Compiles the same program for another target; None when the program is no longer available."""
        self.modules: dict[str, tuple[str, ...]] = {}
        """Which modules each kernel computes, by its name; known while a report is made."""
        self._emulated: CompiledModel | None = None
        self.last_run: ModelRun | None = None

    @cached_property
    def program(self) -> ModelProgram:
        """The schedule with its memory plan."""
        return ModelProgram(self.schedule)

    @property
    def target(self) -> str:
        """Name of the target."""
        return self.schedule.target

    @property
    def remarks(self) -> list[Diagnostic]:
        """What the compiler declined to do, and why: rewrites of the graph, then passes on the kernels."""
        return list(dict.fromkeys([*self.result.remarks, *(remark for kernel in self.schedule.kernels
                                                           for remark in kernel.remarks)]))

    @property
    def asm(self) -> str:
        """The Hexagon assembly of every kernel, one after the other."""
        return "\n".join(kernel.asm for kernel in self.schedule.kernels)

    @cached_property
    def _stages(self) -> dict[str, explanation.Stages]:
        return explanation.stages(self)

    @property
    def stages(self) -> tuple[str, ...]:
        """Names that `ir` accepts, in order: ``source``, then a name for each pass that ran on the kernels."""
        return tuple(dict.fromkeys(name for stages in self._stages.values() for name, _ in stages))

    def ir(self, stage: str, kernel: str | None = None) -> str:
        """The IR of ``kernel``, or of every kernel one after the other, after ``stage``, a pass of the pipeline;
        ``source`` is what the graph became. The first call compiles the model once more, to print what is between the
        passes; raises `HexError` for a model whose program is not there any more, as of `load`.
        """
        if kernel is not None and kernel not in self._stages:
            raise HexError.plain(f"no kernel '{kernel}'", hint=f"kernels: {', '.join(self._stages)}")
        if stage not in self.stages:
            raise HexError.plain(f"no stage '{stage}'", hint=f"stages: {', '.join(self.stages)}")
        texts = [dict(stages).get(stage, "") for name, stages in self._stages.items() if kernel in (None, name)]
        return "\n".join(texts)

    def report(self, folder: str | Path | None = None, *inputs: Any) -> str:
        """Graph passes, phases, kernels and the last run, as text; also pages in ``folder``, which need no network:
        index.html with the graph and the kernels' shares of a run on ``inputs`` (flat; made up when there are none),
        and a page for each kernel. For the pages the model is compiled once more; its states are as before."""
        if folder is not None:
            explanation.report(self, Path(folder), inputs, f"model on {self.target}")
        return model_report(self)

    def _repr_html_(self) -> str:
        """What a notebook shows: what the compiler did, and the last run."""
        rows = [(f"{kernel.calls}", f"{kernel.seconds:.2f} s", kernel.name) for kernel in self.schedule.kernels]
        last = self.last_run._repr_html_() if self.last_run is not None else "<p>Not run yet.</p>"
        kernels = display.table(("calls", "compile", "kernel"), rows, f"compiled in {self.result.seconds:.2f} s")
        return display.heading(f"model on {self.target}") + kernels + last

    def binary(self, name: str = "model") -> ModelBinary:
        """The model as files to link: one C function ``name`` over the inputs, the buffers it changes, and results."""
        signature = self.signature
        users = sorted((place, number) for number, place in enumerate(signature.inputs) if place is not None)
        inputs = [(number, signature.names[number]) for number in [*(number for _, number in users), *signature.states]]
        constants = {number: _array(tensor.contiguous()) for number, tensor in signature.constants.items()}
        return build(self.schedule, inputs, constants, name)

    @classmethod
    def load(cls, folder: str | Path) -> CompiledModel:
        """The model that `save` wrote into ``folder``. Raises `HexError` for anything else."""
        from hexagon_mlir.frontend.torch.files import read

        return cls(*read(folder))

    def save(self, folder: str | Path) -> None:
        """Write the model into ``folder`` as files that `hexagon_mlir.load` reads."""
        from hexagon_mlir.frontend.torch.files import save

        save(self, folder)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Run on the simulator; arguments and results are nested as in the exported program."""
        return self._call("sim", args, kwargs)

    def run(self, *args: Any, executor: str = "sim", arithmetic: str | None = None) -> Any:
        """Run with positional arguments, on the simulator or as an ELF program under QEMU (``executor="qemu"``).

        ``arithmetic`` of the simulator is "chip" or "ieee", as in `CompiledKernel.run`.
        """
        return self._call(executor, args, {}, arithmetic)

    def _call(self, executor: str, args: tuple[Any, ...], kwargs: dict[str, Any], arithmetic: str | None = None) -> Any:
        flat, spec = pytree.tree_flatten((args, kwargs))
        wanted = self.signature.in_spec
        if wanted is not None and not alike(spec, wanted):
            raise HexError.plain(f"the arguments are {_nested((args, kwargs))}, the model was exported with "
                                 f"{_nested(self._nested_names(wanted))}", origin="launch")
        results = self.run_flat(flat, executor, arithmetic)
        return results if self.signature.out_spec is None else pytree.tree_unflatten(results, self.signature.out_spec)

    def _nested_names(self, spec: pytree.TreeSpec) -> Any:
        """The names of the inputs, nested as in the exported program, and values of those that are no tensors; None for
        an input that the model does not use."""
        names: list[Any] = [None] * spec.num_leaves
        for fixed_place, fixed in self.signature.fixed.items():
            names[fixed_place] = repr(fixed.value)
        for place, name in zip(self.signature.inputs, self.signature.names, strict=True):
            if place is not None:
                names[place] = name
        return pytree.tree_unflatten(names, spec)

    def run_flat(self, arguments: Sequence[Any], executor: str = "sim",
                 arithmetic: str | None = None) -> list[Any]:
        """Run with a flat list of arguments; returns the flat list of results (tensors, or constants)."""
        check_executor(executor, arithmetic)
        if executor == "qemu":
            return self._emulate(arguments)
        results = self._run_flat(arguments, lambda arrays: self.program.run(arrays, self.progress, arithmetic))
        assert self.last_run is not None
        self.result = replace(self.result, simulated_cycles=self.last_run.cycles, ddr_bytes=self.last_run.ddr_bytes)
        return results

    def _run_flat(self, arguments: Sequence[Any], run: Callable[[list[np.ndarray]], ModelRun]) -> list[Any]:
        signature = self.signature
        arrays = []
        for fixed_place, fixed in signature.fixed.items():
            given = arguments[fixed_place]
            if not fixed.admits(given):
                raise HexError.plain(f"argument '{fixed.name}' is {given!r:.60}, the model was exported with "
                                     f"{fixed.value!r}", origin="launch", hint="export the model with this value")
        if signature.keys is not None:
            signature.states[signature.keys].copy_(draw_keys(len(signature.states[signature.keys])))
        for number, place in enumerate(signature.inputs):
            if place is not None:
                _check(number, arguments[place], *signature.shapes[number], signature.names[number])
                if number in signature.bounds:
                    _check_indices(arguments[place], *signature.bounds[number], signature.names[number])
            arrays.append(_array(signature.constants[number]) if number in signature.constants else
                          _array((signature.states[number] if place is None else arguments[place]).contiguous()))
        self.last_run = done = run(arrays)
        results = [_tensor(array, dtype) for array, dtype in zip(done.outputs, signature.result_dtypes, strict=True)]
        for number, target in signature.mutations:
            owner = arguments[target] if isinstance(target, int) else target
            if owner.data_ptr() != results[number].data_ptr():  # else kernels have written it in place
                with torch.no_grad():
                    owner.copy_(results[number])
        return [output.value if isinstance(output, Constant) else results[output] for output in signature.outputs]


    def _emulate(self, arguments: Sequence[Any]) -> list[Any]:
        """Run under QEMU, with code for a target that it executes."""
        from hexagon_mlir.exec import qemu

        target, note = qemu.runs(self.target)
        if note and self._emulated is None:
            if self.again is None:
                raise HexError.plain(f"this model is compiled for {self.target}, which QEMU does not run",
                                     origin=qemu.ORIGIN, hint=f"compile its program for target '{target}'")
            warnings.warn(note, stacklevel=4)
            self._emulated = self.again(target)
        model = self._emulated or self
        results = model._run_flat(arguments, model._binary.run)
        self.last_run = model.last_run
        return results

    @cached_property
    def _binary(self) -> ModelBinary:
        return self.binary()


def _nested(value: Any) -> str:
    """Arguments (positional, by name) as a call writes them, tensors as their shapes."""
    def text(part: Any) -> str:
        if isinstance(part, list | tuple):
            return f"({', '.join(map(text, part))})"
        if isinstance(part, dict):
            return f"{{{', '.join(f'{key}: {text(each)}' for key, each in part.items())}}}"
        return f"tensor{tuple(part.shape)}" if isinstance(part, torch.Tensor) else str(part)

    positional, named = value
    return f"({', '.join([*map(text, positional), *(f'{key}={text(part)}' for key, part in named.items())])})"


def _check(number: int, value: Any, shape: tuple[int, ...], dtype: torch.dtype, name: str) -> None:
    if not isinstance(value, torch.Tensor):
        raise HexError.plain(f"input '{name}' is a {type(value).__name__}, not a tensor", origin="launch")
    if tuple(value.shape) != shape or value.dtype != dtype:
        hint = "compile again for this shape" if value.dtype == dtype else f"convert it: .to({dtype})"
        raise HexError.plain(f"input '{name}' is {value.dtype} of shape {tuple(value.shape)}, compiled for {dtype} of "
                             f"shape {shape}", origin="launch", hint=hint)
    if value.layout != torch.strided:
        raise HexError.plain(f"input '{name}' has the layout {value.layout}", origin="launch",
                             hint="tensor.to_dense() has all its elements")
    if value.device.type != "cpu":
        raise HexError.plain(f"input '{name}' is on device '{value.device}'", origin="launch", hint="pass CPU tensors")


def _check_indices(indices: torch.Tensor, low: int, high: int, name: str) -> None:
    """Check indices, as eager PyTorch does; the machine would read past the table."""
    wrong = indices[(indices < low) | (indices > high)]
    if wrong.numel():
        raise HexError.plain(f"index {int(wrong[0])} in '{name}' is out of range", origin="launch",
                             hint=f"{low} to {high} are in it")


def _array(tensor: torch.Tensor) -> np.ndarray:
    """The memory of ``tensor``, without a copy."""
    tensor = tensor.detach()
    if tensor.dtype in _INTEGER_OF:
        tensor = tensor.view(_INTEGER_OF[tensor.dtype])
    return tensor.numpy()


def _tensor(array: np.ndarray, dtype: torch.dtype) -> torch.Tensor:
    if dtype in _INTEGER_OF:
        return torch.from_numpy(array.view(np.int16)).view(dtype)
    return torch.from_numpy(array).to(dtype) if array.dtype != np.bool_ else torch.from_numpy(array)

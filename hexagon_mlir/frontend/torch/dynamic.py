"""Exported programs with dynamic sizes: code for each combination of sizes, made when it is first met."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Protocol

import torch
from torch.export import ExportedProgram

from hexagon_mlir.exec.model import ModelRun
from hexagon_mlir.frontend.torch.examples import zeros
from hexagon_mlir.frontend.torch.model import CompiledModel
from hexagon_mlir.frontend.torch.result import CompilationResult
from hexagon_mlir.ir import HexError
from hexagon_mlir.ir.diagnostics import Diagnostic, Place

ORIGIN = "torch-specialize"
Sizes = tuple[tuple[tuple[int, ...], torch.dtype] | None, ...]


def is_dynamic(program: ExportedProgram) -> bool:
    """True when a size of an input is a symbol."""
    values = [node.meta.get("val") for node in program.graph.nodes if node.op == "placeholder"]
    return any(isinstance(value, torch.SymInt) or (isinstance(value, torch.Tensor) and any(
        not isinstance(size, int) for size in value.shape)) for value in values)


class Dynamic(Protocol):
    """What a model with dynamic sizes is made from."""

    def export(self, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> ExportedProgram:
        """The program for the sizes of these arguments; raises `HexError` for sizes it does not take."""

    def arguments(self, shapes: Sequence[Sequence[int]]) -> tuple[tuple[Any, ...], dict[str, Any]]:
        """Arguments whose tensors have these shapes, in order; raises `HexError` for a wrong number of them."""


class DynamicProgram:
    """`Dynamic` of an exported program."""

    def __init__(self, program: ExportedProgram):
        self.program, self.module = program, program.module()

    def export(self, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> ExportedProgram:
        """As `Dynamic.export`."""
        try:
            return torch.export.export(self.module, args, dict(kwargs))
        except (RuntimeError, AssertionError, ValueError, TypeError) as error:
            from torch.utils import _pytree as pytree

            shapes = ", ".join("x".join(map(str, a.shape)) or "scalar" for a in pytree.tree_leaves((args, kwargs))
                               if isinstance(a, torch.Tensor))
            raise HexError.plain(f"the program does not take {shapes}: {str(error).splitlines()[0]}",
                                 origin=ORIGIN) from None

    def arguments(self, shapes: Sequence[Sequence[int]]) -> tuple[tuple[Any, ...], dict[str, Any]]:
        """As `Dynamic.arguments`."""
        from torch.utils import _pytree as pytree

        values = {node.name: node.meta.get("val") for node in self.program.graph.nodes if node.op == "placeholder"}
        inputs = [values[name] for name in self.program.graph_signature.user_inputs]
        number = sum(isinstance(value, torch.Tensor) for value in inputs)
        if len(shapes) != number:
            raise HexError.plain(f"the program has {number} tensors as inputs, {len(shapes)} shapes are given",
                                 origin=ORIGIN)
        left = iter(shapes)
        flat = [zeros(next(left), value.dtype) if isinstance(value, torch.Tensor) else value
                for value in inputs]
        args, kwargs = pytree.tree_unflatten(flat, self.program.call_spec.in_spec)
        return args, kwargs


class SpecializedModel:
    """A model with dynamic sizes. Each call runs code for the sizes of its arguments: static shapes, so the same
    kernels as of a static model. Weights and buffers are shared, a cache written at one size is read at another.

    ``remarks`` tell of each compilation; `specialize` compiles ahead, and gives the model to look at or to save.
    """

    def __init__(self, source: Dynamic, compile_static: Callable[[ExportedProgram], CompiledModel]):
        self.source = source
        self.compile_static = compile_static
        self.models: dict[Sizes, CompiledModel] = {}
        self.remarks: list[Diagnostic] = []
        self._last: CompiledModel | None = None

    def specialize(self, *args: Any, **kwargs: Any) -> CompiledModel:
        """The model for the sizes of these arguments; `HexError` for sizes that the program excludes."""
        from torch.utils import _pytree as pytree

        flat = pytree.tree_leaves((args, kwargs))
        sizes = tuple((tuple(a.shape), a.dtype) if isinstance(a, torch.Tensor) else None for a in flat)
        if sizes not in self.models:
            shapes = ", ".join("x".join(map(str, s[0])) or "scalar" for s in sizes if s is not None)
            self.models[sizes] = self.compile_static(self.source.export(args, kwargs))
            self.remarks.append(Diagnostic("remark", Place("<model>"), ORIGIN,
                                           f"compiled for {shapes}, sizes number {len(self.models)}"))
        self._last = self.models[sizes]
        return self._last

    def specialize_to(self, shapes: Sequence[Sequence[int]]) -> CompiledModel:
        """The model for tensors of these shapes, in the order of the inputs."""
        args, kwargs = self.source.arguments(shapes)
        return self.specialize(*args, **kwargs)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Run on the simulator; compiles first when these sizes are new."""
        return self.specialize(*args, **kwargs)(*args, **kwargs)

    @property
    def result(self) -> CompilationResult:
        """What the compiler did for the sizes used last."""
        return self._model().result

    @property
    def last_run(self) -> ModelRun | None:
        """The last run."""
        return self._model().last_run

    def _model(self) -> CompiledModel:
        if self._last is None:
            raise HexError.plain("no sizes are compiled yet", origin=ORIGIN, hint="call the model, or specialize()")
        return self._last

    def save(self, folder: Any) -> None:
        """Refused: files hold one combination of sizes."""
        raise HexError.plain("a model with dynamic sizes cannot be saved", origin=ORIGIN,
                             hint="model.specialize(*inputs).save(folder) saves it for the sizes of inputs")

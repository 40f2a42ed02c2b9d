"""Programs with dynamic sizes: compiled once for all of them, or for each combination of sizes when it is first met."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from typing import Any, Protocol

import torch
from torch.export import ExportedProgram

from hexagon_mlir.exec.model import ModelRun
from hexagon_mlir.frontend.torch.capture import from_exported
from hexagon_mlir.frontend.torch.domain import Domain, check_formulas, of_symbols
from hexagon_mlir.frontend.torch.examples import zeros
from hexagon_mlir.frontend.torch.generic import ONCE, PER_SIZE, SIZES_KEPT, GenericModel, Recipe, compile_examples
from hexagon_mlir.frontend.torch.graph import TorchGraph
from hexagon_mlir.frontend.torch.model import CompiledModel
from hexagon_mlir.frontend.torch.result import CompilationResult
from hexagon_mlir.ir import HexError
from hexagon_mlir.ir.diagnostics import Diagnostic, Place, internal_error

ORIGIN = "torch-specialize"
Sizes = tuple[tuple[tuple[int, ...], torch.dtype] | None, ...]


def _sizes(flat: Sequence[Any]) -> Sizes:
    return tuple((tuple(a.shape), a.dtype) if isinstance(a, torch.Tensor) else None for a in flat)


def compile_dynamic(source: Dynamic, domain: Domain, recipe: Recipe) -> GenericModel:
    """The model of ``source`` for any sizes of ``domain``; raises `HexError` where there is none."""
    specs = []

    def graph_at(sizes: Mapping[str, int]) -> TorchGraph:
        program = source.export(*source.arguments(domain.shapes(sizes)))
        specs.append(program.call_spec)
        return from_exported(program)

    model = compile_examples(graph_at, domain, recipe)
    model.signature.in_spec, model.signature.out_spec = specs[0].in_spec, specs[0].out_spec
    return model


def is_dynamic(program: ExportedProgram) -> bool:
    """True when a size of an input is a symbol."""
    values = [node.meta.get("val") for node in program.graph.nodes if node.op == "placeholder"]
    return any(isinstance(value, torch.SymInt) or (isinstance(value, torch.Tensor) and any(
        not isinstance(size, int) for size in value.shape)) for value in values)


class Dynamic(Protocol):
    """What a model with dynamic sizes is made from."""

    def domain(self) -> Domain:
        """The sizes that it takes; raises `HexError` if they cannot be told from formulas."""

    def bind(self, domain: Domain, arguments: Sequence[Any]) -> dict[str, int]:
        """The symbols' values for flat arguments; raises `HexError` for sizes it does not take."""

    def export(self, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> ExportedProgram:
        """The program for the sizes of these arguments; raises `HexError` for sizes it does not take."""

    def arguments(self, shapes: Sequence[Sequence[int]]) -> tuple[tuple[Any, ...], dict[str, Any]]:
        """Arguments whose tensors have these shapes, in order; raises `HexError` for a wrong number of them."""


class DynamicProgram:
    """`Dynamic` of an exported program."""

    def __init__(self, program: ExportedProgram):
        self.program, self.module = program, program.module()

    def domain(self) -> Domain:
        """As `Dynamic.domain`."""
        check_formulas(self.program.graph)
        values = {node.name: node.meta.get("val") for node in self.program.graph.nodes if node.op == "placeholder"}
        inputs = [values.get(name) if isinstance(name, str) else None
                  for name in self.program.graph_signature.user_inputs]
        shapes = [value.shape if isinstance(value, torch.Tensor) else None for value in inputs]
        return of_symbols(shapes, self.program.range_constraints)

    def bind(self, domain: Domain, arguments: Sequence[Any]) -> dict[str, int]:
        """As `Dynamic.bind`, and the guards of the export hold."""
        symbols = domain.bind(arguments)
        guards: Any = getattr(self.module, "_guards_fn", None)
        if guards is not None:
            try:
                guards(*arguments)
            except (RuntimeError, AssertionError) as error:
                raise _refused(arguments, error) from None
        return symbols

    def export(self, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> ExportedProgram:
        """As `Dynamic.export`."""
        try:
            return torch.export.export(self.module, args, dict(kwargs))
        except (RuntimeError, AssertionError, ValueError, TypeError) as error:
            from torch.utils import _pytree as pytree

            raise _refused(pytree.tree_leaves((args, kwargs)), error) from None

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


def _refused(arguments: Sequence[Any], error: Exception) -> HexError:
    shapes = ", ".join("x".join(map(str, a.shape)) or "scalar" for a in arguments if isinstance(a, torch.Tensor))
    return HexError.plain(f"the program does not take {shapes}: {str(error).strip().splitlines()[0]}", origin=ORIGIN)


class SpecializedModel:
    """A model with dynamic sizes. The first call compiles it for any sizes; what a later call with other sizes needs
    besides, shapes and a memory plan, are formulas. A model that is other code at other sizes is compiled for each
    combination of sizes instead. Weights and buffers are shared, a cache written at one size is read at another.

    ``remarks`` tell of each compilation, and why a model is compiled for each combination; `specialize` compiles
    ahead, for sizes that calls then run the code of, and gives the model to look at or to save.
    """

    def __init__(self, source: Dynamic, recipe: Recipe, compile_static: Callable[[ExportedProgram], CompiledModel]):
        self.source, self.recipe = source, recipe
        self.compile_static = compile_static
        self.models: dict[Sizes, CompiledModel] = {}
        self.specialized: set[Sizes] = set()
        self.remarks: list[Diagnostic] = []
        self._last: CompiledModel | None = None

    @cached_property
    def _domain(self) -> Domain | None:
        """The sizes that the program takes; None where they are no formulas."""
        try:
            return self.source.domain()
        except HexError as error:
            self._stays(error)
            return None

    @cached_property
    def _generic(self) -> GenericModel | None:
        """The model for any sizes; None where it is compiled for each combination of them."""
        assert self._domain is not None
        try:
            model = compile_dynamic(self.source, self._domain, self.recipe)
        except HexError as error:
            self._stays(error)
            return None
        except IndexError as error:  # a table of positions, for one, is shorter than the sizes that are looked at
            self._stays(HexError.plain(f"it is not defined at other sizes: {error}", origin=ORIGIN))
            return None
        except Exception as error:  # of a pass that no kernel of unknown sizes has met before: code for each is right
            self._stays(internal_error(error))
            return None
        self._remark(f"{ONCE}, {model.kernels} kernels")
        return model

    def _stays(self, error: HexError) -> None:
        self._remark(f"{PER_SIZE}: {error.diagnostics[0].message}")

    def _remark(self, message: str) -> None:
        self.remarks.append(Diagnostic("remark", Place("<model>"), ORIGIN, message))

    def _for(self, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> CompiledModel:
        """The model that runs these arguments."""
        from torch.utils import _pytree as pytree

        flat = pytree.tree_leaves((args, kwargs), is_leaf=lambda value: value is None)
        sizes = _sizes(flat)
        if sizes not in self.models:
            if self._domain is None:
                return self.specialize(*args, **kwargs)
            symbols = self.source.bind(self._domain, flat)
            if self._generic is None:
                return self.specialize(*args, **kwargs)
            self.models[sizes] = self._generic.at(symbols)
            for old in [key for key in self.models if key not in self.specialized][:-SIZES_KEPT]:
                del self.models[old]
        self._last = self.models[sizes]
        return self._last

    def specialize(self, *args: Any, **kwargs: Any) -> CompiledModel:
        """The model for the sizes of these arguments; `HexError` for sizes that the program excludes."""
        from torch.utils import _pytree as pytree

        flat = pytree.tree_leaves((args, kwargs), is_leaf=lambda value: value is None)
        sizes = _sizes(flat)
        if sizes not in self.specialized:
            shapes = ", ".join("x".join(map(str, s[0])) or "scalar" for s in sizes if s is not None)
            self.models[sizes] = self.compile_static(self.source.export(args, kwargs))
            self.specialized.add(sizes)
            self._remark(f"compiled for {shapes}, sizes number {len(self.specialized)}")
        self._last = self.models[sizes]
        return self._last

    def specialize_to(self, shapes: Sequence[Sequence[int]]) -> CompiledModel:
        """The model for tensors of these shapes, in the order of the inputs."""
        args, kwargs = self.source.arguments(shapes)
        return self.specialize(*args, **kwargs)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Run on the simulator; the first call compiles."""
        return self._for(args, kwargs)(*args, **kwargs)

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

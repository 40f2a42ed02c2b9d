"""One graph of torch.compile: compiled at its call, for the weights of that call, and for its sizes or for any.

PyTorch calls one graph with the weights of every module of a class, and with changed weights: each call checks both.
Most weights are read in place when a kernel is launched; only weights whose values were used in compilation (a batch
norm folded into a convolution, weights in f16) are copied to the compiled model.
"""

from __future__ import annotations

import threading
import warnings
import weakref
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import astuple, dataclass, field, replace
from typing import Any

import torch
from torch.fx import GraphModule
from torch.utils._python_dispatch import _disable_current_modes

from hexagon_mlir.frontend.torch.capture import from_aot
from hexagon_mlir.frontend.torch.compile import compile_graph
from hexagon_mlir.frontend.torch.compiled_weights import NONE, CompiledWeights
from hexagon_mlir.frontend.torch.complex_numbers import in_real_numbers
from hexagon_mlir.frontend.torch.generic import ONCE, PER_SIZE, SIZES_KEPT, GenericModel, Recipe, compile_examples
from hexagon_mlir.frontend.torch.graph import TorchGraph
from hexagon_mlir.frontend.torch.graph_content import identity, sizes_of, text_of
from hexagon_mlir.frontend.torch.model import CompiledModel
from hexagon_mlir.frontend.torch.partition import EagerPart
from hexagon_mlir.frontend.torch.specialize import specialize
from hexagon_mlir.frontend.torch.symbolic_graph import SymbolicGraph, is_symbolic
from hexagon_mlir.frontend.torch.torch_settings import TorchSettings
from hexagon_mlir.ir import HexError
from hexagon_mlir.ir.diagnostics import Diagnostic, Place, internal_error
from hexagon_mlir.settings import Settings

MODELS_KEPT = 64

models: list[CompiledModel] = []
"""The models compiled last, newest at the end: their ``result`` and ``last_run``."""


@dataclass(eq=False)
class _AnySizes:
    """A symbolic graph for certain weights: ``model`` is its code for any sizes, equal where they share a name in
    ``names``; None where there is none, of which ``remark`` says the reason."""

    model: GenericModel | None
    weights: CompiledWeights
    remark: Diagnostic
    names: Mapping[str, str] = field(default_factory=dict)


@dataclass(eq=False)
class _Specialized:
    """The graph for certain sizes and weights: ``model`` is its code, ``parts`` are code and eager operations; both are
    None for a graph that runs in eager PyTorch. The code may be that ``of`` any sizes.
    """

    model: CompiledModel | None
    weights: CompiledWeights
    parts: GraphModule | None = None
    of: _AnySizes | None = None


_by_content: weakref.WeakValueDictionary[tuple[Any, ...], _Specialized] = weakref.WeakValueDictionary()
"""All that is alive, by what it computes: PyTorch traces a function anew for other strides, and once more when it
learns that a size changes; what comes out for a size it has met before is the same."""
_by_symbols: weakref.WeakValueDictionary[tuple[Any, ...], _AnySizes] = weakref.WeakValueDictionary()
"""As `_by_content`, of graphs with symbolic sizes."""
_compiling = threading.RLock()


class Forward:
    """Called with flat arguments; ``weights`` are the places, among the tensors, of parameters and buffers.

    ``eager`` collects what runs in eager PyTorch, of a graph that this one is a part of.
    """

    def __init__(self, module: GraphModule, weights: Iterable[int], settings: TorchSettings,
                 eager: EagerPart | None = None):
        self.module, self.settings, self.eager = module, settings, eager
        self.weights = list(weights)
        self.compiled: dict[tuple[Any, ...], _Specialized] = {}
        self.any_sizes: dict[tuple[Any, ...], _AnySizes] = {}

    def __call__(self, *arguments: Any) -> list[Any]:
        tensors = [argument for argument in arguments if isinstance(argument, torch.Tensor)]
        numbers = tuple(argument for argument in arguments if not isinstance(argument, torch.Tensor))
        found = self.compiled.get((numbers, *self._key(tensors)))
        if found is None or found.weights.changed(tensors):
            with _compiling, _disable_current_modes():  # PyTorch watches each operation of the first call
                found = self._specialized(arguments, numbers, tensors)
        if found.parts is not None:
            return list(found.parts(*tensors))
        if found.model is None:
            return self.module(*arguments)
        return found.model.run_flat(tensors, self.settings.executor, self.settings.arithmetic)

    def _key(self, tensors: Sequence[torch.Tensor]) -> tuple[Any, ...]:
        return tuple(identity(one) if place in self.weights else sizes_of(one) for place, one in enumerate(tensors))

    def _specialized(self, arguments: Sequence[Any], numbers: tuple[Any, ...], tensors: Sequence[torch.Tensor]
                     ) -> _Specialized:
        found = self.compiled.get((numbers, *self._key(tensors)))
        if found is not None:
            changed = found.weights.changed(tensors)
            if not changed:
                return found  # another thread was faster
            self.weights = [place for place in self.weights if place not in changed]  # inputs now: they change again
            self.compiled, self.any_sizes = {}, {}
        self.compiled = {key: one for key, one in self.compiled.items() if one.weights.are_alive}
        self.any_sizes = {key: one for key, one in self.any_sizes.items() if one.weights.are_alive}
        try:
            found = self._at(arguments, tensors)
        except HexError as error:
            if self.settings.fallback == "error":
                raise
            found = _Specialized(None, NONE, self._in_parts(arguments, tensors, error))
        self.compiled[(numbers, *self._key(tensors))] = found
        for key in [key for key, one in self.compiled.items() if one.of is not None][:-SIZES_KEPT]:
            del self.compiled[key]
        return found

    def _in_parts(self, arguments: Sequence[Any], tensors: Sequence[torch.Tensor], error: HexError
                  ) -> GraphModule | None:
        """The graph, which ``error`` is about, with what cannot be compiled in eager PyTorch; None for all of it."""
        try:
            module = self._static(arguments)
        except HexError:
            warnings.warn(f"hexagon: a graph runs in eager PyTorch instead: {error}", stacklevel=4)
            return None
        outermost = self.eager is None
        eager = self.eager = self.eager or EagerPart.of(module)
        parts = eager.take_from(module, error, self.settings.numerics)
        places = {node: place for place, node in enumerate(n for n in parts.graph.nodes if n.op == "placeholder")}
        for call in [node for node in parts.graph.nodes if node.op == "call_module"]:
            part_module: Any = parts.get_submodule(str(call.target))
            weights = [number for number, node in enumerate(call.args) if places.get(node) in self.weights]
            part = Forward(part_module, weights, self.settings, eager)
            values = [tensors[places[node]] if node in places else node.meta["val"] for node in call.args]
            part._specialized(values, (), values)
            setattr(parts, str(call.target), _Part(part))
        if outermost:
            warnings.warn(f"hexagon: {eager}", stacklevel=4)
            self.eager = None
        return parts

    def _at(self, arguments: Sequence[Any], tensors: Sequence[torch.Tensor]) -> _Specialized:
        """The compiled graph for the sizes of ``arguments``; raises `HexError`."""
        if not is_symbolic(self.module):
            return self._made(self._static(arguments), tensors)
        key = tuple(identity(tensors[place]) for place in self.weights)
        if key not in self.any_sizes:
            self.any_sizes[key] = self._for_any_sizes(arguments, tensors)
        one = self.any_sizes[key]
        if one.model is None:
            return self._made(self._static(arguments), tensors, one.remark)
        try:
            sizes = SymbolicGraph(self.module).renamed(one.names).bind(arguments)
        except HexError:  # among others, sizes that were equal
            return self._made(self._static(arguments), tensors)
        model = one.model.at(sizes)
        model.result = replace(model.result, remarks=(*model.result.remarks, one.remark))
        _keep(model)
        return _Specialized(model, one.weights, of=one)

    def _for_any_sizes(self, arguments: Sequence[Any], tensors: Sequence[torch.Tensor]) -> _AnySizes:
        """The symbolic graph for the weights among ``tensors``, new or cached; where PyTorch leaves open that two sizes
        are equal, as those of keys and values in a cache that grows, for equal ones."""
        try:
            symbolic = SymbolicGraph(self.module)
            equal = symbolic.equal_sizes(arguments)
        except HexError as error:
            return _AnySizes(None, NONE, _remark(f"{PER_SIZE}: {error.diagnostics[0].message}"))
        found = self._for_sizes_of(symbolic, {name: name for name in equal}, arguments, tensors)
        if found.model is not None or len(set(equal.values())) == len(equal):
            return found
        return self._for_sizes_of(symbolic, equal, arguments, tensors)

    def _for_sizes_of(self, graph: SymbolicGraph, names: Mapping[str, str], arguments: Sequence[Any],
                      tensors: Sequence[torch.Tensor]) -> _AnySizes:
        """The same where sizes with one of ``names`` are equal."""
        settings, symbolic = self.settings, graph.renamed(names)
        weights = {place: tensors[place] for place in self.weights}
        graphs: list[TorchGraph] = []
        try:
            content = (text_of(self.module), symbolic.content, tuple(map(identity, weights.values())),
                       astuple(settings))
            found = _by_symbols.get(content)
            if found is not None and not found.weights.changed(tensors):
                return found

            def graph_at(sizes: Mapping[str, int]) -> TorchGraph:
                graphs.append(from_aot(in_real_numbers(symbolic.at(sizes, arguments)), weights))
                return graphs[-1]

            recipe = Recipe(settings.target, settings.pipeline, Settings.of(settings), settings.numerics)
            model = compile_examples(graph_at, symbolic.domain, recipe)
        except HexError as error:
            return _AnySizes(None, NONE, _remark(f"{PER_SIZE}: {error.diagnostics[0].message}"))
        except Exception as error:  # of a pass that no kernel of unknown sizes has met before: code for each is right
            return _AnySizes(None, NONE, _remark(f"{PER_SIZE}: {internal_error(error).diagnostics[0].message}"))
        remark = _remark(f"{ONCE}, {model.kernels} kernels")
        found = _AnySizes(model, CompiledWeights.of(weights, graphs), remark, names)
        _by_symbols[content] = found
        return found

    def _made(self, module: GraphModule, tensors: Sequence[torch.Tensor], remark: Diagnostic | None = None
              ) -> _Specialized:
        """The compiled graph, new or cached, with ``remark`` among those of a new one; raises `HexError`."""
        settings = self.settings
        content = (text_of(module), self._key(tensors), astuple(settings))
        found = _by_content.get(content)
        if found is None or found.weights.changed(tensors):
            weights = {place: tensors[place] for place in self.weights}
            try:
                graph = from_aot(module, weights)
                model = compile_graph(graph, settings.target, settings.pipeline,
                                      settings=Settings.of(settings), numerics=settings.numerics)
            except HexError:
                raise
            except Exception as error:
                raise internal_error(error) from error
            if remark is not None:
                model.result = replace(model.result, remarks=(*model.result.remarks, remark))
            _keep(model)
            found = _by_content[content] = _Specialized(model, CompiledWeights.of(weights, [graph]))
        return found

    def _static(self, arguments: Sequence[Any]) -> GraphModule:
        """A copy of the graph, with the sizes of ``arguments`` in place of symbolic ones."""
        if is_symbolic(self.module):
            return in_real_numbers(specialize(self.module, arguments))
        graph = torch.fx.Graph()
        graph.output(graph.graph_copy(self.module.graph, {}))
        return in_real_numbers(GraphModule(self.module, graph))


class _Part(torch.nn.Module):
    """A submodule of a graph that runs in parts."""

    def __init__(self, forward: Forward):
        super().__init__()
        self.compiled = forward

    def forward(self, *arguments: torch.Tensor) -> list[torch.Tensor]:
        return self.compiled(*arguments)


def _keep(model: CompiledModel) -> None:
    """Add ``model`` to `models`."""
    models.append(model)
    del models[:-MODELS_KEPT]


def _remark(message: str) -> Diagnostic:
    return Diagnostic("remark", Place("<model>"), "torch-specialize", message)

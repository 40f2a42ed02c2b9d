"""One graph of torch.compile: compiled at its call, for the weights and sizes of that call.

PyTorch calls one graph with the weights of every module of a class, and with changed weights: each call checks both.
Most weights are read in place when a kernel is launched; only weights whose values were used in compilation (a batch
norm folded into a convolution, weights in f16) are copied to the compiled model.
"""

from __future__ import annotations

import threading
import warnings
import weakref
import zlib
from collections.abc import Iterable, Sequence
from dataclasses import astuple, dataclass
from typing import Any

import torch
from torch.fx import GraphModule
from torch.fx.node import map_arg
from torch.utils._python_dispatch import _disable_current_modes

from hexagon_mlir import pipelines, targets
from hexagon_mlir.exec import ARITHMETICS, EXECUTORS, check_executor
from hexagon_mlir.frontend.torch.capture import from_aot
from hexagon_mlir.frontend.torch.compile import compile_graph
from hexagon_mlir.frontend.torch.complex_numbers import in_real_numbers
from hexagon_mlir.frontend.torch.graph import storage_of
from hexagon_mlir.frontend.torch.model import CompiledModel
from hexagon_mlir.frontend.torch.partition import EagerPart
from hexagon_mlir.frontend.torch.rewrites.precision import check_numerics
from hexagon_mlir.frontend.torch.specialize import specialize
from hexagon_mlir.ir import HexError
from hexagon_mlir.ir.diagnostics import internal_error
from hexagon_mlir.settings import Settings

MODELS_KEPT = 64


@dataclass(frozen=True)
class TorchSettings(Settings):
    """``options`` of torch.compile: ``target``, ``pipeline``, ``numerics`` and those of every compilation as in
    `hexagon_mlir.compile`.

    ``fallback`` is "eager" (run what cannot be compiled with PyTorch, and warn) or "error" (raise `HexError`).
    ``executor`` is "sim" or "qemu", which needs a target that QEMU runs. ``arithmetic`` of the simulator is "chip" or
    "ieee", as in `hexagon_mlir.api.CompiledKernel.run`; None takes the default.
    """

    target: str = targets.DEFAULT
    pipeline: str = "default"
    numerics: str = "f32"
    fallback: str = "eager"
    executor: str = "sim"
    arithmetic: str | None = None

    def __post_init__(self) -> None:
        """Refuse settings with which no graph can be compiled: they are no reason for the eager fallback."""
        super().__post_init__()
        check_numerics(self.numerics)
        pipelines.get(self.pipeline, pipelines.target_of(self.target), self)
        for name, known in (("fallback", ("eager", "error")), ("executor", EXECUTORS),
                            ("arithmetic", (None, *ARITHMETICS))):
            if getattr(self, name) not in known:
                raise HexError.plain(f"unknown {name} '{getattr(self, name)}'",
                                     hint=f"one of {', '.join(filter(None, known))}")
        check_executor(self.executor, self.arithmetic)


models: list[CompiledModel] = []
"""The models compiled last, newest at the end: their ``result`` and ``last_run``."""


@dataclass(eq=False)
class _Specialized:
    """The graph for certain sizes and weights: ``model`` is its code, ``parts`` are code and eager operations; both are
    None for a graph that runs in eager PyTorch.

    ``weights`` are the tensors it is for, ``folded`` maps the positions of weights whose values it has copied to their
    checksums.
    """

    model: CompiledModel | None
    weights: list[tuple[weakref.ref[torch.Tensor], int]]
    folded: dict[int, int]
    parts: GraphModule | None = None

    @property
    def is_alive(self) -> bool:
        """False when one of its weights is gone, or has moved to other memory."""
        tensors = [(reference(), address) for reference, address in self.weights]
        return all(tensor is not None and tensor.data_ptr() == address for tensor, address in tensors)


_by_content: weakref.WeakValueDictionary[tuple[Any, ...], _Specialized] = weakref.WeakValueDictionary()
"""All that is alive, by what it computes: PyTorch traces a function anew for other strides, and once more when it
learns that a size changes; what comes out for a size it has met before is the same."""
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

    def __call__(self, *arguments: Any) -> list[Any]:
        tensors = [argument for argument in arguments if isinstance(argument, torch.Tensor)]
        numbers = tuple(argument for argument in arguments if not isinstance(argument, torch.Tensor))
        found = self.compiled.get((numbers, *self._key(tensors)))
        if found is None or _changed(found, tensors):
            with _compiling, _disable_current_modes():  # PyTorch watches each operation of the first call
                found = self._specialized(arguments, numbers, tensors)
        if found.parts is not None:
            return list(found.parts(*tensors))
        if found.model is None:
            return self.module(*arguments)
        return found.model.run_flat(tensors, self.settings.executor, self.settings.arithmetic)

    def _key(self, tensors: Sequence[torch.Tensor]) -> tuple[Any, ...]:
        return tuple(_identity(one) if place in self.weights else _sizes(one) for place, one in enumerate(tensors))

    def _specialized(self, arguments: Sequence[Any], numbers: tuple[Any, ...], tensors: Sequence[torch.Tensor]
                     ) -> _Specialized:
        found = self.compiled.get((numbers, *self._key(tensors)))
        if found is not None:
            changed = _changed(found, tensors)
            if not changed:
                return found  # another thread was faster
            self.weights = [place for place in self.weights if place not in changed]  # inputs now: they change again
            self.compiled = {}
        self.compiled = {key: one for key, one in self.compiled.items() if one.is_alive}
        try:
            found = self._made(self._static(arguments), tensors)
        except HexError as error:
            if self.settings.fallback == "error":
                raise
            found = _Specialized(None, [], {}, self._in_parts(arguments, tensors, error))
        self.compiled[(numbers, *self._key(tensors))] = found
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

    def _made(self, module: GraphModule, tensors: Sequence[torch.Tensor]) -> _Specialized:
        """The compiled graph, new or cached; raises `HexError`."""
        settings = self.settings
        content = (_text(module), self._key(tensors), astuple(settings))
        found = _by_content.get(content)
        if found is None or _changed(found, tensors):
            weights = {place: tensors[place] for place in self.weights}
            try:
                graph = from_aot(module, weights)
                model = compile_graph(graph, settings.target, settings.pipeline,
                                      settings=Settings.of(settings), numerics=settings.numerics)
            except HexError:
                raise
            except Exception as error:
                raise internal_error(error) from error
            models.append(model)
            del models[:-MODELS_KEPT]
            folded = {place: _checksum(one) for place, one in weights.items() if storage_of(one) in graph.read}
            addresses = [(weakref.ref(one), one.data_ptr()) for one in weights.values()]
            found = _by_content[content] = _Specialized(model, addresses, folded)
        return found

    def _static(self, arguments: Sequence[Any]) -> GraphModule:
        """A copy of the graph, with the sizes of ``arguments`` in place of symbolic ones."""
        if any(isinstance(value, torch.SymInt) or not all(isinstance(size, int) for size in getattr(value, "shape", ()))
               for value in (node.meta.get("val") for node in self.module.graph.nodes)):
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


def _sizes(tensor: torch.Tensor) -> tuple[Any, ...]:
    return tuple(tensor.shape), tensor.dtype


def _identity(tensor: torch.Tensor) -> tuple[Any, ...]:
    return tensor.data_ptr(), tuple(tensor.shape), tensor.stride(), tensor.dtype


def _text(module: GraphModule) -> tuple[Any, ...]:
    """What the graph computes, whatever its nodes are called."""
    numbers = {node: f"%{number}" for number, node in enumerate(module.graph.nodes)}
    lines: list[Any] = []
    for node in module.graph.nodes:
        if node.op == "get_attr":
            value = getattr(module, str(node.target))
            lines.append((_sizes(value), _checksum(value)) if isinstance(value, torch.Tensor) else id(value))
        elif node.op != "placeholder":
            lines.append(f"{node.target}{map_arg((node.args, node.kwargs), numbers.__getitem__)}")
    return tuple(lines)


def _changed(specialized: _Specialized, tensors: Sequence[torch.Tensor]) -> list[int]:
    """Positions of weights whose values differ from the compiled ones."""
    return [place for place, checksum in specialized.folded.items() if _checksum(tensors[place]) != checksum]


def _checksum(tensor: torch.Tensor) -> int:
    """Of the values. Version counters miss what is written through ``.data`` or numpy; inference tensors have none."""
    return zlib.crc32(tensor.detach().contiguous().reshape(-1).view(torch.uint8).numpy().data)

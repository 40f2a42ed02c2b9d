"""The backend behind ``torch.compile(model, backend="hexagon")``."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any

import torch
from torch._dynamo.backends.common import aot_autograd
from torch._functorch.aot_autograd import make_boxed_func
from torch.fx import GraphModule

from hexagon_mlir import pipelines, targets
from hexagon_mlir.frontend.torch.capture import from_aot
from hexagon_mlir.frontend.torch.compile import compile_graph
from hexagon_mlir.frontend.torch.decompositions import decompositions
from hexagon_mlir.frontend.torch.model import CompiledModel
from hexagon_mlir.ir import HexError

MODELS_KEPT = 64


@dataclass(frozen=True)
class Settings:
    """``options`` of torch.compile: ``target``, ``pipeline``, ``numerics`` and the fields of `pipelines.Settings` as in
    `hexagon_mlir.compile`.

    ``fallback`` is "eager" (run what cannot be compiled with PyTorch, and warn) or "error" (raise `HexError`).
    ``executor`` is "sim" or "qemu", which needs a target that QEMU runs.
    """

    target: str = targets.DEFAULT
    pipeline: str = "default"
    threads: int = 0
    accuracy: str = "accurate"
    qfloat: bool = True
    line_info: bool = False
    tcm_bytes: int = 0
    numerics: str = "f32"
    fallback: str = "eager"
    executor: str = "sim"


models: list[CompiledModel] = []
"""The models compiled last, newest at the end: their ``result`` and ``last_run``."""


def backend(module: GraphModule, example_inputs: Sequence[Any], options: Mapping[str, Any] | None = None,
            **ignored: Any) -> Callable[..., Any]:
    """Compile ``module`` for inference; a backward pass runs eagerly."""
    settings = _settings(options or {})
    weights = {i: tensor for i, tensor in enumerate(example_inputs) if _is_weight(tensor)}

    def compile_forward(forward: GraphModule, inputs: Sequence[Any]) -> Callable[..., Any]:
        known = weights if len(inputs) == len(example_inputs) else {}
        return make_boxed_func(_Forward(forward, known, settings))

    def keep_eager(backward: GraphModule, inputs: Sequence[Any]) -> Callable[..., Any]:
        return make_boxed_func(backward.forward)

    return aot_autograd(fw_compiler=compile_forward, inference_compiler=compile_forward, bw_compiler=keep_eager,
                        decompositions=decompositions())(module, list(example_inputs))


def _settings(options: Mapping[str, Any]) -> Settings:
    known = [field.name for field in fields(Settings)]
    for name in options:
        if name not in known:
            raise HexError.plain(f"unknown option '{name}'", origin="torch.compile",
                                 hint=f"options: {', '.join(known)}")
    settings = Settings(**options)
    if settings.fallback not in ("eager", "error"):
        raise HexError.plain(f"fallback is 'eager' or 'error', not '{settings.fallback}'", origin="torch.compile")
    return settings


def _is_weight(value: Any) -> bool:
    if not isinstance(value, torch.Tensor) or torch._subclasses.fake_tensor.is_fake(value):
        return False
    return isinstance(value, torch.nn.Parameter) or hasattr(value, "_dynamo_static_input_type")


class _Forward:
    """One graph: compiled on the first call, again when weights have changed or sizes differ."""

    def __init__(self, module: GraphModule, weights: Mapping[int, torch.Tensor], settings: Settings):
        self.module, self.weights, self.settings = module, weights, settings
        self.versions: list[int] = []
        self.compiled: dict[tuple[Any, ...], CompiledModel | None] = {}

    def __call__(self, *arguments: Any) -> list[Any]:
        versions = [tensor._version for tensor in self.weights.values()]
        if versions != self.versions:
            self.versions = versions
            self.compiled.clear()
        key = tuple((tuple(a.shape), a.dtype) if isinstance(a, torch.Tensor) else a for a in arguments)
        if key not in self.compiled:
            self.compiled[key] = self._compile(arguments)
        model = self.compiled[key]
        if model is None:
            return self.module(*arguments)
        return model.run_flat(arguments, self.settings.executor)

    def _compile(self, arguments: Sequence[Any]) -> CompiledModel | None:
        try:
            graph = from_aot(self._static(arguments), self.weights)
            settings = self.settings
            model = compile_graph(graph, settings.target, settings.pipeline,
                                  settings=pipelines.Settings.of(settings),
                                  numerics=settings.numerics)
        except HexError as error:
            if self.settings.fallback == "error":
                raise
            warnings.warn(f"hexagon: a graph runs in eager PyTorch instead: {error}", stacklevel=2)
            return None
        models.append(model)
        del models[:-MODELS_KEPT]
        return model

    def _static(self, arguments: Sequence[Any]) -> GraphModule:
        """A copy of the graph, with the sizes of ``arguments`` in place of symbolic ones."""
        symbolic = any(isinstance(node.meta.get("val"), torch.SymInt) or not all(
            isinstance(size, int) for size in getattr(node.meta.get("val"), "shape", ()))
            for node in self.module.graph.nodes)
        if symbolic:
            from torch.fx.experimental.proxy_tensor import make_fx

            return make_fx(self.module, tracing_mode="fake")(*arguments)
        graph = torch.fx.Graph()
        graph.output(graph.graph_copy(self.module.graph, {}))
        return GraphModule(self.module, graph)

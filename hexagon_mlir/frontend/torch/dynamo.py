"""The backend behind ``torch.compile(model, backend="hexagon")``."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import fields, replace
from typing import Any

import torch
from torch._dynamo.backends.common import aot_autograd
from torch._functorch import config as functorch
from torch._functorch.aot_autograd import make_boxed_func
from torch.fx import GraphModule

from hexagon_mlir.codegen.processes.worker import workers
from hexagon_mlir.frontend.torch import recurrent
from hexagon_mlir.frontend.torch.bytecode_forward import BytecodeForward
from hexagon_mlir.frontend.torch.decompositions import decompositions
from hexagon_mlir.frontend.torch.fake_tensors import quick_batch_norm
from hexagon_mlir.frontend.torch.forward import Forward, models
from hexagon_mlir.frontend.torch.gradients import ATTENTION
from hexagon_mlir.frontend.torch.random_keys import drawing, take_keys
from hexagon_mlir.frontend.torch.recurrent_layers import traced_as_loops
from hexagon_mlir.frontend.torch.rewrites.precision import Numerics
from hexagon_mlir.frontend.torch.torch_settings import TorchSettings
from hexagon_mlir.frontend.torch.tracing import while_tracing
from hexagon_mlir.interpreter import uncollected
from hexagon_mlir.ir import HexError

__all__ = ["TorchSettings", "backend", "models"]


def backend(module: GraphModule, example_inputs: Sequence[Any], options: Mapping[str, Any] | None = None,
            **ignored: Any) -> Callable[..., Any]:
    """Compile ``module``, and its backward pass where gradients are needed: always in f32, for their small values."""
    settings = _settings(options or {})
    tensors = [value for value in example_inputs if isinstance(value, torch.Tensor)]
    weights = [place for place, tensor in enumerate(tensors) if _is_weight(tensor)]

    def compile_forward(forward: GraphModule, inputs: Sequence[Any]) -> Callable[..., Any]:
        known = weights if len(inputs) == len(example_inputs) else []
        operations = take_keys(forward)
        code = drawing(Forward(forward, known, settings), operations)
        takes_bytecode = settings.dynamic == "bytecode" and not operations
        return make_boxed_func(BytecodeForward(forward, settings, code) if takes_bytecode else code)

    def compile_backward(graph: GraphModule, inputs: Sequence[Any]) -> Callable[..., Any]:
        operations = take_keys(graph)
        return make_boxed_func(drawing(Forward(graph, [], replace(settings, numerics=Numerics.F32)), operations))

    table = decompositions()
    if torch.is_grad_enabled() and any(tensor.requires_grad for tensor in tensors):
        table |= ATTENTION
    unlifted = functorch.patch(unlift_effect_tokens=True)  # checks of errors run in eager PyTorch
    with recurrent.decomposed(), traced_as_loops(), unlifted:
        return aot_autograd(fw_compiler=compile_forward, inference_compiler=compile_forward,
                            bw_compiler=compile_backward, decompositions=table)(module, list(example_inputs))


@contextmanager
def _tracing() -> Iterator[None]:
    """Recurrent layers are traced: Dynamo runs LSTM, GRU and RNN, and the function around them, in eager PyTorch unless
    ``allow_rnn`` is set, for all backends, some of which fail on the gradients of an LSTM. LLVM loads meanwhile."""
    workers().start()
    with torch._dynamo.config.patch(allow_rnn=True), uncollected(is_kept=True), quick_batch_norm():
        yield


while_tracing(backend, _tracing)


def _settings(options: Mapping[str, Any]) -> TorchSettings:
    known = [field.name for field in fields(TorchSettings)]
    for name in options:
        if name not in known:
            raise HexError.plain(f"unknown option '{name}'", origin="torch.compile",
                                 hint=f"options: {', '.join(known)}")
    return TorchSettings(**options)


def _is_weight(tensor: torch.Tensor) -> bool:
    has_memory = (tensor.layout == torch.strided and tensor.device.type == "cpu"
                  and not torch._subclasses.fake_tensor.is_fake(tensor))
    return has_memory and (isinstance(tensor, torch.nn.Parameter) or hasattr(tensor, "_dynamo_static_input_type"))

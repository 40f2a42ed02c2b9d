"""Decompositions of recurrent layers: a product for the inputs of all steps, and a loop over time for the state.

In f64, PyTorch's own decompositions give every step operations of its own.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from functools import partial
from typing import Any
from unittest import mock

import torch
import torch.nn.functional as F
from torch import Tensor
from torch._C import DispatchKey
from torch._decomp import decompositions as _torch

from hexagon_mlir.frontend.torch import recurrent_gradients  # noqa: F401  (it registers them)
from hexagon_mlir.frontend.torch.kernels.recurrence import recurrence
from hexagon_mlir.frontend.torch.registry import decomposes

_aten = torch.ops.aten
_KEYS = (DispatchKey.CompositeImplicitAutograd, DispatchKey.Autograd)
_HALVES = (torch.float16, torch.bfloat16)


def run(kind: str, x: Tensor, state: Sequence[Tensor], parameters: Sequence[Tensor], has_biases: bool,
        reverse: bool = False) -> tuple[Tensor, tuple[Tensor, ...]]:
    """One direction of a layer: hidden states of all steps (T, B, P), and the last state, each part (B, H or P).

    ``x`` is (T, B, I); ``parameters`` are PyTorch's: weights of the input and of the state, their biases if
    ``has_biases``, and the projection of an LSTM that has one. Layers of f16 and bf16 are computed in f32.
    """
    if x.dtype in _HALVES:
        y, last = run(kind, x.float(), [part.float() for part in state], [one.float() for one in parameters],
                      has_biases, reverse)
        return y.to(x.dtype), tuple(part.to(x.dtype) for part in last)
    weights, biases, projections = parameters[:2], parameters[2:4] if has_biases else (None, None), parameters[
        4 if has_biases else 2:]
    inputs, around = F.linear(x, weights[0], biases[0]), biases[1]
    if kind != "gru" and around is not None:  # of a GRU, it is inside a product
        inputs, around = inputs + around, None
    lstm = kind == "lstm"
    keeps_cells = lstm and _needs_gradients(inputs, state, parameters)
    y, last, _ = recurrence(kind, inputs, weights[1].t(), around, state[0], state[1] if lstm else None,
                            projections[0].t() if projections else None, reverse, keeps_cells)
    return y, (y[0 if reverse else -1], last) if lstm else (last,)


def _layers(kind: str, x: Tensor, state: Any, parameters: Sequence[Tensor], has_biases: bool, num_layers: int,
            dropout: float, train: bool, bidirectional: bool, batch_first: bool) -> tuple[Tensor, ...]:
    """All layers and directions: hidden states, and the last states (directions of all layers, B, H or P)."""
    states = state if kind == "lstm" else [state]
    own = _torch.gather_params(parameters, has_biases, kind == "lstm" and states[0].size(2) != states[1].size(2))
    y, last = _torch._rnn_helper(x, list(zip(*states, strict=True)), own, has_biases, num_layers, dropout, train,
                                 bidirectional, batch_first, partial(run, kind))
    return y, *(torch.stack(parts) for parts in zip(*last, strict=True))


_LAYERS: dict[Any, tuple[str, Callable[..., Any]]] = {
    _aten.lstm.input: ("lstm", _torch.lstm_impl), _aten.gru.input: ("gru", _torch.gru_impl),
    _aten.rnn_tanh.input: ("tanh", _torch.rnn_tanh_input), _aten.rnn_relu.input: ("relu", _torch.rnn_relu_input)}


def _needs_gradients(x: Tensor, state: Any, parameters: Sequence[Tensor]) -> bool:
    states = state if isinstance(state, list | tuple) else [state]
    return torch.is_grad_enabled() and any(one.requires_grad for one in (x, *states, *parameters))


def _decomposed(op: Any) -> Callable[..., tuple[Tensor, ...]]:
    kind, by_steps = _LAYERS[op]

    def layers(x: Tensor, state: Any, parameters: Sequence[Tensor], *options: Any) -> tuple[Tensor, ...]:
        if x.dtype == torch.float64:
            return by_steps(x, state, parameters, *options)
        return _layers(kind, x, state, parameters, *options)

    return layers


_OURS = {op: decomposes(op)(_decomposed(op)) for op in _LAYERS}


@decomposes(_aten.mkldnn_rnn_layer.default)
def mkldnn_lstm_layer(x: Tensor, w: Tensor, u: Tensor, b: Tensor, c: Tensor, hidden: Tensor, cell: Tensor,
                      reverse: bool, batch_sizes: Sequence[int], mode: int, hidden_size: int, num_layers: int,
                      has_biases: bool, *fixed: Any) -> tuple[Tensor, Tensor, Tensor, Tensor]:
    """One direction of an LSTM's layer, steps first: what PyTorch's own decompositions make of one on CPUs."""
    y, (last, last_cell) = run("lstm", x, (hidden[0], cell[0]), (w, u, b, c) if has_biases else (w, u), has_biases,
                               reverse)
    return y, last[None], last_cell[None], x.new_empty(0)


@contextmanager
def traced_as_loops() -> Iterator[None]:
    """AOTAutograd uses these decompositions: it meets layers before its table of decompositions is used."""
    with ExitStack() as stack:
        for op, function in _OURS.items():
            stack.enter_context(mock.patch.dict(op.py_kernels, dict.fromkeys(_KEYS, function)))
            op._dispatch_cache.clear()
        try:
            yield
        finally:
            for op in _OURS:
                op._dispatch_cache.clear()

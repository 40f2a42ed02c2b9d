"""GRU, LSTM and RNN: every direction, initial states, sequences of different lengths, activations of one's own.

Layers that PyTorch has too are loops over time. Of others, the inputs of all steps are multiplied at once; steps are
equal products of the state, so that they share kernels.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import torch
import torch.nn.functional as F
from torch import Tensor

from hexagon_mlir.frontend.onnx.operators.registry import operator
from hexagon_mlir.frontend.torch import recurrent_layers

Step = Callable[[int, Tensor, list[Tensor], Tensor, Tensor], list[Tensor]]
"""Direction, projected input, states, recurrent weights and bias -> the states after it."""

_ACTIVATIONS: dict[str, tuple[Callable[..., Tensor], tuple[float, ...]]] = {
    "affine": (lambda x, a, b: a * x + b, (1.0, 0.0)), "relu": (torch.relu, ()), "tanh": (torch.tanh, ()),
    "sigmoid": (torch.sigmoid, ()), "softsign": (F.softsign, ()), "softplus": (F.softplus, ()),
    "leakyrelu": (F.leaky_relu, (0.01,)), "elu": (F.elu, (1.0,)),
    "thresholdedrelu": (lambda x, a: torch.where(x > a, x, 0.0), (1.0,)),
    "scaledtanh": (lambda x, a, b: a * torch.tanh(b * x), (1.0, 1.0)),
    "hardsigmoid": (lambda x, a, b: (a * x + b).clamp(0, 1), (0.2, 0.5)),
}
"""Name in lower case -> function, and the numbers it takes behind its operand: alpha, beta."""


def _activations(names: Sequence[str] | None, default: tuple[str, ...], directions: int, alpha: Sequence[float] | None,
                 beta: Sequence[float] | None, clip: float | None) -> list[list[Callable[[Tensor], Tensor]]]:
    """For each direction, its functions; what they are given is clipped first."""
    numbers = [iter(alpha or ()), iter(beta or ())]

    def find(name: str) -> Callable[[Tensor], Tensor]:
        if name.lower() not in _ACTIVATIONS:
            raise ValueError(f"no activation is called '{name}'")
        function, defaults = _ACTIVATIONS[name.lower()]
        values = [next(given, value) for given, value in zip(numbers, defaults, strict=False)]
        return lambda x: function(x if clip is None else x.clamp(-clip, clip), *values)

    found = [find(name) for name in names or default * directions]
    each = len(default)
    return [found[each * d: each * (d + 1)] for d in range(directions)]


def _run(x: Tensor, w: Tensor, r: Tensor, b: Tensor | None, lengths: Tensor | None, initial: Sequence[Tensor | None],
         step: Step, direction: str, layout: int) -> list[Tensor]:
    """All outputs (steps, directions, batch, hidden) and the last states (directions, batch, hidden).

    ``layout`` 1 puts the batch first. After a sequence's end states are unchanged and outputs zero.
    """
    if layout:
        x, initial = x.transpose(0, 1), [None if s is None else s.transpose(0, 1) for s in initial]
    (steps, batch, _), directions, hidden = x.shape, r.shape[0], r.shape[2]
    outputs, ends = [], []
    for d in range(directions):
        into, around = (x.new_zeros(2 * w.shape[1]) if b is None else b[d]).chunk(2)
        projected = F.linear(x, w[d], into)
        states = [x.new_zeros(batch, hidden) if s is None else s[d] for s in initial]
        rows: list[Tensor] = []
        backward = d == 1 or direction == "reverse"
        for t in reversed(range(steps)) if backward else range(steps):
            new = step(d, projected[t], states, r[d], around)
            if lengths is None:
                states = new
                rows.append(states[0])
                continue
            running = (lengths > t)[:, None]
            states = [torch.where(running, after, before) for after, before in zip(new, states, strict=True)]
            rows.append(torch.where(running, states[0], 0.0))
        outputs.append(torch.stack(rows[::-1] if backward else rows))
        ends.append(states)
    y = torch.stack(outputs, 1)
    last = [torch.stack(states) for states in zip(*ends, strict=True)]
    if layout:
        return [y.permute(2, 0, 1, 3), *(s.transpose(0, 1) for s in last)]
    return [y, *last]


def _loop(kind: str, order: Sequence[int], x: Tensor, w: Tensor, r: Tensor, b: Tensor | None,
          initial: Sequence[Tensor | None], direction: str, layout: int) -> list[Tensor]:
    """`_run` of a layer that PyTorch has; ``order`` are its gates, in PyTorch's order, among those of ONNX."""
    if layout:
        x, initial = x.transpose(0, 1), [None if s is None else s.transpose(0, 1) for s in initial]
    outputs: list[Tensor] = []
    ends: list[tuple[Tensor, ...]] = []
    for d in range(r.shape[0]):
        state = [x.new_zeros(x.shape[1], r.shape[2]) if s is None else s[d] for s in initial]
        biases = () if b is None else b[d].chunk(2)
        parameters = [_gates(one, order) for one in (w[d], r[d], *biases)]
        y, end = recurrent_layers.run(kind, x, state, parameters, b is not None, d == 1 or direction == "reverse")
        outputs.append(y)
        ends.append(end)
    y, last = torch.stack(outputs, 1), [torch.stack(states) for states in zip(*ends, strict=True)]
    return [y.permute(2, 0, 1, 3), *(s.transpose(0, 1) for s in last)] if layout else [y, *last]


def _is_plain(x: Tensor, *options: object) -> bool:
    return x.dtype != torch.float64 and all(option is None for option in options)


def _gates(parameter: Tensor, order: Sequence[int]) -> Tensor:
    parts = parameter.chunk(len(order))
    return parameter if len(order) == 1 else torch.cat([parts[place] for place in order])


@operator("GRU")
def gru(x: Tensor, w: Tensor, r: Tensor, b: Tensor | None = None, lengths: Tensor | None = None,
        initial: Tensor | None = None, *, hidden_size: int = 0, direction: str = "forward", layout: int = 0,
        linear_before_reset: int = 0, clip: float | None = None, activations: Sequence[str] | None = None,
        activation_alpha: Sequence[float] | None = None, activation_beta: Sequence[float] | None = None
        ) -> list[Tensor]:
    """Gates: update, reset, new."""
    if linear_before_reset and _is_plain(x, activations, lengths, clip):
        return _loop("gru", (1, 0, 2), x, w, r, b, [initial], direction, layout)
    functions = _activations(activations, ("Sigmoid", "Tanh"), r.shape[0], activation_alpha, activation_beta, clip)
    size = r.shape[2]

    def step(d: int, gates: Tensor, states: list[Tensor], u: Tensor, bias: Tensor) -> list[Tensor]:
        (f, g), (h,) = functions[d], states
        update_x, reset_x, new_x = gates.chunk(3, 1)
        if linear_before_reset:
            update_h, reset_h, new_h = F.linear(h, u, bias).chunk(3, 1)
            new = g(new_x + f(reset_x + reset_h) * new_h)
        else:
            update_h, reset_h = F.linear(h, u[:2 * size], bias[:2 * size]).chunk(2, 1)
            new = g(new_x + F.linear(f(reset_x + reset_h) * h, u[2 * size:], bias[2 * size:]))
        return [new + f(update_x + update_h) * (h - new)]

    return _run(x, w, r, b, lengths, [initial], step, direction, layout)


@operator("LSTM")
def lstm(x: Tensor, w: Tensor, r: Tensor, b: Tensor | None = None, lengths: Tensor | None = None,
         initial: Tensor | None = None, cell: Tensor | None = None, peepholes: Tensor | None = None, *,
         hidden_size: int = 0, direction: str = "forward", layout: int = 0, input_forget: int = 0,
         clip: float | None = None, activations: Sequence[str] | None = None,
         activation_alpha: Sequence[float] | None = None, activation_beta: Sequence[float] | None = None
         ) -> list[Tensor]:
    """Gates: input, output, forget, cell; peepholes add the cell to the first three."""
    if not input_forget and _is_plain(x, activations, lengths, clip, peepholes):
        return _loop("lstm", (0, 2, 3, 1), x, w, r, b, [initial, cell], direction, layout)
    functions = _activations(activations, ("Sigmoid", "Tanh", "Tanh"), r.shape[0], activation_alpha, activation_beta,
                             clip)

    def step(d: int, gates: Tensor, states: list[Tensor], u: Tensor, bias: Tensor) -> list[Tensor]:
        (f, g, h), (hidden, c) = functions[d], states
        into, out, forget, new = (gates + F.linear(hidden, u, bias)).chunk(4, 1)
        to_in, to_out, to_forget = (0.0, 0.0, 0.0) if peepholes is None else peepholes[d].chunk(3)
        opened = f(into if peepholes is None else into + to_in * c)
        kept = 1 - opened if input_forget else f(forget if peepholes is None else forget + to_forget * c)
        c = kept * c + opened * g(new)
        return [f(out if peepholes is None else out + to_out * c) * h(c), c]

    return _run(x, w, r, b, lengths, [initial, cell], step, direction, layout)


@operator("RNN")
def rnn(x: Tensor, w: Tensor, r: Tensor, b: Tensor | None = None, lengths: Tensor | None = None,
        initial: Tensor | None = None, *, hidden_size: int = 0, direction: str = "forward", layout: int = 0,
        clip: float | None = None, activations: Sequence[str] | None = None,
        activation_alpha: Sequence[float] | None = None, activation_beta: Sequence[float] | None = None
        ) -> list[Tensor]:
    """One activation of the sum of both products."""
    if _is_plain(x, activations, lengths, clip):
        return _loop("tanh", (0,), x, w, r, b, [initial], direction, layout)
    functions = _activations(activations, ("Tanh",), r.shape[0], activation_alpha, activation_beta, clip)

    def step(d: int, gates: Tensor, states: list[Tensor], u: Tensor, bias: Tensor) -> list[Tensor]:
        return [functions[d][0](gates + F.linear(states[0], u, bias))]

    return _run(x, w, r, b, lengths, [initial], step, direction, layout)

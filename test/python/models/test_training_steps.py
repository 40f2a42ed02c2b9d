"""Small architectures and optimizers that train: losses and parameters of each step as in eager PyTorch, none eager."""

import copy

import pytest
import torch
import torch.nn.functional as F
from torch import nn

from hexagon_mlir.frontend.torch import registry

pytestmark = pytest.mark.only_values

STRICT = {"fallback": "error"}
TOKENS = torch.tensor([[1, 4, 0, 7, 2], [3, 3, 8, 5, 6], [2, 0, 1, 1, 8]])


class Block(nn.Module):
    """Embedding, causal attention of two heads, and the tokens' scores; the scores share the embedding's weights."""

    def __init__(self):
        super().__init__()
        self.embedding, self.projections = nn.Embedding(9, 8), nn.Linear(8, 24)

    def forward(self, tokens):
        x = self.embedding(tokens)
        q, k, v = (y.unflatten(-1, (2, 4)).transpose(1, 2) for y in self.projections(x).chunk(3, -1))
        x = x + F.scaled_dot_product_attention(q, k, v, is_causal=True).transpose(1, 2).flatten(-2)
        return x[:, -1] @ self.embedding.weight.T


class Recurrent(nn.LSTM):
    """The last state of an LSTM."""

    def forward(self, x):
        return super().forward(x)[0][-1]


ARCHITECTURES = {
    "perceptron": (lambda: nn.Sequential(nn.Linear(7, 16), nn.ReLU(), nn.Dropout(0.0), nn.Linear(16, 4)),
                   lambda: torch.randn(3, 7)),
    "convolution": (lambda: nn.Sequential(nn.Conv2d(2, 4, 3, padding=1), nn.BatchNorm2d(4), nn.ReLU(), nn.Flatten(),
                                          nn.Linear(80, 4)), lambda: torch.randn(3, 2, 5, 4)),
    "recurrent": (lambda: Recurrent(5, 4), lambda: torch.randn(3, 3, 5)),
    "transformer": (Block, lambda: TOKENS),
    "layer norm": (lambda: nn.Sequential(nn.Linear(7, 9), nn.LayerNorm(9), nn.GELU("tanh"), nn.Linear(9, 4)),
                   lambda: torch.randn(3, 7))}


@pytest.mark.full_except("transformer")
@pytest.mark.parametrize(("make", "inputs"), ARCHITECTURES.values(), ids=ARCHITECTURES)
def test_losses_of_three_steps(make, inputs):
    torch.manual_seed(3)
    module = make()
    other, x = copy.deepcopy(module), inputs()
    y = torch.arange(3)
    torch._dynamo.reset()
    fast = torch.compile(module, backend="hexagon", options=STRICT)
    steps = [torch.optim.SGD(one.parameters(), lr=0.3, momentum=0.9) for one in (module, other)]
    before = None
    for _ in range(3):
        losses = [F.cross_entropy(run(x), y) for run in (fast, other)]
        torch.testing.assert_close(losses[0], losses[1], rtol=0, atol=1e-4)
        assert before is None or abs(losses[1].item() - before) > 1e-3  # it learns
        before = losses[1].item()
        for loss, step in zip(losses, steps, strict=True):
            step.zero_grad()
            loss.backward()
            step.step()
    for mine, his in zip(module.buffers(), other.buffers(), strict=True):
        torch.testing.assert_close(mine, his, rtol=1e-4, atol=1e-5)


OPTIMIZERS = {
    "momentum": lambda p, on_chip: torch.optim.SGD(p, lr=0.1, momentum=0.9),
    "Adam": lambda p, on_chip: torch.optim.Adam(p, lr=0.01, weight_decay=0.1),
    "AdamW as it is": lambda p, on_chip: torch.optim.AdamW(p, lr=0.01),
    "SGD": lambda p, on_chip: torch.optim.SGD(p, lr=0.1, momentum=0.9, weight_decay=0.01, nesterov=True),
    "AdamW": lambda p, on_chip: torch.optim.AdamW(p, lr=0.01, foreach=on_chip, capturable=on_chip, amsgrad=True)}


@pytest.mark.full_except("SGD", "AdamW")
@pytest.mark.parametrize("make", OPTIMIZERS.values(), ids=OPTIMIZERS)
def test_steps_of_optimizers(make):
    """Parameters and states after three compiled steps; gradients of zero and of very different sizes, too."""
    torch.manual_seed(4)
    starts = [torch.randn(3, 5), torch.randn(7)]
    parameters = [[nn.Parameter(start.clone()) for start in starts] for _ in range(2)]
    fast, plain = make(parameters[0], True), make(parameters[1], False)
    torch._dynamo.reset()
    run = torch.compile(fast.step, backend="hexagon", options=STRICT)
    for _ in range(3):
        for mine, his in zip(*parameters, strict=True):
            gradient = torch.randn(mine.shape) * torch.logspace(-4, 1, mine.shape[-1])
            gradient[..., 1] = 0.0
            mine.grad, his.grad = gradient.clone(), gradient.clone()
        run()
        plain.step()
    torch.testing.assert_close(parameters[0], parameters[1], rtol=1e-5, atol=1e-5)
    for mine, his in zip(*parameters, strict=True):
        assert (fast.state[mine].keys()) == plain.state[his].keys()
        torch.testing.assert_close(list(fast.state[mine].values()), list(plain.state[his].values()), rtol=1e-5,
                                   atol=1e-6)


def test_operations_on_lists():
    aten, rows = torch.ops.aten, [torch.rand(2, 3) + 0.5, torch.rand(4) + 0.5]
    others = [torch.rand(2, 3), torch.rand(4)]
    for op, arguments in ((aten._foreach_add.List, (others,)), (aten._foreach_mul.Scalar, (0.25,)),
                          (aten._foreach_div.ScalarList, ([2.0, 3.0],)), (aten._foreach_sqrt.default, ()),
                          (aten._foreach_addcdiv.ScalarList, (others, rows, [0.5, 2.0])),
                          (aten._foreach_addcmul.Scalar, (others, rows, 0.5)), (aten._foreach_maximum.List, (others,)),
                          (aten._foreach_minimum.Scalar, (0.7,)), (aten._foreach_lerp.Scalar, (others, 0.3)),
                          (aten._foreach_norm.Scalar, (1.0,)), (aten._foreach_mul.Tensor, (torch.tensor(3.0),))):
        torch.testing.assert_close(registry.OURS[op](rows, *arguments), op(rows, *arguments))
    power = aten._foreach_pow.ScalarAndTensor
    torch.testing.assert_close(registry.OURS[power](0.9, rows), power(0.9, rows))
    torch.testing.assert_close(registry.OURS[aten._foreach_sub.List](rows, others, alpha=2.0),
                               aten._foreach_sub.List(rows, others, alpha=2.0))

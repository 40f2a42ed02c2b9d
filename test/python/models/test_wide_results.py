"""Results of products in f32 (``numerics="mixed"``): factors are rounded to f16, results are not."""

import pytest
import torch
from models.test_models import flat
from torch import nn

import hexagon_mlir as hx

pytestmark = pytest.mark.only_values


class Product(nn.Module):
    """A product of two inputs, by ``function``."""

    def __init__(self, function):
        super().__init__()
        self.function = function

    def forward(self, *inputs):
        return self.function(*inputs)


class Heads(nn.Module):
    """A linear layer whose result is cut into heads of 32, in other orders of dimensions."""

    def __init__(self):
        super().__init__()
        self.qkv = nn.Linear(48, 192)

    def forward(self, x):
        return tuple(part.view(1, 33, 2, 32).transpose(1, 2) for part in self.qkv(x).chunk(3, dim=-1))


class Shared(nn.Module):
    """A product whose result the model gives, and multiplies again."""

    def __init__(self):
        super().__init__()
        self.first, self.second = nn.Linear(40, 50), nn.Linear(50, 30)

    def forward(self, x):
        y = self.first(x)
        return y, self.second(y)


def halved(module, inputs):
    """What ``module`` computes of weights and inputs rounded to f16, biases as they are, in f64."""
    module = module.double()
    for parameter in module.parameters():
        if parameter.dim() > 1:
            parameter.data = parameter.data.half().double()
    with torch.no_grad():
        return flat(module(*(one.half().double() for one in inputs)))


CASES = {
    "linear": lambda: (nn.Linear(70, 45), (torch.randn(1, 37, 70),)),
    "linear, no bias": lambda: (nn.Linear(96, 333, bias=False), (torch.randn(64, 96),)),
    "one row": lambda: (nn.Linear(70, 45), (torch.randn(1, 70),)),
    "engine": lambda: (nn.Linear(768, 500), (torch.randn(2, 50, 768),)),
    "mm": lambda: (Product(torch.mm), (torch.randn(5, 33), torch.randn(33, 7))),
    "addmm": lambda: (Product(torch.addmm), (torch.randn(5, 7).half().float(), torch.randn(5, 33), torch.randn(33, 7))),
    "bmm": lambda: (Product(torch.bmm), (torch.randn(3, 5, 33), torch.randn(3, 33, 7))),
    "four dimensions": lambda: (Product(torch.matmul), (torch.randn(2, 3, 5, 33), torch.randn(2, 3, 33, 7))),
    "heads": lambda: (Heads(), (torch.randn(1, 33, 48),)),
}


@pytest.mark.full_except("linear", "one row", "engine", "bmm", "heads")
@pytest.mark.parametrize("name", CASES)
def test_results_are_not_rounded(name):
    """They differ from the exact product of rounded factors by 2^-20 of the largest one at most, f16 by 2^-12."""
    torch.manual_seed(0)
    module, inputs = CASES[name]()
    with torch.no_grad():
        got = flat(hx.compile(torch.export.export(module.eval(), inputs), numerics="mixed")(*inputs))
    for ours, exact in zip(got, halved(module, inputs), strict=True):
        assert ours.dtype == torch.float32
        assert (ours - exact).abs().max() <= 2.0**-20 * exact.abs().max()


ROUNDED = {
    "broadcast": (lambda: (Product(torch.matmul), (torch.randn(3, 5, 33), torch.randn(1, 33, 7))), "mixed", "v75"),
    "scaled": (lambda: (Product(lambda *x: torch.addmm(*x, alpha=0.5)),
                        (torch.randn(5, 7), torch.randn(5, 33), torch.randn(33, 7))), "mixed", "v75"),
    "vector": (lambda: (Product(torch.matmul), (torch.randn(5, 33), torch.randn(33))), "mixed", "v75"),
    "f16": (lambda: (nn.Linear(70, 45), (torch.randn(37, 70),)), "f16", "v75"),
    "one table of biases": (lambda: (nn.Linear(70, 45), (torch.randn(37, 70),)), "mixed", "v73"),
}


@pytest.mark.parametrize("name", ROUNDED)
def test_other_results_are(name):
    """They are numbers of f16."""
    torch.manual_seed(0)
    make, numerics, target = ROUNDED[name]
    module, inputs = make()
    with torch.no_grad():
        got = hx.compile(torch.export.export(module.eval(), inputs), numerics=numerics, target=target)(*inputs)
    assert torch.equal(got, got.half().float())
    exact, = halved(module, inputs)
    assert (got - exact).abs().max() <= 2.0**-9 * exact.abs().max()


def test_what_is_multiplied_again_is_rounded():
    torch.manual_seed(0)
    module, x = Shared().eval(), torch.randn(6, 40)
    with torch.no_grad():
        first, second = hx.compile(torch.export.export(module, (x,)), numerics="mixed")(x)
    assert torch.equal(first, first.half().float())
    assert not torch.equal(second, second.half().float())
    assert (second - module(x)[1]).abs().max() <= 4e-3 * second.abs().max()

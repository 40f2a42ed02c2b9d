"""Transposed convolutions, which become ordinary ones of stride 1, against PyTorch in f64."""

import pytest
import torch
import torch.nn.functional as F

import hexagon_mlir as hx

pytestmark = pytest.mark.only_values

CASES = {
    "window of the stride": ((6, 4), (2, 2), {"stride": 2}, (5, 4)),
    "overlapping": ((8, 4), (4, 4), {"stride": 2, "padding": 1}, (5, 7)),
    "more at the end": ((6, 5), (3, 3), {"stride": 2, "padding": 1, "output_padding": 1}, (5, 4)),
    "of two strides": ((6, 5), (5, 3), {"stride": (3, 1), "padding": (2, 0)}, (5, 4)),
    "pixels without a window": ((6, 4), (1, 1), {"stride": 2, "output_padding": 1}, (5, 4)),
    "groups": ((6, 4), (2, 3), {"stride": 3, "output_padding": 1, "groups": 2}, (5, 4)),
    "depthwise": ((6, 6), (4, 4), {"stride": 2, "padding": 1, "groups": 6}, (4, 3)),
    "dilated": ((6, 4), (3, 2), {"stride": 2, "padding": (3, 1), "dilation": (2, 3)}, (6, 5)),
    "padding above the window": ((6, 4), (3, 3), {"padding": 2}, (5, 7)),
    "a row": ((6, 4), (5,), {"stride": 2, "padding": 1, "output_padding": 1}, (9,)),
}


class Layer(torch.nn.Module):
    """A transposed convolution of channels ``sizes``."""

    def __init__(self, sizes, window, options):
        super().__init__()
        build = torch.nn.ConvTranspose2d if len(window) == 2 else torch.nn.ConvTranspose1d
        self.layer = build(*sizes, window, **options)

    def forward(self, x):
        return self.layer(x)


def compiled(module, x, **options):
    """The compiled model, its result and PyTorch's in f64."""
    with torch.no_grad():
        model = hx.compile(torch.export.export(module, (x,)), **options)
        return model, model(x).double(), module.double()(x.double())


@pytest.mark.full_except(
    "more at the end", "of two strides", "groups", "depthwise", "dilated", "padding above the window")
@pytest.mark.parametrize("name", CASES)
def test_values(name):
    sizes, window, options, image = CASES[name]
    torch.manual_seed(0)
    module, x = Layer(sizes, window, options).eval(), torch.randn(2, sizes[0], *image)
    _, got, exact = compiled(module, x)
    assert got.shape == exact.shape
    torch.testing.assert_close(got, exact, rtol=1e-5, atol=1e-6)


def test_weights_of_the_input():
    """Nothing is known at compile time; the weights are rearranged in each run."""
    torch.manual_seed(0)

    class Product(torch.nn.Module):
        def forward(self, x, weight):
            return F.conv_transpose2d(x, weight, stride=2, padding=1)

    x, weight = torch.randn(1, 5, 4, 6), torch.randn(5, 3, 3, 3)
    got = hx.compile(torch.export.export(Product(), (x, weight)))(x, weight).double()
    torch.testing.assert_close(got, Product()(x.double(), weight.double()), rtol=1e-5, atol=1e-6)


def test_integers_are_exact():
    """Of bytes, where sums of 32 bits are enough: PyTorch transposes convolutions of 64 bits only."""
    torch.manual_seed(0)

    class Bytes(torch.nn.Module):
        def __init__(self):
            super().__init__()
            weight = torch.randint(-128, 128, (7, 5, 4, 4), dtype=torch.int8)
            self.weight = torch.nn.Parameter(weight, requires_grad=False)

        def forward(self, x):
            return F.conv_transpose2d(x.to(torch.int64) - 3, self.weight.to(torch.int64), stride=2, padding=1)

    module, x = Bytes(), torch.randint(-128, 128, (1, 7, 4, 5), dtype=torch.int8)
    assert hx.compile(torch.export.export(module, (x,)))(x).equal(module(x))


@pytest.mark.only_values(False)
def test_no_products_with_zeros_between_pixels():
    """32 x 32 pixels of a 4 x 4 window: fewer cycles than the 4.2 M products of an image filled up with zeros take at
    64 per cycle, four times as many as there are."""
    torch.manual_seed(0)
    module, x = Layer((32, 8), (4, 4), {"stride": 2, "padding": 1}).eval(), torch.randn(1, 32, 16, 16)
    model, _, _ = compiled(module, x)
    assert model.last_run.cycles < 32 * 8 * 16 * 32 * 32 / 64


def test_on_the_matrix_engine():
    torch.manual_seed(0)
    module, x = Layer((64, 32), (4, 4), {"stride": 2, "padding": 1}).eval(), torch.randn(1, 64, 9, 12)
    model, got, exact = compiled(module, x, numerics="mixed")
    assert any(record.result.matrix for record in model.last_run.launches)
    torch.testing.assert_close(got, exact, rtol=2e-3, atol=2e-3)

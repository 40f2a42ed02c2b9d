"""Fourier transforms and complex numbers, as products and elementwise operations on real tensors."""

import pytest
import torch

import hexagon_mlir as hx

pytestmark = pytest.mark.only_values

GENERATOR = torch.Generator().manual_seed(3)


def randn(*shape):
    return torch.randn(*shape, generator=GENERATOR)


def check(function, *inputs, tolerance=1e-6):
    """``function`` through torch.compile without a fallback; the error is relative to the largest element."""
    torch._dynamo.reset()
    with torch.no_grad():
        wanted = function(*(x.double() if x.is_floating_point() else x for x in inputs))
        got = torch.compile(function, backend="hexagon", options={"fallback": "error"})(*inputs)
    assert got.shape == wanted.shape and got.dtype == torch.float32
    assert (got - wanted).abs().max() <= tolerance * wanted.abs().max()
    return got


def parts(x):
    return torch.view_as_real(x.resolve_conj())


@pytest.mark.full_except("257", "400")
@pytest.mark.parametrize("size", (1, 7, 257, 400))
def test_forward_and_back(size):
    """Primes, sizes in two steps, and one element; a product with a spectrum in between."""
    def filtered(x, re):
        spectrum = torch.fft.rfft(x) * re
        return torch.cat([torch.fft.irfft(spectrum, n=x.shape[-1]), parts(spectrum).flatten(-2)], -1)

    check(filtered, randn(3, size), randn(size // 2 + 1))


def test_scales():
    def there_and_back(x):
        y = torch.fft.fft2(x, norm="ortho")
        return torch.cat([parts(y), parts(torch.fft.ifft2(y * y.conj())), parts(torch.fft.fft(x, norm="forward"))], -1)

    check(there_and_back, randn(2, 6, 5))


def test_dimensions_that_are_not_last_and_padding():
    check(lambda x: torch.cat([parts(torch.fft.rfft(x, dim=0)).flatten(), parts(torch.fft.rfft(x, n=9)).flatten(),
                               torch.fft.irfft2(torch.fft.rfft2(x), s=(5, 7)).flatten()]), randn(5, 7))


def test_spectrogram():
    window = torch.hann_window(32)
    check(lambda x: torch.stft(x, 32, 8, window=window.to(x.dtype), return_complex=True).abs() ** 2, randn(2, 200))


def test_arithmetic_of_complex_numbers():
    def function(x, y, angle):
        a, b = torch.view_as_complex(x), torch.view_as_complex(y)
        turned = a * torch.polar(torch.ones_like(angle), angle)
        return torch.stack([parts(turned), parts(a / b), parts((a - 2 * b).conj()), parts(torch.exp(a) + 1.5)])

    check(function, randn(4, 7, 2), randn(4, 7, 2) + 2, randn(4, 7), tolerance=4e-6)


def test_a_constant_of_complex_numbers():
    """The rotations of a model that keeps them as a buffer."""
    class Rotated(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.register_buffer("turns", torch.polar(torch.ones(7, 4), randn(7, 4)))

        def forward(self, x):
            pairs = torch.view_as_complex(x.reshape(2, 7, 4, 2))
            return torch.view_as_real(pairs * self.turns).flatten(2)

    x, model = randn(2, 7, 8), Rotated()
    got = hx.compile(torch.export.export(model, (x,)))(x)
    torch.testing.assert_close(got, model(x), rtol=1e-6, atol=1e-6)


def test_complex_inputs_and_results_stay_in_eager_pytorch():
    x = torch.complex(randn(3, 5), randn(3, 5))
    torch._dynamo.reset()
    with torch.no_grad(), pytest.warns(UserWarning, match="operations run in eager PyTorch"):
        got = torch.compile(lambda x: x * 2 + 1, backend="hexagon")(x)
    torch.testing.assert_close(got, x * 2 + 1)


def test_exported():
    """Complex numbers between operations that an export holds whole."""
    class Filtered(torch.nn.Module):
        def forward(self, x):
            mixed = torch.fft.fftn(x, dim=(1, 2)).real
            return mixed, torch.fft.irfft(torch.fft.rfft(x).conj() * mixed[..., :4], n=7)

    x = randn(2, 4, 7)
    for got, wanted in zip(hx.compile(torch.export.export(Filtered(), (x,)))(x), Filtered()(x.double()), strict=True):
        assert (got - wanted).abs().max() <= 1e-6 * wanted.abs().max()

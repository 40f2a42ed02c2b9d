"""Convolutions of volumes: values of every argument, by export and by torch.compile, and what they take."""

import pytest
import torch

import hexagon_mlir as hx

pytestmark = pytest.mark.only_values

CASES = {
    "plain": ((4, 6, 3), {"padding": 1}, (1, 4, 5, 6, 7)),
    "strides and gaps": ((8, 12, (3, 2, 3)), {"stride": (2, 1, 2), "padding": (1, 2, 0), "dilation": (1, 2, 1),
                                              "groups": 2, "bias": False}, (2, 8, 7, 9, 6)),
    "depthwise": ((6, 6, (2, 3, 1)), {"groups": 6, "stride": 2}, (1, 6, 6, 5, 4)),
    "same": ((3, 5, (2, 3, 4)), {"padding": "same"}, (1, 3, 4, 5, 6)),
    "one depth": ((3, 4, (1, 3, 3)), {}, (2, 3, 3, 6, 5)),
    "without a batch": ((3, 4, 2), {"dilation": 2}, (3, 4, 6, 5)),
}


@pytest.mark.full_except("same", "strides and gaps", "depthwise")
@pytest.mark.parametrize("case", CASES)
def test_values(case):
    sizes, arguments, shape = CASES[case]
    module, x = torch.nn.Conv3d(*sizes, **arguments).eval(), torch.randn(shape)
    with torch.no_grad():
        expected = module.double()(x.double())
        compiled = hx.compile(torch.export.export(module.float(), (x,)))
    torch.testing.assert_close(compiled(x).double(), expected, atol=1e-5, rtol=1e-5)


def test_a_nan_changes_no_result_whose_window_does_not_hold_it():
    module = torch.nn.Conv3d(2, 3, 2, bias=False).eval()
    x = torch.randn(1, 2, 3, 4, 4)
    x[0, 1, 2, 3, 3] = float("nan")
    with torch.no_grad():
        expected = module(x)
        result = hx.compile(torch.export.export(module, (x,)))(x)
    finite = expected.isfinite()
    assert not finite[0, :, 1, 2, 2].any()
    torch.testing.assert_close(result[finite], expected[finite], atol=1e-5, rtol=1e-5)


def test_gradients():
    """Convolutions as AOTAutograd writes them."""
    torch.manual_seed(3)
    module = torch.nn.Sequential(torch.nn.Conv3d(2, 4, 3, padding=1), torch.nn.ReLU(), torch.nn.Conv3d(4, 1, 2))
    x = torch.randn(1, 2, 4, 4, 5)
    module(x).square().mean().backward()
    expected = [parameter.grad.clone() for parameter in module.parameters()]
    module.zero_grad()
    torch.compile(module, backend="hexagon")(x).square().mean().backward()
    for parameter, gradient in zip(module.parameters(), expected, strict=True):
        torch.testing.assert_close(parameter.grad, gradient, atol=1e-5, rtol=1e-4)


@pytest.mark.only_values(False)
def test_the_matrix_engine_multiplies():
    """32 channels, 3x3x3, 8x8x8: 14,971,238 cycles as scalar code."""
    module, x = torch.nn.Conv3d(32, 32, 3, padding=1).half().eval(), torch.randn(1, 32, 8, 8, 8).half()
    with torch.no_grad():
        expected = module.double()(x.double())
        compiled = hx.compile(torch.export.export(module.half(), (x,)), numerics="mixed")
    torch.testing.assert_close(compiled(x).double(), expected, atol=2e-3, rtol=2e-3)
    assert compiled.last_run.cycles < 150_000

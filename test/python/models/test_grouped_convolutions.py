"""Convolutions in groups on the matrix engine: weights between groups are zeros, against PyTorch in f64."""

import pytest
import torch

import hexagon_mlir as hx
from hexagon_mlir import targets
from hexagon_mlir.frontend.torch.rewrites.groups import block_diagonal, merged_groups
from hexagon_mlir.passes.engine_convolution.read import Geometry
from hexagon_mlir.passes.engine_convolution.sizes import ConvolutionCost, groups_pay

pytestmark = pytest.mark.only_values


@pytest.mark.parametrize(("inputs", "outputs", "groups", "merged"), [
    (128, 128, 4, 4), (128, 128, 32, 4), (64, 128, 4, 2), (96, 96, 96, 3), (192, 64, 2, 2), (256, 128, 8, 4),
    (48, 48, 2, None), (96, 96, 2, 1), (40, 40, 40, None), (64, 48, 16, None),
])
def test_groups_of_whole_tiles(inputs, outputs, groups, merged):
    assert merged_groups(inputs, outputs, groups) == merged


@pytest.mark.parametrize(("outputs", "inputs", "groups", "merged"), [(12, 8, 4, 2), (6, 6, 6, 1), (8, 8, 2, 2)])
def test_weights_between_groups_are_zeros(outputs, inputs, groups, merged):
    torch.manual_seed(0)
    weight, x = torch.randn(outputs, inputs // groups, 3, 2), torch.randn(2, inputs, 5, 4)
    wide = block_diagonal(weight, groups, merged)
    assert wide.shape == (outputs, inputs // merged, 3, 2)
    assert wide.count_nonzero() == weight.numel()
    torch.testing.assert_close(torch.conv2d(x, wide, groups=merged), torch.conv2d(x, weight, groups=groups))


def test_small_groups_stay_on_hvx():
    cost = ConvolutionCost.of(targets.get(), True)
    small = Geometry(1, 5, 5, 32, 3, 3, 32, 1, 1, 32, 32)
    large = Geometry(1, 28, 28, 128, 3, 3, 32, 1, 1, 128, 128, 4)
    assert not groups_pay(small, 8, 64, False, cost)
    assert groups_pay(large, 32, 64, False, cost)
    assert not groups_pay(large, 128, 64, False, cost)  # each channel a group: fewer cycles on HVX
    assert groups_pay(large, 128, 64, True, cost)  # but not of f16


CASES = {
    "groups of 16": ((64, 64, 3), {"padding": 1, "groups": 4}, (17, 13), torch.float32, True),
    "groups of 32, strides": ((64, 128, 3), {"stride": 2, "padding": 1, "groups": 2}, (23, 18), torch.float32, True),
    "window of one": ((64, 128, 1), {"groups": 2}, (28, 19), torch.float32, True),
    "each channel, f16": ((64, 64, (3, 5)), {"padding": (1, 2), "groups": 64}, (9, 14), torch.float16, True),
    "each channel, f32": ((64, 64, 3), {"padding": 1, "groups": 64}, (9, 14), torch.float32, False),
    "ragged": ((48, 48, 3), {"padding": 1, "groups": 3}, (9, 8), torch.float32, False),
    "taps that are no neighbours": ((64, 64, 3), {"dilation": 2, "groups": 4}, (12, 11), torch.float32, False),
}


class Layer(torch.nn.Module):
    """A convolution and a ReLU with channels last."""

    def __init__(self, sizes, options):
        super().__init__()
        self.layer = torch.nn.Conv2d(*sizes, **options)

    def forward(self, x):
        return self.layer(x.permute(0, 3, 1, 2)).relu().permute(0, 2, 3, 1).contiguous()


@pytest.mark.full_except("groups of 16", "each channel, f32", "ragged", "taps that are no neighbours")
@pytest.mark.parametrize("name", CASES)
def test_values(name):
    sizes, options, image, kind, engine = CASES[name]
    torch.manual_seed(0)
    module, x = Layer(sizes, options).eval().to(kind), torch.randn(1, *image, sizes[0]).to(kind)
    with torch.no_grad():
        model = hx.compile(torch.export.export(module, (x,)), numerics="mixed")
        got, exact = model(x).double(), module.double()(x.double())
    assert any(record.result.matrix for record in model.last_run.launches) == engine
    torch.testing.assert_close(got, exact, rtol=2e-3, atol=2e-3)


def test_one_dimension_and_several_samples():
    torch.manual_seed(0)
    module, x = torch.nn.Conv1d(96, 96, 5, padding=2, groups=24).eval(), torch.randn(2, 96, 130)
    with torch.no_grad():
        model = hx.compile(torch.export.export(module, (x,)), numerics="mixed")
        got, exact = model(x).double(), module.double()(x.double())
    assert any(record.result.matrix for record in model.last_run.launches)
    torch.testing.assert_close(got, exact, rtol=2e-3, atol=2e-3)


def test_without_the_engine_groups_stay():
    torch.manual_seed(0)
    module, x = Layer((64, 64, 3), {"padding": 1, "groups": 4}).eval(), torch.randn(1, 9, 8, 64)
    with torch.no_grad():
        model = hx.compile(torch.export.export(module, (x,)), numerics="mixed", matrix_engine=False)
        got, exact = model(x).double(), module.double()(x.double())
    torch.testing.assert_close(got, exact, rtol=1e-4, atol=1e-5)  # f32 all along

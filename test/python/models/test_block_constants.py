"""Weights of 4 and 8 bits in blocks among constants: which are found, what they are, models that multiply them."""

import pytest
import torch
import torchao.quantization as torchao
from torch.utils._python_dispatch import TorchDispatchMode

import hexagon_mlir as hx
from hexagon_mlir.frontend.torch.block_constants import in_blocks

pytestmark = pytest.mark.only_values

EPSILON = 2.0**-21
"""Of the sum of the magnitudes of products: a few roundings of f32."""


def weights(bits, block, zeros, depth=300, columns=70, seed=0):
    """f32 K x N of random codes, f32 scales, and zero points of their own or 8 or 128."""
    generator = torch.Generator().manual_seed(seed)
    codes = torch.randint(0, 1 << bits, (depth, columns), generator=generator)
    shape = (-(-depth // block), columns)
    middle = torch.full(shape, 1 << bits - 1)
    own = torch.randint(0, 1 << bits, shape, generator=generator) if zeros else middle
    scales = torch.rand(shape, generator=generator) / 50 + 0.001
    spread = (part.repeat_interleave(block, 0)[:depth] for part in (own, scales))
    return (codes - next(spread)).float() * next(spread)


@pytest.mark.full_except("4-128-False", "8-64-True")
@pytest.mark.parametrize("zeros", [False, True])
@pytest.mark.parametrize("block", [32, 64, 128, 4096])
@pytest.mark.parametrize("bits", [4, 8])
def test_found(bits, block, zeros):
    matrix = weights(bits, block, zeros)
    found = in_blocks(matrix)
    assert (found.bits, found.block, found.zeros is not None) == (bits, min(block, 128), zeros)
    assert ((found.matrix() - matrix.double()).abs() <= 2.0**-23 * matrix.double().abs()).all()
    matrix[40, 30] += matrix[40, 30] * 1e-5 + 1e-4
    assert in_blocks(matrix) is None


def test_others():
    generator = torch.Generator().manual_seed(1)
    random = torch.randn(64, 64, generator=generator)
    for one in (random, random.half(), weights(8, 16, True), torch.full((64, 64), torch.inf), torch.zeros(0, 32),
                torch.full((64, 64), torch.nan), random.double(), random[0], torch.zeros(1, 64)):
        assert in_blocks(one) is None
    zero = in_blocks(torch.zeros(64, 64))
    assert not zero.matrix().any()


class Counted(TorchDispatchMode):
    """Adds up the elements of all tensors that are computed."""

    elements = 0

    def __torch_dispatch__(self, function, types, args=(), kwargs=None):
        result = function(*args, **(kwargs or {}))
        self.elements += result.numel() if isinstance(result, torch.Tensor) else 0
        return result


@pytest.mark.parametrize("depth", [64, 4096])
def test_few_weights_tell_that_a_matrix_is_none(depth):
    """A sample of 512 rows and 16 columns took a fifth of the compile time of MobileNetV3."""
    matrix = torch.randn(depth, 64, generator=torch.Generator().manual_seed(3))
    with Counted() as counted:
        assert in_blocks(matrix) is None
    assert counted.elements - matrix.numel() < 150_000  # of them the matrix itself, which is not copied


@pytest.mark.parametrize("group", [0, 40])
def test_values_of_microscaling_formats(group):
    """MXFP4: twice its numbers are integers up to 12; they take 8 bits."""
    generator = torch.Generator().manual_seed(2)
    numbers = torch.tensor([0, 0.5, 1, 1.5, 2, 3, 4, 6])
    codes = torch.randint(0, 16, (96, 64), generator=generator)
    matrix = numbers[codes & 7] * torch.where(codes > 7, -1.0, 1.0)
    matrix *= (2.0**torch.randint(-9, 3, (3, 64), generator=generator)).repeat_interleave(32, 0)
    matrix[:, :group] = 0
    found = in_blocks(matrix)
    assert found.bits == 8 and found.scales.dtype == torch.float16
    assert torch.equal(found.matrix(), matrix.double())


@pytest.mark.full_except("v75-4-32-True", "v68-8-64-True")
@pytest.mark.parametrize(("bits", "block", "zeros"), [(4, 32, True), (4, 64, False), (4, 128, True), (8, 32, False),
                                                      (8, 64, True), (8, 4096, False)])
@pytest.mark.parametrize("target", ["v75", "v68"])
def test_models(bits, block, zeros, target):
    matrix, rows = weights(bits, block, zeros, 250, 126), 3
    layer = torch.nn.Linear(*matrix.shape, bias=False)
    layer.weight.data = matrix.T.contiguous()
    x = torch.randn(rows, matrix.shape[0], generator=torch.Generator().manual_seed(2))
    compiled = hx.compile(torch.export.export(layer, (x,)), target=target)
    error = (compiled(x).double() - x.double() @ matrix.double()).abs()
    assert (error / (x.double().abs() @ matrix.double().abs())).max() <= EPSILON
    stored = sum(constant.nbytes for constant in compiled.signature.constants.values())
    assert compiled.result.saved_bytes == matrix.nbytes - stored and stored < 0.4 * matrix.nbytes


CONFIGS = {
    "8 bits": lambda: torchao.Int8WeightOnlyConfig(),
    "4 bits": lambda: torchao.IntxWeightOnlyConfig(weight_dtype=torch.int4, granularity=torchao.PerGroup(64)),
    "4 bits, zero points": lambda: torchao.IntxWeightOnlyConfig(
        weight_dtype=torch.int4, granularity=torchao.PerGroup(32), mapping_type=torchao.MappingType.ASYMMETRIC),
}


@pytest.mark.full_except("4 bits, zero points", "8 bits")
@pytest.mark.parametrize("name", CONFIGS)
def test_torchao(name, tmp_path):
    torch.manual_seed(0)
    model, x = torch.nn.Sequential(torch.nn.Linear(256, 96)).eval(), torch.randn(2, 256)
    torchao.quantize_(model, CONFIGS[name]())
    compiled = hx.compile(torch.export.export(model, (x,)))
    torch.testing.assert_close(compiled(x), model(x).detach(), atol=2e-6, rtol=0)
    assert compiled.result.saved_bytes > 256 * 96 * 2
    compiled.save(tmp_path / "model")
    assert torch.equal(hx.load(tmp_path / "model")(x), compiled(x))


@pytest.mark.full_except("shape2")
@pytest.mark.parametrize("shape", [
    (1, 1, 256), (2, 2, 256), (1, 2, 3, 256)])
def test_products_of_more_dimensions_read_codes(shape):
    """A matrix of weights is the same for all rows: it is no batch of products."""
    generator = torch.Generator().manual_seed(0)
    scales = (torch.rand(8, 70, generator=generator) + 0.5).half().float() / 64
    weight = torch.randint(-8, 8, (256, 70), generator=generator) * scales.repeat_interleave(32, 0)

    class Product(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.weight = torch.nn.Parameter(weight.T.contiguous(), requires_grad=False)

        def forward(self, x):
            return x @ self.weight.T

    x = torch.randn(shape, generator=generator)
    compiled = hx.compile(torch.export.export(Product(), (x,)))
    assert compiled(x).shape == (*shape[:-1], 70)
    torch.testing.assert_close(compiled(x), x @ weight, rtol=1e-5, atol=1e-5)
    assert compiled.result.saved_bytes > 0

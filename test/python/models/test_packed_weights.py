"""Weights that are packed for the matrix engine when a model is compiled."""

import pytest
import torch
from torch import nn

import hexagon_mlir as hx
from hexagon_mlir.frontend.torch.packed_weights import packed

pytestmark = pytest.mark.only_values

TILES = (8, 7, 16, 32, 2)


@pytest.fixture(scope="module")
def case():
    """Ragged sizes: 70 rows, 200 columns in, 230 out; a weight of its own layout after GELU."""
    torch.manual_seed(0)
    module = nn.Sequential(nn.Linear(200, 230), nn.GELU(), nn.Linear(230, 200)).eval()
    x = torch.randn(70, 200)
    return module, x, hx.compile(torch.export.export(module, (x,)), numerics="mixed")


def test_places_of_elements():
    """Element (k, n) is at [n / 32][k / 32][k / 2 % 16][n % 32][k % 2]; what fills the tiles up is zero."""
    weight = torch.arange(200 * 230, dtype=torch.float32).reshape(200, 230).to(torch.float16)
    tiles = packed(weight)
    assert tuple(tiles.shape) == TILES
    for k, n in ((0, 0), (1, 0), (0, 1), (31, 32), (64, 229), (199, 100)):
        assert tiles[n // 32, k // 32, k // 2 % 16, n % 32, k % 2] == weight[k, n]
    assert tiles.count_nonzero() == weight.count_nonzero()
    assert packed(torch.ones(1, 1)).sum() == 1


def test_values_and_weights(case):
    module, x, model = case
    shapes = [tuple(tensor.shape) for tensor in model.signature.constants.values()]
    assert TILES in shapes and not {(200, 230), (230, 200)} & set(shapes)
    with torch.no_grad():
        torch.testing.assert_close(model(x), module(x), rtol=0, atol=2e-3)
    assert all(record.result.matrix is not None for record in model.last_run.launches if "matmul" in record.kernel)


def test_contents(case):
    module, _, model = case
    weights = [tensor for tensor in model.signature.constants.values() if tuple(tensor.shape) == TILES]
    assert torch.equal(weights[0], packed(module[0].weight.detach().to(torch.float16).T))
    assert weights[0].is_contiguous()


def test_saved(case, tmp_path):
    _, x, model = case
    model.save(tmp_path / "model")
    loaded = hx.load(tmp_path / "model")
    assert torch.equal(loaded(x), model(x))


@pytest.mark.full_except("settings1")
@pytest.mark.parametrize("settings", [
    {"matrix_engine": False}, {"pipeline": "scalar"}, {"target": "v68"}])
def test_weights_stay_matrices_without_the_engine(settings, case):
    module, x, _ = case
    model = hx.compile(torch.export.export(module, (x,)), numerics="mixed", **settings)
    assert all(len(tensor.shape) <= 2 for tensor in model.signature.constants.values())


def test_changed_weights():
    """Packed values are copies: a weight that changes is noticed, and the graph compiled again."""
    module = nn.Linear(256, 256).eval()
    x = torch.randn(128, 256)
    compiled = torch.compile(module, backend="hexagon", options={"numerics": "mixed"})
    with torch.no_grad():
        first = compiled(x)
        module.weight.data.mul_(2)
        torch.testing.assert_close(compiled(x), module(x), rtol=0, atol=4e-3)
        assert (compiled(x) - first).abs().max() > 0.1


class OneRow(nn.Module):
    """A classifier: a linear layer of one row, whose loop of rows upstream folds away."""

    def __init__(self):
        super().__init__()
        self.features, self.classes = nn.Conv2d(64, 500, 1), nn.Linear(500, 1000)

    def forward(self, x):
        return self.classes(torch.relu(self.features(x)).mean((2, 3)))


@pytest.mark.only_values(False)
def test_one_row_is_multiplied_by_tiles():
    """Its weights were tiles that HVX wrote to DDR as a matrix in each run: 105,108 cycles for 512 channels."""
    torch.manual_seed(0)
    module, x = OneRow().eval(), torch.randn(1, 64, 7, 7)
    model = hx.compile(torch.export.export(module, (x,)), numerics="mixed")
    with torch.no_grad():
        torch.testing.assert_close(model(x), module(x), rtol=0, atol=2e-3)
    last = model.last_run.launches[-1].result
    assert last.matrix is not None
    assert last.cycles < 40000


class Bytes(nn.Module):
    """A product of bytes, a bias and a scale for each column; rounded to bytes."""

    def __init__(self, depth, columns):
        super().__init__()
        self.register_buffer("weight", torch.randint(-128, 128, (columns, depth), dtype=torch.int8))
        self.register_buffer("bias", torch.randint(-5000, 5000, (columns,), dtype=torch.int32))
        self.register_buffer("scale", torch.rand(columns) * 2e-4 + 1e-4)

    def forward(self, x):
        sums = torch._int_mm(x, self.weight.t()) + self.bias
        return torch.round(sums * self.scale).clamp(-128, 127).to(torch.int8)


def test_places_of_bytes():
    """Element (k, n) is at [n / 32][k / 32][k / 4 % 8][n % 32][k % 4]."""
    weight = torch.randint(-128, 128, (300, 330), dtype=torch.int8)
    tiles = packed(weight)
    assert tuple(tiles.shape) == (12, 10, 8, 32, 4)
    for k, n in ((0, 0), (1, 0), (0, 1), (31, 32), (64, 329), (299, 100)):
        assert tiles[n // 32, k // 32, k // 4 % 8, n % 32, k % 4] == weight[k, n]
    assert tiles.count_nonzero() == weight.count_nonzero()
    assert tuple(packed(torch.ones(1, 1, dtype=torch.int8)).shape) == (4, 4, 8, 32, 4)


@pytest.mark.only_values(False)
def test_values_of_bytes():
    """Ragged sizes, several blocks of columns: each byte is that of PyTorch."""
    torch.manual_seed(0)
    module, x = Bytes(300, 330), torch.randint(-128, 128, (290, 300), dtype=torch.int8)
    x[0], module.weight[0] = -128, -128
    model = hx.compile(torch.export.export(module, (x,)))
    assert (12, 10, 8, 32, 4) in {tuple(tensor.shape) for tensor in model.signature.constants.values()}
    assert torch.equal(model(x), module(x))
    run = model.last_run.launches[-1].result
    assert run.matrix.macs == 320 * 352 * 320
    assert run.cycles < 100_000  # one by one, joining the bytes of the sums takes millions

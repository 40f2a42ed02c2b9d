"""cumsum and cumprod over any dimension."""

import pytest
import torch

import hexagon_mlir as hx

pytestmark = pytest.mark.only_values


class Scans(torch.nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.dim = dim

    def forward(self, x):
        return x.cumsum(self.dim), (1 + x / 8).cumprod(self.dim)


@pytest.mark.full_except("dtype0-shape0--1", "dtype1-shape1-0", "dtype0-shape2-0")
@pytest.mark.parametrize(("shape", "dim"), [((3, 37), -1), ((37, 3), 0), ((1, 5), 0), ((64,), 0)])
@pytest.mark.parametrize("dtype", [torch.float32, torch.float16])
def test_scans(shape, dim, dtype):
    x = torch.randn(shape, generator=torch.Generator().manual_seed(1)).to(dtype)
    x.view(-1)[1] = -0.0
    model = Scans(dim).eval()
    tolerance = 1e-5 if dtype == torch.float32 else 4e-3
    for got, wanted in zip(hx.compile(torch.export.export(model, (x,)))(x), model(x), strict=True):
        assert got.dtype == wanted.dtype
        torch.testing.assert_close(got, wanted, rtol=tolerance, atol=tolerance)


def test_nan_stays_from_its_place_on_and_integers_widen():
    class Sums(torch.nn.Module):
        def forward(self, x, n):
            return x.cumsum(1), n.cumsum(0)

    x = torch.ones(2, 40)
    x[1, 17] = float("nan")
    n = torch.full((50,), 1 << 30, dtype=torch.int32)
    got, total = hx.compile(torch.export.export(Sums(), (x, n)))(x, n)
    torch.testing.assert_close(got, x.cumsum(1), equal_nan=True)
    assert torch.equal(total, n.cumsum(0))

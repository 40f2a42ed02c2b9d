"""Small products and convolutions of models go where they take less time, and are no less exact there."""

import pytest
import torch

import hexagon_mlir as hx


class Sum(torch.nn.Module):
    """A product plus a bias of each column, of factors that are no weights."""

    def forward(self, bias, left, right):
        return torch.addmm(bias, left, right)


def run(module: torch.nn.Module, inputs: tuple[torch.Tensor, ...], engine: bool) -> tuple[torch.Tensor, int, bool]:
    """The result, the cycles, and whether the matrix engine was used."""
    with torch.no_grad():
        model = hx.compile(torch.export.export(module, inputs), numerics="mixed", matrix_engine=engine)
        result = model(*inputs)
    records = [record.result for record in model.last_run.launches]
    return result, sum(found.cycles for found in records), any(found.matrix for found in records)


@pytest.mark.full_except("dtype3-sizes3")
@pytest.mark.parametrize(("dtype", "sizes"), [
    (torch.float16, (32, 32, 32)), (torch.float16, (64, 64, 64)),
    (torch.float16, (33, 65, 40)),
    (torch.bfloat16, (96, 96, 96))])
def test_products_of_activations(dtype, sizes):
    torch.manual_seed(0)
    m, k, n = sizes
    inputs = torch.randn(n, dtype=dtype), torch.randn(m, k, dtype=dtype), torch.randn(k, n, dtype=dtype)
    result, cycles, used = run(Sum(), inputs, engine=True)
    _, alone, _ = run(Sum(), inputs, engine=False)
    assert used
    assert cycles < 0.9 * alone
    bias, left, right = (one.double() for one in inputs)
    bound = torch.finfo(dtype).eps * (bias.abs() + left.abs() @ right.abs()) + 2.0**-16
    assert bool(((result.double() - (bias + left @ right)).abs() <= bound).all())


@pytest.mark.full_except("channels2-2-True")
@pytest.mark.parametrize(("channels", "extent", "used"), [
    ((3, 8), 16, True), ((8, 8), 8, True), ((32, 32), 2, True),
    ((64, 64), 1, False)])
def test_small_convolutions(channels, extent, used):
    """3x3: HVX takes long for channels that fill no vector; for a single pixel it needs no tiles."""
    torch.manual_seed(0)
    module = torch.nn.Conv2d(*channels, 3, padding=1).eval().half()
    x = torch.randn(1, channels[0], extent, extent).half()
    result, cycles, found = run(module, (x,), engine=True)
    _, alone, _ = run(module, (x,), engine=False)
    assert found is used
    assert cycles <= alone
    with torch.no_grad():
        exact = module.double()(x.double())
    size = module.weight.abs().sum((1, 2, 3)).max() * x.abs().max()
    assert bool(((result.double() - exact).abs() <= 2.0**-11 * exact.abs() + 2.0**-18 * size + 2.0**-16).all())


@pytest.mark.full_except("sizes0-True")
@pytest.mark.parametrize(("sizes", "used"), [
    ((96, 512, 128), True), ((64, 256, 256), True), ((33, 100, 77), False)])
def test_products_of_bytes_of_activations(sizes, used):
    class Product(torch.nn.Module):
        def forward(self, left, right):
            return torch._int_mm(left, right)

    torch.manual_seed(0)
    m, k, n = sizes
    inputs = torch.randint(-128, 128, (m, k), dtype=torch.int8), torch.randint(-128, 128, (k, n), dtype=torch.int8)
    result, cycles, found = run(Product(), inputs, engine=True)
    _, alone, _ = run(Product(), inputs, engine=False)
    assert torch.equal(result, torch._int_mm(*inputs))
    assert found is used
    assert cycles < 0.6 * alone if used else cycles == alone

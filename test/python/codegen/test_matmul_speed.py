"""Matrix products near what the chip allows: simulated cycles, which are the same on every machine."""

import pytest
import torch

import hexagon_mlir as hx
from bench.matmul import Product, measure


def test_the_bound_of_one_thread_and_of_four():
    assert Product(256, 256, 256, "f32", "f32").bound == 256 ** 3 / 32 * 2
    assert Product(256, 256, 256, "i8", "i32").bound == 256 ** 3 / 256 * 2
    assert Product(512, 512, 512, "f32", "f32", 4).bound == 512 ** 3 / 32 / 2
    assert Product(1, 10, 33, "f32", "f32").bound == 10 * 2 * 2, "a vector of one element costs as much as a full one"


@pytest.mark.parametrize(("factors", "sums", "share"), [("f32", "f32", 0.65), ("f16", "f32", 0.65),
                                                        ("i8", "i32", 0.55)])
def test_256_cubed_in_tcm(factors, sums, share):
    measured = measure(Product(256, 256, 256, factors, sums))
    assert share <= measured.share <= 1
    assert measured.error <= (1e-6 if factors[0] == "f" else 0)


@pytest.mark.parametrize(("numerics", "error", "share"), [("f32", 1e-5, 0.5), ("mixed", 4e-3, 0.6),
                                                          ("f16", 4e-3, 0.54)])
def test_a_product_keeps_its_pace_beside_code_short_of_registers(numerics, error, share):
    """GELU spills where it is scheduled as products are; the variants that followed did not pipeline the product."""
    torch.manual_seed(0)
    layer, x = torch.nn.Sequential(torch.nn.Linear(256, 1024), torch.nn.GELU()).eval(), torch.randn(64, 256)
    model = hx.compile(torch.export.export(layer, (x,)), numerics=numerics, matrix_engine=False)
    with torch.no_grad():
        assert (model(x) - layer(x)).abs().max() < error
    assert 64 * 256 * 1024 / 32 / 2 / model.last_run.cycles > share, "of the bound of the product alone"

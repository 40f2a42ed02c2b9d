"""Codes and scales of a model go to products as they are: right values, no copies, refusals."""

import numpy as np
import pytest
import torch

import hexagon_mlir as hx
from hexagon_mlir.frontend.llm.block_layers import BlockEmbedding, BlockLinear, joined, stored
from hexagon_mlir.frontend.torch.compile import compile_exported
from hexagon_mlir.frontend.torch.stored_weights import StoredWeights, block_weights


def table(rows, width, bits, dtype=torch.float32, seed=0):
    """Weights, and the same as floats."""
    generator = torch.Generator().manual_seed(seed)
    codes = torch.randint(0, 1 << bits, (rows, width), dtype=torch.uint8, generator=generator)
    scales = torch.randn(rows, width // 32, generator=generator).half()
    scales[0], scales[1] = 0, 2.0**-20  # a subnormal number
    weights = ((codes.int() - (1 << bits - 1)) * scales.double().repeat_interleave(32, 1)).to(dtype)
    return stored(codes.__getitem__, scales, bits, dtype), weights


def compiled(module, *given):
    return compile_exported(torch.export.export(module, given))


@pytest.mark.parametrize("bits", [4, 8])
def test_layout(bits):
    found, weights = table(100, 96, bits)
    assert torch.equal(found.matrix(), weights.T) and found.format.bits == bits
    tokens = torch.tensor([[0, 1, 5, 64, 99, 63]])
    assert torch.equal(BlockEmbedding(found)(tokens), weights[tokens])
    result = compiled(BlockEmbedding(found), tokens)(tokens)
    np.testing.assert_allclose(result, weights[tokens], rtol=2.0**-22, atol=0)


@pytest.mark.parametrize("dtype", [torch.float32, torch.float16])
@pytest.mark.parametrize("bits", [4, 8])
def test_products_read_the_memory_of_the_model(bits, dtype):
    found, weights = table(100, 96, bits, dtype)
    layer = BlockLinear(found, torch.randn(100).to(dtype))
    for rows in (1, 3, 40):
        x = torch.randn(rows, 96).to(dtype)
        model = compiled(layer, x)
        exact = x.double() @ weights.double().T + layer.bias.double()
        size = x.abs().double() @ weights.abs().double().T + layer.bias.abs().double()
        error = ((model(x).double() - exact).abs() / size).max()
        assert error < (1e-5 if dtype == torch.float32 else 2e-3), rows
        addresses = {one.data_ptr() for one in model.signature.constants.values()}
        few = rows <= 4
        assert ({found.codes.data_ptr(), found.scales.data_ptr()} <= addresses) == few
        packed = found.codes.nbytes + found.scales.nbytes
        assert model.result.saved_bytes == (weights.nbytes - packed if few else 0)


def test_joined_layers():
    """A row is multiplied by all codes at once, more rows by those of each layer."""
    tables = [table(rows, 64, 4, seed=rows) for rows in (128, 64, 70)]
    biases = [None, torch.randn(64), None]
    layers = [BlockLinear(one, bias) for (one, _), bias in zip(tables, biases, strict=True)]
    whole = joined(layers)
    assert whole is not None and joined(layers[::-1]) is None, "70 rows are no whole tiles"
    for rows in (1, 9):
        x = torch.randn(1, rows, 64)
        for found, layer in zip(whole(x), layers, strict=True):
            torch.testing.assert_close(found, layer(x))
        model = compiled(whole, x)
        assert sum("matmul" in kernel.name for kernel in model.schedule.kernels) == (1 if rows == 1 else 3)
        for found, layer in zip(model(x), layers, strict=True):
            torch.testing.assert_close(found, layer(x), rtol=1e-4, atol=1e-4)


def test_refusals():
    found, _ = table(100, 96, 4)
    for wrong in ((found.codes[:1], found.scales, 100, 96), (found.codes, found.scales.float(), 100, 96),
                  (found.codes, found.scales, 300, 96), (found.codes.view(torch.uint8), found.scales, 100, 96),
                  (found.codes.reshape(-1), found.scales, 100, 96), (found.codes, found.scales, 0, 96)):
        with pytest.raises(hx.HexError, match=r"of .* weights"):
            StoredWeights(*wrong, torch.float32)

    class Given(torch.nn.Module):
        def forward(self, x, codes, scales):
            return x @ block_weights(codes, scales, 100, 96, torch.float32)

    with pytest.raises(hx.HexError, match="no constants"):
        compiled(Given(), torch.randn(1, 96), found.codes, found.scales)

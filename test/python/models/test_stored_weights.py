"""Codes and scales of a model go to products as they are: right values, no copies, refusals."""

import numpy as np
import pytest
import torch

import hexagon_mlir as hx
from hexagon_mlir.frontend.llm.block_layers import BlockEmbedding, BlockLinear, joined, stored
from hexagon_mlir.frontend.torch.compile import compile_exported
from hexagon_mlir.frontend.torch.stored_weights import StoredWeights, block_weights

pytestmark = pytest.mark.only_values

E2M1 = torch.tensor([0, 0.5, 1, 1.5, 2, 3, 4, 6, 0, -0.5, -1, -1.5, -2, -3, -4, -6], dtype=torch.float64)
FORMATS = {  # bits, block, type of scales, type of zero points or minima
    "Q4_0": (4, 32, torch.float16, None), "Q8_0": (8, 32, torch.float16, None),
    "Q4_1": (4, 32, torch.float16, torch.float16), "Q4_K": (4, 32, torch.float32, torch.float32),
    "Q6_K": (6, 16, torch.float32, None), "MXFP4": (4, 32, torch.uint8, None),
    "blocks of 128, zero points": (4, 128, torch.float16, torch.uint8), "blocks of 64": (4, 64, torch.float16, None)}


def table(rows, width, form, dtype=torch.float32, seed=0):
    """Weights, and the same as floats."""
    bits, block, kind, zero_kind = FORMATS[form]
    generator = torch.Generator().manual_seed(seed)
    codes = torch.randint(0, 1 << bits, (rows, width), dtype=torch.uint8, generator=generator)
    count = -(-width // block)

    def wide(values):
        return values.double().repeat_interleave(block, 1)[:, :width]

    if kind == torch.uint8:
        scales = torch.randint(120, 135, (rows, count), dtype=kind, generator=generator)
        scales[0] = torch.arange(count) % 3
        weights = E2M1[codes.int()] * torch.exp2(wide(scales) - 127)
        return stored(codes.__getitem__, scales, bits, dtype), weights.to(dtype)
    scales = torch.randn(rows, count, generator=generator).to(kind)
    scales[0], scales[1] = 0, 2.0**-20  # a subnormal number of f16
    zeros = (None if zero_kind is None else torch.randint(0, 1 << bits, scales.shape, dtype=zero_kind,
                                                          generator=generator) if zero_kind == torch.uint8
             else torch.randn(scales.shape, generator=generator).to(zero_kind))
    if zeros is None:
        weights = (codes.int() - (1 << bits - 1)) * wide(scales)
    elif zeros.is_floating_point():
        weights = codes * wide(scales) + wide(zeros)
    else:
        weights = (codes - wide(zeros)) * wide(scales)
    return stored(codes.__getitem__, scales, bits, dtype, zeros, width, block), weights.to(dtype)


def compiled(module, *given):
    return compile_exported(torch.export.export(module, given))


@pytest.mark.full_except("Q4_1", "Q6_K", "MXFP4", "blocks of 128, zero points")
@pytest.mark.parametrize("form", FORMATS)
def test_layout(form):
    found, weights = table(100, 96, form)
    assert torch.equal(found.matrix(), weights.T) and found.format.bits == FORMATS[form][0]
    tokens = torch.tensor([[0, 1, 5, 64, 99, 63]])
    off = {"rtol": 2.0**-22, "atol": 2.0**-126 if form == "MXFP4" else 8e-6 if form in ("Q4_1", "Q4_K") else 0}
    np.testing.assert_allclose(BlockEmbedding(found)(tokens), weights[tokens], **off)
    result = compiled(BlockEmbedding(found), tokens)(tokens)
    np.testing.assert_allclose(result, weights[tokens], **off)


@pytest.mark.full_except("Q6_K-dtype0", "Q4_K-dtype1")
@pytest.mark.parametrize("dtype", [torch.float32, torch.float16])
@pytest.mark.parametrize("form", [
    pytest.param(form, marks=[pytest.mark.full] * (form in ("Q4_0", "Q4_1", "Q8_0", "blocks of 64")))
    for form in FORMATS])
def test_products_read_the_memory_of_the_model(form, dtype):
    found, weights = table(100, 96, form, dtype)
    layer = BlockLinear(found, torch.randn(100).to(dtype))
    for rows in ((1, 41) if dtype == torch.float32 else (3, 41)):  # HVX multiplies few rows, the engine many
        x = torch.randn(rows, 96).to(dtype)
        model = compiled(layer, x)
        exact = x.double() @ weights.double().T + layer.bias.double()
        size = x.abs().double() @ weights.abs().double().T + layer.bias.abs().double()
        error = ((model(x).double() - exact).abs() / size).max()
        assert error < (1e-5 if dtype == torch.float32 else 2e-3), rows
        addresses = {one.data_ptr() for one in model.signature.constants.values()}
        shared = rows <= 4 or dtype == torch.float32 or FORMATS[form][1] <= 32
        parts = found.packed()
        assert ({part.data_ptr() for part in parts} <= addresses) == shared
        packed = sum(part.nbytes for part in parts)
        assert model.result.saved_bytes == (weights.nbytes - packed if shared else 0)


@pytest.mark.parametrize(("bits", "block", "scales", "zeros"), [
    (6, 64, torch.float16, None), (8, 128, torch.float32, torch.float16), (4, 16, torch.float32, torch.uint8), *(
        pytest.param(*case, marks=pytest.mark.full) for case in (
            (4, 64, torch.float16, None), (6, 128, torch.float32, torch.uint8), (6, 32, torch.float16, torch.float16),
            (4, 128, torch.float16, torch.uint8), (8, 64, torch.float32, torch.uint8),
            (8, 16, torch.float16, torch.float32)))])
def test_the_engine_makes_tiles_of_blocks_of_any_size(bits, block, scales, zeros, monkeypatch):
    monkeypatch.setitem(FORMATS, "other", (bits, block, scales, zeros))
    found, weights = table(70, 256, "other", torch.float16)
    x = torch.randn(37, 256).half()
    model = compiled(BlockLinear(found), x)
    exact, size = x.double() @ weights.double().T, x.abs().double() @ weights.abs().double().T
    assert ((model(x).double() - exact).abs() / size.clamp(min=2.0**-24)).max() < 2e-3
    assert {part.data_ptr() for part in found.packed()} <= {
        one.data_ptr() for one in model.signature.constants.values()}


@pytest.mark.parametrize("form", [pytest.param("Q4_0", marks=pytest.mark.full), "Q4_1"])
def test_joined_layers(form):
    """A row is multiplied by all codes at once, more rows by those of each layer."""
    tables = [table(rows, 64, form, seed=rows) for rows in (128, 64, 70)]
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
    found, _ = table(100, 96, "Q4_0")
    for wrong in ((found.codes[:1], found.scales, 100, 96), (found.codes, found.scales.double(), 100, 96),
                  (found.codes, found.scales, 300, 96), (found.codes.view(torch.uint8), found.scales, 100, 96),
                  (found.codes.reshape(-1), found.scales, 100, 96), (found.codes, found.scales, 0, 96)):
        with pytest.raises(hx.HexError, match=r"of .* weights"):
            StoredWeights(*wrong, torch.float32)
    for block, zeros in ((64, None), (33, None), (0, None), (32, found.scales[:1]), (32, found.scales.double())):
        with pytest.raises(hx.HexError, match=r"of .* weights"):
            StoredWeights(found.codes, found.scales, 100, 96, torch.float32, block, zeros)

    six, _ = table(100, 96, "Q6_K")
    for codes, upper in ((six.codes, six.upper[:1]), (six.codes, six.upper.short()), (found.codes, six.upper)):
        with pytest.raises(hx.HexError, match=r"of .* weights"):
            StoredWeights(codes, six.scales, 100, 96, torch.float32, 16, upper=upper)

    class Given(torch.nn.Module):
        def forward(self, x, codes, scales):
            return x @ block_weights(codes, scales, 100, 96, torch.float32)

    with pytest.raises(hx.HexError, match="no constants"):
        compiled(Given(), torch.randn(1, 96), found.codes, found.scales)

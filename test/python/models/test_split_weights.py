"""Weights of f32 that are split into pieces when a model is compiled."""

import numpy as np
import pytest
import torch
from torch import nn

import hexagon_mlir as hx
from hexagon_mlir.dialects.split_weights import ONE_PIECE, ORDER, split_shape, top_exponent
from hexagon_mlir.frontend.torch.split_weights import pieces_of, scales_of, split

pytestmark = pytest.mark.only_values

ROWS, DEPTH, COLUMNS = 256, 250, 230


def hard(depth, columns):
    """Columns of all magnitudes, and with numbers far apart, with zeros, an infinity, a NaN."""
    rng = np.random.default_rng(0)
    matrix = rng.standard_normal((depth, columns)) * 2.0 ** rng.integers(-80, 100, columns)
    matrix[:, 0] *= 2.0 ** rng.integers(-60, 1, depth)
    matrix[:, 1] = 0
    matrix[:, 2] = 2.0**-140
    matrix = matrix.astype(np.float32)
    matrix[3, 3], matrix[4, 4] = np.inf, np.nan
    return matrix


def test_pieces():
    """Largest magnitudes are between 2**6 and 2**7, first pieces within 2**-11 and both within 2**-22 of a number."""
    matrix = hard(DEPTH, COLUMNS)
    scales = scales_of(matrix, 7)
    first, second = (piece.astype(np.float64) for piece in pieces_of(matrix, scales))
    assert (scales[3:5] == -256).all()
    assert not first[:, 1:5].any()
    assert not second[:, 1:5].any()
    with np.errstate(invalid="ignore"):
        exact = matrix.astype(np.float64) * 2.0**scales
    largest = np.abs(exact[:, 5:]).max(0)
    assert ((largest >= 2.0**6) & (largest < 2.0**7)).all()
    for places, found in ((11, first), (22, first + second)):
        error = np.abs(found - exact)[:, [0, *range(5, COLUMNS)]]
        assert (error <= 2.0**-places * np.abs(exact)[:, [0, *range(5, COLUMNS)]] + 2.0**-24).all()


def test_places():
    """Pieces in tiles, one after the other along the reduction, then the bits of the scales."""
    matrix = hard(40, 70)
    made = split(torch.from_numpy(matrix))
    assert list(made.shape) == split_shape(70, 40) == [4, 4, 16, 32, 2]
    pieces = pieces_of(matrix, scales_of(matrix, top_exponent(40)))
    for place, piece in enumerate(ORDER):
        for k, n in ((0, 0), (39, 69), (17, 33)):
            at = 40 * place + k
            assert made[n // 32, at // 32, at // 2 % 16, n % 32, at % 2] == pieces[piece][k, n]
    assert (made[3].reshape(-1)[:70].view(torch.int16).numpy() == scales_of(matrix, top_exponent(40))).all()
    assert split_shape(2000, 5)[:2] == [63 + 2, 1]  # 2,000 scales take two tiles


@pytest.mark.only_values(False)
def test_the_same_as_in_each_run():
    """As close as what a kernel computes that splits its factors itself, where HVX rounds other second pieces up; the
    model keeps no weights of f32."""
    weight = hard(DEPTH, COLUMNS)
    module = nn.Linear(DEPTH, COLUMNS, bias=False).eval()
    module.weight.data = torch.from_numpy(np.ascontiguousarray(weight.T))
    x = torch.randn(ROWS, DEPTH, generator=torch.Generator().manual_seed(1))
    model = hx.compile(torch.export.export(module, (x,)), numerics="f32-split")
    constants, = model.signature.constants.values()
    assert torch.equal(constants.view(torch.int16), split(torch.from_numpy(weight)).view(torch.int16))
    a, b, c = (f"tensor<{m}x{n}xf32>" for m, n in ((ROWS, DEPTH), (DEPTH, COLUMNS), (ROWS, COLUMNS)))
    kernel = hx.compile(f"""func.func @f(%a: {a}, %b: {b}) -> {c} {{
      %zero = arith.constant 0.0 : f32
      %e = tensor.empty() : {c}
      %z = linalg.fill ins(%zero : f32) outs(%e : {c}) -> {c}
      %s = linalg.matmul ins(%a, %b : {a}, {b}) outs(%z : {c}) -> {c}
      return %s : {c}
    }}""", f32_split=True)
    assert "hexmlir_engine_hf_pieces" in kernel.asm
    run = kernel.run(x.numpy(), weight)
    found = model(x).numpy()
    assert np.isnan(found[:, 3:5]).all()
    kept = [column for column in range(COLUMNS) if column not in (0, 3, 4)]  # of 0, numbers far apart lose more
    size = np.abs(x.numpy().astype(np.float64)) @ np.abs(weight[:, kept].astype(np.float64))
    exact = x.numpy().astype(np.float64) @ weight[:, kept].astype(np.float64)
    for result in (found, run.outputs[0]):
        assert (np.abs(result[:, kept] - exact) <= 2.0**-20 * size + 2.0**-126).all()
    assert np.abs(found[:, 0] - run.outputs[0][:, 0]).max() <= 2.0**-20 * np.abs(found[:, 0]).max()
    assert model.last_run.cycles < 0.85 * run.cycles


def test_numbers_of_bf16_are_one_piece():
    """Exact down to 2**-17 beside numbers below 2**3, cut to multiples of 2**-24; what no scale helps is zero."""
    matrix = torch.from_numpy(hard(DEPTH, COLUMNS)).bfloat16()
    exact = matrix.double().numpy()
    found = split(matrix)
    assert list(found.shape) == split_shape(COLUMNS, DEPTH, ONE_PIECE) == [8 + 1, 8, 16, 32, 2]
    tiles = found[:8].permute(1, 2, 4, 0, 3).reshape(256, 256)[:DEPTH, :COLUMNS].double().numpy()
    scales = scales_of(matrix.float().numpy(), 3)
    assert (found[8].reshape(-1)[:COLUMNS].view(torch.int16).numpy() == scales).all()
    assert (scales[3:5] == -256).all() and not tiles[:, 1:5].any()
    kept = [0, *range(5, COLUMNS)]
    scaled = exact[:, kept] * 2.0**scales[kept]
    large = np.abs(scaled) >= 2.0**-17
    assert (tiles[:, kept][large] == scaled[large]).all() and large.sum() < large.size
    assert (tiles[:, kept] == np.trunc(scaled * 2.0**24) / 2.0**24).all()


@pytest.mark.only_values(False)
@pytest.mark.parametrize("rows", [pytest.param(ROWS, marks=pytest.mark.full), 45])
def test_bf16_the_same_as_in_each_run(rows):
    """Bit for bit what a kernel computes that scales its factors itself; the columns with an infinity or a NaN too."""
    weight = torch.from_numpy(hard(DEPTH, COLUMNS)).bfloat16()
    module = nn.Linear(DEPTH, COLUMNS, bias=False).eval().bfloat16()
    module.weight.data = weight.T.contiguous()
    x = torch.randn(rows, DEPTH, generator=torch.Generator().manual_seed(1)).bfloat16()
    model = hx.compile(torch.export.export(module, (x,)))
    constants, = model.signature.constants.values()
    assert torch.equal(constants.view(torch.int16), split(weight).view(torch.int16))
    found = model(x)
    in_each_run = hx.compile(torch.export.export(Product(), (x, weight)))
    assert not in_each_run.signature.constants
    expected = in_each_run(x, weight)
    assert torch.equal(found.view(torch.int16), expected.view(torch.int16))
    assert found[:, 3:5].isnan().all()
    size, exact = x.double().abs() @ weight.double().abs(), x.double() @ weight.double()
    kept = [column for column in range(COLUMNS) if column not in (0, 3, 4)]  # of 0, numbers far apart lose more
    error = (found.double() - exact).abs()[:, kept]
    assert (error <= (2.0**-8 + 2.0**-11) * exact.abs()[:, kept] + 2.0**-20 * size[:, kept] + 2.0**-126).all()
    assert model.last_run.cycles < in_each_run.last_run.cycles


class Product(nn.Module):
    """Of two arguments."""

    def forward(self, x, y):
        return x @ y

"""Activations that go from kernel to kernel as tiles of the matrix engine: values, what stays rows, files."""

import pytest
import torch
from torch import nn

import hexagon_mlir as hx
from hexagon_mlir.exec.sim import checking

ERROR = 4e-3
"""Of `mixed`, for results up to 4."""


class Block(nn.Module):
    """Attention of three heads of 32 columns, and two products with GELU between them: 45 rows, 64 hidden columns."""

    def __init__(self):
        super().__init__()
        self.qkv, self.out = nn.Linear(96, 288), nn.Linear(96, 96)
        self.up, self.down = nn.Linear(96, 64), nn.Linear(64, 96)

    def forward(self, x):
        heads = [part.unflatten(-1, (3, 32)).transpose(1, 2) for part in self.qkv(x).chunk(3, -1)]
        mixed = nn.functional.scaled_dot_product_attention(*heads).transpose(1, 2).flatten(2)
        x = x + self.out(mixed)
        return x + self.down(nn.functional.gelu(self.up(x)))


def tiles(model):
    """The first two dimensions of the activations of ``model`` that are tiles."""
    return [buffer.shape[:2] for buffer in model.schedule.buffers
            if buffer.argument is None and buffer.shape[2:] == (16, 32, 2)]


def compiled(module, x, numerics="mixed", **settings):
    with torch.no_grad():
        return hx.compile(torch.export.export(module.eval(), (x,)), numerics=numerics, **settings), module(x)


@pytest.fixture(scope="module")
def block():
    torch.manual_seed(0)
    module, x = Block(), torch.randn(1, 45, 96)
    return *compiled(module, x), x


def test_attention_and_gelu(block, tmp_path):
    """Two rows of tiles: three columns of them of the heads, two of the hidden columns; nothing is read before it is
    written, and the engine is fed nothing that is not finite."""
    model, expected, x = block
    assert sorted(tiles(model)) == [(2, 2), (2, 3)]
    with checking() as reports:
        got = model(x)
    assert not reports
    torch.testing.assert_close(got, expected, rtol=0, atol=ERROR)
    model.save(tmp_path / "saved")
    assert torch.equal(hx.load(tmp_path / "saved")(x), got)


def test_in_ddr(block):
    """Where a user plans the TCM, tiles are in DDR between the kernels, with the same values."""
    model, _, x = block
    torch.manual_seed(0)
    in_ddr, _ = compiled(Block(), x, tcm_bytes=4 << 20)
    assert tiles(in_ddr) == tiles(model) and not any(buffer.in_tcm for buffer in in_ddr.schedule.buffers)
    assert torch.equal(in_ddr(x), model(x))


def test_a_row_of_nan(block):
    """NaN and infinities, which the engine of v75 does not know, change no other row."""
    torch.manual_seed(1)
    module, x = nn.Sequential(nn.Linear(96, 64), nn.GELU(), nn.Linear(64, 33)), 2 * torch.randn(45, 96)
    model, expected = compiled(module, x)
    assert tiles(model) == [(2, 2)]
    torch.testing.assert_close(model(x), expected, rtol=0, atol=ERROR)
    broken = x.clone()
    broken[7], broken[44, 3] = float("nan"), float("inf")
    got, others = model(broken), [row for row in range(45) if row not in (7, 44)]
    assert torch.equal(got[others], model(x)[others])


@pytest.mark.parametrize(("rows", "numerics"), [(5, "mixed"), (40, "f32")])
def test_rows(rows, numerics):
    """Few rows stay rows, and so do those that HVX multiplies."""
    torch.manual_seed(2)
    module, x = nn.Sequential(nn.Linear(64, 96), nn.ReLU(), nn.Linear(96, 32)), torch.randn(rows, 64)
    model, expected = compiled(module, x, numerics)
    assert not tiles(model)
    torch.testing.assert_close(model(x), expected, rtol=0, atol=ERROR)


def test_functions_of_the_conversion():
    """A maximum with zero is the engine's own, which writes the next product's tiles: nothing else computes."""
    torch.manual_seed(3)
    module, x = nn.Sequential(nn.Linear(64, 96), nn.ReLU(), nn.Linear(96, 32)), torch.randn(64, 64)
    model, expected = compiled(module, x)
    assert tiles(model) == [(2, 3)]
    torch.testing.assert_close(model(x), expected, rtol=0, atol=ERROR)


class Reciprocals(nn.Module):
    def forward(self, x):
        return 1 / x


def test_columns_that_fill_up_a_tile():
    """1 / 0 is infinite: 70 columns stay rows, which zeros fill up after the reciprocals."""
    torch.manual_seed(4)
    module, x = nn.Sequential(nn.Linear(64, 70), Reciprocals(), nn.Linear(70, 32)), torch.rand(64, 64)
    module[0].weight.data.abs_()
    module[0].bias.data.fill_(1.0)
    model, expected = compiled(module, x)
    assert not tiles(model) and expected.isfinite().all()
    torch.testing.assert_close(model(x), expected, rtol=0, atol=ERROR)

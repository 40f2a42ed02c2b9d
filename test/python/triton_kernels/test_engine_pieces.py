"""Products of f16 with results of f32 on the matrix engine: tl.dot that is stored as it is, or used in f32."""

import pytest
import torch
import triton
import triton.language as tl

from hexagon_mlir.exec import sim
from hexagon_mlir.frontend.triton import activate

pytestmark = pytest.mark.only_values


@triton.jit
def dot_f32(a, b, c, M: tl.constexpr, N: tl.constexpr, K: tl.constexpr, SCALED: tl.constexpr):
    m, n, k = tl.arange(0, M), tl.arange(0, N), tl.arange(0, K)
    x = tl.load(a + m[:, None] * K + k[None, :])
    y = tl.load(b + k[:, None] * N + n[None, :])
    sums = tl.dot(x, y)
    if SCALED:
        sums = tl.exp(sums * 0.03125)
    tl.store(c + m[:, None] * N + n[None, :], sums)


@pytest.mark.parametrize("scaled", [False, True])
def test_dot_in_f32(monkeypatch, scaled):
    monkeypatch.setenv("HEXMLIR_EXECUTOR", "sim")
    activate()
    torch.manual_seed(0)
    a, b = torch.randn(128, 256).half(), torch.randn(256, 64).half()
    c = torch.empty(128, 64)
    with sim.SESSION.recording() as records:
        dot_f32[(1,)](a, b, c, 128, 64, 256, scaled)
    exact = a.double() @ b.double()
    exact = torch.exp(exact / 32) if scaled else exact
    torch.testing.assert_close(c.double(), exact, rtol=2e-6, atol=2e-5)
    matrix = [record.result.matrix for record in records]
    assert [use.conversions for use in matrix] == [2 * 4 * 2]  # two of each result tile

"""Attention with sinks, as in GPT-OSS: each head has one more score, which takes weight and gives no value."""

import pytest
import torch
from torch import nn

import hexagon_mlir as hx

pytestmark = pytest.mark.only_values


class Sinks(nn.Module):
    """Causal attention of grouped heads over the last ``window`` keys."""

    def __init__(self, heads, groups, window):
        super().__init__()
        self.sinks, self.repeats, self.window = nn.Parameter(torch.randn(heads)), heads // groups, window

    def forward(self, q, k, v):
        k, v = (one.repeat_interleave(self.repeats, 1) for one in (k, v))
        scores = q @ k.mT / q.shape[-1]**0.5
        rows, columns = scores.shape[-2:]
        seen = torch.arange(columns) - torch.arange(rows)[:, None] - (columns - rows)
        scores = scores.masked_fill((seen > 0) | (seen <= -self.window), torch.finfo(scores.dtype).min)
        sinks = self.sinks.to(scores.dtype).reshape(1, -1, 1, 1).expand(*scores.shape[:3], 1)
        joined = torch.cat((scores, sinks), -1)
        return torch.softmax(joined - joined.amax(-1, keepdim=True), -1)[..., :-1] @ v


@pytest.mark.full_except("0.5-mixed-0.005-33", "30.0-f32-1e-05-1")
@pytest.mark.parametrize("rows", [1, 33])
@pytest.mark.parametrize(("numerics", "error"), [("f32", 1e-5), ("mixed", 5e-3)])
@pytest.mark.parametrize("sink", [-30.0, 0.5, 30.0])
def test_sinks_take_weight(rows, numerics, error, sink):
    """A large sink leaves almost nothing of the values, a small one is ordinary attention."""
    torch.manual_seed(0)
    module = Sinks(4, 2, 16).eval()
    with torch.no_grad():
        module.sinks.fill_(sink)
    q, k, v = torch.randn(1, 4, rows, 32), *torch.randn(2, 1, 2, 40, 32)
    with torch.no_grad():
        expected = module(q, k, v)
        got = hx.compile(torch.export.export(module, (q, k, v)), numerics=numerics)(q, k, v)
    torch.testing.assert_close(got, expected, rtol=0, atol=error)
    assert (expected.abs().max() < 1e-6) == (sink > 20)

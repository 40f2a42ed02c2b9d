"""What compiling and running a model takes of the host's memory, as a multiple of its weights."""

import gc
import sys
from pathlib import Path

import pytest
import torch
from support import ROOT

import hexagon_mlir as hx

sys.path.insert(0, str(ROOT))
from bench.corpus.model_zoo import Gpt2

_STATUS, _CLEAR = Path("/proc/self/status"), Path("/proc/self/clear_refs")
_RESET_PEAK = "5"


def _resident(what: str) -> int:
    """Bytes of this process in memory, now (VmRSS) or at most since the last reset (VmHWM)."""
    return next(int(line.split()[1]) * 1024 for line in _STATUS.read_text().splitlines() if line.startswith(what))


class Bare(torch.nn.Module):
    """A tied embedding alone: rows of its table, times the table."""

    def __init__(self):
        super().__init__()
        self.table, self.head = torch.nn.Embedding(50257, 128), torch.nn.Linear(128, 50257, bias=False)
        self.head.weight = self.table.weight

    def forward(self, indices):
        return self.head(self.table(indices))


@pytest.mark.only_values
@pytest.mark.parametrize("make", [
    pytest.param(lambda: Gpt2(layers=1, width=256, heads=4, vocabulary=50257, positions=16), marks=pytest.mark.full),
    Bare], ids=["GPT-2", "bare"])
def test_tied_weights_are_held_at_most_twice(make):
    """Once by PyTorch, once in the machine's memory: packed or transposed copies would be a third and a fourth."""
    linear, x = torch.nn.Linear(4, 4).eval(), torch.ones(1, 4)
    hx.compile(torch.export.export(linear, (x,)))(x)  # loads what is loaded once
    module = make().eval()
    weights = sum(p.numel() * p.element_size() for p in module.parameters())
    inputs = (torch.tensor([[3, 50256, 1]]),)
    program = torch.export.export(module, inputs)
    gc.collect()
    before = _resident("VmRSS")
    _CLEAR.write_text(_RESET_PEAK)
    got = hx.compile(program)(*inputs)
    peak = _resident("VmHWM") - before + weights
    with torch.no_grad():
        # One accumulator sums 128 products in order: 2.8e-5 off where the sum is 176, whose last bit is 1.5e-5.
        torch.testing.assert_close(got, module(*inputs), rtol=0, atol=5e-5)
    assert peak <= 3 * weights, f"{peak / weights:.2f} times the weights"
    gc.collect()
    assert _resident("VmRSS") - before < weights, "the machine's copy is kept after the run"

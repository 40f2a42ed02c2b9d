"""Networks with a dynamic batch or length: one compilation, five sizes each, the values of PyTorch."""

import sys

import pytest
import torch
from support import ROOT
from torch.export import Dim

import hexagon_mlir as hx
from hexagon_mlir.codegen import schedule

sys.path.insert(0, str(ROOT))
from bench.corpus.model_zoo import Bert, Gpt2, ResNet18, WhisperEncoder

BATCH, LENGTH = Dim("batch", min=1, max=64), Dim("length", min=2, max=500)


def texts(batch, length):
    return (torch.randint(0, 100, (batch, length)),)


def masked(batch, length):
    mask = torch.ones(batch, length)
    mask[:, max(1, length - 3):] = 0
    return (*texts(batch, length), mask)


MODELS = {
    "BERT, batch": (lambda: Bert(layers=1, vocabulary=100), masked, ({0: BATCH},) * 2,
                    ((2, 32), (1, 32), (3, 32), (9, 32), (5, 32))),
    "BERT, length": (lambda: Bert(layers=1, vocabulary=100), masked, ({1: LENGTH},) * 2,
                     ((2, 64), (2, 2), (2, 17), (2, 31), (2, 100))),
    "GPT-2, length": (lambda: Gpt2(1, 64, 2, vocabulary=100, positions=512), texts, ({1: LENGTH},),
                      ((1, 64), (1, 2), (1, 17), (1, 33), (1, 300))),
    "ResNet, batch": (lambda: ResNet18(8, 10, stages=2), lambda batch: (torch.randn(batch, 3, 32, 32),), ({0: BATCH},),
                      ((2,), (1,), (3,), (8,), (5,))),
    "Whisper, batch": (lambda: WhisperEncoder(layers=1), lambda batch: (torch.randn(batch, 80, 64),), ({0: BATCH},),
                       ((2,), (1,), (3,), (8,), (5,))),
}


@pytest.mark.full_except("ResNet, batch")
@pytest.mark.only_values
@pytest.mark.parametrize("name", [
    pytest.param(name, marks=[pytest.mark.full] * (name not in ("GPT-2, length", "ResNet, batch"))) for name in MODELS])
def test_one_compilation_for_five_sizes(name, monkeypatch):
    make, inputs, dynamic, sizes = MODELS[name]
    module, compiled, lower = make().eval(), [], schedule.lower_module
    monkeypatch.setattr(schedule, "lower_module", lambda *args, **kwargs: compiled.append(1) or lower(*args, **kwargs))
    model = hx.compile(torch.export.export(module, inputs(*sizes[0]), dynamic_shapes=dynamic))
    for size in sizes:
        given = inputs(*size)
        got = model(*given)
        with torch.no_grad():
            expected = module(*given)
        for one, other in zip(*((r if isinstance(r, tuple) else (r,)) for r in (got, expected)), strict=True):
            torch.testing.assert_close(one, other, rtol=1e-4, atol=1e-5 * other.abs().max().item())
        assert [remark.message for remark in model.remarks] == [
            f"compiled once for any sizes, {len(compiled)} kernels"]
    assert len(compiled) == model.result.kernels

"""Published architectures, narrow, against eager PyTorch; and decoding with a cache.

Those whose costs are checked in (`bench.regressions`) have the mark ``full``: the test of costs compares their values,
too.
"""

import sys

import pytest
import torch
from models.test_models import compile_and_compare
from support import ROOT

import hexagon_mlir as hx

sys.path.insert(0, str(ROOT))
from bench.corpus.model_zoo import SMALL, Decoder
from bench.corpus.more_models import MORE
from bench.regressions import MODELS, MORE_MODELS

pytestmark = pytest.mark.only_values


@pytest.mark.full_except("U-Net", "graph network", "Mamba block")
@pytest.mark.parametrize("name", [  # the rest of MORE: bench/models.py
    *(pytest.param(name, marks=[pytest.mark.full] * (name in (*MODELS, *MORE_MODELS, "LSTM denoiser")))
      for name in SMALL),
    "Mamba block", "graph network"])
def test_model(name):
    module, inputs = {**SMALL, **MORE}[name]()
    model = compile_and_compare(module, *inputs, atol=2e-5)
    scalar = [record.kernel for record in model.last_run.launches
              if record.result.packets > 20000 and not record.result.hvx_packets]
    assert not scalar, f"kernels without vectors: {scalar}"


def test_decoding_with_a_cache():
    module = Decoder(length=8).eval()
    model = hx.compile(torch.export.export(module, (torch.randn(1, 1, 64), torch.tensor([0]))))
    for name in ("keys", "values"):
        getattr(module, name).zero_()
    for place in range(8):
        x = torch.randn(1, 1, 64)
        got = model(x, torch.tensor([place]))
        with torch.no_grad():
            expected = module(x, torch.tensor([place]))
        torch.testing.assert_close(got, expected, rtol=0, atol=1e-5)

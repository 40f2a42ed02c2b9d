"""What a compiled model says about what was declined."""

import pytest
import torch
from torch import nn
from torchao.quantization.pt2e.quantize_pt2e import convert_pt2e, prepare_pt2e

import hexagon_mlir as hx
from hexagon_mlir.quantization.quantizer import HexagonQuantizer


def compiled(layer, x, requantization="exact", **options):
    with torch.no_grad():
        prepared = prepare_pt2e(torch.export.export(layer, (x,)).module(), HexagonQuantizer(**options))
        prepared(x)
        program = torch.export.export(convert_pt2e(prepared), (x,))
    return hx.compile(program, requantization=requantization)


@pytest.mark.parametrize(("options", "requantization", "remarked"), [
    ({}, "exact", True), ({}, "engine", False), ({"powers_of_two": True}, "exact", False)])
def test_scales_that_the_engine_cannot_convert_exactly(options, requantization, remarked, tmp_path):
    torch.manual_seed(0)
    model = compiled(nn.Linear(128, 96).eval(), torch.randn(64, 128), requantization, **options)
    found = [remark for remark in model.remarks if remark.origin == "quantized-layers"]
    assert len(found) == remarked
    if remarked:
        assert found[0].message.startswith("HVX converts the sums of linear to bytes: the engine's conversion gives")
        assert found[0].severity == "remark" and found[0].hint.endswith("accepts others")
    model.save(tmp_path / "model")
    loaded = [remark for remark in hx.load(tmp_path / "model").remarks if remark.origin == "quantized-layers"]
    assert loaded == found


def test_groups_stay_on_hvx():
    torch.manual_seed(1)
    model = compiled(nn.Conv2d(32, 32, 3, groups=32).eval(), torch.randn(1, 32, 9, 9))
    assert [remark.message for remark in model.remarks if remark.origin == "quantized-layers"] == [
        "HVX converts the sums of conv2d to bytes: it is a convolution of groups"]


def test_nothing_is_said_without_bytes():
    x = torch.randn(4, 8)
    model = hx.compile(torch.export.export(nn.Linear(8, 3).eval(), (x,)))
    assert all(remark.origin != "quantized-layers" for remark in model.remarks)

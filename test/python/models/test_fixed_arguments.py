"""Exported programs with arguments that are no tensors: compiled for their values, which calls have to repeat."""

import math
import warnings

import pytest
import torch
from torch import nn

import hexagon_mlir as hx

pytestmark = pytest.mark.only_values


class Mixed(nn.Module):
    """Arguments of every kind that ``torch.export`` takes."""

    def forward(self, x, scale=1.0, keep=True, limit=None, count=3, mode="a"):
        y = x * scale + count if keep else x - count
        y = y.clamp(max=limit) if limit is not None else y
        return {"y": y.relu() if mode == "a" else y, "limit": limit, "count": count}


GIVEN = [{}, {"keep": False}, {"scale": 2.5, "count": -7}, {"limit": None, "mode": "b"}, {"limit": 0.5}]
X = torch.linspace(-4, 5, 20).reshape(4, 5)


@pytest.mark.each_value
@pytest.mark.parametrize("given", GIVEN)
@pytest.mark.parametrize("way", ["program", "file", "saved"])
def test_values_are_those_of_the_export(given, way, tmp_path):
    program = torch.export.export(Mixed(), (X,), given)
    if way == "file":
        torch.export.save(program, tmp_path / "m.pt2")
    model = hx.compile(tmp_path / "m.pt2" if way == "file" else program)
    if way == "saved":
        model.save(tmp_path / "m")
        model = hx.load(tmp_path / "m")
    got, wanted = model(X, **given), Mixed()(X, **given)
    torch.testing.assert_close(got, wanted)
    assert got["count"] == wanted["count"] and got["limit"] == wanted["limit"]


@pytest.mark.parametrize(("other", "message"), [
    ({"keep": 1}, "argument 'keep' is 1, the model was exported with True"),
    ({"scale": 2}, r"'scale' is 2, .* with 2\.0"), ({"limit": math.nan}, "'limit' is nan, .* with None"),
    ({"count": torch.tensor(3)}, r"'count' is tensor\(3\), .* with 3"),
    ({"mode": "b" * 900}, r"'mode' is 'b{59}, the model was exported with 'a'")])
def test_other_values_are_refused(other, message):
    given = {"scale": 2.0, "keep": True, "limit": None, "count": 3, "mode": "a"}
    model = hx.compile(torch.export.export(Mixed(), (X,), given))
    with pytest.raises(hx.HexError, match=message):
        model(X, **{**given, **other})
    with pytest.raises(hx.HexError, match=r"exported with \(x, scale=2\.0, keep=True, limit=None, count=3, mode='a'\)"):
        model(X)


def test_nan_is_itself():
    class Filled(nn.Module):
        def forward(self, x, value):
            return torch.where(x > 0, x, value)

    model = hx.compile(torch.export.export(Filled(), (X, math.nan)))
    torch.testing.assert_close(model(X, math.nan), torch.where(X > 0, X, math.nan), equal_nan=True)


def test_warnings_of_others_are_not_ours():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        hx.compile(torch.export.export(Mixed(), (X,)))

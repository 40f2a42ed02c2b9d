"""Masks of models on v75, whose sums know no infinity: added, multiplied, chosen; and NaN still comes through."""

import pytest
import torch

import hexagon_mlir as hx

pytestmark = pytest.mark.only_values

LOWEST = torch.finfo(torch.float32).min


class Model(torch.nn.Module):
    def __init__(self, function):
        super().__init__()
        self.function = function

    def forward(self, *given):
        return self.function(*given)


def compiled(function, *inputs, target="v75"):
    result = hx.compile(torch.export.export(Model(function), inputs), target=target)(*inputs)
    return result[0] if isinstance(result, tuple) else result


def scores_and_seen():
    generator = torch.Generator().manual_seed(0)
    seen = torch.ones(5, 70, dtype=torch.int64)
    seen[1, 30:], seen[2, ::2], seen[3, 1:] = 0, 0, 0
    return torch.randn(5, 70, generator=generator) * 4, seen


MASKS = {
    "added -inf": lambda x, seen: (x + torch.where(seen == 0, float("-inf"), 0.0)).softmax(-1),
    "added lowest": lambda x, seen: (x + torch.where(seen == 0, LOWEST, 0.0)).softmax(-1),
    "(1 - seen) * lowest": lambda x, seen: (x + (1.0 - seen.float()) * LOWEST).softmax(-1),
    "(1 - seen) * -10000": lambda x, seen: (x + (1.0 - seen.float()) * -10000.0).softmax(-1),
    "masked_fill": lambda x, seen: (x * 0.125).masked_fill(seen == 0, float("-inf")).softmax(-1),
    "by hand": lambda x, seen: _by_hand(x + torch.where(seen == 0, float("-inf"), 0.0)),
    "f16": lambda x, seen: (x.half() + torch.where(seen == 0, float("-inf"), 0.0).half()).softmax(-1).float(),
    "logsumexp": lambda x, seen: (x + torch.where(seen == 0, float("-inf"), 0.0)).logsumexp(-1),
}


def _by_hand(x):
    e = (x - x.amax(-1, keepdim=True)).exp()
    return e / e.sum(-1, keepdim=True)


@pytest.mark.full_except("added -inf", "f16", "logsumexp")
@pytest.mark.parametrize("name", MASKS)
def test_masks(name):
    x, seen = scores_and_seen()
    expected = MASKS[name](x, seen)
    got = compiled(MASKS[name], x, seen)
    assert torch.isfinite(expected).all()
    torch.testing.assert_close(got, expected, rtol=1e-3 if name == "f16" else 2e-6, atol=1e-6)


@pytest.mark.full_except("added-v79")
@pytest.mark.parametrize("target", ["v75", "v79"])
@pytest.mark.parametrize("kind", ["bool", "added"])
def test_a_query_that_sees_no_key(kind, target):
    """Zeros of PyTorch's own attention, NaN of softmax written out; of a mask with the least number, the mean."""
    generator = torch.Generator().manual_seed(1)
    q, k, v = (torch.randn(1, 2, 33, 16, generator=generator) for _ in range(3))
    seen = torch.ones(33, 33, dtype=torch.bool).tril()
    seen[5], seen[20:22] = False, False
    mask = seen if kind == "bool" else torch.where(seen, 0.0, float("-inf"))
    attention = torch.nn.functional.scaled_dot_product_attention
    expected = attention(q, k, v, mask)
    assert (expected[:, :, 5] == 0).all()
    torch.testing.assert_close(compiled(attention, q, k, v, mask, target=target), expected, rtol=1e-5, atol=2e-6)
    if kind == "bool":
        return

    def written(q, k, v, m):
        return (q @ k.transpose(-1, -2) / 4 + m).softmax(-1) @ v

    model = hx.compile(torch.export.export(Model(written), (q, k, v, mask)), target=target)
    for least in (mask, mask.clamp(min=LOWEST)):
        torch.testing.assert_close(model(q, k, v, least), written(q, k, v, least), rtol=1e-5, atol=2e-6,
                                   equal_nan=True)


def test_a_mask_that_is_a_result():
    _, seen = scores_and_seen()
    mask = compiled(lambda seen: (1.0 - seen.float()) * LOWEST, seen)
    assert mask.tolist() == ((1.0 - seen.float()) * LOWEST).tolist()


@pytest.mark.full_except("0-v75")
@pytest.mark.parametrize("target", ["v75", "v79"])
@pytest.mark.parametrize("dim", [0, 1])
def test_nan_makes_its_row_nan(target, dim):
    """On v75 a NaN with a sign is what a mask makes of a sum: it counts as minus infinity; and NaN - NaN is 0."""
    x, _ = scores_and_seen()
    x[2, 7], x[4, 69] = float("nan"), float("nan") if target == "v75" else -float("nan")
    for function in (lambda x: x.softmax(dim), lambda x: x.logsumexp(dim), lambda x: x.log_softmax(dim)):
        different = compiled(function, x, target=target).isnan() != function(x).isnan()
        assert not different.any() or (target == "v75" and different.equal(x.isnan()))


@pytest.mark.parametrize("function", [
    lambda x: x.amax(-1), lambda x: (x - x.amax(-1, keepdim=True)).exp(), lambda x: x.amax(-1) + x.exp().sum(-1)[0]])
def test_a_maximum_that_is_seen_is_nan(function):
    x = torch.randn(4, 40)
    x[1, 3] = float("nan")
    assert compiled(function, x, target="v79").isnan().equal(function(x).isnan())


def test_square_rows_and_columns_are_told_apart():
    """The sums of columns say nothing of the rows whose maximum is taken."""
    def function(x):
        e = (x - x.amax(1, keepdim=True)).exp()
        return e / e.sum(0, keepdim=True), x.amax(1) + e.sum(0)

    x = torch.randn(8, 8)
    x[1, 3] = float("nan")
    for got, expected in zip(hx.compile(torch.export.export(Model(function), (x,)), target="v79")(x), function(x),
                             strict=True):
        assert got.isnan().equal(expected.isnan())


"""Attention of one query, as when a token is decoded: a kernel of its own, not that of many queries."""

import pytest
import torch
import torch.nn.functional as F
from torch import nn

import hexagon_mlir as hx

pytestmark = pytest.mark.only_values


class Attention(nn.Module):
    """``mask`` is a bool mask, or one that is added."""

    def forward(self, q, k, v, mask):
        return F.scaled_dot_product_attention(q, k, v, attn_mask=mask, enable_gqa=True)


@pytest.mark.parametrize(("dtype", "added", "tolerance"), [
    pytest.param(torch.float32, False, 2e-5, marks=pytest.mark.full), (torch.float32, True, 2e-5),
    (torch.float16, False, 3e-3)])
def test_values(dtype, added, tolerance):
    torch.manual_seed(0)
    q, k, v = (torch.randn(1, heads, rows, 20).to(dtype) for heads, rows in ((6, 1), (2, 131), (2, 131)))
    seen = torch.arange(131) < 77
    mask = torch.where(seen, torch.randn(131), float("-inf")).to(dtype) if added else seen
    mask = mask.expand(1, 1, 1, 131).contiguous()
    model = hx.compile(torch.export.export(Attention(), (q, k, v, mask)))
    expected = Attention()(q.float(), k.float(), v.float(), mask.float() if added else mask)
    assert (model(q, k, v, mask).float() - expected).abs().max() < tolerance
    kernels = [record.kernel for record in model.last_run.launches if "attention" in record.kernel]
    assert kernels == ["query_attention_0", "joined_attention_1"]
    # hidden keys may be anything finite: what a cache holds after the last token
    k[:, :, 77:], v[:, :, 77:] = 50.0, -60.0
    assert (model(q, k, v, mask).float() - expected).abs().max() < tolerance
    nothing = torch.full_like(mask, float("-inf") if added else False)
    assert model(q, k, v, nothing).count_nonzero() == 0, "a query that sees no key has zeros"


@pytest.mark.full_except("False")
@pytest.mark.only_values(False)
@pytest.mark.parametrize("added", [False, True])
def test_keys_after_the_last_one_that_is_seen_are_not_read(added):
    """A cache of 1,024 keys: its first quarter has code of its own, whatever the mask is in it."""
    torch.manual_seed(0)
    q, k, v = (torch.randn(1, heads, rows, 20) for heads, rows in ((4, 1), (2, 1024), (2, 1024)))
    masks = {count: torch.arange(1024) < count for count in (0, 1, 255, 256, 257, 1024)}
    masks["one"], masks["some"] = torch.arange(1024) == 900, torch.arange(1024) % 7 == 3
    masks["some of few"] = masks["some"] & (torch.arange(1024) < 200)

    def given(seen):
        seen = seen.expand(1, 1, 1, 1024).contiguous()
        return torch.where(seen, 0.1 * torch.arange(1024) % 1, float("-inf")) if added else seen

    model = hx.compile(torch.export.export(Attention(), (q, k, v, given(masks[1]))))
    read = {}
    for name, seen in masks.items():
        mask = given(seen)
        found = model(q, k, v, mask)
        read[name] = model.last_run.ddr_bytes
        if name == 0:
            assert found.count_nonzero() == 0
        else:
            torch.testing.assert_close(found, Attention()(q, k, v, mask), rtol=1e-4, atol=2e-5)
    few = {name for name, count in read.items() if count < read[1024] / 2}
    assert few == {0, 1, 255, 256, "some of few"}


def test_a_mask_of_each_head_reads_all_keys():
    q, k, v = (torch.randn(1, heads, rows, 16) for heads, rows in ((4, 1), (2, 1024), (2, 1024)))
    mask = (torch.arange(1024) < torch.tensor([5, 300, 1024, 77])[:, None])[None, :, None].contiguous()
    model = hx.compile(torch.export.export(Attention(), (q, k, v, mask)))
    torch.testing.assert_close(model(q, k, v, mask), Attention()(q, k, v, mask), rtol=1e-4, atol=2e-5)


def test_many_queries_are_one_kernel():
    q, k, v = (torch.randn(1, 2, rows, 16) for rows in (3, 130, 130))
    mask = torch.ones(1, 1, 3, 130, dtype=torch.bool)
    model = hx.compile(torch.export.export(Attention(), (q, k, v, mask)))
    torch.testing.assert_close(model(q, k, v, mask), Attention()(q, k, v, mask), rtol=1e-4, atol=1e-5)
    assert [record.kernel for record in model.last_run.launches if "attention" in record.kernel] == ["attention_0"]

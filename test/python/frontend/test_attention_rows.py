"""Attention of f16 by blocks of queries: how it is cut, and values of all forms on the host."""

from dataclasses import replace

import numpy as np
import pytest
import torch
from batch import after, on_host, steps_until

from hexagon_mlir import pipelines, targets
from hexagon_mlir.frontend.torch.kernels import attention_rows
from hexagon_mlir.frontend.torch.kernels.attention import attention
from hexagon_mlir.frontend.torch.kernels.attention_blocks import Part, Plan, heads_at_once, occupied, plan
from hexagon_mlir.frontend.torch.kernels.attention_scores import Shape
from hexagon_mlir.ir import to_text
from hexagon_mlir.settings import DEFAULT_SETTINGS


def shape(heads, key_heads, queries, keys, depth, width, mask=(), hidden=(), causal=True, safe=True):
    return Shape(heads, key_heads, queries, keys, depth, width, mask, hidden, "f16", causal, depth**-0.5, safe, False,
                 0.0)


def test_parts():
    """The first queries see few keys: whole tiles of them."""
    def parts(*sizes):
        found = plan(shape(1, 1, *sizes, 64, 64))
        assert found.rows == min(128, sizes[0])
        assert found.together == 1
        return found.parts

    assert parts(512, 512) == [Part(0, 128, 128), Part(128, 256, 256), Part(256, 384, 384), Part(384, 512, 512)]
    assert parts(300, 300) == [Part(0, 128, 128), Part(128, 256, 256), Part(256, 300, 300)]
    assert parts(70, 333) == [Part(0, 70, 96)]
    assert parts(300, 100) == [Part(0, 128, 100), Part(128, 256, 100), Part(256, 300, 100)]


def test_blocks_together():
    """Where they fit: of 1,024 keys, whether causal or not, not of 2,048."""
    assert plan(shape(1, 1, 1024, 1024, 64, 64)) == Plan(128, 2, [Part(0, 1024, 1024)])
    assert plan(shape(1, 1, 1024, 1024, 64, 64, causal=False)) == Plan(128, 2, [Part(0, 1024, 1024)])
    assert plan(shape(1, 1, 2048, 2048, 64, 64, causal=False)) == Plan(128, 1, [Part(0, 2048, 2048)])
    assert plan(shape(1, 1, 100, 512, 64, 64, causal=False)) == Plan(100, 1, [Part(0, 100, 512)])
    assert plan(shape(1, 1, 8192, 8192, 64, 64)) is None


def test_heads_at_a_time():
    """As many as occupy four threads best and fit; few heads, or large ones, are computed one after the other."""
    assert plan(shape(12, 12, 64, 64, 64, 64, mask=(1, 1, 1, 64), causal=False)).heads == 12
    assert plan(shape(3, 3, 197, 197, 64, 64, causal=False)) == Plan(197, 1, [Part(0, 197, 197)], 3)
    assert plan(shape(12, 12, 512, 512, 64, 64))[:2] == (128, 1)
    assert plan(shape(12, 12, 512, 512, 64, 64)).heads == 4
    assert plan(shape(32, 8, 512, 512, 128, 128)).heads == 4
    assert [plan(shape(2, 1, 64, 64, 64, 64)).heads, plan(shape(8, 8, 2048, 2048, 64, 64)).heads] == [1, 1]
    assert [heads_at_once(heads, 12) for heads in (12, 24, 7, 26, 13)] == [12, 12, 7, 2, 1]
    assert [heads_at_once(12, most) for most in (11, 5, 3, 0)] == [4, 4, 3, 0]
    assert [occupied(heads) for heads in (4, 3, 6, 5)] == [1.0, 0.75, 0.75, 0.625]


@pytest.mark.parametrize("one", [
    shape(8, 8, 1024, 1024, 64, 64, causal=False), shape(8, 8, 1024, 1024, 64, 64), shape(12, 12, 512, 512, 64, 64),
    shape(8, 8, 768, 768, 128, 128, causal=False), shape(6, 6, 1500, 1500, 64, 64, causal=False),
    shape(16, 16, 256, 256, 64, 64, causal=False), shape(6, 6, 512, 512, 64, 64, mask=(1, 1, 512, 512), causal=False),
    replace(shape(8, 8, 1024, 1024, 64, 64), cap=30.0)])
def test_all_heads_fit(one):
    """Their buffers are in the TCM that a kernel of a model may use on chips with 8 MiB; blocks are whole tiles."""
    found = plan(one)
    assert found.heads > 1
    assert found.rows % 32 == 0
    steps = pipelines.get("default", targets.get(), replace(DEFAULT_SETTINGS, tcm_bytes=4 << 20))
    last = [step.title for step in steps].index("hexagon-tcm-allocation")
    _, context = after(attention_rows.function(one), steps[:last + 1])
    assert not [entry for entry in context.log.entries if "moved to DDR" in entry.message]


def test_less_than_a_tile():
    """From 8 queries and keys on, where several heads are computed at a time: that takes a third of the time."""
    assert attention_rows.takes(shape(12, 12, 24, 24, 64, 64, causal=False))
    assert attention_rows.takes(shape(8, 8, 8, 8, 64, 64))
    assert attention_rows.takes(shape(4, 4, 300, 8, 16, 16, causal=False))
    assert attention_rows.takes(shape(2, 2, 32, 32, 32, 32))
    assert not attention_rows.takes(shape(2, 2, 24, 24, 32, 32))
    assert not attention_rows.takes(shape(1, 1, 8, 24, 256, 256, causal=False))
    assert not attention_rows.takes(shape(12, 12, 7, 24, 64, 64, causal=False))
    assert not attention_rows.takes(replace(shape(12, 12, 24, 24, 64, 64), element="f32"))


def window(queries, keys):
    """Each query sees 40 keys; none of queries 7 and 8 sees any."""
    row, column = np.arange(queries)[:, None], np.arange(keys)
    seen = (column <= row) & (column > row - 40) & (row != 7) & (row != 8)
    return np.where(seen, 0.0, -np.inf).astype(np.float32)[None, None]


@pytest.mark.parametrize(("one", "kind"), [
    (shape(4, 2, 300, 300, 32, 48), ""), (shape(1, 1, 140, 333, 32, 32), ""), (shape(1, 1, 290, 100, 32, 32), ""),
    (shape(2, 2, 150, 150, 32, 32, mask=(1, 1, 150, 150)), "added"),
    (shape(6, 3, 150, 77, 32, 32, mask=(1, 1, 150, 77), causal=False), "added"),
    (shape(2, 1, 300, 290, 32, 32, causal=False), ""), (replace(shape(4, 2, 150, 140, 32, 48), batches=1), ""),
    (replace(shape(6, 6, 50, 50, 32, 64, causal=False), batches=2), ""),
    (replace(shape(4, 2, 140, 150, 32, 48), batches=2), ""), (shape(6, 3, 24, 24, 32, 48), ""),
    (shape(4, 4, 8, 70, 64, 64, causal=False), ""), (shape(4, 2, 70, 9, 64, 64, causal=False), ""),
    (shape(4, 4, 17, 19, 32, 32, mask=(1, 1, 17, 19), causal=False), "added"),
    (shape(4, 4, 17, 19, 32, 32, hidden=(1, 1, 17, 19), causal=False, safe=False), "hidden"),
    (shape(2, 2, 150, 150, 32, 32, hidden=(1, 1, 150, 150), causal=False, safe=False), "hidden")])
def test_values(one, kind):
    """Against f64; rows that see no key have zeros, or NaN where the softmax is written out."""
    rng = np.random.default_rng(one.queries)
    keys = one.key_heads, one.keys
    given = [rng.normal(0, 1, sizes).astype(np.float16)
             for sizes in ((one.heads, one.queries, one.depth), (*keys, one.depth), (*keys, one.width))]
    masks = {"": [None, None], "added": [window(one.queries, one.keys), None], "hidden": [
        None, np.where(np.isneginf(window(one.queries, one.keys)), -np.inf, np.inf).astype(np.float32)]}[kind]
    module, _ = after(attention_rows.function(one), [])
    found, = on_host(module, ["kernel"])("kernel", [*given, *(mask for mask in masks if mask is not None)])
    added, hidden = (None if mask is None else torch.from_numpy(mask) for mask in masks)
    exact = attention(*(torch.from_numpy(x).double() for x in given), added, one.causal, one.scale, hidden, one.safe,
                      batches=one.batches)
    assert np.isnan(exact.numpy()).any() == (kind == "hidden")
    np.testing.assert_allclose(found.astype(np.float64), exact.numpy(), rtol=0, atol=4e-3)


def test_keys_of_all_parts_are_packed_once():
    """The parts' weights are the first tiles of all keys'; values on the host, in tiles."""
    one = shape(1, 1, 256, 256, 32, 32)
    module, _ = after(attention_rows.function(one), steps_until("default", "hexagon-layout-propagation"))
    text = to_text(module)
    assert "tensor<8x1x16x32x2xf16> to tensor<4x1x16x32x2xf16>" in text
    rng = np.random.default_rng(0)
    given = [rng.normal(0, 1, (1, 256, 32)).astype(np.float16) for _ in range(3)]
    found, = on_host(module, ["kernel"])("kernel", given)
    exact = attention(*(torch.from_numpy(x).double() for x in given), None, True, one.scale)
    np.testing.assert_allclose(found.astype(np.float64), exact.numpy(), rtol=0, atol=4e-3)

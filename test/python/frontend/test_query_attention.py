"""Attention of one query for each head, in parts of the keys: values on the host, with masks of all kinds."""

import numpy as np
import pytest
import torch
from batch import after, on_host

from hexagon_mlir.frontend.torch.kernels import joined_attention, query_attention
from hexagon_mlir.frontend.torch.kernels.joined_attention import JoinSizes
from hexagon_mlir.frontend.torch.kernels.query_attention import AttentionSizes, few_of
from hexagon_mlir.frontend.torch.rewrites.few_queries import parts_of

INF = float("inf")
TORCH = {"f32": torch.float32, "f16": torch.float16}


def given(sizes, seed=0):
    """Queries, keys and values."""
    torch.manual_seed(seed)
    shapes = ((sizes.heads, sizes.rows, sizes.depth), *(
        (sizes.heads, sizes.parts, sizes.keys, width) for width in (sizes.depth, sizes.width)))
    return [torch.randn(shape).to(TORCH[sizes.element]) for shape in shapes]


def run(sizes, *arguments, safe=True):
    """The functions of the parts and of their join, on the host."""
    joined = JoinSizes(sizes.heads, sizes.parts, sizes.rows, sizes.width, sizes.element, safe)
    values = [x.numpy() for x in arguments]
    for text in (query_attention.function(sizes), joined_attention.function(joined)):
        module, _ = after(text, [])
        values = [np.array(value) for value in on_host(module, ["kernel"])("kernel", values)]
    return torch.from_numpy(values[0]).float()


def exact(arguments, added, hidden, safe):
    """Softmax of all keys, in f64."""
    query, key, value = (x.double() for x in arguments)
    (heads, rows, depth), (parts, keys) = query.shape, key.shape[1:3]
    scores = (query @ key.reshape(heads, -1, depth).transpose(1, 2)).reshape(heads, rows, parts, keys).transpose(1, 2)
    for mask, replaces in ((added, False), (hidden, True)):
        if mask is not None:
            kept = mask == INF if replaces else mask != -INF
            scores = torch.where(kept, scores if replaces else scores + mask, mask.double())
    scores = scores.transpose(1, 2).reshape(heads, rows, -1)
    weights = torch._safe_softmax(scores, -1) if safe else scores.softmax(-1)
    return (weights @ value.reshape(heads, parts * keys, -1)).float()


@pytest.mark.each_value
@pytest.mark.parametrize(("element", "tolerance"), [("f32", 1e-5), ("f16", 2e-3)])
@pytest.mark.parametrize(("heads", "rows", "parts", "keys"), [(2, 2, 4, 32), (1, 1, 1, 131), (3, 7, 2, 5)])
def test_values(element, tolerance, heads, rows, parts, keys):
    sizes = AttentionSizes(heads, rows, parts, keys, 20, 24, element, ())
    arguments = given(sizes)
    assert (run(sizes, *arguments) - exact(arguments, None, None, True)).abs().max() < tolerance


@pytest.mark.each_value
@pytest.mark.parametrize("safe", [True, False])
@pytest.mark.parametrize(("of_heads", "of_rows"), [(1, 1), (2, 1), (1, 3), (2, 3)])
def test_masks(of_heads, of_rows, safe):
    """A part may see no key, and so may a row; hidden keys may be anything finite."""
    shape = (of_heads, 4, of_rows, 8)
    added, hidden = torch.randn(shape), torch.full(shape, INF)
    added[:, 1], hidden[:, 3, :, 2:] = -INF, -INF
    hidden[0, 0, 0, 1] = 0.5  # replaces the score and what is added
    if of_rows == 3:
        added[0, :, 2] = -INF
    sizes = AttentionSizes(2, 3, 4, 8, 16, 16, "f32", ((shape, False), (shape, True)))
    query, key, value = given(sizes, 1)
    want = exact((query, key, value), added, hidden, safe)
    key[:, 1], value[:, 1] = 1e4, -1e4
    found = run(sizes, query, key, value, added, hidden, safe=safe)
    torch.testing.assert_close(found, want, rtol=0, atol=1e-5, equal_nan=True)
    assert bool(torch.isnan(found).any()) == (not safe and of_rows == 3)


@pytest.mark.parametrize(("few", "extent"), [((16,), 16), ((16,), 17), ((8, 16), 3), ((8, 16), 8), ((8, 16), 9)])
def test_parts_of_the_first_keys_alone(few, extent):
    """What is in the first part, or half of it, is shared by all parts: keys after it may be anything."""
    shape = (1, 4, 1, 16)
    hidden = torch.where(torch.arange(64) < extent, INF, -INF).reshape(shape)
    sizes = AttentionSizes(2, 3, 4, 16, 8, 12, "f32", ((shape, True),), few)
    query, key, value = given(sizes, 4)
    want = exact((query, key, value), None, hidden, True)
    if extent <= few[-1]:
        key[:, 1:], value[:, 1:] = float("nan"), float("nan")
    found = run(sizes, query, key, value, hidden, torch.tensor([float(extent)]))
    torch.testing.assert_close(found, want, rtol=0, atol=1e-5)


def test_few_keys_have_code_of_their_own():
    assert [few_of(*one) for one in ((4, 1024), (4, 256), (4, 128), (8, 1024), (1, 4096), (12, 1024), (4, 288))] == [
        (256, 1024), (256,), (), (256, 1024), (1024, 4096), (), ()]


def test_large_scores():
    """Scores far apart in the parts: their sums are joined by the largest score."""
    sizes = AttentionSizes(1, 1, 2, 2, 1, 1, "f32", ())
    query, value = torch.tensor([[[100.0]]]), torch.tensor([[[[1.0], [2.0]], [[3.0], [4.0]]]])
    for keys in ([-5.0, 5.0, 4.99, -7.0], [0.0, 0.0, 300.0, 300.0], [1e30, 0.0, 0.0, 1e30]):
        arguments = query, torch.tensor(keys).reshape(1, 2, 2, 1), value
        torch.testing.assert_close(run(sizes, *arguments), exact(arguments, None, None, True), rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("safe", [True, False])
def test_operations_compute_what_their_functions_do(safe):
    shape = (2, 4, 1, 8)
    hidden = torch.full(shape, INF)
    hidden[:, 1], hidden[1] = -INF, -INF
    sizes = AttentionSizes(2, 3, 4, 8, 16, 16, "f32", ((shape, True),))
    arguments = given(sizes, 2)
    found = joined_attention.joined_attention(
        *query_attention.query_attention(*arguments, None, hidden), torch.float32, safe)
    torch.testing.assert_close(found, exact(arguments, None, hidden, safe), rtol=0, atol=1e-5, equal_nan=True)
    assert found.dtype == torch.float32 and bool(found[1].isnan().all()) == (not safe)


def test_parts_are_short_enough_for_the_tcm():
    assert [parts_of(2, keys) for keys in (128, 4096, 8192, 131, 12288, 4224)] == [4, 4, 8, 1, 12, 1]
    assert [parts_of(8, keys) for keys in (256, 384)] == [1, 4]

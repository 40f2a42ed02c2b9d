"""Attention of one query for each head, in parts of the keys: values on the host, with masks of all kinds."""

import numpy as np
import pytest
import torch
from batch import after, on_host

from hexagon_mlir.frontend.torch.kernels.query_attention import AttentionSizes, function, query_attention

INF = float("inf")
TORCH = {"f32": torch.float32, "f16": torch.float16}


def given(sizes, seed=0):
    """Queries, keys and values."""
    torch.manual_seed(seed)
    shapes = ((sizes.heads, sizes.rows, sizes.depth), *(
        (sizes.heads, sizes.parts, sizes.keys, width) for width in (sizes.depth, sizes.width)))
    return [torch.randn(shape).to(TORCH[sizes.element]) for shape in shapes]


def run(sizes, *arguments):
    module, _ = after(function(sizes), [])
    found, = on_host(module, ["kernel"])("kernel", [x.numpy() for x in arguments])
    return torch.from_numpy(np.array(found)).float()


def exact(arguments, added, hidden, safe):
    """By `query_attention` in f64."""
    return query_attention(*(x.double() for x in arguments), added, hidden, safe).float()


@pytest.mark.parametrize(("element", "tolerance"), [("f32", 1e-5), ("f16", 2e-3)])
@pytest.mark.parametrize(("heads", "rows", "parts", "keys"), [(2, 2, 4, 32), (1, 1, 1, 131), (3, 7, 2, 5)])
def test_values(element, tolerance, heads, rows, parts, keys):
    sizes = AttentionSizes(heads, rows, parts, keys, 20, 24, element, (), True)
    arguments = given(sizes)
    assert (run(sizes, *arguments) - exact(arguments, None, None, True)).abs().max() < tolerance


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
    sizes = AttentionSizes(2, 3, 4, 8, 16, 16, "f32", ((shape, False), (shape, True)), safe)
    query, key, value = given(sizes, 1)
    want = exact((query, key, value), added, hidden, safe)
    key[:, 1], value[:, 1] = 1e4, -1e4
    found = run(sizes, query, key, value, added, hidden)
    torch.testing.assert_close(found, want, rtol=0, atol=1e-5, equal_nan=True)
    assert bool(torch.isnan(found).any()) == (not safe and of_rows == 3)


def test_large_scores():
    """Scores far apart in the parts: their sums are joined by the largest score."""
    sizes = AttentionSizes(1, 1, 2, 2, 1, 1, "f32", (), True)
    query, value = torch.tensor([[[100.0]]]), torch.tensor([[[[1.0], [2.0]], [[3.0], [4.0]]]])
    for keys in ([-5.0, 5.0, 4.99, -7.0], [0.0, 0.0, 300.0, 300.0], [1e30, 0.0, 0.0, 1e30]):
        arguments = query, torch.tensor(keys).reshape(1, 2, 2, 1), value
        torch.testing.assert_close(run(sizes, *arguments), exact(arguments, None, None, True), rtol=1e-5, atol=1e-5)

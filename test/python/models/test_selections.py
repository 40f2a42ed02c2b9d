"""Counts, order statistics, products with a matrix for each group of rows, bags of rows."""

import pytest
import torch
import torch.nn.functional as F

pytestmark = pytest.mark.only_values

GENERATOR = torch.Generator().manual_seed(3)


def randn(*shape):
    return torch.randn(*shape, generator=GENERATOR)


def compiled(function, *inputs):
    torch._dynamo.reset()
    with torch.no_grad():
        return torch.compile(function, backend="hexagon", options={"fallback": "error"})(*inputs)


def test_histograms():
    """Elements on edges, outside, and NaN; a range that is given, and that of the elements, which may be one number."""
    def function(x, same):
        return x.histc(8, 0, 4), x[:20].histc(5), same.histc(3), x.histc(4, 1, 1)

    x = torch.cat([torch.arange(-4, 44) / 8, torch.tensor([4.0, 0.0, 4.0001, 1.0])])
    for got, wanted in zip(compiled(function, x, torch.full((6,), 2.5)), function(x, torch.full((6,), 2.5)),
                           strict=True):
        assert torch.equal(got, wanted)
    x[5] = float("nan")
    assert compiled(lambda x: x.histc(8, 0, 4), x).sum() == ((x >= 0) & (x <= 4)).sum()


@pytest.mark.full_except("6")
@pytest.mark.parametrize("rows", (6, 40))
def test_a_matrix_for_each_group_of_rows(rows):
    """An empty group, and rows after the last one; few rows and many."""
    x, w = randn(rows, 16).bfloat16(), randn(4, 16, 24).bfloat16()
    ends = torch.tensor([2, 2, rows // 2 + 1, rows - 1], dtype=torch.int32)
    got = compiled(lambda x, w, ends: torch._grouped_mm(x, w, ends), x, w, ends)
    start = 0
    for number, end in enumerate(ends.tolist()):
        torch.testing.assert_close(got[start:end].float(), x[start:end].float() @ w[number].float(), rtol=8e-3,
                                   atol=2e-2)
        start = end
    assert got.dtype == torch.bfloat16 and not got[start:].any()


@pytest.fixture(scope="module")
def library():
    """The operators that transformers declares, if it is not there."""
    made = torch.library.Library("transformers", "FRAGMENT")
    signature = "(Tensor input, Tensor weight, Tensor offs"
    for name, rest in (("grouped_mm_fallback", ") -> Tensor"),
                       ("grouped_mm_fallback_backward", ", Tensor grad_output) -> (Tensor, Tensor)")):
        if not hasattr(torch.ops.transformers, name):
            made.define(f"{name}{signature}{rest}")
            made.impl(name, {"grouped_mm_fallback": _experts, "grouped_mm_fallback_backward": _gradients}[name],
                      "CompositeExplicitAutograd")
    yield torch.ops.transformers
    made._destroy()


def _experts(x, weights, ends):
    y = x.new_zeros(x.shape[0], weights.shape[2])
    for number, (start, end) in enumerate(_groups(x, weights, ends)):
        y[start:end] = x[start:end] @ weights[number]
    return y


def _gradients(x, weights, ends, dy):
    dx, dw = torch.zeros_like(x), torch.zeros_like(weights)
    for number, (start, end) in enumerate(_groups(x, weights, ends)):
        dx[start:end] = dy[start:end] @ weights[number].T
        dw[number] = x[start:end].T @ dy[start:end]
    return dx, dw


def _groups(x, weights, ends):
    if isinstance(ends, torch._subclasses.FakeTensor):
        return []
    return list(zip([0, *ends.tolist()[:-1]], ends.tolist(), strict=True))


@pytest.mark.full_except("40")
@pytest.mark.parametrize("rows", (6, 40))
def test_products_of_experts(library, rows):
    """Forward and backward, an empty group, rows after the last one: gradients are zero there."""
    x, w, dy = randn(rows, 16), randn(4, 16, 24), randn(rows, 24)
    ends = torch.tensor([2, 2, rows // 2 + 1, rows - 1], dtype=torch.int32)
    inputs = (x, w, ends, dy)
    got = compiled(lambda x, w, ends, dy: (library.grouped_mm_fallback(x, w, ends),
                                           *library.grouped_mm_fallback_backward(x, w, ends, dy)), *inputs)
    wanted = (_experts(x, w, ends), *_gradients(x, w, ends, dy))
    for ours, theirs in zip(got, wanted, strict=True):
        torch.testing.assert_close(ours, theirs, rtol=1e-5, atol=1e-5)


def test_order_statistics():
    x = randn(5, 12)
    x[1, 3] = x[1, 7] = float("nan")
    x[2, 4] = x[2, 9]

    def function(x, n):
        return *x.median(1), *x.kthvalue(4, 1), *x.median(0, keepdim=True), x[2:].median(), *n.median(1)

    inputs = x, torch.randint(-9, 9, (3, 7), generator=GENERATOR)
    got, wanted = compiled(function, *inputs), function(*inputs)
    for number in (0, 2, 4, 6, 7):
        torch.testing.assert_close(got[number], wanted[number], rtol=0, atol=0, equal_nan=True)
    for values, places, dim in ((got[0], got[1], 1), (got[2], got[3], 1), (got[4][0], got[5][0], 0)):
        picked = x.gather(dim, places.unsqueeze(dim)).squeeze(dim)
        torch.testing.assert_close(picked, values, rtol=0, atol=0, equal_nan=True)


def test_running_logarithms_of_sums_and_lengths():
    x, y = 40 * randn(3, 17), torch.tensor([[0.0, -3e20, 1e-30, 5.0]])

    def function(x, y):
        return x.logcumsumexp(1), torch.hypot(y, torch.tensor([[0.0, 4e20, 1e-30, -12.0]]))

    for got, wanted in zip(compiled(function, x, y), function(x, y), strict=True):
        torch.testing.assert_close(got, wanted, rtol=1e-5, atol=1e-32)


@pytest.mark.parametrize(("mode", "padding", "weighted"), [("sum", None, True), ("mean", 3, False)])
def test_bags(mode, padding, weighted):
    """An empty bag, and one of padding alone."""
    weight, indices = randn(9, 5), torch.tensor([1, 3, 3, 8, 0, 3, 7])
    offsets, shares = torch.tensor([0, 2, 2, 3, 5]), randn(7) if weighted else None

    def function(weight, indices, offsets, shares):
        return F.embedding_bag(indices, weight, offsets, mode=mode, padding_idx=padding, per_sample_weights=shares)

    got, wanted = (f(weight, indices, offsets, shares) for f in (
        lambda *given: compiled(function, *given), function))
    torch.testing.assert_close(got, wanted, rtol=1e-6, atol=1e-6)

"""Operations without a lowering of their own, on the simulator: values as in PyTorch, of special values too."""

import torch
import torch.nn.functional as F

from hexagon_mlir.frontend.torch import distances, sampling, scatters, selections, strided_views

INF, NAN = float("inf"), float("nan")


def check(function, *inputs, rtol=1e-5, atol=1e-6):
    torch._dynamo.reset()
    with torch.no_grad():
        got = torch.compile(function, backend="hexagon", options={"fallback": "error"})(*inputs)
        torch.testing.assert_close(got, function(*inputs), rtol=rtol, atol=atol, equal_nan=True)


def test_statistics_and_losses():
    x, y = torch.rand(3, 5), torch.rand(3, 5)
    sign = torch.where(y > 0.5, 1.0, -1.0)

    def function(x, y, sign):
        return (*torch.std_mean(x, 1), *torch.var_mean(x, 0, correction=0), F.soft_margin_loss(x, sign),
                F.binary_cross_entropy(x, y), torch.vdot(x[0], y[0]), torch.isin(x, x[1]))

    check(function, x, y, sign, rtol=1e-4)


def test_special_values_of_entropy_and_losses():
    x = torch.tensor([0.0, 1.0, 0.3, -1.0, INF, NAN])
    zero = torch.zeros(6)
    check(lambda x, zero: (torch.special.entr(x), torch.special.xlog1py(zero, x),
                           torch.special.xlog1py(x[1:3], x[1:3]),
                           F.soft_margin_loss(x[:3] * 20, zero[:3] - 1, reduction="none")), x, zero)


def test_copies():
    def function(x):
        c = torch
        return (c.narrow_copy(x, 1, 1, 3), c.permute_copy(x, (1, 0)), c.squeeze_copy(x[None], 0), c.t_copy(x),
                c.transpose_copy(x, 0, 1), c.unsqueeze_copy(x, 1), c.view_copy(x, (5, 3)),
                *c.unbind_copy(x, 0), *c.split_with_sizes_copy(x, [2, 3], 1))

    check(function, torch.randn(3, 5), rtol=0, atol=0)


def test_order_among_numbers():
    x = torch.tensor([[3.0, NAN, 1.0, 2.0, -INF], [NAN, NAN, NAN, NAN, NAN], [4.0, 4.0, NAN, INF, 5.0]])

    def function(x):
        return (x.nanmedian(1)[0], x.nanmedian(1)[1][::2], x.nanmedian(), x[0, 0].amax(), x[0, 1].amin(0),
                x[0, 0].argmax(), x[0, 0].argmin())

    check(function, x, rtol=0, atol=0)
    values, places = selections.nanmedian_of_rows(x, 1, True)
    assert places.tolist() == [[2], [0], [1]] and values[0] == 1
    assert selections.nanmedian_of_rows(torch.tensor([[5, 2, 9, 1]]), 1)[0].tolist() == [2]
    assert selections.nanmedian(torch.empty(0)) is NotImplemented


def test_reductions_to_indices():
    """Of each kind, computed by PyTorch; one on the simulator, with what is put to places."""
    x, source, index = torch.randn(4, 5), torch.randn(4, 7), torch.tensor([0, 4, 4, 1, 0, 0, 2])
    source[1, 2], source[2, 0] = NAN, INF
    for how in ("prod", "mean", "amax", "amin"):
        for own in (True, False):
            wanted = x.index_reduce(1, index, source, how, include_self=own)
            found = scatters.index_reduce(x, -1, index, source, how, include_self=own)
            torch.testing.assert_close(found, wanted, equal_nan=True)
            one = torch.tensor(2.5).index_reduce(0, index[:1], source[0, 0], how, include_self=own)
            got = scatters.index_reduce(torch.tensor(2.5), 0, index[:1], source[0, 0], how, include_self=own)
            torch.testing.assert_close(got, one)
    check(lambda x, i, s: (x.index_reduce(1, i, s, "amax", include_self=False),
                           x.put(i[:4] - 3, s[0, :4], accumulate=True)), x, index, source)


def test_diagonals_and_strided_views():
    x, src = torch.randn(3, 4, 5), torch.randn(4, 2)
    for offset in (1, 0, -1, -4):
        part = torch.randn(torch.diagonal(x, offset, 2, 0).shape)
        found = strided_views.diagonal_scatter(x, part, offset, 2, 0)
        assert torch.equal(found, torch.diagonal_scatter(x, part, offset, 2, 0))
    check(lambda x, s: (torch.diagonal_scatter(x[0], s[:, 0], 1, 0, 1), torch.diagonal_copy(x, -1, 2, 0),
                        torch.as_strided_scatter(x, s, (4, 2), (3, 13), 1)), x, src, rtol=0, atol=0)
    assert strided_views.as_strided_scatter(x[:, 1:], src, (4, 2), (3, 13)) is NotImplemented
    for one in (x[0].t(), torch.arange(120.0).reshape(2, 3, 4, 5).permute(2, 0, 3, 1),
                torch.arange(13.0).reshape(1, 13).t()):
        places = (4, 2), (3, 2), 1
        assert torch.equal(strided_views.as_strided(one, *places), torch.as_strided(one, *places))
        new = torch.arange(8.0).reshape(4, 2) - 20
        assert torch.equal(strided_views.as_strided_scatter(one, new, *places),
                           torch.as_strided_scatter(one, new, *places))


def test_chunks_that_overlap():
    """Windows of keys as Longformer takes them, of heads that lie next to each other in memory."""
    def function(x):
        heads = x.reshape(24, 4, 16).transpose(0, 1).reshape(4, 3, 8, 16)
        return heads.as_strided((4, 5, 8, 16), (heads.stride(0), heads.stride(1) // 2, *heads.stride()[2:])).sum(2)

    check(function, torch.arange(24.0 * 64).reshape(24, 64).sin(), rtol=0, atol=1e-5)


def test_memory_without_values():
    """As the inverse of an order is made: all of it is written before it is read."""
    def function(order, x):
        inverse, more = torch.empty_like(order), x.new_empty(3, 2)
        inverse[order] = torch.arange(5)
        more[:] = 4.0
        return inverse, torch.empty(2, 3, dtype=torch.int32).fill_(7), more

    check(function, torch.tensor([3, 0, 4, 1, 2]), torch.zeros(2), rtol=0, atol=0)


def test_distances_of_each_order():
    x, y = torch.randn(2, 3, 5), torch.randn(2, 4, 5)
    y[0, 1] = x[0, 2]
    for p in (0.0, 0.5, 1.0, 2.0, 3.0, INF):
        for ours, theirs in ((distances.cdist(x, y, p, None), torch.cdist(x, y, p)),
                             (distances.pdist(x[0], p), F.pdist(x[0], p))):
            torch.testing.assert_close(ours, theirs, rtol=1e-5, atol=1e-6)
    check(lambda x, y: (torch.cdist(x, y, 0.0), torch.cdist(x, y, 3.0)), x, y, rtol=1e-4)
    y[1, 0, 0] = NAN
    check(lambda x, y: torch.cdist(x, y, 1.0), x, y)


def test_samples_of_volumes():
    x, grid = torch.randn(2, 3, 4, 3, 5), torch.rand(2, 1, 3, 2, 3) * 4 - 2
    for mode in (0, 1):
        for padding in (0, 1, 2):
            for align in (False, True):
                wanted = torch.ops.aten.grid_sampler_3d(x, grid, mode, padding, align)
                torch.testing.assert_close(sampling.grid_sampler_3d(x, grid, mode, padding, align), wanted,
                                           rtol=1e-4, atol=1e-5)
    thin = torch.randn(1, 1, 1, 1, 4)
    torch.testing.assert_close(sampling.grid_sampler_3d(thin, grid[:1], 0, 2, True),
                               torch.ops.aten.grid_sampler_3d(thin, grid[:1], 0, 2, True), rtol=1e-4, atol=1e-5)
    check(lambda x, g: F.grid_sample(x, g, padding_mode="reflection", align_corners=False), x, grid, rtol=1e-4,
          atol=1e-5)


def test_edges_cut_after_they_are_repeated():
    check(lambda x: (F.pad(x, (2, -2), mode="replicate"), F.pad(x, (-6, 3), mode="replicate")), torch.randn(2, 3, 7),
          rtol=0, atol=0)

"""Triangular systems, inverses, factors and diagonals."""

import pytest
import torch

from hexagon_mlir.frontend.torch import linear_algebra

pytestmark = pytest.mark.only_values

GENERATOR = torch.Generator().manual_seed(3)


def randn(*shape):
    return torch.randn(*shape, generator=GENERATOR)


def compiled(function, *inputs, fallback="error"):
    torch._dynamo.reset()
    with torch.no_grad():
        return torch.compile(function, backend="hexagon", options={"fallback": fallback})(*inputs)


@pytest.mark.full_except("1-False-False-True", "11-False-True-True")
@pytest.mark.parametrize(("size", "upper", "unit", "left"), [
    (1, False, False, True), (5, True, False, True), (11, False, True, True),
    (23, False, False, False)])
def test_triangular_systems(size, upper, unit, left):
    a = randn(2, size, size) * 0.5 + 3 * torch.eye(size)  # the other triangle must not matter
    b = randn(2, size, 3) if left else randn(2, 3, size)

    def solve(a, b):
        return torch.linalg.solve_triangular(a, b, upper=upper, unitriangular=unit, left=left)

    if unit:
        a *= 0.3
    wanted = solve(a.double(), b.double())
    assert (compiled(solve, a, b) - wanted).abs().max() <= 4e-6 * wanted.abs().max()


def test_inverse_needs_pivots():
    """The first pivots are zero, and one is small."""
    a = torch.tensor([[[0.0, 2, 1], [1, 0, 3], [0, 1, 0]], [[1e-6, 1, 0], [1, 1, 0], [5, 2, -3]]])
    got = compiled(lambda a: torch.linalg.inv_ex(a), a)
    torch.testing.assert_close(got.inverse, torch.linalg.inv(a.double()).float(), rtol=2e-5, atol=2e-5)
    assert got.info.tolist() == [0, 0]


def test_a_singular_matrix_is_an_error():
    """The check runs in eager PyTorch, all the rest is compiled."""
    function = torch.compile(lambda a: torch.linalg.inv(a) * 2, backend="hexagon")
    with torch.no_grad(), pytest.warns(UserWarning, match="'aten._linalg_check_errors.default' has an effect"):
        a = randn(4, 4) + 4 * torch.eye(4)
        torch.testing.assert_close(function(a), torch.linalg.inv(a) * 2)
        with pytest.raises(torch.linalg.LinAlgError, match="singular"):
            function(torch.ones(4, 4))


def test_cholesky_tells_the_first_pivot_that_is_not_positive():
    a = randn(3, 6, 6)
    a = a @ a.transpose(1, 2) + torch.eye(6)
    a[1, 3, 3] = -1.0
    got = compiled(lambda a: torch.linalg.cholesky_ex(a), a)
    wanted = torch.linalg.cholesky_ex(a)
    assert got.info.tolist() == wanted.info.tolist() == [0, 4, 0]
    torch.testing.assert_close(got.L[::2], wanted.L[::2], rtol=1e-5, atol=1e-5)


def test_products_and_diagonals():
    def function(x, m, v, w):
        return (torch.addmv(v, m, w, beta=0.5, alpha=2), torch.addr(m, v, w, beta=0), torch.block_diag(m, x[0], v),
                x.diagonal(1, 1, 2), x.diagonal(-2, 1, 2), m.diagonal(7), torch.diagonal_copy(x, 0, 2, 0))

    inputs = randn(2, 4, 5), randn(3, 4), randn(3), randn(4)
    for got, wanted in zip(compiled(function, *inputs), function(*inputs), strict=True):
        torch.testing.assert_close(got, wanted, rtol=1e-6, atol=1e-6)


@pytest.mark.parametrize("kind", (torch.int8, torch.uint8))
def test_products_of_bytes(kind):
    x = torch.randint(0, 256, (17, 40), generator=GENERATOR).to(kind)
    y = torch.randint(-128, 128, (40, 24), generator=GENERATOR, dtype=torch.int8)
    got = compiled(torch._int_mm, x, y)
    assert got.dtype == torch.int32 and torch.equal(got, x.int() @ y.int())


@pytest.mark.parametrize("norm", [0.0, 1e-3, 0.5, 3.0, 40.0])
def test_exponentials_of_matrices(norm):
    a = torch.randn(3, 6, 6, generator=torch.Generator().manual_seed(2))
    a = a / a.abs().sum(-2).amax(-1)[:, None, None] * norm
    a[1] = -a[1] @ a[1].mT / max(norm, 1e-3)  # all eigenvalues below zero
    wanted = torch.linalg.matrix_exp(a.double())
    largest = wanted.abs().amax((-2, -1), keepdim=True)
    assert bool(((linear_algebra.matrix_exponential(a) - wanted).abs() <= 2e-5 * (1 + norm) * largest).all())

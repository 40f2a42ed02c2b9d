"""LU factorizations: computed by PyTorch for many sizes, and on the simulator."""

import pytest
import torch

from hexagon_mlir.frontend.torch import factorizations

pytestmark = pytest.mark.only_values


def close(got, wanted):
    torch.testing.assert_close(got, tuple(wanted), rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize("shape", [(1, 1), (5, 5), (3, 5), (6, 2), (2, 3, 4, 4), (2, 16, 16)])
def test_factors(shape):
    a = torch.randn(shape)
    close(factorizations.lu_factor(a), torch.linalg.lu_factor_ex(a))
    close(factorizations.lu(a), torch.linalg.lu(a))
    both, pivots, _ = torch.linalg.lu_factor_ex(a)
    close(factorizations.lu_unpack(both, pivots), torch.lu_unpack(both, pivots))


def test_singular_matrices():
    a = torch.tensor([[[1.0, 2.0], [2.0, 4.0]], [[0.0, 0.0], [0.0, 3.0]], [[0.0, 2.0], [-3.0, 1.0]]])
    close(factorizations.lu_factor(a), torch.linalg.lu_factor_ex(a))
    close(factorizations.slogdet(a)[:2], torch.linalg.slogdet(a))
    assert factorizations.lu_factor(a)[2].tolist() == [2, 1, 0]


def test_systems():
    a, b = torch.randn(2, 5, 5), torch.randn(2, 5, 3)
    close(factorizations.solve(a, b), torch.ops.aten._linalg_solve_ex(a, b))
    close(factorizations.solve(a, b[..., 0]), torch.ops.aten._linalg_solve_ex(a, b[..., 0]))
    close(factorizations.solve(a[0], b[0, :, 0]), torch.ops.aten._linalg_solve_ex(a[0], b[0, :, 0]))
    both, pivots = torch.linalg.lu_factor(a)
    for adjoint in (False, True):
        close((factorizations.lu_solve(both, pivots, b, adjoint=adjoint),),
              [torch.linalg.lu_solve(both, pivots, b, adjoint=adjoint)])
    factor = torch.linalg.cholesky(a @ a.mT + torch.eye(5))
    for upper in (False, True):
        side = factor.mT if upper else factor
        close((factorizations.cholesky_solve(b, side, upper), factorizations.cholesky_inverse(side, upper)),
              (torch.cholesky_solve(b, side, upper), torch.cholesky_inverse(side, upper)))
        for transposed in (False, True):
            close(factorizations.triangular_solve(b, factor, upper, transposed),
                  torch.triangular_solve(b, factor, upper, transposed))


def test_what_is_left_alone():
    for a in (torch.randn(17, 17), torch.randn(0, 3), torch.randn(3, 3, dtype=torch.float64)):
        assert factorizations.lu_factor(a) is NotImplemented
        assert factorizations.solve(a, torch.randn(3, 1)) is NotImplemented
    assert factorizations.solve(torch.randn(3, 3), torch.randn(2, 3), left=False) is NotImplemented


@pytest.mark.full
def test_compiled():
    """A zero as the first pivot; a matrix of rank one has no logarithm of its determinant."""
    a, b = torch.randn(3, 3), torch.randn(3, 2)
    a[0, 0] = 0.0
    singular = torch.tensor([[1.0, 2.0], [2.0, 4.0]])

    def function(a, b, singular):
        return (torch.linalg.solve_ex(a, b)[0], *torch.linalg.slogdet(a), torch.linalg.slogdet(singular)[0])

    torch._dynamo.reset()
    with torch.no_grad():
        got = torch.compile(function, backend="hexagon", options={"fallback": "error"})(a, b, singular)
    close(got, function(a, b, singular))


@pytest.mark.each_value
@pytest.mark.parametrize("shape", [(1, 1), (5, 5), (3, 5), (6, 2), (2, 3, 4, 4), (2, 16, 16)])
@pytest.mark.parametrize("mode", ["reduced", "complete", "r"])
def test_orthogonal_factors(shape, mode):
    """Signs are those of LAPACK, also of columns that are triangular already."""
    a = torch.randn(shape)
    close(factorizations.qr(a, mode), torch.linalg.qr(a, mode))
    close(factorizations.qr(a.triu(), mode), torch.linalg.qr(a.triu(), mode))
    zero = torch.zeros(shape)
    close(factorizations.qr(zero, mode), torch.linalg.qr(zero, mode))

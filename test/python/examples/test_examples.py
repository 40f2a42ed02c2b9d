"""Every example against PyTorch, on ragged shapes and special values."""

import pytest
import torch
from support import ROOT

SPECIAL = torch.tensor([0.0, -0.0, 1.0, -1.0, float("inf"), float("-inf"), float("nan"), 1e-40, -3e38])


def rand(*shape):
    return torch.randn(*shape, generator=torch.Generator().manual_seed(sum(shape)))


@pytest.mark.parametrize("n", [1, 31, 32, 33, 1000, 16384, 100003])
def test_vector_add(example, n):
    x, y = rand(n), rand(n).flip(0)
    x[: min(n, 9)] = SPECIAL[: min(n, 9)]
    torch.testing.assert_close(example("vector_add").run(x, y), x + y, equal_nan=True)


@pytest.mark.parametrize("shape", [(1, 1), (9, 33), (64, 16384)])
def test_matrix_add(example, shape):
    x, y = rand(*shape), rand(*shape) * 3
    torch.testing.assert_close(example("vector_add").run(x, y), x + y)


@pytest.mark.parametrize("dtype", [torch.float32, torch.float16])
@pytest.mark.parametrize("n", [1, 127, 5000])
def test_gelu(example, n, dtype):
    x = (rand(n) * 6).to(dtype)
    expected = torch.nn.functional.gelu(x.float(), approximate="tanh").to(dtype)
    tolerance = {"rtol": 2e-3, "atol": 1e-3} if dtype == torch.float16 else {"rtol": 1e-5, "atol": 2e-6}
    torch.testing.assert_close(example("gelu").run(x), expected, **tolerance)


@pytest.mark.parametrize("shape", [(1, 1), (3, 31), (5, 781), (2, 1024)])
def test_softmax(example, shape):
    x = rand(*shape) * 20
    x[0, 0] = -1e30
    torch.testing.assert_close(example("softmax").run(x), torch.softmax(x, 1), rtol=1e-5, atol=1e-7)


def test_softmax_of_strided_rows(example):
    x = rand(6, 100)[:, :37]
    torch.testing.assert_close(example("softmax").run(x), torch.softmax(x, 1), rtol=1e-5, atol=1e-7)


@pytest.mark.parametrize("shape", [(1, 1), (4, 33), (127, 513)])
def test_rms_norm(example, shape):
    x, weight = rand(*shape), rand(shape[1])
    expected = torch.nn.functional.rms_norm(x, (shape[1],), weight, 1e-6)
    torch.testing.assert_close(example("rms_norm").run(x, weight), expected, rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("dtype", [torch.float32, torch.float16])
@pytest.mark.parametrize(("m", "n", "k"), [(1, 1, 1), (32, 64, 64), (33, 65, 130), (123, 77, 200)])
def test_matmul(example, m, n, k, dtype):
    a, b = rand(m, k).to(dtype), rand(k, n).to(dtype)
    torch.testing.assert_close(example("matmul").run(a, b), a.float() @ b.float(), rtol=1e-5, atol=1e-4)


def test_matmul_of_transposed_operands(example):
    a, b = rand(50, 40).t(), rand(60, 50).t()
    torch.testing.assert_close(example("matmul").run(a, b), a @ b, rtol=1e-5, atol=1e-4)


@pytest.mark.parametrize("path", sorted((ROOT / "examples").glob("*.py")), ids=lambda p: p.stem)
def test_every_example_has_the_same_shape(path):
    text = path.read_text()
    for part in ("@triton.jit", "def run(", "def main() -> None:", 'if __name__ == "__main__":'):
        assert part in text, f"{path.name} lacks {part}"

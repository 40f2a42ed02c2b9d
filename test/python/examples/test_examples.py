"""Every example against PyTorch, on ragged shapes and special values."""

import pytest
import torch
from support import ROOT

SPECIAL = torch.tensor([0.0, -0.0, 1.0, -1.0, float("inf"), float("-inf"), float("nan"), 1e-40, -3e38])


def rand(*shape):
    return torch.randn(*shape, generator=torch.Generator().manual_seed(sum(shape)))


@pytest.mark.ieee_arithmetic
@pytest.mark.parametrize("n", [1, 31, 32, 33, 1000, 16384, 100003])
def test_vector_add(example, n):
    x, y = rand(n), rand(n).flip(0)
    x[: min(n, 9)] = SPECIAL[: min(n, 9)]
    torch.testing.assert_close(example("vector_add").run(x, y), x + y, equal_nan=True)


@pytest.mark.parametrize("shape", [(1, 1), (9, 33), (64, 16384)])
def test_matrix_add(example, shape):
    x, y = rand(*shape), rand(*shape) * 3
    torch.testing.assert_close(example("vector_add").run(x, y), x + y)


@pytest.mark.each_value
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


@pytest.mark.parametrize(("name", "expected"), [
    ("vector_add", lambda x: x + x.flip(0)), ("softmax", lambda x: torch.softmax(x.float(), 1)),
    ("rms_norm", lambda x: torch.nn.functional.rms_norm(x.float(), x.shape[1:], x[0].float(), 1e-6))])
def test_half_precision(example, name, expected):
    x = (rand(5, 333) * 8).half()
    x[1, 7], x[2, 0], x[3, 332] = 60000, -60000, 6e-8  # the sum of squares is no f16, nor is the last a normal one
    others = {"vector_add": (x.flip(0),), "softmax": (), "rms_norm": (x[0].clone(),)}[name]
    actual = example(name).run(x, *others)
    torch.testing.assert_close(actual, expected(x).half(), rtol=2e-3, atol=2e-6)


def test_softmax_of_strided_rows(example):
    x = rand(6, 100)[:, :37]
    torch.testing.assert_close(example("softmax").run(x), torch.softmax(x, 1), rtol=1e-5, atol=1e-7)


@pytest.mark.parametrize("shape", [(1, 1), (4, 33), (127, 513)])
def test_rms_norm(example, shape):
    x, weight = rand(*shape), rand(shape[1])
    expected = torch.nn.functional.rms_norm(x, (shape[1],), weight, 1e-6)
    torch.testing.assert_close(example("rms_norm").run(x, weight), expected, rtol=1e-5, atol=1e-6)


@pytest.mark.each_value
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


@pytest.mark.parametrize(("n", "dtype"), [
    pytest.param(1, torch.float32, marks=pytest.mark.full), (3001, torch.float16)])
def test_dropout(example, n, dtype):
    dropout = example("dropout")
    x = (rand(n).abs() + 1).to(dtype)
    y = dropout.run(x, 0.4, seed=5)
    kept = y != 0
    torch.testing.assert_close(y[kept], (x.float() / 0.6)[kept].to(dtype))
    assert abs(kept.float().mean() - 0.6) < 0.05 or n == 1
    assert torch.equal(dropout.run(x, 0.4, seed=5, block=256), y)


@pytest.mark.parametrize(("n", "dtype"), [
    pytest.param(33, torch.float16, marks=pytest.mark.full), (1500, torch.float32)])
def test_libdevice(example, n, dtype):
    libdevice = example("libdevice")
    x = rand(n).tanh().to(dtype)
    tolerance = 2e-3 if dtype == torch.float16 else 1e-6
    for actual, wanted in zip(libdevice.run(x), libdevice.expected(x), strict=True):
        torch.testing.assert_close(actual, wanted, rtol=max(tolerance, 1e-5), atol=tolerance)


@pytest.mark.each_value
@pytest.mark.parametrize("dtype", [torch.float32, torch.float16])
@pytest.mark.parametrize("shape", [(1, 1), (6, 33), (9, 130)])
def test_layer_norm(example, shape, dtype):
    x = (rand(*shape) * 3 + 1).to(dtype).requires_grad_()
    weight, bias = (rand(shape[1]).requires_grad_() for _ in range(2))
    dy = rand(*shape).flip(0).to(dtype)
    actual = example("layer_norm").run(x, weight, bias)
    wide = x.detach().float().requires_grad_()
    expected = torch.nn.functional.layer_norm(wide, (shape[1],), weight, bias)
    tolerance = {"rtol": 5e-3, "atol": 5e-3} if dtype == torch.float16 else {"rtol": 1e-4, "atol": 2e-5}
    torch.testing.assert_close(actual.float(), expected, **tolerance)
    gradients = torch.autograd.grad(actual, (x, weight, bias), dy)
    wanted = torch.autograd.grad(expected, (wide, weight, bias), dy.float())
    for a, b in zip(gradients, wanted, strict=True):
        torch.testing.assert_close(a.float(), b, **tolerance)


@pytest.mark.parametrize(("causal", "tokens", "dtype"), [
    pytest.param(False, 7, torch.float32, marks=pytest.mark.full), (True, 45, torch.float16)])
def test_attention(example, tokens, causal, dtype):
    q, k, v = ((rand(2, tokens, 16) * scale).to(dtype).requires_grad_() for scale in (1, 2, 3))
    dout = rand(2, tokens, 16).flip(1).to(dtype)
    wide = [t.detach().float().requires_grad_() for t in (q, k, v)]
    expected = torch.nn.functional.scaled_dot_product_attention(*wide, is_causal=causal)
    actual = example("attention").run(q, k, v, causal)
    tolerance = {"rtol": 2e-2, "atol": 2e-2} if dtype == torch.float16 else {"rtol": 1e-4, "atol": 5e-5}
    torch.testing.assert_close(actual.float(), expected, **tolerance)
    for a, b in zip(torch.autograd.grad(actual, (q, k, v), dout), torch.autograd.grad(expected, wide, dout.float()),
                    strict=True):
        torch.testing.assert_close(a.float(), b, **tolerance)


@pytest.mark.parametrize("dtype", [torch.float32, torch.float16])
def test_grouped_matmul(example, dtype):
    sizes = [(33, 40, 17), (1, 1, 1), (20, 70, 45)]
    pairs = [(rand(m, k).to(dtype), rand(k, n).to(dtype)) for m, n, k in sizes]
    for (a, b), c in zip(pairs, example("grouped_matmul").run(pairs), strict=True):
        expected = (a.float() @ b.float()).to(dtype)
        torch.testing.assert_close(c, expected, rtol=1e-2 if dtype == torch.float16 else 1e-5, atol=1e-2)


@pytest.mark.parametrize("dtype", [torch.float32, torch.float16])
def test_persistent_matmul(example, dtype):
    a, b = rand(50, 40).to(dtype), rand(37, 40).to(dtype)
    expected = (a.float() @ b.float().t()).to(dtype)
    actual = example("persistent_matmul").run(a, b, programs=3)
    torch.testing.assert_close(actual, expected, rtol=1e-2 if dtype == torch.float16 else 1e-5, atol=1e-3)

"""Kernels that PyTorch's Inductor writes when it is told to emit Triton for the CPU."""

import pytest
import torch

F = torch.nn.functional


def mlp(x, w, v):
    return F.log_softmax(F.gelu(F.layer_norm(x @ w, (33,))) @ v, -1)


def joined(x, y):
    return torch.cat([x, y.t()[:, :5], F.pad(x, (1, 2))], 1).flip(0) * torch.arange(6)[:, None]


def pooled(x, w):
    y = F.conv2d(x, w, padding=1)
    return F.max_pool2d(F.relu(F.batch_norm(y, None, None, training=True)), 2), F.interpolate(y, scale_factor=2.0)


def embedded(table, tokens, weight):
    x = F.rms_norm(F.embedding(tokens, table), (16,), weight)
    scores = (x @ x.mT / 4).masked_fill(torch.ones(9, 9).triu(1).bool(), float("-inf"))
    return torch.softmax(scores, -1) @ x


def reduced(x):
    return x.var(0), x.argmax(1), x.amin(), x.cumsum(1), x.std(1, keepdim=True) * x, (x > 0).sum(), x.prod(1)


def scattered(x, index):
    return torch.zeros(6, 20).scatter_add(1, index, x), x.gather(1, index), x[:, index[0]], x.roll(3, 1), x.tril()


def converted(x):
    return x.half() * 2, x.to(torch.int32) // 3, (x * 10).to(torch.int64) % 7, x.sign().bool()


def classified(x, y, n):
    return (x.isnan(), x.isinf(), x.signbit(), torch.fmod(x, y), torch.hypot(x, y), torch.nextafter(x, y),
            torch.ldexp(x, n), *torch.frexp(x[6:]))


def losses(x):
    target = torch.arange(7) % 5
    smoothed = F.cross_entropy(x, target, label_smoothing=0.1)
    return smoothed, F.huber_loss(x, x.roll(1, 0)), F.cosine_similarity(x, x.flip(0))


def case(function, *arguments):
    return pytest.param(function, arguments, id=function.__name__)


def rand(*shape):
    return torch.randn(*shape, generator=torch.Generator().manual_seed(sum(shape)))


CASES = [
    case(mlp, rand(5, 20), rand(20, 33), rand(33, 7)),
    case(joined, rand(6, 11), rand(9, 6)),
    case(pooled, rand(2, 3, 8, 10), rand(4, 3, 3, 3)),
    case(embedded, rand(30, 16), torch.arange(18).reshape(2, 9) * 7 % 30, rand(16)),
    case(reduced, rand(6, 37)),
    case(scattered, rand(6, 20), torch.arange(120).reshape(6, 20) * 7 % 20),
    case(converted, rand(6, 37) * 50),
    case(classified, torch.tensor([float("inf"), float("-inf"), float("nan"), 0.0, -0.0, 3e38, 1e-40, -7.0, 3.5, 0.1]),
         torch.tensor([1.0, 2.0, 3.0, float("nan"), 5.0, -3e38, 1.0, 2.5, -0.75, 0.3]),
         torch.tensor([1, 2, 3, 4, 5, -300, 130, 3, -140, -1], dtype=torch.int32)),
    case(losses, rand(7, 5)),
]


@pytest.mark.full_except("mlp", "pooled", "embedded", "joined", "converted", "scattered")
@pytest.mark.parametrize(("function", "arguments"), CASES)
@pytest.mark.filterwarnings("ignore:Could not find an active CPU backend")
def test_inductor(function, arguments, tmp_path, monkeypatch):
    import torch._inductor.config as config

    monkeypatch.setenv("TORCHINDUCTOR_CACHE_DIR", str(tmp_path))
    torch.compiler.reset()
    expected = function(*arguments)
    with config.patch(cpu_backend="triton", compile_threads=1):
        actual = torch.compile(function)(*arguments)
    torch.testing.assert_close(actual, expected, rtol=1e-4, atol=1e-5, equal_nan=True)

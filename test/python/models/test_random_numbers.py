"""Random numbers: the generator's published answers, the rule for keys and counters, distributions, training."""

import copy
import math

import numpy as np
import pytest
import torch
import torch.nn.functional as F
from torch import nn

import hexagon_mlir as hx
from hexagon_mlir.frontend.torch.kernels.threefry import threefry

pytestmark = pytest.mark.only_values

STRICT = {"fallback": "error"}


def words(key, count):
    """The first words of Threefry-2x32-20 for the counters (0, 0) to (count - 1, 0), in numpy."""
    k = [np.uint32(int(one) & 0xFFFFFFFF) for one in key]
    k.append(k[0] ^ k[1] ^ np.uint32(0x1BD11BDA))
    x, y = np.arange(count, dtype=np.uint32) + k[0], np.full(count, k[1])
    for step in range(5):
        for bits in ((13, 15, 26, 6), (17, 29, 16, 24))[step % 2]:
            x = x + y
            y = ((y << np.uint32(bits)) | (y >> np.uint32(32 - bits))) ^ x
        x, y = x + k[(step + 1) % 3], y + (k[(step + 2) % 3] + np.uint32(step + 1))
    return x


def drawn(seed, operations, count):
    """The words of each operation of the first call after ``torch.manual_seed(seed)``."""
    torch.manual_seed(seed)
    return [words(key, count) for key in torch.randint(-1 << 31, 1 << 31, (operations, 2), dtype=torch.int32).tolist()]


def kept(word, p):
    return torch.from_numpy((word >> 9) >= round(p * 2 ** 23))


@pytest.mark.parametrize(("key", "counter", "answer"), [
    ((0, 0), (0, 0), (0x6B200159, 0x99BA4EFE)), ((0xFFFFFFFF,) * 2, (0xFFFFFFFF,) * 2, (0x1CB996FC, 0xBB002BE7)),
    ((0x13198A2E, 0x03707344), (0x243F6A88, 0x85A308D3), (0xC4923A9C, 0x483DF7A0))])
def test_published_answers(key, counter, answer):
    """The known answers that the generator's authors distribute (Random123, kat_vectors)."""
    assert threefry(*(tuple(torch.tensor(word) for word in pair) for pair in (key, counter))) == answer
    if not counter[1]:
        assert words(key, 1)[0] == answer[0]


def everything(x):
    """One operation of each kind, in an order that the test knows."""
    return F.dropout(x, 0.3), torch.randn_like(x), torch.randint(-3, 102, (185,)), torch.randperm(37)


def test_rule():
    """Words, masks and integers are exact, functions of them as accurate as the chip's; ragged sizes."""
    torch._dynamo.reset()
    x = torch.linspace(-3, 3, 185).reshape(5, 37)
    run = torch.compile(everything, backend="hexagon", options=STRICT)
    with torch.no_grad():
        torch.manual_seed(11)
        dropped, normal, integers, order = run(x)
        again = run(x)
        torch.manual_seed(11)
        assert all(map(torch.equal, run(x), (dropped, normal, integers, order)))
    assert not torch.equal(again[1], normal)
    each = drawn(11, 4, 185)
    torch.testing.assert_close(dropped.flatten(), torch.where(kept(each[0], 0.3), x.flatten() / 0.7, 0.0))
    middle = torch.from_numpy(((each[1] >> 9) + 0.5) * 2.0 ** -23)
    torch.testing.assert_close(normal.flatten().double(), torch.special.ndtri(middle), rtol=1e-5, atol=1e-5)
    assert integers.tolist() == [int(word) * 105 // 2 ** 32 - 3 for word in each[2]]
    assert order.tolist() == np.argsort(each[3][:37].view(np.int32), stable=True).tolist()


def test_distributions():
    """Of many numbers: mean and variance within five standard errors; weights of zero are never drawn."""
    def function(weights):
        return torch.randn(3000), torch.multinomial(weights, 1)

    torch._dynamo.reset()
    torch.manual_seed(5)
    weights = torch.tensor([0.5, 0.0, 1.5]).expand(400, 3).contiguous()
    with torch.no_grad():
        normal, found = torch.compile(function, backend="hexagon", options=STRICT)(weights)
    assert abs(normal.mean()) < 5 / math.sqrt(3000) and abs(normal.var() - 1) < 5 * math.sqrt(2 / 3000)
    shares = torch.bincount(found[:, 0], minlength=3) / len(found)
    assert shares[1] == 0 and abs(shares[2] - 0.75) < 5 * math.sqrt(0.1875 / len(found))


class Masked(nn.Module):
    """A dropout of 1/4 by the masks that it is given."""

    def __init__(self):
        super().__init__()
        self.masks = iter(())

    def forward(self, x):
        return x * next(self.masks).reshape(x.shape) / 0.75


def test_training_with_dropout():
    """Losses of three steps equal those of a module that is given the masks of the rule."""
    torch._dynamo.reset()
    torch.manual_seed(2)
    plain = nn.Sequential(nn.Dropout(0.25), nn.Linear(9, 21), nn.Dropout(0.25), nn.Linear(21, 3))
    masked = copy.deepcopy(plain)
    masked[0], masked[2] = Masked(), Masked()
    run = torch.compile(plain, backend="hexagon", options=STRICT)
    optimizers = [torch.optim.SGD(one.parameters(), lr=0.5) for one in (plain, masked)]
    x, y = torch.randn(7, 9), torch.tensor([0, 2, 1, 1, 0, 2, 2])
    for step in range(3):
        first, second = drawn(step, 2, 147)
        masked[0].masks, masked[2].masks = iter([kept(first[:63], 0.25)]), iter([kept(second, 0.25)])
        torch.manual_seed(step)
        losses = [F.cross_entropy(one(x), y) for one in (run, masked)]
        torch.testing.assert_close(losses[0], losses[1], rtol=0, atol=1e-4)
        for loss, optimizer in zip(losses, optimizers, strict=True):
            loss.backward()
            optimizer.step()
            optimizer.zero_grad()
    torch.testing.assert_close(plain[1].weight, masked[1].weight, rtol=1e-4, atol=1e-5)


class Noisy(nn.Module):
    def forward(self, x):
        return x + torch.rand_like(x)


def test_exported_programs(tmp_path):
    """Each run draws keys, after saving and loading too."""
    x = torch.zeros(3, 7)
    model = hx.compile(torch.export.export(Noisy(), (x,)))
    wanted = torch.from_numpy((drawn(3, 1, 21)[0] >> 9) * 2.0 ** -23).float().reshape(3, 7)
    model.save(tmp_path / "model")
    for one in (model, hx.load(tmp_path / "model")):
        torch.manual_seed(3)
        torch.testing.assert_close(one(x), wanted, rtol=0, atol=2 ** -23)
        assert not torch.equal(one(x), wanted)


@pytest.mark.parametrize("function", [lambda x: torch.rand_like(x, dtype=torch.float64).float(), torch.poisson])
def test_what_has_no_rule_is_refused_by_name(function):
    torch._dynamo.reset()
    with pytest.raises(hx.HexError, match="draws random numbers"), torch.no_grad():
        torch.compile(function, backend="hexagon", options=STRICT)(torch.ones(3))


def test_no_numbers_and_certain_ones():
    """No elements; probabilities of 0 and 1."""
    def function(x):
        return torch.rand(0, 3), F.dropout(x, 1.0), F.dropout(x, 0.0), torch.bernoulli(torch.tensor([0.0, 1.0, 1.0]))

    torch._dynamo.reset()
    x = torch.tensor([1.0, float("nan"), -2.0])
    with torch.no_grad():
        none, nothing, everything_, certain = torch.compile(function, backend="hexagon", options=STRICT)(x)
    assert none.shape == (0, 3) and nothing.tolist() == [0, 0, 0] and certain.tolist() == [0, 1, 1]
    torch.testing.assert_close(everything_, x, equal_nan=True)

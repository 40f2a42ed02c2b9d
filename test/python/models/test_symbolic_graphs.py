"""torch.compile with symbolic sizes: one compilation, further sizes without one, values and reasons."""

import re

import pytest
import torch
import torch.nn.functional as F
from torch import nn

from hexagon_mlir.codegen import schedule
from hexagon_mlir.frontend.torch import forward
from hexagon_mlir.ir import HexError

pytestmark = pytest.mark.only_values


@pytest.fixture
def kernels(monkeypatch):
    """Its length is how many kernels were compiled."""
    found, lower = [], schedule.lower_module
    monkeypatch.setattr(schedule, "lower_module", lambda *args, **kwargs: found.append(1) or lower(*args, **kwargs))
    return found


def compiled(module, dynamic=True, **options):
    torch._dynamo.reset()
    return torch.compile(module, backend="hexagon", dynamic=dynamic, options={"fallback": "error", **options})


def remark():
    return next((one.message for one in forward.models[-1].remarks if one.origin == "torch-specialize"), None)


def check(fast, module, *inputs):
    with torch.no_grad():
        got, expected = fast(*inputs), module(*inputs)
    torch.testing.assert_close(got, expected, rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize(("dynamic", "before"), [(True, 0), (None, 2)])
def test_one_compilation_for_any_rows(kernels, dynamic, before):
    """With None PyTorch traces for the first size alone, and for any sizes at the second."""
    module = nn.Sequential(nn.Linear(33, 64), nn.GELU(), nn.Linear(64, 10))
    fast = compiled(module, dynamic)
    for rows in (4, 9, 130, 5, 2):
        x = torch.randn(rows, 33) - 0.5
        check(fast, module, x)
    assert len(kernels) == before + 2 and remark() == "compiled once for any sizes, 2 kernels"
    check(fast, module, torch.randn(33, 7).t())
    check(fast, module, torch.randn(14, 66)[::2, ::2])
    assert len(kernels) == before + 2


@pytest.mark.full_except("variance", "layer norm")
@pytest.mark.parametrize("module", [
    lambda x: x.mean(1), lambda x: x.mean(0, keepdim=True), lambda x: x.var(1, correction=0),
    lambda x: nn.functional.layer_norm(x, x.shape[-1:]), lambda x: nn.functional.rms_norm(x, x.shape[-1:], eps=1e-5),
], ids=["rows", "columns", "variance", "layer norm", "rms norm"])
def test_numbers_that_depend_on_sizes(kernels, module):
    """Means of a size that changes: PyTorch computes 1 / n in a tensor of f64."""
    fast = compiled(module)
    for rows, columns in ((4, 50), (9, 777), (3, 2)):
        check(fast, module, torch.randn(rows, columns))
    assert remark() == "compiled once for any sizes, 1 kernels" and len(kernels) == 1


def test_sizes_as_results_and_several_of_them(kernels):
    def module(x, y):
        return torch.softmax(x @ y, -1), x.shape[0] * y.shape[1], x.shape[0] + 3

    fast = compiled(module)
    for rows, columns in ((40, 5), (9, 77), (13, 13)):
        check(fast, module, torch.randn(rows, 16), torch.randn(16, columns))
    assert remark().startswith("compiled once") and len(kernels) == int(remark().split()[-2])


@pytest.mark.parametrize(("module", "sizes", "reason"), [
    (lambda x, y: x[: y.shape[0]] * 2, ((40, 5), (13, 13), (20, 33)), "size of no argument|for sizes with"),
    (nn.MaxPool2d(2), ((1, 2, 6, 40), (1, 2, 8, 41)), "max_pool.* has the size"),
], ids=["slice", "pooling"])
def test_what_is_other_code_is_compiled_for_each_size(kernels, module, sizes, reason):
    fast, counts = compiled(module), []
    for size in sizes:
        check(fast, module, *((torch.randn(size),) if isinstance(module, nn.Module) else map(torch.randn, size)))
        counts.append(len(kernels))
        assert remark().startswith("compiled for each combination of sizes: ")
    assert counts == sorted(set(counts))
    assert re.search(reason, remark())


def test_products_for_the_matrix_engine_stay_for_each_size():
    module = nn.Linear(64, 64)
    fast = compiled(module, numerics="mixed")
    x = torch.randn(40, 64)
    with torch.no_grad():
        torch.testing.assert_close(fast(x), module(x), rtol=1e-2, atol=1e-2)
    assert "matrix engine" in remark()


def test_training_with_changing_batches(kernels):
    torch.manual_seed(0)
    mine, theirs = (nn.Sequential(nn.Linear(16, 32), nn.LayerNorm(32), nn.ReLU()) for _ in range(2))
    theirs.load_state_dict(mine.state_dict())
    fast, counts = compiled(mine), []
    optimizers = [torch.optim.SGD(module.parameters(), 0.1) for module in (mine, theirs)]
    for rows in (5, 9, 33, 17):
        x = torch.randn(rows, 16)
        losses = [module(x).square().mean() for module in (fast, theirs)]
        for loss, optimizer in zip(losses, optimizers, strict=True):
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        counts.append(len(kernels))
        torch.testing.assert_close(*losses, rtol=1e-4, atol=1e-6)
    torch.testing.assert_close(mine.state_dict(), theirs.state_dict(), rtol=1e-4, atol=1e-5)
    assert counts == counts[:1] * 4


def test_folded_weights_that_change(kernels):
    """A batch norm is folded into code for any sizes; when it changes, it is an input from then on."""
    module = nn.Sequential(nn.Linear(8, 12), nn.BatchNorm1d(12)).eval()
    fast = compiled(module)
    for rows in (5, 9):
        check(fast, module, torch.randn(rows, 8))
    first = len(kernels)
    for shift in (1.0, 2.0):
        module[1].running_mean.add_(shift)
        for rows in (5, 9, 21):
            check(fast, module, torch.randn(rows, 8))
    assert remark().startswith("compiled once") and len(kernels) <= 3 * first


def test_modules_of_one_class_have_code_of_their_own():
    modules = [nn.Linear(6, 5) for _ in range(2)]
    fast = [compiled(module) for module in modules]
    for rows in (3, 8):
        for one, module in zip(fast, modules, strict=True):
            check(one, module, torch.randn(rows, 6))


@pytest.mark.parametrize("types", [
    (torch.float32, torch.float16), pytest.param((torch.int32, torch.float32), marks=pytest.mark.full)], ids=str)
def test_other_types_of_elements_are_other_code(kernels, types):
    """One text of the graph, and the same sizes."""
    fast = compiled(lambda x: x + x.abs())
    for dtype in (*types, *types):
        for rows in (5, 9):
            x = (torch.randn(rows, 33) * 9).to(dtype)
            got = fast(x)
            assert got.dtype == dtype
            torch.testing.assert_close(got, x + x.abs(), rtol=2e-3 if dtype == torch.float16 else 1e-6, atol=1e-6)
    assert len(kernels) == 2


def test_sizes_that_are_kept(kernels, monkeypatch):
    monkeypatch.setattr(forward, "SIZES_KEPT", 2)
    fast = compiled(torch.exp)
    for size in (3, 4, 5, 6, 3, 4):
        check(fast, torch.exp, torch.randn(size))
    assert len(kernels) == 1


class Growing(nn.Module):
    """Attention whose keys and values grow by a row each time, as those of transformers' DynamicCache."""

    def __init__(self):
        super().__init__()
        self.qkv = nn.Linear(64, 192)

    def forward(self, x, keys, values):
        q, k, v = (part.reshape(1, -1, 2, 32).transpose(1, 2) for part in self.qkv(x).chunk(3, -1))
        keys, values = torch.cat((keys, k), 2), torch.cat((values, v), 2)
        return F.scaled_dot_product_attention(q, keys, values), keys, values


def test_caches_that_grow_are_not_compiled_for_each_token(kernels):
    """PyTorch has a symbol for the keys and another one for the values."""
    module = Growing().eval()
    fast, counts = compiled(module, None), []
    keys, values = torch.randn(1, 2, 4, 32), torch.randn(1, 2, 4, 32)
    for _ in range(8):
        x = torch.randn(1, 1, 64)
        check(fast, module, x, keys, values)
        counts.append(len(kernels))
        with torch.no_grad():
            _, keys, values = module(x, keys, values)
    assert counts[0] < counts[1] and len(set(counts[1:])) == 1 and "compiled once for any sizes" in remark()


def test_sizes_that_were_equal(kernels, monkeypatch):
    """Where there is no code for any two sizes, but for equal ones, others are compiled for each."""
    compile_examples = forward.compile_examples

    def refuse(graph_at, domain, recipe):
        if len(domain.ranges) > 1:
            raise HexError.plain("two sizes")
        return compile_examples(graph_at, domain, recipe)

    monkeypatch.setattr(forward, "compile_examples", refuse)

    class Sums(nn.Module):
        def forward(self, x, y):
            return x.exp().sum(0) + y.sin().sum(0)

    module = Sums()
    fast = compiled(module, None)
    for rows, others in ((4, 4), (5, 5), (7, 7)):
        check(fast, module, torch.randn(rows, 8), torch.randn(others, 8))
    assert "compiled once for any sizes" in remark()
    for rows, others in ((6, 9), (9, 9)):
        check(fast, module, torch.randn(rows, 8), torch.randn(others, 8))

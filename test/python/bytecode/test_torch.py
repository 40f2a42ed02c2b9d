"""``torch.compile(..., options={"dynamic": "bytecode"})``: graphs that the machine executes, and others."""

import warnings

import numpy as np
import pytest
import torch
import torch.nn.functional as F

from hexagon_mlir import targets
from hexagon_mlir.bytecode.encode import Encoder
from hexagon_mlir.bytecode.group import Group
from hexagon_mlir.bytecode.machine import Machine
from hexagon_mlir.exec.sim import SESSION
from hexagon_mlir.frontend.torch.torch_settings import TorchSettings
from hexagon_mlir.ir import HexError


def several(x, y):
    """Broadcasts, comparisons, numbers that sizes decide, results without a last dimension, an argument."""
    return (torch.where(x > y, x**2, (y / 3).sigmoid()), x.amax(-1), x.var(-1), x.log_softmax(-1),
            x.clamp(-0.5, 0.5) * y.unsqueeze(0), x.logsumexp(-1), 2 - x.relu())


def normalised(x, weight):
    return F.layer_norm(x, (x.shape[-1],), weight).softmax(-1) + F.gelu(x)


def run(function, *arguments, dynamic=True, **options):
    """Its results beside those of eager PyTorch, and the kernels that were launched."""
    compiled = torch.compile(function, backend="hexagon", dynamic=dynamic,
                             options={"dynamic": "bytecode", **options})
    with torch.no_grad(), SESSION.recording() as records:
        results = [(compiled(*one), function(*one)) for one in arguments]
    return results, {record.kernel for record in records}


def equal(results):
    for got, expected in results:
        for a, b in zip(*((one,) if isinstance(one, torch.Tensor) else one for one in (got, expected)), strict=True):
            torch.testing.assert_close(a, b, rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize(("function", "dynamic"), [(several, True), (normalised, True), (normalised, False)])
def test_values(function, dynamic):
    torch.manual_seed(0)
    arguments = [(torch.randn(m, n), torch.randn(n)) for m, n in ((7, 48), (30, 101), (64, 33))]
    arguments[1] = (torch.randn(30, 202)[:, ::2], arguments[1][1])
    with warnings.catch_warnings():
        warnings.simplefilter("error", UserWarning)
        results, kernels = run(function, *arguments[:3 if dynamic else 1], dynamic=dynamic)
    equal(results)
    assert kernels == {"machine"}


def test_gelu_is_one_operation():
    group = Group()
    group.output(group.apply("gelu", group.input("m", "n")))
    with SESSION.recording() as records:
        equal(run(F.gelu, (torch.randn(30, 40),))[0])
    shape = [(30, 40)]
    machine, arrays = Machine(), (np.zeros((30, 40), np.float32), np.zeros((30, 40), np.float32))
    expected = machine.run(machine.load(Encoder(group, targets.get()).encode(shape)), *arrays).cycles
    assert [record.result.cycles for record in records] == [expected]


def test_others_are_compiled():
    with pytest.warns(UserWarning, match="no bytecode for aten"):
        results, kernels = run(lambda x: (x @ x.t()).exp(), (torch.randn(3, 4) / 8,))
    equal(results)
    assert "machine" not in kernels


def test_rows_that_exceed_tcm_are_compiled():
    function = torch.compile(lambda x: x.exp().sum(-1), backend="hexagon", dynamic=True,
                             options={"dynamic": "bytecode"})
    torch.manual_seed(0)
    for columns, kernels in ((50, {"machine"}), (600_000, set()), (70, {"machine"})):
        x = torch.randn(2, columns) / 8
        with torch.no_grad(), SESSION.recording() as records, warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            torch.testing.assert_close(function(x), x.exp().sum(-1), rtol=1e-5, atol=1e-5)
        assert {record.kernel for record in records} & {"machine"} == kernels
        assert any("must fit TCM" in str(one.message) for one in caught) == (not kernels)


@pytest.mark.parametrize(("function", "message"), [
    (lambda x: x.sin(), "aten.sin"), (lambda x: x.sum(0), "along dimensions"),
    (lambda x: x.double() + 1, "torch.float64"), (lambda x: x > 0, "no tensor of f32"),
    (lambda x: x.sum(-1) + x[0, 0], "no bytecode for"), (lambda x: x.t() + 1, "no bytecode for"),
    (lambda x: x.unsqueeze(1) + x, "before dimension 1 of 3"), (lambda x: x.t().exp(), "no bytecode for")])
def test_refused(function, message):
    with pytest.raises(HexError, match=message):
        run(function, (torch.randn(3, 4),), fallback="error")


@pytest.mark.parametrize(("options", "message"), [
    ({"dynamic": "x"}, "unknown dynamic 'x'"), ({"executor": "qemu", "target": "v68"}, "bytecode on executor 'qemu'")])
def test_options(options, message):
    with pytest.raises(HexError, match=message):
        TorchSettings(**{"dynamic": "bytecode", **options})

"""Whole models on the simulator against eager PyTorch."""

import importlib
import json
import sys

import numpy as np
import pytest
import torch
from models.zoo import Block, LeNet, Tied, WrittenOut, mlp
from support import ROOT
from torch import nn

import hexagon_mlir as hx
from hexagon_mlir.exec import sim
from hexagon_mlir.report.model import model_report
from hexagon_mlir.sim.arithmetic import IEEE_NOTE, Arithmetic

pytestmark = pytest.mark.only_values


def flat(value):
    return [value] if isinstance(value, torch.Tensor) else [t for part in value for t in flat(part)]


def compile_and_compare(module, *inputs, atol=1e-5):
    """Export, compile, run; the largest difference to eager is at most ``atol``. Returns the compiled model."""
    module = module.eval()
    model = hx.compile(torch.export.export(module, inputs))
    got = model(*inputs)
    with torch.no_grad():
        expected = module(*inputs)
    assert type(got) is type(expected)
    for ours, theirs in zip(flat(got), flat(expected), strict=True):
        assert ours.shape == theirs.shape and ours.dtype == theirs.dtype
        torch.testing.assert_close(ours, theirs, rtol=0, atol=atol, equal_nan=True)
    return model


@pytest.mark.only_values(False)
def test_mlp():
    model = compile_and_compare(mlp(), torch.randn(5, 20))
    result = model.result
    assert result.kernels == result.kernel_calls == 2
    assert result.fused_ops == result.linalg_ops - 2 > 5
    assert result.weight_bytes == sum(p.numel() for p in mlp().parameters()) * 4
    assert model.last_run.cycles == result.simulated_cycles > 0
    assert model.last_run.ddr_bytes == result.ddr_bytes
    assert result.predicted.ddr_bytes == 4 * sum(  # weights, the argument, the result; what is between stays in TCM
        p.numel() for p in mlp().parameters()) + 4 * 5 * (20 + 7)
    assert all(record.result.hvx_packets for record in model.last_run.launches)


@pytest.mark.parametrize("arithmetic", Arithmetic)
def test_arithmetic_is_that_of_the_run(arithmetic, monkeypatch):
    """(2 * 2) * 2 in qf32 of v75 is beyond 8; reports say when it is not computed so, and no other launch hears."""
    module, x = Cube().eval(), torch.full((64,), 2.0)
    model, seen = hx.compile(torch.export.export(module, (x,))), []
    monkeypatch.setattr(sim.SESSION, "observers", [lambda record: seen.append(sim.SESSION.arithmetic)])
    assert (model.run(x, arithmetic=arithmetic) == 8).all() == (arithmetic is Arithmetic.IEEE)
    assert {record.result.arithmetic for record in model.last_run.launches} == {arithmetic}
    assert (IEEE_NOTE in model_report(model)) == (arithmetic is Arithmetic.IEEE)
    assert set(seen) == {Arithmetic.CHIP}
    compiled = torch.compile(module, backend="hexagon", options={"arithmetic": str(arithmetic)})
    with torch.no_grad():
        assert (compiled(x) == 8).all() == (arithmetic is Arithmetic.IEEE)


class Cube(nn.Module):
    def forward(self, x):
        return x * x * x


@pytest.mark.only_values(False)
def test_lenet_and_what_was_foreseen():
    """From sizes alone: cycles within a factor of two, bytes within a tenth; unknown before the first run."""
    module, x = LeNet().eval(), torch.randn(1, 1, 28, 28)
    model = hx.compile(torch.export.export(module, (x,)))
    assert model.result.simulated_cycles is model.result.ddr_bytes is None
    torch.testing.assert_close(model(x), module(x), rtol=0, atol=1e-5)
    result = model.result
    assert 0.5 < result.simulated_cycles / result.predicted.cycles < 2
    assert 1 <= result.ddr_bytes / result.predicted.ddr_bytes < 1.1
    assert f"predicted: {result.predicted.cycles:,} cycles" in model_report(model)


class Named(nn.Module):
    """Named results."""

    def forward(self, x):
        return {"largest": x.max(-1), "sum": [x.sum()]}


def test_named_results_are_saved_as_tuples(tmp_path):
    x = torch.tensor([[1.0, float("nan"), 3.0], [-2.0, -1.0, -1.0]])
    model = hx.compile(torch.export.export(Named(), (x,)))
    model.save(tmp_path)
    for compiled, kind in ((model, torch.return_types.max), (hx.load(tmp_path), tuple)):
        got = compiled(x)
        assert type(got["largest"]) is kind and torch.equal(got["largest"][1], torch.tensor([1, 1]))
        torch.testing.assert_close(got["largest"][0], torch.tensor([float("nan"), -1.0]), equal_nan=True)
        assert got["sum"][0].isnan()


def test_tied_weights_are_one_tensor():
    model = compile_and_compare(Tied(), torch.tensor([[1, 2, 49], [0, 3, 4]]), atol=2e-5)
    assert model.result.weight_bytes == 2 * 50 * 32 * 4  # as rows for the lookup, packed for the product


class Looked(nn.Module):
    """A product with rows of a table that does not fit the TCM."""

    def __init__(self, tied):
        super().__init__()
        self.table = nn.Embedding(40000, 64)
        self.weight = self.table.weight if tied else nn.Parameter(torch.randn(32, 64))

    def forward(self, indices):
        return nn.functional.linear(self.table(indices), self.weight)


@pytest.mark.parametrize(("tied", "kernels"), [(False, 1), (True, 2)])
def test_a_lookup_is_part_of_what_reads_it(tied, kernels):
    """Unless the table is read in another form: both would be in memory together."""
    model = hx.compile(torch.export.export(Looked(tied).eval(), (torch.arange(5)[None],)))
    assert model.result.kernels == kernels


def test_layers_share_kernels():
    model = compile_and_compare(nn.Sequential(Block(), Block(), Block()), torch.randn(1, 10, 48))
    assert model.result.kernel_calls >= 3 * 4
    assert model.result.kernels <= model.result.kernel_calls / 2
    memory = model.result.memory
    assert memory.bound_bytes <= memory.arena_bytes < memory.total_bytes / 2


def test_attention_written_out_is_recognised():
    model = compile_and_compare(WrittenOut(), torch.randn(2, 12, 48))
    names = [record.kernel for record in model.last_run.launches]
    assert any(name.startswith("attention") for name in names), names
    elements = [np.prod(buffer.shape) for buffer in model.schedule.buffers]
    assert 2 * 3 * 12 * 12 not in elements, "the matrix of scores is a buffer"


class Attention(nn.Module):
    """PyTorch's operation alone."""

    def forward(self, q, k, v):
        return nn.functional.scaled_dot_product_attention(q, k, v)


class Same(nn.Module):
    """Keys that are values too, and a product of a tensor of integers with itself."""

    def forward(self, x, numbers):
        return nn.functional.scaled_dot_product_attention(x, x, x), numbers @ numbers


def test_one_tensor_at_two_places():
    compile_and_compare(Same(), torch.randn(1, 2, 9, 16), torch.randint(-9, 9, (7, 7), dtype=torch.int32))


@pytest.mark.full
@pytest.mark.only_values(False)
def test_attention_over_tiles_of_keys():
    """More keys than a tile: the running maximum and sums go from tile to tile."""
    model = compile_and_compare(Attention(), torch.randn(1, 1, 40, 64), *(torch.randn(1, 1, 300, 64) for _ in "kv"))
    per_block = 4 * 64 * (40 + 2 * (300 + 300) + 40)  # keys and values for each of two blocks of queries
    assert model.last_run.ddr_bytes <= 1.1 * per_block
    assert 40 * 300 not in [np.prod(buffer.shape) for buffer in model.schedule.buffers]


def test_weights_are_not_copied():
    """Packed weights are views until a launch packs them, and no machine keeps its memory after one."""
    module = mlp()
    model = compile_and_compare(module, torch.randn(5, 20))
    ours = {tensor.untyped_storage().data_ptr() for tensor in model.signature.constants.values()}
    assert ours == {parameter.untyped_storage().data_ptr() for parameter in module.parameters()}
    assert sum(machine.memory.ddr.used for machine in sim._machines.values()) == 0


class Counter(nn.Module):
    """Writes to a buffer and to its input."""

    def __init__(self):
        super().__init__()
        self.register_buffer("total", torch.zeros(4))

    def forward(self, x):
        self.total += x
        return self.total * 2


@pytest.mark.ieee_arithmetic
def test_buffers_are_written():
    module = Counter()
    model = hx.compile(torch.export.export(module, (torch.ones(4),)))
    first = model(torch.ones(4))
    second = model(torch.full((4,), 2.0))
    assert torch.equal(first, torch.full((4,), 2.0))
    assert torch.equal(second, torch.full((4,), 6.0))


def test_saved_model_gives_the_same(tmp_path):
    module = nn.LSTM(16, 24, batch_first=True).eval()
    inputs = (torch.randn(1, 3, 16),)
    model = hx.compile(torch.export.export(module, inputs))
    model.save(tmp_path / "m")
    loaded = hx.load(tmp_path / "m")
    for ours, theirs in zip(flat(loaded(*inputs)), flat(model(*inputs)), strict=True):
        assert torch.equal(ours, theirs)
    assert loaded.result == model.result
    assert not [p for p in (tmp_path / "m").rglob("*") if p.suffix in (".pkl", ".pt")]


@pytest.mark.parametrize("damage", ["", "{}", '{"format": 1}', "\0", '{"format": 99}'])
def test_damaged_file(tmp_path, damage):
    (tmp_path / "model.json").write_text(damage)
    with pytest.raises(hx.HexError, match=r"model|format"):
        hx.load(tmp_path)


@pytest.mark.parametrize("key", ["target", "outputs", "inputs", "names", "weights"])
def test_file_without_a_part(tmp_path, key):
    model = hx.compile(torch.export.export(nn.Sequential(nn.Linear(20, 3)), (torch.randn(5, 20),)))
    model.save(tmp_path)
    document = json.loads((tmp_path / "model.json").read_text())
    (tmp_path / "model.json").write_text(json.dumps({**document, key: None}))
    with pytest.raises(hx.HexError, match=r"model.json: error: load: no compiled model"):
        hx.load(tmp_path)


@pytest.mark.parametrize("content", [b"", b"\xff garbage", b"\t.text\nmain:\n\tr0 = foo(r1)\n"])
def test_kernel_that_was_not_saved(tmp_path, content):
    """Also one that reads as assembly: what the model hands to a kernel is planned for its own code."""
    model = hx.compile(torch.export.export(nn.Sequential(nn.Linear(20, 3)), (torch.randn(5, 20),)))
    model.save(tmp_path)
    (tmp_path / "kernels" / "0.s").write_bytes(content)
    with pytest.raises(hx.HexError, match=r"kernels/0\.s: error: load: the kernel is not the one that was saved"):
        hx.load(tmp_path)


@pytest.mark.parametrize("content", [b"", b"no program", b"PK\x03\x04 cut off"])
def test_file_that_holds_no_program(tmp_path, content, capfd):
    (tmp_path / "model.pt2").write_bytes(content)
    with pytest.raises(hx.HexError, match=r"model\.pt2: error: pt2: cannot read an exported program"):
        hx.compile(tmp_path / "model.pt2")
    assert "Traceback" not in capfd.readouterr().err  # of PyTorch's log


@pytest.mark.parametrize(("value", "message"), [
    (torch.randn(4, 20), r"input 'input' is torch.float32 of shape \(4, 20\), compiled for"),
    (torch.randn(5, 20).double(), "torch.float64"), (3, "is a int, not a tensor")])
def test_wrong_input(value, message):
    model = hx.compile(torch.export.export(nn.Sequential(nn.Linear(20, 3)), (torch.randn(5, 20),)))
    with pytest.raises(hx.HexError, match=message):
        model(value)


@pytest.mark.parametrize(("arguments", "message"), [
    ((), r"the arguments are \(\), the model was exported with \(input\)"),
    ((torch.ones(5, 20), 3), r"the arguments are \(tensor\(5, 20\), 3\), the model was exported with \(input\)"),
    ((torch.ones(5, 20).to_sparse(),), "the layout torch.sparse_coo"),
    ((torch.ones(5, 20, device="meta"),), "on device 'meta'")])
def test_wrong_arguments(arguments, message):
    model = hx.compile(torch.export.export(nn.Sequential(nn.Linear(20, 3)), (torch.randn(5, 20),)))
    with pytest.raises(hx.HexError, match=message):
        model(*arguments)


class Pooled(nn.Module):
    """Images and rows without a batch."""

    def forward(self, x):
        f = nn.functional
        return (f.max_pool2d(x, 3, 2, 1, return_indices=True), f.avg_pool2d(x, 2), f.max_pool1d(x[0], 2),
                f.avg_pool1d(x[0], 3, 1))


def test_pooling_without_a_batch():
    compile_and_compare(Pooled(), torch.randn(3, 8, 9))


def test_not_contiguous_input():
    compile_and_compare(nn.Linear(20, 3), torch.randn(20, 5).t())


# -- torch.compile -------------------------------------------------------------------------------------------------
STRICT = {"fallback": "error"}


def uncompilable(x):
    return torch.linalg.svd(x)[1] + 1


def test_fallback_names_op_and_line():
    x = torch.randn(4, 3)
    with pytest.warns(UserWarning, match=r"test_models\.py:\d+.*linalg_svd"):
        got = torch.compile(uncompilable, backend="hexagon")(x)
    torch.testing.assert_close(got, uncompilable(x))


def test_fallback_error():
    with pytest.raises(hx.HexError, match="linalg_svd"):
        torch.compile(uncompilable, backend="hexagon", options=STRICT)(torch.randn(4, 3))


class Wrapped(torch.nn.Module):
    def __init__(self, function):
        super().__init__()
        self.function = function

    def forward(self, x):
        return self.function(x)


def drawn(x):
    return x + torch.poisson(x.abs())


def eigenvalues(x):
    return torch.linalg.eigvals(x.reshape(2, 4)[:, :2]).abs()


def quantized(x):
    return torch.quantize_per_tensor(x, 0.1, 0, torch.qint8).dequantize()


def airy(x):
    return torch.cat((x, torch.special.airy_ai(x)))


@pytest.mark.parametrize(("function", "message"), [
    (drawn, r"'aten\.poisson\.default' draws random numbers"), (eigenvalues, "elements of type torch.complex64"),
    (quantized, r"no lowering for 'aten\.quantize_per_tensor\.default'"),
    (airy, r"no lowering for 'aten\.special_airy_ai")])
def test_what_has_no_code_is_named_with_its_line(function, message):
    with pytest.raises(hx.HexError, match=rf"test_models\.py:\d+: error: .*{message}"):
        hx.compile(torch.export.export(Wrapped(function), (torch.randn(8),)))


@pytest.mark.parametrize(("options", "message"), [({"fallbak": "error"}, "unknown option 'fallbak'"),
                                                  ({"fallback": "never"}, "'never'\n  hint: one of eager, error")])
def test_wrong_options(options, message):
    with pytest.raises(Exception, match=message):
        torch.compile(uncompilable, backend="hexagon", options=options)(torch.randn(4, 3))


@pytest.mark.only_values(False)
@pytest.mark.parametrize("causal", [pytest.param(False, marks=pytest.mark.full), True], ids=["all", "causal"])
def test_attention_reads_keys_once_for_each_tile_of_queries(causal):
    """No matrix of scores: every allocation is smaller, and few bytes cross DDR beyond those that must."""
    sys.path.insert(0, str(ROOT))
    attention = importlib.import_module("bench.attention")
    measured = attention.measure(1024, 64, causal)
    assert measured.error < 2e-6
    assert measured.bound <= measured.moved <= 1.1 * measured.bound
    assert max(measured.tcm, measured.ddr) < measured.scores
    assert 0 < max(measured.allocations) < measured.scores

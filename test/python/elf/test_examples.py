"""Every example there is, as its users run it, under QEMU: integers as expected, close floats.

`examples.test_examples` runs them on the simulator.
"""

import importlib.util

import pytest
from binaries import needs_qemu
from support import ROOT

torch = pytest.importorskip("torch")
pytestmark = [needs_qemu, pytest.mark.only_values, pytest.mark.filterwarnings("ignore:QEMU")]
TOLERANCE = {torch.float16: 2e-3, torch.bfloat16: 2e-2}  # one rounding of the result; f32 sums differ in their order


@pytest.fixture
def results(monkeypatch, tmp_path):
    """Gives what `main` of an example compares, as (name, result, expected)."""
    pytest.importorskip("triton")
    monkeypatch.setenv("TRITON_CACHE_DIR", str(tmp_path))

    monkeypatch.setenv("HEXMLIR_EXECUTOR", "qemu")

    def run(path):
        spec = importlib.util.spec_from_file_location(f"qemu_{path.stem}", path)
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        found = []
        monkeypatch.setattr(module, "report", lambda name, got, expected: found.append((name, got, expected)))
        torch.manual_seed(0)
        module.main()
        return found

    return run


@pytest.mark.parametrize("path", [
    pytest.param(path, marks=[pytest.mark.full] * (path.stem in ("attention", "dropout", "gelu", "grouped_matmul",
                                                                   "libdevice", "persistent_matmul", "rms_norm")))
    for path in sorted((ROOT / "examples").glob("*.py"))], ids=lambda path: path.stem)
def test_example(path, results):
    emulated = results(path)
    assert emulated
    for name, found, expected in emulated:
        bound = TOLERANCE.get(expected.dtype, 1e-4) if expected.dtype.is_floating_point else 0
        torch.testing.assert_close(found, expected, rtol=bound, atol=bound, equal_nan=True,
                                   msg=lambda text, name=name: f"{name}: {text}")


def exported_model(example):
    """The results of the example's model on the simulator and under QEMU."""
    x = torch.randn(1, 12, 64)
    model = example.compiled(example.Layer().eval()).specialize(x)
    return model.run(x), model.run(x, executor="qemu")


def torch_compile(example):
    """The same, with a target that QEMU runs: torch.compile keeps nothing to compile again from."""
    model, x = example.perceptron(), torch.randn(5, 64)
    simulated = example.run(model, x)
    torch.compiler.reset()
    return simulated, example.run(model, x, executor="qemu", target="v67")


PYTORCH = {"exported_model": exported_model, "torch_compile": torch_compile}


@pytest.mark.parametrize("path", sorted((ROOT / "examples" / "pytorch").glob("*.py")), ids=lambda path: path.stem)
def test_pytorch_example(path):
    spec = importlib.util.spec_from_file_location(path.stem, path)
    example = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(example)
    torch.manual_seed(0)
    simulated, emulated = PYTORCH[path.stem](example)
    torch.testing.assert_close(emulated, simulated, rtol=1e-4, atol=1e-5)

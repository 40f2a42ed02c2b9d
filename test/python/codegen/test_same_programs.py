"""Kernels of a model that are one program by several names."""

import pytest
import torch

import hexagon_mlir as hx
from hexagon_mlir.codegen.processes import worker
from hexagon_mlir.codegen.same_programs import under_name, without_name

NAMES = "define void @main_1_matmul(ptr %main_1_matmul) {{\n  call void @main_1_matmul_thread(){}\n}}\n"


def test_programs_that_differ_in_their_name():
    first, second = [NAMES.format("")], [NAMES.format("").replace("main_1", "main_12")]
    assert without_name(first, "main_1_matmul") == without_name(second, "main_12_matmul")
    assert without_name(first, "main_1_matmul") != without_name([NAMES.format(" #0")], "main_1_matmul")
    assert without_name(first * 2, "main_1_matmul") != without_name(first, "main_1_matmul")
    assert without_name(["ab"], "x") != without_name(["a", "b"], "x")


@pytest.mark.parametrize("other", ["call void @main_1_matmuls()", "call void @amain_1_matmul()", "%x.main_1_matmul"])
def test_other_names_stay(other):
    assert without_name([other], "main_1_matmul") == other


def test_assembly_under_another_name():
    asm = "main_1_matmul:\n\tcall main_1_matmul_thread\n\t.size main_1_matmul, .Lend-main_1_matmul\n.LBB0_1:\n"
    assert under_name(asm, "main_1_matmul", "f") == asm.replace("main_1_matmul", "f")
    assert under_name("call xmain_1_matmul\n", "main_1_matmul", "f") is None, "a name would be left"
    assert under_name(asm, "main_1_matmul", "LBB0") is None, "one is there already"


class Reshaped(torch.nn.Module):
    """Two products of the same sizes; the second one's rows are in three dimensions."""

    def __init__(self):
        super().__init__()
        self.first, self.second = torch.nn.Linear(48, 48), torch.nn.Linear(48, 48)

    def forward(self, x, y):
        return self.first(x), self.second(y)


@pytest.fixture
def generated(monkeypatch):
    """The names of functions in the requests for code, as they are made."""
    found = []

    def request(self, header, body, *arguments):
        found.append(body)
        return made(self, header, body, *arguments)

    made = worker.Workers.request
    monkeypatch.setattr(worker.Workers, "request", request)
    return found


def test_one_program_of_a_model_is_generated_once(generated, monkeypatch, tmp_path):
    monkeypatch.setenv("HEXAGON_MLIR_CACHE_DIR", str(tmp_path))
    torch.manual_seed(0)
    model, x, y = Reshaped(), torch.randn(40, 48), torch.randn(5, 8, 48)
    compiled = hx.compile(torch.export.export(model, (x, y)))
    first, second = compiled.schedule.kernels
    assert without_name([first.llvm_ir], first.name) == without_name([second.llvm_ir], second.name)
    assert f"{first.name}:" in first.asm and f"{second.name}:" in second.asm and first.name not in second.asm
    assert any(f"@{first.name}(" in text for text in generated)
    assert not any(f"@{second.name}(" in text for text in generated)
    for got, expected in zip(compiled(x, y), model(x, y), strict=True):
        torch.testing.assert_close(got, expected, rtol=1e-4, atol=1e-5)

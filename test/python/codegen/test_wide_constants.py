"""Constants of 64 bits: immediates, as lld knows no relocation for a constant near GP."""

import pytest

from hexagon_mlir import targets
from hexagon_mlir.codegen.backend import optimize_and_emit
from hexagon_mlir.sim import Machine

PAIR = """define void @f(ptr %p) {
  store i64 51539607556, ptr %p, align 8
  ret void
}
"""


@pytest.mark.parametrize("name", ["v67", "v75"])
def test_two_immediates(name):
    target = targets.get(name)
    asm = optimize_and_emit(PAIR, target.cpu, target.features, "asm").decode()
    assert "CONST64" not in asm
    machine = Machine(asm, target)
    at = machine.alloc_ddr(8)
    machine.run("f", [at])
    assert machine.read(at, "i4", 2).tolist() == [4, 12]

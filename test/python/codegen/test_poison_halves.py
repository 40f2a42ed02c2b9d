"""Vectors that are narrowed and poison in one half: no conversion of a register that holds something else."""

import numpy as np
import pytest
from text_rewrites import poison_halves_as_others, printed

from hexagon_mlir import targets
from hexagon_mlir.codegen import backend
from hexagon_mlir.sim import Machine

LANES = ", ".join([f"i32 {i}" for i in range(32)] + ["i32 poison"] * 32)
UPPER = ", ".join(["i32 poison"] * 32 + [f"i32 {i}" for i in range(32)])
IR = f"""
define void @f(ptr align 128 %x, ptr align 128 %y) {{
  %v = load <32 x float>, ptr %x, align 128
  %w = fadd <32 x float> %v, splat (float 1.0)
  %h = shufflevector <32 x float> %w, <32 x float> poison, <64 x i32> <{LANES}>
  %n = fptrunc <64 x float> %h to <64 x half>
  %r = shufflevector <64 x half> %n, <64 x half> poison, <32 x i32> <{", ".join(LANES.split(", ")[:32])}>
  store <32 x half> %r, ptr %y, align 128
  ret void
}}
"""


@pytest.mark.parametrize("lanes", [LANES, UPPER], ids=["upper", "lower"])
def test_a_half_of_poison_gets_the_lanes_of_the_other(lanes):
    twice = ", ".join([f"i32 {i}" for i in range(32)] * 2)
    assert poison_halves_as_others(IR.replace(LANES, lanes)) == printed(IR.replace(LANES, twice))


def test_vectors_that_are_not_narrowed_are_left_alone():
    other = IR.replace("%n = fptrunc <64 x float> %h", "%n = fptrunc <64 x float> %i")
    assert poison_halves_as_others(other) == other
    part = IR.replace("i32 31, i32 poison", "i32 31, i32 0")
    assert poison_halves_as_others(part) == part


def test_no_register_is_read_as_what_it_is_not():
    chip = targets.get("v75")
    asm = backend.optimize_and_emit(IR, chip.cpu, chip.features, "asm", qfloat=False).decode()
    machine = Machine(asm, check=True)
    x, y = machine.alloc_ddr(128), machine.alloc_ddr(128)
    numbers = np.linspace(-3, 90, 32).astype(np.float32)
    machine.write(x, numbers)
    assert not machine.run("f", [x, y]).reports
    np.testing.assert_array_equal(machine.read(y, np.float16, 32), (numbers + 1).astype(np.float16))

"""Every golden case of the matrix engine, see ``test/golden/hmx/README.md``."""

import matrix_golden
import numpy as np
import pytest
from sim.forms_harness import function

from hexagon_mlir.sim import Machine
from hexagon_mlir.sim.reference import Interpreter

WINDOW = 1 << 16
"""Bytes of TCM that a case has for itself."""
RUNNERS = [Interpreter, Machine]
"""Implementations: each takes assembly and the name of a chip."""


def assembly(case, base):
    """``f`` does the steps of a case at ``base`` in TCM."""
    packets = [[f"r10 = ##{case['usr']}"], ["usr = r10"]]
    for step in case["steps"]:
        addresses = ("r0", "r2", "r6", "r8")  # r1, r3, r7, r9 are no addresses
        for name, value in step["regs"].items():
            packets.append([f"{name} = ##{value + base if name in addresses else value}"])
        packets.append([line.strip() for line in step["asm"].strip("{} ").split(";")])
    return function("f", packets)


def results(make, case):
    """What a case leaves in TCM, one array of bytes for each of its outputs."""
    machine = make(assembly(case, 0), case["chip"])
    base = machine.alloc_tcm(WINDOW)
    machine = make(assembly(case, base), case["chip"])
    assert machine.alloc_tcm(WINDOW) == base
    machine.write(base, np.zeros(WINDOW, np.uint8))
    for offset, data in case["in"]:
        machine.write(base + offset, data)
    machine.run("f")
    return [machine.read(base + offset, np.uint8, data.size) for offset, data in case["out"]]


def test_the_file_is_whole():
    assert len(matrix_golden.cases()) == 50
    assert {case["chip"] for case in matrix_golden.cases()} == {"v75", "v81"}
    registers = {name for case in matrix_golden.cases() for step in case["steps"] for name in step["regs"]}
    assert registers <= {"r0", "r1", "r2", "r3", "r6", "r7", "r8", "r9"}


@pytest.mark.parametrize("make", RUNNERS)
@pytest.mark.parametrize("case", matrix_golden.cases(), ids=lambda case: case["name"])
def test_case(case, make):
    for (offset, expected), got in zip(case["out"], results(make, case), strict=True):
        np.testing.assert_array_equal(got, expected, err_msg=f"at {offset:#x}")

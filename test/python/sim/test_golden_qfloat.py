"""Every golden lane of HVX floating point, see ``test/golden/qfloat/README.md``."""

import numpy as np
import pytest
from sim.qfloat_golden import archive, programs

from hexagon_mlir.sim import Arithmetic, Machine


def translated(program):
    """Results of the translator: (runs, bytes)."""
    machine = Machine(program.text, program.chip, profile=False, arithmetic=Arithmetic.CHIP)
    source, result = machine.alloc_ddr(1024), machine.alloc_ddr(1024)
    rows = []
    for row in program.inputs:
        machine.write(source, row)
        machine.run("f", [source, result])
        rows.append(machine.read(result, np.uint8, program.expected.shape[1]))
    return np.array(rows)


RUNNERS = [translated]
"""Implementations: each takes a `Program` and gives its results."""
GENERATIONS = ["v75", "v79", "v81", "ieee"]
LANES = 26_858


def test_every_form_is_run():
    """Nothing of the file is left out, and the file is whole."""
    made = [program for generation in GENERATIONS for program in programs(generation)]
    assert {(program.generation, program.form) for program in made} == set(archive())
    assert sum(program.lanes for program in made) == LANES == sum(len(f["out"]) for f in archive().values())
    for program in made:  # every entry has a place of its own in the results
        fields = archive()[program.generation, program.form]
        assert program.expected.size >= len(fields["out"]) * fields["out"].itemsize


@pytest.mark.each_value
@pytest.mark.parametrize("run", RUNNERS)
@pytest.mark.parametrize("alone", [False, True], ids=["mixed", "alone"])
@pytest.mark.parametrize("generation", GENERATIONS)
def test_lanes(generation, alone, run):
    """``alone``: a shorter way for vectors of ordinary numbers never sees the other entries beside it."""
    wrong = [message for program in programs(generation, alone) if (message := program.wrong(run(program)))]
    assert not wrong, "\n".join(wrong)

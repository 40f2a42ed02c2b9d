"""Random programs of the matrix engine: what they are made of, and what the comparison sees."""

import numpy as np
import pytest

from hexagon_mlir import targets
from hexagon_mlir.isa.decode import decode_line
from hexagon_mlir.isa.matrix import OPERATIONS
from hexagon_mlir.sim.reference import Interpreter, matrix_engine
from hexagon_mlir.sim.reference.compare_matrix import check, program
from hexagon_mlir.sim.reference.random_matrix import BASE, CHIPS, READOUT, WINDOW, Generator, Program, modelled


def forms(packets):
    return {insn.key for packet in packets for line in packet for insn in decode_line(0, line)} & OPERATIONS.keys()


@pytest.mark.parametrize("chip", CHIPS)
def test_every_form_of_the_chip_is_made(chip):
    generator = Generator(0, chip)
    for _ in range(4000):
        generator.step()
    expected = {key for key, one in OPERATIONS.items()
                if modelled(one) and not one.form.lacking(targets.get(chip).version)}
    assert forms(generator.packets) == expected
    assert {one.element for one in OPERATIONS.values() if not modelled(one)} == {"f8"}


def test_a_seed_is_one_program():
    one, two = program(5, "v75"), program(5, "v75")
    assert one.text == two.text and np.array_equal(one.memory, two.memory)
    assert program(6, "v75").text != one.text


@pytest.mark.parametrize("chip", CHIPS)
def test_programs_run_and_stay_in_their_window(chip):
    for seed in range(3):
        one = program(seed, chip)
        machine = Interpreter(one.text, chip)
        machine.write(BASE, one.memory)
        machine.run(one.name)
        after = machine.read(BASE, np.uint8, WINDOW + 4096)
        assert not after[WINDOW:].any()
        assert (after[READOUT - BASE : WINDOW] != one.memory[READOUT - BASE :]).any()


CHANGES = {
    **{f"integers {n}": lambda engine, n=n: engine.integers.parts[0, n].fill(1 << 24) for n in (0, 1)},
    **{f"floats {n}": lambda engine, n=n: engine.floats.significand[n].fill(1 << 24) for n in (0, 1)},
    **{f"conversion {n}": lambda engine, n=n: engine.converted[n].fill(16) for n in (0, 1, 2)},
    **{f"bias group {n}": lambda engine, n=n: engine.bias[n].fill(5) for n in range(4)},
    "current sets": lambda engine: (engine.integers.parts[0, 0].fill(1), engine.current.update({True: 1, False: 1})),
}


@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES)
def test_the_last_packets_show_every_part_of_the_engine(change):
    generator = Generator(1, "v79")
    generator.read_out()
    generator.packets.append(["jumpr r31"])
    one = Program("f", "v79", generator.packets, generator.memory())
    left = []
    for before in (lambda engine: None, change):
        machine = Interpreter(one.text, "v79")
        machine.write(BASE, one.memory)
        machine.engine.floats.exponent[:] = 0
        before(machine.engine)
        machine.run("f")
        left.append(machine.read(READOUT, np.uint8, WINDOW - (READOUT - BASE)))
    assert (left[0] != left[1]).any()


def test_the_comparison_sees_a_wrong_engine(monkeypatch):
    class Wrong(Interpreter):
        def reset(self):
            super().reset()
            self.engine.convert = self.wrong

        def wrong(self, operation, group, options, retain):
            matrix_engine.MatrixEngine.convert(self.engine, operation, group, options, retain)
            self.engine.converted[0] ^= 16 * (operation.element == "uh")

    chip = "v75"
    found = check(range(40, 46), chip, Wrong)
    touched = [seed for seed in range(40, 46) if any("uh" in key for key in forms(program(seed, chip).packets))]
    assert {one.seed for one in found} <= set(touched) and found
    assert "differ, the first at" in str(found[0])


@pytest.mark.parametrize("count", [10, pytest.param(50, marks=pytest.mark.full)])
@pytest.mark.parametrize("number", range(4))
def test_both_simulators_agree(number, count):
    """40 programs; `python -m fuzz matrix` runs more."""
    found = check(range(50 * number, 50 * number + count), CHIPS[number])
    assert not found, "\n".join(str(difference) for difference in found[:5])

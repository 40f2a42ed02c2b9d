"""C programs of our own print in the simulator what they print in qemu-hexagon (test/c, scripts/c_programs.py)."""

from __future__ import annotations

from pathlib import Path

import pytest

from hexagon_mlir.sim import Machine, RunResult
from hexagon_mlir.sim.host_library.c_start import ENTRY, with_start

FOLDER = Path(__file__).resolve().parents[2] / "c"
NAMES = sorted(path.stem for path in FOLDER.glob("*.c"))
TIMEOUT_SECONDS = 120


def outcome(machine: Machine) -> tuple[str, RunResult]:
    """Printed text and exit code as the expected files have them."""
    result = machine.run(ENTRY, [0, 0], timeout=TIMEOUT_SECONDS)
    return machine.output.decode("latin-1") + f"exit {result.return_value & 255}\n", result


def program(name: str) -> str:
    return with_start((FOLDER / "asm" / f"{name}.s").read_text("latin-1"))


def expected(name: str) -> str:
    return (FOLDER / "expected" / f"{name}.txt").read_text("latin-1")


def test_there_are_at_least_twenty():
    assert len(NAMES) >= 20
    assert all((FOLDER / "asm" / f"{name}.s").exists() for name in NAMES)


@pytest.mark.parametrize("name", NAMES)
def test_output_is_that_of_qemu(name):
    text, result = outcome(Machine(program(name), "v68"))
    assert text == expected(name)
    assert result.cycles > result.packets > 0


@pytest.mark.parametrize("name", NAMES)
def test_a_checked_run_prints_the_same_and_finds_nothing(name):
    text, result = outcome(Machine(program(name), "v68", check=True))
    assert text == expected(name)
    assert [str(report) for report in result.reports] == []


def test_a_second_run_gives_the_same_output_and_cycles():
    machine = Machine(program("varargs"), "v68")
    text, first = outcome(machine)
    machine.reset()
    again, second = outcome(machine)
    assert (again, second.cycles) == (text, first.cycles)

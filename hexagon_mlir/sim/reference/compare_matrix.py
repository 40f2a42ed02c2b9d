"""Run random programs of the matrix engine on both implementations and report every difference."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from hexagon_mlir.sim import Machine
from hexagon_mlir.sim.reference.interpreter import Interpreter
from hexagon_mlir.sim.reference.random_matrix import BASE, READOUT, TILE, WINDOW, Generator, Program

LENGTHS = (1, 12)
"""Least and largest number of engine packets before the last ones."""


@dataclass
class MatrixDifference:
    """One program after which the window of TCM differs."""

    seed: int
    program: Program
    offset: int
    """Into the window, of the first byte that differs."""
    count: int
    translated: int
    reference: int

    def __str__(self) -> str:
        tile = (self.offset - READOUT + BASE) // TILE
        place = f"tile {tile} of the engine's state" if tile >= 0 else "a result"
        return (
            f"seed {self.seed} on {self.program.chip}: {self.count} bytes differ, the first at {self.offset:#x} "
            f"({place}): translated {self.translated:#04x}, reference {self.reference:#04x}"
        )


def program(seed: int, chip: str, length: int | None = None) -> Program:
    """The program of a seed, or its first ``length`` packets for the engine."""
    generator = Generator(seed, chip)
    chosen = generator.number(*LENGTHS)
    return generator.program(f"f{seed}", chosen if length is None else length)


def check(seeds: range, chip: str, make: type[Machine] = Machine) -> list[MatrixDifference]:
    """Run the programs of ``seeds`` on a ``make`` and on the interpreter."""
    programs = [program(seed, chip) for seed in seeds]
    text = "".join(one.text for one in programs)
    machines = make(text, chip), Interpreter(text, chip)
    found = []
    for seed, one in zip(seeds, programs, strict=True):
        left = []
        for machine in machines:
            machine.reset()
            machine.write(machine.alloc_tcm(WINDOW), one.memory)
            machine.run(one.name)
            left.append(machine.read(BASE, np.uint8, WINDOW))
        wrong = np.nonzero(left[0] != left[1])[0]
        if wrong.size:
            at = int(wrong[0])
            found.append(MatrixDifference(seed, one, at, wrong.size, int(left[0][at]), int(left[1][at])))
    return found

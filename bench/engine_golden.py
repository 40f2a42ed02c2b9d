"""The golden cases of the matrix engine in ``test/golden/hmx``, see its README.md: run on either implementation."""

from __future__ import annotations

import functools
import json
from pathlib import Path
from typing import Any

import numpy as np

from hexagon_mlir.sim import Machine
from hexagon_mlir.sim.reference import Interpreter

ARCHIVE = Path(__file__).resolve().parents[1] / "test" / "golden" / "hmx" / "hmx.npz"
WINDOW = 1 << 16
"""Bytes of TCM that a case has for itself."""
RUNNERS: tuple[type[Machine] | type[Interpreter], ...] = (Interpreter, Machine)
"""Implementations: each takes assembly and the name of a chip."""
_ADDRESSES = ("r0", "r2", "r6", "r8")  # r1, r3, r7, r9 are no addresses


@functools.cache
def cases() -> list[dict[str, Any]]:
    """Every case as its dictionary; ``in`` and ``out`` are lists of (offset into TCM, bytes as u8 array)."""
    with np.load(ARCHIVE) as arrays:
        found = json.loads(str(arrays["index"]))
        return [case | {side: [(at, arrays[name]) for at, name in case[side]] for side in ("in", "out")}
                for case in found]


def assembly(case: dict[str, Any], base: int) -> str:
    """``f`` does the steps of a case at ``base`` in TCM."""
    packets = [[f"r10 = ##{case['usr']}"], ["usr = r10"]]
    for step in case["steps"]:
        for name, value in step["regs"].items():
            packets.append([f"{name} = ##{value + base if name in _ADDRESSES else value}"])
        packets.append([line.strip() for line in step["asm"].strip("{} ").split(";")])
    body = "\n".join("\t{\n\t\t" + "\n\t\t".join(packet) + "\n\t}" for packet in [*packets, ["jumpr r31"]])
    return f"\t.text\n\t.globl\tf\n\t.type\tf,@function\nf:\n{body}\n"


def results(make: type[Machine] | type[Interpreter], case: dict[str, Any]) -> list[np.ndarray]:
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

"""Products of whole matrices on the matrix engine: rate of the simulated unit, and time of the simulator."""

from __future__ import annotations

import time
from itertools import product

import numpy as np

from bench.assembly import program
from hexagon_mlir import targets
from hexagon_mlir.sim import Machine, RunResult

SIZE, TILE, CHANNELS, COLUMNS = 1024, 2048, 32, 32
ROWS = {"hf": 32, "ub": 64}
"""Of a tile of each type."""
WEIGHT_BYTES = {"hf": 2048, "ub": 1024}
DEEP = {"hf": ":deep", "ub": ":deep:cm"}
ONE = {"hf": "", "ub": ":cm"}
WEIGHT = {"hf": "weight.hf", "ub": "weight.b"}


def text(kind: str, tiles: int, columns: int) -> str:
    """A program: r0 activations, r1 weights, r2 results, r3 rows of tiles, r4 columns of results, r5 bias.

    A packet multiplies ``tiles`` tiles along the channels with weights of 32 or 64 columns.
    """
    sets = columns // COLUMNS
    size = tiles * sets * WEIGHT_BYTES[kind]
    suffix = ".hf" if kind == "hf" else ""
    mode = (DEEP if tiles > 1 else ONE)[kind]
    weight = f"{WEIGHT[kind]} = mxmem(r8,r9){':deep' if sets > 1 else ''}"
    results = [[f"cvt.{kind} = acc(r11)"], [f"mxmem(r2,r10){'' if kind == 'hf' else ':cm'} = cvt"],
               [f"r2 = add(r2,##{TILE})"]] * sets  # fmt: skip
    return program(
        [f"r7 = ##{tiles * TILE - 1}"], [f"r9 = ##{size - 1}"], [f"r11 = #{2 if kind == 'hf' else 0}"], ["r10 = #0"],
        [f"mxclracc{suffix}"], ["bias = mxmem2(r5)"],
        ".Lrow", ["r8 = r1"], ["r12 = r4"], ".Lcolumn", ["r6 = r0"], [f"loop0(.Lk,#{SIZE // CHANNELS // tiles})"],
        ".Lk", [f"r6 = add(r6,##{tiles * TILE})", f"r8 = add(r8,##{size})",
                f"activation.{kind} = mxmem(r6,r7){mode}", weight], ":endloop0",
        *results, ["r12 = add(r12,#-1)"], ["p0 = cmp.gt(r12,#0)"], ["if (p0) jump:t .Lcolumn"],
        [f"r0 = add(r0,##{SIZE // CHANNELS * TILE})"], ["r3 = add(r3,#-1)"], ["p0 = cmp.gt(r3,#0)"],
        ["if (p0) jump:t .Lrow"],
    )  # fmt: skip


def run(kind: str, target: str, tiles: int, columns: int) -> RunResult:
    """The product of two random matrices of 1024 x 1024."""
    machine = Machine(text(kind, tiles, columns), target)
    nbytes = SIZE * SIZE * (2 if kind == "hf" else 1)
    values, weights, results, bias = (machine.alloc_tcm(n) for n in (nbytes, nbytes, nbytes, 256))
    generator = np.random.default_rng(0)
    for address in (values, weights):
        machine.write(address, generator.integers(0, 0x7B if kind == "hf" else 256, nbytes, np.uint8))
    return machine.run("f", [values, weights, results, SIZE // ROWS[kind], SIZE // columns, bias])


def rate(kind: str, target: str, columns: int = COLUMNS) -> float:
    """10^12 multiplications a second at the target's clock: halves with 32 tiles in a packet, bytes with one."""
    result = run(kind, target, SIZE // CHANNELS if kind == "hf" else 1, columns)
    return SIZE**3 / result.cycles * float(targets.get(target).clock_hz.value) / 1e12


def seconds() -> list[tuple[str, str, str]]:
    """(what, promised, CPU time of the simulator)."""
    found = []
    for kind, tiles in product(("hf", "ub"), (SIZE // CHANNELS, 1)):
        begin = time.process_time()
        run(kind, "v75", tiles, COLUMNS)
        spent = time.process_time() - begin
        found.append((f"matrix engine, 1024 x 1024 x 1024 {kind}, {tiles} tiles a packet", "", f"{spent:.2f} s"))
    return found

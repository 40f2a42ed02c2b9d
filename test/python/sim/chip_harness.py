"""A few instructions on the chip's arithmetic, in the translator and in the reference at once."""

import numpy as np
from sim.forms_harness import function

from hexagon_mlir.sim import Arithmetic, Machine
from hexagon_mlir.sim.reference import Interpreter


def results(target, lines, *operands, scalars=()):
    """v10 and v11 after ``lines``, (2, 32) words; both implementations must agree.

    A line is a packet, or a list of lines that share one. The operands stand in v0, v1, ...: words, the last one
    repeated to a whole register. ``scalars`` are r2, r3, ...
    """
    loads = [[f"v{i} = vmem(r0+#{i})"] for i in range(len(operands))]
    packets = [line if isinstance(line, list) else [line] for line in lines]
    text = function("f", [*loads, *packets, ["vmem(r1+#0) = v10"], ["vmem(r1+#1) = v11"]])
    machines = Machine(text, target, profile=False, arithmetic=Arithmetic.CHIP), Interpreter(text, target, "chip")
    found = [_run(machine, operands, scalars) for machine in machines]
    np.testing.assert_array_equal(*found)
    return found[0]


def words(target, lines, *operands, scalars=()):
    """v10 alone, as a list."""
    return results(target, lines, *operands, scalars=scalars)[0].tolist()


def _run(machine, operands, scalars):
    source, result = machine.alloc_ddr(1024), machine.alloc_ddr(256)
    if operands:
        machine.write(source, np.concatenate([_register(x) for x in operands]))
    machine.run("f", [source, result, *scalars])
    return machine.read(result, np.uint32, 64).reshape(2, 32)


def _register(value):
    given = np.atleast_1d(np.asarray(value))
    given = (given.astype(np.uint32) if given.dtype.kind == "i" else given).view(np.uint32)
    return np.concatenate([given, np.full(32 - given.size, given[-1], np.uint32)])

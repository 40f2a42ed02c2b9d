"""The sticky bits of USR in programs that read it; every form's bits are in the golden files (`usr`)."""

import pytest
from sim.forms_harness import function

from hexagon_mlir.sim import Machine
from hexagon_mlir.sim.reference import Interpreter
from hexagon_mlir.sim.translation.translate import translate
from hexagon_mlir.targets import get

READ = ["r0 = usr"]
ONE, TINY, HUGE, INF, SIGNALING = 0x3F800000, 0x00800000, 0x7F7FFFFF, 0x7F800000, 0x7F800001


def bits(*packets, arguments=()):
    """USR after the packets, from both implementations."""
    text = function("f", [*packets, READ])
    results = [kind(text).run("f", arguments).return_value & 0xFFFFFFFF for kind in (Machine, Interpreter)]
    assert results[0] == results[1]
    return results[0]


@pytest.mark.parametrize(
    ("packet", "arguments", "expected"),
    [
        ("r2 = add(r0,r1):sat", (0x7FFFFFFF, 1), 1), ("r2 = add(r0,r1):sat", (0x7FFFFFFE, 1), 0),
        ("r2 = clip(r0,#3)", (1000, 0), 0),
        ("r2 = sfadd(r0,r1)", (ONE, ONE), 0), ("r2 = sfadd(r0,r1)", (ONE, 1), 1 << 5),
        ("r2 = sfmpy(r0,r1)", (TINY, TINY), 1 << 4 | 1 << 5), ("r2 = sfmpy(r0,r1)", (HUGE, HUGE), 1 << 3 | 1 << 5),
        ("r2 = sfsub(r0,r1)", (INF, INF), 1 << 1), ("r2 = sfadd(r0,r1)", (SIGNALING, ONE), 1 << 1),
        ("r2,p0 = sfrecipa(r0,r1)", (ONE, 0), 1 << 2), ("r2 = convert_sf2w(r0)", (0x3FC00000, 0), 1 << 5),
    ],
)  # fmt: skip
def test_bits(packet, arguments, expected):
    assert bits([packet], arguments=arguments) == expected


def test_bits_stay_until_they_are_cleared():
    overflow = ["r2 = add(r0,r1):sat"]
    assert bits(overflow, ["r2 = add(r2,#-9)"], arguments=(0x7FFFFFFF, 1)) == 1
    assert bits(overflow, ["r3 = #0"], ["usr = r3"], arguments=(0x7FFFFFFF, 1)) == 0


def test_a_program_that_never_reads_usr_pays_nothing():
    saturating = [["r0 = add(r0,r1):sat"]]
    silent, _ = translate(function("f", saturating), get("v75"), False)
    reading, _ = translate(function("f", [*saturating, ["r1 = usr"]]), get("v75"), False)
    assert len(silent.splitlines()) < len(reading.splitlines()) - 4

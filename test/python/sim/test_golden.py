"""Every golden form: the simulator gives bit for bit what qemu-hexagon gave (see scripts/golden_forms.py)."""

import functools
from pathlib import Path

import numpy as np
import pytest
from sim import golden_harness as harness

from hexagon_mlir.sim import Machine

GOLDEN = Path(__file__).resolve().parents[2] / "golden" / "forms"
FILES = ("scalar", "hvx", "memory")
CHUNK = 50
LEAST_FORMS = 350


@functools.cache
def load(name):
    with np.load(GOLDEN / f"{name}.npz") as data:
        return {key: data[key] for key in data.files}


def packets(text):
    return [packet.split(" ;; ") for packet in text.split(" / ")]


@functools.cache
def inputs(kind):
    return harness.states(kind)


def difference(before, after, expected):
    """Which parts of the state are wrong."""
    wrong = np.flatnonzero(after != expected)
    parts = []
    for byte in wrong[:8]:
        if byte < harness.VECTOR:
            place = harness.HEADER_WORDS[byte // 4]
        elif byte < harness.VECTOR_START:
            place = f"q{byte // harness.VECTOR - 1}[{byte % harness.VECTOR}]"
        elif byte < harness.BLOCK_START:
            place = f"v{(byte - harness.VECTOR_START) // harness.VECTOR}.b[{byte % harness.VECTOR}]"
        else:
            place = f"memory[{byte - harness.BLOCK_START}]"
        parts.append(f"{place} was {before[byte]:02x}, is {after[byte]:02x}, should be {expected[byte]:02x}")
    return f"{wrong.size} bytes; " + "; ".join(parts)


def chunks():
    return [(name, start) for name in FILES for start in range(0, len(load(name)["forms"]), CHUNK)]


def failures(name, start, of_four):
    """Messages of the forms of one chunk that differ in states with these numbers of each four."""
    data = load(name)
    rows = range(start, min(start + CHUNK, len(data["forms"])))
    text = harness.routines() + "".join(harness.form_function(i, packets(str(data["text"][i]))) for i in rows)
    machine = Machine(text, "v75", profile=False)
    source, target = machine.alloc_ddr(harness.STATE_BYTES), machine.alloc_ddr(harness.STATE_BYTES)
    messages = []
    for row in rows:
        states = inputs(str(data["kinds"][row]))
        wrong = []
        for index, state in enumerate(states):
            if index % 4 not in of_four:
                continue
            machine.write(source, state)
            machine.run(f"f{row}", [source, target])
            after = machine.read(target, np.uint8, harness.STATE_BYTES)
            if index == 0 and not np.array_equal(after ^ state, data["first"][row]):
                wrong.append(difference(state, after, state ^ data["first"][row]))
            elif harness.digest(after) != data["digests"][row, index].tobytes():
                wrong.append(f"state {index}")
        if wrong:
            messages.append(f"{data['forms'][row]} ({data['text'][row]}): {len(wrong)} states, {wrong[0]}")
    return messages


def test_enough_forms():
    assert sum(len(load(name)["forms"]) for name in FILES) >= LEAST_FORMS
    for name in FILES:
        assert load(name)["digests"].shape[1:] == (harness.STATES, 8)


@pytest.mark.parametrize("of_four", [(0, 1), pytest.param((2, 3), marks=pytest.mark.full)])
@pytest.mark.parametrize(("name", "start"), chunks())
def test_forms(name, start, of_four):
    """A quarter of the states are edge values, every other one has doubles of all sizes."""
    assert failures(name, start, of_four) == []

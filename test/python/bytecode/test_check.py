"""The checker refuses what would read or write outside of buffers and TCM, and nothing that an encoder writes."""

import random
import struct

import numpy as np
import pytest
from bytecode.groups import layer_norm

from hexagon_mlir import targets
from hexagon_mlir.bench.size_groups import add, softmax
from hexagon_mlir.bytecode import layout
from hexagon_mlir.bytecode.check import check
from hexagon_mlir.bytecode.encode import Encoder
from hexagon_mlir.bytecode.group import Group
from hexagon_mlir.bytecode.machine import Machine
from hexagon_mlir.bytecode.shape import Shape
from hexagon_mlir.exec.sim import checking
from hexagon_mlir.ir import HexError

TARGET = targets.get()
SHAPE = Shape.of(TARGET)
CODE = Encoder(softmax(), TARGET).encode([(70, 100)])
SLOTS = layout.HEADER_WORDS + 2 * layout.BUFFER_WORDS
LOAD = SLOTS + 3 * layout.SLOT_WORDS
"""The first word of the load; a reduction and others follow, then the store."""


def changed(*changes, code=CODE):
    """``code`` with words replaced: (number, value)."""
    words = list(struct.unpack(f"<{len(code) // 4}I", code))
    for at, value in changes:
        words[at] = value & 0xFFFFFFFF
    return struct.pack(f"<{len(words)}I", *words)


def field(name):
    return layout.FIELDS.index(name)


def test_layout_of_the_example():
    program = check(CODE, SHAPE)
    assert (len(program.buffers), program.header["loads"], program.header["stores"]) == (2, 1, 1)
    assert len(program.words) == LOAD + len(program.instructions) * layout.INSTRUCTION_WORDS


STORE = len(CODE) // 4 - layout.INSTRUCTION_WORDS


@pytest.mark.parametrize(("changes", "message"), [
    ([(0, 7)], "does not begin with HXBC"), ([(1, 2)], "version 2"), ([(2, 9)], "the header says 9"),
    ([(field("threads"), 0)], "0 threads"), ([(field("threads"), 5)], "5 threads"),
    ([(field("rows"), 71)], "do not fit each other|element"), ([(field("tile_rows"), 0)], "tile_rows=0"),
    ([(field("row_shift"), 7)], "row_shift=7"), ([(field("columns"), -1)], "columns=4294967295"),
    ([(field("buffers"), 17)], "17 buffers"), ([(field("outer"), 2)], "stored more than once"),
    ([(field("outer"), 1 << 20), (field("inner"), 1 << 20)], "tiles"),
    ([(layout.HEADER_WORDS, 6999)], "element 6999 of buffer 0"), ([(layout.HEADER_WORDS + 1, 2)], "type 0x2"),
    ([(layout.HEADER_WORDS, 1 << 30)], "less than 2 GiB"), ([(layout.HEADER_WORDS + 1, 1)], "different types"),
    ([(layout.HEADER_WORDS + 1, 256)], "written only"),
    ([(SLOTS, 1)], "slots overlap"), ([(SLOTS + 1, 1 << 20)], "slots end"), ([(SLOTS + 2, 1)], "a tile needs"),
    ([(SLOTS + 3, 3)], "kind 0x3"), ([(SLOTS + 3, 256)], "not whole vectors of f16"), ([(SLOTS + 1, 0)], "one place"),
    ([(LOAD, 2)], "is no load"), ([(LOAD + 1, 9)], "no slot 9"), ([(LOAD + 2, 9)], "no buffer 9"),
    ([(LOAD + 3, 1)], "element 7000"), ([(LOAD + 6, 101)], "element 7068"), ([(LOAD + 7, 2)], "strides 100 and 2"),
    ([(LOAD + 8, 11)], "no operation 11"), ([(LOAD + 8, 1)], "no operation 1"), ([(LOAD + 9, 1)], "on a column"),
    ([(LOAD + 9, 3)], "kind 3"), ([(LOAD + 10, 0)], "slot 0 is a tile"), ([(LOAD + 12, 1)], "what is unused is 0"),
    ([(LOAD + 14, 1)], "what is unused is 0"), ([(STORE + 6, 99)], "stored more than once"),
    ([(STORE + 2, 0)], "read only"),
])
def test_refused(changes, message):
    with pytest.raises(HexError, match=message):
        check(changed(*changes), SHAPE)


@pytest.mark.parametrize("size", [0, 3, 70, 5000, len(CODE) - 4])
def test_sizes(size):
    with pytest.raises(HexError, match=r"bytes|words"):
        check((CODE * 20)[:size], SHAPE)


def test_slots_are_written_before_they_are_read():
    group = Group()
    x = group.input("n")
    group.output(group.apply("exp", x))
    code = Encoder(group, TARGET).encode([(5,)])
    words = struct.unpack(f"<{len(code) // 4}I", code)
    at = len(words) - 3 * layout.INSTRUCTION_WORDS
    without_load = struct.pack(f"<{len(words) - 8}I", *words[:at], *words[at + 8:])
    with pytest.raises(HexError, match="nothing has written"):
        check(changed((2, len(words) - 8), (field("loads"), 0), code=without_load), SHAPE)


def mutated(code, random):
    """``code`` with one to three words changed: to others of the program, near ones, bits, special numbers."""
    words = list(struct.unpack(f"<{len(code) // 4}I", code))
    for _ in range(random.choice((1, 1, 1, 2, 3))):
        at = random.randrange(len(words))
        words[at] = random.choice((words[at] + random.choice((-2, -1, 1, 2, 32)), words[at] ^ 1 << random.randrange(32),
                                   random.choice(words), random.choice((0, 1, 255, 1 << 31, 0xFFFFFFFF)),
                                   words[at] * 2, random.getrandbits(32))) & 0xFFFFFFFF
    return struct.pack(f"<{len(words)}I", *words)


@pytest.mark.parametrize("count", [150, pytest.param(5000, marks=pytest.mark.full)])
def test_mutations(count):
    """Each is refused, or runs without a fault; results may be anything."""
    machine, chosen = Machine(), random.Random(count)
    programs = [Encoder(group, TARGET).encode(shapes) for group, shapes in (
        (softmax(), [(70, 100)]), (add(), [(3, 1000)] * 2), (layer_norm(), [(40, 33), (33,), ()]))]
    ran = 0
    with checking() as reports:
        for _ in range(count):
            try:
                program = machine.load(mutated(chosen.choice(programs), chosen))
            except HexError as error:
                assert str(error).count("error:") == 1
                continue
            if sum(buffer.elements for buffer in program.buffers) > 1 << 24:
                continue
            arrays = [np.zeros(buffer.elements, np.float16 if buffer.half else np.float32)
                      for buffer in program.buffers]
            machine.run(program, *arrays)
            ran += 1
    assert ran > count / 20
    assert list(map(str, reports)) == []

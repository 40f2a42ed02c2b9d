"""Routines of the matrix engine: what they have it do, as text and as words of objects, and when they are added."""

import re

import elf32
import numpy as np
import pytest
from scalar_packets import run

from hexagon_mlir import targets
from hexagon_mlir.codegen import emit
from hexagon_mlir.codegen.matrix_engine.definitions import definition, with_definitions, with_routines
from hexagon_mlir.codegen.matrix_engine.routines import ROUTINES, TILES_PER_PACKET, WINDOW_BYTES
from hexagon_mlir.ir import HexError
from hexagon_mlir.isa.assembler import assemble
from hexagon_mlir.isa.decode import decode
from hexagon_mlir.isa.reader import parse
from hexagon_mlir.sim import Machine
from hexagon_mlir.sim.checking.rules import Rule

TILE = 2048
ARGUMENTS = {"activations": 0x100000, "weights": 0x200000, "results": 0x300000, "bias": 0x400000}
CALLER = "\n".join(("declare void @{0}(ptr, ptr, ptr, i32, i32, ptr)", "define void @f(ptr %a, ptr %w) {{",
                    "  call void @{0}(ptr %a, ptr %w, ptr %a, i32 1, i32 2, ptr %w)", "  ret void", "}}", ""))


def expected(tiles, columns, conversion, places):
    """What the engine is to do with operands at ``places``, from the description of the routine."""
    if tiles <= 0 or columns <= 0:
        return []
    done = [("mxclracc.hf",)]
    for column in range(columns):
        done.append(("bias=mxmem2(R)", places["bias"] + 256 * column))
        first = 0
        while first < tiles:
            activations = places["activations"] + first * TILE
            weights = places["weights"] + (column * tiles + first) * TILE
            count = min(TILES_PER_PACKET, tiles - first, *(
                (WINDOW_BYTES - place % WINDOW_BYTES) // TILE for place in (activations, weights)))
            done.append(("activation.hf=mxmem(R,R):deep", activations, count * TILE - 1))
            done.append(("weight.hf=mxmem(R,R)", weights, count * TILE - 1))
            first += count
        done.append(("cvt.hf=acc(R)", conversion))
        done.append(("mxmem(R,R)=cvt", places["results"] + column * TILE, 0))
    return done


def both(name):
    """The routine as its text and as the words in an object."""
    words, weak = elf32.function(emit(CALLER.format(name), targets.get("v75"), "obj"), name)
    assert weak
    lines = "".join(f"\t.word\t{word}\n" for word in words)
    as_words = parse(f"\t.type {name},@function\n{name}:\n{lines}").functions[name]
    return parse(ROUTINES[name].assembly).functions[name], as_words


@pytest.mark.parametrize(("name", "conversion"), [("hexmlir_engine_hf", 2), ("hexmlir_engine_hf_relu", 0)])
@pytest.mark.parametrize(("tiles", "columns"), [
    (1, 1), (1, 3), (31, 2), (32, 1), (32, 2), (33, 1), (33, 3), (63, 2), (64, 2), (65, 1), (96, 2), (100, 3),
    (0, 1), (1, 0), (0, 0), (-1, 2), (2, -1), (-2147483648, 1)])
def test_what_the_engine_does(name, conversion, tiles, columns):
    for function in both(name):
        for activations, weights in ((0, 0), (WINDOW_BYTES - 5 * TILE, 0), (3 * TILE, 2 * WINDOW_BYTES - 40 * TILE)):
            places = {**ARGUMENTS, "activations": ARGUMENTS["activations"] + activations,
                      "weights": ARGUMENTS["weights"] + weights}
            arguments = [places[name] for name in ("activations", "weights", "results")]
            done = run(function, *arguments, tiles, columns, places["bias"])[0]
            assert done == expected(tiles, columns, conversion, places)


def test_windows_are_those_of_every_chip():
    chips = [targets.get(name) for name in targets.names()]
    assert {chip.matrix_window_bytes.value for chip in chips if chip.has_matrix_engine} == {WINDOW_BYTES}


def test_packets_of_the_loops():
    function = parse(ROUTINES["hexmlir_engine_hf"].assembly).functions["hexmlir_engine_hf"]
    arguments = [*ARGUMENTS.values()]

    def packets(tiles, columns):
        return run(function, *arguments[:3], tiles, columns, arguments[3])[1]

    assert packets(32, 9) - packets(32, 8) == 3 + 9  # bias, conversion, store; one product and its size
    assert packets(96, 9) - packets(96, 8) == 3 + 3 * 9
    assert packets(1, 1) == 3 + 12 + 1


@pytest.mark.parametrize("name", ROUTINES)
def test_words_in_objects_are_the_text(name):
    text, words = both(name)
    assert assemble(words, 75) == assemble(text, 75)
    for one, other in zip(text.packets, words.packets, strict=True):
        operations = [[(i.key, i.dests, i.sources, i.condition) for i in decode(packet) if i.key != "nop"]
                      for packet in (one, other)]
        assert sorted(map(repr, operations[0])) == sorted(map(repr, operations[1]))
        assert (one.end_loop0, one.end_loop1) == (other.end_loop0, other.end_loop1)


@pytest.mark.parametrize("name", ROUTINES)
def test_assembly_has_the_routines_that_it_names(name):
    module = parse(emit(CALLER.format(name), targets.get("v79")))
    assert list(module.functions) == ["f", name]
    assert [[i.key for i in decode(p)] for p in module.functions[name].packets] == [
        [i.key for i in decode(p)] for p in parse(ROUTINES[name].assembly).functions[name].packets]


WAITING = """
declare void @hexmlir_rt_engine_acquire()
declare void @hexmlir_rt_engine_release()
declare void @hexmlir_engine_hf_relu(ptr, ptr, ptr, i32, i32, ptr)
define i32 @f(ptr %a, ptr %w, ptr %o, i32 %k, i32 %n, ptr %t) {
  call void @hexmlir_rt_engine_acquire()
  call void @hexmlir_engine_hf_relu(ptr %a, ptr %w, ptr %o, i32 %k, i32 %n, ptr %t)
  call void @hexmlir_rt_engine_release()
  %last = getelementptr i8, ptr %o, i32 2046
  %bits = load i16, ptr %last
  %word = zext i16 %bits to i32
  ret i32 %word
}
"""


@pytest.mark.parametrize("as_words", [False, True])
@pytest.mark.parametrize("chip", ["v73", "v75", "v79", "v81"])
def test_compiled_code_calls_a_routine(chip, as_words):
    """Two columns of two tiles of ones and twos: 64 * 2, then 64 * -2, which becomes 0, plus 0.5."""
    target = targets.get(chip)
    name = "hexmlir_engine_hf_relu"
    assembly = emit(WAITING, target)
    if as_words:
        text = ROUTINES[name].assembly
        words = assemble(parse(text).functions[name], target.version)
        assembly = assembly[:assembly.index(f"{name}:\n")] + f"{name}:\n" + "".join(f"\t.word {w}\n" for w in words)
    machine = Machine(assembly, chip, check=True)
    ones, twos, half = (np.full(1024, value, np.float16) for value in (1, 2, 0.5))
    bias = np.repeat(np.array([[0x38003C00, 0]] * 2, np.uint32), 32, axis=1)
    operands = [np.tile(ones, 2), np.concatenate([twos, twos, -twos, -twos]), np.zeros(2048, np.float16), bias]
    a, w, o, t = (machine.alloc_tcm(data.nbytes, TILE) for data in operands)
    for address, data in zip((a, w, o, t), operands, strict=True):
        machine.write(address, data)
    result = machine.run("f", [a, w, o, 2, 2, t])
    out = machine.read(o, np.float16, 2048)
    np.testing.assert_array_equal(out, np.concatenate([128 + half, half * 0]))
    assert result.return_value & 0xFFFFFFFF == 0x5804  # 128.5, loaded after the wait
    assert [report.rule for report in result.reports] == [Rule.MATRIX_RELU]  # meant, and not a failure
    assert result.matrix.macs == 2 * 2 * 32**3


def test_nothing_is_added_where_nothing_is_missing():
    chip = targets.get("v75")
    own = ROUTINES["hexmlir_engine_hf"].assembly
    assert with_routines(own, chip) == own
    assert with_routines("\tcall hexmlir_engine_hf_own\n", chip) == "\tcall hexmlir_engine_hf_own\n"
    assert with_definitions("declare void @g()\n", chip) == "declare void @g()\n"
    defined = definition(ROUTINES["hexmlir_engine_hf"], chip.version) + "\n"
    assert with_definitions(defined, chip) == defined
    assert with_routines("\tcall hexmlir_engine_hf\n", chip).count("hexmlir_engine_hf:\n") == 1


def test_chips_without_the_engine():
    source = CALLER.format("hexmlir_engine_hf")
    with pytest.raises(HexError, match="v68 has no matrix engine"):
        emit(source, targets.get("v68"))
    with pytest.raises(KeyError):  # undefined: the runtime has an emulation
        elf32.function(emit(source, targets.get("v68"), "obj"), "hexmlir_engine_hf")


def test_only_registers_that_a_caller_saves():
    for routine in ROUTINES.values():
        numbers = {int(number) for number in re.findall(r"\br(\d+)", routine.packets)}
        assert numbers - {31} <= {*range(16), 28}

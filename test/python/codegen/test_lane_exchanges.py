"""Exchanges of lanes, the steps of a transpose: which masks they are, values on the simulator, the instruction."""

import re

import numpy as np
import pytest
from text_rewrites import exchanges_as_instructions

from hexagon_mlir import targets
from hexagon_mlir.codegen.backend import optimize_and_emit
from hexagon_mlir.codegen.hvx.lane_exchanges import FEWEST, exchange
from hexagon_mlir.sim import Machine

CHIP = targets.get("v75")
ELEMENTS = {"i32": np.uint32, "float": np.uint32, "i16": np.uint16, "half": np.uint16, "i8": np.uint8}
CASES = [(1, "lo"), (2, "hi"), (4, "lo"), (8, "hi"), (16, "lo")]


def lanes_of(count: int, gap: int, half: str, swapped: bool) -> list[int]:
    """Lanes of both operands, one behind the other, in the half: columns of rows of blocks of ``gap`` lanes."""
    blocks = np.arange(2 * count).reshape(2, -1, 2, gap)  # operand, pair of blocks, block, lane
    picked = blocks[:, :, int(half == "hi")].transpose(1, 0, 2).reshape(-1)
    return list((picked + count * swapped) % (2 * count))


def mask_lanes(lanes: list[int | None]) -> tuple[str, ...]:
    return tuple("poison" if lane is None else str(lane) for lane in lanes)


def mask_text(lanes: list[int | None]) -> str:
    return ", ".join(f"i32 {lane}" for lane in mask_lanes(lanes))


@pytest.mark.parametrize("count", [32, 64, 128])
def test_masks(count):
    for gap in (1, 2, count // 4, count // 2):
        for half in ("lo", "hi"):
            for swapped in (False, True):
                lanes = lanes_of(count, gap, half, swapped)
                assert exchange(mask_lanes(lanes), count) == (gap, half, swapped)
                some = [None if n % 5 == 1 else lane for n, lane in enumerate(lanes)]
                assert exchange(mask_lanes(some), count) == (gap, half, swapped)
                lanes[3] ^= 1
                assert exchange(mask_lanes(lanes), count) is None


@pytest.mark.parametrize("lanes", [list(range(32)), list(range(32, 64)), list(range(1, 33)), [None] * 32,
                                   [0, 32] * 16, list(range(0, 64, 2)), lanes_of(32, 4, "lo", False)[:16],
                                   [None if lane >= 32 else lane for lane in lanes_of(32, 1, "lo", False)]])
def test_other_masks(lanes):
    assert exchange(mask_lanes(lanes), 32) is None


def program(element: str, count: int, repeats: int = FEWEST) -> tuple[str, list[list[int]]]:
    """A function that stores one exchange after the other, each of what the one before gave and the second vector."""
    picked = [lanes_of(count, *CASES[n % len(CASES)], swapped=bool(n % 3)) for n in range(repeats)]
    vector = f"<{count} x {element}>"
    lines = ["define void @f(ptr %a, ptr %b, ptr %out) {", f"  %v0 = load {vector}, ptr %a",
             f"  %w = load {vector}, ptr %b"]
    for n, lanes in enumerate(picked):
        lines += [f"  %v{n + 1} = shufflevector {vector} %v{n}, {vector} %w, <{count} x i32> <{mask_text(lanes)}>",
                  f"  %p{n} = getelementptr i8, ptr %out, i32 {128 * n}", f"  store {vector} %v{n + 1}, ptr %p{n}"]
    return "\n".join([*lines, "  ret void\n}\n"]), picked


@pytest.mark.parametrize("element", ELEMENTS)
def test_values(element):
    dtype = ELEMENTS[element]
    count = 128 // np.dtype(dtype).itemsize
    text, picked = program(element, count)
    asm = optimize_and_emit(text, CHIP.cpu, CHIP.features, "asm", patience=0).decode()
    assert len(re.findall(r"= vshuff\(v\d+,v\d+,r\d\)", asm)) == len(picked)
    assert not re.search(r"= v(?:mux|l?align|r?delta)\(", asm)
    machine = Machine(asm, "v75", memory="fast")
    data = np.random.default_rng(0).integers(0, 256, (2, 128), np.uint8)
    addresses = [machine.alloc_ddr(128), machine.alloc_ddr(128), machine.alloc_ddr(128 * len(picked))]
    for address, row in zip(addresses, data, strict=False):
        machine.write(address, row)
    machine.run("f", addresses)
    found = machine.read(addresses[2], dtype, count * len(picked)).reshape(len(picked), count)
    last, other = data.view(dtype)
    for lanes, row in zip(picked, found, strict=True):
        last = np.concatenate([last, other])[lanes]
        np.testing.assert_array_equal(row, last)


def test_both_halves_take_one_instruction():
    lines = ["define void @f(ptr %a, ptr %out) {"]
    for n in range(FEWEST):
        lines += [f"  %q{n} = getelementptr i8, ptr %a, i32 {128 * n}", f"  %v{n} = load <32 x float>, ptr %q{n}"]
    for n in range(FEWEST):
        first, lanes = n & ~1, lanes_of(32, 2, ("lo", "hi")[n & 1], swapped=False)
        lines += [f"  %half{n} = shufflevector <32 x float> %v{first}, <32 x float> %v{first + 1}, "
                  f"<32 x i32> <{mask_text(lanes)}>",
                  f"  %p{n} = getelementptr i8, ptr %out, i32 {128 * n}", f"  store <32 x float> %half{n}, ptr %p{n}"]
    text = "\n".join([*lines, "  ret void\n}\n"])
    asm = optimize_and_emit(text, CHIP.cpu, CHIP.features, "asm", patience=0).decode()
    assert asm.count("vshuff(") == FEWEST // 2


def test_values_between_exchanges_are_words_only():
    """Vectors are cast where they come from elsewhere, once in a block, and where something else reads them."""
    masks = [mask_text(lanes_of(32, 1, half, swapped=False)) for half in ("lo", "hi")]
    lines = ["define <32 x float> @f(<32 x float> %v0, <32 x float> %w0) {"]
    for n in range(FEWEST // 2):
        operands = f"<32 x float> %v{n}, <32 x float> %w{n}"
        lines += [f"  %{name}{n + 1} = shufflevector {operands}, <32 x i32> <{mask}>"
                  for name, mask in zip("vw", masks, strict=True)]
    last = FEWEST // 2
    lines += ["  br label %b", "b:", f"  %sum = fadd <32 x float> %v{last}, %w{last}",
              f"  %again = shufflevector <32 x float> %v0, <32 x float> %sum, <32 x i32> <{masks[1]}>",
              "  ret <32 x float> %again\n}\n"]
    text = exchanges_as_instructions("\n".join(lines))
    assert text.count("= call <64 x i32> @llvm.hexagon.V6.vshuffvdd.128B(") == last + 1
    assert re.findall(r"bitcast <32 x float> (%\w+) to", text) == ["%w0", "%v0", "%sum", "%v0"]
    assert re.findall(r"(%\w+) = bitcast <32 x i32>", text) == [f"%v{last}", f"%w{last}", "%again"]
    optimize_and_emit(text, CHIP.cpu, CHIP.features, "asm", patience=0)  # LLVM's verifier agrees


def test_numbered_values():
    """As LLVM prints them: casts and pairs get names of their own, and numbers may leave gaps."""
    mask = mask_text(lanes_of(64, 8, "hi", swapped=True))
    lines = ["define <64 x half> @f(<64 x half> %0, <64 x half> %1) {",
             f"  %3 = shufflevector <64 x half> %0, <64 x half> %1, <64 x i32> <{mask}>",
             *(f"  %{n} = shufflevector <64 x half> %{n - 1}, <64 x half> %1, <64 x i32> <{mask}>"
               for n in range(4, FEWEST + 3)), f"  ret <64 x half> %{FEWEST + 2}\n}}\n"]
    text = exchanges_as_instructions("\n".join(lines))
    assert "shufflevector" not in text
    asm = optimize_and_emit(text, CHIP.cpu, CHIP.features, "asm", patience=0).decode()
    assert asm.count("vshuff(") == FEWEST


def test_what_stays():
    few, _ = program("float", 32, FEWEST - 1)
    wide = program("float", 64)[0].replace("i32 0,", "i32 0, ")
    assert exchanges_as_instructions(few) == few
    assert exchanges_as_instructions(wide) == wide

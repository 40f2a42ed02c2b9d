"""`hexagon-pair-interleaving` keeps every element: on the host after the pass, and as Hexagon code."""

import numpy as np
import pytest
from batch import after, on_host, on_simulator
from linalg_programs import Program

from hexagon_mlir.codegen import compile_module
from hexagon_mlir.exec.sim import launch
from hexagon_mlir.ir import parse, to_text
from hexagon_mlir.pass_infra import PassStep, registry

pytestmark = pytest.mark.only_values

STEPS = [PassStep(registry.get("hexagon-pair-interleaving")())]
COLUMNS = {"f16": 32, "i8": 64, "i32": 16}
"""Half a vector of each type."""
TYPES = {"f16": np.float16, "i8": np.int8, "i32": np.int32}
DIRECTIONS = {"activations": (0, 3, 1, 4, 2), "weights": (3, 0, 1, 4, 2)}

TRANSPOSED = {"activations": (2, 0, 3, 1, 4), "weights": (0, 2, 3, 1, 4)}
"""Of matrices whose rows go along the reduction."""


def transpose(name: str, type_: str, shape: tuple[int, ...], permutation: tuple[int, ...]) -> Program:
    """A copy of every bit pattern, NaN and -0.0 among them."""
    size = np.dtype(TYPES[type_]).itemsize
    rng = np.random.default_rng(sum(shape))
    source = np.frombuffer(rng.bytes(size * int(np.prod(shape))), TYPES[type_]).reshape(shape)
    expected = source.transpose(permutation)
    given, made = ("x".join(map(str, (*array.shape, type_))) for array in (source, expected))
    text = f"""
      func.func @{name}(%x: memref<{given}>, %y: memref<{made}>) {{
        linalg.transpose ins(%x : memref<{given}>) outs(%y : memref<{made}>) permutation = {list(permutation)}
        return
      }}"""
    return Program(name, text, [source], np.ascontiguousarray(expected))


def programs() -> list[Program]:
    """To tiles and back: an even and an odd number of tiles in a row."""
    found = []
    for type_ in TYPES:
        for rows, row, tiles in [(1, 16, 4), (3, 5, 2), (2, 8, 5), (1, 1, 7)]:
            for direction, permutation in DIRECTIONS.items():
                name = f"{direction}_{type_}_{rows}_{row}_{tiles}"
                shape = rows, row, 2, tiles, COLUMNS[type_]
                found.append(transpose(name, type_, shape, permutation))
                back = tuple(int(place) for place in np.argsort(permutation))
                found.append(transpose(f"{name}_back", type_, tuple(shape[d] for d in permutation), back))
        for outer in [(1,), (3, 7), (2, 5, 16)]:
            name, inner = f"neighbours_{type_}_{'_'.join(map(str, outer))}", len(outer)
            order = (*reversed(range(inner)), inner + 1, inner)
            found.append(transpose(name, type_, (*outer, 2, COLUMNS[type_]), order))
            found.append(transpose(f"{name}_back", type_, (*outer, COLUMNS[type_], 2), order))
    for direction, permutation in TRANSPOSED.items():
        for first, pieces in [(1, 2), (3, 4), (2, 5), (3, 1)]:
            shape = (first, 32, pieces, 16, 2)
            found.append(transpose(f"{direction}_transposed_{first}_{pieces}", "f16", shape, permutation))
    return found


def run(found: list[Program], call) -> None:
    for program in found:
        result = np.zeros_like(program.expected)
        call(program.name, [*program.arguments, result])
        assert result.tobytes() == program.expected.tobytes(), program.name


def test_on_the_host():
    found = programs()
    module, _ = after("".join(program.text for program in found), STEPS)
    text = to_text(module)
    assert text.count("linalg.generic") == 0, "each is vectorized"
    run(found, on_host(module, [program.name for program in found]))


def test_on_the_simulator(sample):
    """A fifth of them, in which each type and each direction is."""
    found = sample(programs(), [program.name for program in programs()[::5]])
    call, asm = on_simulator("".join(program.text for program in found))
    assert "vshuff" in asm
    assert "vdeal" in asm
    run(found, call)


def windows() -> Program:
    """Of an image of 9 rows of 14 pixels and 64 channels, as tiles of 4 x 4 pixels for 3 x 3 taps."""
    image = np.arange(9 * 14 * 64, dtype=np.float16).reshape(9, 14 * 64)
    places = np.indices((3, 3, 2, 7, 4, 32, 2))
    tap, across, run, high, wide, channel, pair = places
    expected = image[tap + high, across * 64 + run * 32 + (wide * 2 + pair) * 64 + channel]
    text = """
      func.func @windows(%x: memref<9x896xf16>, %y: memref<3x3x2x7x4x32x2xf16>) {
        linalg.generic {indexing_maps = [
            affine_map<(t, a, r, y, x, c, p) -> (t + y, a * 64 + r * 32 + x * 128 + p * 64 + c)>,
            affine_map<(t, a, r, y, x, c, p) -> (t, a, r, y, x, c, p)>], iterator_types = ["parallel", "parallel",
            "parallel", "parallel", "parallel", "parallel", "parallel"]}
            ins(%x : memref<9x896xf16>) outs(%y : memref<3x3x2x7x4x32x2xf16>) {
          ^bb0(%a: f16, %old: f16):
            linalg.yield %a : f16
        }
        return
      }"""
    return Program("windows", text, [image], np.ascontiguousarray(expected))


def test_no_packet_waits_for_a_load():
    """Each shuffle followed its two loads at once: a third of the cycles were waits. So it was for windows, and where
    the number of iterations was odd."""
    found = [transpose(f"{direction}_loaded_{rows}", "f16", (2, rows, 2, 4, 32), permutation)
             for direction, permutation in DIRECTIONS.items() for rows in (16, 7)] + [windows()]
    asm = compile_module(parse("".join(program.text for program in found))).asm
    for program in found:
        result = np.zeros_like(program.expected)
        stalls = launch(asm, program.name, [*program.arguments, result], None).stalls
        assert result.tobytes() == program.expected.tobytes(), program.name
        assert stalls["hvx-issue"] > 10 * stalls.get("hvx-interlock", 0), program.name

"""Products by weights of 4 bits as loops over columns, and reductions that are cut: sizes and values."""

from dataclasses import replace

import numpy as np
import pytest
from batch import after, on_host
from test_narrow_matrix_engine import product

from hexagon_mlir import pipelines, targets
from hexagon_mlir.codegen.emission import emit
from hexagon_mlir.codegen.translate import translate_to_llvm_ir
from hexagon_mlir.dialects.engine_tiles import TILE, tiles
from hexagon_mlir.exec.sim import launch
from hexagon_mlir.ir import to_text
from hexagon_mlir.pass_infra import PassStep, registry
from hexagon_mlir.passes.matrix_engine.sizes import ColumnParts, choose_column_parts, choose_cuts, part_bytes

pytestmark = pytest.mark.only_values

BUDGET = (8 << 20) * 15 // 16
CODES = 576
"""Bytes of a tile in 4 bits, with its scales."""
LOOPS = (70, 420, 640)
"""Seven pairs of columns, the last one of a short tile."""
LOOP, CUT, BIASED_CUT, SHORT = 750_000, 450_000, 600_000, 500_000
"""Bytes of TCM that make a loop of `LOOPS`; that cut its reduction; that cut it with f32 results; that cut it where
a last block could be shorter than a part."""


def with_epilogue(program):
    """Sums of f32 and a number for each column, twice."""
    m, n, k = LOOPS
    f16, f32 = f"tensor<{m}x{n}xf16>", f"tensor<{m}x{n}xf32>"
    body = f"""
        %zero = arith.constant 0.0 : f32
        %e = tensor.empty() : {f32}
        %i = linalg.fill ins(%zero : f32) outs(%e : {f32}) -> {f32}
        %p = linalg.matmul ins(%a, %w : tensor<{m}x{k}xf16>, tensor<{k}x{n}xf16>) outs(%i : {f32}) -> {f32}
        %o = linalg.generic {{indexing_maps = [affine_map<(i, j) -> (j)>, affine_map<(i, j) -> (i, j)>,
            affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}}
            ins(%c, %p : tensor<{n}xf32>, {f32}) outs(%e : {f32}) {{
        ^bb0(%x: f32, %y: f32, %z: f32):
          %t = arith.addf %x, %x : f32
          %u = arith.subf %t, %y : f32
          linalg.yield %u : f32
        }} -> {f32}
        return %o : {f32}
      }}"""
    head = program.text[:program.text.index("%zero")].replace(f"-> {f16}", f"-> {f32}").replace(
        ")", f", %c: tensor<{n}xf32>)", 1)
    bias = np.linspace(-3, 3, n).astype(np.float32)
    return replace(program, text=head + body, arguments=[*program.arguments, bias],
                   expected=2 * bias.astype(np.float64) - program.expected,
                   error=program.error - 2.0**-11 * np.abs(program.expected) + 2.0**-20, dtype=np.dtype(np.float32))


def test_parts_of_a_layers_products():
    """Qwen3-4B: products of 20 to 33 thousand cycles."""
    assert choose_column_parts(512, 4096, 2560, BUDGET, CODES) == ColumnParts(512, 64, 12)
    assert choose_column_parts(512, 2560, 4096, BUDGET, CODES) == ColumnParts(512, 64, 6)
    assert choose_column_parts(512, 9728, 2560, BUDGET, CODES, 8) == ColumnParts(512, 64, 6)
    assert choose_column_parts(64, 9728, 2560, BUDGET, CODES) == ColumnParts(64, 256, 6)
    assert choose_column_parts(2048, 9728, 2560, BUDGET, CODES) == ColumnParts(1024, 64, 3)


def test_the_first_part_of_the_last_block_is_whole():
    """It is made in the loop, where parts are whole; the last one of its tiles may be short."""
    for columns in range(32, 2000, 28):
        for budget in range(300_000, 900_000, 100_000):
            parts = choose_column_parts(70, columns, 640, budget, CODES)
            if parts is not None:
                left = (columns - 1) % (parts.columns * parts.count) + 1
                assert TILE * tiles(left) >= min(parts.columns, TILE * tiles(columns))


def test_the_reduction_is_cut_where_the_left_factor_does_not_fit():
    assert choose_column_parts(512, 2560, 9728, BUDGET, CODES) is None
    assert choose_cuts(512, 2560, 9728, BUDGET, CODES, 0) == (104, 104, 96)
    assert choose_cuts(512, 4096, 2560, BUDGET, CODES, 0) == (80,)
    assert choose_cuts(512, 4096, 1 << 20, BUDGET, CODES, 0) == ()


def test_bytes_of_parts():
    """One part of two tiles of columns: three of them in f16, two of 4 bits, a result as tiles and rows."""
    assert part_bytes(3, 2, 5, 1, CODES, 4) == 2048 * 15 + 3 * 2048 * 10 + 2 * 576 * 10 + 1024 * 6 * 8


PROGRAMS = {"rounded": (product("columns", LOOPS), LOOP, 1),
            "cut": (product("columns", LOOPS), CUT, 2),  # the last one is a grid
            "biased": (with_epilogue(product("biased", LOOPS)), LOOP, 1),
            "biased, few columns left": (with_epilogue(product("biased", LOOPS)), SHORT, 5),
            "cut, biased": (with_epilogue(product("biased", LOOPS)), BIASED_CUT, 3)}


@pytest.mark.parametrize(("program", "tcm_bytes", "loops"), PROGRAMS.values(), ids=PROGRAMS)
def test_on_the_host(program, tcm_bytes, loops):
    steps = [PassStep(registry.get("hexagon-matrix-engine")(always=True, tcm_bytes=tcm_bytes))]
    module, context = after(program.text, steps)
    assert not context.log.entries
    assert to_text(module).count("hexagon.scheduled") == loops
    program.check(on_host(module, [program.name])(program.name, program.arguments)[0])


@pytest.mark.parametrize(("program", "tcm_bytes"), [
    PROGRAMS["rounded"][:2], PROGRAMS["biased"][:2],
    pytest.param(*PROGRAMS["cut, biased"][:2], marks=pytest.mark.full)])
def test_on_the_simulator(program, tcm_bytes):
    steps = list(pipelines.get("default", targets.get()))
    place = [step.title for step in steps].index("hexagon-matrix-engine")
    always = [*steps[:place], PassStep(registry.get("hexagon-matrix-engine")(always=True, tcm_bytes=tcm_bytes)),
              *steps[place + 1:]]
    module, _ = after(program.text, always)
    result = program.place()
    launch(emit(translate_to_llvm_ir(module), targets.get()), program.name, [*program.arguments, result], None)
    program.check(result)

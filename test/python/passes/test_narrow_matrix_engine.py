"""Products by weights of 4 bits: sizes of blocks, the estimate, and values in grids and in loops over blocks."""

from dataclasses import replace

import numpy as np
import pytest
import torch
from batch import after, on_host
from linalg_programs import Program

from hexagon_mlir import pipelines, targets
from hexagon_mlir.codegen.emission import emit
from hexagon_mlir.codegen.translate import translate_to_llvm_ir
from hexagon_mlir.exec.sim import launch
from hexagon_mlir.frontend.torch.narrow_weights import narrowed
from hexagon_mlir.ir import to_text
from hexagon_mlir.pass_infra import PassStep, registry
from hexagon_mlir.passes.matrix_engine.estimate import Rates, Sizes, choose_grid
from hexagon_mlir.passes.matrix_engine.sizes import block_bytes, choose_blocks, staged_tiles

pytestmark = pytest.mark.only_values

MIB = 1 << 20
TILE_BYTES = 576
SHAPES = [(1, 1, 1), (33, 70, 40), (64, 64, 64), (70, 130, 96)]
SMALL = 120_000
"""Bytes of TCM that make loops of 384 x 96 x 64."""


def product(name: str, sizes: tuple[int, int, int]) -> Program:
    """Weights -8 to 7 times f16 scales, some of them zero or negative."""
    m, n, k = sizes
    rng = np.random.default_rng(m + n + k)
    left = rng.normal(0, 1, (m, k)).astype(np.float16)
    scales = (rng.uniform(-0.1, 0.1, (-(-k // 32), n)) * (rng.random((1, n)) > 0.1)).astype(np.float16)
    scales[np.abs(scales) < 2.0**-14] = 0
    right = (rng.integers(-8, 8, (k, n)) * np.repeat(scales.astype(np.float64), 32, 0)[:k]).astype(np.float16)
    weights = narrowed(torch.from_numpy(right))
    codes, scale = (part.numpy() for part in weights.blocks().packed())
    of_codes, of_scales = ("x".join(map(str, part.shape)) for part in (codes, scale))
    text = f"""
      func.func @{name}(%a: tensor<{m}x{k}xf16>, %b: tensor<{of_codes}xi8>, %s: tensor<{of_scales}xf16>)
          -> tensor<{m}x{n}xf16> {{
        %w = "hexagon.engine_matrix"(%b, %s) {{bits = 4 : i64}} : (tensor<{of_codes}xi8>, tensor<{of_scales}xf16>)
            -> tensor<{k}x{n}xf16>
        %zero = arith.constant 0.0 : f16
        %e = tensor.empty() : tensor<{m}x{n}xf16>
        %i = linalg.fill ins(%zero : f16) outs(%e : tensor<{m}x{n}xf16>) -> tensor<{m}x{n}xf16>
        %0 = linalg.matmul ins(%a, %w : tensor<{m}x{k}xf16>, tensor<{k}x{n}xf16>) outs(%i : tensor<{m}x{n}xf16>)
            -> tensor<{m}x{n}xf16>
        return %0 : tensor<{m}x{n}xf16>
      }}"""
    exact = left.astype(np.float64) @ right.astype(np.float64)
    size = np.abs(left).astype(np.float64) @ np.abs(right).astype(np.float64)
    return Program(name, text, [left, codes, scale], exact, 2.0**-11 * np.abs(exact) + 2.0**-10 * size + 2.0**-24,
                   np.dtype(np.float16))


def programs() -> list[Program]:
    return [product(f"narrow_{'_'.join(map(str, shape))}", shape) for shape in SHAPES]


def test_a_tile_takes_576_bytes():
    assert block_bytes(1, 1, 1, several=False, code_bytes=TILE_BYTES) == 2 * 2048 + 2048 + 576 + 2 * 2048
    assert block_bytes(8, 2, 304, several=True, code_bytes=TILE_BYTES) == (
        2048 * 304 * (8 + 1 + 2) + 2 * 2 * 304 * 576 + 8 * 2 * 2048 * 3)


def test_rows_are_staged():
    assert [staged_tiles(reduction) for reduction in (32, 2560, 9728, 1 << 20)] == [320, 4, 1, 1]
    blocks = choose_blocks(512, 2560, 9728, 8 * MIB, code_bytes=TILE_BYTES)
    assert blocks.rows == 256 > choose_blocks(512, 2560, 9728, 8 * MIB).rows


def test_weights_are_converted_beside_the_engine():
    """All rows stay, and blocks of columns follow: to convert all weights beside the first rows takes longer."""
    rates, sizes = Rates.of(targets.get()), Sizes(512, 1024, 2560, packed=True, code_bytes=TILE_BYTES, code_cycles=5.0)
    grid, cycles = choose_grid(sizes, 8 * MIB, rates)
    array = 16 * 32 * 80 * rates.tile_cycles
    assert len(grid.columns) > 2
    assert array < cycles < 1.4 * array


@pytest.mark.parametrize("tcm_bytes", [0, SMALL])
def test_on_the_host(tcm_bytes):
    found = [*programs(), product("loops", (384, 96, 64))]
    steps = [PassStep(registry.get("hexagon-matrix-engine")(always=True, tcm_bytes=tcm_bytes))]
    module, context = after("".join(program.text for program in found), steps)
    assert not context.log.entries
    assert ("scf.for" in to_text(module)) is bool(tcm_bytes)
    call = on_host(module, [program.name for program in found])
    for program in found:
        program.check(call(program.name, program.arguments)[0])


def test_left_to_hvx():
    """The matrix is made of the tiles, without the engine; sums are f16 there."""
    program = programs()[1]
    module, _ = after(program.text, [PassStep(registry.get("hexagon-matrix-engine")(matrix_engine=False))])
    assert "hexagon.engine_matrix" not in to_text(module)
    loose = replace(program, error=8 * program.error)
    loose.check(on_host(module, [program.name])(program.name, program.arguments)[0])


@pytest.mark.parametrize("target", ["v75", "v79"])
def test_on_the_simulator(target, sample):
    """Weights are products of f16 on HVX, each rounded once."""
    found = [*programs()[1:], product("loops", (384, 96, 64))]
    found = sample(found, [program.name for program in (found[::3] if target == "v75" else found[1::3])])
    steps = list(pipelines.get("default", targets.get(target)))
    place = [step.title for step in steps].index("hexagon-matrix-engine")
    always = [*steps[:place], PassStep(registry.get("hexagon-matrix-engine")(always=True)), *steps[place + 1:]]
    module, _ = after("".join(program.text for program in found), always, target)
    asm = emit(translate_to_llvm_ir(module), targets.get(target))
    for program in found:
        result = program.place()
        launch(asm, program.name, [*program.arguments, result], None, target)
        program.check(result)

"""Activations in tiles of the matrix engine, from kernel to kernel: decisions, and values of every way to make them."""

import numpy as np
import pytest
from batch import after, on_host

from hexagon_mlir import pipelines, targets
from hexagon_mlir.codegen.emission import emit
from hexagon_mlir.codegen.translate import translate_to_llvm_ir
from hexagon_mlir.exec.sim import launch
from hexagon_mlir.pass_infra import PassStep, registry
from hexagon_mlir.passes.activation_tiles.read import split

pytestmark = pytest.mark.only_values

TILE = 32
SIZES = [(50, 96, 64), (64, 32, 200), (197, 45, 96), (33, 320, 640)]
"""Rows, reduction and columns: whole tiles and ragged ones, one block and several."""


@pytest.mark.parametrize(("shape", "matrix", "rows"), [
    ([1, 50, 96], (50, 96), 2), ([50, 96], (50, 96), 1), ([1, 50, 3, 32], (50, 96), 2), ([50, 96], (96, 50), None),
    ([4800], (50, 96), None), ([5, 10, 96], (50, 96), 2), ([2, 50, 48], (50, 96), None), ([1, 1, 1], (1, 1), 1)])
def test_which_dimensions_are_rows(shape, matrix, rows):
    assert split(shape, matrix) == rows


def tiled(matrix: np.ndarray, filling: float) -> np.ndarray:
    """The tiles of activations of ``matrix``, filled up with ``filling``."""
    rows, columns = (-(-extent // TILE) for extent in matrix.shape)
    whole = np.full((rows * TILE, columns * TILE), filling, np.float16)
    whole[:matrix.shape[0], :matrix.shape[1]] = matrix
    return np.ascontiguousarray(whole.reshape(rows, 16, 2, columns, TILE).transpose(0, 3, 1, 4, 2))


def weight_tiles(matrix: np.ndarray) -> np.ndarray:
    """The tiles of weights of ``matrix``, filled up with zeros."""
    steps, columns = (-(-extent // TILE) for extent in matrix.shape)
    whole = np.zeros((steps * TILE, columns * TILE), np.float16)
    whole[:matrix.shape[0], :matrix.shape[1]] = matrix
    return np.ascontiguousarray(whole.reshape(steps, 16, 2, columns, TILE).transpose(3, 0, 1, 4, 2))


def rows_of(tiles: np.ndarray, shape: tuple[int, int]) -> np.ndarray:
    """The matrix of ``shape`` that ``tiles`` have."""
    rows, columns = tiles.shape[:2]
    return tiles.transpose(0, 2, 4, 1, 3).reshape(rows * TILE, columns * TILE)[:shape[0], :shape[1]]


def program(name: str, sizes: tuple[int, int, int], added: bool = False) -> str:
    """The square of a product of tiles, less 1, or plus another matrix, as tiles."""
    rows, steps, columns = sizes
    left, right, result = ("x".join(map(str, (-(-a // TILE), -(-b // TILE), 16, TILE, 2)))
                           for a, b in ((rows, steps), (columns, steps), (rows, columns)))
    same = "affine_map<(m, n) -> (m, n)>"
    return f"""
      func.func @{name}(%a: tensor<{left}xf16>, %w: tensor<{right}xf16>
          {f", %c: tensor<{rows}x{columns}xf16>" * added}) -> tensor<{result}xf16> {{
        %zero = arith.constant 0.0 : f32
        %one = arith.constant 1.0 : f16
        %none = tensor.empty() : tensor<{rows}x{columns}xf32>
        %half = tensor.empty() : tensor<{rows}x{columns}xf16>
        %sums = linalg.fill ins(%zero : f32) outs(%none : tensor<{rows}x{columns}xf32>) -> tensor<{rows}x{columns}xf32>
        %b = "hexagon.weight_matrix"(%w) : (tensor<{right}xf16>) -> tensor<{steps}x{columns}xf16>
        %m = "hexagon.activation_matrix"(%a) : (tensor<{left}xf16>) -> tensor<{rows}x{steps}xf16>
        %0 = linalg.matmul ins(%m, %b : tensor<{rows}x{steps}xf16>, tensor<{steps}x{columns}xf16>)
            outs(%sums : tensor<{rows}x{columns}xf32>) -> tensor<{rows}x{columns}xf32>
        %1 = linalg.generic {{indexing_maps = [{same}, {(same + ", ") * added}{same}],
            iterator_types = ["parallel", "parallel"]}} ins(%0{", %c" * added} : tensor<{rows}x{columns}xf32>
            {f", tensor<{rows}x{columns}xf16>" * added}) outs(%half : tensor<{rows}x{columns}xf16>) {{
          ^bb0(%x: f32, {"%y: f16, " * added}%old: f16):
            %t = arith.truncf %x : f32 to f16
            %s = arith.mulf %t, %t : f16
            %r = arith.{"addf %s, %y" if added else "subf %s, %one"} : f16
            linalg.yield %r : f16
        }} -> tensor<{rows}x{columns}xf16>
        %2 = "hexagon.activation_tiles"(%1) : (tensor<{rows}x{columns}xf16>) -> tensor<{result}xf16>
        return %2 : tensor<{result}xf16>
      }}"""


class Case:
    """A `program` with arguments; what fills up tiles of the left factor is 7: it changes no element of the result."""

    def __init__(self, name: str, sizes: tuple[int, int, int], added: bool = False):
        rng = np.random.default_rng(sum(sizes))
        rows, steps, columns = sizes
        self.name, self.text, self.shape = name, program(name, sizes, added), (rows, columns)
        left = rng.normal(0, 1, (rows, steps)).astype(np.float16)
        right = (rng.normal(0, 1, (steps, columns)) / steps**0.5).astype(np.float16)
        other = rng.normal(0, 1, (rows, columns)).astype(np.float16)
        self.arguments = [tiled(left, 7.0), weight_tiles(right), *([other] if added else [])]
        product = (left.astype(np.float64) @ right.astype(np.float64)).astype(np.float16).astype(np.float64)
        self.expected = product**2 + (other if added else -1.0)

    def check(self, result: np.ndarray) -> None:
        """The rows are right, and columns that fill up the last tile are zeros: they are multiplied by zeros."""
        whole = rows_of(result, (TILE * result.shape[0], TILE * result.shape[1]))
        assert not whole[:self.shape[0], self.shape[1]:].any()
        np.testing.assert_allclose(rows_of(result, self.shape).astype(np.float64), self.expected, rtol=4e-3, atol=4e-3)


CASES = [Case(f"f{number}", sizes) for number, sizes in enumerate(SIZES)] + [Case("added", (50, 96, 64), added=True)]


@pytest.mark.parametrize("engine", [True, False])
def test_on_the_host(engine):
    """In tiles and, where there is no engine, by way of rows."""
    module, _ = after("".join(case.text for case in CASES),
                      [PassStep(registry.get("hexagon-matrix-engine")(always=True, matrix_engine=engine))])
    call = on_host(module, [case.name for case in CASES])
    for case in CASES:
        case.check(call(case.name, case.arguments)[0])


@pytest.mark.parametrize("tcm_bytes", [0, 400_000])
def test_on_the_simulator(tcm_bytes):
    """In one block, and in several."""
    steps = list(pipelines.get("default", targets.get()))
    place = [step.title for step in steps].index("hexagon-matrix-engine")
    engine = PassStep(registry.get("hexagon-matrix-engine")(always=True, tcm_bytes=tcm_bytes))
    module, _ = after("".join(case.text for case in CASES), [*steps[:place], engine, *steps[place + 1:]])
    asm = emit(translate_to_llvm_ir(module), targets.get())
    for case in CASES:
        rows, columns = (-(-extent // TILE) for extent in case.shape)
        result = np.full((rows, columns, 16, TILE, 2), np.nan, np.float16)
        launch(asm, case.name, [*case.arguments, result], None, "v75")
        case.check(result)

"""`hexagon-matrix-engine`: sizes of blocks, and values of every shape on the host and as Hexagon code."""

from dataclasses import replace

import numpy as np
import pytest
from batch import after, on_host
from linalg_programs import Program

import hexagon_mlir as hx
from hexagon_mlir import pipelines, targets
from hexagon_mlir.codegen.emission import emit
from hexagon_mlir.codegen.translate import translate_to_llvm_ir
from hexagon_mlir.exec.sim import launch
from hexagon_mlir.ir import to_text
from hexagon_mlir.pass_infra import PassStep, registry
from hexagon_mlir.passes.lib.engine_cost import EngineCost, block_cycles, pays
from hexagon_mlir.passes.lib.half_product_cost import HvxCost, batch_cycles, hvx_cycles, row_cycles
from hexagon_mlir.passes.matrix_engine.sizes import Blocks, block_bytes, choose_blocks

pytestmark = pytest.mark.only_values

MIB = 1 << 20
COST = EngineCost(tile_cycles=8, move_cycles=3, fixed_cycles=4000, transferred_bytes=2595,
                  lanes=64, hvx=HvxCost.of(targets.get("v75")))
ORDERS = {False: "({}, {})", True: "({1}, {0})"}


def test_block_bytes_count_what_is_there_at_a_time():
    """One tile of 2 KiB: both factors as rows and as tiles, the result as tiles and as rows."""
    assert block_bytes(1, 1, 1, several=False) == 6 * 2048
    assert block_bytes(1, 1, 1, several=True) == 8 * 2048  # two buffers for the weights' rows and the result's
    assert block_bytes(4, 2, 3, several=False) == 2048 * ((2 * 4 + 2 * 2) * 3 + 2 * 8)


def test_all_rows_and_a_few_columns():
    assert choose_blocks(1024, 1024, 1024, 8 * MIB) == Blocks(1024, 256)
    assert choose_blocks(100, 96, 64, 8 * MIB) == Blocks(100, 32)
    assert choose_blocks(37, 20, 50, 8 * MIB) == Blocks(37, 20)
    columns = choose_blocks(512, 50257, 768, 8 * MIB).columns  # 1,571 tiles, a prime number
    assert 2 * columns >= choose_blocks(512, 1568 * 32, 768, 8 * MIB).columns >= 256


def test_fewer_rows_where_they_do_not_fit():
    blocks = choose_blocks(4096, 4096, 4096, 8 * MIB)
    assert blocks is not None
    assert blocks.rows < 4096
    assert blocks.rows % 32 == 0
    assert block_bytes(blocks.rows // 32, blocks.columns // 32, 128, True) <= 8 * MIB
    assert choose_blocks(32, 32, 1 << 20, 8 * MIB) is None


@pytest.mark.parametrize("seed", range(50))
def test_every_choice_fits(seed):
    rng = np.random.default_rng(seed)
    rows, columns, reduction = (int(rng.integers(1, 3000)) for _ in range(3))
    budget = int(rng.integers(16 << 10, 8 * MIB))
    blocks = choose_blocks(rows, columns, reduction, budget)
    if blocks is None:
        assert block_bytes(1, 1, -(-reduction // 32), columns > 32) > budget
        return
    several = blocks.columns < columns
    assert block_bytes(-(-blocks.rows // 32), -(-blocks.columns // 32), -(-reduction // 32), several) <= budget
    assert blocks.rows == rows or blocks.rows % 32 == 0
    assert blocks.columns == columns or blocks.columns % 32 == 0


def test_small_products_do_not_pay():
    assert not pays(4, 32, 32, COST)
    assert pays(128, 128, 128, COST)
    assert not pays(128, 128, 128, replace(COST, fixed_cycles=1e6))


def test_rows_that_are_no_vectors_take_hvx_longer():
    """Whole vectors are cut for several threads at any row, others at rows that begin a vector."""
    fork = COST.hvx.fork
    share = fork.slowdown(4) / 4
    assert hvx_cycles(64, 64, 64, COST.hvx) == pytest.approx(
        1400 + 2 * 3 * 64**2 * 0.051 + share * 64 * (64 * 6.4 + 6.9) + 1.6 * 64 + 0.7 * fork.fork_join(4))
    assert hvx_cycles(64, 63, 64, COST.hvx) == pytest.approx(
        1400 + 2 * (64**2 + 2 * 64 * 63) * 0.051 + 64 * (64 * 7 + 6.9) + 1.6 * 64)  # one thread
    assert hvx_cycles(64, 7, 64, COST.hvx) == pytest.approx(1300 + 64 * 7 * (235 + 1.2 * 64))  # each result by itself
    assert hvx_cycles(221, 4, 8, COST.hvx) < 8000 < hvx_cycles(221, 4, 9, COST.hvx)
    assert hvx_cycles(77, 8, 2, COST.hvx) > 77 * 80
    assert hvx_cycles(298, 12, 2, COST.hvx) < hvx_cycles(298, 13, 2, COST.hvx) / 1.3  # on more threads


@pytest.mark.parametrize(("rows", "reduction", "columns", "hvx"), [
    (45, 10, 120, 5308), (298, 2, 12, 8200), (83, 10, 8, 4859), (66, 15, 120, 8402), (24, 35, 64, 4178),
    (31, 7, 7, 3605), (125, 7, 2, 2958), (138, 12, 144, 17384), (4, 302, 202, 25173), (252, 51, 41, 29112)])
def test_products_on_hvx(rows, reduction, columns, hvx):
    """Within a factor of 1.45 of what was measured."""
    assert hvx / 1.45 < hvx_cycles(rows, columns, reduction, COST.hvx) < hvx * 1.45


@pytest.mark.parametrize(("count", "rows", "reduction", "columns", "hvx"), [
    (200, 6, 6, 6, 107645), (64, 6, 6, 6, 28847), (100, 8, 8, 7, 103421), (30, 40, 6, 6, 21870),
    (24, 12, 12, 12, 13499), (6, 207, 4, 42, 54906), (6, 63, 8, 42, 37443), (6, 64, 8, 42, 11427)])
def test_products_of_a_batch_on_hvx(count, rows, reduction, columns, hvx):
    """Within a factor of 1.5 of what was measured; where no vector fits a product, one number after the other. Threads
    share products that begin vectors."""
    assert hvx / 1.5 < batch_cycles(count, rows, columns, reduction, COST.hvx) < hvx * 1.5


@pytest.mark.parametrize(("reduction", "columns", "hvx"), [
    (64, 64, 2534), (128, 128, 5980), (40, 300, 4935), (768, 768, 41872), (2048, 1024, 129677), (256, 256, 12324),
    (4096, 4096, 886853), (1643, 1540, 153256),
    (1880, 268, 111844)])
def test_one_row_on_hvx(reduction, columns, hvx):
    """Within a factor of 1.3 of what was measured; where a row is a few vectors and no whole ones, of 3."""
    factor = 3 if columns % 64 and columns < 1100 else 1.3
    assert hvx / factor < row_cycles(columns, reduction, COST.hvx) < hvx * factor


@pytest.mark.parametrize(("rows", "reduction", "columns", "engine", "hvx"), [
    (7, 11, 3, 2920, 6690), (4, 11, 4, 2847, 5253), (154, 2, 37, 8420, 14722), (7, 100, 19, 5945, 7783),
    (334, 3, 21, 14020, 16064), (285, 3, 22, 12536, 13582), (28, 10, 42, 3189, 4039), (313, 9, 27, 11656, 13882),
    (50, 4, 270, 9819, 8296), (91, 14, 34, 7266, 6234), (3, 288, 3, 8438, 7460), (3, 56, 3, 4634, 3948),
    (42, 12, 40, 6347, 5625), (47, 10, 45, 6411, 5833), (2, 78, 5, 5117, 4600)])
def test_the_faster_one_is_chosen(rows, reduction, columns, engine, hvx):
    """Where both take about the same time, as measured."""
    sizes = rows, columns, reduction
    assert (block_cycles(*sizes, COST) < hvx_cycles(*sizes, COST.hvx)) == (engine < hvx)


@pytest.mark.parametrize(("rows", "reduction", "columns", "engine"), [
    (11, 6, 5, 2951), (23, 16, 6, 3374), (35, 8, 10, 4361), (2, 20, 86, 5507), (67, 6, 99, 7887), (221, 8, 4, 10825),
    (285, 3, 22, 12536), (151, 94, 63, 8779), (269, 60, 139, 17011), (312, 256, 89, 24246)])
def test_products_of_one_block(rows, reduction, columns, engine):
    """Within a third of what was measured."""
    assert block_cycles(rows, columns, reduction, COST) == pytest.approx(engine, rel=1 / 3)


def matmul(name: str, sizes: tuple[int, int, int], transposed: tuple[bool, bool, bool], sums: str,
           scale: float = 1.0) -> Program:
    """``sums``: f16, or f32 that are rounded afterwards."""
    m, n, k = sizes
    rng = np.random.default_rng(m * 7 + n * 3 + k)
    left, right = ((rng.normal(0, scale, shape)).astype(np.float16) for shape in ((m, k), (k, n)))
    exact = left.astype(np.float64) @ right.astype(np.float64)
    maps = [ORDERS[flag].format(*names) for flag, names in zip(transposed, ("mk", "kn", "mn"), strict=True)]
    shapes = ["x".join(map(str, pair[::-1] if flag else pair))
              for flag, pair in zip(transposed, ((m, k), (k, n), (m, n)), strict=True)]
    widen = "" if sums == "f16" else "%p = arith.extf %x : f16 to f32\n %q = arith.extf %y : f16 to f32"
    factors = ("%x", "%y") if sums == "f16" else ("%p", "%q")
    rounding = "" if sums == "f16" else f"""
        %h = tensor.empty() : tensor<{shapes[2]}xf16>
        %1 = linalg.generic {{indexing_maps = [affine_map<(a, b) -> (a, b)>, affine_map<(a, b) -> (a, b)>],
            iterator_types = ["parallel", "parallel"]}} ins(%0 : tensor<{shapes[2]}xf32>)
            outs(%h : tensor<{shapes[2]}xf16>) {{
          ^bb0(%x: f32, %old: f16):
            %t = arith.truncf %x : f32 to f16
            linalg.yield %t : f16
        }} -> tensor<{shapes[2]}xf16>"""
    text = f"""
      func.func @{name}(%a: tensor<{shapes[0]}xf16>, %b: tensor<{shapes[1]}xf16>) -> tensor<{shapes[2]}xf16> {{
        %zero = arith.constant 0.0 : {sums}
        %e = tensor.empty() : tensor<{shapes[2]}x{sums}>
        %i = linalg.fill ins(%zero : {sums}) outs(%e : tensor<{shapes[2]}x{sums}>) -> tensor<{shapes[2]}x{sums}>
        %0 = linalg.generic {{indexing_maps = [affine_map<(m, n, k) -> {maps[0]}>,
            affine_map<(m, n, k) -> {maps[1]}>, affine_map<(m, n, k) -> {maps[2]}>],
            iterator_types = ["parallel", "parallel", "reduction"]}}
            ins(%a, %b : tensor<{shapes[0]}xf16>, tensor<{shapes[1]}xf16>)
            outs(%i : tensor<{shapes[2]}x{sums}>) {{
          ^bb0(%x: f16, %y: f16, %old: {sums}):
            {widen}
            %m = arith.mulf {factors[0]}, {factors[1]} : {sums}
            %s = arith.addf %old, %m : {sums}
            linalg.yield %s : {sums}
        }} -> tensor<{shapes[2]}x{sums}>{rounding}
        return %{"0" if sums == "f16" else "1"} : tensor<{shapes[2]}xf16>
      }}"""
    arrays = [array.T.copy() if flag else array for flag, array in zip(transposed, (left, right), strict=False)]
    expected = exact.T.copy() if transposed[2] else exact
    bound = 2.0**-11 * np.abs(expected) + 2.0**-20 * (np.abs(left).astype(np.float64) @ np.abs(right)).max() + 2.0**-24
    return Program(name, text, arrays, expected, bound, np.dtype(np.float16))


def epilogue(name: str, sizes: tuple[int, int, int]) -> Program:
    """Rounded, a bias per column and a residual, at least zero, as f32."""
    m, n, k = sizes
    rng = np.random.default_rng(m + n + k)
    left, right, bias = (rng.normal(0, 1, shape).astype(np.float16) for shape in ((m, k), (k, n), (n,)))
    residual = rng.normal(0, 1, (m, n)).astype(np.float32)
    exact = left.astype(np.float64) @ right.astype(np.float64)
    text = f"""
      func.func @{name}(%a: tensor<{m}x{k}xf16>, %b: tensor<{k}x{n}xf16>, %c: tensor<{n}xf16>,
          %r: tensor<{m}x{n}xf32>) -> tensor<{m}x{n}xf32> {{
        %zero = arith.constant 0.0 : f32
        %e = tensor.empty() : tensor<{m}x{n}xf32>
        %i = linalg.fill ins(%zero : f32) outs(%e : tensor<{m}x{n}xf32>) -> tensor<{m}x{n}xf32>
        %0 = linalg.matmul ins(%a, %b : tensor<{m}x{k}xf16>, tensor<{k}x{n}xf16>) outs(%i : tensor<{m}x{n}xf32>)
            -> tensor<{m}x{n}xf32>
        %1 = linalg.generic {{indexing_maps = [affine_map<(m, n) -> (n)>, affine_map<(m, n) -> (m, n)>,
            affine_map<(m, n) -> (m, n)>, affine_map<(m, n) -> (m, n)>], iterator_types = ["parallel", "parallel"]}}
            ins(%c, %0, %r : tensor<{n}xf16>, tensor<{m}x{n}xf32>, tensor<{m}x{n}xf32>)
            outs(%e : tensor<{m}x{n}xf32>) {{
          ^bb0(%y: f16, %x: f32, %z: f32, %old: f32):
            %h = arith.truncf %x : f32 to f16
            %s = arith.addf %h, %y : f16
            %w = arith.extf %s : f16 to f32
            %t = arith.addf %w, %z : f32
            %u = arith.maximumf %t, %zero : f32
            linalg.yield %u : f32
        }} -> tensor<{m}x{n}xf32>
        return %1 : tensor<{m}x{n}xf32>
      }}"""
    expected = np.maximum(exact + bias.astype(np.float64) + residual, 0)
    bound = 2.0**-9 * (np.abs(exact) + np.abs(bias)) + 2.0**-12
    return Program(name, text, [left, right, bias, residual], expected, bound, np.dtype(np.float32))


def in_f32(name: str, sizes: tuple[int, int, int], transposed: bool = False, readers: int = 0) -> Program:
    """Sums that are stored in f32 as they are, or that one or two ops read: half of them, and that minus 1."""
    m, n, k = sizes
    rng = np.random.default_rng(m + n + k)
    left, right = (rng.normal(0, 1, shape).astype(np.float16) for shape in ((m, k), (k, n)))
    sums = left.astype(np.float64) @ right.astype(np.float64)
    size = np.abs(left).astype(np.float64) @ np.abs(right).astype(np.float64)
    shape, order = (f"{n}x{m}", "(n, m)") if transposed else (f"{m}x{n}", "(m, n)")
    elementwise = "".join(f"""
        %{number} = linalg.generic {{indexing_maps = [affine_map<(a, b) -> (a, b)>, affine_map<(a, b) -> (a, b)>{more}],
            iterator_types = ["parallel", "parallel"]}} ins(%0{operand} : tensor<{shape}xf32>{type_})
            outs(%e : tensor<{shape}xf32>) {{
          ^bb0(%x: f32, {argument}%old: f32):
            {body}
            linalg.yield %y : f32
        }} -> tensor<{shape}xf32>""" for number, (more, operand, type_, argument, body) in enumerate((
            ("", "", "", "", "%y = arith.mulf %x, %half : f32"),
            (", affine_map<(a, b) -> (a, b)>", ", %1", f", tensor<{shape}xf32>", "%z: f32, ",
             "%y = arith.subf %z, %x : f32")), 1) if number <= readers)
    text = f"""
      func.func @{name}(%a: tensor<{m}x{k}xf16>, %b: tensor<{k}x{n}xf16>) -> tensor<{shape}xf32> {{
        %zero = arith.constant 0.0 : f32
        %half = arith.constant 0.5 : f32
        %e = tensor.empty() : tensor<{shape}xf32>
        %i = linalg.fill ins(%zero : f32) outs(%e : tensor<{shape}xf32>) -> tensor<{shape}xf32>
        %0 = linalg.generic {{indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>,
            affine_map<(m, n, k) -> {order}>], iterator_types = ["parallel", "parallel", "reduction"]}}
            ins(%a, %b : tensor<{m}x{k}xf16>, tensor<{k}x{n}xf16>) outs(%i : tensor<{shape}xf32>) {{
          ^bb0(%x: f16, %y: f16, %old: f32):
            %p = arith.extf %x : f16 to f32
            %q = arith.extf %y : f16 to f32
            %m = arith.mulf %p, %q : f32
            %s = arith.addf %old, %m : f32
            linalg.yield %s : f32
        }} -> tensor<{shape}xf32>{elementwise}
        return %{readers} : tensor<{shape}xf32>
      }}"""
    expected = sums * (1, 0.5, -0.5)[readers]
    bound = 2.0**-21 * np.abs(sums) + 2.0**-23 * size + 2.0**-28
    if transposed:
        expected, bound = expected.T.copy(), bound.T.copy()
    return Program(name, text, [left, right], expected, bound, np.dtype(np.float32))


def batches(name: str, count: int, sizes: tuple[int, int, int]) -> Program:
    """A product for each of ``count`` pairs of matrices."""
    m, n, k = sizes
    rng = np.random.default_rng(m + n + k + count)
    left, right = (rng.normal(0, 1, shape).astype(np.float16) for shape in ((count, m, k), (count, k, n)))
    expected = left.astype(np.float64) @ right.astype(np.float64)
    shapes = [f"{count}x{rows}x{columns}xf16" for rows, columns in ((m, k), (k, n), (m, n))]
    text = f"""
      func.func @{name}(%a: tensor<{shapes[0]}>, %b: tensor<{shapes[1]}>) -> tensor<{shapes[2]}> {{
        %zero = arith.constant 0.0 : f16
        %e = tensor.empty() : tensor<{shapes[2]}>
        %i = linalg.fill ins(%zero : f16) outs(%e : tensor<{shapes[2]}>) -> tensor<{shapes[2]}>
        %0 = linalg.batch_matmul ins(%a, %b : tensor<{shapes[0]}>, tensor<{shapes[1]}>)
            outs(%i : tensor<{shapes[2]}>) -> tensor<{shapes[2]}>
        return %0 : tensor<{shapes[2]}>
      }}"""
    bound = 2.0**-11 * np.abs(expected) + 2.0**-20 * k
    return Program(name, text, [left, right], expected, bound, np.dtype(np.float16))


def gated(name: str, sizes: tuple[int, int, int]) -> Program:
    """Two products that one op reads: it is the epilogue of the last, the first is rounded by itself."""
    m, n, k = sizes
    rng = np.random.default_rng(m + n + k)
    left, first, second = (rng.normal(0, 0.5, shape).astype(np.float16) for shape in ((m, k), (k, n), (k, n)))
    text = f"""
      func.func @{name}(%a: tensor<{m}x{k}xf16>, %b: tensor<{k}x{n}xf16>, %c: tensor<{k}x{n}xf16>)
          -> tensor<{m}x{n}xf16> {{
        %zero = arith.constant 0.0 : f32
        %e = tensor.empty() : tensor<{m}x{n}xf32>
        %h = tensor.empty() : tensor<{m}x{n}xf16>
        %i = linalg.fill ins(%zero : f32) outs(%e : tensor<{m}x{n}xf32>) -> tensor<{m}x{n}xf32>
        %0 = linalg.matmul ins(%a, %b : tensor<{m}x{k}xf16>, tensor<{k}x{n}xf16>) outs(%i : tensor<{m}x{n}xf32>)
            -> tensor<{m}x{n}xf32>
        %1 = linalg.matmul ins(%a, %c : tensor<{m}x{k}xf16>, tensor<{k}x{n}xf16>) outs(%i : tensor<{m}x{n}xf32>)
            -> tensor<{m}x{n}xf32>
        %2 = linalg.generic {{indexing_maps = [affine_map<(m, n) -> (m, n)>, affine_map<(m, n) -> (m, n)>,
            affine_map<(m, n) -> (m, n)>], iterator_types = ["parallel", "parallel"]}}
            ins(%0, %1 : tensor<{m}x{n}xf32>, tensor<{m}x{n}xf32>) outs(%h : tensor<{m}x{n}xf16>) {{
          ^bb0(%x: f32, %y: f32, %old: f16):
            %p = arith.truncf %x : f32 to f16
            %q = arith.truncf %y : f32 to f16
            %r = arith.mulf %p, %q : f16
            linalg.yield %r : f16
        }} -> tensor<{m}x{n}xf16>
        return %2 : tensor<{m}x{n}xf16>
      }}"""
    one, other = (left.astype(np.float64) @ factor.astype(np.float64) for factor in (first, second))
    bound = 2.0**-9 * np.abs(one * other) + 2.0**-12 * (np.abs(one) + np.abs(other)) + 2.0**-16
    return Program(name, text, [left, first, second], one * other, bound, np.dtype(np.float16))


def read_twice(name: str, sizes: tuple[int, int, int]) -> Program:
    """Rounded sums that an elementwise op reads, and a sum of each row: the difference from the row's mean."""
    m, n, k = sizes
    rng = np.random.default_rng(m + n + k)
    left, right = (rng.normal(0, 1, shape).astype(np.float16) for shape in ((m, k), (k, n)))
    text = f"""
      func.func @{name}(%a: tensor<{m}x{k}xf16>, %b: tensor<{k}x{n}xf16>) -> tensor<{m}x{n}xf32> {{
        %zero = arith.constant 0.0 : f32
        %count = arith.constant {n}.0 : f32
        %e = tensor.empty() : tensor<{m}x{n}xf32>
        %i = linalg.fill ins(%zero : f32) outs(%e : tensor<{m}x{n}xf32>) -> tensor<{m}x{n}xf32>
        %0 = linalg.matmul ins(%a, %b : tensor<{m}x{k}xf16>, tensor<{k}x{n}xf16>) outs(%i : tensor<{m}x{n}xf32>)
            -> tensor<{m}x{n}xf32>
        %r = tensor.empty() : tensor<{m}xf32>
        %j = linalg.fill ins(%zero : f32) outs(%r : tensor<{m}xf32>) -> tensor<{m}xf32>
        %1 = linalg.generic {{indexing_maps = [affine_map<(m, n) -> (m, n)>, affine_map<(m, n) -> (m)>],
            iterator_types = ["parallel", "reduction"]}} ins(%0 : tensor<{m}x{n}xf32>) outs(%j : tensor<{m}xf32>) {{
          ^bb0(%x: f32, %old: f32):
            %h = arith.truncf %x : f32 to f16
            %w = arith.extf %h : f16 to f32
            %s = arith.addf %old, %w : f32
            linalg.yield %s : f32
        }} -> tensor<{m}xf32>
        %2 = linalg.generic {{indexing_maps = [affine_map<(m, n) -> (m, n)>, affine_map<(m, n) -> (m)>,
            affine_map<(m, n) -> (m, n)>], iterator_types = ["parallel", "parallel"]}}
            ins(%0, %1 : tensor<{m}x{n}xf32>, tensor<{m}xf32>) outs(%e : tensor<{m}x{n}xf32>) {{
          ^bb0(%x: f32, %sum: f32, %old: f32):
            %h = arith.truncf %x : f32 to f16
            %w = arith.extf %h : f16 to f32
            %mean = arith.divf %sum, %count : f32
            %s = arith.subf %w, %mean : f32
            linalg.yield %s : f32
        }} -> tensor<{m}x{n}xf32>
        return %2 : tensor<{m}x{n}xf32>
      }}"""
    exact = left.astype(np.float64) @ right.astype(np.float64)
    bound = 2.0**-10 * np.abs(exact).max(axis=1, keepdims=True) + 0 * exact
    return Program(name, text, [left, right], exact - exact.mean(axis=1, keepdims=True), bound, np.dtype(np.float32))


def vector(name: str, columns: int, depth: int, sums: str) -> Program:
    """A vector times a matrix, negative numbers among them."""
    rng = np.random.default_rng(columns + depth)
    left, right = (rng.normal(size=shape).astype(np.float16) for shape in ((depth,), (depth, columns)))
    exact = left.astype(np.float64) @ right.astype(np.float64)
    wide = "" if sums == "f16" else "%x = arith.extf %l : f16 to f32\n %y = arith.extf %r : f16 to f32"
    factors = "%l, %r" if sums == "f16" else "%x, %y"
    text = f"""
      func.func @{name}(%a: tensor<{depth}xf16>, %b: tensor<{depth}x{columns}xf16>) -> tensor<{columns}x{sums}> {{
        %zero = arith.constant 0.0 : {sums}
        %e = tensor.empty() : tensor<{columns}x{sums}>
        %i = linalg.fill ins(%zero : {sums}) outs(%e : tensor<{columns}x{sums}>) -> tensor<{columns}x{sums}>
        %0 = linalg.generic {{indexing_maps = [affine_map<(n, k) -> (k)>, affine_map<(n, k) -> (k, n)>,
            affine_map<(n, k) -> (n)>], iterator_types = ["parallel", "reduction"]}}
            ins(%a, %b : tensor<{depth}xf16>, tensor<{depth}x{columns}xf16>) outs(%i : tensor<{columns}x{sums}>) {{
          ^bb0(%l: f16, %r: f16, %old: {sums}):
            {wide}
            %m = arith.mulf {factors} : {sums}
            %s = arith.addf %old, %m : {sums}
            linalg.yield %s : {sums}
        }} -> tensor<{columns}x{sums}>
        return %0 : tensor<{columns}x{sums}>
      }}"""
    rounding = 2.0**-11 * np.abs(exact) if sums == "f16" else 2.0**-20
    bound = rounding + 2.0**-20 * (np.abs(left).astype(np.float64) @ np.abs(right)).max()
    return Program(name, text, [left, right], exact, bound, np.dtype({"f16": np.float16, "f32": np.float32}[sums]))


ON_EACH_CHIP = ("sums_f32_33_65_31", "epilogue_40", "wide_33_65_31")
ON_V75 = (*ON_EACH_CHIP, "vector", "transposed_yyy", "odd_tiles", "pairs_of_columns", "wide_1_1_1", "batches", "gated")
SHAPES = [(1, 1, 1), (5, 7, 45), (32, 32, 32), (33, 65, 31), (64, 200, 96), (70, 33, 130), (128, 96, 64)]


def programs() -> list[Program]:
    plain = (False, False, False)
    found = [matmul(f"sums_{sums}_{'_'.join(map(str, shape))}", shape, plain, sums)
             for sums in ("f32",) for shape in SHAPES]
    found += [matmul(f"transposed_{''.join('ny'[flag] for flag in flags)}", (37, 70, 45), flags, "f32")
              for flags in np.ndindex(2, 2, 2) if any(flags)]
    found += [matmul("odd_tiles", (123, 77, 200), (False, True, False), "f32"),
              matmul("pairs_of_columns", (100, 64, 128), (True, False, False), "f32")]
    found += [epilogue(f"epilogue_{m}", (m, n, 33)) for m, n in ((40, 130), (3, 20), (64, 256))]
    found += [in_f32(f"wide_{'_'.join(map(str, shape))}", shape) for shape in SHAPES]
    found += [in_f32("wide_transposed", (37, 70, 45), transposed=True)]
    found += [in_f32(f"wide_{readers}", (40, 130, 33), readers=readers) for readers in (1, 2)]
    found += [vector("vector", 130, 77, "f16"), vector("wide_vector", 31, 200, "f32"),
              vector("wide_short_vector", 3, 1, "f32")]
    return [*found, batches("batches", 3, (35, 70, 40)), gated("gated", (40, 70, 45)),
            read_twice("read_twice", (45, 70, 40))]


def test_on_the_host():
    found = programs()
    steps = [PassStep(registry.get("hexagon-matrix-engine")(always=True))]
    module, context = after("".join(program.text for program in found), steps)
    assert not context.log.entries
    assert to_text(module).count("tensor.expand_shape") >= 2 * len(found)
    call = on_host(module, [program.name for program in found])
    for program in found:
        program.check(call(program.name, program.arguments)[0])


@pytest.mark.full_except("v75", "v79")
@pytest.mark.parametrize("target", ["v73", "v75", "v79", "v81"])
def test_on_the_simulator(target, sample):
    """Every product, also those that do not pay; each element within one rounding of the exact sum, or as close to it
    as two pieces are: sums in f32 on HVX, as v73's are, are not."""
    pieces = targets.get(target).has_matrix_pieces
    found = sample([program for program in programs() if program.name in ON_EACH_CHIP or target == "v75"],
                   ON_V75 if target == "v75" else ON_EACH_CHIP)
    found = [program for program in found if pieces or not program.name.startswith("wide")]
    steps = list(pipelines.get("default", targets.get(target)))
    place = [step.title for step in steps].index("hexagon-matrix-engine")
    always = [*steps[:place], PassStep(registry.get("hexagon-matrix-engine")(always=True)), *steps[place + 1:]]
    module, _ = after("".join(program.text for program in found), always, target)
    asm = emit(translate_to_llvm_ir(module), targets.get(target))
    assert "activation.hf" in asm
    for program in found:
        result = program.place()
        launch(asm, program.name, [*program.arguments, result], None, target)
        program.check(result)


@pytest.mark.only_values(False)
def test_transposed_factors_of_an_odd_number_of_tiles_are_packed_by_vectors():
    """Seven tiles of the reduction, which threads must not share in chunks of two and one."""
    cycles = [hx.compile(program.text).run(*program.arguments).cycles
              for program in (matmul(f"odd_{flag}", (123, 77, 200), (False, flag, False), "f32")
                              for flag in (False, True))]
    assert cycles[1] < 1.2 * cycles[0]


@pytest.mark.only_values(False)
def test_a_transpose_ahead_of_the_left_factor():
    """The gradient of a layer's weights; 526,218 cycles when the result was computed transposed instead."""
    text = """
      func.func @gradient(%a: tensor<512x512xf16>, %b: tensor<512x512xf16>) -> tensor<512x512xf16> {
        %zero = arith.constant 0.0 : f16
        %e = tensor.empty() : tensor<512x512xf16>
        %t = linalg.transpose ins(%a : tensor<512x512xf16>) outs(%e : tensor<512x512xf16>) permutation = [1, 0]
        %i = linalg.fill ins(%zero : f16) outs(%e : tensor<512x512xf16>) -> tensor<512x512xf16>
        %0 = linalg.matmul ins(%t, %b : tensor<512x512xf16>, tensor<512x512xf16>)
            outs(%i : tensor<512x512xf16>) -> tensor<512x512xf16>
        return %0 : tensor<512x512xf16>
      }"""
    rng = np.random.default_rng(5)
    left, right = (rng.normal(0, 1, (512, 512)).astype(np.float16) for _ in range(2))
    run = hx.compile(text).run(left, right)
    exact = left.T.astype(np.float64) @ right.astype(np.float64)
    np.testing.assert_allclose(run.outputs[0], exact, rtol=2**-10, atol=2**-7)
    assert run.cycles < 70_000


def test_numbers_of_exponent_31():
    """Infinities are 65,536 to the engine, NaN other numbers; results beyond f16 are no finite numbers to readers."""
    program = matmul("large", (40, 40, 64), (False, False, False), "f32")
    left, right = program.arguments
    left[3], left[5, 7], right[:, 2] = 60000, np.inf, 4
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("hexagon_mlir.passes.hexagon_matrix_engine.hvx_cycles", lambda *_: float("inf"))
        result = hx.compile(program.text).run(left, right).outputs[0]
    exact = left.astype(np.float64)
    exact[5, 7] = 65536
    exact = exact @ right.astype(np.float64)
    fits = np.abs(exact) < 65504
    assert np.isfinite(result[fits]).all()
    np.testing.assert_allclose(result[fits].astype(np.float64), exact[fits], rtol=2**-10, atol=2**-6)
    assert not fits[3, 2]
    assert not np.isfinite(result[~fits & (np.abs(exact) > 65536)]).any()


def test_chips_without_an_engine_keep_their_products():
    program = matmul("one", (64, 64, 64), (False, False, False), "f16")
    module, _ = after(program.text, [PassStep(registry.get("hexagon-matrix-engine")(always=True))], "v68")
    assert "tensor.expand_shape" not in to_text(module)
    assert not targets.get("v68").has_matrix_engine
    assert targets.get("v75").has_matrix_engine

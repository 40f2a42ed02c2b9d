"""`hexagon-matrix-engine` on bytes: sizes of blocks, and exact sums of every shape on the host and as Hexagon code."""

import numpy as np
import pytest
from batch import after, on_host
from linalg_programs import Program

from hexagon_mlir import pipelines, targets
from hexagon_mlir.codegen.emission import emit
from hexagon_mlir.codegen.translate import translate_to_llvm_ir
from hexagon_mlir.exec.sim import launch
from hexagon_mlir.ir import to_text
from hexagon_mlir.pass_infra import PassStep, registry
from hexagon_mlir.passes.lib.thread_cost import ForkCost
from hexagon_mlir.passes.matrix_engine.byte_schedule import ByteRates, ByteSizes, choose_byte_grid
from hexagon_mlir.passes.matrix_engine.byte_sizes import (
    ByteCost,
    byte_block_bytes,
    byte_cycles,
    bytes_pay,
    choose_byte_blocks,
    choose_byte_parts,
)
from hexagon_mlir.passes.matrix_engine.sizes import Blocks

pytestmark = pytest.mark.only_values

MIB = 1 << 20
COST = ByteCost(tile_cycles=4, read_out_cycles=160, fixed_cycles=12000, fork=ForkCost.of(targets.get("v75")))
WIDENINGS = {np.dtype(np.int8): "arith.extsi", np.dtype(np.uint8): "arith.extui"}


def test_block_bytes_count_what_is_there_at_a_time():
    """Factors as rows and as tiles, planes of four bytes and rows of words."""
    assert byte_block_bytes(1, 4, 4, several=False) == 2 * 64 * 128 + 2 * 128 * 128 + 64 * 128 * 8
    assert byte_block_bytes(1, 4, 4, several=True) == 2 * 64 * 128 + 3 * 128 * 128 + 64 * 128 * 12
    assert byte_block_bytes(1, 4, 4, False, epilogue_bytes=1) == 2 * 64 * 128 + 2 * 128 * 128 + 64 * 128 * 9


def test_blocks_are_whole_vectors_of_columns():
    assert choose_byte_blocks(1024, 1024, 1024, 8 * MIB) == Blocks(1024, 256)
    assert choose_byte_blocks(100, 96, 64, 8 * MIB) == Blocks(100, 96)
    assert choose_byte_blocks(100, 160, 64, 8 * MIB) == Blocks(100, 128)
    assert choose_byte_blocks(32, 32, 1 << 20, 8 * MIB) is None


@pytest.mark.parametrize("seed", range(30))
def test_every_choice_fits(seed):
    rng = np.random.default_rng(seed)
    rows, columns, reduction = (int(rng.integers(1, 3000)) for _ in range(3))
    budget = int(rng.integers(64 << 10, 8 * MIB))
    blocks = choose_byte_blocks(rows, columns, reduction, budget)
    steps = max(-(-reduction // 32), 4)
    if blocks is None:
        assert byte_block_bytes(1, 4, steps, columns > 128) > budget
        return
    tiles = max(-(-blocks.columns // 32), 4)
    assert byte_block_bytes(-(-blocks.rows // 64), tiles, steps, blocks.columns < columns) <= budget
    assert blocks.rows == rows or blocks.rows % 64 == 0
    assert blocks.columns == columns or blocks.columns % 128 == 0


@pytest.mark.parametrize(("columns", "parts"), [
    (4, [4]), (5, [5]), (7, [7]), (8, [4, 4]), (10, [4, 6]), (16, [4] * 4), (19, [4, 4, 4, 7]), (32, [8] * 4)])
def test_parts(columns, parts):
    assert choose_byte_parts(columns) == parts


def test_small_products_do_not_pay():
    assert not bytes_pay(64, 64, 64, COST)
    assert not bytes_pay(96, 160, 128, COST)
    assert bytes_pay(256, 256, 256, COST)
    assert bytes_pay(300, 300, 300, COST)
    assert bytes_pay(177, 357, 310, COST)
    assert bytes_pay(16, 16, 768, COST)


@pytest.mark.parametrize(("rows", "reduction", "columns", "engine", "hvx"), [
    (75, 23, 6, 8734, 28410), (138, 18, 4, 10716, 22801), (122, 253, 5, 11588, 34811), (9, 31, 7, 5389, 10082),
    (18, 206, 269, 15871, 25521), (24, 131, 393, 15369, 30643), (68, 137, 359, 18383, 37010),
    (269, 60, 139, 17051, 25389), (177, 357, 310, 29238, 107855), (40, 10, 393, 16301, 10358),
    (2, 43, 259, 11361, 4378), (295, 16, 94, 17350, 11968), (94, 22, 262, 19199, 12961), (2, 339, 207, 14958, 10119),
    (64, 128, 128, 10685, 9624), (128, 256, 128, 13435, 25864), (256, 256, 256, 23112, 66741),
    (64, 512, 256, 18041, 46331)])
def test_estimates_are_close_to_what_was_measured(rows, reduction, columns, engine, hvx):
    """Cycles measured both ways: estimates are within a quarter of them, HVX within a half, and choose as they do where
    the compiler does not measure."""
    grid = choose_byte_grid(ByteSizes(rows, columns, reduction), 8 * MIB, ByteRates.of(targets.get()))
    estimates = byte_cycles(rows, columns, reduction, COST, (len(grid[0].steps), grid[1]))
    assert estimates[0] == pytest.approx(engine, rel=0.25)
    assert estimates[1] == pytest.approx(hvx, rel=0.5)
    if max(estimates) > 1.5 * min(estimates):
        assert (estimates[0] < estimates[1]) == (engine < hvx)


def product(name: str, sizes: tuple[int, int, int], transposed: tuple[bool, bool] = (False, False),
            left: type = np.int8, start: bool = False, epilogue: bool = False, batch: int = 0) -> Program:
    """``start``: sums of each column start from a vector. ``epilogue``: a residual, a shift, limits, bytes."""
    m, n, k = sizes
    rng = np.random.default_rng(m * 7 + n * 3 + k)
    limits = np.iinfo(left)
    a = rng.integers(limits.min, limits.max + 1, (m, k)).astype(left)
    b = rng.integers(-128, 128, (k, n)).astype(np.int8)
    a[0], b[:, 0] = limits.min if left == np.int8 else 255, -128
    v = rng.integers(-(1 << 31), 1 << 31, n).astype(np.int32)
    residual = rng.integers(-1000, 1000, (m, n)).astype(np.int32)
    exact = (a.astype(np.float64) @ b.astype(np.float64)).astype(np.int64) + (v if start else 0)
    exact = exact.astype(np.uint32).view(np.int32)
    orders = ["(k, m)" if transposed[0] else "(m, k)", "(n, k)" if transposed[1] else "(k, n)", "(m, n)"]
    shapes = [f"{k}x{m}xi8" if transposed[0] else f"{m}x{k}xi8", f"{n}x{k}xi8" if transposed[1] else f"{k}x{n}xi8",
              f"{m}x{n}xi32"]
    extra = f", %v: tensor<{n}xi32>" * start + f", %r: tensor<{shapes[2]}>" * epilogue
    result = f"{m}x{n}xi8" if epilogue else shapes[2]
    begin = (f"%i = linalg.broadcast ins(%v : tensor<{n}xi32>) outs(%e : tensor<{shapes[2]}>) dimensions = [0]"
             if start else f"%i = linalg.fill ins(%zero : i32) outs(%e : tensor<{shapes[2]}>) -> tensor<{shapes[2]}>")
    end = f"""%h = tensor.empty() : tensor<{result}>
        %1 = linalg.generic {{indexing_maps = [affine_map<(m, n) -> (m, n)>, affine_map<(m, n) -> (m, n)>,
            affine_map<(m, n) -> (m, n)>], iterator_types = ["parallel", "parallel"]}}
            ins(%0, %r : tensor<{shapes[2]}>, tensor<{shapes[2]}>) outs(%h : tensor<{result}>) {{
          ^bb0(%x: i32, %y: i32, %old: i8):
            %four = arith.constant 7 : i32
            %low = arith.constant -128 : i32
            %high = arith.constant 127 : i32
            %s = arith.addi %x, %y : i32
            %t = arith.shrsi %s, %four : i32
            %u = arith.maxsi %t, %low : i32
            %w = arith.minsi %u, %high : i32
            %z = arith.trunci %w : i32 to i8
            linalg.yield %z : i8
        }} -> tensor<{result}>""" if epilogue else ""
    text = f"""
      func.func @{name}(%a: tensor<{shapes[0]}>, %b: tensor<{shapes[1]}>{extra}) -> tensor<{result}> {{
        %zero = arith.constant 0 : i32
        %e = tensor.empty() : tensor<{shapes[2]}>
        {begin}
        %0 = linalg.generic {{indexing_maps = [affine_map<(m, n, k) -> {orders[0]}>,
            affine_map<(m, n, k) -> {orders[1]}>, affine_map<(m, n, k) -> {orders[2]}>],
            iterator_types = ["parallel", "parallel", "reduction"]}}
            ins(%a, %b : tensor<{shapes[0]}>, tensor<{shapes[1]}>) outs(%i : tensor<{shapes[2]}>) {{
          ^bb0(%x: i8, %y: i8, %old: i32):
            %p = {WIDENINGS[a.dtype]} %x : i8 to i32
            %q = arith.extsi %y : i8 to i32
            %m = arith.muli %p, %q : i32
            %s = arith.addi %old, %m : i32
            linalg.yield %s : i32
        }} -> tensor<{shapes[2]}>
        {end}
        return %{"1" if epilogue else "0"} : tensor<{result}>
      }}"""
    arrays = [array.T.copy() if flag else array for flag, array in zip(transposed, (a, b), strict=True)]
    arrays += [v] * start + [residual] * epilogue
    if epilogue:
        wide = exact + residual
        return Program(name, text, arrays, np.clip(wide >> 7, -128, 127).astype(np.int8), dtype=np.dtype(np.int8))
    return Program(name, text, arrays, exact, dtype=np.dtype(np.int32))


def batches(name: str, count: int, sizes: tuple[int, int, int], start: bool) -> Program:
    """A product for each of ``count`` pairs of matrices, from a row of each batch or from zeros."""
    m, n, k = sizes
    rng = np.random.default_rng(m + n + k + count)
    a, b = (rng.integers(-128, 128, (count, *shape)).astype(np.int8) for shape in ((m, k), (k, n)))
    v = rng.integers(-9999, 9999, (count, n)).astype(np.int32)
    shapes = [f"{count}x{rows}x{columns}x{type_}" for rows, columns, type_ in
              ((m, k, "i8"), (k, n, "i8"), (m, n, "i32"))]
    begin = ("%i = linalg.broadcast ins(%v : tensor<{0}x{1}xi32>) outs(%e : tensor<{2}>) dimensions = [1]" if start else
             "%i = linalg.fill ins(%zero : i32) outs(%e : tensor<{2}>) -> tensor<{2}>").format(count, n, shapes[2])
    text = f"""
      func.func @{name}(%a: tensor<{shapes[0]}>, %b: tensor<{shapes[1]}>, %v: tensor<{count}x{n}xi32>)
          -> tensor<{shapes[2]}> {{
        %zero = arith.constant 0 : i32
        %e = tensor.empty() : tensor<{shapes[2]}>
        {begin}
        %0 = linalg.batch_matmul ins(%a, %b : tensor<{shapes[0]}>, tensor<{shapes[1]}>)
            outs(%i : tensor<{shapes[2]}>) -> tensor<{shapes[2]}>
        return %0 : tensor<{shapes[2]}>
      }}"""
    expected = a.astype(np.int32) @ b.astype(np.int32) + (v[:, None] if start else 0)
    return Program(name, text, [a, b, v], expected, dtype=np.dtype(np.int32))


ON_V79 = ("epilogue",)
ON_V75 = ("signed_1_1_1", "signed_65_129_31", "unsigned_64_200_96", "both_by_column", "epilogue_and_start",
          "started_batches")
SHAPES = [(1, 1, 1), (5, 7, 45), (65, 129, 31), (64, 200, 96), (130, 40, 290)]


def programs() -> list[Program]:
    found = [product(f"signed_{'_'.join(map(str, shape))}", shape) for shape in SHAPES]
    found += [product(f"unsigned_{'_'.join(map(str, shape))}", shape, left=np.uint8) for shape in SHAPES[2:4]]
    found += [product("left_by_column", (70, 140, 150), (True, False)), product("right_by_column", (70, 140, 150), (
        False, True)), product("both_by_column", (33, 260, 150), (True, True), left=np.uint8)]
    found += [product("started", (70, 150, 64), start=True), product("start_of_unsigned", (9, 256, 64), (False, True),
                                                                     left=np.uint8, start=True)]
    found += [product("epilogue", (70, 300, 64), epilogue=True),
              product("epilogue_and_start", (64, 128, 40), start=True, epilogue=True)]
    return [*found, batches("batches", 3, (35, 70, 40), False), batches("started_batches", 2, (66, 130, 40), True)]


def test_on_the_host():
    found = programs()
    steps = [PassStep(registry.get("hexagon-matrix-engine")(always=True))]
    module, context = after("".join(program.text for program in found), steps)
    assert not context.log.entries
    assert to_text(module).count("linalg.index") >= len(found)  # the planes of each product
    call = on_host(module, [program.name for program in found])
    for program in found:
        program.check(call(program.name, program.arguments)[0])


@pytest.mark.parametrize("target", ["v75", "v79"])
def test_on_the_simulator(target, sample):
    """Every product, also those that do not pay, bit for bit."""
    found = [program for program in programs() if program.name in ON_V79 or target == "v75"]
    found = sample(found, ON_V75 if target == "v75" else ON_V79)
    steps = list(pipelines.get("default", targets.get(target)))
    place = [step.title for step in steps].index("hexagon-matrix-engine")
    always = [*steps[:place], PassStep(registry.get("hexagon-matrix-engine")(always=True)), *steps[place + 1:]]
    module, _ = after("".join(program.text for program in found), always, target)
    asm = emit(translate_to_llvm_ir(module), targets.get(target))
    assert "weight.b" in asm and "vrmpy" in asm
    for program in found:
        result = program.place()
        run = launch(asm, program.name, [*program.arguments, result], None, target)
        program.check(result)
        on_engine = run.matrix is not None and run.matrix.macs > 0
        assert on_engine == ("1_1_1" not in program.name), program.name  # one number by one is no product of matrices


REFUSED = {
    "weights without sign": ("extsi", "extui", "i32", "its weights have no sign"),
    "narrow sums": ("extsi", "extsi", "i16", "its sums have not 32 bits"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_refusals(case):
    left, right, sums, why = REFUSED[case]
    program = product("f", (64, 64, 64)).text
    program = program.replace("arith.extsi %x", f"arith.{left} %x").replace("arith.extsi %y", f"arith.{right} %y")
    steps = [PassStep(registry.get("hexagon-matrix-engine")(always=True))]
    module, context = after(program.replace("i32", sums), steps)
    assert [entry.message for entry in context.log.entries] == [f"left to HVX: {why}"]
    assert "linalg.index" not in to_text(module)


def test_older_engines_keep_their_products():
    steps = [PassStep(registry.get("hexagon-matrix-engine")(always=True))]
    module, context = after(product("f", (64, 64, 64)).text, steps, "v73")
    assert [entry.message for entry in context.log.entries] == ["left to HVX: sums of 32 bits need v75"]
    assert "linalg.index" not in to_text(module)

"""Grids of blocks for the matrix engine: their order, their estimate, and values of products of several blocks."""

import numpy as np
import pytest
from batch import after
from test_matrix_engine import epilogue, matmul

from hexagon_mlir import pipelines, targets
from hexagon_mlir.codegen.emission import emit
from hexagon_mlir.codegen.translate import translate_to_llvm_ir
from hexagon_mlir.exec.sim import launch
from hexagon_mlir.pass_infra import PassStep, registry
from hexagon_mlir.passes.matrix_engine.estimate import Rates, Sizes, bytes_of, choose_grid, cycles_of
from hexagon_mlir.passes.matrix_engine.schedule import AHEAD, LEFT, RIGHT, Fetch, Grid

pytestmark = pytest.mark.only_values

RATES = Rates.of(targets.get())
MIB = 1 << 20


def test_order_of_a_grid():
    """The right factor stays: it is packed during the products with the first rows."""
    first, second, third = Grid((64, 64), (96, 32)).steps[:3]
    assert first.fetches == (Fetch(LEFT, 0), Fetch(RIGHT, 0), Fetch(RIGHT, 1), Fetch(LEFT, 1))
    assert first.packs == (Fetch(LEFT, 0), Fetch(RIGHT, 0))
    assert first.factors == (Fetch(LEFT, 0), Fetch(RIGHT, 0))
    assert (second.fetches, second.packs) == ((), (Fetch(RIGHT, 1),))
    assert (third.packs, third.factors) == ((Fetch(LEFT, 1),), (Fetch(LEFT, 1), Fetch(RIGHT, 0)))
    assert [step.factors for step in Grid((64, 64), (96, 32), stays=LEFT).steps] == [
        (Fetch(LEFT, row), Fetch(RIGHT, column)) for column in range(2) for row in range(2)]


@pytest.mark.parametrize("stays", [LEFT, RIGHT])
@pytest.mark.parametrize(("rows", "columns"), [(1, 1), (1, 5), (4, 1), (3, 4)])
def test_every_block_is_there_when_it_is_needed(stays, rows, columns):
    grid = Grid((32,) * rows, (64,) * columns, stays)
    fetched, packed, products = [], [], []
    for step in grid.steps:
        fetched += step.fetches
        packed += step.packs
        assert packed == fetched[:len(packed)]
        assert len(fetched) <= len(packed) + AHEAD
        assert set(step.factors) <= set(packed)
        products.append(tuple(fetch.number for fetch in step.factors))
    assert len(set(fetched)) == len(fetched) == rows + columns
    assert sorted(products) == [(row, column) for row in range(rows) for column in range(columns)]


def test_estimate_of_a_large_product():
    """Hardly more than the engine takes: transfers and HVX are hidden. One block hides nothing."""
    sizes = Sizes(1024, 1024, 1024)
    array = 32 ** 3 * RATES.tile_cycles
    grid, cycles = choose_grid(sizes, 8 * MIB, RATES)
    assert array < cycles < 1.2 * array
    assert sum(grid.rows) == sum(grid.columns) == 1024
    assert cycles_of(Grid((1024,), (1024,)), sizes, RATES) > cycles + 2 * 1024 * 1024 * 2 / RATES.dma.rate


@pytest.mark.parametrize(("rows", "reduction", "columns"), [(2, 1429, 4041), (3, 3015, 3411), (64, 4096, 4096)])
def test_more_blocks_where_few_do_not_fit(rows, reduction, columns):
    """Columns of factors that exceed TCM: hardly more than their transfer."""
    sizes = Sizes(rows, columns, reduction)
    grid, cycles = choose_grid(sizes, 7 * MIB, RATES)
    assert grid.stays == LEFT and 8 < len(grid.columns) <= 32 and bytes_of(grid, sizes) <= 7 * MIB
    assert cycles < 1.08 * RATES.dma.busy(2 * reduction * columns)
    assert choose_grid(Sizes(rows, columns, reduction, packed=True, code_bytes=640), MIB, RATES) is None


def test_small_products_are_one_block():
    assert choose_grid(Sizes(64, 64, 64), 8 * MIB, RATES)[0].blocks == ((64,), (64,))
    assert choose_grid(Sizes(5, 7, 45), 8 * MIB, RATES)[0].blocks == ((5,), (7,))


def test_bytes_of_a_grid():
    """Two columns of tiles that stay, two blocks of rows as tiles, four blocks as they were, results."""
    assert bytes_of(Grid((32, 32), (32, 32)), Sizes(64, 64, 32)) == 2048 * (2 + 2 + 4 + 5)
    more = bytes_of(Grid((32, 32), (32, 32)), Sizes(64, 64, 32, epilogue_bytes=4)) - 2048 * 13
    assert more == 4 * 1024 * 4
    assert choose_grid(Sizes(4096, 4096, 4096), 8 * MIB, RATES) is None


@pytest.mark.parametrize("seed", range(20))
def test_every_choice_fits_and_covers(seed):
    rng = np.random.default_rng(seed)
    rows, columns, reduction = (int(rng.integers(1, 1500)) for _ in range(3))
    budget = int(rng.integers(64 << 10, 8 * MIB))
    found = choose_grid(Sizes(rows, columns, reduction), budget, RATES)
    if found is None:
        assert bytes_of(Grid((min(rows, 32),), (min(columns, 64),)), Sizes(rows, columns, reduction)) > budget // 9
        return
    grid, cycles = found
    assert bytes_of(grid, Sizes(rows, columns, reduction)) <= budget
    assert (sum(grid.rows), sum(grid.columns)) == (rows, columns)
    assert all(count % 32 == 0 for counts in grid.blocks for count in counts[:-1])
    assert cycles == cycles_of(grid, Sizes(rows, columns, reduction), RATES)


def test_values_of_several_blocks(sample):
    """Ragged rows, columns and reduction; an epilogue with a residual; transposed factors and result."""
    flags = (True, True, True)
    found = [epilogue("several_epilogue", (250, 333, 500)), matmul("several_transposed", (333, 250, 500), flags, "f32"),
             matmul("several_plain", (320, 256, 512), (False,) * 3, "f32")]
    found = sample(found, ("several_epilogue", "several_transposed"))
    steps = list(pipelines.get("default", targets.get()))
    formed = [step.title for step in steps].index("overlap-transfers")
    module, _ = after("".join(program.text for program in found), steps[:formed])
    text = str(module)
    for program in found:
        body = text[text.index(f"@{program.name}"):]
        assert body[:body.index("return")].count("hexagon.engine_product") >= 3
    module, _ = after("".join(program.text for program in found), steps)
    asm = emit(translate_to_llvm_ir(module), targets.get())
    for program in found:
        result = program.place()
        launch(asm, program.name, [*program.arguments, result], None)
        program.check(result)


def test_values_of_many_blocks():
    """More than eight, the last one of few columns; a small TCM stands for a large product."""
    sizes, budget = (3, 1130, 1010), 1_900_000
    pass_ = registry.get("hexagon-matrix-engine")(always=True, tcm_bytes=budget)
    grid, _ = choose_grid(Sizes(*sizes), budget - budget // pass_.gaps, RATES)
    assert len(grid.columns) == 9
    program = matmul("many_blocks", sizes, (False, False, False), "f32")
    steps = [PassStep(pass_) if step.title == pass_.name else step
             for step in pipelines.get("default", targets.get())]
    module, _ = after(program.text, steps)
    result = program.place()
    run = launch(emit(translate_to_llvm_ir(module), targets.get()), program.name, [*program.arguments, result], None)
    program.check(result)
    assert run.matrix is not None and run.matrix.macs >= 3 * 1130 * 1010

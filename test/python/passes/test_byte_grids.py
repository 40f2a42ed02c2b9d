"""Grids of products of bytes: which one is chosen, what it takes, and exact sums of several blocks."""

import numpy as np
import pytest
from batch import after, on_host
from test_byte_matrix_engine import product

from bench.engine_products import IntegerProduct
from hexagon_mlir import pipelines, targets
from hexagon_mlir.codegen.compile import lower_module
from hexagon_mlir.codegen.emission import emit
from hexagon_mlir.codegen.translate import translate_to_llvm_ir
from hexagon_mlir.exec.sim import launch
from hexagon_mlir.ir import parse, to_text
from hexagon_mlir.pass_infra import PassStep, registry
from hexagon_mlir.passes.matrix_engine.byte_schedule import ByteRates, ByteSizes, bytes_of, choose_byte_grid
from hexagon_mlir.passes.matrix_engine.schedule import LEFT, RIGHT, Grid

pytestmark = pytest.mark.only_values

RATES = ByteRates.of(targets.get())
MIB = 1 << 20


def test_a_result_tile_takes_as_long_as_its_sums_are_read_out():
    assert RATES.result_tile(4) == RATES.result_tile(40) == RATES.read_out_cycles
    assert RATES.result_tile(41) == 41 * RATES.tile_cycles


def test_bytes_of_a_grid():
    """Columns that stay, two blocks of rows, four blocks as they were transferred; results of 64 rows and 32 columns as
    four pieces of planes and three of rows."""
    results = 64 * 32 * (4 * 4 + 3 * 4)
    assert bytes_of(Grid((64, 64), (128, 32)), ByteSizes(128, 160, 100)) == 128 * (256 + 2 * 64 + 4 * 128) + 4 * results
    least, beside = (bytes_of(Grid((64,), (32,)), ByteSizes(64, 32, 128, nbytes)) for nbytes in (0, 5))
    assert beside - least == 64 * 32 * 3 * 5


def test_tiles_of_weights_are_not_packed():
    """Nor transferred to a buffer of their own."""
    sizes, packed = (ByteSizes(64, 2048, 512, packed=packed) for packed in (False, True))
    assert choose_byte_grid(packed, 8 * MIB, RATES)[1] < choose_byte_grid(sizes, 8 * MIB, RATES)[1]
    assert bytes_of(Grid((64,), (2048,)), packed) < bytes_of(Grid((64,), (2048,)), sizes)


def test_transfers_are_hidden():
    """Less than a quarter more than the DMA engine takes."""
    dma = (2 * 1024**2 + 4 * 1024**2) / RATES.others.dma.rate
    grid, cycles = choose_byte_grid(ByteSizes(1024, 1024, 1024), 8 * MIB, RATES)
    assert dma < cycles < 1.25 * dma
    assert sum(grid.rows) == sum(grid.columns) == 1024


@pytest.mark.parametrize("seed", range(20))
def test_every_choice_fits_and_covers(seed):
    rng = np.random.default_rng(seed)
    rows, columns, reduction = (int(rng.integers(1, 3000)) for _ in range(3))
    sizes, budget = ByteSizes(rows, columns, reduction), int(rng.integers(64 << 10, 8 * MIB))
    found = choose_byte_grid(sizes, budget, RATES)
    if found is None:
        assert bytes_of(Grid((min(rows, 64),), (min(columns, 128),)), sizes) > budget // 9
        return
    grid, _ = found
    assert bytes_of(grid, sizes) <= budget
    assert (sum(grid.rows), sum(grid.columns)) == (rows, columns)
    assert all(count % 64 == 0 for count in grid.rows[:-1])
    assert all(count % 128 == 0 for count in grid.columns[:-1])


SEVERAL = {"rows_move": (500, 600, 96), "columns_move": (300, 1100, 600)}


@pytest.mark.parametrize("stays", [LEFT, RIGHT])
def test_both_factors_stay_somewhere(stays):
    """The programs below cover both."""
    grids = [choose_byte_grid(ByteSizes(*sizes), 8 * MIB, RATES)[0] for sizes in SEVERAL.values()]
    assert any(grid.stays == stays and len(grid.rows) * len(grid.columns) > 2 for grid in grids)


def several():
    """Ragged rows, columns and reductions, starts and epilogues; few columns; transposed factors."""
    rows, columns = SEVERAL.values()
    return [product("rows_move", rows, start=True), product("columns_move", columns, left=np.uint8),
            product("with_epilogue", columns, start=True, epilogue=True), product("few_columns", (900, 64, 70)),
            product("both_transposed", (330, 300, 260), (True, True))]


def test_values_of_several_blocks(sample):
    found = sample(several(), ("with_epilogue",))
    steps = list(pipelines.get("default", targets.get()))
    place = [step.title for step in steps].index("hexagon-matrix-engine")
    always = [*steps[:place], PassStep(registry.get("hexagon-matrix-engine")(always=True)), *steps[place + 1:]]
    text = "".join(program.text for program in found)
    module, _ = after(text, [PassStep(registry.get("hexagon-matrix-engine")(always=True))])
    for body in to_text(module).split("func.func")[1:]:
        assert body.count("linalg.index") >= 2  # products of blocks, whose sums become planes
        assert "scf.for" not in body
    module, _ = after(text, always)
    asm = emit(translate_to_llvm_ir(module), targets.get())
    for program in found:
        result = program.place()
        launch(asm, program.name, [*program.arguments, result], None)
        program.check(result)


IN_PARTS = {"columns_in_parts": (1000, 500, 700), "rows_in_parts": (500, 1000, 700)}
LITTLE = 1400 << 10


@pytest.mark.parametrize("sizes", IN_PARTS.values())
def test_parts_of_a_factor_stay_where_none_fits(sizes):
    grid, _ = choose_byte_grid(ByteSizes(*sizes), LITTLE * 15 // 16, RATES)
    assert len(grid.groups) > 1
    assert sorted(step.factors for step in grid.steps) == sorted(
        ((LEFT, row), (RIGHT, column)) for row in range(len(grid.rows)) for column in range(len(grid.columns)))
    packed: dict[tuple[int, int], int] = {}
    for number, step in enumerate(grid.steps):
        packed.update(dict.fromkeys(step.packs, number))
        assert set(step.factors) <= packed.keys()
        kept = [fetch for fetch, last in packed.items() if fetch.operand == grid.stays and any(
            fetch in later.factors for later in grid.steps[number:]) and last <= number]
        assert len(kept) <= grid.at_a_time
    fetched = [fetch for step in grid.steps for fetch in step.fetches]
    assert fetched == [fetch for step in grid.steps for fetch in step.packs]
    moving = len(grid.blocks[1 - grid.stays])
    assert len(fetched) == len(grid.blocks[grid.stays]) + moving + (len(grid.groups) - 1) * (moving - 1)


def test_factors_larger_than_tcm():
    """2,048 cubed: twice the left factor is transferred, each of the others once."""
    grid, cycles = choose_byte_grid(ByteSizes(2048, 2048, 2048), 8 * MIB * 15 // 16, RATES)
    dma = (3 * 2048**2 + 4 * 2048**2) / RATES.others.dma.rate
    assert len(grid.groups) == 2
    assert cycles < 1.1 * dma


def test_values_in_parts(sample):
    found = sample([product(name, sizes, start=True) for name, sizes in IN_PARTS.items()], ["columns_in_parts"])
    steps = list(pipelines.get("default", targets.get()))
    place = [step.title for step in steps].index("hexagon-matrix-engine")
    steps[place] = PassStep(registry.get("hexagon-matrix-engine")(always=True, tcm_bytes=LITTLE))
    module, context = after("".join(one.text for one in found), steps)
    assert "moved to DDR" not in str(context.log.entries)
    asm = emit(translate_to_llvm_ir(module), targets.get())
    for one in found:
        result = one.place()
        launch(asm, one.name, [*one.arguments, result], None)
        one.check(result)


def test_results_leave_tcm_while_others_are_computed():
    """1,536 cubed: transfers of results were waited for at the end, and results did not fit."""
    text = IntegerProduct(1536, 1536, 1536).text()
    lowered = lower_module(parse(text, file="product.mlir"))
    messages = [entry.message for entry in lowered.context.log.entries]
    assert not [message for message in messages if "moved to DDR" in message or "compiled again" in message]


def test_loops_where_no_grid_fits():
    """A little TCM: blocks one after the other."""
    program = product("f", (700, 600, 130), start=True)
    assert choose_byte_grid(ByteSizes(700, 600, 130), (256 << 10) * 15 // 16, RATES) is None
    steps = [PassStep(registry.get("hexagon-matrix-engine")(always=True, tcm_bytes=256 << 10))]
    module, context = after(program.text, steps)
    assert not context.log.entries
    assert "scf.for" in to_text(module)
    program.check(on_host(module, ["f"])("f", program.arguments)[0])

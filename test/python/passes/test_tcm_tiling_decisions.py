"""Tile sizes and the vectorized loop of `hexagon-tcm-tiling`: pure functions over numbers."""

from math import prod

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hexagon_mlir import targets
from hexagon_mlir.ir import ir, make_context, parse
from hexagon_mlir.ir.query import find_ops
from hexagon_mlir.ir.windows import Window, window_of
from hexagon_mlir.passes.hexagon_loop_interchange import loop_order
from hexagon_mlir.passes.lib.thread_cost import ForkCost
from hexagon_mlir.passes.lib.vector_loop import spreads, takes_scalars, vector_loop
from hexagon_mlir.passes.tcm_tiling.sizes import (
    Footprint,
    Role,
    choose_tile,
    longest_share,
    overlapping_tile,
    predicted_cycles,
    steps_together,
    streamed_tile,
    transposed_loops,
    working_set,
)
from hexagon_mlir.targets.dma import Engine

ALIGN = 2048


@pytest.mark.parametrize(("loops", "element_bytes", "tile", "bytes_"), [
    ((0, 1), 4, (8, 64), 2048),
    ((0, 1), 4, (8, 65), 4096),   # rounded up to whole units
    ((1,), 2, (8, 100), 2048),    # a row does not grow with loop 0
    ((), 4, (8, 100), 2048),
])
def test_footprint(loops, element_bytes, tile, bytes_):
    assert Footprint(loops, element_bytes).bytes(tile, ALIGN) == bytes_


def test_windows_share_indices():
    rows = Footprint((1,), 4, Role.FETCH, (Window(0, 2, 3),))
    assert rows.bytes((8, 64), 1) == (7 * 2 + 3) * 64 * 4
    assert rows.moves((8, 64), (16, 64))
    assert not rows.moves((16, 64), (16, 64))


@pytest.mark.parametrize(("text", "expected"), [
    ("d0", Window(0)), ("d0 + d2", Window(0, 1, 5)), ("d0 * 2 + d2 * 3", Window(0, 2, 13)), ("d2", Window(2)),
    ("d1 * 4", Window(1, 4)), ("d0 + d1", None), ("d0 - d2", None), ("d0 + d3", None), ("d0 mod 2", None), ("7", None),
])
def test_windows_of_indices(text, expected):
    """Loops 0 and 1 count results, 2 five elements of the window, 3 an unknown number."""
    with make_context():
        map_ = ir.AffineMapAttr(ir.Attribute.parse(f"affine_map<(d0, d1, d2, d3) -> ({text})>")).value
        assert window_of(map_.results[0], [True, True, False, False], {2: 5}.get) == expected


MATRIX = Footprint((0, 1), 4)
MATRIX_IN, MATRIX_OUT = Footprint((0, 1), 4, Role.FETCH), Footprint((0, 1), 4, Role.STORE)


@pytest.mark.parametrize(("extents", "budget", "tile"), [
    ([64, 1024], 1 << 20, [64, 1024]),      # fits
    ([64, 1024], 64 << 10, [8, 1024]),      # rows are cut first
    ([64, 1024], 8192, [1, 1024]),          # one row
    ([64, 4096], 8192, [1, 1024]),          # then the row: 1024 of the 4096 columns
    ([10, 1024], 7 * 8192, [5, 1024]),      # 7 rows fit: 10 rows are 5 + 5, not 7 + 3
])
def test_two_matrices(extents, budget, tile):
    assert choose_tile(extents, [True, True], [MATRIX, MATRIX], budget, 32, ALIGN) == tile


WEIGHTS, RESULT = Footprint((2, 1), 4, Role.FETCH), Footprint((0, 1), 4, Role.STORE)


@pytest.mark.parametrize(("steps", "tile", "budget", "most", "expected"), [
    (64, 8, 1 << 20, 32 << 10, 32),   # of 1 KiB each: no more than half of all
    (64, 8, 1 << 20, 31 << 10, 16),   # in equal tiles
    (64, 8, 63 << 10, 32 << 10, 8),   # two or four sets have to fit
    (64, 8, 64 << 10, 32 << 10, 32),
    (48, 8, 1 << 20, 20 << 10, 16),   # 20 does not divide 48, each of four threads has four of 16
    (22, 3, 1 << 20, 32 << 10, 3),    # no equal number for each thread: the tile stays
    (64, 40, 1 << 20, 64 << 10, 40),  # it does not become smaller
])
def test_tiles_that_earlier_kernels_fetch(steps, tile, budget, most, expected):
    weights, rows = Footprint((1, 2), 1, Role.FETCH), Footprint((0, 2), 4, Role.FETCH)
    assert streamed_tile([1, steps, 1024], [1, tile, 1024], 1, [rows, weights], budget, 4, most) == [1, expected, 1024]


def test_rows_are_not_cut_where_that_makes_no_room():
    """Weights of a product that do not fit are cut themselves: they are fetched once, not once for each row."""
    tile = choose_tile([32, 3072, 768], [True, True, False], [WEIGHTS, RESULT], 6 << 20, 32, 128)
    assert tile == [32, 768, 768]


def test_a_product_is_cut_into_columns_of_several_vectors():
    tile = overlapping_tile([32, 768, 3072], [32, 192, 3072], [True, True, False], [WEIGHTS, RESULT], 32,
                            Engine.of(targets.get()), 2e6, 2)
    assert tile == [32, 128, 3072]


@pytest.mark.parametrize(("rows", "columns", "tile"), [
    (4, 960, 320),    # fits, but its weights take longer than the products: equal parts, of whole vectors
    (4, 160, 160),    # narrower ones would leave threads no block of accumulators
    (64, 1000, 1000),  # no equal parts
    (256, 512, 512),  # the products take so long that little is to be hidden
])
def test_what_fits_is_cut_into_columns_to_hide_its_weights(rows, columns, tile):
    chip = targets.get()
    threads = ForkCost.of(chip)
    work = rows * 160 * columns / 32 * 2.6
    assert overlapping_tile([rows, columns, 160], [rows, columns, 160], [True, True, False], [WEIGHTS, RESULT], 32,
                            Engine.of(chip), work, 2, threads.spread, threads.tasks)[1] == tile


def test_threads_share_a_row_of_sums_by_whole_vectors():
    tile = overlapping_tile([3072, 768], [3072, 768], [True, False],
                            [Footprint((1, 0), 2, Role.FETCH), Footprint((0,), 4, Role.STORE)], 64,
                            Engine.of(targets.get()), 2e5, 2, ForkCost.of(targets.get()).spread, 4)
    assert tile == [256, 768]


@pytest.mark.parametrize("count", [2, 4, 16])
@pytest.mark.parametrize("work", [0.0, 1e5, 1e6])
def test_cycles_of_tiles(count, work):
    """Transfers follow one another, or the work on tiles does: the first transfer, the last one and the work on the
    last tile are exposed."""
    engine = Engine.of(targets.get())
    nbytes = 8 * 4096 * 4
    cycles = predicted_cycles([8, 4096], [8, 4096 // count], [MATRIX_IN, MATRIX_OUT], engine, work, 1)
    transfer = engine.busy(nbytes / count)
    least = max(2 * count * transfer + work / count, 2 * (nbytes / count) / engine.rate + work)
    assert least + 2 * engine.start <= cycles <= 1.01 * least + 2 * engine.start + count * 300


def test_two_tiles_are_equal():
    """One whole tile and a rest make no loop that could overlap anything."""
    tile = overlapping_tile([7, 4096], [7, 4096], [True, False], [MATRIX_IN, MATRIX_OUT], 32, Engine.of(targets.get()),
                            1e3, 1)
    assert 2 * tile[0] <= 7 or tile[0] == 7


@pytest.mark.parametrize(("operands", "loops"), [
    ([(1, 2, 0), (0, 1, 2)], {0}), ([(1, 0), (0, 1)], {0}), ([(0, 2, 1), (0, 1, 2)], {1}),
    ([(0, 1), (0,), (0, 1)], set()),  # a number for each row
    ([(1, 0, 2), (0, 1, 2)], set()),  # rows change places
])
def test_loops_along_which_an_operand_is_transposed(operands, loops):
    assert transposed_loops(operands, max(map(max, operands)) + 1) == loops


def test_transposed_tiles_are_whole_vectors():
    """A small tile's store would be hidden better, but its rows are no vectors: 16 channels of 28 x 28 halves."""
    channels, result = [128, 28, 28], Footprint((0, 1, 2), 2, Role.STORE)
    given = channels, channels, [True] * 3, [result], 64, Engine.of(targets.get()), 1e4, 1
    assert overlapping_tile(*given)[0] < 64
    assert overlapping_tile(*given, transposed={0})[0] in (64, 128)
    tile = choose_tile(channels, [True] * 3, [result], 120_000, 64, ALIGN, {0})
    assert tile is not None and tile[0] % 64 == 0


@pytest.mark.parametrize(("operands", "together"), [
    ([MATRIX_IN, MATRIX_OUT], 1), ([MATRIX_IN, Footprint((0,), 4)], 32),
    ([MATRIX_IN, Footprint((0,), 2, Role.STORE)], 64),
    ([Footprint((0,), 4, Role.FETCH)], 1), ([Footprint((0,), 96)], 4), ([Footprint((0,), 256)], 1),
    ([Footprint((1,), 4)], 1), ([Footprint((0,), 0)], 1), ([], 1),
])
def test_steps_whose_results_are_in_one_vector(operands, together):
    assert steps_together(operands, 128) == together


def test_the_longest_share_of_a_tile():
    assert longest_share(128, 32, 4) == longest_share(20, 32, 4) == longest_share(104, 1, 4) == 1.0
    assert longest_share(192, 32, 4) == pytest.approx(4 / 3)
    assert longest_share(104, 32, 4) > 32 / 26  # the last one is shorter


def test_tiles_that_threads_share_evenly():
    """Layer norm of 416 rows of 256 f16: of a tile of 104 rows one thread had 8 rows, the others 32."""
    sums = Footprint((0,), 4)
    rows = [Footprint((0, 1), 2, Role.FETCH), Footprint((0, 1), 2, Role.STORE), sums, sums]
    given = [416, 256], [416, 256], [True, False], rows, 64, Engine.of(targets.get()), 9e4, 4
    threads = ForkCost.of(targets.get(), 4)
    tile = overlapping_tile(*given, threads.spread, threads.tasks, together=steps_together(rows, 128))
    assert tile[0] % 128 == 0 or tile[0] == 416


def test_nothing_fits():
    assert choose_tile([64, 4096], [True, True], [MATRIX, MATRIX], 2048, 32, ALIGN) is None


def test_reductions_stay_whole():
    sums = Footprint((0,), 4)
    assert choose_tile([64, 4096], [True, False], [MATRIX, sums], 18 * 1024, 1, ALIGN) == [1, 4096]
    assert choose_tile([64, 4096], [True, False], [MATRIX, sums], 16 * 1024, 1, ALIGN) is None


def test_the_vectorized_loop_is_cut_to_whole_vectors():
    column = Footprint((1, 0), 4)
    assert choose_tile([100, 64], [True, False], [column, Footprint((0,), 4)], 12 * 1024, 32, 128) == [32, 64]


@st.composite
def problems(draw):
    """Loop nests with operands over some of their loops."""
    rank = draw(st.integers(1, 4))
    extents = draw(st.lists(st.integers(1, 300), min_size=rank, max_size=rank))
    parallel = draw(st.lists(st.booleans(), min_size=rank, max_size=rank))
    loops = st.sets(st.integers(0, rank - 1)).map(lambda s: tuple(sorted(s)))
    operands = draw(st.lists(st.builds(Footprint, loops, st.sampled_from([1, 2, 4])), min_size=1, max_size=4))
    return extents, parallel, operands, draw(st.integers(1, 1 << 20)), draw(st.sampled_from([32, 64, 128]))


@given(problems(), st.sampled_from([1, 128, ALIGN]))
def test_a_tile_fits_and_is_even(problem, alignment):
    extents, parallel, operands, budget, lanes = problem
    tile = choose_tile(extents, parallel, operands, budget, lanes, alignment)
    candidates = [loop for loop, is_parallel in enumerate(parallel) if is_parallel]
    if tile is None:  # then nothing fits: not even single iterations of the outer loops and one vector of the last
        smallest = [1 if p else e for e, p in zip(extents, parallel, strict=True)]
        if candidates:
            smallest[candidates[-1]] = min(lanes, extents[candidates[-1]])
        assert working_set(smallest, operands, alignment) > budget
        return
    assert working_set(tile, operands, alignment) <= budget
    assert all(1 <= t <= e for t, e in zip(tile, extents, strict=True))
    for loop, (size, extent) in enumerate(zip(tile, extents, strict=True)):
        if not parallel[loop]:
            assert size == extent
        elif size != extent:
            unit = lanes if loop == candidates[-1] else 1
            assert size % unit == 0
            tiles = -(-extent // size)
            assert size - unit < -(-extent // tiles), "a smaller size would make as many tiles"
    whole = working_set(extents, operands, alignment) <= budget
    assert (tile == list(extents)) == whole or prod(tile) == prod(extents)


@pytest.mark.parametrize(("loops", "reads", "loop"), [
    (1, [(0,), (0,)], 0),
    (2, [(0, 1), (0, 1)], 1),
    (2, [(0, 1), (0,), (0, 1)], 1),           # a scalar per row
    (2, [(0, 1), (0,)], 1),                   # a row sum: no other choice than the reduction
    (2, [(1, 0), (0,)], 0),                   # a column sum: the output's loop
    (3, [(0, 2), (2, 1), (0, 1)], 1),         # matmul
    (3, [(0, 2), (1, 2), (0, 1)], 2),         # matmul with B transposed: along the dot product
    (2, [(0, 1), (1, 0)], None),              # a transpose
    (1, [()], 0),
])
def test_vector_loop(loops, reads, loop):
    assert vector_loop(loops, reads) == loop


@pytest.mark.parametrize(("body", "spread"), [
    ("%p = arith.mulf %a, %b : f32\n%s = arith.addf %o, %p : f32", True),
    ("%q = arith.mulf %a, %a : f32\n%p = arith.mulf %q, %b : f32\n%s = arith.addf %o, %p : f32", False),
])
def test_only_contractions_spread_a_factor_over_lanes(body, spread):
    module = parse(f"""
#along = affine_map<(d0, d1) -> (d0)>
func.func @f(%x: tensor<32xf32>, %y: tensor<32x64xf32>, %z: tensor<64xf32>) -> tensor<64xf32> {{
  %r = linalg.generic {{indexing_maps = [#along, affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d1)>],
      iterator_types = ["reduction", "parallel"]}}
      ins(%x, %y : tensor<32xf32>, tensor<32x64xf32>) outs(%z : tensor<64xf32>) {{
  ^bb0(%a: f32, %b: f32, %o: f32):
    {body}
    linalg.yield %s : f32
  }} -> tensor<64xf32>
  return %r : tensor<64xf32>
}}""")
    op = find_ops(module, lambda op: op.name == "linalg.generic")[0]
    assert (spreads(op, 0), takes_scalars(op, 0)) == (spread, not spread)
    assert not spreads(op, 1) and not takes_scalars(op, 1)


@pytest.mark.parametrize(("rows", "body", "vectors"), [
    (2, "%p = arith.mulf %a, %c : f32\n%s = arith.addf %o, %p : f32", True),
    (16, "%p = arith.mulf %a, %c : f32\n%s = arith.addf %o, %p : f32", True),
    (17, "%p = arith.mulf %a, %c : f32\n%s = arith.addf %o, %p : f32", False),
    (2, "%p = arith.subf %a, %c : f32\n%s = arith.maximumf %o, %p : f32", False),
])
def test_results_of_few_rows_times_rows_are_vectors(rows, body, vectors):
    """They stay in TCM for what reads them next; others are made element by element."""
    types = f"tensor<4x{rows}x128xf32>", "tensor<4x256x128xf32>", f"tensor<4x{rows}x256xf32>"
    module = parse(f"""
func.func @f(%x: {types[0]}, %y: {types[1]}, %z: {types[2]}) -> {types[2]} {{
  %r = linalg.generic {{indexing_maps = [affine_map<(b, i, j, k) -> (b, i, k)>, affine_map<(b, i, j, k) -> (b, j, k)>,
      affine_map<(b, i, j, k) -> (b, i, j)>], iterator_types = ["parallel", "parallel", "parallel", "reduction"]}}
      ins(%x, %y : {types[0]}, {types[1]}) outs(%z : {types[2]}) {{
  ^bb0(%a: f32, %c: f32, %o: f32):
    {body}
    linalg.yield %s : f32
  }} -> {types[2]}
  return %r : {types[2]}
}}""")
    op = find_ops(module, lambda op: op.name == "linalg.generic")[0]
    assert takes_scalars(op, 2) != vectors
    assert not takes_scalars(op, 1)


@pytest.mark.parametrize(("reads", "order"), [
    ([[0, 1], [0, 1]], None),
    ([[1, 0], [1, 0]], [1, 0]),                    # columns first: vectors go along what was the outer loop
    ([[1, 0], [0], [1, 0]], [1, 0]),
    ([[0, 1], [1, 0]], None),                      # a transpose has its loops in order either way
    ([[2, 0, 1], [1], [2, 0, 1]], [2, 0, 1]),
    ([[0, 0], [0]], None),
])
def test_loop_order(reads, order):
    assert loop_order(1 + max(max(r) for r in reads), reads) == order


def test_long_reductions_are_cut_where_tiles_of_columns_would_be_narrower_than_a_vector():
    """Weights of 20,000 x 1,024: 25 columns fit as well, in 20,000 runs a tile, and no vector is full."""
    operands = [Footprint((0, 2), 4, Role.FETCH), Footprint((2, 1), 4, Role.FETCH), Footprint((0, 1), 4)]
    assert choose_tile([1, 1024, 20000], [True, True, True], operands, 4 << 20, 32, 128) == [1, 1024, 480]


def test_a_loop_around_double_buffered_tiles_starts_their_transfers_anew():
    """The keys of 8 heads in blocks of 1024: tiles of two blocks of one head would wait for the first two of each."""
    engine, block = Engine.of(targets.get("v75")), 1024 * 128 * 2
    keys = [Footprint((0, 1), block, Role.FETCH)]

    def cycles(*tile):
        return predicted_cycles((8, 4), tile, keys, engine, 100_000.0, 0)

    assert cycles(1, 2) > cycles(1, 4) + 7 * block / engine.rate
    assert overlapping_tile((8, 4), (2, 4), (True, True), keys, 1, engine, 100_000.0, 0) == [1, 4]

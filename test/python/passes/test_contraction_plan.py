"""The register block of a contraction: decisions over numbers."""

import pytest

from hexagon_mlir.passes.contraction.plan import (
    block_cost,
    choose_block,
    choose_rotation_steps,
    make_plan,
    unrolled_loops,
)
from hexagon_mlir.passes.contraction.row_products import RowProducts, blocks, find_row_products
from hexagon_mlir.passes.lib.contractions import Contraction, Index, OperandAccess
from hexagon_mlir.passes.lib.loop_nests import Unsupported

VECTOR_BYTES = 128


def access(*dims, bits=32):
    """An operand whose dimensions are loops, or pairs of (loop, factor) to add up."""
    return OperandAccess(tuple(Index(((d, 1),)) if isinstance(d, int) else Index(tuple(d)) for d in dims), bits, True)


def matmul(m, n, k, bits=32, accumulator=32):
    return Contraction((m, n, k), (False, False, True), (access(0, 2, bits=bits), access(2, 1, bits=bits),
                                                         access(0, 1, bits=accumulator)), (0, 1), "arith.addf", bits)


@pytest.mark.parametrize(("steps", "vectors", "widening", "expected"), [
    (256, 8, 1, (4, 2)),     # whole blocks; a vector serves four rows
    (25, 16, 1, (2, 4)),     # not one row by 8, though its last block would be full
    (123, 3, 1, (3, 3)),     # 41 blocks of 3 rows, all of 3 vectors
    (1, 24, 1, (1, 8)),      # a vector times a matrix
    (256, 4, 2, (4, 1)),     # accumulators of twice the width
    (None, None, 1, (3, 3)),
    (5, 1, 4, (2, 1)),
])
def test_blocks(steps, vectors, widening, expected):
    assert choose_block(steps, vectors, widening, 1) == expected


def test_bytes_multiply_twice_a_packet():
    assert choose_block(256, 8, 1, 1, 0.5) == (4, 4)


def test_dot_products_go_along_the_elements_of_a_row():
    plan = make_plan(matmul(8, 256, 64, bits=8), VECTOR_BYTES)
    assert not plan.dot_products, "floats"
    integers = Contraction(**{**vars(matmul(8, 256, 64, bits=8)), "combiner": "arith.addi"})
    plan = make_plan(integers, VECTOR_BYTES)
    assert (plan.dot_products, plan.lanes, plan.reductions) == (True, 32, (2,))
    assert not make_plan(Contraction(**{**vars(integers), "extents": (8, 256, 3)}), VECTOR_BYTES).dot_products


@pytest.mark.parametrize(("extents", "bounds", "expected"), [
    ((8, None, 64), (8, 256, 64), True),
    ((None, 256, 64), (None, 256, 64), True),
    ((8, None, 64), (8, None, 64), False),  # how much memory the copy takes is not known
    ((8, 256, None), (8, 256, 64), False),
    ((3, None, 64), (3, 256, 64), False),  # too few rows read the copy
    ((3, 256, 64), (3, 256, 64), True),
])
def test_dot_products_of_sizes_known_at_run_time(extents, bounds, expected):
    integers = Contraction(**{**vars(matmul(8, 256, 64, bits=8)), "combiner": "arith.addi", "extents": extents,
                              "bounds": bounds})
    assert make_plan(integers, VECTOR_BYTES).dot_products == expected


def test_quads_of_a_batch_of_rows_have_one_row_each():
    """All rows of a block are multiplied by the same vectors, and those of another row of the batch are others."""
    rows = Contraction((2, 32, 8), (False, False, True), (access(0, 2, bits=8), access(0, 2, 1, bits=8), access(0, 1)),
                       (0, 1), "arith.addi", 8)
    plan = make_plan(rows, VECTOR_BYTES)
    assert (plan.dot_products, plan.loop, plan.row_loop) == (True, 1, None)


def test_a_block_never_exceeds_what_there_is():
    for steps in range(1, 12):
        for vectors in range(1, 12):
            rows, columns = choose_block(steps, vectors, 1, 1)
            assert 1 <= rows <= steps
            assert 1 <= columns <= vectors


@pytest.mark.parametrize(("columns", "widening", "pace", "expected"), [
    (1, 1, 1, 4), (2, 1, 1, 4), (3, 1, 1, 1), (1, 2, 1, 1),
    (4, 1, 0.5, 4), (5, 1, 0.5, 1),  # bytes
])
def test_rows_turn_seldom_where_products_would_wait(columns, widening, pace, expected):
    assert choose_rotation_steps(columns, widening, 1, pace) == expected


def test_remainders_cost():
    assert block_cost(8, 8, 4, 2, 1, 1) < block_cost(8, 8, 3, 3, 1, 1)
    assert block_cost(9, 9, 3, 3, 1, 1) < block_cost(9, 9, 4, 2, 1, 1)


def test_lanes_follow_the_narrowest_element():
    assert make_plan(matmul(8, 256, 64), VECTOR_BYTES).lanes == 32
    assert make_plan(matmul(8, 256, 64, bits=16), VECTOR_BYTES).lanes == 64


def depthwise(rows, columns):
    """image[y + ky, x + kx, c] times filter[ky, kx, c]."""
    image = access(((0, 1), (3, 1)), ((1, 1), (4, 1)), 2)
    return Contraction((rows, columns, 64, 3, 3), (False, False, False, True, True),
                       (image, access(3, 4, 2), access(0, 1, 2)), (0, 1), "arith.addf", 32)


@pytest.mark.parametrize(("rows", "columns", "row_loop"), [
    (14, 7, 1),     # both are whole blocks: one address reaches the columns' vectors
    (14, 28, 1),
    (28, 2, 0),     # blocks of two would load more than they multiply
    (14, None, 0),  # a tile at an edge may have few
    (2, None, 1),
])
def test_blocks_go_along_the_loop_that_costs_least(rows, columns, row_loop):
    assert make_plan(depthwise(rows, columns), VECTOR_BYTES).row_loop == row_loop


def test_blocks_are_no_higher_than_a_tile_can_be():
    """Tiles at the edges have an unknown size, and never more rows than the others."""
    tile = Contraction(**{**vars(depthwise(None, None)), "bounds": (3, 6, 64, 3, 3)})
    plan = make_plan(tile, VECTOR_BYTES)
    assert (plan.row_loop, plan.rows) == (1, 6)


def test_the_longest_reduction_is_innermost():
    filter_first = Contraction((8, 64, 3, 3, 16), (False, False, True, True, True),
                               (access(((0, 1), (3, 1)), 4), access(2, 3, 4, 1), access(0, 1)), (0, 1), "arith.addf",
                               32)
    plan = make_plan(filter_first, VECTOR_BYTES)
    assert plan.reductions == (2, 3, 4)
    assert (plan.loop, plan.row_loop) == (1, 0)


def test_unrolling_stops_while_the_body_is_small():
    assert unrolled_loops([16, 3, 3], 4) == 2
    assert unrolled_loops([3, 3], 9) == 1
    assert unrolled_loops([3, None], 1) == 0


def test_strided_lanes_are_refused():
    transposed = Contraction((8, 64, 32), (False, False, True), (access(0, 2), access(1, 2), access(0, 1)), (0, 1),
                             "arith.addf", 32)
    with pytest.raises(Unsupported, match="element by element"):
        make_plan(transposed, VECTOR_BYTES)
    with pytest.raises(Unsupported, match="only 5 elements"):
        make_plan(matmul(8, 5, 64), VECTOR_BYTES)


def row_products(rows, columns, depth, bits=32, **changes):
    """Left rows times right ones: loops are rows, columns, the reduction."""
    accesses = access(0, 2, bits=bits), access(1, 2, bits=bits), access(0, 1)
    return Contraction(**{"extents": (rows, columns, depth), "reduction": (False, False, True), "accesses": accesses,
                          "inputs": (0, 1), "combiner": "arith.addf", "narrowest_bits": bits, **changes})


def test_products_of_a_few_rows_with_rows():
    """Four rows at a time, as far as their vectors fit in registers beside the partial sums."""
    plan = find_row_products(row_products(2, 64, 128, 16), VECTOR_BYTES)
    assert plan == RowProducts(left=0, right=1, columns=1, reduction=2, rows=0, others=(), together=2, kept=True,
                               group=1)
    together = [find_row_products(row_products(5, 64, depth), VECTOR_BYTES).together for depth in (64, 65, 128)]
    assert together == [4, 2, 2]
    assert find_row_products(row_products(2, None, 64), VECTOR_BYTES).columns == 1
    assert find_row_products(row_products(1, 64, 128), VECTOR_BYTES).together == 1
    swapped = (access(1, 2), access(0, 2), access(0, 1))
    assert find_row_products(row_products(2, 64, 64, accesses=swapped), VECTOR_BYTES).left == 1
    batch = (access(3, 0, 2), access(3, 1, 2), access(3, 0, 1))
    found = find_row_products(row_products(2, 64, 64, accesses=batch, extents=(2, 64, 64, 5),
                                           reduction=(False, False, True, False)), VECTOR_BYTES)
    assert found.others == (3,) and found.rows == 0


@pytest.mark.parametrize(("vectors", "rows", "registers", "found"), [
    (1, 1, 1, (1, True, 1)), (4, 7, 1, (2, True, 1)), (5, 7, 1, (4, False, 4)), (16, 3, 1, (3, False, 4)),
    (16, 2, 1, (2, False, 8)), (16, 1, 1, (1, False, 16)), (8, 4, 2, (4, False, 2)), (8, 1, 2, (1, False, 8))])
def test_sums_of_long_rows_fill_the_registers(vectors, rows, registers, found):
    """The vectors of short rows are loaded once instead."""
    assert blocks(vectors, rows, registers) == found


@pytest.mark.parametrize("other", [
    row_products(17, 64, 128),  # transposing the right factor once takes less time
    row_products(2, 31, 128), row_products(2, 64, 63), row_products(2, 64, None), row_products(None, 64, 64),
    row_products(0, 64, 64),
    row_products(2, 64, 64, combiner="arith.maxnumf"), matmul(2, 64, 64),
    row_products(2, 64, 64, accesses=(access(0, 2, bits=16), access(1, 2), access(0, 1))),
    row_products(2, 64, 64, accesses=(access(0, 2), access(1, 2), access(0, 1, bits=64)))])
def test_other_products_are_not_of_rows_with_rows(other):
    assert find_row_products(other, VECTOR_BYTES) is None

"""Decisions of `hexagon-vectorization`: which loop, how many vectors, what is shared."""

from dataclasses import replace

import pytest

from hexagon_mlir.ir import parse
from hexagon_mlir.ir.query import find_ops
from hexagon_mlir.passes.lib.loop_nests import LoopNest, Operand, Unsupported, read_nest
from hexagon_mlir.passes.vectorization.choose import (
    choose_loop,
    choose_transposed_loops,
    choose_unroll,
    choose_unroll_and_jam,
    make_plan,
)
from hexagon_mlir.passes.vectorization.collapse import collapsed, loop_groups
from hexagon_mlir.passes.vectorization.plan import RowReductionsPlan, TransposedPlan, UnrolledPlan

VECTOR_BYTES = 128


def operand(*dims, bits=32, output=False, unit=True, collapsible=True):
    return Operand(tuple(dims), bits, output, unit, (collapsible,) * (len(dims) - 1))


def nest(extents, operands, reduction=None, combiners=("arith.addf",), body=2):
    reduction = reduction or (False,) * len(extents)
    return LoopNest(tuple(extents), tuple(reduction), tuple(operands), tuple(combiners), False,
                (frozenset(range(len(extents))),) * body, min(o.bits for o in operands))


def elementwise(*extents, bits=32, **more):
    dims = range(len(extents))
    return nest(extents, [operand(*dims, bits=bits), operand(*dims, bits=bits, output=True)], **more)


MATMUL = nest((8, 64, 16), [operand(0, 2), operand(2, 1), operand(0, 1, output=True)], (False, False, True))
ROW_SUM = nest((8, 64), [operand(0, 1), operand(0, output=True)], (False, True))


class TestLoop:
    @pytest.mark.parametrize(("given", "loop"), [
        (elementwise(64), 0),
        (elementwise(4, 64), 1),
        (MATMUL, 1),
        (ROW_SUM, 1),
        (nest((64, 8), [operand(1, 0), operand(0, output=True)], (False, True)), 0),
        (elementwise(None), 0),
        (nest((4, 64), [operand(1), operand(0), operand(0, 1, output=True)]), 1),
    ])
    def test_choice(self, given, loop):
        assert choose_loop(given) == loop

    def test_a_long_reduction_beats_a_tiny_parallel_loop(self):
        given = nest((2, 500), [operand(1), operand(1, 0), operand(0, output=True)], (False, True))
        assert choose_loop(given) == 0  # the reduction is strided in the second operand
        given = nest((500, 2), [operand(0), operand(1), operand(1, output=True)], (True, False))
        assert choose_loop(given) == 0

    def test_no_loop_of_a_transpose(self):
        given = nest((64, 32), [operand(1, 0), operand(0, 1, output=True)])
        with pytest.raises(Unsupported, match="loop 0 is strided in 1 of 2 operands; loop 1 is strided in 1 of 2"):
            choose_loop(given)

    def test_strided_memory_is_refused(self):
        with pytest.raises(Unsupported, match="loop 0 is strided in 1 of 2"):
            choose_loop(nest((64,), [operand(0, unit=False), operand(0, output=True)]))

    def test_a_diagonal_is_refused(self):
        with pytest.raises(Unsupported):
            choose_loop(nest((64,), [operand(0, 0), operand(0, output=True)]))


class TestUnroll:
    @pytest.mark.parametrize(("ops", "extent", "vectors"), [
        (1, 1 << 20, 8), (1, 256, 8), (1, 255, 4), (2, 1 << 20, 8), (3, 1 << 20, 4), (120, 1 << 20, 4),
        (121, 1 << 20, 2),
        (400, 1 << 20, 2), (401, 1 << 20, 1), (1000, None, 1),
        (1, None, 4),
        (1, 128, 4), (1, 127, 2), (1, 64, 2), (1, 63, 1), (1, 31, 1), (1, 1, 1),
    ])
    def test_by_body_and_extent(self, ops, extent, vectors):
        assert choose_unroll(ops, extent, 32) == vectors

    def test_what_costs_something_at_the_end_of_each_row(self):
        assert choose_unroll(1, 1 << 20, 32, light=False) == 4

    def test_operations_that_stay_the_same_along_a_row_do_not_count(self):
        module = parse("""
#m = affine_map<(i, j) -> (i, j)>
#r = affine_map<(i, j) -> (i)>
func.func @f(%x: memref<8x1024xf32>, %s: memref<8xf32>, %y: memref<8x1024xf32>) {
  linalg.generic {indexing_maps = [#m, #r, #m], iterator_types = ["parallel", "parallel"]}
      ins(%x, %s : memref<8x1024xf32>, memref<8xf32>) outs(%y : memref<8x1024xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %0 = arith.mulf %b, %b : f32
    %1 = arith.addf %0, %b : f32
    %2 = arith.divf %1, %0 : f32
    %3 = arith.mulf %a, %2 : f32
    linalg.yield %3 : f32
  }
  return
}""")
        with module.context:
            given = read_nest(find_ops(module, lambda op: op.name == "linalg.generic")[0])
            assert (given.ops_along(0), given.ops_along(1)) == (4, 1)
            assert make_plan(given, VECTOR_BYTES) == UnrolledPlan(1, 32, 8)

    @pytest.mark.parametrize(("ops", "widening", "vectors"), [(30, 2, 2), (30, 4, 1), (130, 2, 1), (500, 4, 1)])
    def test_mixed_widths_are_several_chains(self, ops, widening, vectors):
        assert choose_unroll(ops, None, 64, widening) == vectors


class TestChainsOfMixedWidths:
    """A step of f16 in f32 is two chains, but one where it passes through 16 bits again."""

    THROUGH = """%b = arith.bitcast %w : f32 to i32
      %n = arith.trunci %b : i32 to i16
      %m = arith.addi %n, %n : i16
      %e = arith.extsi %m : i16 to i32
      %f = arith.bitcast %e : i32 to f32"""
    MASK = """%c = arith.cmpf ogt, %w, %w : f32
      %u = arith.extui %c : i1 to i32
      %f = arith.bitcast %u : i32 to f32"""

    def widening(self, body, last="%r = arith.truncf %f : f32 to f16"):
        module = parse(f"""func.func @f(%x: memref<64xf16>, %y: memref<64xf16>) {{
  linalg.generic {{indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}}
      ins(%x : memref<64xf16>) outs(%y : memref<64xf16>) {{
    ^bb0(%a: f16, %o: f16):
      %w = arith.extf %a : f16 to f32
      %s = arith.mulf %w, %w : f32
      {body}
      {last}
      linalg.yield %r : f16
  }}
  return
}}""")
        with module.context:
            return read_nest(find_ops(module, lambda op: op.name == "linalg.generic")[0]).widening

    def test_arithmetic_in_the_wider_type_alone(self):
        assert self.widening("%f = arith.mulf %w, %w : f32") == 2
        assert self.widening(self.MASK) == 2

    def test_integers_of_16_bits_inside(self):
        assert self.widening(self.THROUGH) == 1
        assert self.widening(self.THROUGH, """%g = arith.mulf %w, %f : f32
      %r = arith.truncf %g : f32 to f16""") == 1

    def test_most_of_it_behind(self):
        """An exact GELU of what was rounded to 16 bits: its constants leave no registers for twice the chains."""
        wide = "%g0 = arith.mulf %f, %f : f32" + "".join(
            f"\n%g{n + 1} = arith.mulf %g{n}, %f : f32" for n in range(12))
        assert self.widening(self.THROUGH, f"""{wide}
      %r = arith.truncf %g12 : f32 to f16""") == 2

    def test_registers_for_what_waits(self):
        assert self.widening(self.THROUGH, """%g = arith.mulf %w, %f : f32
      %h = arith.mulf %s, %g : f32
      %r = arith.truncf %h : f32 to f16""") == 1
        assert self.widening("%q = arith.mulf %s, %w : f32" + self.THROUGH, """%g = arith.mulf %w, %f : f32
      %h = arith.mulf %s, %g : f32
      %k = arith.mulf %q, %h : f32
      %r = arith.truncf %k : f32 to f16""") == 2


class TestJam:
    def test_rows_of_a_matmul_share_b(self):
        assert choose_unroll_and_jam(MATMUL, 1) == (0, 4)

    @pytest.mark.parametrize(("rows", "jammed"), [(4, (0, 4)), (6, (0, 2)), (7, (None, 1)), (1, (None, 1)),
                                               (None, (None, 1))])
    def test_divides_the_rows(self, rows, jammed):
        assert choose_unroll_and_jam(replace(MATMUL, extents=(rows, 64, 16)), 1) == jammed

    def test_not_for_elementwise_or_along_the_reduction(self):
        assert choose_unroll_and_jam(elementwise(8, 64), 1) == (None, 1)
        assert choose_unroll_and_jam(ROW_SUM, 1) == (None, 1)

    def test_not_when_nothing_is_shared(self):
        batched = nest((8, 64, 16), [operand(0, 2, 1), operand(0, 1, output=True)], (False, False, True))
        assert choose_unroll_and_jam(batched, 1) == (None, 1)


class TestRows:
    """Reductions along vectors: rows that are done together combine their lanes together."""

    def row_sum(self, rows, columns, pitch=0):
        return nest((rows, columns), [replace(operand(0, 1), pitch=pitch or 4 * columns), operand(0, output=True)],
                    (False, True))

    @pytest.mark.parametrize(("rows", "jammed"), [(4, 4), (8, 4), (7, 4), (127, 4), (3, 2), (2, 2)])
    def test_as_many_as_there_are_chains(self, rows, jammed):
        assert make_plan(self.row_sum(rows, 1024), VECTOR_BYTES) == UnrolledPlan(1, 32, 4 // jammed, 0, jammed)

    def test_one_row_has_all_chains(self):
        assert make_plan(self.row_sum(1, 1024), VECTOR_BYTES) == UnrolledPlan(1, 32, 4)

    def test_rows_that_share_no_alignment_go_alone(self):
        assert make_plan(self.row_sum(64, 1024, pitch=4 * 781), VECTOR_BYTES) == UnrolledPlan(1, 32, 4)

    def test_how_many_rows_is_known_at_run_time_only(self):
        assert make_plan(self.row_sum(None, 1024), VECTOR_BYTES) == UnrolledPlan(1, 32, 1, 0, 4)

    @pytest.mark.parametrize("columns", [66, 128, 1024])
    def test_short_rows_are_as_many(self, columns):
        given = replace(self.row_sum(8, columns, pitch=128), op_loops=(frozenset({0, 1}),) * 5)
        assert make_plan(given, VECTOR_BYTES) == UnrolledPlan(1, 32, 1, 0, 4)

    def test_heavy_bodies_have_fewer_chains(self):
        heavy = replace(self.row_sum(8, 1024), op_loops=(frozenset({0, 1}),) * 121)
        assert make_plan(heavy, VECTOR_BYTES) == UnrolledPlan(1, 32, 1, 0, 2)


class TestCollapse:
    @pytest.mark.parametrize(("given", "groups"), [
        (elementwise(33), [[0]]),
        (elementwise(3, 33), [[0, 1]]),
        (elementwise(2, 3, 4), [[0, 1, 2]]),
        (elementwise(3, None), [[0, 1]]),
        (nest((3, 33), [operand(0, 1), operand(), operand(0, 1, output=True)]), [[0, 1]]),
        (ROW_SUM, [[0], [1]]),
        (nest((8, 7, 7), [operand(0, 1, 2), operand(0, output=True)], (False, True, True)), [[0], [1, 2]]),
        (nest((3, 33), [operand(0, 1), operand(1), operand(0, 1, output=True)]), [[0], [1]]),
        (nest((8, 7, 7), [operand(0, 1, 2), operand(0), operand(0, 1, 2, output=True)]), [[0], [1, 2]]),
        (nest((3, 33), [operand(0, 1, collapsible=False), operand(0, 1, output=True)]), [[0], [1]]),
        (nest((3, 33), [operand(1, 0), operand(1, 0, output=True)]), [[1, 0]]),
        (nest((64, 28, 28), [operand(2, 0, 1), operand(0, 1, 2, output=True)]), [[0, 1], [2]]),
        (nest((5, 5), [operand(0, 0), operand(0, 1, output=True)]), [[0], [1]]),
        (nest((5, 4), [operand(0, None, 1), operand(0, 1, output=True)]), [[0], [1]]),
        (replace(elementwise(3, 33), indexed=frozenset({1})), [[0], [1]]),
        (replace(elementwise(2, 3, 33), indexed=frozenset({0})), [[0], [1, 2]]),
    ])
    def test_groups(self, given, groups):
        assert loop_groups(given) == groups

    def test_result(self):
        given = nest((8, 7, 7), [operand(0, 1, 2), operand(0), operand(0, 1, 2, output=True)])
        assert collapsed(given, loop_groups(given)) == nest(
            (8, 49), [operand(0, 1), operand(0), operand(0, 1, output=True)])

    def test_unknown_extent(self):
        assert collapsed(elementwise(3, None), [[0, 1]]).extents == (None,)

    def test_index_keeps_its_loop(self):
        given = replace(elementwise(2, 3, 33), indexed=frozenset({0}))
        assert collapsed(given, loop_groups(given)).indexed == {0}
        assert collapsed(given, loop_groups(given)).extents == (2, 99)


class TestTransposed:
    @pytest.mark.parametrize(("given", "loops"), [
        (nest((64, 32), [operand(1, 0), operand(0, 1, output=True)]), (1, 0)),
        (nest((64, 32), [operand(0, 1), operand(1, 0), operand(0, 1, output=True)]), (1, 0)),
        (ROW_SUM, (0, 1)),
        (nest((9, 8, 64), [operand(0, 1, 2), operand(0, 1), operand(2), operand(0, output=True)],
              (False, True, True)), None),  # the second operand lies along a third loop
        (elementwise(64), None),
        (MATMUL, None),
        (nest((64,), [operand(0, unit=False), operand(0, output=True)]), None),
        (nest((64, 32), [operand(1, 0), operand(1, 0, bits=16), operand(0, 1, output=True)]), None),
        (nest((64, 32), [operand(0, 1), operand(1, 0, output=True, unit=False)]), None),
        (nest((64, 8), [operand(0, 0, 1), operand(0, output=True)], (False, True)), None),
    ])
    def test_loops(self, given, loops):
        assert choose_transposed_loops(given) == loops

    @pytest.mark.parametrize(("rows", "length", "transposed"), [
        (4096, 3, True), (4096, 64, True), (4096, 65, False), (16, 16, True), (15, 16, False), (None, 16, True),
        (4096, None, False)])
    def test_short_rows(self, rows, length, transposed):
        given = replace(ROW_SUM, extents=(rows, length), op_loops=(frozenset({0, 1}),) * 5)
        plan = make_plan(given, VECTOR_BYTES)
        assert plan == TransposedPlan(0, 32, 1, 32) if transposed else isinstance(plan, UnrolledPlan)

    @pytest.mark.parametrize(("length", "in_tcm", "transposed"), [(8, True, True), (9, True, False), (64, False, True)])
    def test_elements_of_tcm_are_not_read_one_by_one(self, length, in_tcm, transposed):
        given = nest((32, length), [operand(0, 1), replace(operand(1), in_tcm=in_tcm), operand(0, output=True)],
                     (False, True), body=5)
        assert isinstance(make_plan(given, VECTOR_BYTES), TransposedPlan) == transposed

    @pytest.mark.parametrize(("rows", "length", "ops", "together"), [
        (4096, 15, 1, False), (4096, 16, 1, True), (4096, 512, 1, True), (4096, 513, 1, False), (4096, 128, 4, True),
        (4096, 64, 5, False), (4096, 129, 4, False), (16, 64, 1, True), (15, 64, 1, False), (None, 64, 1, True),
        (64, None, 1, False)])
    def test_rows_of_which_a_vectors_worth_is_reduced(self, rows, length, ops, together):
        given = replace(ROW_SUM, extents=(rows, length), op_loops=(frozenset({0, 1}),) * ops)
        plan = make_plan(given, VECTOR_BYTES)
        assert isinstance(plan, RowReductionsPlan) == together
        if together:
            assert (plan.loop, plan.row_loop, plan.lanes) == (1, 0, 32)

    @pytest.mark.parametrize(("combiner", "bits", "length", "ops", "group"), [
        ("arith.addf", 32, 192, 1, 32), ("arith.addf", 32, 193, 1, 4), ("arith.maximumf", 32, 64, 1, 32),
        ("arith.maximumf", 32, 65, 1, 4), ("arith.maxsi", 32, 192, 1, 32), ("arith.maxsi", 8, 128, 1, 128),
        ("arith.maxsi", 8, 129, 1, 8), ("arith.addf", 32, 64, 2, 32), ("arith.addf", 32, 65, 2, 4),
        ("arith.maximumf", 32, 32, 1, 32), ("arith.maximumf", 32, 32, 2, 4)])
    def test_rows_of_much_code_are_reduced_by_a_loop(self, combiner, bits, length, ops, group):
        given = nest((4096, length), [operand(0, 1, bits=bits), operand(0, bits=bits, output=True)], (False, True),
                     body=ops)
        assert make_plan(replace(given, combiners=(combiner,)), VECTOR_BYTES).group == group

    def test_a_mask_over_the_columns_is_made_once_for_all_rows(self):
        given = replace(ROW_SUM, extents=(32, 32), op_loops=(frozenset({0, 1}),) * 4 + (frozenset({1}),) * 4)
        assert isinstance(make_plan(given, VECTOR_BYTES), RowReductionsPlan)
        given = replace(given, op_loops=(*given.op_loops, frozenset({0, 1})))
        assert not isinstance(make_plan(given, VECTOR_BYTES), RowReductionsPlan)

    def test_rows_of_another_width_than_their_reductions_are_not_reduced_together(self):
        given = nest((64, 64), [operand(0, 1, bits=16), operand(0, output=True)], (False, True))
        assert not isinstance(make_plan(given, VECTOR_BYTES), RowReductionsPlan)

    @pytest.mark.parametrize(("bits", "narrowest", "lanes", "columns"), [(32, 32, 32, 32), (8, 8, 128, 128),
                                                                         (32, 16, 64, 32), (32, 8, 128, 32)])
    def test_blocks(self, bits, narrowest, lanes, columns):
        given = nest((500, 500), [operand(1, 0, bits=bits), operand(0, 1, bits=narrowest, output=True)])
        plan = make_plan(given, VECTOR_BYTES)
        assert plan == TransposedPlan(1, lanes, 0, columns)


class TestPlan:
    @pytest.mark.parametrize(("bits", "lanes"), [(8, 128), (16, 64), (32, 32)])
    def test_lanes(self, bits, lanes):
        assert make_plan(elementwise(4096, bits=bits, body=3), VECTOR_BYTES) == UnrolledPlan(0, lanes, 4)

    def test_flattened(self):
        given = elementwise(3, 33)
        assert make_plan(collapsed(given, loop_groups(given)), VECTOR_BYTES) == UnrolledPlan(0, 32, 2)

    def test_matmul_holds_at_most_eight_accumulators(self):
        plan = make_plan(replace(MATMUL, extents=(8, 512, 16)), VECTOR_BYTES)
        assert plan == UnrolledPlan(1, 32, 2, jammed_loop=0, jammed=4)

    def test_option(self):
        assert make_plan(elementwise(40), VECTOR_BYTES, unroll=8).unroll == 8

    def test_unknown_combiner_along_the_lanes(self):
        given = nest((64,), [operand(0), operand(output=True)], (True,), combiners=(None,))
        with pytest.raises(Unsupported, match="not a known associative op"):
            make_plan(given, VECTOR_BYTES)

    def test_unknown_combiner_along_rows_keeps_its_order_down_the_lanes(self):
        plan = make_plan(replace(ROW_SUM, combiners=(None,)), VECTOR_BYTES)
        assert plan == TransposedPlan(0, 32, 1, 32)

    def test_unknown_combiner_across_rows_is_fine(self):
        column = nest((64, 8), [operand(1, 0), operand(0, output=True)], (False, True), combiners=(None,))
        assert make_plan(column, VECTOR_BYTES).loop == 0

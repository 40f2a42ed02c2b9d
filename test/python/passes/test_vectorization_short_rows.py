"""Rows of a few elements as vectors across them: on the host and in the simulator against numpy."""

from functools import partial

import numpy as np
import pytest
from batch import after, on_host, run_checked
from linalg_programs import NUMPY, Program, is_float, run_all, values

import hexagon_mlir as hx
from hexagon_mlir.exec.sim import launch
from hexagon_mlir.passes.lib.loop_nests import LoopNest, Operand
from hexagon_mlir.passes.vectorization.plan import ShortRowsPlan
from hexagon_mlir.passes.vectorization.short_rows import choose_short_rows

from .test_vectorization_strided import STEPS

pytestmark = pytest.mark.only_values

FORMS = {  # name -> maps of x, y and the result, whether the row is summed
    "sum": (("r, c", "r", "r"), True),
    "by a number per row": (("r, c", "r", "r, c"), False),
    "apart": (("r, c", "r", "c, r"), False),
    "together": (("c, r", "r", "r, c"), False),
    "both": (("r, c", "c, r", "r, c"), False),
}


def program(form: str, type_: str, rows: int, row: int) -> Program:
    """x + y, or y plus the sum of each row of x."""
    (*maps, result), summed = FORMS[form]
    sizes = {"r": rows, "c": row}
    shapes = [tuple(sizes[d] for d in m.split(", ")) for m in (*maps, result)]
    rng = np.random.default_rng(rows * row)
    x, y = (values(rng, type_, shape, special=not summed) for shape in shapes[:2])
    types = [f"memref<{'x'.join(map(str, shape))}x{type_}>" for shape in shapes]
    affine = ", ".join(f"affine_map<(r, c) -> ({m})>" for m in (*maps, result))
    add = f"arith.add{'f' if is_float(type_) else 'i'}"
    name = f"{form.replace(' ', '_')}_{type_}_{rows}_{row}"
    iterators = f'"parallel", "{"reduction" if summed else "parallel"}"'
    text = f"""
func.func @{name}(%x: {types[0]}, %y: {types[1]}, %z: {types[2]}) {{
  {f"linalg.copy ins(%y : {types[1]}) outs(%z : {types[2]})" if summed else ""}
  linalg.generic {{indexing_maps = [{affine}], iterator_types = [{iterators}]}}
      ins(%x, %y : {types[0]}, {types[1]}) outs(%z : {types[2]}) {{
  ^bb0(%a: {type_}, %b: {type_}, %o: {type_}):
    %s = {add} %a, {'%o' if summed else '%b'} : {type_}
    linalg.yield %s : {type_}
  }}
  return
}}
"""
    place = [np.einsum(f"{m.replace(', ', '')}->{m.replace(', ', '')}", v) for m, v in zip(maps, (x, y), strict=True)]
    wide = [v.T if m == "c, r" else v[:, None] if m == "r" else v for m, v in zip(maps, place, strict=True)]
    with np.errstate(over="ignore", invalid="ignore"):
        total = wide[0].sum(axis=1, dtype=NUMPY[type_]) + y if summed else wide[0] + wide[1]
    size = np.abs(x.astype(np.float64)).sum(axis=1) + np.abs(y) if summed and is_float(type_) else None
    error = None if size is None else {"f32": 1e-6, "f16": 2e-3, "bf16": 2e-2}[type_] * row * size
    return Program(name, text, [x, y], np.ascontiguousarray(total.T if result == "c, r" else total), error)


@pytest.mark.parametrize("type_", ["f32", "f16", "bf16", "i32", "i8"])
def test_values(type_):
    sizes = [(64, 2), (100, 3), (33, 5), (513, 3), (16, 7), (70, 8), (40, 10), (130, 16)]
    programs = [program(form, type_, *size) for form in FORMS for size in (sizes if type_ == "f32" else [(200, 3)])]
    module, context = after("".join(p.text for p in programs), STEPS, "v75")
    run_all(programs, on_host(module, [p.name for p in programs]))
    assert [entry.message for entry in context.log.entries] == []


@pytest.mark.ieee_arithmetic
def test_nothing_beside_the_rows_is_touched():
    chosen = [program("apart", "f32", 33, 3), program("together", "f16", 70, 3), program("sum", "f32", 50, 6)]
    run_checked(chosen, "v75")


@pytest.mark.only_values(False)
@pytest.mark.ieee_arithmetic
def test_colours_are_taken_apart_in_a_few_packets_a_vector():
    chosen = program("apart", "f32", 4096, 3)
    result = np.zeros((3, 4096), np.float32)
    packets = launch(hx.compile(chosen.text).asm, chosen.name, [*chosen.arguments, result], None, "v75").packets
    assert packets < 7 * 3 * 4096 / 32
    chosen.check(result)


class TestChoice:
    choose = staticmethod(partial(choose_short_rows, lanes=32, vector_bits=1024))

    def nest(self, rows, row, reduction=False, **more):
        operands = (Operand((0, 1), 32, False, True, (True,), (row, 1), row * 4),
                    Operand((0,) if reduction else (1, 0), 32, True, True, (True,), (1,) if reduction else (rows, 1)))
        return LoopNest((rows, row), (False, reduction), operands, ("arith.addf",), False, (frozenset({0, 1}),), 32,
                        **more)

    @pytest.mark.parametrize(("rows", "row", "chosen"), [
        (64, 3, True), (None, 3, True), (16, 3, True), (15, 3, False), (64, 16, True), (64, 17, False), (64, 9, False),
        (64, 14, True), (64, 1, False)])
    def test_by_size(self, rows, row, chosen):
        plan = ShortRowsPlan(0, 32, 1, row) if chosen else None
        if rows is None:
            assert self.choose(self.nest(None, row, reduction=True)) == plan
        else:
            for reduction in (False, True):
                assert self.choose(self.nest(rows, row, reduction)) == plan

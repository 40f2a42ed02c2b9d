"""Handlers of operations that treat each row by itself: four rows at a time, so that no step waits for the one before.
Scalars are slow to load from TCM: a column is read as vectors, whose lanes are spread one by one.

Where fewer rows are left, the last one stands for those after it. What is computed for these is stored before what is
computed for the last one itself.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from hexagon_mlir.bytecode.layout import LANES, VECTOR
from hexagon_mlir.bytecode.operations import Form, Operation

ROWS = 4
"""That are computed at a time."""
_V = f"vector<{LANES}xf32>"
_VIEW = f"memref<?x{LANES}xf32, 1>"
_ALIGNED = f"{{alignment = {VECTOR} : i64}}"


def by_rows(operation: Operation, arena: str) -> str:
    """An operation on a tile and a column, or a row."""
    *tiles, last = ("a", "b")[:operation.slots]
    views = _lines([_view(name, arena) for name in ("d", *tiles, last)])
    loads = _each(lambda k: f"%x_{k} = {_load('a', k)}") if tiles else ""
    shared = () if operation.form is Form.COLUMN else ("y",)
    load = f"%y = vector.load %view_{last}[%v, %none] {_ALIGNED} : {_VIEW}, {_V}" if shared else ""
    some_rows = f"""{_each(_row)}
  scf.for %v = %none to %vectors step %one {{
  {load}
  {_each(lambda k: f"%at_{k} = arith.addi %begin_{k}, %v : index")}
  {loads}
  {_each(lambda k: _on_vectors(operation.body, k, shared))}
  {_lines([f"vector.store %r_{k}, %view_d[%at_{k}, %none] {_ALIGNED} : {_VIEW}, {_V}" for k in reversed(range(ROWS))])}
  }}"""
    if operation.form is Form.ROW:
        return f"""{_START}
  {views}
  scf.for %row = %none to %rows step %some {{
  {some_rows}
  }}"""
    return f"""{_START}
  {views}
  scf.for %block = %none to %rows step %lanes {{
  {_BLOCK_ROWS}
  %block_vector = arith.divui %block, %lanes : index
  %numbers = vector.load %view_{last}[%block_vector, %none] {_ALIGNED} : {_VIEW}, {_V}
  %after = scf.for %in_block = %none to %block_rows step %some iter_args(%left_numbers = %numbers) -> {_V} {{
  %row = arith.addi %block, %in_block : index
  {_each(lambda k: f"%y_{k} = {_shuffled('left_numbers', [k] * LANES)}")}
  {some_rows}
  %rotated = {_shuffled("left_numbers", [(lane + ROWS) % LANES for lane in range(LANES)])}
  scf.yield %rotated : {_V}
  }}
  }}"""


def _shuffled(name: str, lanes: list[int]) -> str:
    return f"vector.shuffle %{name}, %{name} {lanes} : {_V}, {_V}"


def reduced(operation: Operation, arena: str) -> str:
    """A reduction of rows: each to one vector, and as many of these as a vector has lanes to one."""
    block = f"memref<{LANES}x{LANES}xf32, 1>"
    accumulators = ", ".join(f"%before_{k} = %neutral" for k in range(ROWS))
    loop = _each(lambda k: _on_vectors(operation.body, k).replace("%y_", "%before_"))
    tail = _each(lambda k: f"""%at_end_{k} = arith.addi %begin_{k}, %whole : index
  %loaded_{k} = vector.load %view_a[%at_end_{k}, %none] {_ALIGNED} : {_VIEW}, {_V}
  %x_{k} = arith.select %mask, %loaded_{k}, %neutral : vector<{LANES}xi1>, {_V}
  {_on_vectors(operation.body, k).replace("%y_", "%so_far_")}
  %place_{k} = arith.addi %in_block, %offset_{k} : index
  vector.store %r_{k}, %scratch[%place_{k}, %none] {_ALIGNED} : {block}, {_V}""")
    names = ", ".join(f"%r_{k}" for k in range(ROWS))
    return f"""{_START}
  %lanes_less = arith.constant {LANES - 1} : index
  %neutral = arith.constant dense<{operation.start}> : {_V}
  %start = arith.constant {operation.start} : f32
  %last_column = arith.subi %columns, %one : index
  %whole = arith.divui %last_column, %lanes : index
  %whole_elements = arith.muli %whole, %lanes : index
  %rest = arith.subi %columns, %whole_elements : index
  %rest_word = arith.index_cast %rest : index to i32
  %ends = vector.broadcast %rest_word : i32 to vector<{LANES}xi32>
  %places = arith.constant dense<{list(range(LANES))}> : vector<{LANES}xi32>
  %mask = arith.cmpi slt, %places, %ends : vector<{LANES}xi32>
  {_view("a", arena)}
  %scratch_byte = arith.muli %of_b, %vector : index
  %scratch = memref.view %tcm[%scratch_byte][] : {arena} to {block}
  scf.for %block = %none to %rows step %lanes {{
  {_BLOCK_ROWS}
  scf.for %in_block = %none to %block_rows step %some {{
  %row = arith.addi %block, %in_block : index
  {_each(_row)}
  %so_far:{ROWS} = scf.for %v = %none to %whole step %one iter_args({accumulators}) -> ({", ".join([_V] * ROWS)}) {{
  {_each(lambda k: f"%at_{k} = arith.addi %begin_{k}, %v : index")}
  {_each(lambda k: f"%x_{k} = {_load('a', k)}")}
  {loop}
  scf.yield {names} : {", ".join([_V] * ROWS)}
  }}
  {tail.replace("%so_far_", "%so_far#")}
  }}
  %block_vector = arith.divui %block, %lanes : index
  %to_block = arith.addi %to_d, %block_vector : index
  %d_byte = arith.muli %to_block, %vector : index
  %results = memref.view %tcm[%d_byte][] : {arena} to memref<{LANES}xf32, 1>
  linalg.fill ins(%start : f32) outs(%results : memref<{LANES}xf32, 1>)
  linalg.generic {{indexing_maps = [affine_map<(row, lane) -> (row, lane)>, affine_map<(row, lane) -> (row)>],
                   iterator_types = ["parallel", "reduction"]}}
      ins(%scratch : {block}) outs(%results : memref<{LANES}xf32, 1>) {{
    ^bb0(%x: f32, %y: f32):
      {operation.body}
      linalg.yield %r : f32
  }}
  }}"""


_START = f"""%none = arith.constant 0 : index
  %one = arith.constant 1 : index
  %some = arith.constant {ROWS} : index
  %last_row = arith.subi %rows, %one : index
  """ + "\n  ".join(f"%offset_{k} = arith.constant {k} : index" for k in range(ROWS)) + """
  %all = arith.muli %rows, %vectors : index"""

_BLOCK_ROWS = """%left = arith.subi %rows, %block : index
  %block_rows = arith.minui %left, %lanes : index"""


def _row(k: int) -> str:
    """Row %row_k, and where it begins, in vectors."""
    return f"""%next_{k} = arith.addi %row, %offset_{k} : index
  %row_{k} = arith.minui %next_{k}, %last_row : index
  %begin_{k} = arith.muli %row_{k}, %vectors : index"""


def _view(name: str, arena: str) -> str:
    """The slot ``name``, whose elements are in vectors."""
    return f"""%byte_{name} = arith.muli {_place(name)}, %vector : index
  %view_{name} = memref.view %tcm[%byte_{name}][%all] : {arena} to {_VIEW}"""


def _place(name: str) -> str:
    return "%to_d" if name == "d" else f"%of_{name}"


def _load(name: str, k: int) -> str:
    return f"vector.load %view_{name}[%at_{k}, %none] {_ALIGNED} : {_VIEW}, {_V}"


def _on_vectors(body: str, k: int, shared: tuple[str, ...] = ()) -> str:
    """``body`` on vectors; its values get the number ``k``, but for those that are ``shared``."""
    body = re.sub(r"(arith\.constant) (\S+) :", r"\1 dense<\2> :", body)
    body = re.sub(r"%(\w+)", lambda m: m[0] if m[1] in shared else f"{m[0]}_{k}", body)
    return re.sub(r"\bf32\b", _V, body)


def _each(text: Callable[[int], str]) -> str:
    """``text`` for each of the rows at a time."""
    return _lines([text(k) for k in range(ROWS)])


def _lines(parts: list[str]) -> str:
    return "\n  ".join(parts)

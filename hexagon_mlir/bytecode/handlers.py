"""What the machine does for each operation: a function over slots in TCM, as MLIR."""

from __future__ import annotations

from hexagon_mlir.bytecode.layout import LANES, VECTOR
from hexagon_mlir.bytecode.operations import Form, Operation

_SLOTS = ("a", "b", "c")
_ELEMENTS = ("x", "y", "z")
_NUMBERS = ("p", "q")


def signature(arena_bytes: int) -> str:
    """The types of a handler's arguments."""
    return f"(memref<{arena_bytes}xi8, 1>, {', '.join(['index'] * 7)}, f32, f32) -> ()"


ARGUMENTS = ("arena", "to_d", "of_a", "of_b", "of_c", "rows", "vectors", "columns", "number_p", "number_q")
"""Of a handler: TCM, the places of the result and of three operands in it, in vectors; the number of rows, the vectors
and the elements of a row; two numbers."""


def handler(operation: Operation, arena_bytes: int) -> str:
    """The function of ``operation``. Its results have whole vectors: elements behind those of a row may be anything."""
    emit = {Form.ELEMENTS: _elements, Form.COLUMN: _column, Form.ROW: _row, Form.REDUCE: _reduce, Form.WIDEN: _convert,
            Form.NARROW: _convert}[operation.form]
    types = [f"memref<{arena_bytes}xi8, 1>", *["index"] * 7, "f32", "f32"]
    arguments = ", ".join(f"%{name}: {type_}" for name, type_ in zip(ARGUMENTS, types, strict=True))
    return f"""func.func private @{operation.name}({arguments}) attributes {{llvm.passthrough = ["noinline"]}} {{
  %vector = arith.constant {VECTOR} : index
  %lanes = arith.constant {LANES} : index
  {emit(operation, f"memref<{arena_bytes}xi8, 1>")}
  return
}}
"""


def _view(name: str, arena: str, elements: str = "%extent", type_: str = "f32", place: str = "") -> str:
    """A vector-aligned view of ``elements`` elements at ``place``, in vectors."""
    place = place or ("%to_d" if name == "d" else f"%of_{name}")
    return f"""%at_{name} = arith.muli {place}, %vector : index
  %view_{name} = memref.view %arena[%at_{name}][{elements}] : {arena} to memref<?x{type_}, 1>"""


def _generic(views: list[str], scalars: list[str], body: str, names: list[str], result: str = "f32",
             operand: str = "f32") -> str:
    """An elementwise linalg op on views of one dimension; ``scalars`` are f32 that each element meets."""
    maps = ", ".join(["#id"] * (len(views) + 1)) if not scalars else ", ".join(
        ["#id"] * len(views) + ["#none"] * len(scalars) + ["#id"])
    types = [f"memref<?x{operand}, 1>"] * len(views) + ["f32"] * len(scalars)
    operands = ", ".join([*(f"%view_{view}" for view in views), *scalars])
    inputs = f"ins({operands} : {', '.join(types)}) " if types else ""
    block = [f"%{name}: {operand}" for name in names[:len(views)]] + [f"%{name}: f32" for name in names[len(views):]]
    return f"""linalg.generic {{indexing_maps = [{maps}], iterator_types = ["parallel"]}}
      {inputs}outs(%view_d : memref<?x{result}, 1>) {{
    ^bb0({', '.join([*block, f'%old: {result}'])}):
      {body}
      linalg.yield %r : {result}
  }}"""


def _elements(operation: Operation, arena: str) -> str:
    """One loop over the vectors of all rows, which follow each other."""
    slots, numbers = _SLOTS[:operation.slots], _NUMBERS[:operation.numbers]
    views = "\n  ".join(_view(name, arena) for name in ("d", *slots))
    return f"""%all = arith.muli %rows, %vectors : index
  %extent = arith.muli %all, %lanes : index
  {views}
  {_generic(list(slots), [f"%number_{name}" for name in numbers], operation.body,
            [*_ELEMENTS[:len(slots)], *numbers])}"""


def _convert(operation: Operation, arena: str) -> str:
    before, after, name = (("f16", "f32", "arith.extf") if operation.form is Form.WIDEN
                           else ("f32", "f16", "arith.truncf"))
    return f"""%all = arith.muli %rows, %vectors : index
  %extent = arith.muli %all, %lanes : index
  {_view("d", arena, type_=after)}
  {_view("a", arena, type_=before)}
  {_generic(["a"], [], f"%r = {name} %x : {before} to {after}", ["x"], after, before)}"""


def _by_rows(setup: str, body: str) -> str:
    """``setup``, and ``body`` for each row: number %row, which begins %begin vectors behind the first."""
    return f"""%none = arith.constant 0 : index
  %step = arith.constant 1 : index
  %extent = arith.muli %vectors, %lanes : index
  {setup}
  scf.for %row = %none to %rows step %step {{
  %begin = arith.muli %row, %vectors : index
  {body}
  }}"""


def _column(operation: Operation, arena: str) -> str:
    *tiles, column = _SLOTS[:operation.slots]
    return _by_rows(_view(column, arena, "%rows"), f"""{_row_views(tiles, arena)}
  %number = memref.load %view_{column}[%row] : memref<?xf32, 1>
  {_generic(tiles, ["%number"], operation.body, [*"x"[:len(tiles)], "y"])}""")


def _row(operation: Operation, arena: str) -> str:
    *tiles, row = _SLOTS[:operation.slots]
    return _by_rows(_view(row, arena), f"""{_row_views(tiles, arena)}
  {_generic([*tiles, row], [], operation.body, [*"x"[:len(tiles)], "y"])}""")


def _row_views(tiles: list[str], arena: str) -> str:
    """Views of a row of the result and of ``tiles``."""
    places = "\n  ".join([f"%{name}_row = arith.addi %of_{name}, %begin : index" for name in tiles])
    views = "\n  ".join(_view(name, arena, place=f"%{name}_row") for name in ("d", *tiles))
    return f"""%d_row = arith.addi %to_d, %begin : index
  {places}
  {views}"""


def _reduce(operation: Operation, arena: str) -> str:
    return _by_rows(f"""{_view("d", arena, "%rows")}
  %start = arith.constant {operation.start} : f32""", f"""%a_row = arith.addi %of_a, %begin : index
  {_view("a", arena, "%columns", place="%a_row")}
  memref.store %start, %view_d[%row] : memref<?xf32, 1>
  %one_element = memref.subview %view_d[%row] [1] [1] : memref<?xf32, 1> to memref<f32, strided<[], offset: ?>, 1>
  linalg.generic {{indexing_maps = [#id, #none], iterator_types = ["reduction"]}}
      ins(%view_a : memref<?xf32, 1>) outs(%one_element : memref<f32, strided<[], offset: ?>, 1>) {{
    ^bb0(%x: f32, %y: f32):
      {operation.body}
      linalg.yield %r : f32
  }}""")

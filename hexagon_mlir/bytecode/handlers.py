"""What the machine does for each operation: a function over slots in TCM, as MLIR."""

from __future__ import annotations

from hexagon_mlir.bytecode.layout import LANES, VECTOR
from hexagon_mlir.bytecode.operations import Form, Operation
from hexagon_mlir.bytecode.row_handlers import by_rows, reduced

_SLOTS = ("a", "b", "c")
_ELEMENTS = ("x", "y", "z")
_NUMBERS = ("p", "q")


def signature(arena_bytes: int) -> str:
    """The types of a handler's arguments."""
    return f"(memref<{arena_bytes}xi8, 1>, {', '.join(['index'] * 7)}, f32, f32) -> ()"


def symbol(operation: Operation) -> str:
    """The name of the function of ``operation``; not that of a function of C."""
    return f"tile_{operation.name}"


ARGUMENTS = ("arena", "to_d", "of_a", "of_b", "of_c", "rows", "vectors", "columns", "number_p", "number_q")
"""Of a handler: TCM, the places of the result and of three operands in it, in vectors; the number of rows, the vectors
and the elements of a row; two numbers. A reduction has memory for `layout.SCRATCH` vectors in place of operand b."""


def handler(operation: Operation, arena_bytes: int) -> str:
    """The function of ``operation``. Its results have whole vectors: elements after those of a row may be anything."""
    emit = {Form.ELEMENTS: _elements, Form.WIDEN: _convert, Form.NARROW: _convert, Form.REDUCE: reduced}.get(
        operation.form, by_rows)
    types = [f"memref<{arena_bytes}xi8, 1>", *["index"] * 7, "f32", "f32"]
    arguments = ", ".join(f"%{name}: {type_}" for name, type_ in zip(ARGUMENTS, types, strict=True))
    attributes = 'llvm.passthrough = ["noinline", "no-builtins"]'  # memmove would use what nothing has written
    return f"""func.func private @{symbol(operation)}({arguments}) attributes {{{attributes}}} {{
  %tcm = memref.assume_alignment %arena, {VECTOR} : memref<{arena_bytes}xi8, 1>
  %vector = arith.constant {VECTOR} : index
  %lanes = arith.constant {LANES} : index
  {emit(operation, f"memref<{arena_bytes}xi8, 1>")}
  return
}}
"""


def _view(name: str, arena: str, type_: str = "f32") -> str:
    """The slot ``name``, of %extent elements."""
    return f"""%at_{name} = arith.muli {'%to_d' if name == 'd' else f'%of_{name}'}, %vector : index
  %view_{name} = memref.view %tcm[%at_{name}][%extent] : {arena} to memref<?x{type_}, 1>"""


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

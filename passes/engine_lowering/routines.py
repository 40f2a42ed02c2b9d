"""The routines that drive the matrix engine, as the operations on tiles that they do for each column of tiles.

`hexagon_mlir.codegen.matrix_engine` has their packets, which may do what belongs to a column beside the next one's
products.
"""

from __future__ import annotations

from dataclasses import dataclass

from hexagon_mlir.dialects.nibble_weights import has_nibbles
from hexagon_mlir.ir import ir
from hexagon_mlir.ir.engine_operations import ENGINE_MULTIPLY, ENGINE_STORE, RETAIN, SATURATE, WORD_BITS

TILE_BYTES = 2048
"""Of a tile of activations or results."""
TABLE_BYTES = 256
"""Of a column table."""


@dataclass(frozen=True)
class Routine:
    """``symbol(activations, weights, results, reduction, columns, tables)``; ``steps`` are done for each column.

    ``tables`` are bytes from the last argument to the table of each conversion, ``table_step`` those from a column's
    tables to the next one's. Result tiles follow each other in the order of their stores, and columns of weights.
    Activations in ``runs`` stand apart; the routine is told how many there are, and their distance.
    """

    symbol: str
    steps: tuple[str, ...]
    tables: tuple[int, ...]
    table_step: int
    runs: bool = False


_HALVES = "multiply f16", "convert f16", "store"
_PLANES = *("convert i8 retain", "store") * 3, "convert i8", "store"
_BYTES = "convert i8 saturate", "store"
_OF_PLANES = tuple(TABLE_BYTES * plane for plane in range(4))
ROUTINES = (
    Routine("hexmlir_engine_hf", _HALVES, (0,), TABLE_BYTES),
    Routine("hexmlir_engine_hf_runs", _HALVES, (0,), TABLE_BYTES, runs=True),
    Routine("hexmlir_engine_hf_pieces", ("multiply f16", "convert f16 retain", "store", "multiply words", "convert f16",
                                         "store"), (TILE_BYTES, TILE_BYTES + TABLE_BYTES), 0),
    *(routine for kind, multiply in (("b", "multiply i8"), ("n", "multiply nibbles")) for routine in (
        Routine(f"hexmlir_engine_ub_{kind}", (multiply, *_BYTES), (0,), TABLE_BYTES),
        Routine(f"hexmlir_engine_ub_{kind}_runs", (multiply, *_BYTES), (0,), TABLE_BYTES, runs=True),
        Routine(f"hexmlir_engine_ub_{kind}_planes", (multiply, *_PLANES), _OF_PLANES, 0),
        Routine(f"hexmlir_engine_ub_{kind}_runs_planes", (multiply, *_PLANES), _OF_PLANES, 0, runs=True))),
)


def step(op: ir.Operation) -> str:
    """What the operation on tiles ``op`` is among the steps of a routine."""
    if op.name == ENGINE_STORE:
        return "store"
    if op.name == ENGINE_MULTIPLY:
        element = ir.MemRefType(op.operands[1].type).element_type
        words = isinstance(element, ir.IntegerType) and element.width == WORD_BITS
        return ("multiply words" if words else "multiply nibbles" if has_nibbles(op.operands[1].type)
                else f"multiply {element}")
    flags = "".join(f" {name}" for name in (RETAIN, SATURATE) if name in op.attributes)
    return f"convert {ir.TypeAttr(op.attributes['to']).value}{flags}"


def routine_of(steps: list[str], runs: bool) -> Routine | None:
    """The routine that begins with ``steps``, if there is one: its own steps are the first of them."""
    return next((routine for routine in ROUTINES
                 if routine.runs == runs and tuple(steps[:len(routine.steps)]) == routine.steps), None)

"""The operations of the bytecode: their numbers, which kinds of slots they take, and what they compute."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import IntEnum


class Kind(IntEnum):
    """What a slot holds of a tile: all elements, one for each row, or one for each column."""

    TILE = 0
    COLUMN = 1
    ROW = 2


class Form(IntEnum):
    """How an operation reads its operands."""

    LOAD = 0
    """A slot from a buffer."""
    STORE = 1
    """A buffer from a slot."""
    ELEMENTS = 2
    """Each element from those at its place in slots of one kind, and numbers."""
    COLUMN = 3
    """Each element of a tile from the one at its place in a tile, and the one of its row in a column: the last operand,
    or the only one."""
    ROW = 4
    """Each element of a tile from the one at its place in a tile, and the one of its column in a row: the last operand,
    or the only one."""
    REDUCE = 5
    """Each element of a column from a row of a tile."""
    WIDEN = 6
    """f32 from f16, in slots of one kind."""
    NARROW = 7
    """f16 from f32, in slots of one kind."""


@dataclass(frozen=True)
class Operation:
    """An operation of ``slots`` operands in slots and ``numbers`` in the instruction, all of f32 unless it converts.

    ``body`` is MLIR that computes ``%r`` of elements ``%x``, ``%y``, ``%z`` and numbers ``%p``, ``%q``. Of a reduction
    ``%x`` is an element, and ``%y`` what was reduced before: at first the number ``start``.
    """

    name: str
    number: int
    form: Form
    slots: int
    numbers: int = 0
    body: str = ""
    start: str = ""


def _of_one(name: str) -> str:
    return f"%r = {name} %x : f32"


def _of_two(name: str, first: str = "%x", second: str = "%y") -> str:
    return f"%r = {name} {first}, {second} : f32"


def _compared(predicate: str) -> str:
    """1 where the comparison holds, 0 elsewhere."""
    return f"{_ONE}\n{_ZERO}\n%c = arith.cmpf {predicate}, %x, %y : f32\n%r = arith.select %c, %one, %zero : f32"


_ONE = "%one = arith.constant 1.0 : f32"
_ZERO = "%zero = arith.constant 0.0 : f32"
_SIGMOID = f"""{_ONE}
%n = arith.negf %x : f32
%e = math.exp %n : f32
%d = arith.addf %e, %one : f32
%r = arith.divf %one, %d : f32"""
_SILU = _SIGMOID.replace("%r =", "%g =") + "\n%r = arith.mulf %x, %g : f32"
_GELU = f"""{_ONE}
%half = arith.constant 0.5 : f32
%root = arith.constant 0.70710678118654752 : f32
%u = arith.mulf %x, %root : f32
%v = math.erf %u : f32
%w = arith.addf %v, %one : f32
%t = arith.mulf %x, %w : f32
%r = arith.mulf %t, %half : f32"""
_SELECT = f"{_ZERO}\n%c = arith.cmpf une, %x, %zero : f32\n%r = arith.select %c, %y, %z : f32"

_UNARY = {
    "copy": "%r = arith.bitcast %x : f32 to f32",
    "neg": _of_one("arith.negf"), "abs": _of_one("math.absf"), "exp": _of_one("math.exp"), "log": _of_one("math.log"),
    "sqrt": _of_one("math.sqrt"), "rsqrt": _of_one("math.rsqrt"), "tanh": _of_one("math.tanh"),
    "erf": _of_one("math.erf"), "sigmoid": _SIGMOID, "reciprocal": f"{_ONE}\n%r = arith.divf %one, %x : f32",
    "square": _of_two("arith.mulf", "%x", "%x"), "gelu": _GELU, "silu": _SILU,
}
_ARITHMETIC = {
    "add": _of_two("arith.addf"), "sub": _of_two("arith.subf"), "mul": _of_two("arith.mulf"),
    "div": _of_two("arith.divf"), "max": _of_two("arith.maximumf"), "min": _of_two("arith.minimumf"),
}
_REVERSED = {"rsub": _of_two("arith.subf", "%y", "%x"), "rdiv": _of_two("arith.divf", "%y", "%x")}
_COMPARISONS = {"lt": _compared("olt"), "le": _compared("ole"), "eq": _compared("oeq"), "gt": _compared("ogt"),
                "ge": _compared("oge"), "ne": _compared("une")}
_BROADCAST = "%r = arith.bitcast %y : f32 to f32"
_REDUCTIONS = {"sum": (_of_two("arith.addf"), "0.0"), "max": (_of_two("arith.maximumf"), "0xFF800000"),
               "min": (_of_two("arith.minimumf"), "0x7F800000")}


def _all() -> Iterator[Operation]:
    """All operations. Each family has a range of numbers, and grows at its end."""
    yield Operation("load", 1, Form.LOAD, 0)
    yield Operation("store", 2, Form.STORE, 1)
    yield Operation("widen", 3, Form.WIDEN, 1)
    yield Operation("narrow", 4, Form.NARROW, 1)
    yield Operation("fill", 5, Form.ELEMENTS, 0, 1, "%r = arith.bitcast %p : f32 to f32")
    yield Operation("scale_shift", 6, Form.ELEMENTS, 1, 2, "%m = arith.mulf %x, %p : f32\n%r = arith.addf %m, %q : f32")
    yield Operation("select", 7, Form.ELEMENTS, 3, 0, _SELECT)
    for number, (name, (body, start)) in enumerate(_REDUCTIONS.items(), 12):
        yield Operation(f"reduce_{name}", number, Form.REDUCE, 1, 0, body, start)
    for number, (name, body) in enumerate(_UNARY.items(), 16):
        yield Operation(name, number, Form.ELEMENTS, 1, 0, body)
    for number, (name, body) in enumerate({**_ARITHMETIC, **_COMPARISONS}.items(), 40):
        yield Operation(name, number, Form.ELEMENTS, 2, 0, body)
    for number, (name, body) in enumerate({**_ARITHMETIC, **_COMPARISONS, **_REVERSED}.items(), 56):
        yield Operation(f"{name}_number", number, Form.ELEMENTS, 1, 1, body.replace("%y", "%p"))
    yield Operation("broadcast_column", 8, Form.COLUMN, 1, 0, _BROADCAST)
    yield Operation("broadcast_row", 9, Form.ROW, 1, 0, _BROADCAST)
    for number, (name, body) in enumerate({**_ARITHMETIC, **_REVERSED}.items(), 72):
        yield Operation(f"{name}_column", number, Form.COLUMN, 2, 0, body)
    for number, (name, body) in enumerate({**_ARITHMETIC, **_REVERSED}.items(), 84):
        yield Operation(f"{name}_row", number, Form.ROW, 2, 0, body)


OPERATIONS: Sequence[Operation] = tuple(_all())
BY_NUMBER = {operation.number: operation for operation in OPERATIONS}
BY_NAME = {operation.name: operation for operation in OPERATIONS}
LOAD, STORE = BY_NAME["load"], BY_NAME["store"]
COMPUTED: Sequence[Operation] = tuple(op for op in OPERATIONS if op.form not in (Form.LOAD, Form.STORE))
"""Those that run on tiles in TCM."""

"""The matrix engine's instructions: what each of `hexagon_mlir.isa.forms.matrix` tells the engine to do.

The text of a form says it all: its type suffix names the elements, each word after a colon a mode. Names of modes are
those of the assembly syntax, meanings those of the SDK's hmx_hexagon_protos.h and of the public QEMU trees:

* activation: ``deep`` walks through tiles along the channels, ``above``, ``single`` and ``dilate`` choose taps in y,
  ``cm`` says that the tile is channel-major; weight: ``deep`` has 64 output columns, ``single``, ``drop``, ``after``
  and ``dilate`` choose taps in x, ``2x`` has two columns in a byte
* conversion: ``2x1`` and ``2x2`` join that many cells, ``sc0`` and ``sc1`` take one sub-accumulator alone
* conversion and store in one: ``before`` and ``after`` choose columns, ``retain`` keeps the accumulators, ``sat``
  saturates, ``pos`` makes negative results 0
* store: ``cm``, ``deep``, ``2x2``
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import Enum

from hexagon_mlir.isa.form import Form, table
from hexagon_mlir.isa.forms import matrix


class Kind(Enum):
    """What an instruction has the engine do, and the shape of its text."""

    ACTIVATION = r"activation\..*"
    WEIGHT = r"weight\..*"
    LOAD_BIAS = r"bias=mxmem2?\(R\)"
    STORE_BIAS = r"mxmem2?\(R\)=bias"
    CONVERT = r"cvt\..*"
    STORE = r"mxmem.*=cvt"
    CONVERT_STORE = r"mxmem.*=acc.*"
    CLEAR = r"mxclracc.*"
    SWAP = r"mxswapacc.*"
    SHIFT = r"acc=mxshl.*"


SHIFT_BITS = 16
"""The one distance that accumulators are shifted by."""
FLOATING = ("hf", "f8")
"""Types of elements that the float accumulators are for."""
_ELEMENT = re.compile(r"\.(\w+)")
_MODE = re.compile(r":(\w+)")


@dataclass(frozen=True)
class Operation:
    """An instruction of the matrix engine."""

    form: Form
    kind: Kind
    element: str
    """Type of the elements it reads, converts to or stores: ub, uh, hf, f8; of weights b, n, c, sc, sm, ubit, sbit, hf,
    f8. "" where the text names none: for the integer accumulators and for stores of what was converted."""
    modes: frozenset[str]
    """The words after colons, such as ``deep`` and ``cm``."""
    bias_words: int = 0
    """32-bit words of each column that a load or store of the bias registers moves: 1 or 2; 0 for the others."""

    @property
    def floating(self) -> bool:
        """Whether it is about the float accumulators."""
        return self.element in FLOATING

    @property
    def product(self) -> bool:
        """Whether it is one half of a product: activation or weight."""
        return self.kind in (Kind.ACTIVATION, Kind.WEIGHT)


def _operation(form: Form) -> Operation:
    text = form.template
    kind, = (kind for kind in Kind if re.fullmatch(kind.value, text))
    element = _ELEMENT.search(text)
    words = 1 + ("mxmem2" in text) if kind in (Kind.LOAD_BIAS, Kind.STORE_BIAS) else 0
    return Operation(form, kind, element[1] if element else "", frozenset(_MODE.findall(text)), words)


OPERATIONS = {key: _operation(form) for key, form in table(matrix.ROWS.strip().splitlines()).items()}
"""Template to operation."""


def operation(key: str) -> Operation:
    """The operation of the form ``key``, that is of `Insn.key`; raises `KeyError` for a form that is none."""
    return OPERATIONS[key]

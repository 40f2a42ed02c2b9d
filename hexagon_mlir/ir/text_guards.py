"""Refuses text with which the parser or the passes would end the process, overflow or run for ever.

The parser is recursive. Measured on an 8 MiB stack: regions nested 8000 deep crash in `canonicalize`, 20000 deep
in the parser; tuples, arrays and affine operators crash from about 30000. Real programs stay below 100.
The parser of three linalg ops crashes on a list of dimensions it cannot read. Vectors of many million elements
keep LLVM lowering busy for ever, and the byte sizes of tensors beyond any memory do not fit an integer. Reading an
integer takes the cube of its digits (350: 0.3 ms, 30,000: a minute); 100,000 digits behind a point crash.

Nothing here takes more than a few steps for each byte: repetitions in patterns are possessive, or cannot overlap.
"""

from __future__ import annotations

import re
from math import prod

import numpy as np

from hexagon_mlir.ir.diagnostics import Diagnostic, HexError, Place

MAX_NESTING = 500
MAX_DIGITS = 400
"""More than those of the largest f64."""
MAX_ELEMENTS = {b"vector": 1 << 20, b"tensor": 1 << 48, b"memref": 1 << 48}

_OPENERS = (b"(", b"[", b"{", b"<")
_NO_CODE = re.compile(rb'"[^"\\\n]*+(?:\\.[^"\\\n]*+)*+"?|//[^\n]*+|->|[<>]=')
_OPERATORS = (b"-", b"floordiv", b"ceildiv", b"mod")
_WORDS = re.compile(rb"(?:\b(?:floordiv|ceildiv|mod)\s++\w++\s*+)++")
_WORD = re.compile(rb"\b(?:floordiv|ceildiv|mod)\b")
_NUMBER = re.compile(rb"(?<![0-9a-fA-F])(?:0x[0-9a-fA-F]{%d}|[0-9]{%d})" % (MAX_DIGITS + 1, MAX_DIGITS + 1))
_STRIDE = MAX_DIGITS // 2
_HEX_DIGITS = re.compile(rb"[0-9a-fA-F]{%d}" % (_STRIDE + 1))
_SHAPED = re.compile(rb"\b(vector|tensor|memref)<((?:\[?[\d?]+\]?x)+)")
_LISTING_OP = re.compile(rb"\blinalg\.(?:reduce|broadcast|transpose)\b")
_LIST_NAME = re.compile(rb"\b(?:dimensions|permutation)\s*+=\s*+|\blinalg\.")
_INTEGER = rb"(?:-?(?:0x[0-9a-fA-F]{1,15}|\d{1,18})|true|false)"
_LIST = re.compile(rb"\[\s*+(?:%b(?:\s*+,\s*+%b)*+)?+\s*+\]" % (_INTEGER, _INTEGER))
_IS_HEX = np.isin(np.arange(256), list(b"0123456789abcdefABCDEF"))
_STEP = np.zeros(256, np.int8)
_STEP[list(b"([{<")] = 1
_STEP[list(b")]}>")] = -1


def check(text: bytes, file: str) -> None:
    """Raise `HexError` if ``text`` is of a kind that the bindings are known not to survive."""
    _check_shapes(text, file)
    nested = sum(text.count(opener) for opener in _OPENERS) > MAX_NESTING
    chained = sum(map(text.count, _OPERATORS)) - text.count(b"->") >= MAX_NESTING
    listing = _LISTING_OP.search(text) is not None
    numbers = _may_hold_long_numbers(text)
    if not (nested or chained or listing or numbers):
        return
    code = _NO_CODE.sub(lambda match: b" " * len(match.group()), text)
    if numbers and _may_hold_long_numbers(code) and (number := _NUMBER.search(code)):
        raise _error(code, number.start(), file, f"a number of more than {MAX_DIGITS} digits")
    if nested:
        _check_nesting(code, file)
    if chained and (chain := _chain(code)) is not None:
        raise _error(code, chain, file, f"more than {MAX_NESTING} operators in a row")
    if listing:
        _check_lists(code, file)


def _check_shapes(text: bytes, file: str) -> None:
    for kind, shape in dict.fromkeys(_SHAPED.findall(text)):
        elements = prod(int(size) for size in re.findall(rb"\d{1,40}", shape)[:64] if int(size))
        if elements > MAX_ELEMENTS[kind]:
            shown = elements if elements < 1 << 64 else f"more than {1 << 64}"
            raise _error(text, text.index(b"%b<%b" % (kind, shape)), file,
                         f"a {kind.decode()} of {shown} elements; at most {MAX_ELEMENTS[kind]} are supported",
                         "large data belongs in a tensor or memref" if kind == b"vector" else "")


def _may_hold_long_numbers(text: bytes) -> bool:
    """Looks at few bytes: a run of more than `MAX_DIGITS` holds two of them, with nothing else between."""
    is_digit = _IS_HEX[np.frombuffer(text, np.uint8)[::_STRIDE]]
    places = np.flatnonzero(is_digit[1:] & is_digit[:-1]) * _STRIDE
    return any(_HEX_DIGITS.match(text, int(place)) for place in places)


def _chain(code: bytes) -> int | None:
    """Where too many operators follow each other."""
    dense = code.translate(None, b" \t\r\n")
    signs = dense.find(b"-" * MAX_NESTING)
    if signs >= 0:
        return int(np.flatnonzero(np.frombuffer(code, np.uint8) == ord("-"))[dense.count(b"-", 0, signs)])
    runs = (run for run in _WORDS.finditer(code) if len(_WORD.findall(run.group())) >= MAX_NESTING)
    return next((run.start() for run in runs), None)


def _check_nesting(code: bytes, file: str) -> None:
    depth = np.cumsum(_STEP[np.frombuffer(code, np.uint8)], dtype=np.int64)
    if depth.max(initial=0) > MAX_NESTING:
        raise _error(code, int(np.argmax(depth > MAX_NESTING)), file, f"brackets nested more than {MAX_NESTING} deep")


def _check_lists(code: bytes, file: str) -> None:
    """``dimensions = [0, 1]`` and ``permutation = [1, 0]`` in the custom form; quoted names are blank here."""
    for op in _LISTING_OP.finditer(code):
        name = _LIST_NAME.search(code, op.end())
        if name is not None and b"=" in name.group() and not _LIST.match(code, name.end()):
            raise _error(code, name.end(), file, f"expected a list of integers in '{op.group().decode()}'",
                         f"write {name.group().decode().strip()} [0, 1]")


def _error(text: bytes, position: int, file: str, message: str, hint: str = "") -> HexError:
    line = text.count(b"\n", 0, position) + 1
    column = position - text.rfind(b"\n", 0, position)
    return HexError(Diagnostic("error", Place(file, line, column), "", message, hint=hint))

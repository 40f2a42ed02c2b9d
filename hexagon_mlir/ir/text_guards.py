"""Refuses text with which the parser, being recursive, would overflow the stack and end the process.

Measured on an 8 MiB stack: regions nested 8000 deep crash in `canonicalize`, 20000 deep in the parser;
tuples, arrays and affine operators crash from about 30000. Real programs stay below 100. Vectors of many
million elements do not crash but keep LLVM lowering busy for ever.
"""

from __future__ import annotations

import re
from math import prod

import numpy as np

from hexagon_mlir.ir.diagnostics import Diagnostic, HexError, Place

MAX_NESTING = 500
MAX_VECTOR_ELEMENTS = 1 << 20

_OPENERS = (b"(", b"[", b"{", b"<")
_NO_BRACKETS = re.compile(rb'"[^"\\\n]*(?:\\.[^"\\\n]*)*"|//[^\n]*|->|[<>]=')
_CHAIN = re.compile(rb"(?:-\s*){%d}|(?:\b(?:floordiv|ceildiv|mod)\s+\w+\s*){%d}" % (MAX_NESTING, MAX_NESTING))
_OPERATOR = re.compile(rb"-|floordiv|ceildiv|\bmod\b")
_VECTOR = re.compile(rb"\bvector<((?:\[?\d+\]?x)+)")
_STEP = np.zeros(256, np.int8)
_STEP[list(b"([{<")] = 1
_STEP[list(b")]}>")] = -1


def check(text: bytes, file: str) -> None:
    """Raise `HexError` if ``text`` is nested too deeply or names a vector type out of all proportion."""
    for match in _VECTOR.finditer(text):
        elements = prod(int(size) for size in re.findall(rb"\d+", match.group(1))[:32])
        if elements > MAX_VECTOR_ELEMENTS:
            raise _error(text, match.start(), file, f"a vector of {elements} elements; "
                         f"at most {MAX_VECTOR_ELEMENTS} are supported",
                         "large data belongs in a tensor or memref")
    suspicious = sum(text.count(opener) for opener in _OPENERS) > MAX_NESTING
    long_chain = len(_OPERATOR.findall(text)) >= MAX_NESTING
    if not suspicious and not long_chain:
        return
    code = _NO_BRACKETS.sub(_blank, text)
    if suspicious:
        depth = np.cumsum(_STEP[np.frombuffer(code, np.uint8)], dtype=np.int64)
        if depth.max(initial=0) > MAX_NESTING:
            at = int(np.argmax(depth > MAX_NESTING))
            raise _error(code, at, file, f"brackets nested more than {MAX_NESTING} deep", "")
    chain = _CHAIN.search(code) if long_chain else None
    if chain is not None:
        raise _error(text, chain.start(), file, f"more than {MAX_NESTING} operators in a row", "")


def _blank(match: re.Match[bytes]) -> bytes:
    return b" " * len(match.group())


def _error(text: bytes, position: int, file: str, message: str, hint: str) -> HexError:
    line = text.count(b"\n", 0, position) + 1
    column = position - text.rfind(b"\n", 0, position)
    return HexError(Diagnostic("error", Place(file, line, column), "", message, hint=hint))

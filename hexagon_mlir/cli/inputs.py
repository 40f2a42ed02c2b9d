"""Reading the input: a file or standard input, its parts, and Triton's own form."""

from __future__ import annotations

import re
import sys
from dataclasses import dataclass
from pathlib import Path

from hexagon_mlir.ir import decode, read_all
from hexagon_mlir.ir.diagnostics import HexError

STDIN = "-"
_SEPARATOR = re.compile(rb"^[ \t]*// -----[ \t]*\r?$", re.MULTILINE)
_GENERIC_TTIR = re.compile(rb'"(builtin\.module|tt\.func)"\s*\(')
_PRETTY_TTIR = re.compile(rb"^[ \t]*tt\.func\b", re.MULTILINE)
_SHOWN = 100  # characters of what another library says


@dataclass(frozen=True)
class Source:
    """One piece of input; ``name`` is what messages call it, ``lines_before`` counts lines cut off above."""

    name: str
    text: bytes
    lines_before: int = 0

    @property
    def padded(self) -> bytes:
        """The text with its lines at their number in the whole file, so that diagnostics name it."""
        return b"\n" * self.lines_before + self.text

    @property
    def hint(self) -> str:
        """What to do about a syntax error."""
        if _PRETTY_TTIR.search(self.text):
            return "Triton's own form is read from a file whose name ends in .ttir"
        return ""


def read_source(path: str) -> Source:
    """The whole input; ``-`` is standard input. Raises `HexError` if it cannot be read."""
    if path == STDIN:
        if sys.stdin is None or sys.stdin.isatty():
            raise HexError.plain("no input", hint="name a file, or pipe MLIR into standard input")
        return Source("<stdin>", read_all(sys.stdin.buffer, "<stdin>"))
    if Path(path).suffix == ".ttir":
        return Source(path, _read_ttir(path))
    return Source(path, read_bytes(path))


def read_bytes(path: str) -> bytes:
    """The bytes of file ``path``."""
    try:
        with open(path, "rb") as stream:
            return read_all(stream, path)
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise HexError.plain(f"cannot read: {reason}", file=path) from None


def read_text(path: str, hint: str) -> str:
    """The text of file ``path``; ``hint`` is for one that is not UTF-8."""
    return decode(read_bytes(path), path, hint)


def split(source: Source) -> list[Source]:
    """The parts of ``source`` between ``// -----`` lines."""
    parts: list[Source] = []
    start = end = lines = 0
    for match in [*_SEPARATOR.finditer(source.text), None]:
        lines += source.text.count(b"\n", end, start)
        end = match.start() if match else len(source.text)
        parts.append(Source(source.name, source.text[start:end], lines))
        lines += source.text.count(b"\n", start, end)
        start = match.end() if match else end
    return parts


def _read_ttir(path: str) -> bytes:
    text = read_bytes(path)
    if _GENERIC_TTIR.search(text):
        return text
    try:
        from hexagon_mlir.frontend.triton.ttir import generic_text_from_file
    except ImportError:
        raise HexError.plain(
            "Triton's own form of TTIR is read with Triton, which is not installed", file=path,
            hint="pip install 'hexagon-mlir[triton]', or give the generic form") from None
    return generic_text_from_file(path).encode()

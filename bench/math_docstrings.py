"""Copies what docs/maths.md says of f32 into the docstrings of passes/math_library: run after `bench/maths.py`.

    python bench/math_docstrings.py
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from bench.maths import DOCUMENT, Row, read
from hexagon_mlir.whole_files import write_files

LIBRARY = Path(__file__).resolve().parent.parent / "passes" / "math_library"
FILES = {
    "exponential": ("exp", "exp2", "expm1"),
    "logarithm": ("log", "log2", "log10", "log1p"),
    "trigonometric": ("sin", "cos", "tan"),
    "inverse_trigonometric": ("asin", "acos", "atan", "atan2"),
    "hyperbolic": ("sinh", "cosh", "tanh", "asinh", "acosh", "atanh"),
    "error_function": ("erf", "erfc"),
    "roots": ("sqrt", "rsqrt", "cbrt"),
    "power": ("powf",),
    "division": ("division", "reciprocal"),
    "remainder": ("fmod",),
    "logistic": ("sigmoid", "silu", "softplus", "gelu (tanh)"),
    "rounding": ("floor", "ceil", "trunc", "round", "roundeven", "absf", "copysign"),
    "classification": ("isnan", "isinf", "isfinite"),
}
RULE = "===============  =============  ============="


def table(rows: Sequence[Row], names: Sequence[str]) -> str:
    """The lines for ``names``: largest error in ulp and packets per 32 elements on v75, by level."""
    found = {(row.name, row.level): row for row in rows if row.element == "f32"}

    def cell(name: str, level: str) -> str:
        row = found.get((name, level))
        return f"{row.error:5.2f}  {row.packets:6.1f}" if row else ""

    lines = [f"{name:15}  {cell(name, 'accurate'):13}  {cell(name, 'fast')}".rstrip() for name in names]
    heading = f"{'function':15}  {'accurate':13}  fast"
    return "\n".join(["Errors of f32 in ulp and packets per vector on v75, from docs/maths.md:", "",
                      RULE, heading, RULE, *lines, RULE])


def with_table(source: str, text: str) -> str:
    """``source`` with ``text`` at the end of its module docstring, in place of an earlier table."""
    end = source.index('"""', 3)
    body = source[:end]
    start = body.find("\nErrors of f32 in ulp")
    body = (body[:start] if start >= 0 else body).rstrip()
    return f"{body}\n\n{text}\n{source[end:]}"


def main() -> None:
    """Rewrite the files."""
    rows = read(DOCUMENT.read_text())
    files = {LIBRARY / f"{name}.py": table(rows, functions) for name, functions in FILES.items()}
    write_files({path: with_table(path.read_text(), text).encode() for path, text in files.items()})


if __name__ == "__main__":
    main()

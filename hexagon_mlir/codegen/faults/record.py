"""What a record of a fault of LLVM holds, and what the IR of several records begins with."""

from __future__ import annotations

from dataclasses import dataclass, field

from hexagon_mlir.codegen.variants import Variant

Numbers = tuple[str, tuple[float, ...]]
"""An element type of numpy, and elements that repeat up to `Gives.lanes`."""


@dataclass(frozen=True)
class Aborts:
    """LLVM ends the process with a message that begins with ``message`` and has ``contains`` in it."""

    message: str
    contains: str = ""


@dataclass(frozen=True)
class Gives:
    """``f`` of the pointers to ``inputs`` and to a result gives other numbers than ``right``; zeros stand there before.
    ``tcm``: the arrays are in TCM, not in DDR.
    """

    lanes: int
    inputs: tuple[Numbers, ...]
    right: Numbers
    tcm: bool = False


@dataclass(frozen=True)
class Reports:
    """A checked run of ``f`` on two pointers reports this rule."""

    rule: str


@dataclass(frozen=True)
class Found:
    """The assembly has what this check of `codegen.steps` searches for."""

    check: str


@dataclass(frozen=True)
class Contains:
    """The assembly contains this text."""

    text: str


CAUTIOUS = "cautious"
"""The workaround for aborts: the same once more without the passes that do (`codegen.llvm.Library`)."""


@dataclass(frozen=True)
class Fault:
    """One fault. ``workaround`` is the name of a step or check (`codegen.steps`), an option that is set
    (`codegen.llvm`), or `CAUTIOUS`.
    """

    workaround: str
    wrong: str
    ir: str
    symptom: Aborts | Gives | Reports | Found | Contains
    seen: str
    """Versions of LLVM."""
    chip: str = "v75"
    qfloat: bool = False
    """Seen where the chip's qfloat is asked for in place of its IEEE arithmetic."""
    optimized: bool = False
    """Seen after -O3. A workaround that is a step cures by running after -O3 and not before it."""
    variant: Variant = field(default_factory=Variant)
    """The way to generate code that shows it."""
    issue: str = ""
    """Public, where there is one."""


def function(body: str, parameters: str = "ptr align 128 %p, ptr align 128 %q, ptr align 128 %out") -> str:
    """A function ``f`` of one block."""
    lines = "\n".join(f"  {line.strip()}" for line in body.strip().splitlines())
    return f"define void @f({parameters}) {{\n{lines}\n  ret void\n}}\n"


TWO = "ptr align 128 %p, ptr align 128 %out"
"""Parameters of a function with one input."""
WORDS = """%x = load <32 x i32>, ptr %p, align 128
           %y = load <32 x i32>, ptr %q, align 128"""
LANES = ", ".join(f"i32 {lane}" for lane in range(32))
"""The lanes of a vector of words, in order."""

"""What ``hexmlir compile`` and ``hexmlir run`` are told on the command line."""

from __future__ import annotations

from dataclasses import dataclass, field

from hexagon_mlir.cli.options import OneFile

KINDS = {"asm": ".s", "ll": ".ll", "obj": ".o", "so": ".so", "elf": ""}
"""What ``--emit`` knows, and the suffixes of the files."""
SETTINGS = ("target", "pipeline", "threads", "accuracy", "qfloat", "line_info", "tcm_bytes")
"""Options of every compilation: the target, the pipeline, and `hexagon_mlir.pipelines.Settings`."""


@dataclass
class Options(OneFile):
    """The command line of both."""

    output: str = ""
    emit: str = "obj"
    target: str = ""
    pipeline: str = "default"
    entry: str = ""
    threads: int = 0
    accuracy: str = "accurate"
    qfloat: bool = True
    line_info: bool = False
    tcm_bytes: int = 0
    numerics: str = "f32"
    trust: bool = False
    shapes: str = ""
    executor: str = "sim"
    out: str = ""
    grid: str = ""
    report: str = ""
    trace: str = ""
    check: bool = False
    arithmetic: str = ""
    args: list[str] = field(default_factory=list)

"""What ``hexmlir compile`` and ``hexmlir run`` are told on the command line."""

from __future__ import annotations

from dataclasses import dataclass, field

from hexagon_mlir.cli.options import OneFile
from hexagon_mlir.settings import NAMES, flags

KINDS = {"asm": ".s", "ll": ".ll", "obj": ".o", "so": ".so", "elf": ""}
"""What ``--emit`` knows, and the suffixes of the files."""
SETTINGS = ("target", "pipeline", *NAMES)
"""Options of every compilation: the target, the pipeline, and `hexagon_mlir.settings.Settings`."""
SETTINGS_USAGE = "".join(f"  {'--' + name + ('=' + value if value else ''):<16} {help}\n"
                         for name, help, value in flags())
"""What usage texts say of the settings."""
SETTINGS_NAMES = ", ".join(f"--{name}" for name, _, _ in flags())


@dataclass
class Options(OneFile):
    """The command line of both."""

    output: str = ""
    emit: str = "obj"
    target: str = ""
    pipeline: str = "default"
    entry: str = ""
    numerics: str = "f32"
    trust: bool = False
    shapes: str = ""
    dump_ir: str = ""
    executor: str = "sim"
    out: str = ""
    grid: str = ""
    report: str = ""
    trace: str = ""
    check: bool = False
    arithmetic: str = ""
    args: list[str] = field(default_factory=list)

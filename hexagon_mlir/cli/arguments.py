"""The command line of ``hexmlir-opt`` as data; reads ``argv`` without importing the MLIR bindings.

A flag that is not in `FLAGS` names a pass, so that ``--canonicalize --hexagon-fusion='x=1'`` reads as in
``mlir-opt``; whether the pass exists is found out later, when the bindings are there.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field, fields
from typing import Any

from hexagon_mlir import settings
from hexagon_mlir.settings import MOST

EMIT_KINDS = ("mlir", "llvm", "asm", "obj")


class UsageError(Exception):
    """A command line that cannot be understood; ``hint`` says what to write instead."""

    def __init__(self, message: str, hint: str = "hexmlir-opt --help"):
        super().__init__(message)
        self.hint = hint


@dataclass(frozen=True)
class Flag:
    """One flag. ``value`` is "" for a switch, "X" for a required value, "[X]" for an optional one."""

    name: str
    help: str
    value: str = ""
    group: str = "General"

    @property
    def field(self) -> str:
        """The field of `Arguments` it sets."""
        return self.name.removeprefix("mlir-").replace("-", "_")

    @property
    def value_shape(self) -> str:
        """The value as ``--help`` shows it."""
        if self.value.startswith("["):
            return f"[={self.value[1:-1]}]"
        return f"={self.value}" if self.value else ""


FLAGS = (
    Flag("pass-pipeline", "passes as 'builtin.module(a,b{x=1})', ours and upstream's mixed", "TEXT",
         "What to run"),
    Flag("pipeline", "a named pipeline (see --list-pipelines)", "NAME", "What to run"),
    Flag("schedule", "apply the transform-dialect sequence in FILE", "FILE", "What to run"),
    Flag("target", "the chip (see hexmlir targets)", "NAME", "What to run"),
    *(Flag(name, help, value, "What to run") for name, help, value in settings.flags()),
    Flag("emit", "mlir (default), llvm, asm or obj; runs the default pipeline when none is given", "KIND",
         "What to run"),
    Flag("split-input-file", "process the parts between '// -----' lines one by one", group="What to run"),
    Flag("output", "write to FILE instead of standard output (short: -o FILE)", "FILE", "Output"),
    Flag("mlir-print-debuginfo", "print locations", group="Output"),
    Flag("mlir-print-op-generic", "print the generic form", group="Output"),
    Flag("print-pipeline", "print the passes, one per line, and stop; of pipeline NAME if given", "[NAME]",
         "Output"),
    Flag("print-schedule", "print the transform-dialect sequences the passes applied, instead of the module",
         group="Output"),
    Flag("print-ir-before", "print the IR before these passes, or each", "[PASS,..]", "Watching passes"),
    Flag("print-ir-after", "print the IR after these passes, or each", "[PASS,..]", "Watching passes"),
    Flag("print-ir-before-all", "print the IR before each pass", group="Watching passes"),
    Flag("print-ir-after-all", "print the IR after each pass", group="Watching passes"),
    Flag("print-ir-after-change", "print the IR after each pass that changed it", group="Watching passes"),
    Flag("dump-ir", "write each pass's input and output into DIR", "DIR", "Watching passes"),
    Flag("timing", "time and operation counts of each pass", group="Watching passes"),
    Flag("stats", "how often each operation occurs, before and after", group="Watching passes"),
    Flag("remarks", "print what passes declined to do, and why", group="Watching passes"),
    Flag("verify-each", "verify the IR after each of our passes and the last one (default: true)", group="Checking"),
    Flag("verify-levels", "check that each pass gets and leaves the level of IR it states", group="Checking"),
    Flag("verify-diagnostics", "compare messages with '// expected-error {{..}}' comments", group="Checking"),
    Flag("list-passes", "our passes with their options"),
    Flag("list-pipelines", "the named pipelines"),
    Flag("debug", "show Python tracebacks"),
    Flag("help", "this text (short: -h)"),
    Flag("version", "versions of this tool and of its dependencies"),
)
_BY_NAME = {flag.name: flag for flag in FLAGS}

# Names that users of mlir-opt type out of habit; None means "always so here".
_ALIASES: dict[str, str | None] = {
    "o": "output", "h": "help", "mlir-timing": "timing", "dump-pass-pipeline": "print-pipeline",
    "mlir-print-ir-before": "print-ir-before", "mlir-print-ir-after": "print-ir-after",
    "mlir-print-ir-before-all": "print-ir-before-all", "mlir-print-ir-after-all": "print-ir-after-all",
    "mlir-print-ir-after-change": "print-ir-after-change", "allow-unregistered-dialect": None,
}
_ORDERED = ("pass-pipeline", "pipeline", "schedule")
_PASS_NAME = re.compile(r"[A-Za-z][\w.-]*\Z")


@dataclass(frozen=True)
class Request:
    """One thing to run: ``kind`` is "pass", "pass-pipeline", "pipeline" or "schedule"."""

    kind: str
    name: str
    options: str = ""


@dataclass
class Arguments:
    """A parsed command line. ``print_*`` lists of passes: None is off, () is every pass; ``settings``: those given."""

    input: str = "-"
    requests: list[Request] = field(default_factory=list)
    output: str = "-"
    target: str = ""
    settings: dict[str, Any] = field(default_factory=dict)
    emit: str = "mlir"
    split_input_file: bool = False
    print_debuginfo: bool = False
    print_op_generic: bool = False
    print_pipeline: str | None = None
    print_schedule: bool = False
    print_ir_before: tuple[str, ...] | None = None
    print_ir_after: tuple[str, ...] | None = None
    print_ir_before_all: bool = False
    print_ir_after_all: bool = False
    print_ir_after_change: bool = False
    dump_ir: str = ""
    timing: bool = False
    stats: bool = False
    remarks: bool = False
    verify_each: bool = True
    verify_levels: bool = False
    verify_diagnostics: bool = False
    list_passes: bool = False
    list_pipelines: bool = False
    debug: bool = False
    help: bool = False
    version: bool = False

    @property
    def pipeline(self) -> str:
        """The whole pipeline asked for last; its code is generated where only passes are named."""
        return next((r.name for r in reversed(self.requests) if r.kind == "pipeline"), "default")

    @property
    def names_pipeline(self) -> bool:
        """True when the user chose a whole pipeline, so that none must be added for ``--emit``."""
        return any(request.kind in ("pass-pipeline", "pipeline") for request in self.requests)


def parse_arguments(argv: Sequence[str]) -> Arguments:
    """Read ``argv`` (without the program name). Raises `UsageError`."""
    arguments = Arguments()
    inputs: list[str] = []
    words = iter(argv)
    only_inputs = False
    for word in words:
        if only_inputs or not word.startswith("-") or word == "-":
            inputs.append(word)
        elif word == "--":
            only_inputs = True
        else:
            _read_flag(arguments, word, words)
    if len(inputs) > 1:
        raise UsageError(f"more than one input: {', '.join(inputs)}",
                         "options follow '=': --pass='x=1 y=2'")
    if inputs:
        arguments.input = inputs[0]
    if arguments.emit not in EMIT_KINDS:
        raise UsageError(f"unknown --emit kind '{arguments.emit}'", f"one of {', '.join(EMIT_KINDS)}")
    if arguments.emit == "obj" and arguments.split_input_file:
        raise UsageError("--emit=obj makes one object; it cannot be used with --split-input-file")
    _refuse_idle_settings(arguments)
    return arguments


def _refuse_idle_settings(arguments: Arguments) -> None:
    """A setting that nothing asked for would obey is a mistake: passes by name have options of their own."""
    if arguments.emit != "mlir" or arguments.print_pipeline or any(r.kind == "pipeline" for r in arguments.requests):
        return
    for name, value in arguments.settings.items():
        if value != settings.DEFAULTS[name]:
            flag = name.replace("_", "-")
            raise UsageError(f"--{flag} is a setting of whole pipelines, and no pipeline is given",
                             f"--pipeline=default, or the option of a pass: --PASS='{flag}=...'")


def _read_flag(arguments: Arguments, word: str, following) -> None:
    name, equals, value = word.lstrip("-").partition("=")
    full = _ALIASES.get(name, name)
    if full is None:
        return
    flag = _BY_NAME.get(full)
    if flag is None:
        if not _PASS_NAME.match(name):
            raise UsageError(f"cannot read '{word}'")
        arguments.requests.append(Request("pass", name, value))
        return
    if flag.value and not flag.value.startswith("[") and not equals:
        value = next(following, "")
    if flag.value and not flag.value.startswith("[") and not value:
        raise UsageError(f"--{flag.name} needs a value", f"--{flag.name}={flag.value}")
    if flag.name in _ORDERED:
        arguments.requests.append(Request(flag.name, value))
    elif flag.field in settings.NAMES:
        arguments.settings[flag.field] = _value(flag, value, bool(equals))
    else:
        setattr(arguments, flag.field, _value(flag, value, bool(equals)))


def _value(flag: Flag, value: str, given: bool) -> Any:
    if flag.value == "[PASS,..]":
        return tuple(part.strip() for part in value.split(",") if part.strip())
    if flag.value == "N":
        return whole_number(f"--{flag.name}", value, f"--{flag.name}=N, a whole number")
    if flag.value:
        return value
    if not given or value.lower() in ("true", "1", "on"):
        return True
    if value.lower() in ("false", "0", "off"):
        return False
    raise UsageError(f"--{flag.name} is true or false, not '{value}'")


def whole_number(what: str, word: str, hint: str) -> int:
    """``word`` as a count; raises `UsageError`, which names ``what`` it is for."""
    if not re.fullmatch(r"[0-9]+", word):
        raise UsageError(f"{what} is a number, not '{word}'", hint)
    if len(word.lstrip("0")) > len(str(MOST)) or int(word) > MOST:
        raise UsageError(f"{what} is at most {MOST}", hint)
    return int(word)


def help_text() -> str:
    """What ``--help`` prints."""
    lines = ["usage: hexmlir-opt [FILE.mlir | FILE.ttir | -] [passes and flags]", "",
             "Runs passes over MLIR, in the order given, and prints the result. Any pass is a flag:",
             "  hexmlir-opt k.mlir --canonicalize --hexagon-tcm-tiling='tcm-bytes=1048576'"]
    for group in dict.fromkeys(flag.group for flag in FLAGS):
        lines += ["", f"{group}:"]
        for flag in FLAGS:
            if flag.group == group:
                lines.append(f"  {'--' + flag.name + flag.value_shape:<34} {flag.help}")
    lines += ["", "Exit code: 0, or 1 after any error. Errors, timings and IR dumps go to standard error."]
    return "\n".join(lines) + "\n"


assert {flag.field for flag in FLAGS if flag.name not in _ORDERED} <= {
    *(f.name for f in fields(Arguments)), *settings.NAMES}

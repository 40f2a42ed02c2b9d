"""Command lines of one file and typed options: ``--name=value`` or ``--name value`` set fields of a dataclass."""

from __future__ import annotations

import os
from collections.abc import Collection, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar

from hexagon_mlir.cli.arguments import UsageError, whole_number
from hexagon_mlir.settings import DEFAULTS, MOST
from hexagon_mlir.whole_files import is_replaced

_ALIASES = {"-o": "--output"}


@dataclass
class OneFile:
    """What every such command line has; options are further fields with a default. ``settings`` are those of
    `hexagon_mlir.settings` that are given."""

    file: str = ""
    settings: dict[str, Any] = field(default_factory=dict)


T = TypeVar("T", bound=OneFile)


def read_options(options: T, words: Sequence[str], known: Collection[str], hint: str) -> T:
    """``options`` with its field ``file`` and those named in ``known`` as ``words`` say.

    A default's type is the option's: a list takes every word up to the next option, a boolean may stand alone.
    Raises `UsageError` with ``hint``.
    """
    rest = list(words)
    while rest:
        word = rest.pop(0)
        if not word.startswith("-"):
            if options.file:
                raise UsageError(f"one file at a time: '{options.file}' and '{word}'", hint)
            options.file = word
            continue
        flag, equals, value = word.partition("=")
        flag = _ALIASES.get(flag, flag)
        name = flag.removeprefix("--").replace("-", "_")
        if name not in known or not flag.startswith("--"):
            raise UsageError(f"unknown option {word}", hint)
        default = DEFAULTS[name] if name in DEFAULTS else getattr(options, name)
        if isinstance(default, list):
            default += [value] if equals else []
            while rest and not rest[0].startswith("--"):
                default.append(rest.pop(0))
            continue
        if not equals and isinstance(default, bool):
            value = rest.pop(0) if rest[:1] in (["true"], ["false"]) else "true"
        elif not equals:
            if not rest:
                raise UsageError(f"{word} needs a value", hint)
            value = rest.pop(0)
        if not value:
            raise UsageError(f"{flag} needs a value", hint)
        typed = _typed(flag, default, value, hint)
        if name in DEFAULTS:
            options.settings[name] = typed
        else:
            setattr(options, name, typed)
    if not options.file:
        raise UsageError("no file", hint)
    return options


def keep_input(file: str, outputs: Sequence[str], hint: str) -> None:
    """Raise `UsageError` with ``hint`` if one of ``outputs`` is ``file``, by whatever name."""
    for output in filter(None, outputs):
        with suppress(OSError):  # what cannot be looked at is said when it is read or written
            if os.path.samefile(file, output) and is_replaced(Path(output)):
                raise UsageError(f"the output would replace {file}", hint)


def _typed(flag: str, default: Any, value: str, hint: str) -> Any:
    """``value`` in the type of the option's default."""
    if isinstance(default, bool):
        if value not in ("true", "false"):
            raise UsageError(f"{flag} is true or false, not '{value}'", hint)
        return value == "true"
    if isinstance(default, int):
        return whole_number(flag, value, hint)
    if isinstance(default, float):
        try:
            number = float(value)
        except ValueError:
            raise UsageError(f"cannot read '{value}' as a number for {flag}", hint) from None
        if not 0 <= number <= MOST:
            raise UsageError(f"{flag} is a number from 0 to {MOST}, not '{value}'", hint)
        return number
    return value

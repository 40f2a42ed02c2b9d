"""Pass options as text: ``tcm-bytes=1048576 mode=fast sizes=1,32`` <-> dataclass fields."""

from __future__ import annotations

import re
from dataclasses import MISSING, Field, fields
from enum import StrEnum
from math import isfinite
from typing import Any, get_args, get_origin, get_type_hints

from hexagon_mlir.ir.diagnostics import HexError
from hexagon_mlir.pass_infra.base import Pass
from hexagon_mlir.settings import MOST

LEAST = -1
"""Where an option may be off."""
_ASSIGNMENT = re.compile(r"\s*([A-Za-z][\w-]*)(?:=('[^']*'|\"[^\"]*\"|[^\s'\"]+))?(?=\s|$)")


def option_name(field: Field) -> str:
    """``tcm_bytes`` is written ``tcm-bytes``."""
    return field.name.replace("_", "-")


def build(pass_class: type[Pass], text: str) -> Pass:
    """An instance of ``pass_class`` with the options in ``text``.

    Raises `HexError` for an unknown option, a missing value or one of the wrong type.
    """
    known = {option_name(f): f for f in fields(pass_class)}
    hints = get_type_hints(pass_class)
    values: dict[str, Any] = {}
    for name, raw in _assignments(pass_class.name, text):
        field = known.get(name.replace("_", "-"))
        if field is None:
            allowed = ", ".join(known) or "none"
            raise HexError.plain(f"unknown option '{name}'", origin=pass_class.name,
                                 hint=f"options of {pass_class.name}: {allowed}")
        values[field.name] = _convert(pass_class.name, name, raw, hints[field.name])
    for field in known.values():
        if field.default is MISSING and field.default_factory is MISSING and field.name not in values:
            raise HexError.plain(f"option '{option_name(field)}' is required", origin=pass_class.name,
                                 hint=f"write {option_name(field)}=...")
    return pass_class(**values)


def render(instance: Pass) -> str:
    """``instance`` as pipeline text, options that differ from their default included."""
    parts = []
    for field in fields(instance):
        value = getattr(instance, field.name)
        default = field.default_factory() if field.default_factory is not MISSING else field.default
        if value != default:
            parts.append(f"{option_name(field)}={render_value(value)}")
    return f"{instance.name}{{{' '.join(parts)}}}" if parts else instance.name


def render_value(value: Any) -> str:
    """An option's value as ``build`` reads it."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, tuple):
        return ",".join(str(v) for v in value)
    return str(value)


def _assignments(origin: str, text: str) -> list[tuple[str, str | None]]:
    found = []
    end, whole = 0, text.rstrip()
    while end < len(whole):
        match = _ASSIGNMENT.match(whole, end)
        if match is None:
            raise HexError.plain(f"cannot read options '{text}'", origin=origin,
                                 hint="write name=value name=value")
        value = match.group(2)
        found.append((match.group(1), value.strip("'\"") if value is not None else None))
        end = match.end()
    return found


def _convert(origin: str, name: str, raw: str | None, hint: Any) -> Any:
    if hint is bool and raw is None:
        return True
    if raw is None:
        raise HexError.plain(f"option '{name}' needs a value", origin=origin, hint=f"write {name}=...")
    try:
        return _parse_value(raw, hint)
    except ValueError as error:
        raise HexError.plain(f"option '{name}': {error}", origin=origin) from None


def _parse_value(raw: str, hint: Any) -> Any:
    if hint is bool:
        if raw.lower() in ("true", "1", "on"):
            return True
        if raw.lower() in ("false", "0", "off"):
            return False
        raise ValueError(f"'{raw}' is not true or false")
    if hint is int:
        try:
            number = int(raw, 0)
        except ValueError:
            raise ValueError(f"'{raw}' is not an integer") from None
        if not LEAST <= number <= MOST:
            raise ValueError(f"{raw} is not one of {LEAST} to {MOST}")
        return number
    if hint is float:
        try:
            value = float(raw)
        except ValueError:
            raise ValueError(f"'{raw}' is not a number") from None
        if not isfinite(value):
            raise ValueError(f"{raw} is no finite number")
        return value
    if get_origin(hint) is tuple:
        element = get_args(hint)[0]
        return tuple(_parse_value(part, element) for part in raw.split(",") if part)
    if isinstance(hint, type) and issubclass(hint, StrEnum):
        try:
            return hint(raw)
        except ValueError:
            raise ValueError(f"'{raw}' is not one of {', '.join(hint)}") from None
    return raw

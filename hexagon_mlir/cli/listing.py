"""What ``--list-passes``, ``--list-pipelines`` and ``--version`` print."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import MISSING, fields
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any, get_type_hints

from hexagon_mlir.pass_plugins import plugins

LISTS = Path(__file__).with_name("lists")
"""What ``scripts/pass_reference.py`` writes of the passes and pipelines."""
PASSES, PIPELINES = "passes.txt", "pipelines.txt"
_STANDS_ON = ("torch-mlir", "llvmlite", "triton", "torch")


def passes() -> str:
    """Each pass: its name, the first sentence of its docstring, its options with type and default.

    Those of this package stand in a file, so that nothing of MLIR is imported.
    """
    shown = (LISTS / PASSES).read_text()
    return shown + described(plugins()) if plugins() else shown


def described(names: Iterable[str]) -> str:
    """The passes ``names``, which are imported."""
    from hexagon_mlir.ir.diagnostics import HexError
    from hexagon_mlir.pass_infra import registry

    lines = []
    for name in names:
        try:
            pass_class = registry.get(name)
        except (HexError, ImportError, AttributeError) as error:
            lines.append(f"{name}: cannot be loaded: {error}")
            continue
        lines.append(f"{name}: {first_sentence(pass_class.__doc__)}")
        lines += [f"  {option}" for option in options(pass_class)]
    return "".join(f"{line}\n" for line in lines)


def first_sentence(docstring: str | None) -> str:
    """The first sentence of ``docstring`` on one line."""
    paragraph = " ".join((docstring or "").strip().split("\n\n")[0].split())
    head, stop, _ = paragraph.partition(". ")
    return head + stop.strip()


def options(pass_class: Any) -> list[str]:
    """``name=<type> (default: value)`` for each option of ``pass_class``."""
    from hexagon_mlir.pass_infra.options import option_name, render_value

    hints = get_type_hints(pass_class)
    shown = []
    for field in fields(pass_class):
        default = field.default_factory() if field.default_factory is not MISSING else field.default
        text = "required" if default is MISSING else f"default: {render_value(default) or 'empty'}"
        shown.append(f"{option_name(field)}=<{type_name(hints[field.name])}> ({text})")
    return shown


def type_name(hint: Any) -> str:
    """``int``, ``list of int``, or the choices of an enumeration."""
    if hasattr(hint, "__members__"):
        return "|".join(hint)
    arguments = [a for a in getattr(hint, "__args__", ()) if a not in (Ellipsis, type(None))]
    if arguments:
        name = type_name(arguments[0])
        return f"list of {name}" if getattr(hint, "__origin__", None) is tuple else name
    return getattr(hint, "__name__", str(hint))


def pipelines() -> str:
    """The names of the pipelines, one per line with what it is: of a file, as `passes`."""
    return (LISTS / PIPELINES).read_text()


def versions() -> str:
    """The version of this package and of the packages it stands on."""
    lines = [f"hexagon-mlir {version('hexagon-mlir')}"]
    for package in _STANDS_ON:
        try:
            lines.append(f"  {package} {version(package)}")
        except PackageNotFoundError:
            lines.append(f"  {package} not installed")
    return "\n".join(lines) + "\n"

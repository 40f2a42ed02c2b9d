"""Finds passes by name: the files of the ``passes`` folder, plus passes other packages announce.

Nothing is imported until a pass is asked for.
"""

from __future__ import annotations

import importlib
from functools import cache
from pathlib import Path

from hexagon_mlir.ir.diagnostics import HexError
from hexagon_mlir.pass_infra.base import Pass
from hexagon_mlir.pass_plugins import plugins

_PASSES = "hexagon_mlir.passes"
"""The package of our own, which imports this one."""
RENAMED = {
    "join-blocks": "serialize-forall",
    "outline-parts": "outline-stages",
    "outline-repeats": "outline-similar-nests",
    "hexagon-shared-windows": "hexagon-shared-footprints",
}
"""Names that passes had before, for pipelines of users that have them."""


def class_name(pass_name: str) -> str:
    """``form-async-threads`` -> ``FormAsyncThreadsPass``."""
    return "".join(part.capitalize() for part in pass_name.split("-")) + "Pass"


@cache
def own_names() -> tuple[str, ...]:
    """Those of this package, sorted."""
    folder = Path(importlib.import_module(_PASSES).__path__[0])
    return tuple(sorted(p.stem.replace("_", "-") for p in folder.glob("*.py") if not p.stem.startswith("_")))


def names() -> tuple[str, ...]:
    """Every registered pass name, sorted."""
    return tuple(sorted({*own_names(), *plugins()}))


def knows(pass_name: str) -> bool:
    """Whether ``pass_name`` is that of a pass of ours, or was."""
    return pass_name in RENAMED or pass_name in names()


@cache
def get(pass_name: str) -> type[Pass]:
    """The class of ``pass_name``; raises `HexError` when there is none."""
    if pass_name in own_names():
        module = importlib.import_module(f"{_PASSES}.{pass_name.replace('-', '_')}")
        return getattr(module, class_name(pass_name))
    if pass_name in plugins():
        return plugins()[pass_name].load()
    if pass_name in RENAMED:
        raise HexError.plain(f"pass '{pass_name}' has another name", hint=f"write {RENAMED[pass_name]}")
    raise HexError.plain(f"unknown pass '{pass_name}'", hint="hexmlir-opt --list-passes shows them all")

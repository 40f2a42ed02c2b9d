"""The class of a pass by its name, of ours and of those other packages announce.

Nothing is imported until a pass is asked for.
"""

from __future__ import annotations

import importlib
from functools import cache

from hexagon_mlir.ir.diagnostics import HexError
from hexagon_mlir.pass_infra.base import Pass
from hexagon_mlir.pass_names import PASSES, RENAMED, own_names
from hexagon_mlir.pass_plugins import plugins


def class_name(pass_name: str) -> str:
    """``form-async-threads`` -> ``FormAsyncThreadsPass``."""
    return "".join(part.capitalize() for part in pass_name.split("-")) + "Pass"


@cache
def get(pass_name: str) -> type[Pass]:
    """The class of ``pass_name``; raises `HexError` when there is none."""
    if pass_name in own_names():
        module = importlib.import_module(f"{PASSES}.{pass_name.replace('-', '_')}")
        return getattr(module, class_name(pass_name))
    if pass_name in plugins():
        return plugins()[pass_name].load()
    if pass_name in RENAMED:
        raise HexError.plain(f"pass '{pass_name}' has another name", hint=f"write {RENAMED[pass_name]}")
    raise HexError.plain(f"unknown pass '{pass_name}'", hint="hexmlir-opt --list-passes shows them all")

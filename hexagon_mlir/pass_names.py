"""Which passes there are, by name, found without the modules of passes and before those of MLIR's dialects."""

from __future__ import annotations

import difflib
import importlib
from collections.abc import Iterable
from functools import cache
from pathlib import Path

from hexagon_mlir.interrupts import deferred
from hexagon_mlir.pass_plugins import plugins

PASSES = "hexagon_mlir.passes"
"""The package of our own."""
RENAMED = {
    "join-blocks": "serialize-forall",
    "outline-parts": "outline-stages",
    "outline-repeats": "outline-similar-nests",
    "hexagon-shared-windows": "hexagon-shared-footprints",
}
"""Names that passes had before, for pipelines of users that have them."""


@cache
def own_names() -> tuple[str, ...]:
    """Those of this package, sorted."""
    folder = Path(importlib.import_module(PASSES).__path__[0])
    return tuple(sorted(p.stem.replace("_", "-") for p in folder.glob("*.py") if not p.stem.startswith("_")))


def names() -> tuple[str, ...]:
    """Every registered pass name, sorted."""
    return tuple(sorted({*own_names(), *plugins()}))


def knows(pass_name: str) -> bool:
    """Whether ``pass_name`` is that of a pass of ours, or was."""
    return pass_name in own_names() or pass_name in RENAMED or pass_name in plugins()


def is_upstream(pass_name: str) -> bool:
    """Whether MLIR has pass ``pass_name``; asks its library, which loads in a third of the time of the bindings."""
    with deferred():
        library = importlib.import_module("torch_mlir._mlir_libs._mlir")
    with library.ir.Context(load_on_create_dialects=()):
        try:
            library.passmanager.PassManager.parse(f"builtin.module({pass_name})")
        except (ValueError, library.ir.MLIRError) as error:
            return "does not refer to a registered pass" not in str(error)
    return True


def nearest(name: str, others: Iterable[str]) -> str:
    """The pass, or one of ``others``, whose name is most like ``name``; "" for none."""
    return next(iter(difflib.get_close_matches(name, [*names(), *others], n=1)), "")

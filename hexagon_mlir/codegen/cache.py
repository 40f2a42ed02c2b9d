"""The disk cache of generated code, keyed by the hash of everything that determines the code."""

from __future__ import annotations

import hashlib
from functools import cache
from importlib import import_module
from importlib.metadata import version
from pathlib import Path

from hexagon_mlir import disk_cache

_PART = "code"


def key(*parts: str | bytes) -> str:
    """The hash of ``parts``, order and boundaries included."""
    digest = hashlib.sha256()
    for part in parts:
        data = part.encode() if isinstance(part, str) else part
        digest.update(len(data).to_bytes(8, "little") + data)
    return digest.hexdigest()


@cache
def compiler() -> str:
    """The identity of the code generator: its sources, those of the modules it uses, and the version of LLVM."""
    return key(version("llvmlite"), *(file.read_bytes() for file in sources()))


@cache
def whole_compiler() -> str:
    """The identity of all that determines code and cycles: passes, code generator and simulator."""
    packages = (import_module(name) for name in ("hexagon_mlir", "hexagon_mlir.dialects", "hexagon_mlir.passes"))
    folders = [Path(folder) for package in packages for folder in package.__path__]
    return key(version("llvmlite"), *(file.read_bytes() for folder in folders for file in sorted(folder.rglob("*.py"))))


def sources() -> list[Path]:
    """The source files that determine the generated code."""
    package = Path(__file__).parents[1]
    return [file for part in ("codegen", "isa", "llvmir") for file in sorted((package / part).rglob("*.py"))]


def load(name: str) -> bytes | None:
    """The stored bytes, or None; an unreadable, damaged or foreign entry counts as missing."""
    return disk_cache.load(_PART, name)


def store(name: str, data: bytes) -> None:
    """Store ``data``; a read-only or full disk only costs the next run its cache hit."""
    disk_cache.store(_PART, name, data)

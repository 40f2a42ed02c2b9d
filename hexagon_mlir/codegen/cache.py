"""Results on disk: plain bytes under the hash of everything that decides them; atomic writes, never pickle."""

from __future__ import annotations

import hashlib
import os
import tempfile
from functools import cache
from importlib.metadata import version
from pathlib import Path

ENVIRONMENT = "HEXAGON_MLIR_CACHE_DIR"
_CHECK_BYTES = 32  # SHA-256


def folder() -> Path:
    """Where results are kept: ``$HEXAGON_MLIR_CACHE_DIR``, or ``~/.cache/hexagon-mlir``."""
    return Path(os.environ.get(ENVIRONMENT) or Path.home() / ".cache" / "hexagon-mlir")


def key(*parts: str | bytes) -> str:
    """The hash of ``parts``, order and boundaries included."""
    digest = hashlib.sha256()
    for part in parts:
        data = part.encode() if isinstance(part, str) else part
        digest.update(len(data).to_bytes(8, "little") + data)
    return digest.hexdigest()


@cache
def compiler() -> str:
    """What identifies code generation itself: the sources of this folder and the LLVM beneath them."""
    sources = [file.read_bytes() for file in sorted(Path(__file__).parent.rglob("*.py"))]
    return key(version("llvmlite"), *sources)


def load(name: str) -> bytes | None:
    """The stored bytes, or None; an unreadable or damaged entry counts as missing."""
    try:
        entry = (folder() / name).read_bytes()
    except OSError:
        return None
    check, data = entry[:_CHECK_BYTES], entry[_CHECK_BYTES:]
    return data if check == hashlib.sha256(data).digest() else None


def store(name: str, data: bytes) -> None:
    """Store ``data`` behind its hash; a read-only or full disk only costs the next run its cache hit."""
    try:
        folder().mkdir(parents=True, exist_ok=True)
        handle, temporary = tempfile.mkstemp(dir=folder())
    except OSError:
        return
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(hashlib.sha256(data).digest() + data)
        os.replace(temporary, folder() / name)
    except OSError:
        Path(temporary).unlink(missing_ok=True)

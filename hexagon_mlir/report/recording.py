"""What a report is made of: every compilation with its stages, every launch with its trace."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

from hexagon_mlir.codegen import Compiled
from hexagon_mlir.codegen.compile import explaining
from hexagon_mlir.exec.session import LaunchRecord
from hexagon_mlir.exec.sim import SESSION

_NO_CACHE = "TRITON_ALWAYS_COMPILE"


@dataclass(frozen=True)
class Recording:
    """Compilations and launches, in order; both grow while they are recorded."""

    compiled: Sequence[Compiled]
    launches: Sequence[LaunchRecord]


@contextmanager
def recording(traced: bool = True) -> Iterator[Recording]:
    """Within this context compilations keep stages and line info, launches (if ``traced``) their traces; nothing comes
    out of Triton's own cache."""
    before = os.environ.get(_NO_CACHE)
    os.environ[_NO_CACHE] = "1"
    try:
        with explaining() as compiled, SESSION.running(traced=traced), SESSION.recording() as launches:
            yield Recording(compiled, launches)
    finally:
        del os.environ[_NO_CACHE]
        if before is not None:
            os.environ[_NO_CACHE] = before

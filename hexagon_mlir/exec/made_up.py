"""Arguments for kernels that are run without any."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from hexagon_mlir.codegen.interface import Tensor
from hexagon_mlir.exec.model import NUMPY
from hexagon_mlir.ir.diagnostics import HexError


def made_up(kind: Tensor | str) -> Any:
    """An argument for a tensor of known sizes: normal numbers, zeros of integers. Raises `HexError` for others."""
    if isinstance(kind, str):
        raise HexError.plain(f"an argument of type {kind} cannot be made up", hint="--args A ...")
    if kind.dynamic:
        raise HexError.plain("an argument whose sizes are not known cannot be made up", hint="--args A.npy ...")
    shape = [size for size in kind.shape if size is not None]
    dtype = np.dtype(NUMPY[kind.element])
    make: Callable[[list[int]], Any] = np.zeros if dtype.kind in "iub" else np.random.default_rng(0).standard_normal
    return np.asarray(make(shape)).astype(dtype)

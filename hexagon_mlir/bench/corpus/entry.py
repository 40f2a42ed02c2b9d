"""One kernel of the corpus, its inputs, and a run whose values are compared."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from hexagon_mlir.exec.sim import launch
from hexagon_mlir.ir import HexError
from hexagon_mlir.sim import RunResult

ENTRY = "kernel"
"""The function of texts in linalg."""


@dataclass(frozen=True)
class Run:
    """A run of ``asm``, whose values were right."""

    asm: str
    result: RunResult


@dataclass(frozen=True)
class Entry:
    """One kernel. ``shapes`` and ``dtypes`` are those of its arguments, then of its result, of which ``grid`` programs
    of a Triton kernel compute a part each; ``reference`` computes the result in f64 of arguments in f64; ``tolerance``
    is relative to 1 + the largest value.
    """

    name: str
    source: Callable[[], str]
    """MLIR on tensors, or Triton's; raises `HexError` where Triton is not installed."""
    shapes: tuple[tuple[int, ...], ...]
    dtypes: tuple[str, ...]
    reference: Callable[..., np.ndarray]
    tolerance: float = 1e-5
    function: str = ENTRY
    grid: tuple[int, int, int] | None = None

    @cached_property
    def text(self) -> str:
        """What `source` gives."""
        return self.source()

    @property
    def symbol(self) -> str:
        """The function of this kernel in C, and in assembly: the name with ``_`` for what is no letter or digit."""
        return re.sub(r"\W+", "_", self.name).lower()

    @property
    def size(self) -> str:
        """The shapes of the arguments and their type, for tables."""
        shapes = ", ".join("x".join(map(str, shape)) for shape in dict.fromkeys(self.shapes[:-1]))
        return f"{shapes} {self.dtypes[0].replace('float', 'f').replace('int', 'i')}"

    def arguments(self) -> list[np.ndarray]:
        """The same each time: normal numbers, bytes of all values, indices of rows of the first argument."""
        rng = np.random.default_rng(0)
        found = []
        for shape, dtype in zip(self.shapes[:-1], self.dtypes[:-1], strict=True):
            if dtype == "int32":
                found.append(rng.integers(0, self.shapes[0][0], shape, dtype))
            elif dtype == "int8":
                found.append(rng.integers(-128, 128, shape, dtype))
            else:
                found.append(rng.standard_normal(shape).astype(dtype))
        return found

    @cached_property
    def expected(self) -> np.ndarray:
        """The result in f64."""
        return self.reference(*(argument.astype(np.float64) for argument in self.arguments()))

    def compiled_run(self, asm: str, target: str, tolerance: float | None = None) -> RunResult:
        """A run of the compiled `text`; raises `HexError` where the simulator fails or values are off."""
        return self._run(asm, self.function, target, self.grid, self.tolerance if tolerance is None else tolerance)

    def native_run(self, asm: str, target: str) -> RunResult:
        """A run of `symbol` in ``asm``, which takes the arguments' addresses, then the result's; raises `HexError` as
        `compiled_run` does."""
        return self._run(asm, self.symbol, target, None, self.tolerance)

    def _run(self, asm: str, function: str, target: str, grid: tuple[int, int, int] | None,
             tolerance: float) -> RunResult:
        output = np.zeros(self.shapes[-1], self.dtypes[-1])
        result = launch(asm, function, [*self.arguments(), output], grid, target=target)
        error = float(np.abs(output - self.expected).max()) / (1 + float(np.abs(self.expected).max()))
        if not error <= tolerance:
            raise HexError.plain(f"values are off by {error:.1e}, {tolerance:.1e} at most is right")
        return result

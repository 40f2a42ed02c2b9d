"""The base class of every pass, and what a pass is given when it runs."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import ClassVar, Protocol

from hexagon_mlir.ir import HexError, error_at, ir
from hexagon_mlir.ir.diagnostics import DiagnosticLog
from hexagon_mlir.targets import Target


class TilesOutsideTcm(HexError):
    """Tiles of the matrix engine do not fit TCM: the program can be compiled without the engine."""


class CloseEstimates(HexError):
    """A product is estimated to take about as long on the matrix engine as on HVX: the program can be compiled both
    ways and measured.
    """


@dataclass
class PassContext:
    """What a running pass may use besides the module: target facts, remarks, schedules.

    ``schedules`` collects the transform-dialect text each scheduling pass applied, for ``--print-schedule``.
    """

    target: Target
    log: DiagnosticLog = field(default_factory=DiagnosticLog)
    schedules: list[tuple[str, str]] = field(default_factory=list)


class Upstream(Protocol):
    """Upstream passes as a step, `hexagon_mlir.pass_infra.UpstreamStep`."""

    @property
    def pipeline(self) -> str: ...


@dataclass(frozen=True)
class Pass:
    """A transformation of one module. Subclasses are frozen dataclasses; their fields are the options. Integers are
    counts and sizes, 0 or more.

    A pass named ``form-async-threads`` is class ``FormAsyncThreadsPass`` in ``passes/form_async_threads.py``.
    """

    name: ClassVar[str]
    needs: ClassVar[str]
    """Level of the IR the pass accepts; see `hexagon_mlir.levels`."""
    leaves: ClassVar[str]
    """Level of the IR after it."""
    runs: ClassVar[tuple[Upstream, ...]] = ()
    """Upstream passes that it runs itself, where it has changed something; pipelines show them."""

    def run(self, module: ir.Module, context: PassContext) -> None:
        """Rewrite ``module`` in place, or raise `HexError` through `refuse`."""
        raise NotImplementedError

    def remark(self, context: PassContext, op: ir.Operation | ir.OpView, message: str) -> None:
        """Tell the user why something was left alone (shown by ``--remarks``)."""
        context.log.add("remark", op, self.name, message)

    def refuse(self, op: ir.Operation | ir.OpView, message: str, hint: str = "") -> HexError:
        """The error to raise when ``op`` makes the whole pass impossible."""
        return error_at(op, self.name, message, hint)

"""The steps a pipeline is made of: our passes, upstream passes, transform-dialect schedules.

Each kind has ``title`` (for dumps and timings), ``text`` (how ``--pass-pipeline`` writes it) and ``run``.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import ClassVar, Protocol

from hexagon_mlir.ir import ir
from hexagon_mlir.ir.diagnostics import HexError, from_mlir_error
from hexagon_mlir.ir.query import names_of, ops_named
from hexagon_mlir.pass_infra.base import Pass, PassContext
from hexagon_mlir.pass_infra.options import render
from hexagon_mlir.pass_infra.schedule import apply_schedule
from hexagon_mlir.pass_infra.upstream import run_upstream

_OPTIONS = re.compile(r"\{[^{}]*\}")
_NESTED = re.compile(r"^[\w.]+\((.*)\)$")
_NOT_ON_MODULES = "unable to schedule pass"
"""Passes on any kind of function say so only when they run; they are then run on each `func.func`."""
_NOT_READ = "Can't cast unknown element type"
"""The bindings read arrays of some types only; ``array<bf16>`` is none of them."""


class Step(Protocol):
    """One entry of a pipeline. ``runs`` is what one of our passes also runs, as upstream pipeline text."""

    @property
    def why(self) -> str: ...
    @property
    def title(self) -> str: ...
    @property
    def text(self) -> str: ...
    @property
    def runs(self) -> tuple[str, ...]: ...
    def run(self, module: ir.Module, context: PassContext) -> None: ...


@dataclass(frozen=True)
class PassStep:
    """One of our passes with its options."""

    instance: Pass
    why: str = ""

    @property
    def title(self) -> str:
        return self.instance.name

    @property
    def text(self) -> str:
        return render(self.instance)

    @property
    def runs(self) -> tuple[str, ...]:
        return tuple(step.pipeline for step in self.instance.runs)

    def run(self, module: ir.Module, context: PassContext) -> None:
        """Run the pass in the module's context, with a default location for new operations."""
        try:
            with module.context, ir.Location.unknown():
                self.instance.run(module, context)
        except TypeError as error:
            if not str(error).startswith(_NOT_READ):
                raise
            found = str(error).removeprefix(_NOT_READ).strip()
            raise HexError.plain(f"the module has an attribute that cannot be read: {found}", origin=self.title,
                                 hint="write such an array as dense<...> : tensor<...>") from None


@dataclass(frozen=True)
class UpstreamStep:
    """Upstream passes as pipeline text, for example ``canonicalize,cse``."""

    pipeline: str
    why: str = ""
    label: str = ""
    verified: bool = False
    """What it gets is verified also where most steps are trusted."""
    dialect: str = ""
    """Runs only where operations of this dialect are left; empty: always. To find none takes upstream's conversions
    as long as CSE: they fold the rest meanwhile."""
    besides: tuple[str, ...] = ()
    """Operations of it that do not count."""
    runs: ClassVar[tuple[str, ...]] = ()

    @property
    def title(self) -> str:
        """The names of the passes, without options and without the operation they are nested on."""
        names = _OPTIONS.sub("", self.pipeline)
        return self.label or _NESTED.sub(r"\1", names)

    @property
    def text(self) -> str:
        return self.pipeline

    def run(self, module: ir.Module, context: PassContext) -> None:
        """Run the upstream passes; an MLIR error becomes a `HexError` that names this step."""
        if self.dialect and not ops_named(module, *set(names_of(self.dialect)).difference(self.besides)):
            return
        with module.context:
            try:
                run_upstream(self.pipeline, module.operation)
            except ValueError as error:
                raise pipeline_error(self.pipeline, str(error)) from None
            except ir.MLIRError as error:
                if _NOT_ON_MODULES not in str(error):
                    raise from_mlir_error(error, origin=self.title) from None
                try:
                    run_upstream(f"func.func({self.pipeline})", module.operation)
                except ir.MLIRError as second:
                    raise from_mlir_error(second, origin=self.title) from None


CLEAN = UpstreamStep("canonicalize{region-simplify=disabled top-down=false},cse",
                     "what a pass leaves folds; blocks stay as they are")
"""What passes run after themselves. To look for equal and unreachable blocks takes a third of a canonicalization, and
there are none while control flow is structured. From the last operation to the first, canonicalization takes 0.03 s of
6,000 operations in one loop, with the same result; the other way 0.9 s."""
GENERALIZE = UpstreamStep("linalg-generalize-named-ops", "one kind of loop nest", dialect="linalg",
                          besides=("linalg.generic", "linalg.index", "linalg.yield"))


@dataclass(frozen=True)
class ScheduleStep:
    """A transform-dialect sequence, as text, applied by the interpreter (``--schedule=FILE``)."""

    schedule: str
    file: str = "-"
    why: str = ""
    runs: ClassVar[tuple[str, ...]] = ()

    @property
    def title(self) -> str:
        return "schedule"

    @property
    def text(self) -> str:
        return f"schedule{{file={self.file}}}"

    def run(self, module: ir.Module, context: PassContext) -> None:
        """Parse and apply the sequence."""
        apply_schedule(module, self.schedule, "schedule", context, file=self.file)


def pipeline_error(pipeline: str, problem: str) -> HexError:
    """What the bindings said about ``pipeline``, reduced to its reason."""
    lines = [line.strip(" :") for line in problem.splitlines() if line.strip(" :")]
    reason = next((line for line in lines if "option" in line or "error:" in line), lines[0])
    reason = reason.split("error:")[-1].split("<Pass-Options-Parser>:")[-1].strip()
    return HexError.plain(f"{reason} in '{pipeline}'", hint="hexmlir-opt --list-passes shows ours; "
                          "upstream passes are written as in mlir-opt")

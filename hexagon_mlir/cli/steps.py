"""From what the command line asks for to the steps that do it."""

from __future__ import annotations

from collections.abc import Sequence

from hexagon_mlir import targets
from hexagon_mlir.cli import inputs
from hexagon_mlir.cli.arguments import Arguments, Request
from hexagon_mlir.ir.diagnostics import HexError
from hexagon_mlir.pass_infra import ScheduleStep, Step, pipeline_text
from hexagon_mlir.pipelines import target_of
from hexagon_mlir.settings import Settings
from hexagon_mlir.targets import Target


def target(name: str) -> Target:
    """The target called ``name``, "" being the default; raises `HexError`."""
    return target_of(name or targets.DEFAULT)


def settings(arguments: Arguments) -> Settings:
    """What ``arguments`` choose for whole pipelines; raises `HexError` for values there are none of."""
    return Settings(**arguments.settings)


def build(requests: Sequence[Request], target: Target, settings: Settings) -> list[Step]:
    """The steps of ``requests`` in order. Raises `HexError` for unknown names and bad options."""
    steps: list[Step] = []
    for request in requests:
        if request.kind == "pass":
            steps.append(pipeline_text.make_step(request.name, request.options))
        elif request.kind == "pass-pipeline":
            steps += pipeline_text.parse_pipeline(request.name)
        elif request.kind == "pipeline":
            steps += named(request.name, target, settings)
        else:
            steps += _schedule(request.name)
    return steps


def named(name: str, target: Target, settings: Settings) -> tuple[Step, ...]:
    """The steps of pipeline ``name``."""
    from hexagon_mlir import pipelines

    return pipelines.get(name, target, settings)


def _schedule(path: str) -> list[Step]:
    """One step for each part of the file, as ``--print-schedule`` writes them."""
    parts = inputs.split(inputs.Source(path, inputs.read_bytes(path)))
    steps: list[Step] = []
    for part in parts:
        try:
            steps.append(ScheduleStep(part.padded.decode(), file=path))
        except UnicodeDecodeError:
            raise HexError.plain("not UTF-8 text", file=path, hint="a schedule is MLIR text") from None
    return steps

"""From what the command line asks for to the steps that do it."""

from __future__ import annotations

import difflib
from collections.abc import Sequence

from hexagon_mlir import targets
from hexagon_mlir.cli import inputs
from hexagon_mlir.cli.arguments import FLAGS, Arguments, Request
from hexagon_mlir.ir.diagnostics import HexError
from hexagon_mlir.pass_infra import ScheduleStep, Step, pipeline_text, registry
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
            steps.append(_pass(request))
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


def _pass(request: Request) -> Step:
    try:
        return pipeline_text.make_step(request.name, request.options)
    except HexError as error:
        if not error.diagnostics[0].message.startswith("unknown pass"):
            raise
        known = [*registry.names(), *(flag.name for flag in FLAGS)]
        near = difflib.get_close_matches(request.name, known, n=1)
        hint = f"did you mean --{near[0]}?" if near else "hexmlir-opt --help; hexmlir-opt --list-passes"
        raise HexError.plain(f"unknown flag or pass '--{request.name}'", hint=hint) from None


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

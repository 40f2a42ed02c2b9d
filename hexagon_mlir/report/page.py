"""The pass explorer: how a kernel was compiled and what its run cost, as one HTML page without other files."""

from __future__ import annotations

import linecache
import os
from dataclasses import dataclass
from importlib.resources import files
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING

import jinja2

from hexagon_mlir import pipelines, targets
from hexagon_mlir.ir.text import named_files
from hexagon_mlir.report import text
from hexagon_mlir.report.ir_diff import ir_diff
from hexagon_mlir.report.lanes import lanes

if TYPE_CHECKING:
    from hexagon_mlir.codegen import Compiled
    from hexagon_mlir.exec.session import Trace
    from hexagon_mlir.sim import RunResult

_LEAST_SHARE = 0.001


@dataclass(frozen=True)
class Stage:
    """One step of the pipeline. ``diff``, as of `ir_diff`, is empty where the IR stayed as it was."""

    title: str
    options: str
    why: str
    milliseconds: float
    added: int
    removed: int
    diff: list[tuple[str, str]]
    after: str
    remarks: tuple[str, ...]


def kernel_page(entry: str, compiled: Compiled, run: RunResult | None, trace: Trace | None) -> str:
    """The page of kernel ``entry``, which was compiled with its stages kept, and of ``run`` if there was one."""
    template = jinja2.Environment(autoescape=True, trim_blocks=True, lstrip_blocks=True).from_string(
        files(__package__).joinpath("page.html.j2").read_text(encoding="utf-8"))
    return template.render(
        entry=entry, compiled=compiled, source=compiled.stages[0][1], stages=_stages(compiled),
        asm=trace.annotated_asm if trace else compiled.asm,
        profile=text.run(run) if run else "", cycles=run.cycles if run else None,
        lanes=lanes(trace.timeline["traceEvents"] if trace else ()),
        lines=_lines(trace.lines) if trace else (),
    )  # fmt: skip


def _lines(cycles: dict[str, int]) -> list[tuple[int, str, str]]:
    """Cycles, place and text of each source line that can be read, without those of little use."""
    total, found = sum(cycles.values()), []
    for place, spent in cycles.items():
        file, _, line = place.rpartition(":")
        if spent >= total * _LEAST_SHARE:
            found.append((spent, f"{Path(file).name}:{line}", _line(file, int(line))))
    return found


def _line(file: str, number: int) -> str:
    """The text of a line, of files the user named and those whose code Python has read; a place may name any file."""
    known = file in linecache.cache or os.path.realpath(file) in named_files
    return linecache.getline(file, number).strip() if known else ""


def _stages(compiled: Compiled) -> list[Stage]:
    steps = pipelines.get(compiled.pipeline, targets.get(compiled.target), compiled.settings)
    stages = []
    texts = [text for _, text in compiled.stages]
    for step, record, (before, after) in zip(steps, compiled.steps, pairwise(texts), strict=True):
        diff = list(ir_diff(before, after))
        signs = [sign for sign, _ in diff]
        remarks = tuple(str(remark) for remark in compiled.remarks if remark.origin == step.title)
        options = step.text.removeprefix(step.title)
        stages.append(Stage(step.title, options, step.why, record.seconds * 1e3, signs.count("+"), signs.count("-"),
                            diff, after, remarks))
    return stages

"""The default pipeline with and without what makes code faster: threads (MT), double buffering (DB)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from hexagon_mlir import pipelines
from hexagon_mlir.pass_infra import PassStep, Step
from hexagon_mlir.passes.hexagon_double_buffer_generic_s1 import HexagonDoubleBufferGenericS1Pass
from hexagon_mlir.settings import Settings
from hexagon_mlir.targets import Target


def steps(combination: str, target: Target, threads: int = 0, matrix_engine: bool = True) -> list[Step]:
    """The default pipeline with the passes of ``combination``; ``threads`` is for those with threads."""
    settings = with_threads(combination, Settings(threads, matrix_engine=matrix_engine))
    return with_buffers(combination, pipelines.get("default", target, settings))


def with_threads(combination: str, settings: Settings) -> Settings:
    """``settings`` with one thread, unless ``combination`` has more."""
    return settings if "+MT" in combination else replace(settings, threads=1)


def with_buffers(combination: str, steps: Sequence[Step]) -> list[Step]:
    """``steps`` without double buffering, unless ``combination`` has it."""
    buffers = 0 if "+DB" in combination else 1
    return [PassStep(replace(step.instance, buffers=buffers), why=step.why)
            if isinstance(step, PassStep) and isinstance(step.instance, HexagonDoubleBufferGenericS1Pass) else step
            for step in steps]

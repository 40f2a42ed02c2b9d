"""The passes of a compilation as a report lists them: what each changed, and those that changed nothing folded."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from itertools import pairwise

from hexagon_mlir import pipelines, targets
from hexagon_mlir.codegen import Compiled
from hexagon_mlir.report.ir_diff import Row, side_by_side


@dataclass(frozen=True)
class Stage:
    """One step of the pipeline. ``diff``, as of `side_by_side`, is empty where the IR stayed as it was."""

    title: str
    options: str
    why: str
    milliseconds: float
    added: int
    removed: int
    diff: list[Row]
    remarks: tuple[str, ...]

    @property
    def quiet(self) -> bool:
        """Whether there is nothing to show but its name."""
        return not self.diff and not self.remarks


@dataclass(frozen=True)
class Group:
    """One stage to look at, or several in a row that are `Stage.quiet`."""

    stages: list[Stage] = field(default_factory=list)

    @property
    def quiet(self) -> bool:
        return all(stage.quiet for stage in self.stages)


def stages(compiled: Compiled) -> list[Stage]:
    """Of ``compiled``, which has kept its stages."""
    steps = pipelines.get(compiled.pipeline, targets.get(compiled.target), compiled.settings)
    found = []
    texts = [text for _, text in compiled.stages]
    for step, record, (before, after) in zip(steps, compiled.steps, pairwise(texts), strict=True):
        diff = list(side_by_side(before, after))
        signs = [kind for kind, _, _ in diff]
        remarks = tuple(str(remark) for remark in compiled.remarks if remark.origin == step.title)
        changed = signs.count("~")
        found.append(Stage(step.title, step.text.removeprefix(step.title), step.why, record.seconds * 1e3,
                           signs.count("+") + changed, signs.count("-") + changed, diff, remarks))
    return found


def grouped(found: Iterable[Stage]) -> list[Group]:
    """``found`` in order, quiet neighbours together."""
    groups: list[Group] = []
    for stage in found:
        if not (groups and stage.quiet and groups[-1].quiet):
            groups.append(Group())
        groups[-1].stages.append(stage)
    return groups

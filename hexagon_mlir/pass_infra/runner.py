"""Runs a list of steps over a module: verify, time, count, dump, and keep the IR after each one."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from hexagon_mlir import interrupts, levels
from hexagon_mlir.ir import ir, to_text
from hexagon_mlir.ir.diagnostics import from_mlir_error
from hexagon_mlir.pass_infra.base import PassContext
from hexagon_mlir.pass_infra.step import PassStep, Step, UpstreamStep
from hexagon_mlir.whole_files import write_files


@dataclass(frozen=True)
class StepRecord:
    """What one step did: wall time in seconds and the number of operations before and after."""

    title: str
    seconds: float
    ops_before: int
    ops_after: int


Observer = Callable[[int, Step, str, ir.Module], None]
"""Called as ``observer(index, step, "before" | "after", module)``."""


@dataclass
class RunOptions:
    """How to run: checks, dumps and observers.

    ``verify_each`` verifies the IR after each of our passes and after the last step; upstream passes leave valid IR.
    ``verify_boundaries`` does it only for what the steps with ``verified`` get, and where the last step is ours.
    ``dump_dir`` gets ``NN-pass.before.mlir`` (written before the step runs, so a crash leaves its input)
    and ``NN-pass.after.mlir``, NN counting from ``first_index``.
    """

    verify_each: bool = True
    verify_boundaries: bool = False
    verify_levels: bool = False
    count_ops: bool = False
    dump_dir: Path | None = None
    first_index: int = 0
    observers: list[Observer] = field(default_factory=list)

    def within(self, part: str) -> RunOptions:
        """These options for one part of a program, whose dumps get a folder of that name."""
        return self if self.dump_dir is None else replace(self, dump_dir=self.dump_dir / _file_name(part))


@interrupts.deferred()
def run_steps(module: ir.Module, steps: Sequence[Step], context: PassContext,
              options: RunOptions | None = None) -> list[StepRecord]:
    """Run ``steps`` in order over ``module`` in place; raises `HexError` at the first that fails."""
    options = options or RunOptions()
    records = []
    observers = list(options.observers)
    if options.dump_dir is not None:
        observers.append(_dumper(options.dump_dir))
    ops = count_ops(module) if options.count_ops else Counter()
    last = options.first_index + len(steps) - 1
    level = ""  # what the module has just been checked for
    for index, step in enumerate(steps, start=options.first_index):
        interrupts.deliver()
        for observer in observers:
            observer(index, step, "before", module)
        if options.verify_levels and isinstance(step, PassStep) and step.instance.needs != level:
            levels.check(module, step.instance.needs, f"before {step.title}")
        start = time.perf_counter()
        step.run(module, context)
        seconds = time.perf_counter() - start
        own = not isinstance(step, UpstreamStep)
        following = None if index == last else steps[index + 1 - options.first_index]
        boundary = own if following is None else isinstance(following, UpstreamStep) and following.verified
        if (options.verify_each and (own or index == last)) or (options.verify_boundaries and boundary):
            _verify(module, step.title)
        level = ""
        if options.verify_levels and isinstance(step, PassStep):
            level = step.instance.leaves
            levels.check(module, level, step.title)
        for observer in observers:
            observer(index, step, "after", module)
        before = ops.total()
        ops = count_ops(module) if options.count_ops else ops
        records.append(StepRecord(step.title, seconds, before, ops.total()))
    return records


def count_ops(module: ir.Module) -> Counter[str]:
    """How often each operation stands in ``module``."""
    counts: Counter[str] = Counter()

    def visit(op: ir.Operation) -> ir.WalkResult:
        counts[op.name] += 1
        return ir.WalkResult.ADVANCE

    module.operation.walk(visit)
    return counts


def _verify(module: ir.Module, title: str) -> None:
    try:
        module.operation.verify()
    except ir.MLIRError as error:
        raise from_mlir_error(error, origin=title,
                              hint="the pass produced invalid IR; please report it") from None


def _dumper(folder: Path) -> Observer:
    write_files({}, folders=[folder])

    def dump(index: int, step: Step, when: str, module: ir.Module) -> None:
        write_files({folder / f"{index:02d}-{_file_name(step.title)}.{when}.mlir": to_text(module).encode()})

    return dump


def _file_name(title: str) -> str:
    return "".join(c if c.isalnum() or c in "-_" else "-" for c in title)

"""IR dumps between passes, and the transform-dialect sequences that passes applied."""

from __future__ import annotations

import sys
from collections.abc import Sequence

from hexagon_mlir.cli.arguments import Arguments
from hexagon_mlir.ir import ir, to_text
from hexagon_mlir.pass_infra import PassContext, Step
from hexagon_mlir.pass_infra.runner import Observer


def observers(arguments: Arguments) -> list[Observer]:
    """What prints the IR to standard error for the ``--print-ir-*`` flags."""
    before = _selection(arguments.print_ir_before, arguments.print_ir_before_all)
    after = _selection(arguments.print_ir_after,
                       arguments.print_ir_after_all or arguments.print_ir_after_change)
    if before is None and after is None:
        return []
    last_text = ""

    def observe(index: int, step: Step, when: str, module: ir.Module) -> None:
        nonlocal last_text
        text = to_text(module, generic=arguments.print_op_generic, locations=arguments.print_debuginfo)
        previous, last_text = last_text, text
        chosen = before if when == "before" else after
        if chosen is None or (chosen and not {step.title, *step.title.split(",")}.intersection(chosen)):
            return
        if when == "after" and arguments.print_ir_after_change and text == previous:
            return
        print(f"// -----// IR Dump {when.capitalize()} {step.title} //----- //\n{text}", file=sys.stderr)

    return [observe]


def _selection(names: tuple[str, ...] | None, everything: bool) -> tuple[str, ...] | None:
    if everything:
        return ()
    return names


def schedules(context: PassContext) -> str:
    """The sequences as one text that ``--schedule=FILE`` replays in the same order."""
    return "// -----\n".join(f"// {origin}\n{text.rstrip()}\n" for origin, text in context.schedules)


def code_generation() -> str:
    """What happens from LLVM IR to assembly, as comments after a whole pipeline."""
    from hexagon_mlir.codegen import steps

    lines = []
    for heading, named in steps.listing():
        lines += [f"// {heading}:", *(f"//   {name}  // {why}" for name, why in named)]
    return "\n".join(lines) + "\n"


def pipeline(steps: Sequence[Step]) -> str:
    """The steps as one ``--pass-pipeline`` text, one per line, with the reason for each as a comment."""
    lines = []
    for number, step in enumerate(steps, start=1):
        comma = "," if number < len(steps) else ""
        reasons = [*([step.why] if step.why else []), *([f"runs {'; '.join(step.runs)}"] if step.runs else [])]
        lines.append(f"  {step.text}{comma}" + (f"  // {'; '.join(reasons)}" if reasons else ""))
    return "\n".join(("builtin.module(", *lines, ")")) + "\n"

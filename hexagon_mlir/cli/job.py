"""One run of ``hexmlir-opt`` over one part of the input: parse, run the steps, render the result."""

from __future__ import annotations

import sys
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING

from hexagon_mlir.cli import emit, printing, steps, tables
from hexagon_mlir.cli.arguments import Arguments
from hexagon_mlir.cli.inputs import Source
from hexagon_mlir.ir import ir, make_context, parse, set_index_bits, to_text
from hexagon_mlir.ir.diagnostics import NO_FILE, Diagnostic, HexError, Place, collect_into, from_mlir_error
from hexagon_mlir.ir.guards import check_index_constants
from hexagon_mlir.pass_infra import PassContext, Step
from hexagon_mlir.pass_infra.runner import RunOptions, StepRecord, count_ops, run_steps
from hexagon_mlir.targets import Target
from hexagon_mlir.whole_files import write_files

if TYPE_CHECKING:
    from hexagon_mlir.codegen.trace import Made

_NO_FILE = ("-", "<unknown>", NO_FILE)


@dataclass
class Result:
    """What one part gave: ``output`` is None when it failed; ``diagnostics`` name the input file."""

    output: str | bytes | None
    diagnostics: list[Diagnostic] = field(default_factory=list)
    error: Exception | None = None


def run(source: Source, plan: Sequence[Step], target: Target, arguments: Arguments,
        part: int | None) -> Result:
    """Process ``source``; ``part`` numbers the parts of a split input, for their dump folders."""
    context = PassContext(target)
    output, error = None, None
    try:
        output = _process(source, plan, context, arguments, part)
    except HexError as failure:
        context.log.entries += failure.diagnostics
        error = failure
    except ir.MLIRError as failure:  # a binding call that a pass did not wrap
        error = from_mlir_error(failure)
        context.log.entries += error.diagnostics
    return Result(output, [_named(diagnostic, source.name) for diagnostic in context.log.entries], error)


def _process(source: Source, plan: Sequence[Step], context: PassContext, arguments: Arguments,
             part: int | None) -> str | bytes:
    start = time.perf_counter()
    mlir_context = make_context()
    collect_into(mlir_context, context.log)
    module = parse(source.padded, file=source.name, context=mlir_context, hint=source.hint)
    if arguments.emit != "mlir":
        check_index_constants(module, "hexmlir-opt")
        set_index_bits(module)
    reading = time.perf_counter() - start
    before = count_ops(module) if arguments.stats else Counter()
    records = _run(module, plan, context, arguments, part, 0)
    if arguments.emit != "mlir" and not arguments.names_pipeline and not emit.is_llvm_level(module):
        rest = steps.named("default", context.target, steps.settings(arguments))
        records += _run(module, rest, context, arguments, part, len(records))
    start = time.perf_counter()
    trace: list[Made] | None = [] if arguments.timing or arguments.dump_ir else None
    output = _render(module, context, arguments, trace)
    seconds = time.perf_counter() - start - sum(made.seconds for made in trace or ())
    if arguments.dump_ir:
        _dump(trace or (), _folder(arguments, part), len(records))
    if arguments.timing:
        code = [(made.step, made.seconds) for made in trace or ()]
        last = "(start LLVM, write output)" if code else "(write output)"
        sys.stderr.write(tables.timing(records, [*code, ("(read input)", reading), (last, seconds)]))
    if arguments.stats:
        sys.stderr.write(tables.stats(before, count_ops(module)))
    return output


def _run(module: ir.Module, plan: Sequence[Step], context: PassContext, arguments: Arguments,
         part: int | None, first_index: int) -> list[StepRecord]:
    options = RunOptions(
        verify_each=arguments.verify_each, verify_levels=arguments.verify_levels, count_ops=arguments.timing,
        dump_dir=_folder(arguments, part) if arguments.dump_ir else None, first_index=first_index,
        observers=printing.observers(arguments))
    return run_steps(module, plan, context, options)


def _folder(arguments: Arguments, part: int | None) -> Path:
    """Where ``--dump-ir`` writes for ``part`` of the input."""
    return Path(arguments.dump_ir) / (f"part{part:02d}" if part is not None else "")


def _dump(trace: Sequence[Made], folder: Path, first: int) -> None:
    """What each step from LLVM IR to assembly changed, in files numbered from ``first`` on."""
    from hexagon_mlir.codegen.trace import CODE_GENERATION

    write_files({folder / f"{number:02d}-{made.step}.after{'.s' if made.step == CODE_GENERATION else '.ll'}":
                 made.text.encode() for number, made in enumerate(trace, start=first) if made.text})


def _render(module: ir.Module, context: PassContext, arguments: Arguments,
            trace: list[Made] | None) -> str | bytes:
    if arguments.print_schedule:
        return printing.schedules(context)
    if arguments.emit != "mlir":
        output = emit.emit(module, context.target, arguments.emit, arguments.pipeline, steps.settings(arguments),
                           trace)
        if isinstance(output, str) and arguments.emit == "asm":
            from hexagon_mlir.codegen.compile import note_remarks

            note_remarks(output, context)
        return output
    return to_text(module, generic=arguments.print_op_generic, locations=arguments.print_debuginfo,
                   elide=False)


def _named(diagnostic: Diagnostic, file: str) -> Diagnostic:
    """The parser calls every input "-": put the name of the file there."""
    if diagnostic.place.file not in _NO_FILE:
        return diagnostic
    return replace(diagnostic, place=Place(file, diagnostic.place.line, diagnostic.place.column))

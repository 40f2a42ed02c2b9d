"""Drives one call of ``hexmlir-opt``: plan the steps, process each part, report, write the output."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Sequence
from pathlib import Path

from hexagon_mlir.cli import inputs, job, printing, steps, verify_diagnostics
from hexagon_mlir.cli.arguments import Arguments
from hexagon_mlir.cli.inputs import Source
from hexagon_mlir.whole_files import write_files

_SEPARATOR = "// -----\n"


def drive(arguments: Arguments) -> int:
    """Do what ``arguments`` ask for; returns the exit code. Raises `HexError` for what concerns no part."""
    target, settings = steps.target(arguments.target), steps.settings(arguments)
    if arguments.print_pipeline:
        named = steps.named(arguments.print_pipeline, target, settings)
        return _write(printing.pipeline(named) + printing.code_generation(), arguments.output)
    if arguments.emit in ("asm", "obj"):
        from hexagon_mlir.codegen.processes.worker import workers

        workers().start()  # LLVM is loaded while the passes are imported and run
    plan = steps.build(arguments.requests, target, settings)
    if arguments.print_pipeline is not None:
        code = printing.code_generation() if arguments.names_pipeline else ""
        return _write(printing.pipeline(plan) + code, arguments.output)
    source = inputs.read_source(arguments.input)
    parts = inputs.split(source) if arguments.split_input_file else [source]
    outputs: list[str | bytes] = []
    failed = False
    for number, part in enumerate(parts):
        result = job.run(part, plan, target, arguments, number if len(parts) > 1 else None)
        if arguments.verify_diagnostics:
            failed |= _compare(part, result, arguments)
        else:
            failed |= _report(result, arguments)
        if result.output is not None:
            outputs.append(result.output)
    sys.stderr.flush()  # so that 2>&1 shows messages before the module
    if not failed or arguments.split_input_file:
        _write(_joined(outputs), arguments.output)
    return int(failed)


def _report(result: job.Result, arguments: Arguments) -> bool:
    """Print diagnostics; returns True when the part failed."""
    for diagnostic in result.diagnostics:
        if diagnostic.severity != "remark" or arguments.remarks:
            print(diagnostic, file=sys.stderr)
    if result.error is not None and arguments.debug:
        sys.stderr.flush()
        raise result.error
    return result.output is None


def _compare(part: Source, result: job.Result, arguments: Arguments) -> bool:
    text = part.text.decode("utf-8", errors="replace")
    found = verify_diagnostics.problems(text, part.lines_before, result.diagnostics, part.name,
                                        arguments.remarks)
    for problem in found:
        print(problem, file=sys.stderr)
    return bool(found)


def _joined(outputs: Sequence[str | bytes]) -> str | bytes:
    if len(outputs) == 1:
        return outputs[0]
    return _SEPARATOR.join(_texts(outputs))


def _texts(outputs: Iterable[str | bytes]) -> Iterable[str]:
    return (output if isinstance(output, str) else output.decode() for output in outputs)


def _write(content: str | bytes, path: str) -> int:
    data = content.encode() if isinstance(content, str) else content
    if path == "-":
        sys.stdout.flush()
        out = getattr(sys.stdout, "buffer", None)
        if out is None:
            sys.stdout.write(data.decode())
        else:
            out.write(data)
            out.flush()
        return 0
    write_files({Path(path): data})
    return 0

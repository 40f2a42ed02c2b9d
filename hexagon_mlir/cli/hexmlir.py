"""``hexmlir``: files to take away, runs, the simulator, profiles of scripts, facts about targets and the cache."""

from __future__ import annotations

import difflib
import sys
from collections.abc import Sequence

from hexagon_mlir.cli.arguments import UsageError
from hexagon_mlir.cli.errors import run_tool
from hexagon_mlir.frontend import MODEL_FILES

TOOL = "hexmlir"
COMMANDS = ("targets", "profile", "compile", "run", "report", "bench", "sweep", "sim", "disassemble", "generate",
            "cache", "version")
USAGE = """usage: hexmlir COMMAND

  targets                  the chips we know
  targets show NAME        every number of one, with its unit, source and confidence
  profile SCRIPT [ARGS]    run a Python script on the simulated NPU and report every kernel launch, also as HTML pages
                           (hexmlir profile --help)
  compile FILE [-o OUT]    object, shared object, program, assembly or LLVM IR, with a C header and a weights file; of
                           MODEL.pt2 or MODEL.onnx also a folder that hexagon_mlir.load reads
  run FILE --args A ...    compile and run, on the simulator or under QEMU (hexmlir run --help)
  report FILE [-o FOLDER]  run a kernel, a model or a script and write HTML pages: shares of the cycles, passes,
                           packets, timelines (hexmlir report --help)
  bench [KERNEL ...]       cycles of a fixed corpus beside LLVM's vectorizer and their bounds (hexmlir bench --help)
  sweep PROGRAM ...        programs over targets, settings and sizes, in one table (hexmlir sweep --help)
  sim FILE.s --entry F     run a function of an assembly file on the simulator (hexmlir sim --help)
  disassemble FILE         print a bytecode program (hexmlir disassemble --help)
  generate MODEL           continue a text with a language model, a folder or a GGUF file (hexmlir generate --help)
  cache                    where compiled code is kept, and how much of it
  cache clear              remove it
  version                  versions of this tool and of its dependencies

Passes are run with hexmlir-opt. Add --debug for Python tracebacks, before 'profile'.
"""


def main(argv: Sequence[str] | None = None) -> int:
    """Entry point; returns the exit code."""
    return run_tool(TOOL, _main, sys.argv[1:] if argv is None else argv)


def _main(argv: Sequence[str]) -> int:
    words = list(argv)
    if words[:1] == ["--debug"]:
        words.pop(0)
    if words[:1] != ["profile"]:  # what follows that may be the script's
        words = [word for word in words if word != "--debug"]
    match words:
        case [] | ["help" | "--help" | "-h"] | ["targets" | "cache" | "version", "--help" | "-h"]:
            sys.stdout.write(USAGE)
        case ["version"] | ["--version"]:
            from hexagon_mlir.cli import listing

            sys.stdout.write(listing.versions())
        case ["targets"]:
            sys.stdout.write(_targets())
        case ["targets", "show"]:
            raise UsageError("no target is named", "hexmlir targets show v75")
        case ["targets", "show", name]:
            sys.stdout.write(_target(name))
        case ["profile", *arguments]:
            from hexagon_mlir.cli.profile import profile

            return profile(arguments)
        case ["compile", *arguments]:
            if any(word.endswith(MODEL_FILES) for word in arguments):
                from hexagon_mlir.cli.compile import compile_model

                return compile_model(arguments)
            from hexagon_mlir.cli.build import compile_file

            return compile_file(arguments)
        case ["run", *arguments]:
            from hexagon_mlir.cli.build import run_file

            return run_file(arguments)
        case ["report", *arguments]:
            from hexagon_mlir.cli.report import report

            return report(arguments)
        case ["bench", *arguments]:
            from hexagon_mlir.cli.bench import bench

            return bench(arguments)
        case ["sweep", *arguments]:
            from hexagon_mlir.cli.sweep import sweep

            return sweep(arguments)
        case ["sim", *arguments]:
            from hexagon_mlir.cli.simulate import simulate

            return simulate(arguments)
        case ["disassemble", *arguments]:
            from hexagon_mlir.cli.disassemble import disassemble_file

            return disassemble_file(arguments)
        case ["generate", *arguments]:
            from hexagon_mlir.cli.generate import generate

            return generate(arguments)
        case ["cache"]:
            sys.stdout.write(_cache())
        case ["cache", "clear"]:
            sys.stdout.write(_clear_cache())
        case [command, *rest]:
            if command in COMMANDS:
                raise UsageError(f"cannot read '{' '.join(rest)}' after 'hexmlir {command}'", "hexmlir --help")
            near = difflib.get_close_matches(command, COMMANDS, n=1)
            raise UsageError(f"unknown command '{command}'", f"did you mean {near[0]}?" if near else "hexmlir --help")
    return 0


def _targets() -> str:
    from hexagon_mlir import targets
    from hexagon_mlir.report.text import size, table

    rows = []
    for name in targets.names():
        target = targets.get(name)
        lanes = "IEEE" if target.ieee_float else "qfloat" if target.vector_float else "none"
        rows.append((name, lanes, f"{target.hvx_contexts.value}",
                     f"{target.hardware_threads.value}", size(int(target.tcm_bytes.value)),
                     "default" if name == targets.DEFAULT else ""))
    return table(("target", "HVX float", "HVX contexts", "threads", "TCM", ""), rows)


def _target(name: str) -> str:
    from hexagon_mlir import targets
    from hexagon_mlir.report.text import table
    from hexagon_mlir.targets.base import Confidence

    try:
        target = targets.get(name)
    except targets.TargetError as error:
        raise UsageError(str(error), "hexmlir targets") from None
    rows = [(fact_name, f"{fact.value:,.12g}", fact.unit, fact.confidence.value, fact.source)
            for fact_name, fact in target.facts().items()]
    kinds = ", ".join(f"{kind.value} = {kind.name.lower()}" for kind in Confidence)
    return (f"{target.name}: {target.cpu} {target.features}\n\n"
            + table(("fact", "value", "unit", "from", "source"), rows) + f"\n{kinds}\n")


def _cache() -> str:
    from hexagon_mlir import disk_cache
    from hexagon_mlir.report.text import size

    entries, unfinished, nbytes = disk_cache.usage()
    rest = f", {unfinished} unfinished" if unfinished else ""
    return f"{disk_cache.folder()}: {entries} entries{rest}, {size(nbytes)}\n"


def _clear_cache() -> str:
    from hexagon_mlir import disk_cache

    return f"removed {disk_cache.clear()} entries from {disk_cache.folder()}\n"


if __name__ == "__main__":
    sys.exit(main())

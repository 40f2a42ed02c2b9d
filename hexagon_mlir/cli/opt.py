"""``hexmlir-opt``: runs any pass, ours or upstream's, over MLIR text."""

from __future__ import annotations

import sys
from collections.abc import Sequence

from hexagon_mlir.cli.arguments import FLAGS, Arguments, UsageError, help_text, parse_arguments
from hexagon_mlir.cli.errors import own_process, run_tool

TOOL = "hexmlir-opt"


def main(argv: Sequence[str] | None = None) -> int:
    """Entry point; returns the exit code."""
    if argv is None:
        own_process()
        argv = sys.argv[1:]
    return run_tool(TOOL, _main, argv)


def _main(argv: Sequence[str]) -> int:
    arguments = parse_arguments(argv)
    text = _information(arguments)
    if text is None:
        _check_passes(arguments)
        from hexagon_mlir.cli.drive import drive  # imports the MLIR bindings

        return drive(arguments)
    sys.stdout.write(text)
    return 0


def _information(arguments: Arguments) -> str | None:
    """What flags such as ``--help`` print instead of running anything."""
    if arguments.help:
        return help_text()
    if not (arguments.version or arguments.list_passes or arguments.list_pipelines):
        return None
    from hexagon_mlir.cli import listing

    if arguments.version:
        return listing.versions()
    return listing.passes() if arguments.list_passes else listing.pipelines()


def _check_passes(arguments: Arguments) -> None:
    """Raise `UsageError` for a pass that there is none of; each flag that is not ours was taken for one."""
    from hexagon_mlir import pass_names

    for name in (request.name for request in arguments.requests if request.kind == "pass"):
        if not (pass_names.knows(name) or pass_names.is_upstream(name)):
            near = pass_names.nearest(name, (flag.name for flag in FLAGS))
            raise UsageError(f"unknown flag or pass '--{name}'",
                             f"did you mean --{near}?" if near else "hexmlir-opt --help; hexmlir-opt --list-passes")


if __name__ == "__main__":
    sys.exit(main())

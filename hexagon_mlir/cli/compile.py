"""``hexmlir compile MODEL.pt2 -o DIR``: an exported PyTorch model to files that `hexagon_mlir.load` reads."""

from __future__ import annotations

import sys
from collections.abc import Sequence

from hexagon_mlir import targets
from hexagon_mlir.cli.arguments import UsageError
from hexagon_mlir.ir.diagnostics import HexError

_USAGE = "hexmlir compile MODEL.pt2 -o DIR [--target NAME] [--accuracy accurate|fast]"


def compile_model(arguments: Sequence[str]) -> int:
    """Compile and save the model; prints what the compiler did. Returns the exit code."""
    source, folder, target, accuracy = _read(arguments)
    if target not in targets.names():
        raise UsageError(f"unknown target '{target}'", f"one of {', '.join(targets.names())}")
    try:
        import torch  # noqa: F401
    except ImportError:
        raise HexError.plain("PyTorch is not installed", hint="pip install 'hexagon-mlir[torch]'") from None
    from hexagon_mlir.frontend.torch.compile import compile_exported
    from hexagon_mlir.pipelines import Settings
    from hexagon_mlir.report.model import model_report
    from hexagon_mlir.report.progress import progress_bar

    with progress_bar() as progress:
        model = compile_exported(source, target, progress=progress, settings=Settings(accuracy=accuracy))
    model.save(folder)
    sys.stdout.write(model_report(model))
    return 0


def _read(arguments: Sequence[str]) -> tuple[str, str, str, str]:
    words = iter(arguments)
    source, folder, target, accuracy = "", "", targets.DEFAULT, "accurate"
    for word in words:
        name, equals, value = word.partition("=")
        if name in ("-o", "--output", "--target", "--accuracy"):
            value = value if equals else next(words, "")
            if not value:
                raise UsageError(f"{name} needs a value", _USAGE)
            if name == "--target":
                target = value
            elif name == "--accuracy":
                accuracy = value
            else:
                folder = value
        elif word.startswith("-") or source:
            raise UsageError(f"cannot read '{word}'", _USAGE)
        else:
            source = word
    if not source or not folder:
        raise UsageError("a model and a folder are needed", _USAGE)
    return source, folder, target, accuracy

"""``hexmlir compile MODEL.pt2 -o DIR``: an exported PyTorch model, or ONNX, to files that run here, or elsewhere."""

from __future__ import annotations

import re
import sys
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from hexagon_mlir import targets
from hexagon_mlir.cli.arguments import UsageError
from hexagon_mlir.cli.build_options import KINDS, SETTINGS, SETTINGS_NAMES, Options
from hexagon_mlir.cli.options import read_options
from hexagon_mlir.ir.diagnostics import HexError

if TYPE_CHECKING:
    from hexagon_mlir.frontend.torch.model import CompiledModel

USAGE = f"""usage: hexmlir compile MODEL.pt2 or MODEL.onnx -o DIR [options]

  -o DIR         the folder to write; without --emit, what hexagon_mlir.load reads
  --emit=KIND    asm or ll (LLVM IR), a file per kernel; obj, so (shared object) or elf (a program that runs the model
                 on a memory image, see docs/device.md), with the weights in MODEL.weights, which is mapped, the calls
                 of the kernels in C, a C header and a C example
  --shapes=A,B   sizes of the inputs, such as 1x12,1x12x64 or scalar, of a model with dynamic sizes
  --target=NAME  the chip, see 'hexmlir targets' (default v75)
  --numerics=K   f32 (as exported), f32-split (with --f32-split), mixed (f16 weights and operands of products, f32 sums,
                 arithmetic and depthwise convolutions) or f16 (these, additions and selections between products too)
  --dump-ir=DIR  write each pass's input and output into DIR: a folder for each kernel, and `model` for the whole
  --trust        also read a MODEL.pt2 that holds pickled objects, native code or foreign operators: code in it may run
  --pipeline, {SETTINGS_NAMES}: as for kernels, see 'hexmlir compile --help'
"""
_HINT = "hexmlir compile MODEL.pt2 --help"


def compile_model(words: Sequence[str]) -> int:
    """Compile and write the model; prints what the compiler did. Returns the exit code."""
    if "--help" in words or "-h" in words:
        sys.stdout.write(USAGE)
        return 0
    known = ("output", "emit", "numerics", "shapes", "trust", "dump_ir", *SETTINGS)
    options = read_options(Options(emit=""), words, known, _HINT)
    if not options.output:
        raise UsageError("a model and a folder are needed", _HINT)
    if options.emit and options.emit not in KINDS:
        raise UsageError(f"unknown kind '{options.emit}'", f"--emit is one of {', '.join(KINDS)}")
    model = compiled_model(options, shapes_of(options.shapes) if options.shapes else None)
    folder = Path(options.output)
    if not options.emit:
        from hexagon_mlir.report.model import model_report

        model.save(folder)
        sys.stdout.write(model_report(model))
        return 0
    from hexagon_mlir.cli.artifacts import write_model

    for path in write_model(model, options.emit, folder, Path(options.file).stem):
        sys.stdout.write(f"{path}\n")
    return 0


def compiled_model(options: Options, shapes: Sequence[tuple[int, ...]] | None) -> CompiledModel:
    """The model that ``options`` name; one with dynamic sizes for inputs of ``shapes``."""
    if options.target:
        try:
            targets.get(options.target)
        except targets.TargetError as error:
            raise UsageError(str(error)) from None
    try:
        import torch  # noqa: F401
    except ImportError:
        raise HexError.plain("PyTorch is not installed", hint="pip install 'hexagon-mlir[torch]'") from None
    from hexagon_mlir.frontend.torch.compile import compile_exported
    from hexagon_mlir.frontend.torch.model import CompiledModel
    from hexagon_mlir.pass_infra.runner import RunOptions
    from hexagon_mlir.settings import Settings

    with _without_deprecations():
        model = compile_exported(options.file, options.target or targets.DEFAULT, options.pipeline,
                                 settings=Settings(**options.settings), numerics=options.numerics, trust=options.trust,
                                 options=RunOptions(dump_dir=Path(options.dump_ir)) if options.dump_ir else None)
        if isinstance(model, CompiledModel):
            return model
        if shapes is None:
            raise HexError.plain("the model has dynamic sizes, and files hold one combination", file=options.file,
                                 hint="say which: --shapes=1x12,1x12x64")
        return model.specialize_to(shapes)


@contextmanager
def _without_deprecations() -> Iterator[None]:
    """PyTorch warns of what its own code does."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FutureWarning)
        warnings.simplefilter("ignore", DeprecationWarning)
        yield


def shapes_of(text: str) -> list[tuple[int, ...]]:
    """What ``--shapes`` says; raises `UsageError`."""
    found = []
    for word in text.split(","):
        if not re.fullmatch(r"scalar|\d+(x\d+)*", word):
            raise UsageError(f"cannot read '{word}' in --shapes", "--shapes=1x12,1x12x64")
        found.append(() if word == "scalar" else tuple(int(size) for size in word.split("x")))
    return found

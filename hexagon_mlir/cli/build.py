"""``hexmlir compile`` and ``hexmlir run``: a kernel as files to take away, or executed at once."""

from __future__ import annotations

import json
import re
import sys
import warnings
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hexagon_mlir.cli.arguments import UsageError, whole_number
from hexagon_mlir.cli.arrays import array_bytes, read_array
from hexagon_mlir.cli.build_options import KINDS, SETTINGS, SETTINGS_NAMES, SETTINGS_USAGE, Options
from hexagon_mlir.cli.options import keep_input, read_options
from hexagon_mlir.frontend import MODEL_FILES
from hexagon_mlir.ir.diagnostics import HexError

if TYPE_CHECKING:
    from hexagon_mlir.api import CompiledKernel

COMPILE_USAGE = """usage: hexmlir compile FILE.mlir [-o OUT] [options]
       hexmlir compile MODEL.pt2 or MODEL.onnx -o DIR [options]   (see hexmlir compile MODEL.pt2 --help)

  -o OUT           the file to write (default: FILE with the kind's suffix)
  --emit=KIND      asm, ll (LLVM IR), obj (default), so (shared object), elf (a program that runs the kernel on
                   a memory image, see docs/device.md); obj and so come with a C header and a C example.
                   Large constants go to OUT.weights, which is mapped when the kernel is called
  --target=NAME    the chip, see 'hexmlir targets' (default v75)
  --pipeline=NAME  the passes, see 'hexmlir-opt --list-pipelines' (default: default)
  --entry=NAME     the function, when the file has several
  --dump-ir=DIR    write each pass's input and output into DIR
""" + SETTINGS_USAGE
RUN_USAGE = f"""usage: hexmlir run FILE.mlir [--args A B ...] [options]
       hexmlir run MODEL.pt2 or MODEL.onnx [--args A B ...] [--executor=NAME] [--out=FOLDER] [--numerics=NAME] [--trust]

  --args A B ...   the arguments: numbers, or data.npy for a tensor
  --grid=X,Y,Z     launch grid of a Triton kernel
  --executor=NAME  sim (default): the simulator, with a profile; qemu: an ELF program under qemu-hexagon
  --out=FOLDER     write resultN.npy, and the changed arguments as argN.npy
  --report=FILE    write a kernel's compilation and its run on the simulator as text or, for a FILE.html, as a page:
                   what every pass changed, the assembly with the cycles of each packet, the timeline
  --trace=FILE     write the timeline of threads, DMA and TCM as JSON that Perfetto opens
  --check          find faults of a run on the simulator: bounds, uninitialised memory, DMA, races, leaks, ...; exit
                   code 1 if there are any
  --arithmetic=A   of the simulator's HVX floating point: chip (as the target computes it) or ieee
  --target, --pipeline, --entry, --numerics, --trust,
  {SETTINGS_NAMES}: as for 'hexmlir compile'
"""
def compile_file(words: Sequence[str]) -> int:
    """The exit code of ``hexmlir compile`` with ``words`` after it."""
    if not words or "--help" in words or "-h" in words:
        sys.stdout.write(COMPILE_USAGE)
        return 0
    known = ("output", "emit", "entry", "dump_ir", *SETTINGS)
    options = read_options(Options(), words, known, "hexmlir compile --help")
    if options.emit not in KINDS:
        raise UsageError(f"unknown kind '{options.emit}'", f"--emit is one of {', '.join(KINDS)}")
    source = Path(options.file)
    if source.is_dir():
        raise HexError.plain("cannot read the file: Is a directory", file=options.file)
    output = Path(options.output) if options.output else source.with_suffix(KINDS[options.emit])
    if output.is_dir():
        raise HexError.plain("cannot write the file: it is a folder", file=options.output, hint="-o OUT names a file")
    keep_input(options.file, [str(output)], "-o OUT")
    from hexagon_mlir.cli.artifacts import write_kernel

    for path in write_kernel(compiled_kernel(options), options.emit, output):
        sys.stdout.write(f"{path}\n")
    return 0


def run_file(words: Sequence[str]) -> int:
    """The exit code of ``hexmlir run`` with ``words`` after it."""
    if not words or "--help" in words or "-h" in words:
        sys.stdout.write(RUN_USAGE)
        return 0
    known = ("args", "executor", "out", "grid", "entry", "numerics", "trust", "report", "trace", "check", "arithmetic",
             *SETTINGS)
    options = read_options(Options(), words, known, "hexmlir run --help")
    keep_input(options.file, [options.report, options.trace], "another name for --report or --trace")
    import numpy as np

    arguments = [argument(word) for word in options.args]
    if options.check and options.executor != "sim":
        raise UsageError("faults are found on the simulator only", "--executor=sim")
    if options.arithmetic and options.executor != "sim":
        raise UsageError("--arithmetic is an option of the simulator", "--executor=sim")
    from hexagon_mlir.exec import sim
    from hexagon_mlir.report import text
    from hexagon_mlir.whole_files import write_files

    before = [value.copy() if isinstance(value, np.ndarray) else value for value in arguments]
    run = _run_model if options.file.endswith(MODEL_FILES) else _run_kernel
    with (warnings.catch_warnings(record=True) as caught, sim.checking(options.check) as reports,
          sim.computing(options.arithmetic)):
        warnings.simplefilter("always")
        outputs, profile, files = run(options, arguments)
    for warning in caught:
        if issubclass(warning.category, UserWarning):
            sys.stderr.write(f"hexmlir: warning: {warning.message}\n")
    if options.out:  # first: a reader that stops (| head) must not cost the results
        _save(Path(options.out), outputs, arguments, before)
    write_files({Path(name): text.encode() for name, text in files.items()})
    for number, output in enumerate(outputs):
        sys.stdout.write(f"result{number}: {output.dtype} {list(output.shape)}\n{output}\n")
    sys.stdout.write(profile + (text.faults(reports) if options.check else ""))
    return int(any(report.certain for report in reports))


def _run_kernel(options: Options, arguments: Sequence[Any]) -> tuple[Sequence[Any], str, dict[str, str]]:
    """Results, what the run cost as text, and files that were asked for by name."""
    from hexagon_mlir.report import text
    from hexagon_mlir.sim import RunResult

    if options.numerics != "f32":
        raise UsageError("--numerics is for whole models", "hexmlir run --help")
    if options.trust:
        raise UsageError("--trust is for PyTorch programs", "hexmlir run --help")
    if options.trace and options.executor != "sim":
        raise UsageError("a run under QEMU has no timeline", "--executor=sim")
    kernel = compiled_kernel(options)
    run = kernel.run(*arguments, grid=grid(options), executor=options.executor,
                     trace=bool(options.report or options.trace))
    files = {options.report: kernel.report_text(options.report)} if options.report else {}
    if options.trace:
        assert run.trace is not None
        files[options.trace] = json.dumps(run.trace.timeline)
    return run.outputs, text.run(run.result) if isinstance(run.result, RunResult) else _counters(run.result), files


def grid(options: Options) -> tuple[int, ...] | None:
    """The launch grid that ``options`` name, if any; raises `UsageError`."""
    if not options.grid:
        return None
    return tuple(whole_number("a size in --grid", part, "--grid=X,Y,Z") for part in options.grid.split(","))


def _run_model(options: Options, arguments: Sequence[Any]) -> tuple[Sequence[Any], str, dict[str, str]]:
    """As `_run_kernel`, of a model; ``--args`` are its flat arguments."""
    from hexagon_mlir.cli.compile import compiled_model
    from hexagon_mlir.report import text

    if options.grid or options.entry:
        raise UsageError("a model has no grid and no entry", "hexmlir run --help")
    if options.report or options.trace:
        raise UsageError("--report and --trace are for kernels", "hexmlir profile --report=FOLDER SCRIPT")
    import torch

    flat = [torch.from_numpy(value) if hasattr(value, "dtype") else value for value in arguments]
    model = compiled_model(options, [tuple(value.shape) for value in flat if isinstance(value, torch.Tensor)])
    expected = model.signature.arguments
    if len(flat) != expected:
        raise HexError.plain(f"the model takes {expected} arguments, {len(flat)} given", file=options.file)
    results = model.run_flat(flat, options.executor)
    outputs = [r.detach().numpy() if r.dtype != torch.bfloat16 else r.detach().float().numpy()
               for r in results if isinstance(r, torch.Tensor)]
    run = model.last_run
    assert run is not None
    return outputs, text.launches(run.launches) if run.counters is None else _counters(run.counters), {}


def compiled_kernel(options: Options) -> CompiledKernel:
    """The kernel that ``options`` name."""
    import hexagon_mlir as hx
    from hexagon_mlir import targets

    settings = dict(options.settings)
    if options.report or options.trace or options.check:
        settings["line_info"] = True
    kernel = hx.compile(Path(options.file), target=options.target or targets.DEFAULT, pipeline=options.pipeline,
                        entry=options.entry or None, dump_dir=options.dump_ir or None, **settings)
    assert isinstance(kernel, hx.CompiledKernel)  # a model's file goes another way
    return kernel


def _counters(counters: Any) -> str:
    from hexagon_mlir.report import text

    return text.table(("QEMU", ""), [(name.replace("_", " "), str(value)) for name, value in vars(counters).items()])


def _save(folder: Path, outputs: Sequence[Any], arguments: Sequence[Any], before: Sequence[Any]) -> None:
    """The results, and the arguments that the run changed."""
    import numpy as np

    from hexagon_mlir.whole_files import write_files

    arrays = {f"result{number}": value for number, value in enumerate(outputs)}
    arrays |= {f"arg{number}": value for number, (value, old) in enumerate(zip(arguments, before, strict=True))
               if isinstance(value, np.ndarray) and value.tobytes() != old.tobytes()}
    write_files({folder / f"{name}.npy": array_bytes(array) for name, array in arrays.items()}, folders=[folder])


def argument(word: str) -> Any:
    """The number, or the array of the file, that ``word`` stands for; raises `UsageError`."""
    if word.endswith(".npy"):
        return read_array(word)
    try:
        if re.fullmatch(r"[+-]?[0-9]+", word):
            return int(word)
        return int(word, 16) if re.fullmatch(r"0[xX][0-9a-fA-F]+", word) else float(word)
    except ValueError:
        raise UsageError(f"cannot read '{word}' as a number or a .npy file", "hexmlir run --help") from None

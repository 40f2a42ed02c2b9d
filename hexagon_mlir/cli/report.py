"""``hexmlir report FILE -o FOLDER``: compile and run a kernel, a model or a script, and write pages about it."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path

from hexagon_mlir.cli.arguments import UsageError
from hexagon_mlir.cli.build_options import SETTINGS, SETTINGS_NAMES, Options
from hexagon_mlir.cli.options import read_options
from hexagon_mlir.frontend import MODEL_FILES

HINT = "hexmlir report --help"
FOLDER = "report"
USAGE = f"""usage: hexmlir report FILE [-o FOLDER] [options]

Compiles and runs FILE on the simulator and writes FOLDER/index.html, which needs no network: every kernel with its
share of the cycles, a roofline, of a model the graph; and a page for each kernel: timeline, cycles by cause, source
lines and their packets, what each pass changed.

FILE is a kernel (.mlir, .ttir), a model (.pt2, .onnx, or a folder of hexmlir compile MODEL -o FOLDER), or a Python
script (.py), whose launches are shown.

  -o FOLDER      where to write; pages of an earlier report that are not written again are removed ({FOLDER})
  --args A ...   arguments of a kernel or a model: numbers and .npy files; made up when there are none
  --grid=X,Y,Z   launch grid of a Triton kernel
  --shapes=A,B   sizes of the inputs, such as 1x12,1x12x64 or scalar, of a model with dynamic sizes
  --numerics=K, --trust: as for models, see 'hexmlir compile MODEL.pt2 --help'
  --entry, --target, --pipeline, {SETTINGS_NAMES}: as for kernels, see 'hexmlir compile --help'
"""


def report(words: Sequence[str]) -> int:
    """The exit code of ``hexmlir report`` with ``words`` after it."""
    if not words or "--help" in words or "-h" in words:
        sys.stdout.write(USAGE)
        return 0
    known = ("output", "args", "grid", "shapes", "numerics", "trust", "entry", *SETTINGS)
    options = read_options(Options(output=FOLDER), words, known, HINT)
    source, folder = Path(options.file), Path(options.output)
    if folder.exists() and not folder.is_dir():
        raise UsageError(f"'{folder}' is a file, and the report is a folder", "-o FOLDER")
    model = options.file.endswith(MODEL_FILES) or source.is_dir()
    make = _script if source.suffix == ".py" else _model if model else _kernel
    code, paths = make(options, folder)
    for path in paths:
        print(path)
    return code


def _script(options: Options, folder: Path) -> tuple[int, list[Path]]:
    from hexagon_mlir.cli.profile import prepare, run_script
    from hexagon_mlir.report.folder import write_report
    from hexagon_mlir.report.recording import recording

    if options.args or options.grid or options.shapes or options.settings:
        raise UsageError("a script chooses arguments and settings itself", HINT)
    prepare(options.file)
    with recording() as recorded:
        code = run_script(options.file, ())
    sys.stdout.flush()
    return code, write_report(folder, Path(options.file).name, recorded)


def _kernel(options: Options, folder: Path) -> tuple[int, list[Path]]:
    from hexagon_mlir.cli.build import argument, compiled_kernel, grid
    from hexagon_mlir.exec.made_up import made_up
    from hexagon_mlir.report.folder import write_report
    from hexagon_mlir.report.recording import recording

    if options.numerics != "f32" or options.trust or options.shapes:
        raise UsageError("--numerics, --trust and --shapes are for models", HINT)
    given = [argument(word) for word in options.args]
    with recording() as recorded:
        kernel = compiled_kernel(options)
        kernel.run(*(given or map(made_up, kernel.interface.arguments)), grid=grid(options))
    return 0, write_report(folder, f"{Path(options.file).name} on {kernel.target}", recorded)


def _model(options: Options, folder: Path) -> tuple[int, list[Path]]:
    from hexagon_mlir.cli.build import argument
    from hexagon_mlir.cli.compile import compiled_model, shapes_of

    if options.grid or options.entry:
        raise UsageError("a model has no grid and no entry", HINT)
    given = [argument(word) for word in options.args]
    if Path(options.file).is_dir():
        import hexagon_mlir as hx

        if options.settings or options.target or options.shapes:
            raise UsageError("a saved model is compiled already: it has its target, settings and sizes", HINT)
        model = hx.load(options.file)
    else:
        shapes = shapes_of(options.shapes) if options.shapes else [value.shape for value in given
                                                                    if hasattr(value, "shape")] or None
        model = compiled_model(options, shapes)
    import torch

    from hexagon_mlir.frontend.torch.explanation import report as write

    flat = [torch.from_numpy(value) if hasattr(value, "dtype") else value for value in given]
    return 0, write(model, folder, flat, f"{Path(options.file).name} on {model.target}")


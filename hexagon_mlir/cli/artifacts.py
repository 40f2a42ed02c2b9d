"""Files to take away: assembly, LLVM IR, objects, shared objects, programs, and the C text that goes with them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from hexagon_mlir import targets
from hexagon_mlir.cli.build_options import KINDS
from hexagon_mlir.codegen.artifacts import c_interface, link
from hexagon_mlir.codegen.artifacts.c_interface import Function
from hexagon_mlir.codegen.artifacts.weights import Weights
from hexagon_mlir.exec.elf import kernel_object
from hexagon_mlir.ir import HexError
from hexagon_mlir.whole_files import Content, is_replaced, write_files

if TYPE_CHECKING:
    from hexagon_mlir.api import CompiledKernel
    from hexagon_mlir.frontend.torch.model import CompiledModel

_WEIGHTS_SUFFIX = ".weights"


def write_kernel(kernel: CompiledKernel, kind: str, output: Path) -> list[Path]:
    """Write ``kernel`` as one of `cli.build.KINDS` to ``output``, with its weights; obj and so with header and example.

    All files appear whole or none does. Gives the paths written; the same kernel gives the same bytes. Beside what is
    no regular file (a device, standard output) nothing is written, and no path is given.
    """
    chip = targets.get(kernel.target)
    if not is_replaced(output):
        if kernel.weights is not None:
            raise HexError.plain("the weights need a file next to the output", file=str(output), hint="-o OUT")
        write_files({output: _content(kernel, kind)})
        return []
    if kernel.weights is not None and output.suffix == _WEIGHTS_SUFFIX:
        raise HexError.plain("the weights would replace the output", file=str(output), hint="-o OUT")
    files: dict[Path, Content] = {output: _content(kernel, kind)}
    view = c_interface.function_of(kernel.interface, kernel.target, kernel.weights) if kind in ("obj", "so") else None
    files |= _beside(output, view, kernel.weights, int(chip.vector_bytes.value))
    return _written(files, output, kind)


def write_model(model: CompiledModel, kind: str, folder: Path, name: str) -> list[Path]:
    """Write ``model`` as one of `cli.build.KINDS` into ``folder``, which is made.

    The code is called ``name``, made an identifier of C; header, example, its calls of kernels in C, and weights go
    with it. asm and ll are one file per kernel. All files appear whole or none does.
    """
    if kind in ("asm", "ll"):
        texts = {k.name: k.asm if kind == "asm" else k.llvm_ir for k in model.schedule.kernels}
        return _written({folder / f"{name}{KINDS[kind]}": text.encode() for name, text in texts.items()}, folder, kind,
                        [folder])
    binary = model.binary(name)
    output = folder / f"{binary.function.name}{KINDS[kind]}"
    code = {"obj": binary.object, "so": binary.shared_object, "elf": binary.program}[kind]()
    files = {output: code, output.with_suffix(".c"): binary.source.encode(),
             **_beside(output, binary.function, binary.weights, binary.alignment)}
    return _written(files, output, kind, [folder])


def _beside(output: Path, function: Function | None, weights: Weights | None, alignment: int) -> dict[Path, Content]:
    """What goes with ``output``: header and example of ``function``, and the weights file."""
    files: dict[Path, Content] = {}
    place = output.with_suffix(_WEIGHTS_SUFFIX)
    if function is not None:
        header = output.with_suffix(".h")
        files[header] = c_interface.header(function, alignment).encode()
        files[output.with_name(f"{output.stem}_example.c")] = c_interface.example(
            function, alignment, header.name, place.name).encode()
    if weights is not None:
        files[place] = weights.chunks()
    return files


def _written(files: Mapping[Path, Content], output: Path, kind: str, folders: Sequence[Path] = ()) -> list[Path]:
    write_files(files, [output] if kind in ("elf", "so") else [], folders)
    return list(files)


def _content(kernel: CompiledKernel, kind: str) -> bytes:
    if kind == "asm":
        return kernel.asm.encode()
    if kind == "ll":
        return kernel.llvm_ir.encode()
    if kind == "elf":
        return kernel.program()
    code = kernel_object(kernel.llvm_ir, kernel.interface.entry, kernel.target, kernel.pipeline,
                         kernel.settings, position_independent=kind == "so")
    return link.shared_object({"kernel.o": code}) if kind == "so" else code

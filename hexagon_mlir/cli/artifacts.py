"""Files to take away: assembly, LLVM IR, objects, shared objects, programs, and the C text that goes with them."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from hexagon_mlir import targets
from hexagon_mlir.codegen import c_interface, emit, link
from hexagon_mlir.ir import HexError

if TYPE_CHECKING:
    from hexagon_mlir.api import CompiledKernel


def write(kernel: CompiledKernel, kind: str, output: Path) -> list[Path]:
    """Write ``kernel`` as ``kind`` (asm, ll, obj, so, elf) to ``output``, with header and example for obj and so.

    Every file appears whole or not at all. Gives the paths written; the same kernel gives the same bytes.
    """
    files = {output: _content(kernel, kind)}
    if kind in ("obj", "so"):
        view = c_interface.kernel_of(kernel.interface, kernel.target)
        alignment = int(targets.get(kernel.target).vector_bytes.value)
        header = output.with_suffix(".h")
        files[header] = c_interface.header(view, alignment).encode()
        files[output.with_name(f"{output.stem}_example.c")] = c_interface.example(view, alignment, header.name).encode()
    for path, data in files.items():
        write_whole(path, data, executable=kind in ("elf", "so") and path == output)
    return list(files)


def _content(kernel: CompiledKernel, kind: str) -> bytes:
    chip, scalar = targets.get(kernel.target), kernel.pipeline == "scalar"
    if kind == "asm":
        return kernel.asm.encode()
    if kind == "ll":
        return kernel.llvm_ir.encode()
    if kind == "elf":
        return kernel.program()
    code = emit(kernel.llvm_ir, chip, "obj", scalar, position_independent=kind == "so",
                qfloat=kernel.settings.qfloat)
    assert isinstance(code, bytes)
    return link.shared_object(code) if kind == "so" else code


def write_whole(path: Path, data: bytes, executable: bool = False) -> None:
    """Replace ``path`` by ``data`` in one step; after an error (a full disk) it is as it was."""
    try:
        handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
        try:
            with os.fdopen(handle, "wb") as file:
                file.write(data)
            mask = os.umask(0)
            os.umask(mask)
            os.chmod(temporary, (0o777 if executable else 0o666) & ~mask)
            os.replace(temporary, path)
        except OSError:
            Path(temporary).unlink(missing_ok=True)
            raise
    except OSError as error:
        raise HexError.plain(f"cannot write the file: {error.strerror}", file=str(path)) from None

"""A compiled function as a program that QEMU or a Hexagon Linux runs: code generation and link, cached."""

from __future__ import annotations

from importlib.metadata import PackageNotFoundError, version

from hexagon_mlir import targets
from hexagon_mlir.codegen import c_interface, cache, emit, link
from hexagon_mlir.codegen.interface import Interface


def program(llvm_ir: str, face: Interface, target: str, scalar: bool = False, qfloat: bool = True) -> bytes:
    """The ELF program that calls the function of ``llvm_ir`` that ``face`` describes on a memory image."""
    chip = targets.get(target)
    code = emit(llvm_ir, chip, "obj", scalar, qfloat=qfloat)
    assert isinstance(code, bytes)
    files = {"kernel.o": code, "call.c": c_interface.call(c_interface.kernel_of(face, target)).encode()}
    sources = [file.read_bytes() for file in sorted(link.runtime_folder().rglob("*.[ch]"))]
    name = cache.key(_linker(), *files.values(), *sources) + ".elf"
    made = cache.load(name)
    if made is None:
        made = link.program(files)
        cache.store(name, made)
    return made


def _linker() -> str:
    try:
        return version("ziglang")
    except PackageNotFoundError:
        return ""

"""Compiled code as files to link and as programs that QEMU or a Hexagon Linux runs, cached."""

from __future__ import annotations

from collections.abc import Mapping
from importlib.metadata import PackageNotFoundError, version

from hexagon_mlir import targets
from hexagon_mlir.codegen import cache, emit
from hexagon_mlir.codegen.artifacts import c_interface, link
from hexagon_mlir.codegen.artifacts.c_interface import Function
from hexagon_mlir.codegen.artifacts.symbols import own_names
from hexagon_mlir.codegen.artifacts.weights import Weights
from hexagon_mlir.codegen.interface import Interface
from hexagon_mlir.settings import Settings


def kernel_object(llvm_ir: str, entry: str, target: str, pipeline: str, settings: Settings,
                  position_independent: bool = False, name: str = "") -> bytes:
    """The object of one kernel, its function called ``name`` (its own name if ""); helpers cannot clash."""
    code = emit(own_names(llvm_ir, entry, name), targets.get(target), "obj", pipeline, settings, position_independent)
    assert isinstance(code, bytes)
    return code


def program(llvm_ir: str, interface: Interface, target: str, pipeline: str, settings: Settings,
            weights: Weights | None = None) -> bytes:
    """The ELF program that calls the function of ``llvm_ir`` that ``interface`` describes on a memory image."""
    function = c_interface.function_of(interface, target, weights)
    return linked_program({"kernel.o": kernel_object(llvm_ir, interface.entry, target, pipeline, settings)}, function)


def linked_program(files: Mapping[str, bytes], function: Function) -> bytes:
    """The ELF program of ``files`` (name -> object, C text or header) that calls ``function`` on a memory image."""
    alignment = int(targets.get(function.target).vector_bytes.value)
    files = {**files, "call.c": c_interface.call(function, alignment).encode()}
    sources = [file.read_bytes() for file in sorted(link.runtime_folder().rglob("*.[ch]"))]
    name = cache.key(_linker(), *files, *files.values(), *sources) + ".elf"
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

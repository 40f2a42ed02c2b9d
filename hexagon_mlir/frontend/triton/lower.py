"""From TTIR text to linalg on tensors, and on to the bytes that a launch runs."""

from __future__ import annotations

import os
import warnings

from hexagon_mlir import pipelines, targets
from hexagon_mlir.ir import HexError, ir, make_context, parse, to_text
from hexagon_mlir.pass_infra import PassContext, PassStep
from hexagon_mlir.pass_infra.registry import get
from hexagon_mlir.pass_infra.runner import run_steps
from hexagon_mlir.settings import Settings

EXECUTOR_VARIABLE = "HEXMLIR_EXECUTOR"
EXECUTORS = ("sim", "qemu", "host")


def executor() -> str:
    """``sim`` (the default), ``qemu``: an ELF program under qemu-hexagon, or ``host``: linalg on this machine."""
    name = os.environ.get(EXECUTOR_VARIABLE) or EXECUTORS[0]
    if name not in EXECUTORS:
        raise HexError.plain(f"{EXECUTOR_VARIABLE}={name}", hint=f"one of {', '.join(EXECUTORS)}")
    return name


def to_linalg(text: str, arch: str = "v75") -> ir.Module:
    """The module of ``text`` (generic-form TTIR) after ``triton-to-linalg``."""
    module = parse(text, file="<ttir>", context=make_context())
    run_steps(module, [PassStep(get("triton-to-linalg")())], PassContext(targets.get(arch)))
    return module


class PrintedText(str):
    """A module as the text that Triton keeps between stages, with the module itself for its first user."""

    _module: ir.Module | None = None

    @classmethod
    def of(cls, module: ir.Module) -> PrintedText:
        """The text of ``module`` with locations and all constants."""
        text = cls(to_text(module, locations=True, elide=False))
        text._module = module
        return text

    def take(self) -> ir.Module | None:
        """The module, which passes may change then; None if it was taken before."""
        module, self._module = self._module, None
        return module


def to_binary(text: str, arch: str, pipeline: str, settings: Settings) -> bytes:
    """The input of the executor, from ``text`` (linalg on tensors): assembly, an ELF program, or the linalg itself."""
    if executor() == "host":
        pipelines.check_name(pipeline)
        return text.encode()
    from hexagon_mlir.codegen import compile_module

    module = text.take() if isinstance(text, PrintedText) else None
    module = module or parse(text, file="<linalg>", context=make_context())
    if executor() == "qemu":
        from hexagon_mlir.codegen.interface import read_interface
        from hexagon_mlir.exec import elf, qemu

        interface = read_interface(module, None, grid=True)
        chip, note = qemu.runs(arch)
        if note:
            warnings.warn(note, stacklevel=2)
        compiled = compile_module(module, chip, pipeline, settings=settings)
        return elf.program(compiled.llvm_ir, interface, chip, pipeline, settings)
    return compile_module(module, arch, pipeline, settings=settings).asm.encode()

"""From TTIR text to linalg on tensors, and on to the bytes that a launch runs."""

from __future__ import annotations

import os

from hexagon_mlir import targets
from hexagon_mlir.ir import ir, make_context, parse
from hexagon_mlir.pass_infra import PassContext, PassStep
from hexagon_mlir.pass_infra.registry import get
from hexagon_mlir.pass_infra.runner import run_steps

EXECUTOR_VARIABLE = "HEXMLIR_EXECUTOR"


def executor() -> str:
    """``sim`` (the default), or ``host``: the linalg runs on this machine, to debug a kernel."""
    return os.environ.get(EXECUTOR_VARIABLE, "sim")


def to_linalg(text: str, arch: str = "v75") -> ir.Module:
    """The module of ``text`` (generic-form TTIR) after ``triton-to-linalg``."""
    module = parse(text, file="<ttir>", context=make_context())
    run_steps(module, [PassStep(get("triton-to-linalg")())], PassContext(targets.get(arch)))
    return module


def to_binary(text: str, arch: str, pipeline: str) -> bytes:
    """The assembly of ``text`` (linalg on tensors) as bytes; the linalg itself when the executor is ``host``."""
    if executor() == "host":
        return text.encode()
    from hexagon_mlir.codegen import compile_module

    module = parse(text, file="<linalg>", context=make_context())
    return compile_module(module, arch, pipeline).asm.encode()

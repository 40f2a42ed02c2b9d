"""C text around a compiled kernel: its header, an example that calls it, and the call the driver program makes."""

from __future__ import annotations

import re
from dataclasses import dataclass
from math import prod

from hexagon_mlir.codegen.interface import PROGRAMS, Interface, Tensor
from hexagon_mlir.ir import HexError

POINTED = {"i1": "uint8_t", "i8": "int8_t", "i16": "int16_t", "i32": "int32_t", "i64": "int64_t",
           "f16": "uint16_t", "bf16": "uint16_t", "f32": "float", "f64": "double"}
"""C type of an element in memory; f16 and bf16 as their bits."""
VALUES = {"i1": ("int32_t", "i32"), "i8": ("int32_t", "i32"), "i16": ("int32_t", "i32"), "i32": ("int32_t", "i32"),
          "index": ("int32_t", "i32"), "i64": ("int64_t", "i64"), "f32": ("float", "f32"), "f64": ("double", "f64")}
"""C type of a scalar argument, and the field of ``hexmlir_argument`` that holds it."""


@dataclass(frozen=True)
class Parameter:
    """One parameter of a kernel. ``shape`` is None for a scalar and () for a tensor whose size C does not know."""

    name: str
    element: str
    shape: tuple[int, ...] | None
    written: bool

    @property
    def declaration(self) -> str:
        if self.shape is None:
            return f"{VALUES[self.element][0]} {self.name}"
        return f"{'' if self.written else 'const '}{POINTED[self.element]} *{self.name}"

    @property
    def remark(self) -> str:
        """What C types do not say."""
        if self.shape is None:
            return self.element
        size = "x".join(map(str, self.shape)) if self.shape else "as many as the kernel touches"
        return f"{size} {self.element}{', written' if self.written else ''}"


@dataclass(frozen=True)
class Kernel:
    """The C view of one kernel. With ``grid`` it is called once per program, its place in `PROGRAMS`."""

    name: str
    target: str
    parameters: tuple[Parameter, ...]
    grid: bool

    @property
    def prototype(self) -> str:
        words = [p.declaration for p in self.parameters] + [f"int32_t {name}" for name in PROGRAMS if self.grid]
        return f"void {self.name}({', '.join(words) or 'void'})"


def header(kernel: Kernel, alignment: int) -> str:
    """``NAME.h``; ``alignment`` in bytes is what the kernel likes its tensors to have."""
    guard = re.sub(r"\W", "_", f"HEXMLIR_{kernel.name}_H").upper()
    lines = [f"/* Kernel '{kernel.name}' for Hexagon {kernel.target}, compiled by hexagon-mlir.", " *",
             " * Tensors are contiguous, row by row, at any address their elements may have; faster when aligned to",
             f" * {alignment} bytes. They must not overlap unless they are the same. f16 and bf16 are passed as bits."]
    lines += [f" *   {p.name}: {p.remark}" for p in kernel.parameters]
    if kernel.grid:
        lines += [" * One call runs one program of a grid; programs may run in any order."]
    return "\n".join([*lines, " */", f"#ifndef {guard}", f"#define {guard}", "", "#include <stdint.h>", "",
                      "#ifdef __cplusplus", 'extern "C" {', "#endif", "", f"{kernel.prototype};", "",
                      "#ifdef __cplusplus", "}", "#endif", "#endif", ""])


def example(kernel: Kernel, alignment: int, header_name: str) -> str:
    """A C program that calls the kernel on zeroed tensors; a place to start from."""
    lines = [f"/* Calls '{kernel.name}' once. Link with the kernel's object and the hexmlir_rt library. */",
             "#include <stdio.h>", "", f'#include "{header_name}"', ""]
    for p in kernel.parameters:
        if p.shape is not None:
            size = str(prod(p.shape)) if p.shape else "4096 /* as many as your call touches */"
            lines.append(f"static _Alignas({alignment}) {POINTED[p.element]} {p.name}[{size}];")
    words = [p.name if p.shape is not None else "0" for p in kernel.parameters]
    lines += ["", "int main(void) {"]
    if kernel.grid:
        words += ["1", "1", "1", "0", "0", "0"]
        lines.append("  /* a grid of one program */")
    lines += [f"  {kernel.name}({', '.join(words)});", '  puts("done");', "  return 0;", "}", ""]
    return "\n".join(lines)


def call(kernel: Kernel) -> str:
    """``hexmlir_call_kernel`` for the driver program (runtime/driver)."""
    words = [f"arguments[{i}].{'address' if p.shape is not None else VALUES[p.element][1]}"
             for i, p in enumerate(kernel.parameters)]
    words += [f"programs[{i}]" for i in range(len(PROGRAMS)) if kernel.grid]
    return "\n".join([
        '#include "call.h"', "", f"{kernel.prototype};", "const uint64_t hexmlir_weights_key = 0;", "",
        "void hexmlir_call_kernel(const hexmlir_argument *arguments, const int32_t programs[6], const void *weights) {",
        "  (void)arguments, (void)programs, (void)weights;", f"  {kernel.name}({', '.join(words)});", "}", ""])


def kernel_of(face: Interface, target: str) -> Kernel:
    """The C view of the function that ``face`` describes. Memrefs and pointers count as written."""
    parameters = []
    for kind in face.arguments:
        if isinstance(kind, str) and kind.removeprefix("*") not in (POINTED if kind[0] == "*" else VALUES):
            raise HexError.plain(f"{face.entry}: an argument of type {kind} has no C type", origin="link",
                                 hint="pass it as f32" if kind in ("f16", "bf16") else "")
    for i, kind in enumerate(face.arguments):
        if isinstance(kind, Tensor):
            parameters.append(Parameter(f"arg{i}", kind.element, kind.shape, not kind.by_value))
        else:
            parameters.append(Parameter(f"arg{i}", kind.removeprefix("*"), () if kind[0] == "*" else None, True))
    parameters += [Parameter(f"result{i}", tensor.element, tensor.shape, True) for i, tensor in enumerate(face.results)]
    return Kernel(face.entry, target, tuple(parameters), face.grid)

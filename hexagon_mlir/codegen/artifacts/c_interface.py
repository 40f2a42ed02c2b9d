"""C text around compiled code: its header, an example that calls it, and the call the driver program makes."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from hexagon_mlir.codegen.artifacts.c_names import is_c_name
from hexagon_mlir.codegen.artifacts.weights import Weights
from hexagon_mlir.codegen.interface import PROGRAMS, Interface, Tensor
from hexagon_mlir.ir import HexError

POINTED = {"i1": "uint8_t", "i8": "int8_t", "i16": "int16_t", "i32": "int32_t", "i64": "int64_t",
           "f16": "uint16_t", "bf16": "uint16_t", "f32": "float", "f64": "double"}
"""C type of an element in memory; f16 and bf16 as their bits."""
VALUES = {"i1": ("int32_t", "i32"), "i8": ("int32_t", "i32"), "i16": ("int32_t", "i32"), "i32": ("int32_t", "i32"),
          "index": ("int32_t", "i32"), "i64": ("int64_t", "i64"), "f32": ("float", "f32"), "f64": ("double", "f64")}
"""C type of a scalar argument, and the field of ``hexmlir_argument`` that holds it."""
_EXAMPLE_SIZE = 8  # the size of each dimension that the caller chooses
WEIGHTS, ARENA = "weights", "arena"
"""Names of a model's last parameters: the mapped weights file, and memory for tensors between its kernels."""


@dataclass(frozen=True)
class Parameter:
    """One parameter of a function. ``shape`` is None for a scalar and () for a tensor of unknown size; a name in it is
    the parameter that has the size.

    ``offset`` is where a constant tensor is in the weights file. `WEIGHTS` and `ARENA` have the element "".
    """

    name: str
    element: str
    shape: tuple[int | str, ...] | None
    written: bool
    offset: int | None = None

    @property
    def declaration(self) -> str:
        if self.shape is None:
            return f"{VALUES[self.element][0]} {self.name}"
        return f"{'' if self.written else 'const '}{POINTED.get(self.element, 'void')} *{self.name}"

    @property
    def remark(self) -> str:
        """The comment on a parameter: what its C type does not express."""
        if self.shape is None:
            return self.element
        if not self.element:
            return f"{self.shape[0]} bytes" + ("" if self.written else ", what hexmlir_rt_weights gives")
        sign = " x " if any(isinstance(size, str) for size in self.shape) else "x"
        size = sign.join(map(str, self.shape)) or "as many as the kernel touches"
        place = f", at byte {self.offset} of the weights file" if self.offset is not None else ""
        return f"{size} {self.element}{', written' if self.written else ''}{place}"

    @property
    def given(self) -> bool:
        """True for a parameter that the caller provides: no weight and no working memory of a model."""
        return self.offset is None and self.element != ""


@dataclass(frozen=True)
class Function:
    """The C view of a kernel or a model. With ``grid`` it is called once per program, whose id is in `PROGRAMS`."""

    name: str
    target: str
    parameters: tuple[Parameter, ...]
    grid: bool = False
    weights_key: int = 0
    what: str = "Kernel"

    @property
    def prototype(self) -> str:
        words = [p.declaration for p in self.parameters] + [f"int32_t {name}" for name in PROGRAMS if self.grid]
        return f"void {self.name}({', '.join(words) or 'void'})"

    @property
    def arena_bytes(self) -> int:
        """Bytes of working memory; 0 when it needs none."""
        return sum(int(size) for p in self.parameters if p.name == ARENA and not p.element for size in p.shape or ())

    @property
    def sizes(self) -> tuple[str, ...]:
        """The parameters that are sizes of tensors."""
        return tuple(size for p in self.parameters for size in p.shape or () if isinstance(size, str))

    def macro(self, name: str) -> str:
        """``name`` as a macro of this function's header."""
        return re.sub(r"\W", "_", f"{self.name}_{name}").upper()

    def call(self, given: Sequence[str], programs: Sequence[str]) -> str:
        """The call with expressions for the parameters that are `Parameter.given`, in order."""
        rest = iter(given)
        words = []
        for p in self.parameters:
            if p.given:
                words.append(next(rest))
            elif p.offset is not None:
                words.append(f"(const {POINTED[p.element]} *)((const char *){WEIGHTS} + {p.offset})")
            else:
                words.append(p.name)
        return f"{self.name}({', '.join([*words, *(programs if self.grid else ())])});"


def header(function: Function, alignment: int) -> str:
    """``NAME.h``; ``alignment`` is the preferred alignment of tensors, in bytes."""
    guard = re.sub(r"\W", "_", f"HEXMLIR_{function.name}_H").upper()
    lines = [f"/* {function.what} '{function.name}' for Hexagon {function.target}, compiled by hexagon-mlir.", " *",
             " * Tensors are contiguous, row by row, at any address their elements may have; faster when aligned to",
             f" * {alignment} bytes. They must not overlap unless they are the same. f16 and bf16 are passed as bits."]
    lines += [f" *   {p.name}: {p.remark}" for p in function.parameters]
    if function.grid:
        lines += [" * One call runs one program of a grid; programs may run in any order."]
    if function.weights_key:
        lines += [" * The weights are in a file of their own: map it with hexmlir_rt_weights(path, key)."]
    lines += [" */", f"#ifndef {guard}", f"#define {guard}", "", "#include <stdint.h>", ""]
    if function.weights_key:
        lines.append(f"#define {function.macro('weights_key')} UINT64_C({function.weights_key:#018x})")
    if function.arena_bytes:
        lines.append(f"#define {function.macro('arena_bytes')} {function.arena_bytes}")
    return "\n".join([*lines, "#ifdef __cplusplus", 'extern "C" {', "#endif", "", f"{function.prototype};", "",
                      "#ifdef __cplusplus", "}", "#endif", "#endif", ""])


def example(function: Function, alignment: int, header_name: str, weights_name: str = "") -> str:
    """A C program that calls the function on zeroed tensors, as a starting point."""
    what = function.what.lower()
    lines = [f"/* Calls '{function.name}' once. Link with the {what}'s object and the hexmlir_rt library. */",
             "#include <stdio.h>", "", f'#include "{header_name}"']
    lines += ['#include "hexmlir_rt.h"'] if function.weights_key else []
    lines.append("")
    if function.sizes:
        lines.append(f"enum {{ {', '.join(f'{name} = {_EXAMPLE_SIZE}' for name in function.sizes)} }};")
    for p in function.parameters:
        if p.given and p.shape is not None:
            size = " * ".join(map(str, p.shape)) or "4096 /* as many as your call touches */"
            lines.append(f"static _Alignas({alignment}) {POINTED[p.element]} {p.name}[{size}];")
    if function.arena_bytes:
        lines.append(f"static _Alignas({alignment}) unsigned char {ARENA}[{function.macro('arena_bytes')}];")
    lines += ["", "int main(int count, char **words) {" if function.weights_key else "int main(void) {"]
    if function.weights_key:
        lines += [f'  const char *path = count > 1 ? words[1] : "{weights_name}";',
                  f"  const void *{WEIGHTS} = hexmlir_rt_weights(path, {function.macro('weights_key')});"]
    if function.grid:
        lines.append("  /* a grid of one program */")
    given = [p.name if p.shape is not None or p.name in function.sizes else "0" for p in function.parameters if p.given]
    lines += [f"  {function.call(given, '111000')}", '  puts("done");', "  return 0;", "}", ""]
    return "\n".join(lines)


def call(function: Function, alignment: int) -> str:
    """``hexmlir_call_kernel`` for the driver program (runtime/driver)."""
    given = [f"arguments[{i}].{'address' if p.shape is not None else VALUES[p.element][1]}"
             for i, p in enumerate(p for p in function.parameters if p.given)]
    programs = [f"programs[{i}]" for i in range(len(PROGRAMS))]
    lines = ['#include "call.h"', "", f"{function.prototype};",
             f"const uint64_t hexmlir_weights_key = UINT64_C({function.weights_key:#018x});"]
    if function.arena_bytes:
        lines.append(f"static _Alignas({alignment}) unsigned char {ARENA}[{function.arena_bytes}];")
    return "\n".join([
        *lines, "",
        "void hexmlir_call_kernel(const hexmlir_argument *arguments, const int32_t programs[6],",
        f"                         const void *{WEIGHTS}) {{",
        f"  (void)arguments, (void)programs, (void){WEIGHTS};", f"  {function.call(given, programs)}", "}", ""])


def function_of(interface: Interface, target: str, weights: Weights | None = None) -> Function:
    """The C view of the kernel that ``interface`` describes; ``weights`` are its last arguments. Raises `HexError`."""
    if not is_c_name(interface.entry):
        raise HexError.plain(f"a function of C cannot be called '{interface.entry}'", origin="link",
                             hint="rename the kernel: letters, digits and _, no keyword of C")
    offsets = weights.offsets if weights is not None else ()
    for kind in interface.arguments:
        if isinstance(kind, str) and kind.removeprefix("*") not in (POINTED if kind[0] == "*" else VALUES):
            raise HexError.plain(f"{interface.entry}: an argument of type {kind} has no C type", origin="link",
                                 hint="pass it as f32" if kind in ("f16", "bf16") else "")
    parameters = []
    for i, kind in enumerate(interface.arguments):
        if isinstance(kind, Tensor):
            parameters.append(Parameter(f"arg{i}", kind.element, _shape(f"arg{i}", kind), not kind.by_value))
        else:
            parameters.append(Parameter(f"arg{i}", kind.removeprefix("*"), () if kind[0] == "*" else None, True))
    parameters += [Parameter(f"weight{i}", tensor.element, _shape(f"weight{i}", tensor), False, offset)
                   for i, (tensor, offset) in enumerate(zip(interface.weights, offsets, strict=True))]
    parameters += [Parameter(f"result{i}", tensor.element, _shape(f"result{i}", tensor), True)
                   for i, tensor in enumerate(interface.results)]
    key = weights.key if weights is not None else 0
    function = Function(interface.entry, target, tuple(parameters), interface.grid, key)
    sizes = tuple(Parameter(name, "i32", None, False) for name in function.sizes)
    return replace(function, parameters=(*parameters, *sizes))


def _shape(name: str, tensor: Tensor) -> tuple[int | str, ...]:
    """The shape of tensor parameter ``name``."""
    return tuple(f"{name}_size{d}" if size is None else size for d, size in enumerate(tensor.shape))

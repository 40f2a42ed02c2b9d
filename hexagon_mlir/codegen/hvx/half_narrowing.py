"""Conversions of wide vectors to f16 on chips with IEEE floats as instructions.

LLVM 22 takes the odd lanes of ``V.hf=vcvt(Vu.sf,Vv.sf)`` from the first operand, other sources the even ones: see
`NarrowingOrder`. The intrinsic gets its operands in the target's order.
"""

from __future__ import annotations

from collections.abc import Callable

from hexagon_mlir.llvmir import Declarations, Instruction, Module, rewrite
from hexagon_mlir.llvmir.names import derived
from hexagon_mlir.llvmir.types import vector_type
from hexagon_mlir.targets.disputed import NarrowingOrder

_LEAST = 32
"""Lanes of the shortest vector that LLVM does not convert one by one."""
_CONVERSIONS = ("fptrunc", "sitofp", "uitofp")
_CONVERT, _DEAL = "@llvm.hexagon.V6.vcvt.hf.sf.128B", "@llvm.hexagon.V6.vdealh.128B"
_DECLARED = {_CONVERT: f"declare <32 x i32> {_CONVERT}(<32 x i32>, <32 x i32>)",
             _DEAL: f"declare <32 x i32> {_DEAL}(<32 x i32>)"}
NATIVE = 64
"""f16 lanes of a vector register."""


def operands(even: str, odd: str, order: str) -> tuple[str, str]:
    """The operands of the conversion that takes even lanes from the one, odd lanes from the other."""
    return (even, odd) if order == NarrowingOrder.FIRST_EVEN else (odd, even)


def narrowings_as_instructions(module: Module, order: str) -> Module:
    """``module`` in which vectors of at least 32 lanes become f16 by the intrinsic."""
    declared: Declarations = {}

    def converted(i: Instruction) -> list[str] | None:
        lines = _converted(i, order)
        if lines:
            declared.update(_DECLARED)
        return lines

    return module.map(lambda function: rewrite(function, _CONVERSIONS, converted)).declaring(declared)


def _converted(i: Instruction, order: str) -> list[str] | None:
    source, result = vector_type(i.types[0]), vector_type(i.type)
    if source is None or result is None or result[1] != "half" or result[0] < _LEAST:
        return None
    lanes, value = result[0], i.operands[0]
    lines: list[str] = []

    def put(name: str, right: str) -> str:
        lines.append(f"  {name} = {right}{i.debug}")
        return name

    floats = f"<{lanes} x float>"
    if source[1] == "i32":
        value = put(derived("half.sf", i.result), f"{' '.join([i.opcode, *i.flags.split()])} {i.types[0]} {value} "
                                                  f"to {floats}")
    elif i.opcode != "fptrunc" or source[1] != "float":
        return None
    parts = []
    for start in range(0, lanes, NATIVE):
        words = []
        for half in (0, 1):
            name = derived(f"half.{start}.{half}", i.result)
            first = start + NATIVE // 2 * half
            first = first if first < lanes else start  # the lanes beyond the end are unspecified
            numbers = [f"i32 {k}" if k < lanes else "i32 poison" for k in range(first, first + NATIVE // 2)]
            part = put(name, f"shufflevector {floats} {value}, {floats} poison, <32 x i32> <{', '.join(numbers)}>")
            words.append(put(derived(f"half.{start}.{half}.w", i.result), f"bitcast <32 x float> {part} to <32 x i32>"))
        pair = ", ".join(f"<32 x i32> {word}" for word in operands(words[0], words[1], order))
        mixed = put(derived(f"half.{start}.m", i.result), f"call <32 x i32> {_CONVERT}({pair})")
        dealt = put(derived(f"half.{start}.d", i.result), f"call <32 x i32> {_DEAL}(<32 x i32> {mixed})")
        parts.append(put(derived(f"half.{start}.h", i.result), f"bitcast <32 x i32> {dealt} to <{NATIVE} x half>"))
    _concatenate(parts, lanes, i.result, put)
    return lines


def _concatenate(parts: list[str], lanes: int, result: str, put: Callable[[str, str], str]) -> None:
    """The first ``lanes`` of the concatenated parts, as ``result``."""
    have, level = NATIVE, 0
    while len(parts) > 1:
        type_ = f"<{have} x half>"
        numbers = ", ".join(f"i32 {k}" for k in range(2 * have))
        parts = parts if len(parts) % 2 == 0 else [*parts, "poison"]
        after = f"<{2 * have} x i32> <{numbers}>"
        parts = [put(derived(f"half.j{level}.{i}", result), f"shufflevector {type_} {a}, {type_} {b}, {after}")
                 for i, (a, b) in enumerate(zip(parts[::2], parts[1::2], strict=True))]
        have, level = 2 * have, level + 1
    numbers = ", ".join(f"i32 {k}" for k in range(lanes))
    put(result, f"shufflevector <{have} x half> {parts[0]}, <{have} x half> poison, <{lanes} x i32> <{numbers}>")

"""TTIR types: tensors, and pointers, which our parser keeps as opaque text."""

from __future__ import annotations

import re

from hexagon_mlir.ir import ir
from hexagon_mlir.passes.triton_import.values import Descriptor, Known, Pointer, Tensor

_POINTER = re.compile(r'ptr<([a-zA-Z0-9]+)(?:, (?:1|"constant"))?>')
_DESCRIPTOR = re.compile(r"tensordesc<((?:\d+x)+)([a-zA-Z0-9]+)>")


FLOAT8 = {"f8E5M2": (5, 2), "f8E4M3FN": (4, 3)}
"""Exponent and mantissa bits of the 8-bit floats, by MLIR's names."""


class Unsupported(Exception):
    """An operation or type that is not translated; ``hint`` names an alternative."""

    def __init__(self, message: str, hint: str = ""):
        super().__init__(message)
        self.hint = hint


def split(type: ir.Type) -> tuple[tuple[int, ...], ir.Type]:
    """Shape and element type; a scalar has shape ()."""
    if isinstance(type, ir.RankedTensorType):
        return tuple(type.shape), type.element_type
    return (), type


def pointee(type: ir.Type) -> ir.Type | None:
    """The pointee of a pointer type (i1 is stored as i8); None when ``type`` is no pointer."""
    if not isinstance(type, ir.OpaqueType) or type.dialect_namespace != "tt":
        return None
    match = _POINTER.fullmatch(type.data)
    if match is None:
        raise Unsupported(f"an argument or value of type {type}", "only pointers to integers and floats are translated")
    return _stored(match[1])


def _stored(name: str) -> ir.Type:
    """The type that holds an element of type ``name`` in memory: i1 and 8-bit floats are bytes, signs are dropped."""
    name = name.removeprefix("s").removeprefix("u")
    return ir.Type.parse("i8" if name == "i1" or name in FLOAT8 else name)


def descriptor(type: ir.Type) -> Descriptor | None:
    """The model of a tensor descriptor's ``type``, without base, sizes and strides; None for other types."""
    if not isinstance(type, ir.OpaqueType) or type.dialect_namespace != "tt":
        return None
    match = _DESCRIPTOR.fullmatch(type.data)
    if match is None:
        return None
    block = tuple(int(n) for n in match[1].split("x") if n)
    return Descriptor(None, _stored(match[2]), block, (), (), unsigned=match[2].startswith("u"))  # type: ignore[arg-type]


def model(type: ir.Type) -> Known:
    """A node of ``type`` with its shape only; its data or base is missing."""
    shape, element = split(type)
    block = descriptor(type)
    if block is not None:
        return block
    target = pointee(element)
    if target is not None:
        return Pointer(None, target, shape)  # type: ignore[arg-type]
    return Tensor(scalar(element), shape)


def scalar(type: ir.Type) -> ir.Type:
    """``type`` if it is an integer or float that the later stages take; an 8-bit float is held as a byte."""
    if str(type) in FLOAT8:
        return ir.IntegerType.get_signless(8)
    if isinstance(type, ir.IntegerType) and type.width in (1, 8, 16, 32, 64):
        return type
    if isinstance(type, ir.F16Type | ir.BF16Type | ir.F32Type | ir.F64Type):
        return type
    raise Unsupported(f"an argument or value of element type {type}",
                      "f32, f16, bf16, f64, 8-bit floats (e5m2, e4m3) and i1 to i64 are translated")

"""TTIR types: tensors, and pointers, which our parser keeps as opaque text."""

from __future__ import annotations

import re

from hexagon_mlir.ir import ir
from hexagon_mlir.passes.triton_import.values import Known, Pointer, Tensor

_POINTER = re.compile(r"ptr<([a-zA-Z0-9]+)(?:, 1)?>")


class Unsupported(Exception):
    """Something outside of what is translated; ``hint`` says what to do instead."""

    def __init__(self, message: str, hint: str = ""):
        super().__init__(message)
        self.hint = hint


def split(type: ir.Type) -> tuple[tuple[int, ...], ir.Type]:
    """Shape and element type; a scalar has shape ()."""
    if isinstance(type, ir.RankedTensorType):
        return tuple(type.shape), type.element_type
    return (), type


def pointee(type: ir.Type) -> ir.Type | None:
    """What a pointer type points to (i1 is stored as i8); None when ``type`` is no pointer."""
    if not isinstance(type, ir.OpaqueType) or type.dialect_namespace != "tt":
        return None
    match = _POINTER.fullmatch(type.data)
    if match is None:
        raise Unsupported(f"an argument or value of type {type}", "only pointers to integers and floats are translated")
    return ir.Type.parse("i8" if match[1] == "i1" else match[1])


def model(type: ir.Type) -> Known:
    """A node of ``type`` that knows no more than its shape; its data or base is missing."""
    shape, element = split(type)
    target = pointee(element)
    if target is not None:
        return Pointer(None, target, shape)  # type: ignore[arg-type]
    scalar(element)
    return Tensor(element, shape)


def scalar(type: ir.Type) -> ir.Type:
    """``type`` if it is an integer or float that the later stages take."""
    if isinstance(type, ir.IntegerType) and type.width in (1, 8, 16, 32, 64):
        return type
    if isinstance(type, ir.F16Type | ir.BF16Type | ir.F32Type | ir.F64Type):
        return type
    raise Unsupported(f"an argument or value of element type {type}",
                      "f32, f16, bf16, f64 and i1 to i64 are translated")

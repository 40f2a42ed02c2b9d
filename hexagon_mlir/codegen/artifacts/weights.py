"""The weights file, which programs map: its layout, and the large constants of kernels that are moved there."""

from __future__ import annotations

import hashlib
import struct
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from hexagon_mlir.ir import HexError, ir
from hexagon_mlir.ir.order import nested_ops

MAGIC = b"HXW1"
LEAST_BYTES = 16 << 10
"""A kernel's constants of this size and more are weights; smaller ones (tables, masks) are part of its code."""
_HEADER = struct.Struct("<4sIQ16x")  # as in runtime/src/weights.c
_READABLE = ("f16", "f32", "f64", "i8", "i16", "i32", "i64")  # elements that the bindings convert to numpy


@dataclass(frozen=True)
class Weights:
    """The content of a weights file: ``tensors[i]`` is at ``offsets[i]``, in bytes from the file's start.

    ``key`` is a hash of the content, not 0; ``nbytes`` is the size of the file.
    """

    tensors: tuple[np.ndarray, ...]
    offsets: tuple[int, ...]
    nbytes: int
    key: int

    def chunks(self) -> Iterator[bytes | memoryview]:
        """The file in chunks; tensors are not copied."""
        header = _HEADER.pack(MAGIC, self.nbytes, self.key)
        yield header
        end = len(header)
        for tensor, offset in zip(self.tensors, self.offsets, strict=True):
            yield bytes(offset - end)
            yield _bytes(tensor)
            end = offset + tensor.nbytes
        yield bytes(self.nbytes - end)


def lay_out(tensors: Sequence[np.ndarray], alignment: int) -> Weights:
    """``tensors`` in order, each aligned to ``alignment`` bytes, with two vectors of padding after the last one."""
    digest = hashlib.sha256()
    offsets, end = [], _HEADER.size
    for tensor in tensors:
        offset = -(-end // alignment) * alignment
        offsets.append(offset)
        end = offset + tensor.nbytes
        digest.update(struct.pack("<Q", offset))
        digest.update(_bytes(tensor))
    nbytes = -(-end // alignment) * alignment + 2 * alignment
    if nbytes >> 32:
        raise HexError.plain(f"{nbytes} bytes of weights do not fit the chip's 32-bit addresses", origin="weights")
    return Weights(tuple(tensors), tuple(offsets), nbytes, int.from_bytes(digest.digest()[:8], "little") | 1)


def take_weights(module: ir.Module, entry: str | None, least_bytes: int = LEAST_BYTES) -> list[np.ndarray]:
    """Make large constants of the entry function its last arguments; returns their values in that order.

    The entry is the function of that name, or the only public one. Modules without one, and constants that are splats
    or not of `_READABLE` elements, are unchanged.
    """
    functions = [op.operation for op in module.body.operations
                 if op.operation.name == "func.func" and not op.is_external
                 and (op.sym_name.value == entry if entry is not None
                      else "private" not in str(op.operation.attributes.get("sym_visibility", "")))]
    if len(functions) != 1:
        return []
    function, = functions
    constants = [op for op in nested_ops(function) if op.name == "arith.constant"
                 and _nbytes(op.attributes["value"]) >= least_bytes]
    values = [np.ascontiguousarray(np.array(op.attributes["value"])) for op in constants]
    block = function.regions[0].blocks[0]
    for op in constants:
        op.results[0].replace_all_uses_with(block.add_argument(op.results[0].type, op.location))
        op.erase()
    if constants:
        _retype(function, len(constants))
    return values


def _retype(function: ir.Operation, added: int) -> None:
    """Update the type of ``function`` to its block's arguments, of which ``added`` are new."""
    type_ = ir.FunctionType(function.attributes["function_type"].value)
    block = function.regions[0].blocks[0]
    with function.context:
        function.attributes["function_type"] = ir.TypeAttr.get(
            ir.FunctionType.get([argument.type for argument in block.arguments], type_.results))
        if "arg_attrs" in function.attributes:
            function.attributes["arg_attrs"] = ir.ArrayAttr.get(
                [*function.attributes["arg_attrs"], *[ir.DictAttr.get({})] * added])


def _nbytes(value: ir.Attribute) -> int:
    """Bytes of a dense constant tensor that numpy can read; 0 for anything else."""
    if not isinstance(value, ir.DenseElementsAttr) or value.is_splat:
        return 0
    element = str(value.type.element_type)
    if element not in _READABLE or not isinstance(value.type, ir.RankedTensorType):
        return 0
    return len(value) * int(element[1:]) // 8


def _bytes(tensor: np.ndarray) -> memoryview:
    return tensor.reshape(-1).view(np.uint8).data

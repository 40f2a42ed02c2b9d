"""Tensors of an ONNX file: the large ones as PyTorch tensors over the file's bytes, the small ones inside the graph."""

from __future__ import annotations

import math
import mmap
import re
import stat
from collections.abc import Iterator, Mapping
from pathlib import Path

import onnx
import torch
from onnx import AttributeProto, GraphProto, NodeProto, TensorProto

from hexagon_mlir.ir import HexError
from hexagon_mlir.ir.onnx_import import ORIGIN

DTYPES: dict[int, torch.dtype] = {
    TensorProto.FLOAT: torch.float32, TensorProto.FLOAT16: torch.float16, TensorProto.BFLOAT16: torch.bfloat16,
    TensorProto.DOUBLE: torch.float64, TensorProto.INT8: torch.int8, TensorProto.INT16: torch.int16,
    TensorProto.INT32: torch.int32, TensorProto.INT64: torch.int64, TensorProto.UINT8: torch.uint8,
    TensorProto.BOOL: torch.bool,
}
_HALVES = (TensorProto.FLOAT16, TensorProto.BFLOAT16)
_SHOWN = 60  # characters of a text in an error
_SMALL = 64
"""Elements of a constant that may be a shape, a list of axes or a scale: operators want to know those."""


def dtype_of(number: int, name: str, file: str) -> torch.dtype:
    """PyTorch's element type for ONNX's; `HexError` for strings, complex numbers and those of four bits."""
    if number not in DTYPES:
        kind = TensorProto.DataType.Name(number) if number in TensorProto.DataType.values() else f"number {number}"
        raise HexError.plain(f"'{name}' has elements of type {kind}", origin=ORIGIN, file=file)
    return DTYPES[number]


def take_weights(graph: GraphProto, path: Path) -> dict[str, torch.Tensor]:
    """Take large constants out of ``graph``; they become its last inputs, in the order of what is returned."""
    files = _Files(path)
    weights: dict[str, torch.Tensor] = {}
    small: list[TensorProto] = []
    nodes = []
    constants = list(graph.initializer)
    for node in graph.node:
        value = next((a.t for a in node.attribute if a.name == "value" and a.type == AttributeProto.TENSOR), None)
        if node.op_type == "Constant" and value is not None:
            value.name = node.output[0]
            constants.append(value)
        else:
            nodes.append(node)
    for proto in constants:
        if math.prod(proto.dims) > _SMALL or proto.data_type in _HALVES:
            weights[proto.name] = files.tensor(proto)
        else:
            small.append(_with_fields(proto, files))
    for tensor in _tensors_within(nodes):
        if tensor.data_type not in _HALVES:
            tensor.CopyFrom(_with_fields(tensor, files))
    known = {proto.name for proto in constants}
    inputs = [value for value in graph.input if value.name not in known]
    numbers = {dtype: number for number, dtype in DTYPES.items()}
    inputs += [onnx.helper.make_tensor_value_info(name, numbers[tensor.dtype], list(tensor.shape))
               for name, tensor in weights.items()]
    for old, new in ((graph.initializer, small), (graph.node, nodes), (graph.input, inputs)):
        copies = [type(one).FromString(one.SerializeToString()) for one in new]
        del old[:]
        old.extend(copies)
    return weights


def _tensors_within(nodes: list[NodeProto]) -> Iterator[TensorProto]:
    """Constants in attributes and in graphs of ``nodes``."""
    for node in nodes:
        for attribute in node.attribute:
            if attribute.type == AttributeProto.TENSOR:
                yield attribute.t
            elif attribute.type == AttributeProto.GRAPH:
                yield from attribute.g.initializer
                yield from _tensors_within(list(attribute.g.node))


def _with_fields(proto: TensorProto, files: _Files) -> TensorProto:
    """The same tensor, its values in typed fields, which the importer makes constants of."""
    values = files.tensor(proto)
    return onnx.helper.make_tensor(proto.name, proto.data_type, list(proto.dims), values.numpy().ravel())


class _Files:
    """The bytes of tensors: of the ONNX file, or of external files, which are mapped."""

    def __init__(self, path: Path):
        self.path = path
        self.mapped: dict[str, mmap.mmap] = {}

    def tensor(self, proto: TensorProto) -> torch.Tensor:
        """``proto`` as a tensor; raises `HexError` when its bytes are not there."""
        dtype, count = dtype_of(proto.data_type, proto.name, str(self.path)), math.prod(proto.dims)
        if min(proto.dims, default=0) < 0:
            raise self._error(f"'{proto.name}' has the shape {tuple(proto.dims)}")
        data: mmap.mmap | bytearray
        start, end = 0, None
        if proto.data_location == TensorProto.EXTERNAL:
            place = {entry.key: entry.value for entry in proto.external_data}
            data = self._map(place.get("location", ""), proto.name)
            start = self._number(place, "offset", proto.name) or 0
            length = self._number(place, "length", proto.name)
            end = None if length is None else start + length
        elif proto.HasField("raw_data"):
            data = bytearray(proto.raw_data)
        else:
            try:
                data = bytearray(onnx.numpy_helper.to_array(proto).tobytes())
            except (ValueError, TypeError) as error:
                raise self._error(f"the values of '{proto.name}': {error}") from None
        if not count:
            return torch.empty(tuple(proto.dims), dtype=dtype)
        if start + count * dtype.itemsize > (len(data) if end is None else min(end, len(data))):
            raise self._error(f"the bytes of '{proto.name}' end too early")
        return torch.frombuffer(data, dtype=dtype, count=count, offset=start).reshape(tuple(proto.dims))

    def _map(self, location: str, name: str) -> mmap.mmap:
        if location not in self.mapped:
            folder = self.path.parent.resolve()
            file = (folder / location).resolve() if location.isprintable() else Path("/")
            if not file.is_relative_to(folder) or not location:
                raise self._error(f"the bytes of '{name}' are in {location!r}, outside the model's folder")
            try:
                if not stat.S_ISREG(file.stat().st_mode):
                    raise ValueError("no file of bytes")
                with open(file, "rb") as opened:  # mapped copy-on-write; no page is written
                    self.mapped[location] = mmap.mmap(opened.fileno(), 0, access=mmap.ACCESS_COPY)
            except (OSError, ValueError) as error:
                raise self._error(f"cannot read the bytes of '{name}' in '{location[:_SHOWN]}': "
                                  f"{getattr(error, 'strerror', None) or error}") from None
        return self.mapped[location]

    def _number(self, place: Mapping[str, str], key: str, name: str) -> int | None:
        """The number of ``key`` of tensor ``name`` in the file."""
        text = place.get(key)
        if text is not None and not re.fullmatch(r"\d{1,18}", text):
            raise self._error(f"the {key} of the bytes of '{name}' is '{text[:_SHOWN]}'")
        return None if text is None else int(text)

    def _error(self, reason: str) -> HexError:
        return HexError.plain(reason, origin=ORIGIN, file=str(self.path))

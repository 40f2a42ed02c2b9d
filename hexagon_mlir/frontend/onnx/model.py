"""An ONNX file: its inputs, and its program for given sizes."""

from __future__ import annotations

import keyword
import os
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import onnx
import torch
from google.protobuf.message import DecodeError
from onnx import ModelProto, inliner
from torch.export import ExportedProgram
from torch.fx import GraphModule, Interpreter

from hexagon_mlir.frontend.onnx.graph import to_graph
from hexagon_mlir.frontend.onnx.loops import guard_loops
from hexagon_mlir.frontend.onnx.operators import OPERATORS
from hexagon_mlir.frontend.onnx.size_formulas import not_polynomial
from hexagon_mlir.frontend.onnx.tensors import dtype_of, take_weights
from hexagon_mlir.frontend.torch.domain import Domain, Size
from hexagon_mlir.frontend.torch.examples import zeros
from hexagon_mlir.ir import HexError
from hexagon_mlir.ir.onnx_import import ORIGIN, import_onnx

_FIRST_LOWERED = 13
"""torch-mlir has lowerings for operators of this version and later ones."""


@dataclass(frozen=True)
class Input:
    """An input: sizes are numbers, or the names of dynamic sizes."""

    name: str
    dtype: torch.dtype
    sizes: tuple[int | str, ...]


class OnnxModel:
    """The content of a file. ``weights`` are outside ``proto``, whose graph takes them as its last inputs."""

    def __init__(self, file: str, proto: ModelProto, inputs: Sequence[Input], weights: Mapping[str, torch.Tensor]):
        self.file, self.proto, self.inputs, self.weights = file, proto, tuple(inputs), weights

    @property
    def is_dynamic(self) -> bool:
        """True when a size of an input has no number."""
        return any(isinstance(size, str) for one in self.inputs for size in one.sizes)

    def domain(self) -> Domain:
        """Sizes of one name are equal; nothing is said of their ranges. Raises `HexError` for a size in the graph that
        is no polynomial of them."""
        node = not_polynomial(self.proto)
        if node is not None:
            raise self._error(f"'{node}' computes a size that has several cases")
        names = {size for one in self.inputs for size in one.sizes if isinstance(size, str)}
        return Domain(tuple(tuple(Size(size) if isinstance(size, str) else size for size in one.sizes)
                            for one in self.inputs), dict.fromkeys(sorted(names), (0, None)), {})

    def bind(self, domain: Domain, arguments: Sequence[Any]) -> dict[str, int]:
        """The values of the named sizes; raises `HexError` for inputs of other types or sizes."""
        self._check(tuple(arguments))
        return domain.bind(arguments)

    def arguments(self, shapes: Sequence[Sequence[int]]) -> tuple[tuple[Any, ...], dict[str, Any]]:
        """Arguments of these shapes, to export for; their values are zeros."""
        if len(shapes) != len(self.inputs):
            raise self._error(f"the model has {len(self.inputs)} inputs, {len(shapes)} shapes are given")
        return tuple(zeros(s, one.dtype) for one, s in zip(self.inputs, shapes, strict=True)), {}

    def export(self, args: tuple[Any, ...] | None = None, kwargs: Mapping[str, Any] | None = None) -> ExportedProgram:
        """The program for the sizes of ``args`` (default: those of the file); raises `HexError`."""
        if args is None:
            args, _ = self.arguments([[int(size) for size in one.sizes] for one in self.inputs])
        if kwargs:
            raise self._error("inputs are given in the file's order, without names")
        self._check(args)
        with _texts(self.file):
            return self._export(args)

    def _export(self, args: tuple[Any, ...]) -> ExportedProgram:
        proto = ModelProto()
        proto.CopyFrom(self.proto)
        for value, tensor in zip(proto.graph.input, args, strict=False):  # weights follow
            value.type.tensor_type.shape.Clear()
            for size in tensor.shape:
                value.type.tensor_type.shape.dim.add().dim_value = size
        if self.is_dynamic:
            for value in proto.graph.output:
                value.type.tensor_type.ClearField("shape")
            del proto.graph.value_info[:]
        try:
            proto = onnx.shape_inference.infer_shapes(proto, data_prop=True)
        except onnx.shape_inference.InferenceError as error:
            raise self._error(_first_line(error)) from None
        names = _arguments([one.name for one in self.inputs])
        examples = list(zip(names, args, strict=True))
        version = _raise_version(proto)
        graph = to_graph(import_onnx(proto, self.file, OPERATORS), examples, list(self.weights.items()), self.file,
                         {node.name: node.op_type for node in proto.graph.node}, version)
        return torch.export.export(_Traced(graph), args)

    def _check(self, args: tuple[Any, ...]) -> None:
        named: dict[str, int] = {}
        if len(args) != len(self.inputs):
            raise self._error(f"the model has {len(self.inputs)} inputs, {len(args)} are given")
        for one, value in zip(self.inputs, args, strict=True):
            if not isinstance(value, torch.Tensor) or value.dtype != one.dtype or value.dim() != len(one.sizes):
                raise self._error(f"input '{one.name}' is a tensor of {one.dtype} with {len(one.sizes)} dimensions")
            for size, wanted in zip(value.shape, one.sizes, strict=True):
                if size != (named.setdefault(wanted, size) if isinstance(wanted, str) else wanted):
                    raise self._error(f"input '{one.name}' of sizes {tuple(value.shape)} is declared with "
                                      f"{', '.join(map(str, one.sizes))}")

    def _error(self, reason: str) -> HexError:
        return HexError.plain(reason, origin=ORIGIN, file=self.file)


class _Traced(torch.nn.Module):
    """Runs the graph node by node, so that exported nodes have the name of their ONNX node."""

    def __init__(self, graph: GraphModule):
        super().__init__()
        self.traced = graph

    def forward(self, *inputs: torch.Tensor) -> Any:
        """The results."""
        return Interpreter(self.traced).run(*inputs)


def read(path: str | os.PathLike[str]) -> OnnxModel:
    """The model in the file ``path``; external weight files are mapped. Raises `HexError`."""
    file = os.fspath(path)
    with _texts(file):
        return _read(file)


@contextmanager
def _texts(file: str) -> Iterator[None]:
    """All names in ``file``, wherever they are used."""
    try:
        yield
    except UnicodeDecodeError:
        raise HexError.plain("a name is not UTF-8 text: the file is damaged", origin=ORIGIN, file=file) from None


def _read(file: str) -> OnnxModel:
    try:
        proto = onnx.load(file, load_external_data=False)
    except (OSError, DecodeError) as error:
        reason = getattr(error, "strerror", None) or "no ONNX model"
        raise HexError.plain(f"cannot read: {reason}", origin=ORIGIN, file=file) from None
    if not proto.graph.output:
        raise HexError.plain("cannot read: no ONNX model, or one without results", origin=ORIGIN, file=file)
    if proto.graph.sparse_initializer:
        raise HexError.plain("weights are stored as sparse tensors", origin=ORIGIN, file=file)
    weights = take_weights(proto.graph, Path(file))
    proto = ModelProto.FromString(proto.SerializeToString())  # without the memory of the weights
    try:
        onnx.checker.check_model(proto)
        if proto.functions:
            proto = inliner.inline_local_functions(proto)
    except (onnx.checker.ValidationError, RuntimeError) as error:
        raise HexError.plain(_first_line(error), origin=ORIGIN, file=file) from None
    for number, node in enumerate(proto.graph.node):
        node.name = node.name or f"{node.op_type} number {number}"
    guard_loops(proto.graph)
    inputs = [_input(value, file) for value in proto.graph.input if value.name not in weights]
    proto.graph.name = "main"
    return OnnxModel(file, proto, inputs, weights)


def _arguments(names: Sequence[str]) -> list[str]:
    """``names`` as Python arguments, because PyTorch writes traced programs as Python source."""
    found: list[str] = []
    for name in names:
        word = re.sub(r"\W", "_", name)
        word = word if word.isidentifier() and not keyword.iskeyword(word) else f"_{word}"
        while word in found:
            word += "_"
        found.append(word)
    return found


def _raise_version(proto: ModelProto) -> int:
    """The operator version of ``proto``, which is set to 13 if it is older.

    Other changes before 13 concern element types only; `OPERATORS` has the older semantics of operators.
    """
    for entry in proto.opset_import:
        if entry.domain in ("", "ai.onnx"):
            version, entry.version = entry.version, max(entry.version, _FIRST_LOWERED)
            return version
    return _FIRST_LOWERED


def _input(value: onnx.ValueInfoProto, file: str) -> Input:
    kind = value.type.tensor_type
    if not value.type.HasField("tensor_type") or not kind.HasField("shape"):
        raise HexError.plain(f"input '{value.name}' is no tensor of known rank", origin=ORIGIN, file=file)
    sizes = tuple(d.dim_value if d.HasField("dim_value") else d.dim_param or f"{value.name}.{number}"
                  for number, d in enumerate(kind.shape.dim))
    return Input(value.name, dtype_of(kind.elem_type, value.name, file), sizes)


def _first_line(error: Exception) -> str:
    return str(error).strip().splitlines()[0]

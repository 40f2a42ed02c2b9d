"""The representation of the PyTorch front end: a functional graph of ATen ops, its weights, inputs and outputs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import torch
from torch._subclasses.fake_tensor import FakeTensorMode
from torch.fx import GraphModule, Node

from hexagon_mlir.frontend.torch.fake_tensors import fake_like, result_of
from hexagon_mlir.ir import Diagnostic, HexError


@dataclass
class TorchGraph:
    """A functional graph whose placeholders are constants (weights, buffers) or inputs.

    ``constants`` maps placeholder names to tensors; equal tensors (tied weights) share one placeholder. ``inputs``
    lists the other placeholders; ``input_positions[i]`` is the place of input i among the flat arguments.
    ``outputs`` has, for each flat result, its index among the graph's outputs, or a constant. ``mutations`` are
    tensors the caller owns that output number i replaces: buffers, or (as an int) flat arguments. ``states`` are
    placeholders of the buffers among them: read anew in each run. ``read`` are the storages of constants whose values
    the graph depends on: of other weights, only the address matters. ``fixed`` are the flat arguments that are no
    tensors, by place: the graph is for their values. ``keys`` is the state that a run draws anew, with which operations
    draw random numbers. ``remarks``: what rewrites declined to do, and why.
    ``sizes_vary``: it is one of the same program's graphs at several sizes, which become one.
    """

    module: GraphModule
    constants: dict[str, torch.Tensor]
    inputs: list[str]
    input_positions: list[int]
    outputs: list[int | Constant]
    mutations: list[tuple[int, torch.Tensor | int]] = field(default_factory=list)
    states: dict[str, torch.Tensor] = field(default_factory=dict)
    read: set[int] = field(default_factory=set)
    fixed: dict[int, Fixed] = field(default_factory=dict)
    keys: str | None = None
    remarks: list[Diagnostic] = field(default_factory=list)
    sizes_vary: bool = False

    @property
    def graph(self) -> torch.fx.Graph:
        """The nodes."""
        return self.module.graph

    @property
    def fake_mode(self) -> FakeTensorMode:
        """The mode under which the nodes' ``meta["val"]`` live."""
        for node in self.graph.nodes:
            mode = getattr(node.meta.get("val"), "fake_mode", None)
            if mode is not None:
                return mode
        return FakeTensorMode()

    def is_constant(self, node: Any) -> bool:
        """True for a placeholder whose value is known."""
        return isinstance(node, Node) and node.op == "placeholder" and node.name in self.constants

    def value(self, node: Node) -> torch.Tensor:
        """The tensor of a constant placeholder, to compute with: its storage is added to `read`."""
        value = self.constants[node.name]
        self.read.add(storage_of(value))
        return value

    def add_constant(self, value: torch.Tensor, name: str) -> Node:
        """A new placeholder for ``value``."""
        first = next(iter(self.graph.nodes))
        with self.graph.inserting_before(first):
            node = self.graph.placeholder(_fresh_name(self.graph, name))
        node.meta["val"] = fake_like(self.fake_mode, value)
        self.constants[node.name] = value
        return node

    def insert(self, before: Node, target: Any, *args: Any, **kwargs: Any) -> Node:
        """A new call of ``target`` with its shape and type, at the place and source line of ``before``."""
        with self.graph.inserting_before(before):
            node = self.graph.call_function(target, args, kwargs)
        node.meta |= origin_of(before)
        values = torch.fx.map_arg((args, kwargs), lambda n: n.meta["val"])
        try:
            node.meta["val"] = result_of(self.fake_mode, target, *values)
        except RuntimeError as error:  # PyTorch looks at types when it computes, not when it decomposes
            raise HexError.plain(f"PyTorch refuses '{target}' here: {str(error).strip().splitlines()[0]}",
                                 origin="torch-passes", file=source_of(before)) from error
        return node

    def replace(self, old: Node, new: Node) -> None:
        """Let every user of ``old`` use ``new``, and drop ``old``."""
        old.replace_all_uses_with(new)
        self.graph.erase_node(old)


def storage_of(tensor: torch.Tensor) -> int:
    """The address of the memory that ``tensor`` is a view of."""
    return tensor.untyped_storage().data_ptr()


@dataclass(frozen=True)
class Fixed:
    """An argument that is None, a bool, a number or a text, as the program was exported with it."""

    name: str
    value: Any

    def admits(self, given: Any) -> bool:
        """True for the same value of the same type: 1, 1.0 and True are three."""
        if type(given) is not type(self.value):
            return False
        return given == self.value or (given != given and self.value != self.value)


@dataclass(frozen=True)
class Constant:
    """A result that is no tensor: None or a number."""

    value: Any


def args_of(node: Node) -> tuple[Any, ...]:
    """The positional arguments of a call: nodes, numbers, lists."""
    return node.args


def arguments_of(node: Node) -> dict[str, Any]:
    """The arguments of a call of an ATen op by name, without those left at their default."""
    target: Any = node.target
    names = [argument.name for argument in target._schema.arguments]
    return {**dict(zip(names, node.args, strict=False)), **node.kwargs}


def shape_of(node: Node) -> tuple[int, ...]:
    """The static shape of what ``node`` computes."""
    return tuple(int(size) for size in node.meta["val"].shape)


def dtype_of(node: Node) -> torch.dtype:
    """The element type of what ``node`` computes."""
    return node.meta["val"].dtype


def share_constants(module: GraphModule, constants: Mapping[str, torch.Tensor]) -> dict[str, torch.Tensor]:
    """Merge placeholders of equal tensors; returns the constants that are left."""
    kept: dict[tuple[Any, ...], Node] = {}
    left: dict[str, torch.Tensor] = {}
    for node in [n for n in module.graph.nodes if n.op == "placeholder" and n.name in constants]:
        tensor = constants[node.name]
        key = (tensor.data_ptr(), tuple(tensor.shape), tensor.stride(), tensor.dtype)
        if tensor.numel() and key in kept:
            node.replace_all_uses_with(kept[key])
            module.graph.erase_node(node)
        else:
            kept[key] = node
            left[node.name] = tensor
    return left


def _fresh_name(graph: torch.fx.Graph, name: str) -> str:
    taken = {node.name for node in graph.nodes}
    count = 0
    while f"{name}_{count}" in taken:
        count += 1
    return f"{name}_{count}"


def origin_of(node: Node) -> dict[str, Any]:
    """The metadata of ``node`` about the model's source."""
    return {key: node.meta[key] for key in ("stack_trace", "nn_module_stack", "source_fn_stack") if key in node.meta}


def source_of(node: Node) -> str:
    """``file:line`` of the model's source that made ``node``, or its name."""
    lines = [line.strip() for line in str(node.meta.get("stack_trace") or "").splitlines() if "File " in line]
    if not lines:
        return node.name
    file, _, rest = lines[-1].removeprefix("File ").partition(", line ")
    return f"{file.strip(chr(34))}:{rest.split(',')[0]}"

"""Graphs of elementwise operations and reductions of rows as groups of operators for bytecode."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from math import isclose, sqrt
from typing import Any

import torch
from torch.fx import GraphModule, Node

from hexagon_mlir.bytecode.group import Dim, Group, Value
from hexagon_mlir.ir import HexError

ORIGIN = "torch-bytecode"
aten, prims = torch.ops.aten, torch.ops.prims
_UNARY = {
    aten.neg.default: "neg", aten.abs.default: "abs", aten.exp.default: "exp", aten.log.default: "log",
    aten.sqrt.default: "sqrt", aten.rsqrt.default: "rsqrt", aten.tanh.default: "tanh", aten.erf.default: "erf",
    aten.sigmoid.default: "sigmoid", aten.reciprocal.default: "reciprocal", aten.silu.default: "silu",
}
_BINARY = {
    aten.add.Tensor: "add", aten.add.Scalar: "add", aten.sub.Tensor: "sub", aten.sub.Scalar: "sub",
    aten.mul.Tensor: "mul", aten.mul.Scalar: "mul", aten.div.Tensor: "div", aten.div.Scalar: "div",
    aten.maximum.default: "max", aten.minimum.default: "min",
    **{getattr(getattr(aten, name), kind): name for name in ("lt", "le", "eq", "gt", "ge", "ne")
       for kind in ("Tensor", "Scalar")},
}
_REDUCTIONS = {aten.sum.dim_IntList: "reduce_sum", aten.amax.default: "reduce_max", aten.amin.default: "reduce_min"}
_SAME = (aten.clone.default, aten.alias.default, aten.detach.default)
_TYPES = (torch.float32, torch.bool)


@dataclass(frozen=True)
class Tensor:
    """A value of the group for a tensor of the graph, which has no last dimension if ``squeezed``: that is 1."""

    value: Value
    squeezed: bool = False


@dataclass
class TorchGroup:
    """``group`` computes what a graph does. Its inputs are tensors among the graph's arguments, at the places
    ``inputs``, and numbers that sizes decide, which ``numbers`` computes of all arguments. ``squeezed`` tells of each
    output whether it has no last dimension."""

    group: Group
    inputs: list[int] = field(default_factory=list)
    numbers: Callable[..., Sequence[torch.Tensor]] | None = None
    squeezed: list[bool] = field(default_factory=list)


def group_of(module: GraphModule) -> TorchGroup:
    """Raises `HexError` for a graph with other operations, types or layouts."""
    return _Reader(module).read()


class _Reader:
    def __init__(self, module: GraphModule) -> None:
        self.module, self.found = module, TorchGroup(Group())
        self.tensors: dict[Node, Tensor] = {}
        self.numbers: list[Node] = []
        """Nodes without elements of tensors among what they are computed of: one number each, or a size."""
        self.used: list[Node] = []
        """Those of them that are inputs of the group, after the tensors."""

    def read(self) -> TorchGroup:
        places = [node for node in self.module.graph.nodes if node.op == "placeholder"]
        for place, node in enumerate(places):
            value = node.meta.get("val")
            if not isinstance(value, torch.Tensor):
                self.numbers.append(node)
            elif node.users:
                self._check_type(node)
                self.tensors[node] = Tensor(self.found.group.input(*map(_dim, value.shape)))
                self.found.inputs.append(place)
        nodes = [node for node in self.module.graph.nodes if node.op not in ("placeholder", "output")]
        for node in nodes:
            if all(operand in self.numbers for operand in node.all_input_nodes):
                self.numbers.append(node)
        for node in nodes:
            if node not in self.numbers:
                self._read_node(node)
        output = next(node for node in self.module.graph.nodes if node.op == "output")
        for node in output.args[0]:
            self._read_output(node)
        if self.used:
            self.found.numbers = self._numbers(places)
        return self.found

    def _read_output(self, node: Any) -> None:
        if node not in self.tensors or node.meta["val"].dtype != torch.float32:
            raise _refusal("a result that is no tensor of f32")
        if not node.meta["val"].is_contiguous():
            raise _refusal("a result that is not contiguous")
        self.found.group.output(self.tensors[node].value)
        self.found.squeezed.append(self.tensors[node].squeezed)

    def _numbers(self, places: Iterable[Node]) -> Callable[..., Sequence[torch.Tensor]]:
        """A function of the graph's arguments that computes the numbers which the group takes."""
        graph, copies = torch.fx.Graph(), dict[Node, Node]()
        for node in places:
            copies[node] = graph.node_copy(node)
        for node in self.numbers:
            if node not in copies:
                copies[node] = graph.node_copy(node, copies.__getitem__)
        graph.output(tuple(copies[node] for node in self.used))
        graph.eliminate_dead_code()
        return GraphModule(self.module, graph)

    def _read_node(self, node: Node) -> None:
        self._check_type(node)
        target = node.target
        if target in _UNARY:
            self._apply(node, _UNARY[target], node.args[:1])
        elif (operand := gelu_operand(node)) is not None:
            self._apply(node, "gelu", (operand,))
        elif target in _BINARY and node.kwargs.get("alpha", 1) == 1 and len(node.args) == 2:
            self._apply(node, _BINARY[target], node.args)
        elif target is aten.relu.default:
            self._apply(node, "max", (node.args[0], 0.0))
        elif target is aten.where.self:
            self._apply(node, "select", node.args)
        elif target is aten.masked_fill.Scalar:
            self._apply(node, "select", (node.args[1], node.args[2], node.args[0]))
        elif target is aten._softmax.default:
            self._softmax(node)
        elif target in _REDUCTIONS:
            self._reduce(node, _REDUCTIONS[target])
        elif target in _SAME:
            self.tensors[node] = self._tensor(node.args[0])
        elif target is aten.unsqueeze.default:
            self._unsqueeze(node)
        elif target is prims.squeeze.default:
            self.tensors[node] = Tensor(self._rows(node, node.args[1]), True)
        else:
            raise _refusal(f"{target}")

    def _apply(self, node: Node, name: str, operands: Sequence[Any]) -> None:
        given = [self._operand(operand) for operand in operands]
        tensors = [one for one in given if isinstance(one, Tensor)]
        squeezed = {one.squeezed for one in tensors if one.value.dims}
        if len(squeezed) > 1:
            raise _refusal(f"{node.target} of a reduced tensor and another one")
        values = [one.value if isinstance(one, Tensor) else one for one in given]
        self.tensors[node] = Tensor(self.found.group.apply(name, *values), squeezed == {True})

    def _operand(self, operand: Any) -> Tensor | float:
        """A tensor of the group, or a number; one that sizes decide is an input."""
        if isinstance(operand, Node) and operand in self.tensors:
            return self.tensors[operand]
        if isinstance(operand, Node) and operand in self.numbers:
            number = operand.args[0] if operand.target is aten.scalar_tensor.default else None
            if isinstance(number, int | float):
                return float(number)
            value = operand.meta.get("val")
            if isinstance(value, torch.Tensor) and value.dim():
                raise _refusal(f"{operand.target}")
            self.used.append(operand)
            self.tensors[operand] = Tensor(self.found.group.input())
            return self.tensors[operand]
        if isinstance(operand, int | float):
            return float(operand)
        raise _refusal(f"an operand {operand}")

    def _tensor(self, node: Any) -> Tensor:
        if node not in self.tensors:
            raise _refusal(f"an operand {node}")
        return self.tensors[node]

    def _rows(self, node: Node, dims: Any) -> Value:
        """The operand of ``node``, which treats its last dimension, along ``dims``."""
        operand = self._tensor(node.args[0])
        rank = len(operand.value.dims)
        axes = [dims] if isinstance(dims, int) else list(dims or ())
        if operand.squeezed or len(axes) != 1 or axes[0] % rank != rank - 1:
            raise _refusal(f"{node.target} along dimensions {axes} of {rank}")
        return operand.value

    def _reduce(self, node: Node, name: str) -> None:
        value = self._rows(node, node.args[1] if len(node.args) > 1 else None)
        keeps = len(node.args) > 2 and bool(node.args[2])
        self.tensors[node] = Tensor(self.found.group.apply(name, value), not keeps)

    def _softmax(self, node: Node) -> None:
        value, apply = self._rows(node, node.args[1]), self.found.group.apply
        exponential = apply("exp", apply("sub", value, apply("reduce_max", value)))
        total = apply("reciprocal", apply("reduce_sum", exponential))
        self.tensors[node] = Tensor(apply("mul", exponential, total))

    def _unsqueeze(self, node: Node) -> None:
        operand, rank = self._tensor(node.args[0]), node.meta["val"].dim()
        place = node.args[1] % rank if isinstance(node.args[1], int) else None
        value = operand.value
        if operand.squeezed and place == rank - 1:
            self.tensors[node] = Tensor(value)
        elif not operand.squeezed and place == 0:
            self.tensors[node] = Tensor(Value(value.number, (1, *value.dims)))
        else:
            raise _refusal(f"{node.target} before dimension {place} of {rank}")

    @staticmethod
    def _check_type(node: Node) -> None:
        value = node.meta.get("val")
        if not isinstance(value, torch.Tensor) or value.dtype not in _TYPES:
            raise _refusal(f"{node.target}: a value of {getattr(value, 'dtype', type(value).__name__)}")


def gelu_operand(node: Node) -> Node | None:
    """x if ``node`` is ``(x * 0.5) * (erf(x / sqrt(2)) + 1)``, as PyTorch decomposes GELU."""
    if node.target is not aten.mul.Tensor:
        return None
    half, cdf = node.args
    shifted = _operand_beside(cdf, aten.add.Tensor, 1.0)
    if not isinstance(shifted, Node) or shifted.target is not aten.erf.default:
        return None
    x = _operand_beside(half, aten.mul.Tensor, 0.5)
    scaled = _operand_beside(shifted.args[0], aten.mul.Tensor, sqrt(0.5))
    return x if isinstance(x, Node) and x is scaled else None


def _operand_beside(node: Any, target: Any, number: float) -> Any:
    """The first operand of ``node``, if it is ``target`` of it and this number."""
    same = isinstance(node, Node) and node.target is target and len(node.args) == 2 and not node.kwargs
    second = node.args[1] if same else None
    return node.args[0] if isinstance(second, int | float) and isclose(second, number, rel_tol=1e-6) else None


def _dim(size: Any) -> Dim:
    """The symbol of a size; 1 for one that is broadcast."""
    if isinstance(size, torch.SymInt):
        return str(size.node.expr)
    if not size:
        raise _refusal("a tensor without elements")
    return 1 if size == 1 else f"={size}"


def _refusal(what: str) -> HexError:
    return HexError.plain(f"no bytecode for {what}", "elementwise operations on f32 and reductions of rows have some",
                          ORIGIN)

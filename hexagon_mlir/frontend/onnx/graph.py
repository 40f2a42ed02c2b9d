"""A function of the torch dialect as a graph of PyTorch's own ATen ops, which have the same names and arguments.

Values that do not depend on inputs or weights (mainly shapes) are evaluated here, so that branches are resolved and
loops unrolled. Of branches that depend on them both are computed, of loops all steps.
"""

from __future__ import annotations

import inspect
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import torch
from torch._subclasses.fake_tensor import DataDependentOutputException, FakeTensorMode
from torch.fx import Graph, GraphModule, Node
from torch.fx.node import map_arg

from hexagon_mlir.frontend.onnx.choices import MOST_STEPS, both, chosen, is_condition
from hexagon_mlir.frontend.onnx.operators import OPERATORS
from hexagon_mlir.ir import Diagnostic, HexError, Place, ir
from hexagon_mlir.ir.onnx_import import DTYPES, ORIGIN, OWN, attributes_of, name_of

_aten = torch.ops.aten
_TERMINATORS = frozenset({"func.return", "torch.prim.Loop.condition", "torch.prim.If.yield"})
_IDENTITIES = frozenset({"torch.tensor_static_info_cast", "torch.derefine", "torch.prim.unchecked_cast",
                         "torch.aten.detach", "torch.aten.clone"})
_LISTS = frozenset({"torch.prim.ListConstruct", "torch.prim.TupleConstruct"})
_UNPACKS = frozenset({"torch.prim.ListUnpack", "torch.prim.TupleUnpack"})


def to_graph(module: ir.Module, inputs: Sequence[tuple[str, torch.Tensor]], weights: Sequence[tuple[str, torch.Tensor]],
             file: str, kinds: Mapping[str, str], version: int) -> GraphModule:
    """The function of ``module`` as a module that takes ``inputs`` (names and examples, values not read).

    ``weights`` are its other arguments: buffers of the module, which share their memory. ``kinds`` are the ONNX
    operators of the file's nodes by name, for errors, and ``version`` is that of all operators.
    """
    return _Builder(file, kinds, version).build(module, inputs, weights)


class _Builder:
    """Evaluates the function where values are known, and adds nodes for the other operations. A value is a number,
    list, tensor or node."""

    def __init__(self, file: str, kinds: Mapping[str, str], version: int):
        self.file, self.kinds, self.version = file, kinds, version
        self.graph, self.root = Graph(), torch.nn.Module()
        self.fake = FakeTensorMode(allow_non_fake_inputs=True)
        self.values: dict[ir.Value, Any] = {}
        self.constants: dict[int, Node] = {}

    def build(self, module: ir.Module, inputs: Sequence[tuple[str, torch.Tensor]],
              weights: Sequence[tuple[str, torch.Tensor]]) -> GraphModule:
        function = module.body.operations[0].operation
        block = function.regions[0].blocks[0]
        nodes = []
        for name, example in inputs:
            nodes.append(self.graph.placeholder(name))
            nodes[-1].meta["val"] = self.fake.from_tensor(example)
        nodes += [self._constant(tensor) for _, tensor in weights]
        self.values.update(zip(block.arguments, nodes, strict=True))
        results = [self._constant(r) if isinstance(r, torch.Tensor) else r for r in self._run(block)]
        self.graph.output(tuple(results))
        return GraphModule(self.root, self.graph)

    def _run(self, block: ir.Block) -> list[Any]:
        """Evaluate the operations of ``block``; the operands of its end."""
        for view in block.operations:
            op = view.operation
            operands = [self.values[operand] for operand in op.operands]
            if op.name in _TERMINATORS:
                return operands
            self.values.update(zip(op.results, self._evaluate(op, operands), strict=False))  # fewer are used
        return []

    def _evaluate(self, op: ir.Operation, operands: list[Any]) -> Sequence[Any]:
        kind = op.name
        if kind == "torch.vtensor.literal":
            return [self._literal(op)]
        if kind == "torch.constant.none" or kind == "torch.constant.device":
            return [None]
        if kind.startswith("torch.constant."):
            return [op.attributes["value"].value]
        if kind in _LISTS:
            return [operands]
        if kind in _UNPACKS:
            return operands[0]
        if kind in _IDENTITIES:
            return operands[:1]
        if kind == "torch.runtime.assert":
            return []
        if kind == "torch.prim.If":
            return self._branch(op, operands[0])
        if kind == "torch.prim.Loop":
            return self._loop(op, *operands)
        if kind == "torch.operator":
            return self._own(op, operands)
        if operands and isinstance(operands[0], Node) and is_condition(op):
            return operands[:1]
        return self._call(op, operands)

    def _branch(self, op: ir.Operation, condition: Any) -> Sequence[Any]:
        """The results of one branch, or of both what the condition chooses."""
        if not isinstance(condition, Node):
            return self._run(op.regions[0 if condition else 1].blocks[0])
        branches = [self._run(region.blocks[0]) for region in op.regions]
        return [self._chosen(op, condition, *pair) for pair in zip(*branches, strict=True)]

    def _loop(self, op: ir.Operation, count: Any, go_on: Any, *initial: Any) -> Sequence[Any]:
        """Unroll a loop."""
        block, step, carried = op.regions[0].blocks[0], 0, list(initial)
        while step < self._known(op, count) and (isinstance(go_on, Node) or go_on):
            if step == MOST_STEPS and isinstance(go_on, Node):
                raise self._error(op, f"a loop of more than {MOST_STEPS} steps ends where values of inputs say so",
                                  "a number of steps that is known when the model is compiled")
            self.values.update(zip(block.arguments, (step, *carried), strict=True))
            goes_on, *made = self._run(block)
            if isinstance(go_on, Node):
                made = [self._chosen(op, go_on, *pair) for pair in zip(made, carried, strict=True)]
                if isinstance(goes_on, Node):
                    goes_on = self._apply(op, both, [go_on, goes_on], {})
                elif goes_on:
                    goes_on = go_on
            go_on, carried = goes_on, made
            step += 1
        return carried

    def _chosen(self, op: ir.Operation, condition: Node, yes: Any, no: Any) -> Any:
        is_same = yes is no or (not isinstance(yes, torch.Tensor | Node) and type(yes) is type(no) and yes == no)
        return yes if is_same else self._apply(op, chosen, [condition, yes, no], {})

    def _known(self, op: ir.Operation, value: Any) -> Any:
        if isinstance(value, Node):
            raise self._error(op, "what is computed depends on the values of inputs",
                              "branches and loops over numbers that are known when the model is compiled")
        return value

    def _literal(self, op: ir.Operation) -> torch.Tensor:
        try:
            values = np.array(op.attributes["value"])
        except (TypeError, ValueError):
            raise self._error(op, "a constant of an element type that cannot be read") from None
        return torch.from_numpy(values.copy())

    def _own(self, op: ir.Operation, operands: list[Any]) -> Sequence[Any]:
        """One of our own operators, or an unknown one."""
        name, keywords = attributes_of(op)
        operator = OPERATORS.get(name.removeprefix(OWN)) if name.startswith(OWN) else None
        if operator is None:
            raise self._error(op, f"no lowering for '{name.removeprefix(OWN).removeprefix('onnx.')}'")
        for number in operator.known & {*range(len(operands))}:
            if isinstance(operands[number], Node):
                raise self._error(op, "a size depends on the values of inputs")
            if operands[number] is not None:
                operands[number] = operands[number].tolist()
        for number in operator.numbers & {*range(len(operands))}:
            if isinstance(operands[number], torch.Tensor) and operands[number].numel() == 1:
                operands[number] = operands[number].item()
        parameters = inspect.signature(operator.function).parameters
        if not any(p.kind is p.VAR_KEYWORD for p in parameters.values()):
            for attribute in keywords.keys() - parameters.keys():
                raise self._error(op, f"no lowering for '{name.removeprefix(OWN)}' with attribute '{attribute}'")
        offered = {"outputs": len(op.results), "version": self.version}
        keywords |= {key: value for key, value in offered.items() if key in parameters}
        results = self._apply(op, operator.function, operands, keywords)
        return results if isinstance(results, list | tuple) else [results]

    def _call(self, op: ir.Operation, operands: list[Any]) -> Sequence[Any]:
        """Evaluate a call if all operands are known, else add a node to the graph."""
        target = self._target(op)
        arguments, keywords = [], {}
        for spec, value in zip(target._schema.arguments, operands, strict=True):
            if value is not None and "ScalarType" in str(spec.real_type):
                value = DTYPES[value]
            if spec.kwarg_only:
                keywords[spec.name] = value
            else:
                arguments.append(value)
        if target is _aten._shape_as_tensor.default:
            return [torch.tensor(_example(arguments[0]).shape)]
        target, arguments = _corrected(target, arguments)
        outcome = self._apply(op, target, arguments, keywords)
        return outcome if len(op.results) > 1 else [outcome]

    def _apply(self, op: ir.Operation, function: Any, arguments: list[Any], keywords: dict[str, Any]) -> Any:
        """The result of ``function``: evaluated if all operands are known, else a node of the graph, or its parts."""
        found: list[Node] = []
        map_arg((arguments, keywords), found.append)
        try:
            if not found:
                return function(*arguments, **keywords)
            examples, named = map_arg((arguments, keywords), lambda node: node.meta["val"])
            with self.fake:
                outcome = function(*examples, **named)
        except DataDependentOutputException:
            raise self._error(op, "a size depends on the values of inputs") from None
        except (RuntimeError, ValueError, TypeError, LookupError, AssertionError) as error:
            raise self._error(op, _sentence(error)) from None
        if not isinstance(outcome, torch.Tensor | list | tuple):
            return outcome  # a size
        node = self.graph.call_function(function, *self._nodes(arguments, keywords))
        node.meta["val"] = outcome
        node.meta["stack_trace"] = f'  File "{self.file}", line 0, in {name_of(op)}'
        if isinstance(outcome, torch.Tensor):
            return node
        parts = []
        for number, part in enumerate(outcome):
            parts.append(self.graph.call_function(_item, (node, number)))
            parts[-1].meta["val"] = part
        return parts

    def _target(self, op: ir.Operation) -> Any:
        """The ATen op of the same name."""
        _, space, name, *overload = op.name.split(".") if op.name.count(".") > 1 else ("", "", op.name)
        try:
            return getattr(getattr(getattr(torch.ops, space), name), overload[0] if overload else "default")
        except (AttributeError, RuntimeError):
            raise self._error(op, f"no operation of PyTorch is called '{op.name}'") from None

    def _nodes(self, arguments: list[Any], keywords: dict[str, Any]) -> tuple[tuple[Any, ...], dict[str, Any]]:
        """The same with a node for each tensor."""
        def put(value: Any) -> Any:
            if isinstance(value, torch.Tensor):
                return self._constant(value)
            return [put(part) for part in value] if isinstance(value, list | tuple) else value

        return tuple(put(value) for value in arguments), {name: put(value) for name, value in keywords.items()}

    def _constant(self, tensor: torch.Tensor) -> Node:
        """A buffer of the module."""
        if id(tensor) not in self.constants:
            name = f"constant_{len(self.constants)}"
            self.root.register_buffer(name, tensor)
            node = self.graph.get_attr(name)
            node.meta["val"] = self.fake.from_tensor(tensor)
            self.constants[id(tensor)] = node
        return self.constants[id(tensor)]

    def _error(self, op: ir.Operation, reason: str, hint: str = "") -> HexError:
        node = name_of(op)
        kind = self.kinds.get(node, "")
        where = f" ({kind} node '{node}')" if kind and kind not in node else f" (node '{node}')" if node else ""
        return HexError(Diagnostic("error", Place(self.file), ORIGIN, reason + where, hint=hint))


def _corrected(target: Any, arguments: list[Any]) -> tuple[Any, list[Any]]:
    """Correct calls that torch-mlir writes with ONNX's semantics and PyTorch rejects or interprets differently."""
    if target is _aten.div.Tensor and not any(_example(value).is_floating_point() for value in arguments):
        return _quotient, arguments
    if target is torch.ops.prims.squeeze.default:
        return _aten.squeeze.dims, arguments
    if target is _aten.prelu.default:
        return _parametric_relu, arguments
    if target is _aten.__interpolate.size_list_scale_list and arguments[3].startswith("nearest"):
        return target, [*arguments[:4], None, *arguments[5:]]  # no corners to align
    if target is _aten.convolution.default:
        *first, output_padding, groups = arguments
        return target, [*first, output_padding[:len(first[3])], groups]  # first[3]: a stride for each dimension
    return target, arguments


def _quotient(x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
    """Of integers, rounded towards zero."""
    return _aten.div.Tensor_mode(x, y, rounding_mode="trunc")


def _parametric_relu(x: torch.Tensor, slope: torch.Tensor) -> torch.Tensor:
    """``slope`` is broadcast from the last dimension on; PyTorch's has one for each channel."""
    return torch.where(x > 0, x, slope * x)


def _example(value: Any) -> torch.Tensor:
    return value.meta["val"] if isinstance(value, Node) else value


def _item(values: Sequence[Any], number: int) -> Any:
    return values[number]


def _sentence(error: Exception) -> str:
    """What went wrong, in one line."""
    lines = str(error).splitlines()
    return f"no {lines[0]}" if isinstance(error, KeyError) else lines[0] if lines else type(error).__name__

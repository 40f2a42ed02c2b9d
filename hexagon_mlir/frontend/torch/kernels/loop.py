"""The steps of a loop of a model as one kernel: `scf.for` around what a step computes."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import islice
from typing import Any

import torch
from torch.fx import Graph, GraphModule, Node

from hexagon_mlir.frontend.torch.graph import TorchGraph, args_of, dtype_of, shape_of
from hexagon_mlir.frontend.torch.importer import BUILDERS, ENTRY, to_linalg
from hexagon_mlir.frontend.torch.kernels.builder import FunctionBuilder, Type, Value
from hexagon_mlir.ir.inlining import inlined

ELEMENTS = {torch.float32: "f32", torch.float16: "f16", torch.int32: "i32"}
"""Types of the tensors between steps."""


def loop(body: str, count: int, carried: Sequence[Any], scanned: Sequence[Any], others: Sequence[Any]) -> Any:
    """``count`` steps of ``body``, a submodule of the graph: what they carry on, then what each gives, along a new
    first dimension. A step gets what is carried, an element of each of ``scanned`` along its first dimension, and
    ``others``. Never called: a node of the graph says what to compute."""
    raise NotImplementedError


def build(node: Node) -> str:
    """The function for one ``loop`` node."""
    name, count, carried, scanned, others = args_of(node)
    owner = node.graph.owning_module
    assert owner is not None
    step = to_linalg(TorchGraph(_flat(owner.get_submodule(name)), {}, [], [], []))
    op = FunctionBuilder([_type(one) for one in (*carried, *scanned, *others)])
    arguments = iter(op.arguments)
    state, rows, fixed = (list(islice(arguments, len(group))) for group in (carried, scanned, others))
    types = [Type(ELEMENTS[value.dtype], tuple(value.shape)) for value in node.meta["val"]]
    results = [op.empty(type_) for type_ in types[len(state):]]

    def iteration(index: Value, values: list[Value]) -> Sequence[Value]:
        elements = [_row(op, row, index) for row in rows]
        given = [*types[:len(state)], *(Type(type_.element, type_.sizes[1:]) for type_ in types[len(state):])]
        found = op.call(ENTRY, [*values[:len(state)], *elements, *fixed], given)
        return [*found[:len(state)], *(
            op.insert_slice(row, into, [index, *[0] * len(row.type.sizes)], (1, *row.type.sizes))
            for row, into in zip(found[len(state):], values[len(state):], strict=True))]

    text = op.text(*op.loop(op.index(0), op.index(count), op.index(1), [*state, *results], iteration))
    return inlined(step, text)


def _row(op: FunctionBuilder, rows: Value, index: Value) -> Value:
    sizes = rows.type.sizes[1:]
    return op.extract_slice(rows, [index, *[0] * len(sizes)], (1, *sizes), drop=1)


def _type(node: Node) -> Type:
    return Type(ELEMENTS[dtype_of(node)], shape_of(node))


def _flat(module: Any) -> GraphModule:
    """A copy of ``module`` whose results are a tuple, each a tensor of its own."""
    graph = Graph()
    results = graph.graph_copy(module.graph, {})
    graph.output(tuple(results) if isinstance(results, list | tuple) else (results,))
    return GraphModule(module, graph)


BUILDERS[loop] = build

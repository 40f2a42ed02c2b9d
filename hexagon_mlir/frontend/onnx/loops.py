"""Loops of ONNX graphs whose first condition is given, as branches around loops: torch-mlir takes every first condition
for true."""

from __future__ import annotations

from collections.abc import Collection

from onnx import AttributeProto, GraphProto, NodeProto, TensorProto, helper

_CARRIED_FROM = 2
"""A loop's inputs: the number of steps, the first condition, and what steps carry on."""


def guard_loops(graph: GraphProto, known: Collection[str] = ()) -> None:
    """Put each loop of ``graph`` into a branch of its first condition, whose other branch gives what the loop starts
    with. ``known`` are the true constants of graphs around. Loops that collect rows stay: torch-mlir refuses them.
    """
    known = {*known, *_true_constants(graph)}
    for place, node in enumerate(graph.node):
        for attribute in node.attribute:
            if attribute.type == AttributeProto.GRAPH:
                guard_loops(attribute.g, known)
        condition = node.input[1] if node.op_type == "Loop" and not node.domain and len(node.input) > 1 else ""
        if condition and condition not in known and len(node.output) <= len(node.input) - _CARRIED_FROM:
            graph.node[place].CopyFrom(_guarded(node, condition))


def _true_constants(graph: GraphProto) -> set[str]:
    """The initializers and constants of ``graph`` that are one truth, a true one."""
    given = [(one.name, one) for one in graph.initializer]
    given += [(name, attribute.t) for node in graph.node if node.op_type == "Constant" for name in node.output
              for attribute in node.attribute if attribute.type == AttributeProto.TENSOR]
    return {name for name, one in given if one.data_type == TensorProto.BOOL and
            (one.raw_data == b"\1" or list(one.int32_data) == [1])}


def _guarded(loop: NodeProto, condition: str) -> NodeProto:
    """``loop`` in the first branch of ``condition``."""
    results, body = list(loop.output), next(one.g for one in loop.attribute if one.name == "body")
    names = {kind: [f"{result}.{kind}" for result in results] for kind in ("then", "else")}
    inner = NodeProto()
    inner.CopyFrom(loop)
    inner.output[:] = names["then"]
    given = [helper.make_node("Identity", [start], [name], f"{loop.name}.{name}")
             for start, name in zip(loop.input[_CARRIED_FROM:], names["else"], strict=False)]
    branches = {f"{kind}_branch": helper.make_graph(nodes, f"{loop.name}.{kind}", [], [
        helper.make_value_info(name, one.type) for name, one in zip(names[kind], body.output[1:], strict=False)])
        for kind, nodes in (("then", [inner]), ("else", given))}
    return helper.make_node("If", [condition], results, loop.name, **branches)

"""Converts exported programs and the graphs of torch.compile to a `TorchGraph`."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from typing import Any

import torch
from torch._higher_order_ops.effects import with_effects
from torch.export import ExportedProgram
from torch.export.graph_signature import ConstantArgument, InputKind, OutputKind, TensorArgument
from torch.fx import GraphModule, Node
from torch.fx.node import map_arg

from hexagon_mlir.frontend.torch.complex_numbers import in_real_numbers, take_constants_apart
from hexagon_mlir.frontend.torch.composites import composites
from hexagon_mlir.frontend.torch.decompositions import decompositions
from hexagon_mlir.frontend.torch.graph import Constant, Fixed, TorchGraph, arguments_of, share_constants, source_of
from hexagon_mlir.frontend.torch.operator_search import searched_once
from hexagon_mlir.frontend.torch.random_keys import take_keys
from hexagon_mlir.ir import HexError

ORIGIN = "torch-capture"
_TYPES_HINT = "real and imaginary parts, or the numbers of a quantized tensor, as tensors of their own"


def from_exported(program: ExportedProgram) -> TorchGraph:
    """The inference graph of ``program``. Raises `HexError` for what a graph of tensors cannot express."""
    try:
        with searched_once(), warnings.catch_warnings():  # PyTorch's copies of its own specifications
            warnings.filterwarnings("ignore", message=".*LeafSpec", category=FutureWarning)
            program = program.run_decompositions({**composites(), **decompositions()})
    except (RuntimeError, ValueError, TypeError, LookupError, AssertionError) as error:
        lines = str(error).strip().splitlines()
        raise HexError.plain(f"PyTorch cannot decompose the program: {lines[0] if lines else type(error).__name__}",
                             origin=ORIGIN, hint="does the program run eagerly?") from error
    module = in_real_numbers(program.graph_module)
    operations = take_keys(module)
    signature = program.graph_signature
    constants: dict[str, torch.Tensor] = {}
    inputs, positions = [], []
    fixed: dict[int, Fixed] = {}
    place = 0
    for spec in signature.input_specs:
        name = spec.arg.name
        if spec.kind == InputKind.USER_INPUT:
            if isinstance(spec.arg, TensorArgument):
                inputs.append(name)
                positions.append(place)
            elif isinstance(spec.arg, ConstantArgument):
                fixed[place] = Fixed(name, spec.arg.value)
            place += 1
        elif spec.kind in (InputKind.PARAMETER, InputKind.BUFFER, InputKind.CONSTANT_TENSOR):
            assert spec.target is not None
            state = program.state_dict if spec.target in program.state_dict else program.constants
            constants[name] = state[spec.target].detach()
        else:
            raise HexError.plain(f"input '{name}' is of kind {spec.kind.name}", origin=ORIGIN,
                                 hint="only tensors can be inputs")
    by_target = {s.target: s.arg.name for s in signature.input_specs if s.kind != InputKind.USER_INPUT}
    names = [s.arg.name for s in signature.input_specs if s.kind == InputKind.USER_INPUT]
    results = _results(module)
    outputs: list[int | Constant] = []
    mutations: list[tuple[int, torch.Tensor | int]] = []
    for number, (spec, result) in enumerate(zip(signature.output_specs, results, strict=True)):
        if spec.kind == OutputKind.USER_OUTPUT:
            outputs.append(number if isinstance(result, Node) else Constant(result))
        elif spec.kind == OutputKind.BUFFER_MUTATION:
            mutations.append((number, constants[by_target[spec.target]]))
        elif spec.kind == OutputKind.USER_INPUT_MUTATION:
            mutations.append((number, names.index(str(spec.target))))
        else:
            raise HexError.plain(f"an output of kind {spec.kind.name}", origin=ORIGIN, hint="export for inference")
    _put_in_place(module, fixed)
    graph = _finish(module, constants, inputs, positions, outputs, mutations)
    graph.fixed = fixed
    if operations:
        graph.keys = next(node.name for node in reversed(module.graph.nodes) if node.op == "placeholder")
        graph.states[graph.keys] = torch.zeros(operations, 2, dtype=torch.int32)
    return graph


def _put_in_place(module: GraphModule, fixed: Mapping[int, Fixed]) -> None:
    """Arguments that are no tensors are none of the graph any more: their users have the values."""
    values = {one.name: one.value for one in fixed.values()}
    for node in [n for n in module.graph.nodes if n.op == "placeholder" and n.name in values]:
        for user in list(node.users):
            user.args, user.kwargs = map_arg((user.args, user.kwargs), lambda arg: values.get(arg.name, arg))
        module.graph.erase_node(node)


def from_aot(module: GraphModule, constants: Mapping[int, torch.Tensor]) -> TorchGraph:
    """The forward graph that AOTAutograd made; ``constants`` are the weights among its inputs, by position."""
    placeholders = [node for node in module.graph.nodes if node.op == "placeholder"]
    known = {placeholders[i].name: tensor.detach() for i, tensor in constants.items()}
    positions = [i for i, node in enumerate(placeholders)
                 if node.name not in known and isinstance(node.meta.get("val"), torch.Tensor)]
    outputs: list[int | Constant] = [number if isinstance(result, Node) else Constant(result)
                                     for number, result in enumerate(_results(module))]
    return _finish(module, known, [placeholders[i].name for i in positions], positions, outputs, [])


def _finish(module: GraphModule, constants: dict[str, torch.Tensor], inputs: list[str], positions: list[int],
            outputs: list[int | Constant], mutations: list[tuple[int, torch.Tensor | int]]) -> TorchGraph:
    take_constants_apart(module, constants)
    _check(module)
    changed = {id(target) for _, target in mutations if isinstance(target, torch.Tensor)}
    frozen = {name: t for name, t in constants.items() if id(t) not in changed}
    left = share_constants(module, frozen)
    states = {name: t for name, t in constants.items() if id(t) in changed}
    graph = TorchGraph(module, left, list(inputs), list(positions), outputs, mutations, states)
    _lift_attributes(graph)
    _drop_constant_outputs(graph)
    return graph


def _check(module: GraphModule) -> None:
    """Refuse dynamic shapes, random numbers and types of elements there is no code for, naming the source line."""
    for node in module.graph.nodes:
        value = node.meta.get("val")
        shapes = [value] if isinstance(value, torch.Tensor) else value if isinstance(value, (list, tuple)) else []
        if has_effect(node):
            raise HexError.plain(f"'{effect_of(node)}' has an effect beside its results", origin=ORIGIN,
                                 file=source_of(node), hint="results are all that compiled code gives")
        if _draws(node):
            raise HexError.plain(f"'{node.target}' draws random numbers", origin=ORIGIN, file=source_of(node),
                                 hint="draw them with the default generator and the f32 type, or pass them as an input")
        for one in shapes:
            if isinstance(one, torch.Tensor) and (one.is_complex() or one.is_quantized):
                raise HexError.plain(f"'{node.name}' has elements of type {one.dtype}", origin=ORIGIN,
                                     file=source_of(node), hint=_TYPES_HINT)
            if isinstance(one, torch.Tensor) and any(not isinstance(s, int) for s in one.shape):
                counted = any(str(size).startswith("u") for size in one.shape)
                raise HexError.plain(f"'{node.name}' has the dynamic shape {tuple(one.shape)}", origin=ORIGIN,
                                     file=source_of(node), hint="a size that depends on the values of inputs: "
                                     "torch.where keeps sizes" if counted else "compile for concrete sizes")
        if node.op == "placeholder" and isinstance(value, torch.SymInt):
            raise HexError.plain(f"input '{node.name}' is a dynamic size", origin=ORIGIN,
                                 hint="compile for concrete sizes")


def has_effect(node: Node) -> bool:
    """True for a node that passes on the token which keeps effects, as of checks for errors, in order."""
    return node.target is with_effects or is_token(node)


def is_token(node: Node) -> bool:
    """True for the first and the last node of the order of effects, which do nothing themselves."""
    return node.target in (torch.ops.prims._make_token.default, torch.ops.prims._sink_tokens.default)


def effect_of(node: Node) -> str:
    """The name of the operation that ``node`` runs for its effect."""
    return str(node.args[1] if node.target is with_effects else node.target)


def _draws(node: Node) -> bool:
    """True when what ``node`` computes is random: not for dropout that is off."""
    target = node.target
    if not isinstance(target, torch._ops.OpOverload) or torch.Tag.nondeterministic_seeded not in target.tags:
        return False
    given = arguments_of(node)
    if given.get("train", given.get("training", True)) is False:
        return False
    return not any(name in given or argument.default_value == 0.0 for argument in target._schema.arguments
                   for name in [argument.name] if name in ("p", "dropout_p") and not given.get(name))


def _lift_attributes(graph: TorchGraph) -> None:
    """Tensors that the graph holds as attributes become constants."""
    for node in [n for n in graph.graph.nodes if n.op == "get_attr"]:
        value = graph.module
        for part in str(node.target).split("."):
            value = getattr(value, part)
        if isinstance(value, torch.Tensor):
            graph.replace(node, graph.add_constant(value.detach(), "attribute"))


def _drop_constant_outputs(graph: TorchGraph) -> None:
    """Leave tensors only in the graph's output, in the order of their numbers."""
    output = next(iter(reversed(graph.graph.nodes)))
    flat = list(output.args[0])
    kept = [i for i, value in enumerate(flat) if isinstance(value, Node)]
    output.args = (tuple(flat[i] for i in kept),)
    place = {old: new for new, old in enumerate(kept)}
    graph.outputs = [o if isinstance(o, Constant) else place[o] for o in graph.outputs]
    graph.mutations = [(place[number], target) for number, target in graph.mutations]


def _results(module: GraphModule) -> Sequence[Any]:
    output = next(iter(reversed(module.graph.nodes)))
    return list(output.args[0])

"""A captured graph as kernels in linalg on tensors, with the weights that they take."""

from __future__ import annotations

from dataclasses import dataclass, replace

import torch
from torch.fx import Node

from hexagon_mlir import pipelines
from hexagon_mlir.codegen.kernel_cycles import computing_cycles
from hexagon_mlir.dialects.block_weights import CODES, note_formats
from hexagon_mlir.dialects.nibble_weights import NIBBLES
from hexagon_mlir.dialects.packed_weights import CONSTANTS, PACKED, SUMS, WORDS, note, numbers
from hexagon_mlir.frontend.torch.block_constants import in_blocks
from hexagon_mlir.frontend.torch.block_weights import BlockWeights
from hexagon_mlir.frontend.torch.clock import Clock
from hexagon_mlir.frontend.torch.graph import TorchGraph, dtype_of, shape_of
from hexagon_mlir.frontend.torch.importer import ENTRY, to_linalg
from hexagon_mlir.frontend.torch.index_bounds import index_bounds
from hexagon_mlir.frontend.torch.narrow_weights import NarrowWeights, narrowed
from hexagon_mlir.frontend.torch.packed_weights import are_nibbles, column_sums, nibbles, packed, words
from hexagon_mlir.frontend.torch.passes import PassRecord, run_passes
from hexagon_mlir.frontend.torch.result import Signature
from hexagon_mlir.frontend.torch.rewrites.precision import Numerics, check_numerics
from hexagon_mlir.frontend.torch.split_weights import split
from hexagon_mlir.frontend.torch.stored_weights import StoredWeights, take_stored_weights, unfold
from hexagon_mlir.interrupts import deferred
from hexagon_mlir.ir import ir
from hexagon_mlir.ir.query import find_ops, functions
from hexagon_mlir.pass_infra import PassContext
from hexagon_mlir.pass_infra.runner import RunOptions, run_steps
from hexagon_mlir.pipelines import target_of
from hexagon_mlir.settings import Settings

_MATRIX = 2
"""What codes are given with."""


@dataclass(frozen=True)
class Prepared:
    """``module`` after `form-kernels`: function `ENTRY` calls kernels, which take ``computing`` cycles by name.

    ``tiled`` are weights in the layout of kernels, by the numbers of arguments; ``extra``, names and tensors, follow
    the arguments. ``saved`` bytes fewer are read than the weights have. ``ops`` counts operations before kernels.
    """

    graph: TorchGraph
    module: ir.Module
    settings: Settings
    records: list[PassRecord]
    computing: dict[str, float | None]
    ops: int
    tiled: dict[int, torch.Tensor]
    extra: list[tuple[str, torch.Tensor]]
    saved: int
    bounds: dict[str, tuple[int, int]]

    def signature(self) -> Signature:
        """The model's arguments and results, from the graph's."""
        graph, placeholders = self.graph, _placeholders(self.graph)
        place = dict(zip(graph.inputs, graph.input_positions, strict=True))
        output = next(iter(reversed(graph.graph.nodes)))
        constants = {i: graph.constants[n.name] for i, n in enumerate(placeholders) if n.name in graph.constants}
        shapes = [(tuple(self.tiled[i].shape), self.tiled[i].dtype) if i in self.tiled else
                  (shape_of(node), dtype_of(node)) for i, node in enumerate(placeholders)]
        return Signature(
            inputs=[*(place.get(node.name) for node in placeholders), *(None for _ in self.extra)],
            constants=constants | self.tiled | dict(enumerate((tensor for _, tensor in self.extra), len(placeholders))),
            outputs=graph.outputs, mutations=graph.mutations,
            states={i: graph.states[n.name] for i, n in enumerate(placeholders) if n.name in graph.states},
            shapes=[*shapes, *((tuple(s.shape), s.dtype) for _, s in self.extra)],
            names=[*(node.name for node in placeholders), *(name for name, _ in self.extra)],
            result_dtypes=[dtype_of(node) for node in output.args[0]],
            bounds={i: self.bounds[n.name] for i, n in enumerate(placeholders) if n.name in self.bounds},
            fixed=graph.fixed,
            keys=next((i for i, node in enumerate(placeholders) if node.name == graph.keys), None),
        )


def prepare(graph: TorchGraph, target: str, pipeline: str, clock: Clock, settings: Settings, numerics: str,
            options: RunOptions | None = None) -> Prepared:
    """The kernels of ``graph``, which is rewritten in place; raises `HexError`. Dumps are in a folder "model"."""
    check_numerics(numerics)
    settings = replace(settings, f32_split=settings.f32_split or numerics == Numerics.F32_SPLIT)
    chip = target_of(target)
    bounds = index_bounds(graph)
    uses_engine = settings.matrix_engine and pipelines.uses(pipeline, "hexagon-matrix-engine")
    with clock.phase("graph passes"):
        records = run_passes(graph, numerics, chip if uses_engine else None, settings.requantization)
        stored = take_stored_weights(graph)
    with clock.phase("import"), deferred():
        module = to_linalg(graph)
    with clock.phase("kernels"), deferred():
        fold, *form = pipelines.model(settings)
        options = (options or RunOptions()).within("model")
        run_steps(module, [fold], PassContext(chip), options)
        ops = len(find_ops(module, _computes))
        blocks: dict[int, BlockWeights | StoredWeights] = {}
        of_nibbles = frozenset[int]()
        main = next(op for op in functions(module) if ir.StringAttr(op.attributes["sym_name"]).value == ENTRY)
        if pipelines.uses(pipeline, "hexagon-matrix-engine"):
            note(main, CONSTANTS, (i for i, n in enumerate(_placeholders(graph)) if n.name in graph.constants))
            given = {i: stored[n.name] for i, n in enumerate(_placeholders(graph)) if n.name in stored}
            found = _narrow_weights(graph)
            of_nibbles = _nibble_weights(graph)
            note(main, NIBBLES, of_nibbles)
            blocks = {i: weights.blocks() for i, weights in found.items()} | _block_weights(graph, found) | given
            note_formats(main, {i: weights.format for i, weights in blocks.items()})
        run_steps(module, form, PassContext(chip), replace(options, first_index=1))
        computing = computing_cycles(module, chip)
        codes = numbers(main, CODES)
        unfold(graph, stored, {_placeholders(graph)[number].name for number in codes})
        tiled = {number: (nibbles if number in of_nibbles else _tiles)(graph.value(_placeholders(graph)[number]))
                 for number in numbers(main, PACKED)}
        tiled |= {number: words(graph.value(_placeholders(graph)[number])) for number in numbers(main, WORDS)}
        extra: list[tuple[str, torch.Tensor]] = []
        saved = 0
        for number in codes:
            name = _placeholders(graph)[number].name
            tiled[number], *others = blocks[number].packed()
            extra += zip((f"{name}_{kind}" for kind in blocks[number].format.names[1:]), others, strict=True)
            less = graph.constants[name].nbytes - sum(part.nbytes for part in (tiled[number], *others))
            saved += round(less * _read_share(_placeholders(graph)[number], graph.constants[name]))
        for number in numbers(main, SUMS):
            name = _placeholders(graph)[number].name
            extra.append((f"{name}_sums", column_sums(graph.value(_placeholders(graph)[number]))))
    return Prepared(graph, module, settings, records, computing, ops, tiled, extra, saved, bounds)


def _tiles(weight: torch.Tensor) -> torch.Tensor:
    """``weight`` for the matrix engine: of f32 and bf16 in pieces."""
    return split(weight) if weight.dtype in (torch.float32, torch.bfloat16) else packed(weight)


def _narrow_weights(graph: TorchGraph) -> dict[int, NarrowWeights]:
    """The constants that are weights of 4 bits."""
    found = {}
    for number, node in enumerate(_placeholders(graph)):
        made = narrowed(graph.constants[node.name]) if _has_values(graph, node) else None
        if made is not None:
            graph.value(node)  # the graph depends on it
            found[number] = made
    return found


def _nibble_weights(graph: TorchGraph) -> frozenset[int]:
    """The constants that are bytes of 4 bits each."""
    found = set()
    for number, node in enumerate(_placeholders(graph)):
        if _has_values(graph, node) and are_nibbles(graph.constants[node.name]):
            graph.value(node)  # the graph depends on it
            found.add(number)
    return frozenset(found)


def _block_weights(graph: TorchGraph, narrow: dict[int, NarrowWeights]) -> dict[int, BlockWeights]:
    """The other constants that are weights of 4 or 8 bits in blocks."""
    found = {}
    for number, node in enumerate(_placeholders(graph)):
        if number not in narrow and _has_values(graph, node):
            made = in_blocks(graph.constants[node.name])
            if made is not None:
                graph.value(node)  # the graph depends on it
                found[number] = made
    return found


def _read_share(node: Node, matrices: torch.Tensor) -> float:
    """The share of constant ``node`` that a run reads: of several ``matrices``, each user reads one."""
    return min(len(node.users) / len(matrices), 1.0) if matrices.dim() > _MATRIX else 1.0


def _has_values(graph: TorchGraph, node: Node) -> bool:
    return node.name in graph.constants and not graph.constants[node.name].is_meta


def _placeholders(graph: TorchGraph) -> list[Node]:
    """The arguments of the module's function, in order."""
    return [node for node in graph.graph.nodes if node.op == "placeholder"]


def _computes(op: ir.Operation) -> bool:
    return op.name.startswith(("linalg.", "tensor.")) and op.name not in (
        "linalg.yield", "linalg.index", "tensor.empty", "tensor.yield", "linalg.fill", "tensor.extract",
        "tensor.expand_shape", "tensor.collapse_shape", "tensor.cast")

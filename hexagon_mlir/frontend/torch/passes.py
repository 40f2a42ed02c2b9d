"""The graph-level passes in order, each timed, with the number of nodes before and after."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import torch

from hexagon_mlir.frontend.torch.graph import TorchGraph
from hexagon_mlir.frontend.torch.rewrites.attention import recognise_attention
from hexagon_mlir.frontend.torch.rewrites.batch_norm import fold_batch_norm
from hexagon_mlir.frontend.torch.rewrites.bytes import widen_bytes
from hexagon_mlir.frontend.torch.rewrites.cleanup import (
    eliminate_dead_code,
    remove_identities,
    share_common_subexpressions,
)
from hexagon_mlir.frontend.torch.rewrites.constants import fold_constants
from hexagon_mlir.frontend.torch.rewrites.control_flow import expand_control_flow
from hexagon_mlir.frontend.torch.rewrites.convolution import channels_last
from hexagon_mlir.frontend.torch.rewrites.dynamic_slices import take_dynamic_slices
from hexagon_mlir.frontend.torch.rewrites.groups import merge_groups
from hexagon_mlir.frontend.torch.rewrites.integers import integer_products
from hexagon_mlir.frontend.torch.rewrites.layout import sink_permutations
from hexagon_mlir.frontend.torch.rewrites.linear import expand_linear
from hexagon_mlir.frontend.torch.rewrites.lists import expand_lists
from hexagon_mlir.frontend.torch.rewrites.precision import EXPORTED, Numerics, lower_precision
from hexagon_mlir.frontend.torch.rewrites.quantization import quantized_layers
from hexagon_mlir.frontend.torch.rewrites.resize import nearest_as_moves
from hexagon_mlir.frontend.torch.rewrites.shared_inputs import merge_shared_inputs
from hexagon_mlir.frontend.torch.rewrites.stacked_products import join_stacked_products
from hexagon_mlir.frontend.torch.rewrites.states import write_states_in_place
from hexagon_mlir.frontend.torch.rewrites.wide_results import keep_wide_results
from hexagon_mlir.passes.matrix_engine.byte_sizes import FIRST_WITH_PLANES
from hexagon_mlir.settings import Requantization
from hexagon_mlir.targets import Target

ROUNDS = 2
"""How often the clean-up passes run: what one folds, the other can share."""


@dataclass(frozen=True)
class PassRecord:
    """What one graph pass did: wall time in seconds, calls (inputs and weights not counted) before and after."""

    name: str
    seconds: float
    nodes_before: int
    nodes_after: int


_CLEAN: tuple[tuple[str, Callable[[TorchGraph], None]], ...] = (
    ("identities", remove_identities),
    ("common-subexpressions", share_common_subexpressions),
    ("constant-folding", fold_constants),
    ("dead-code", eliminate_dead_code),
)
_BEFORE: tuple[tuple[str, Callable[[TorchGraph], None]], ...] = (
    ("control-flow", expand_control_flow),
    ("dead-code", eliminate_dead_code),
    ("quantized-layers", quantized_layers),
    ("widen-bytes", widen_bytes),
    ("lists-to-slices", expand_lists),
    ("constant-folding", fold_constants),
    ("attention", recognise_attention),
    ("batch-norm-folding", fold_batch_norm),
)
_AFTER: tuple[tuple[str, Callable[[TorchGraph], None]], ...] = (
    ("stacked-products", join_stacked_products),
    ("linear-expansion", expand_linear),
    ("dynamic-slices", take_dynamic_slices),
    ("channels-last", channels_last),
    ("nearest-interpolation", nearest_as_moves),
    ("integer-products", integer_products),
    ("layout", sink_permutations),
    *_CLEAN * ROUNDS,
    ("states-in-place", write_states_in_place),
)


def passes(numerics: str = Numerics.F32, engine: Target | None = None,
           requantization: str = Requantization.EXACT) -> tuple[tuple[str, Callable[[TorchGraph], None]], ...]:
    """Names and functions in order; ``engine`` is the chip whose matrix engine may be used, ``requantization`` what its
    conversion of sums to bytes is used for."""
    given = numerics in EXPORTED
    narrow: list[tuple[str, Callable[[TorchGraph], None]]] = []
    kinds: tuple[torch.dtype, ...] = ()
    if engine is not None and engine.has_matrix_engine:
        kinds = (torch.float16,) if given else (torch.float16, torch.float32)
        narrow.append(("groups", partial(merge_groups, target=engine, kinds=kinds)))
    narrow.append(("shared-inputs", partial(merge_shared_inputs, kinds=kinds)))
    if numerics == Numerics.MIXED and (engine is None or engine.has_matrix_pieces or not engine.has_matrix_engine):
        narrow.append(("wide-results", keep_wide_results))
    if not given:
        narrow.append(("precision", partial(lower_precision, numerics=numerics)))
    of_layers = quantized_layers
    if engine is not None and engine.has_matrix_engine and engine.version >= FIRST_WITH_PLANES:
        of_layers = partial(quantized_layers, conversion=Requantization(requantization))
    before = [(name, of_layers if rewrite is quantized_layers else rewrite) for name, rewrite in _BEFORE]
    return (*before, *narrow, *_AFTER)


def run_passes(graph: TorchGraph, numerics: str = Numerics.F32, engine: Target | None = None,
               requantization: str = Requantization.EXACT) -> list[PassRecord]:
    """Run `passes` over ``graph`` in place."""
    records = []
    for name, rewrite in passes(numerics, engine, requantization):
        before, start = count_calls(graph), time.perf_counter()
        rewrite(graph)
        records.append(PassRecord(name, time.perf_counter() - start, before, count_calls(graph)))
    graph.graph.lint()
    return records


def count_calls(graph: TorchGraph) -> int:
    """Calls in the graph."""
    return sum(node.op == "call_function" for node in graph.graph.nodes)

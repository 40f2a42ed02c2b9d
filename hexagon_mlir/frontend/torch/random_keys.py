"""The keys with which operations of a graph draw random numbers: an input of the graph, drawn at each call.

Operation n draws its element i from the first word that Threefry-2x32-20 gives for key n and counter (i, 0). Keys come
from PyTorch's default generator, so that ``torch.manual_seed`` repeats them.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor
from torch.fx import GraphModule

from hexagon_mlir.frontend.torch.graph import origin_of

_LIBRARY = torch.library.Library("hexagon_mlir", "FRAGMENT")
_LIBRARY.define("random_key(int number) -> Tensor", tags=[torch.Tag.nondeterministic_seeded])
_LIBRARY.impl("random_key", lambda number: draw_keys(1)[0], "CompositeExplicitAutograd")
torch.library.register_fake("hexagon_mlir::random_key", lambda number: torch.empty(2, dtype=torch.int32), lib=_LIBRARY)
KEY = torch.ops.hexagon_mlir.random_key.default
"""KEY(number): the key of one operation, int32 (2,); numbers differ, because PyTorch shares equal nodes."""


def draw_keys(operations: int) -> Tensor:
    """A key for each of ``operations``: int32 (operations, 2), from PyTorch's default generator."""
    return torch.randint(-1 << 31, 1 << 31, (operations, 2), dtype=torch.int32)


def take_keys(module: GraphModule) -> int:
    """Make the keys of ``module`` an input, its last one, int32 (operations, 2); returns how many operations draw."""
    drawing = [node for node in module.graph.nodes if node.target is KEY]
    if not drawing:
        return 0
    first = next(node for node in module.graph.nodes if node.op != "placeholder")
    with module.graph.inserting_before(first):
        given = module.graph.placeholder("keys")
    mode = drawing[0].meta["val"].fake_mode
    with mode:
        given.meta["val"] = torch.empty(len(drawing), 2, dtype=torch.int32)
    for number, node in enumerate(drawing):
        with module.graph.inserting_before(node):
            key = module.graph.call_function(torch.ops.aten.select.int, (given, 0, number))
        with mode:
            key.meta = {**origin_of(node), "val": torch.empty(2, dtype=torch.int32)}
        node.replace_all_uses_with(key)
        module.graph.erase_node(node)
    module.recompile()
    return len(drawing)


def drawing(run: Callable[..., Any], operations: int) -> Callable[..., Any]:
    """``run``, whose last argument is keys for so many operations, without it: each call draws them."""
    return (lambda *arguments: run(*arguments, draw_keys(operations))) if operations else run

"""What graphs and tensors are told from others by, which have the same or other code."""

from __future__ import annotations

import zlib
from typing import Any

import torch
from torch.fx import GraphModule
from torch.fx.node import map_arg


def sizes_of(tensor: torch.Tensor) -> tuple[Any, ...]:
    """What code for any values depends on."""
    return tuple(tensor.shape), tensor.dtype


def identity(tensor: torch.Tensor) -> tuple[Any, ...]:
    """Where the values of a weight are, and how they lie there."""
    return tensor.data_ptr(), tuple(tensor.shape), tensor.stride(), tensor.dtype


def text_of(module: GraphModule) -> tuple[Any, ...]:
    """What the graph computes, whatever its nodes are called; sizes and strides that it does not use are left out."""
    nodes = [node for node in module.graph.nodes
             if node.op != "placeholder" or node.users or isinstance(node.meta.get("val"), torch.Tensor)]
    numbers = {node: f"%{number}" for number, node in enumerate(nodes)}
    lines: list[Any] = []
    for node in module.graph.nodes:
        if node.op == "get_attr":
            value = getattr(module, str(node.target))
            lines.append((sizes_of(value), checksum(value)) if isinstance(value, torch.Tensor) else id(value))
        elif node.op != "placeholder":
            lines.append(f"{node.target}{map_arg((node.args, node.kwargs), numbers.__getitem__)}")
    return tuple(lines)


def checksum(tensor: torch.Tensor) -> int:
    """Of the values. Version counters miss what is written through ``.data`` or numpy; inference tensors have none."""
    return zlib.crc32(tensor.detach().contiguous().reshape(-1).view(torch.uint8).numpy().data)

"""The weights that code is for."""

from __future__ import annotations

import weakref
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import torch

from hexagon_mlir.frontend.torch.graph import TorchGraph, storage_of
from hexagon_mlir.frontend.torch.graph_content import checksum


@dataclass(frozen=True)
class CompiledWeights:
    """The tensors that code is for, with their addresses; ``folded`` maps the positions of those whose values it has
    copied to their checksums."""

    tensors: list[tuple[weakref.ref[torch.Tensor], int]]
    folded: dict[int, int]

    @staticmethod
    def of(weights: Mapping[int, torch.Tensor], graphs: Iterable[TorchGraph]) -> CompiledWeights:
        """Those by position, after ``graphs`` are compiled, which know what they have read."""
        read = {storage for graph in graphs for storage in graph.read}
        return CompiledWeights([(weakref.ref(one), one.data_ptr()) for one in weights.values()],
                        {place: checksum(one) for place, one in weights.items() if storage_of(one) in read})

    @property
    def are_alive(self) -> bool:
        """False when one is gone, or has moved to other memory."""
        tensors = [(reference(), address) for reference, address in self.tensors]
        return all(tensor is not None and tensor.data_ptr() == address for tensor, address in tensors)

    def changed(self, tensors: Sequence[torch.Tensor]) -> list[int]:
        """Positions of those whose values differ from the compiled ones."""
        return [place for place, known in self.folded.items() if checksum(tensors[place]) != known]


NONE = CompiledWeights([], {})
"""Of code without weights."""

"""The next token from its scores, on the host."""

from __future__ import annotations

from dataclasses import dataclass

import torch

from hexagon_mlir.ir import HexError


@dataclass(frozen=True)
class Sampling:
    """``temperature`` 0 takes the token of the highest score; otherwise scores are divided by it, and one of the
    ``top_k`` best (0: of all) is drawn, among the fewest whose probabilities sum up to ``top_p``."""

    temperature: float = 0.0
    top_k: int = 0
    top_p: float = 1.0

    def __post_init__(self) -> None:
        if not 0 <= self.temperature < float("inf") or self.top_k < 0 or not 0 < self.top_p <= 1:
            raise HexError.plain(f"temperature {self.temperature}, top-k {self.top_k}, top-p {self.top_p}",
                                 origin="llm", hint="temperature and top-k from 0 on, top-p above 0 up to 1")

    def choose(self, scores: torch.Tensor, generator: torch.Generator) -> int:
        """A token, from ``scores`` f32 (vocabulary). Raises `HexError` where one is NaN."""
        if scores.isnan().any():
            raise HexError.plain("scores of tokens are NaN", origin="llm", hint="a number overflowed: try dtype='f32'")
        if self.temperature == 0:
            return int(scores.argmax())
        values, tokens = scores.double().sort(descending=True, stable=True)
        probabilities = (values / self.temperature).softmax(0)
        if self.top_k:
            probabilities[self.top_k:] = 0
        probabilities /= probabilities.sum()
        probabilities[(probabilities.cumsum(0) - probabilities) >= self.top_p] = 0
        return int(tokens[torch.multinomial(probabilities, 1, generator=generator)])

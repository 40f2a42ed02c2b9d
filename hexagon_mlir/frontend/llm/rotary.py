"""Frequencies of rotary positions, and how they are scaled for contexts longer than a model was trained on."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor

from hexagon_mlir.ir import HexError

ORIGIN = "llm"
KINDS = ("linear", "llama3", "yarn")


@dataclass(frozen=True)
class RotaryScaling:
    """How rotary frequencies are scaled: "linear" divides all by ``factor``; the others only those of few turns in the
    ``original`` context, whole below ``low`` turns and in part up to ``high``.

    The part is linear in the number of turns for "llama3" (Llama 3.1), and in the number of the frequency for "yarn"
    (Peng et al., 2023), between bounds that are ``whole`` numbers or not. Rotated vectors are ``length`` times as long.
    """

    kind: str
    factor: float
    low: float = 1.0
    high: float = 4.0
    original: float = 8192
    whole: bool = True
    length: float = 1.0


def scaling_of(given: Mapping[str, Any], context: Any) -> RotaryScaling | None:
    """The scaling that a ``config.json`` describes, None for none; ``context`` is the original one of "yarn" where it
    is not given. Raises `HexError`."""
    kind = given.get("rope_type", given.get("type", "default"))
    if kind == "default":
        return None
    if kind not in KINDS:
        raise HexError.plain(f"rotary scaling '{str(kind)[:40]}'", origin=ORIGIN, hint=f"one of {', '.join(KINDS)}")
    yarn = kind == "yarn"
    names = {"factor": 1.0, "beta_slow" if yarn else "low_freq_factor": 1.0,
             "beta_fast" if yarn else "high_freq_factor": 32.0 if yarn else 4.0,
             "original_max_position_embeddings": context if yarn else 8192}
    numbers = [default if given.get(name) is None else given[name] for name, default in names.items()]
    optional = [given[name] for name in ("attention_factor", "mscale", "mscale_all_dim") if given.get(name) is not None]
    if not all(isinstance(number, int | float) and math.isfinite(number) and number > 0
               for number in (*numbers, *optional)) or numbers[1] >= numbers[2]:
        raise HexError.plain(f"'rotary scaling' is {str([*numbers, *optional])[:40]}", origin=ORIGIN,
                             hint="positive numbers, a low bound and a higher one")
    factor, low, high, original = numbers
    return RotaryScaling(kind, factor, low, high, original, given.get("truncate") is not False,
                         _length(given, factor) if yarn else 1.0)


def _length(given: Mapping[str, Any], factor: float) -> float:
    """What "yarn" multiplies rotated vectors by: softmax is a little steeper in longer contexts."""
    def steeper(scale: float) -> float:
        return 1.0 if factor <= 1 else 0.1 * scale * math.log(factor) + 1.0

    if given.get("attention_factor") is not None:
        return float(given["attention_factor"])
    if given.get("mscale") is not None and given.get("mscale_all_dim") is not None:
        return steeper(given["mscale"]) / steeper(given["mscale_all_dim"])
    return steeper(1.0)


def frequencies(depth: int, theta: float, scaling: RotaryScaling | None) -> Tensor:
    """Radians per place, f64 (depth / 2)."""
    plain = theta ** (-torch.arange(0, depth, 2, dtype=torch.float64) / depth)
    if scaling is None:
        return plain
    if scaling.kind == "linear":
        return plain / scaling.factor
    if scaling.kind == "llama3":
        turns = scaling.original * plain / (2 * math.pi)
        kept = ((turns - scaling.low) / (scaling.high - scaling.low)).clamp(0, 1)
    else:
        first, last = (depth * math.log(scaling.original / (turns * 2 * math.pi)) / (2 * math.log(theta))
                       for turns in (scaling.high, scaling.low))
        if scaling.whole:
            first, last = math.floor(first), math.ceil(last)
        first, last = max(first, 0), min(last, depth - 1)
        last += 0.001 * (first == last)
        kept = 1 - ((torch.arange(depth // 2, dtype=torch.float64) - first) / (last - first)).clamp(0, 1)
    return plain * (kept + (1 - kept) / scaling.factor)

"""Sizes of a decoder, as files of both kinds name them; every number is bounded before memory is taken for it."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from hexagon_mlir.ir import HexError

ORIGIN = "llm"
FAMILIES = ("llama", "mistral", "qwen2", "qwen3")
_LIMITS = {"vocabulary": 1 << 20, "width": 1 << 16, "layers": 512, "heads": 1024, "groups": 1024, "depth": 1024,
           "hidden": 1 << 18, "context": 1 << 24}
_EXPERTS = ("num_experts", "num_local_experts", "n_routed_experts")


@dataclass(frozen=True)
class RotaryScaling:
    """How rotary frequencies are scaled for long contexts: "linear" divides all by ``factor``; "llama3" (Llama 3.1)
    only the slow ones, whose waves are longer than ``original`` / ``low``, and those up to ``original`` / ``high`` in
    part."""

    kind: str
    factor: float
    low: float = 1.0
    high: float = 4.0
    original: int = 8192


@dataclass(frozen=True)
class DecoderConfig:
    """Sizes of a decoder of the Llama family: ``heads`` of queries share ``groups`` of keys and values, of ``depth``
    numbers each; ``hidden`` of the feed-forward layer; ``window`` is how many keys a query sees, 0 for all."""

    vocabulary: int
    width: int
    layers: int
    heads: int
    groups: int
    depth: int
    hidden: int
    context: int = 4096
    epsilon: float = 1e-6
    theta: float = 10000.0
    scaling: RotaryScaling | None = None
    window: int = 0
    windowed_from: int = 0
    """The first layer that has the window."""
    tied: bool = False
    projection_bias: bool = False
    output_bias: bool = False
    norm_heads: bool = False
    stops: tuple[int, ...] = ()
    """Tokens that end a text."""

    def __post_init__(self) -> None:
        for name, limit in _LIMITS.items():
            value = getattr(self, name)
            if isinstance(value, bool) or not isinstance(value, int) or not 0 < value <= limit:
                raise _wrong(name, value, f"1 to {limit}")
        if self.heads % self.groups:
            raise _wrong("heads", self.heads, f"a multiple of {self.groups}")
        if self.depth % 2:
            raise _wrong("depth", self.depth, "an even number")
        for name in ("epsilon", "theta"):
            value = getattr(self, name)
            if not isinstance(value, int | float) or not math.isfinite(value) or value <= 0:
                raise _wrong(name, value, "a positive number")
        if not isinstance(self.window, int) or self.window < 0:
            raise _wrong("window", self.window, "0 or more")

    @property
    def weights(self) -> int:
        """Weights that each token is multiplied with, those of the vocabulary included."""
        attention = self.width * self.depth * 2 * (self.heads + self.groups)
        return self.layers * (attention + 3 * self.width * self.hidden) + self.vocabulary * self.width


def of_hugging_face(given: Mapping[str, Any]) -> DecoderConfig:
    """The sizes in a ``config.json``; raises `HexError` for another architecture."""
    family = given.get("model_type")
    if family not in FAMILIES:
        raise HexError.plain(f"model_type '{str(family)[:40]}'", origin=ORIGIN, hint=f"one of {', '.join(FAMILIES)}")
    if any(given.get(name) for name in _EXPERTS):
        raise HexError.plain("a mixture of experts", origin=ORIGIN, hint="dense models of the family are read")
    if given.get("hidden_act", "silu") != "silu":
        raise HexError.plain(f"hidden_act '{str(given['hidden_act'])[:40]}'", origin=ORIGIN, hint="silu")
    heads, width = given.get("num_attention_heads"), given.get("hidden_size")
    depth = given.get("head_dim") or (width // heads if isinstance(heads, int) and isinstance(width, int) and heads
                                      else None)
    rotary = given.get("rope_parameters") or given.get("rope_scaling") or {}
    stops = given.get("eos_token_id")
    windowed = given.get("use_sliding_window", family == "mistral") and given.get("sliding_window")
    return DecoderConfig(
        given.get("vocab_size"), width, given.get("num_hidden_layers"), heads,  # type: ignore[arg-type]
        given.get("num_key_value_heads") or heads, depth, given.get("intermediate_size"),  # type: ignore[arg-type]
        given.get("max_position_embeddings", 4096), given.get("rms_norm_eps", 1e-6),
        rotary.get("rope_theta") or given.get("rope_theta", 10000.0), _scaling(rotary),
        windowed or 0, given.get("max_window_layers", 0) if family.startswith("qwen") else 0,
        bool(given.get("tie_word_embeddings", False)), bool(given.get("attention_bias", family == "qwen2")),
        bool(given.get("attention_bias", False)), family == "qwen3",
        tuple(stops) if isinstance(stops, list) else () if stops is None else (stops,))


def of_gguf(given: Mapping[str, Any], names: frozenset[str], vocabulary: int) -> DecoderConfig:
    """The sizes in the metadata of a GGUF file whose tensors have ``names``."""
    family = given.get("general.architecture")
    if family not in FAMILIES:
        raise HexError.plain(f"architecture '{str(family)[:40]}'", origin=ORIGIN, hint=f"one of {', '.join(FAMILIES)}")

    def of(name: str, default: Any = None) -> Any:
        return given.get(f"{family}.{name}", default)

    if of("expert_count"):
        raise HexError.plain("a mixture of experts", origin=ORIGIN, hint="dense models of the family are read")
    heads, width = of("attention.head_count"), of("embedding_length")
    depth: Any = of("attention.key_length") or (width // heads if isinstance(heads, int) and isinstance(width, int)
                                                and heads else None)
    kind, stop = of("rope.scaling.type", "none"), given.get("tokenizer.ggml.eos_token_id")
    scaling = {} if kind == "none" else {"rope_type": kind, "factor": of("rope.scaling.factor", 1.0)}
    return DecoderConfig(
        vocabulary, width, of("block_count"), heads, of("attention.head_count_kv") or heads, depth,
        of("feed_forward_length"), of("context_length", 4096), of("attention.layer_norm_rms_epsilon", 1e-6),
        of("rope.freq_base", 10000.0), _scaling(scaling), of("attention.sliding_window", 0), 0,
        "output.weight" not in names, "blk.0.attn_q.bias" in names, "blk.0.attn_output.bias" in names,
        "blk.0.attn_q_norm.weight" in names, () if stop is None else (stop,))


def _scaling(given: Mapping[str, Any]) -> RotaryScaling | None:
    kind = given.get("rope_type", given.get("type", "default"))
    if kind == "default":
        return None
    if kind not in ("linear", "llama3"):
        raise HexError.plain(f"rotary scaling '{str(kind)[:40]}'", origin=ORIGIN, hint="linear or llama3")
    numbers = [given.get("factor", 1.0), given.get("low_freq_factor", 1.0), given.get("high_freq_factor", 4.0),
               given.get("original_max_position_embeddings", 8192)]
    if not all(isinstance(number, int | float) and math.isfinite(number) and number > 0 for number in numbers):
        raise _wrong("rotary scaling", numbers, "positive numbers")
    return RotaryScaling(kind, *numbers)


def _wrong(name: str, value: Any, wanted: str) -> HexError:
    return HexError.plain(f"'{name}' is {str(value)[:40]}", origin=ORIGIN, hint=wanted)

"""Sizes of a decoder, as files of both kinds name them; every number is bounded before memory is taken for it."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from hexagon_mlir.frontend.llm.rotary import ORIGIN, RotaryScaling, scaling_of
from hexagon_mlir.ir import HexError

FAMILIES = ("llama", "mistral", "mixtral", "qwen2", "qwen3", "qwen3_moe")
ARCHITECTURES = ("llama", "mistral", "qwen2", "qwen3", "qwen3moe")
"""The names of families in GGUF files; Mixtral's is that of Llama."""
_LIMITS = {"vocabulary": 1 << 20, "width": 1 << 16, "layers": 512, "heads": 1024, "groups": 1024, "depth": 1024,
           "hidden": 1 << 18, "context": 1 << 24}
_EXPERTS = {"mixtral": "num_local_experts", "qwen3_moe": "num_experts"}
_MOST_EXPERTS = 1024


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
    experts: int = 0
    chosen: int = 0
    expert_hidden: int = 0
    normalized: bool = True
    dense_layers: frozenset[int] = frozenset()

    def __post_init__(self) -> None:
        for name, limit in _LIMITS.items():
            value = getattr(self, name)
            if isinstance(value, bool) or not isinstance(value, int) or not 0 < value <= limit:
                raise _wrong(name, value, f"1 to {limit}")
        if self.heads % self.groups:
            raise _wrong("heads", self.heads, f"a multiple of {self.groups}")
        if self.depth % 2:
            raise _wrong("depth", self.depth, "an even number")
        for name, least in (("epsilon", 0), ("theta", 1)):
            value = getattr(self, name)
            if not isinstance(value, int | float) or not math.isfinite(value) or value <= least:
                raise _wrong(name, value, f"a number above {least}")
        if not isinstance(self.window, int) or self.window < 0:
            raise _wrong("window", self.window, "0 or more")
        for name, lowest, highest in (("experts", 0, _MOST_EXPERTS),
                                      *((("chosen", 1, self.experts), ("expert_hidden", 1, _LIMITS["hidden"]))
                                        if self.experts else ())):
            value = getattr(self, name)
            if isinstance(value, bool) or not isinstance(value, int) or not lowest <= value <= highest:
                raise _wrong(name, value, f"{lowest} to {highest}")

    def has_experts(self, layer: int) -> bool:
        """Whether the feed-forward layer of number ``layer`` is a mixture of experts."""
        return self.experts > 0 and layer not in self.dense_layers

    @property
    def weights(self) -> int:
        """Weights that each token is multiplied with, those of the vocabulary included."""
        return self._weights(self.chosen)

    @property
    def chunk_weights(self) -> int:
        """Weights that a chunk of tokens is multiplied with: those of all experts."""
        return self._weights(self.experts)

    def _weights(self, experts: int) -> int:
        attention = self.width * self.depth * 2 * (self.heads + self.groups)
        mixtures = sum(map(self.has_experts, range(self.layers)))
        mixture = self.experts + 3 * self.expert_hidden * experts
        rows = mixtures * mixture + (self.layers - mixtures) * 3 * self.hidden + self.vocabulary
        return self.layers * attention + self.width * rows


def of_hugging_face(given: Mapping[str, Any]) -> DecoderConfig:
    """The sizes in a ``config.json``; raises `HexError` for another architecture."""
    family = given.get("model_type")
    if family not in FAMILIES:
        raise HexError.plain(f"model_type '{str(family)[:40]}'", origin=ORIGIN, hint=f"one of {', '.join(FAMILIES)}")
    if given.get("hidden_act", "silu") != "silu":
        raise HexError.plain(f"hidden_act '{str(given['hidden_act'])[:40]}'", origin=ORIGIN, hint="silu")
    heads, width = given.get("num_attention_heads"), given.get("hidden_size")
    depth = given.get("head_dim") or (width // heads if isinstance(heads, int) and isinstance(width, int) and heads
                                      else None)
    rotary = given.get("rope_parameters") or given.get("rope_scaling") or {}
    stops, context = given.get("eos_token_id"), given.get("max_position_embeddings", 4096)
    windowed = given.get("use_sliding_window", family in ("mistral", "mixtral")) and given.get("sliding_window")
    return DecoderConfig(
        given.get("vocab_size"), width, given.get("num_hidden_layers"), heads,  # type: ignore[arg-type]
        given.get("num_key_value_heads") or heads, depth, given.get("intermediate_size"),  # type: ignore[arg-type]
        context, given.get("rms_norm_eps", 1e-6),
        rotary.get("rope_theta") or given.get("rope_theta", 10000.0), scaling_of(rotary, context),
        windowed or 0, given.get("max_window_layers", 0) if family.startswith("qwen") else 0,
        bool(given.get("tie_word_embeddings", False)), bool(given.get("attention_bias", family == "qwen2")),
        bool(given.get("attention_bias", False)), family.startswith("qwen3"),
        tuple(stops) if isinstance(stops, list) else () if stops is None else (stops,), **_mixture(family, given))


def _mixture(family: str, given: Mapping[str, Any]) -> dict[str, Any]:
    """The fields of `DecoderConfig` about experts."""
    if family not in _EXPERTS:
        if any(given.get(name) for name in ("num_experts", "num_local_experts", "n_routed_experts")):
            raise HexError.plain(f"a mixture of experts in model_type '{family}'", origin=ORIGIN,
                                 hint=f"mixtures are read of {', '.join(_EXPERTS)}")
        return {}
    found = {"experts": given.get(_EXPERTS[family]), "chosen": given.get("num_experts_per_tok"),
             "expert_hidden": given.get("moe_intermediate_size") or given.get("intermediate_size")}
    if family == "mixtral":
        return found
    step, dense, layers = (given.get(name) for name in ("decoder_sparse_step", "mlp_only_layers", "num_hidden_layers"))
    step, dense = 1 if step is None else step, dense or []
    if not isinstance(step, int) or step < 1 or not isinstance(dense, list) or not isinstance(layers, int):
        raise _wrong("decoder_sparse_step", step, "a number of layers, and mlp_only_layers a list")
    rest = {layer for layer in range(min(layers, _LIMITS["layers"])) if (layer + 1) % step}
    return found | {"normalized": bool(given.get("norm_topk_prob", False)),
                    "dense_layers": frozenset(rest.union(one for one in dense if isinstance(one, int)))}


def of_gguf(given: Mapping[str, Any], names: frozenset[str], vocabulary: int) -> DecoderConfig:
    """The sizes in the metadata of a GGUF file whose tensors have ``names``."""
    family = given.get("general.architecture")
    if family not in ARCHITECTURES:
        raise HexError.plain(f"architecture '{str(family)[:40]}'", origin=ORIGIN,
                             hint=f"one of {', '.join(ARCHITECTURES)}")

    def of(name: str, default: Any = None) -> Any:
        return given.get(f"{family}.{name}", default)

    mixture = {"experts": of("expert_count"), "chosen": of("expert_used_count"),
               "expert_hidden": of("expert_feed_forward_length") or of("feed_forward_length")}
    heads, width = of("attention.head_count"), of("embedding_length")
    depth: Any = of("attention.key_length") or (width // heads if isinstance(heads, int) and isinstance(width, int)
                                                and heads else None)
    kind, stop = of("rope.scaling.type", "none"), given.get("tokenizer.ggml.eos_token_id")
    scaling = {} if kind == "none" else {
        "rope_type": kind, "factor": of("rope.scaling.factor", 1.0),
        "original_max_position_embeddings": of("rope.scaling.original_context_length") or of("context_length")}
    return DecoderConfig(
        vocabulary, width, of("block_count"), heads, of("attention.head_count_kv") or heads, depth,
        of("feed_forward_length"), of("context_length", 4096), of("attention.layer_norm_rms_epsilon", 1e-6),
        of("rope.freq_base", 10000.0), scaling_of(scaling, None), of("attention.sliding_window", 0), 0,
        "output.weight" not in names, "blk.0.attn_q.bias" in names, "blk.0.attn_output.bias" in names,
        "blk.0.attn_q_norm.weight" in names, () if stop is None else (stop,), **(mixture if of("expert_count") else {}))


def _wrong(name: str, value: Any, wanted: str) -> HexError:
    return HexError.plain(f"'{name}' is {str(value)[:40]}", origin=ORIGIN, hint=wanted)

"""The weights of a decoder from files: which tensor of a file is which parameter."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import torch

from hexagon_mlir.frontend.llm import gguf, safetensors
from hexagon_mlir.frontend.llm.config import ORIGIN, DecoderConfig, of_gguf, of_hugging_face
from hexagon_mlir.frontend.llm.decoder import Decoder
from hexagon_mlir.ir import HexError

_LARGEST_JSON = 1 << 26
_PARTS = {"attention.q": ("self_attn.q_proj", "attn_q"), "attention.k": ("self_attn.k_proj", "attn_k"),
          "attention.v": ("self_attn.v_proj", "attn_v"), "attention.out": ("self_attn.o_proj", "attn_output"),
          "attention.q_norm": ("self_attn.q_norm", "attn_q_norm"),
          "attention.k_norm": ("self_attn.k_norm", "attn_k_norm"),
          "norm1": ("input_layernorm", "attn_norm"), "norm2": ("post_attention_layernorm", "ffn_norm"),
          "mlp.gate": ("mlp.gate_proj", "ffn_gate"), "mlp.up": ("mlp.up_proj", "ffn_up"),
          "mlp.down": ("mlp.down_proj", "ffn_down"), "mlp.router": ("mlp.gate", "ffn_gate_inp")}
_WHOLE = {"embedding.weight": ("model.embed_tokens.weight", "token_embd.weight"),
          "norm.weight": ("model.norm.weight", "output_norm.weight"),
          "head.weight": ("lm_head.weight", "output.weight")}
_LAYER = re.compile(r"layers\.(\d+)\.(.+)\.(weight|bias)")
_OF_EXPERTS = re.compile(r"layers\.(\d+)\.mlp\.(gate_up|down)")
_MIXTRAL = {".mlp.": ".block_sparse_moe.", ".gate_proj.": ".w1.", ".up_proj.": ".w3.", ".down_proj.": ".w2."}
Read = Callable[[str, tuple[int, ...]], torch.Tensor]
"""Gives the tensor that a file calls by a name, if it has a shape; else raises `HexError`."""
_INTERLEAVED = ("llama", "mistral")
"""Families whose GGUF files have the two halves of a head's rows in turns."""


def read_json(file: Path) -> dict[str, Any]:
    """The object in ``file``; raises `HexError`."""
    try:
        if file.stat().st_size > _LARGEST_JSON:
            raise ValueError("it is too large")
        found = json.loads(file.read_bytes())
        if not isinstance(found, dict):
            raise ValueError("it holds no object")
        return found
    except OSError as error:
        raise HexError.plain(f"cannot read: {error.strerror}", origin=ORIGIN, file=str(file)) from None
    except (ValueError, RecursionError) as error:
        raise HexError.plain(f"no JSON: {error}", origin=ORIGIN, file=str(file)) from None


def of_folder(folder: Path, size: int, dtype: torch.dtype) -> Decoder:
    """The decoder in a Hugging Face folder."""
    sizes = read_json(folder / "config.json")
    config = of_hugging_face(sizes)
    given = safetensors.read_folder(folder)

    def read(name: str, shape: tuple[int, ...]) -> torch.Tensor:
        if sizes["model_type"] == "mixtral":
            for ours, theirs in _MIXTRAL.items():
                name = name.replace(ours, theirs)
        return _checked(name, given.get(name), shape)

    return _filled(_empty(config, size, dtype), read, 0)


def of_file(file: gguf.GgufFile, size: int, dtype: torch.dtype) -> Decoder:
    """The decoder in a GGUF file; its weights are dequantized."""
    names = frozenset(file.tensors)
    table = file.tensors.get("token_embd.weight")
    if table is None:
        raise HexError.plain("no tensor 'token_embd.weight'", origin=ORIGIN, hint="a GGUF file of a language model")
    config = of_gguf(file.metadata, names, table.shape[0])
    factors = file.tensors["rope_freqs.weight"].dequantized().double() if "rope_freqs.weight" in names else None
    if factors is not None and factors.shape != (config.depth // 2,):
        raise HexError.plain(f"'rope_freqs.weight' has shape {tuple(factors.shape)}", origin=ORIGIN)
    decoder = _empty(config, size, dtype, factors)
    turned = file.metadata.get("general.architecture") in _INTERLEAVED

    def read(name: str, shape: tuple[int, ...]) -> torch.Tensor:
        tensor = file.tensors.get(name)
        weight = _checked(name, None if tensor is None else tensor.dequantized(), shape)
        if turned and (".attn_q." in name or ".attn_k." in name):
            weight = weight.reshape(-1, config.depth // 2, 2, *shape[1:]).transpose(1, 2).reshape(shape)
        return weight

    return _filled(decoder, read, 1)


def _empty(config: DecoderConfig, size: int, dtype: torch.dtype, factors: torch.Tensor | None = None) -> Decoder:
    if not 0 < size <= config.context:
        raise HexError.plain(f"a context of {size} tokens", origin=ORIGIN, hint=f"1 to {config.context} for this model")
    return Decoder(config, size, dtype, factors)


def _checked(name: str, tensor: torch.Tensor | None, shape: tuple[int, ...]) -> torch.Tensor:
    if tensor is None:
        raise HexError.plain(f"no tensor '{name}'", origin=ORIGIN, hint="is a file missing?")
    if tensor.shape != shape:
        raise HexError.plain(f"'{name}' has shape {tuple(tensor.shape)}", origin=ORIGIN,
                             hint=f"the sizes of the model ask for {shape}")
    return tensor


def _filled(decoder: Decoder, read: Read, kind: int) -> Decoder:
    """``decoder`` with the tensors of a file of ``kind`` 0 (safetensors) or 1 (GGUF)."""
    for name, parameter in decoder.named_parameters():
        found = _OF_EXPERTS.fullmatch(name)
        if found is not None:
            layer, part = found.groups()
            _fill_experts(parameter.data, read, layer, part, kind)
        else:
            parameter.data = read(_file_name(name, kind), tuple(parameter.shape)).to(parameter.dtype).contiguous()
    if decoder.config.tied:
        decoder.head.weight = decoder.embedding.weight
    return decoder.eval()


def _fill_experts(weights: torch.Tensor, read: Read, layer: str, part: str, kind: int) -> None:
    """Fill ``weights`` (experts, rows, columns), of gates and what they gate one after the other."""
    names = ("gate", "up") if part == "gate_up" else ("down",)
    experts, rows, columns = weights.shape
    each = rows // len(names)
    for number, name in enumerate(names):
        place = weights[:, each * number: each * (number + 1)]
        if kind:
            place.copy_(read(f"blk.{layer}.ffn_{name}_exps.weight", (experts, each, columns)))
            continue
        for expert, its in enumerate(place):
            its.copy_(read(f"model.layers.{layer}.mlp.experts.{expert}.{name}_proj.weight", (each, columns)))


def _file_name(name: str, kind: int) -> str:
    """What parameter ``name`` is called in safetensors (0) and in GGUF files (1)."""
    if name in _WHOLE:
        return _WHOLE[name][kind]
    found = _LAYER.fullmatch(name)
    assert found is not None
    number, part, what = found.groups()
    return f"{('model.layers', 'blk')[kind]}.{number}.{_PARTS[part][kind]}.{what}"

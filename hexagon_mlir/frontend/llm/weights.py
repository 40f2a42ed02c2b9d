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
          "gate": ("mlp.gate_proj", "ffn_gate"), "up": ("mlp.up_proj", "ffn_up"), "down": ("mlp.down_proj", "ffn_down")}
_WHOLE = {"embedding.weight": ("model.embed_tokens.weight", "token_embd.weight"),
          "norm.weight": ("model.norm.weight", "output_norm.weight"),
          "head.weight": ("lm_head.weight", "output.weight")}
_LAYER = re.compile(r"layers\.(\d+)\.(.+)\.(weight|bias)")
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
    config = of_hugging_face(read_json(folder / "config.json"))
    given = safetensors.read_folder(folder)
    decoder = _empty(config, size, dtype)
    return _filled(decoder, lambda name: given.get(_file_name(name, 0)), 0)


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

    def find(name: str) -> torch.Tensor | None:
        tensor = file.tensors.get(_file_name(name, 1))
        if tensor is None:
            return None
        weight = tensor.dequantized()
        if turned and (".attention.q." in name or ".attention.k." in name) and weight.shape[0] % config.depth == 0:
            weight = weight.reshape(-1, config.depth // 2, 2, *weight.shape[1:]).transpose(1, 2).reshape(weight.shape)
        return weight

    return _filled(decoder, find, 1)


def _empty(config: DecoderConfig, size: int, dtype: torch.dtype, factors: torch.Tensor | None = None) -> Decoder:
    if not 0 < size <= config.context:
        raise HexError.plain(f"a context of {size} tokens", origin=ORIGIN, hint=f"1 to {config.context} for this model")
    return Decoder(config, size, dtype, factors)


def _filled(decoder: Decoder, find: Callable[[str], torch.Tensor | None], kind: int) -> Decoder:
    """``decoder`` with the tensors that ``find`` gives by the name of the parameter."""
    for name, parameter in decoder.named_parameters():
        tensor = find(name)
        if tensor is None:
            raise HexError.plain(f"no tensor '{_file_name(name, kind)}'", origin=ORIGIN, hint="is a file missing?")
        if tensor.shape != parameter.shape:
            raise HexError.plain(f"'{_file_name(name, kind)}' has shape {tuple(tensor.shape)}", origin=ORIGIN,
                                 hint=f"the sizes of the model ask for {tuple(parameter.shape)}")
        parameter.data = tensor.to(parameter.dtype).contiguous()
    if decoder.config.tied:
        decoder.head.weight = decoder.embedding.weight
    return decoder.eval()


def _file_name(name: str, kind: int) -> str:
    """What parameter ``name`` is called in safetensors (0) and in GGUF files (1)."""
    if name in _WHOLE:
        return _WHOLE[name][kind]
    found = _LAYER.fullmatch(name)
    assert found is not None
    number, part, what = found.groups()
    return f"{('model.layers', 'blk')[kind]}.{number}.{_PARTS[part][kind]}.{what}"

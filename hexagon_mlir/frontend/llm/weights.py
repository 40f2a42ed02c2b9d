"""The weights of a decoder from files: which tensor of a file is which parameter."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any, cast

import torch

from hexagon_mlir.frontend.llm import gguf, safetensors
from hexagon_mlir.frontend.llm.block_layers import BlockEmbedding, BlockLinear, beside, stacked
from hexagon_mlir.frontend.llm.config import ORIGIN, DecoderConfig, of_gguf, of_hugging_face
from hexagon_mlir.frontend.llm.decoder import Decoder
from hexagon_mlir.frontend.llm.experts import Experts
from hexagon_mlir.frontend.llm.packed_codes import PackedTensors
from hexagon_mlir.frontend.torch.stored_weights import StoredWeights
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
Codes = Callable[[str, tuple[int, ...]], StoredWeights | None]
"""Gives the matrix or matrices that a file calls by a name as codes, if they have a shape and are codes in the file."""
_MATRIX = 2
_EXPERT_PARTS = {"gate_up": ("gate", "up"), "down": ("down",)}
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
    """The decoder in a Hugging Face folder; weights of GPTQ, AWQ and compressed-tensors stay codes."""
    sizes = read_json(folder / "config.json")
    config = of_hugging_face(sizes)
    given = safetensors.read_folder(folder)
    packed = PackedTensors(sizes, given)

    def named(name: str) -> str:
        if sizes["model_type"] == "mixtral":
            for ours, theirs in _MIXTRAL.items():
                name = name.replace(ours, theirs)
        return name

    def read(name: str, shape: tuple[int, ...]) -> torch.Tensor:
        matrix = packed.find(named(name), shape)
        return _checked(named(name), given.get(named(name)) if matrix is None else matrix.matrix(), shape)

    def codes(name: str, shape: tuple[int, ...]) -> StoredWeights | None:
        matrix = packed.find(named(name), shape)
        return None if matrix is None else matrix.stored(dtype)

    return _filled(_empty(config, size, dtype), read, 0, codes)


def of_file(file: gguf.GgufFile, size: int, dtype: torch.dtype) -> Decoder:
    """The decoder in a GGUF file; its weights stay codes where a scheme has codes."""
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
        return _in_halves(weight) if is_turned(name) else weight

    def is_turned(name: str) -> bool:
        return turned and (".attn_q." in name or ".attn_k." in name)

    def _in_halves(rows: torch.Tensor) -> torch.Tensor:
        return rows.reshape(-1, config.depth // 2, 2, *rows.shape[1:]).transpose(1, 2).reshape(rows.shape)

    def codes(name: str, shape: tuple[int, ...]) -> StoredWeights | None:
        tensor = file.tensors.get(name)
        if tensor is None or tensor.shape != shape:
            return None  # `read` tells what is wrong
        return tensor.stored(dtype, _in_halves if is_turned(name) else None)

    return _filled(decoder, read, 1, codes)


def _empty(config: DecoderConfig, size: int, dtype: torch.dtype, factors: torch.Tensor | None = None) -> Decoder:
    if not 0 < size <= config.context:
        raise HexError.plain(f"a context of {size} tokens", origin=ORIGIN, hint=f"1 to {config.context} for this model")
    return Decoder(config, size, dtype, factors, "meta")


def _checked(name: str, tensor: torch.Tensor | None, shape: tuple[int, ...]) -> torch.Tensor:
    if tensor is None:
        raise HexError.plain(f"no tensor '{name}'", origin=ORIGIN, hint="is a file missing?")
    if tensor.shape != shape:
        raise HexError.plain(f"'{name}' has shape {tuple(tensor.shape)}", origin=ORIGIN,
                             hint=f"the sizes of the model ask for {shape}")
    return tensor


def _filled(decoder: Decoder, read: Read, kind: int, codes: Codes | None = None) -> Decoder:
    """``decoder`` with the tensors of a file of ``kind`` 0 (safetensors) or 1 (GGUF); ``codes`` gives those matrices
    that are codes in the file."""
    for path, module in list(decoder.named_modules()):
        for name, parameter in list(module.named_parameters(recurse=False)):
            _fill(decoder, path, name, parameter, read, kind, codes)
    if decoder.config.tied:
        table, whole = decoder.embedding, cast(Any, decoder)
        if isinstance(table, BlockEmbedding):
            whole.head = BlockLinear(table.stored)
        else:
            whole.head.weight = table.weight
    return decoder.eval()


def _fill(decoder: Decoder, path: str, name: str, parameter: torch.Tensor, read: Read, kind: int,
          codes: Codes | None) -> None:
    """Replace parameter ``name`` of the module at ``path``, or the whole module by one of codes."""
    found, module = _OF_EXPERTS.fullmatch(f"{path}.{name}"), decoder.get_submodule(path)
    if found is not None:
        layer, part = found.groups()
        tables = None if codes is None else _experts_of_codes(parameter.shape, codes, layer, part, kind)
        if tables is not None:
            cast(Experts, module).take_codes(name, tables)
            return
        weights = torch.empty(parameter.shape, dtype=parameter.dtype)
        _fill_experts(weights, read, layer, part, kind)
    elif decoder.config.tied and path == "head":
        return
    else:
        its_name, shape = _file_name(f"{path}.{name}", kind), tuple(parameter.shape)
        matrix = codes(its_name, shape) if codes is not None and name == "weight" and len(shape) == _MATRIX else None
        if matrix is not None:
            bias = getattr(module, "bias", None)
            made = BlockEmbedding(matrix) if path == "embedding" else BlockLinear(matrix, bias)
            parent, _, own = path.rpartition(".")
            setattr(decoder.get_submodule(parent), own, made)
            return
        weights = read(its_name, shape).to(parameter.dtype).contiguous()
    current: Any = decoder.get_submodule(path)
    setattr(current, name, torch.nn.Parameter(weights, requires_grad=False))


def _fill_experts(weights: torch.Tensor, read: Read, layer: str, part: str, kind: int) -> None:
    """Fill ``weights`` (experts, rows, columns), of gates and what they gate one after the other."""
    names = _EXPERT_PARTS[part]
    experts, rows, columns = weights.shape
    each = rows // len(names)
    for number, name in enumerate(names):
        place = weights[:, each * number: each * (number + 1)]
        if kind:
            place.copy_(read(_of_all_experts(layer, name), (experts, each, columns)))
            continue
        for expert, its in enumerate(place):
            its.copy_(read(_of_expert(layer, expert, name), (each, columns)))


def _experts_of_codes(shape: torch.Size, codes: Codes, layer: str, part: str, kind: int) -> StoredWeights | None:
    """The weights of all experts, of gates and what they gate one after the other, if they are codes in the file."""
    names = _EXPERT_PARTS[part]
    experts, rows, columns = shape
    each = rows // len(names)
    parts: list[StoredWeights | None] = []
    for name in names:
        if kind:
            parts.append(codes(_of_all_experts(layer, name), (experts, each, columns)))
            continue
        own = [codes(_of_expert(layer, expert, name), (each, columns)) for expert in range(experts)]
        known = [one for one in own if one is not None]
        parts.append(stacked(known) if len(known) == experts else None)
    found = [one for one in parts if one is not None]
    if len(found) < len(names):
        return None
    made = [beside([one.number(expert) for one in found]) for expert in range(experts)]
    whole = [one for one in made if one is not None]
    return stacked(whole) if len(whole) == experts else None


def _of_all_experts(layer: str, name: str) -> str:
    return f"blk.{layer}.ffn_{name}_exps.weight"


def _of_expert(layer: str, expert: int, name: str) -> str:
    return f"model.layers.{layer}.mlp.experts.{expert}.{name}_proj.weight"


def _file_name(name: str, kind: int) -> str:
    """What parameter ``name`` is called in safetensors (0) and in GGUF files (1)."""
    if name in _WHOLE:
        return _WHOLE[name][kind]
    found = _LAYER.fullmatch(name)
    assert found is not None
    number, part, what = found.groups()
    return f"{('model.layers', 'blk')[kind]}.{number}.{_PARTS[part][kind]}.{what}"

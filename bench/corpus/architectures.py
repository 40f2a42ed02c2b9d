"""Small models of the architectures in transformers, with random weights, and inputs for them.

Sizes are as small as an architecture allows: two layers, 64 numbers in a state, 24 tokens, images of 32 to 64 pixels.
RWKV has 8 tokens: PyTorch traces its loop over tokens step by step.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable
from functools import partial
from typing import Any

import torch

Made = tuple[torch.nn.Module, dict[str, torch.Tensor]]
"""A model, and the tensors that it is called with, by name."""

_LIBRARY: list[torch.library.Library] = []
_WORDS = {"vocab_size": 100}
_BERT = {**_WORDS, "hidden_size": 64, "num_hidden_layers": 2, "num_attention_heads": 4, "intermediate_size": 128,
         "max_position_embeddings": 64, "pad_token_id": 0}
_LLAMA = {**_WORDS, "hidden_size": 64, "num_hidden_layers": 2, "num_attention_heads": 4, "num_key_value_heads": 2,
          "intermediate_size": 128, "max_position_embeddings": 64, "pad_token_id": 0, "bos_token_id": 1,
          "eos_token_id": 2}
_GPT = {**_WORDS, "n_embd": 64, "n_layer": 2, "n_head": 4, "n_positions": 64, "bos_token_id": 1, "eos_token_id": 2}
_BART = {**_WORDS, "d_model": 64, "encoder_layers": 2, "decoder_layers": 2, "encoder_attention_heads": 4,
         "decoder_attention_heads": 4, "encoder_ffn_dim": 128, "decoder_ffn_dim": 128, "max_position_embeddings": 64,
         "pad_token_id": 0, "bos_token_id": 1, "eos_token_id": 2, "decoder_start_token_id": 2}
_VIT = {"hidden_size": 64, "num_hidden_layers": 2, "num_attention_heads": 4, "intermediate_size": 128,
        "image_size": 32, "patch_size": 8}
_EXPERTS = {"num_experts": 4, "num_experts_per_tok": 2, "moe_intermediate_size": 32}
_DEEPSEEK = {**_LLAMA, "num_key_value_heads": 4, "n_routed_experts": 4, "num_experts_per_tok": 2, "n_group": 2,
             "topk_group": 1, "moe_intermediate_size": 32, "first_k_dense_replace": 1, "q_lora_rank": 32,
             "kv_lora_rank": 16, "qk_rope_head_dim": 8, "qk_nope_head_dim": 8, "v_head_dim": 16, "n_shared_experts": 1}
_AUDIO = {**_WORDS, "hidden_size": 64, "num_hidden_layers": 2, "num_attention_heads": 4, "intermediate_size": 128,
          "conv_dim": (32, 32), "conv_kernel": (10, 3), "conv_stride": (5, 2), "num_feat_extract_layers": 2,
          "num_conv_pos_embeddings": 16, "num_conv_pos_embedding_groups": 4}


def _tokens(count: int = 24) -> dict[str, torch.Tensor]:
    return {"input_ids": torch.randint(3, 100, (1, count))}


def _two_texts() -> dict[str, torch.Tensor]:
    return {"input_ids": torch.randint(3, 100, (1, 16)), "decoder_input_ids": torch.randint(3, 100, (1, 12))}


def _image(size: int = 32) -> dict[str, torch.Tensor]:
    return {"pixel_values": torch.randn(1, 3, size, size)}


def _text_and_image() -> dict[str, torch.Tensor]:
    return {"input_ids": torch.randint(3, 100, (1, 12)), **_image()}


def declare_detection() -> None:
    """Declare the two operators that torchvision, which transformers imports too, looks up when it is imported.

    Its own declarations are in a library built for PyTorch with CUDA, which does not load with PyTorch for CPUs alone;
    no model here calls them.
    """
    if not _LIBRARY and not hasattr(torch.ops.torchvision, "nms"):
        _LIBRARY.append(torch.library.Library("torchvision", "DEF"))
        for name in ("nms", "qnms"):
            _LIBRARY[0].define(f"{name}(Tensor dets, Tensor scores, float iou_threshold) -> Tensor")


def load_libraries() -> None:
    """Import what every model needs, before the processes of rows are forked."""
    declare_detection()
    for name in ("transformers.modeling_utils", "timm", "torchvision.models", "torch._dynamo.convert_frame",
                 "torch._functorch.aot_autograd"):
        importlib.import_module(name)


def _transformers(name: str, inputs: Callable[[], dict[str, torch.Tensor]], **config: Any) -> Made:
    """The class ``name`` of transformers, made from its configuration alone."""
    declare_detection()
    kind = getattr(importlib.import_module("transformers"), name)
    return kind(kind.config_class(**config)), inputs()


def with_statistics(model: torch.nn.Module, part: float, **inputs: torch.Tensor) -> torch.nn.Module:
    """``model`` with the statistics of ``inputs``, as this ``part``, in its batch norms."""
    norms = [module for module in model.modules() if isinstance(module, torch.nn.modules.batchnorm._BatchNorm)]
    for norm in norms:
        norm.momentum = part
    with torch.no_grad():
        model.train()(**inputs)
    for norm in norms:
        norm.momentum = 0.1
    return model


def _mobilevit() -> Made:
    model, inputs = _transformers("MobileViTModel", partial(_image, 64), image_size=64, hidden_sizes=[32, 48, 64],
                                  neck_hidden_sizes=[8, 16, 24, 32, 48, 64, 96])
    return with_statistics(model, 1.0, pixel_values=torch.randn(4, 3, 64, 64)), inputs


def _clip(name: str) -> Made:
    text = {**_BERT, "projection_dim": 32}
    if name == "CLIPModel":
        text |= {"bos_token_id": 1, "eos_token_id": 2}
    return _transformers(name, _text_and_image, text_config=text, vision_config={**_VIT, "projection_dim": 32},
                         **({"projection_dim": 32} if name == "CLIPModel" else {}))


def _detr() -> Made:
    declare_detection()
    from transformers import ResNetConfig

    backbone = ResNetConfig(embedding_size=16, hidden_sizes=[16, 32], depths=[1, 1], layer_type="basic",
                            out_features=["stage2"])
    config = {key: value for key, value in _BART.items() if key not in ("vocab_size", "max_position_embeddings")}
    return _transformers("DetrModel", partial(_image, 64), backbone_config=backbone, num_queries=10, **config)


def _sam() -> Made:
    vision = {"hidden_size": 64, "num_hidden_layers": 2, "num_attention_heads": 4, "image_size": 64, "patch_size": 16,
              "mlp_dim": 128, "output_channels": 32, "num_pos_feats": 16, "window_size": 2, "global_attn_indexes": [1]}
    prompt = {"hidden_size": 32, "image_size": 64, "patch_size": 16, "image_embedding_size": 4}
    mask = {"hidden_size": 32, "mlp_dim": 64, "num_attention_heads": 4, "iou_head_hidden_dim": 32}
    inputs = {**_image(64), "input_points": torch.rand(1, 1, 2, 2) * 64}
    return _transformers("SamModel", lambda: inputs, vision_config=vision, prompt_encoder_config=prompt,
                         mask_decoder_config=mask)


def _gemma3() -> Made:
    return _transformers("Gemma3ForCausalLM", _tokens, **_LLAMA, head_dim=16, sliding_window=8,
                         layer_types=["sliding_attention", "full_attention"])


_TEXT: dict[str, tuple[str, dict[str, Any]]] = {
    "BERT": ("BertModel", _BERT),
    "RoBERTa": ("RobertaModel", {**_BERT, "max_position_embeddings": 66}),
    "ALBERT": ("AlbertModel", {**_BERT, "embedding_size": 32}),
    "DistilBERT": ("DistilBertModel", {**_WORDS, "dim": 64, "n_layers": 2, "n_heads": 4, "hidden_dim": 128,
                                       "max_position_embeddings": 64}),
    "ELECTRA": ("ElectraModel", {**_BERT, "embedding_size": 32}),
    "DeBERTa": ("DebertaModel", {**_BERT, "relative_attention": True, "pos_att_type": ["p2c", "c2p"]}),
    "DeBERTa-v2": ("DebertaV2Model", {**_BERT, "relative_attention": True, "pos_att_type": ["p2c", "c2p"],
                                      "position_buckets": 16}),
    "MPNet": ("MPNetModel", {**_BERT, "max_position_embeddings": 66}),
    "Longformer": ("LongformerModel", {**_BERT, "max_position_embeddings": 66, "attention_window": [8, 8]}),
    "Funnel": ("FunnelModel", {**_WORDS, "block_sizes": [1, 1], "num_decoder_layers": 1, "d_model": 64, "n_head": 4,
                               "d_head": 16, "d_inner": 128}),
    "XLNet": ("XLNetModel", {**_WORDS, "d_model": 64, "n_layer": 2, "n_head": 4, "d_inner": 128}),
    "ModernBERT": ("ModernBertModel", {**_BERT, "cls_token_id": 1, "sep_token_id": 2, "bos_token_id": 1,
                                       "eos_token_id": 2, "local_attention": 8}),
    "FNet": ("FNetModel", {key: value for key, value in _BERT.items() if key != "num_attention_heads"}),
    "GPT-2": ("GPT2LMHeadModel", _GPT),
    "GPT-Neo": ("GPTNeoForCausalLM", {**_WORDS, "hidden_size": 64, "num_layers": 2, "num_heads": 4, "window_size": 8,
                                      "attention_types": [[["global", "local"], 1]], "max_position_embeddings": 64,
                                      "bos_token_id": 1, "eos_token_id": 2}),
    "GPT-NeoX": ("GPTNeoXForCausalLM", {key: value for key, value in _LLAMA.items() if key != "num_key_value_heads"}),
    "GPT-J": ("GPTJForCausalLM", {**_GPT, "rotary_dim": 8}),
    "OPT": ("OPTForCausalLM", {**_WORDS, "hidden_size": 64, "num_hidden_layers": 2, "num_attention_heads": 4,
                               "ffn_dim": 128, "max_position_embeddings": 64, "word_embed_proj_dim": 64}),
    "Bloom": ("BloomForCausalLM", {**_WORDS, "hidden_size": 64, "n_layer": 2, "n_head": 4}),
    "MPT": ("MptForCausalLM", {**_WORDS, "d_model": 64, "n_layers": 2, "n_heads": 4, "max_seq_len": 64}),
    "Llama": ("LlamaForCausalLM", _LLAMA),
    "Mistral": ("MistralForCausalLM", {**_LLAMA, "sliding_window": 8}),
    "Mixtral": ("MixtralForCausalLM", {**_LLAMA, "num_local_experts": 4}),
    "Qwen2": ("Qwen2ForCausalLM", _LLAMA),
    "Qwen3": ("Qwen3ForCausalLM", {**_LLAMA, "head_dim": 16}),
    "Qwen3-MoE": ("Qwen3MoeForCausalLM", {**_LLAMA, **_EXPERTS, "head_dim": 16}),
    "OLMo2": ("Olmo2ForCausalLM", _LLAMA),
    "Gemma": ("GemmaForCausalLM", {**_LLAMA, "head_dim": 16}),
    "Gemma2": ("Gemma2ForCausalLM", {**_LLAMA, "head_dim": 16, "sliding_window": 8}),
    "Phi": ("PhiForCausalLM", _LLAMA),
    "Phi-3": ("Phi3ForCausalLM", _LLAMA),
    "Falcon": ("FalconForCausalLM", {**_WORDS, "hidden_size": 64, "num_hidden_layers": 2, "num_attention_heads": 4}),
    "StableLM": ("StableLmForCausalLM", _LLAMA),
    "Cohere": ("CohereForCausalLM", _LLAMA),
    "GPT-OSS": ("GptOssForCausalLM", {**_LLAMA, "head_dim": 16, "num_local_experts": 4, "num_experts_per_tok": 2,
                                      "sliding_window": 8}),
    "DeepSeek-V2": ("DeepseekV2ForCausalLM", {**_DEEPSEEK, "topk_method": "greedy"}),
    "DeepSeek-V3": ("DeepseekV3ForCausalLM", _DEEPSEEK),
    "Mamba": ("MambaForCausalLM", {**_WORDS, "hidden_size": 64, "num_hidden_layers": 2, "state_size": 8}),
    "Mamba2": ("Mamba2ForCausalLM", {**_WORDS, "hidden_size": 64, "num_hidden_layers": 2, "state_size": 16,
                                     "head_dim": 16, "num_heads": 8, "chunk_size": 8, "n_groups": 1}),
    "Jamba": ("JambaForCausalLM", {**_LLAMA, "num_experts": 4, "attn_layer_period": 2, "attn_layer_offset": 1,
                                   "expert_layer_period": 2, "expert_layer_offset": 1, "mamba_d_state": 8,
                                   "use_mamba_kernels": False}),
}
_TEXT_TO_TEXT: dict[str, tuple[str, dict[str, Any]]] = {
    "T5": ("T5Model", {**_WORDS, "d_model": 64, "d_kv": 16, "d_ff": 128, "num_layers": 2, "num_heads": 4}),
    "BART": ("BartModel", _BART),
    "Pegasus": ("PegasusModel", _BART),
    "Marian": ("MarianModel", _BART),
}
_IMAGE: dict[str, tuple[str, dict[str, Any]]] = {
    "ViT": ("ViTModel", _VIT),
    "DeiT": ("DeiTModel", _VIT),
    "BEiT": ("BeitModel", {**_VIT, "use_relative_position_bias": True}),
    "DINOv2": ("Dinov2Model", {**_VIT, "mlp_ratio": 2}),
    "Swin": ("SwinModel", {"image_size": 32, "patch_size": 2, "embed_dim": 16, "depths": [2, 2], "num_heads": [2, 4],
                           "window_size": 4}),
    "ConvNeXt": ("ConvNextModel", {"hidden_sizes": [16, 32], "depths": [1, 1], "num_stages": 2, "image_size": 32}),
    "SegFormer": ("SegformerForSemanticSegmentation", {
        "hidden_sizes": [16, 32], "depths": [1, 1], "num_encoder_blocks": 2, "sr_ratios": [2, 1],
        "patch_sizes": [7, 3], "strides": [4, 2], "num_attention_heads": [1, 2], "mlp_ratios": [2, 2],
        "decoder_hidden_size": 32}),
}

TRANSFORMERS: dict[str, Callable[[], Made]] = {
    **{name: partial(_transformers, kind, _tokens, **config) for name, (kind, config) in _TEXT.items()},
    "Gemma3": _gemma3,
    "RWKV": partial(_transformers, "RwkvForCausalLM", partial(_tokens, 8), **_WORDS, hidden_size=64,
                    num_hidden_layers=2, context_length=64),
    "BigBird": partial(_transformers, "BigBirdModel", partial(_tokens, 48), **_BERT, attention_type="block_sparse",
                       block_size=4, num_random_blocks=1),
    **{name: partial(_transformers, kind, _two_texts, **config) for name, (kind, config) in _TEXT_TO_TEXT.items()},
    "Whisper": partial(_transformers, "WhisperModel",
                       lambda: {"input_features": torch.randn(1, 80, 64),
                                "decoder_input_ids": torch.randint(3, 100, (1, 12))},
                       **{key: value for key, value in _BART.items() if key != "max_position_embeddings"},
                       max_source_positions=32, max_target_positions=64),
    "Wav2Vec2": partial(_transformers, "Wav2Vec2Model", lambda: {"input_values": torch.randn(1, 800)}, **_AUDIO),
    "HuBERT": partial(_transformers, "HubertModel", lambda: {"input_values": torch.randn(1, 800)}, **_AUDIO),
    "CLIP": partial(_clip, "CLIPModel"),
    "SigLIP": partial(_clip, "SiglipModel"),
    **{name: partial(_transformers, kind, _image, **config) for name, (kind, config) in _IMAGE.items()},
    "MobileViT": _mobilevit,
    "DETR": _detr,
    "SAM": _sam,
}
"""How to make each model of transformers."""

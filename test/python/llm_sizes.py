"""A decoder small enough to be compiled in tests."""

import torch

from hexagon_mlir.frontend.llm.config import of_hugging_face
from hexagon_mlir.frontend.llm.decoder import Decoder

SIZES = {"model_type": "qwen3", "vocab_size": 70, "hidden_size": 32, "num_hidden_layers": 1, "num_attention_heads": 4,
         "num_key_value_heads": 2, "head_dim": 16, "intermediate_size": 64, "max_position_embeddings": 64}


def small(norm_heads=True, size=16):
    """With random weights."""
    torch.manual_seed(0)
    module = Decoder(of_hugging_face(SIZES if norm_heads else {**SIZES, "model_type": "llama"}), size).eval()
    for parameter in module.parameters():
        if parameter.dim() > 1:
            parameter.normal_(0, 0.3)
    return module

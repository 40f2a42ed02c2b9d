"""Decoders small enough to be compiled in tests, and greedy tokens of eager PyTorch."""

import torch

from hexagon_mlir.frontend.llm.config import DecoderConfig, of_hugging_face
from hexagon_mlir.frontend.llm.decoder import Decoder

PROMPT = [3, 5, 7, 11, 13, 17, 19, 23, 29, 31]
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


def decoder(size=80, seed=0, **sizes):
    torch.manual_seed(seed)
    config = DecoderConfig(**{**dict(vocabulary=70, width=32, layers=1, heads=4, groups=2, depth=16, hidden=48,
                                     context=128, norm_heads=True), **sizes})
    made = Decoder(config, size)
    for parameter in made.parameters():
        if parameter.dim() > 1:
            parameter.normal_(0, 0.3)
    return made.eval()


def eager(model, prompt, tokens):
    """Greedy tokens, the prompt in one call."""
    found, given, place = [], list(prompt), 0
    with torch.no_grad():
        for _ in range(tokens):
            scores = model(torch.tensor([given]), torch.arange(place, place + len(given)),
                           torch.tensor([len(given) - 1]))
            place += len(given)
            given = [int(scores.argmax())]
            found += given
    return found

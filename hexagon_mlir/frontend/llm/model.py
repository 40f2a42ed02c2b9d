"""A language model on the simulated chip: prompts in chunks, then a token at a time."""

from __future__ import annotations

import os
import warnings
from collections.abc import Iterator, Sequence
from pathlib import Path

import torch

from hexagon_mlir import targets
from hexagon_mlir.frontend.llm import gguf, tokenizer, weights
from hexagon_mlir.frontend.llm.config import ORIGIN
from hexagon_mlir.frontend.llm.decoder import Decoder
from hexagon_mlir.frontend.llm.sampling import Sampling
from hexagon_mlir.frontend.llm.speed import Phase
from hexagon_mlir.frontend.torch.compile import compile_exported
from hexagon_mlir.frontend.torch.model import CompiledModel
from hexagon_mlir.ir import HexError

DTYPES = {"f32": torch.float32, "f16": torch.float16}
CHUNK = 32
"""Tokens of a prompt in a run."""
CONTEXT = 512
EXPERTS = 16
"""Experts of a mixture above which a prompt is read token by token: a chunk would be multiplied with all of them."""


class CausalLM:
    """``decoder`` compiled for ``target``: a program for ``chunk`` tokens of a prompt and one for a single token, which
    share its weights and its caches of keys and values. Each is compiled when it is first needed, and never again."""

    def __init__(self, decoder: Decoder, texts: tokenizer.Tokenizer | None = None, target: str = targets.DEFAULT,
                 chunk: int = CHUNK) -> None:
        if chunk < 1 or chunk > decoder.size:
            raise HexError.plain(f"chunks of {chunk} tokens", origin=ORIGIN, hint=f"1 to {decoder.size}")
        self.decoder, self.tokenizer, self.target = decoder.eval(), texts, target
        self.chunk = chunk if decoder.config.experts <= EXPERTS else 1
        decoder.join_weights()
        self.programs: dict[int, CompiledModel] = {}
        self.place = 0
        """How many tokens the caches hold."""
        self.prefill, self.decode = Phase(target), Phase(target)

    def reset(self) -> None:
        """Forget all tokens and counts."""
        self.place = 0
        self.prefill, self.decode = Phase(self.target), Phase(self.target)

    def program(self, tokens: int) -> CompiledModel:
        """The program for so many ``tokens`` at a time."""
        if tokens not in self.programs:
            example = torch.zeros(1, tokens, dtype=torch.int64), torch.arange(tokens), torch.tensor([0])
            with warnings.catch_warnings(), torch.no_grad():
                warnings.simplefilter("ignore")  # PyTorch's own, of its export
                exported = torch.export.export(self.decoder, example)
            model = compile_exported(exported, self.target)
            assert isinstance(model, CompiledModel)
            self.programs[tokens] = model
        return self.programs[tokens]

    def scores(self, tokens: Sequence[int]) -> torch.Tensor:
        """f32 (vocabulary): scores of what follows ``tokens``, which follow those in the caches. Raises `HexError`
        where they do not fit."""
        if not tokens or self.place + len(tokens) > self.decoder.size:
            raise HexError.plain(f"{len(tokens)} tokens after {self.place}", origin=ORIGIN,
                                 hint=f"a context has 1 to {self.decoder.size} tokens: pass a larger one")
        outside = [token for token in tokens if not 0 <= token < self.decoder.config.vocabulary]
        if outside:
            raise HexError.plain(f"index {outside[0]} in 'tokens' is out of range", origin=ORIGIN,
                                 hint=f"0 to {self.decoder.config.vocabulary - 1} are in it")
        phase = self.decode if len(tokens) == 1 and self.place else self.prefill
        done, result = 0, torch.empty(0)
        while done < len(tokens):
            left = len(tokens) - done
            # a chunk that is not full is filled up: later tokens overwrite these rows before anything sees them
            whole = left > 1 and self.place + self.chunk <= self.decoder.size
            size, count = (self.chunk, min(left, self.chunk)) if whole else (1, 1)
            result = self._run(list(tokens[done: done + count]), size, phase)
            self.place += count
            done += count
        return result

    def _run(self, tokens: list[int], size: int, phase: Phase) -> torch.Tensor:
        model = self.program(size)
        given = torch.tensor([tokens + [0] * (size - len(tokens))])
        result = model(given, torch.arange(self.place, self.place + size), torch.tensor([len(tokens) - 1]))
        assert model.last_run is not None
        phase.add(len(tokens), model.last_run, self.needed_bytes(size) - model.result.saved_bytes)
        return result

    def needed_bytes(self, tokens: int = 1) -> int:
        """Bytes that a run of ``tokens`` must read: weights of products, and the caches up to the last place that it
        sees. A program that reads codes of 4 bits needs so much less."""
        item = self.decoder.dtype.itemsize
        config = self.decoder.config
        seen = min(self.place + 1, config.window or self.decoder.size)
        weights = config.weights if tokens == 1 else config.chunk_weights
        return item * (weights + 2 * config.layers * config.groups * config.depth * seen)

    def stream(self, prompt: str | Sequence[int], tokens: int = 64, sampling: Sampling | None = None,
               seed: int = 0) -> Iterator[int]:
        """Up to ``tokens`` tokens after ``prompt`` (a text, or tokens), each when it is known; the caches are emptied
        before. It ends with a token that ends texts, or where the context is full."""
        self.reset()
        sampling, generator = sampling or Sampling(), torch.Generator().manual_seed(seed)
        given = self.encode(prompt) if isinstance(prompt, str) else list(prompt)
        for _ in range(tokens):
            token = sampling.choose(self.scores(given), generator)
            yield token
            if token in self.decoder.config.stops or self.place >= self.decoder.size:
                return
            given = [token]

    def generate(self, prompt: str | Sequence[int], tokens: int = 64, sampling: Sampling | None = None,
                 seed: int = 0) -> list[int]:
        """All tokens of `stream`."""
        return list(self.stream(prompt, tokens, sampling, seed))

    def encode(self, text: str) -> list[int]:
        """The tokens of ``text``."""
        return list(self._texts().encode(text).ids)

    def text(self, tokens: Sequence[int]) -> str:
        """The text of ``tokens``."""
        return self._texts().decode(list(tokens))

    def _texts(self) -> tokenizer.Tokenizer:
        if self.tokenizer is None:
            raise HexError.plain("this model has no tokenizer", origin=ORIGIN, hint="pass tokens instead of a text")
        return self.tokenizer


def load_causal_lm(source: str | os.PathLike[str], *, target: str = targets.DEFAULT, context: int = CONTEXT,
                   dtype: str = "f32", chunk: int = CHUNK) -> CausalLM:
    """The language model in ``source``, a Hugging Face folder (``config.json``, ``*.safetensors``, perhaps
    ``tokenizer.json``) or a GGUF file, of the families Llama, Mistral, Mixtral, Qwen2, Qwen3 and Qwen3-MoE.

    ``context`` is how many tokens its caches hold; weights and caches have ``dtype`` "f32" or "f16"; prompts are read
    ``chunk`` tokens at a time, and no more than ``context``. Nothing in the files is run. Raises `HexError`.
    """
    if dtype not in DTYPES:
        raise HexError.plain(f"unknown dtype '{dtype}'", hint=f"one of {', '.join(DTYPES)}")
    path, chunk = Path(source), min(chunk, context)
    if path.is_dir():
        return CausalLM(weights.of_folder(path, context, DTYPES[dtype]), tokenizer.of_folder(path), target, chunk)
    file = gguf.read(path)
    return CausalLM(weights.of_file(file, context, DTYPES[dtype]), tokenizer.of_metadata(file.metadata), target, chunk)

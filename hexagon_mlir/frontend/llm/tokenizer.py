"""Texts as tokens: what the package tokenizers reads, from a folder or from the metadata of a GGUF file."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, Protocol

from hexagon_mlir.frontend.llm.config import ORIGIN
from hexagon_mlir.ir import HexError


class Tokenizer(Protocol):
    """What is used of ``tokenizers.Tokenizer``."""

    def encode(self, sequence: str) -> Any:
        """Has ``ids``, the tokens."""

    def decode(self, ids: list[int]) -> str:
        """The text."""


def of_folder(folder: Path) -> Tokenizer | None:
    """The tokenizer of a Hugging Face folder; None where there is no ``tokenizer.json``."""
    file = folder / "tokenizer.json"
    if not file.exists():
        return None
    try:
        return _package().Tokenizer.from_str(file.read_text(encoding="utf-8"))
    except HexError:
        raise
    except Exception as error:  # of the package's own type, which is no other than Exception
        raise HexError.plain(f"no tokenizer: {str(error)[:200]}", origin=ORIGIN, file=str(file)) from None


def of_metadata(given: Mapping[str, Any]) -> Tokenizer | None:
    """The byte-level BPE in a GGUF file; None for other kinds."""
    tokens, merges = given.get("tokenizer.ggml.tokens"), given.get("tokenizer.ggml.merges")
    if given.get("tokenizer.ggml.model") != "gpt2" or not isinstance(tokens, list) or not isinstance(merges, list):
        return None
    package = _package()
    try:
        pairs = [tuple(str(merge).split(" ", 1)) for merge in merges]
        made = package.Tokenizer(package.models.BPE({token: place for place, token in enumerate(tokens)}, pairs))
        made.pre_tokenizer = package.pre_tokenizers.ByteLevel(add_prefix_space=False)
        made.decoder = package.decoders.ByteLevel()
        special = [token for token, kind in zip(tokens, given.get("tokenizer.ggml.token_type", ()), strict=False)
                   if kind == 3]  # a control token
        made.add_special_tokens(special)
    except Exception as error:
        raise HexError.plain(f"no tokenizer: {str(error)[:200]}", origin=ORIGIN) from None
    return made


def _package() -> Any:
    try:
        import tokenizers
    except ImportError:
        raise HexError.plain("texts are read by the package tokenizers, which is not installed", origin=ORIGIN,
                             hint="pip install 'hexagon-mlir[llm]', or pass tokens") from None
    return tokenizers

"""``hexmlir generate``: a language model continues a text on the simulated chip."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Sequence
from typing import Any

from hexagon_mlir.cli.arguments import UsageError

HINT = "hexmlir generate --help"
USAGE = """usage: hexmlir generate FOLDER_OR_GGUF --prompt TEXT [OPTIONS]

Continues TEXT with a language model (Llama, Mistral, Mixtral, Qwen2, Qwen3, Qwen3-MoE) on the simulated chip: prints
each token when it is known, then tokens per second of the chip, bytes per token, and the share of what its DDR allows.

  --prompt TEXT      the text; needs the package tokenizers (hexagon-mlir[llm])
  --prompt-tokens A  tokens instead of a text: 1,17,4; prints tokens
  --tokens N         at most so many (64)
  --context N        tokens that the caches of keys and values hold (512)
  --chunk N          tokens of the prompt in a run (32)
  --dtype T          of weights and caches: f32 (default) or f16
  --temperature T    0 (default) takes the best token
  --top-k N          of the N best tokens (0: of all)
  --top-p P          of the fewest tokens with this probability together (1)
  --seed N           of the random numbers (0)
  --target NAME      the chip (hexmlir targets)
"""
_KINDS: dict[str, type] = {"prompt": str, "prompt-tokens": str, "tokens": int, "context": int, "chunk": int,
                           "dtype": str, "temperature": float, "top-k": int, "top-p": float, "seed": int, "target": str}


def generate(words: Sequence[str]) -> int:
    """The exit code of ``hexmlir generate`` with ``words`` after it."""
    if not words or {"--help", "-h"} & set(words):
        sys.stdout.write(USAGE)
        return 0
    source, given = _read(words)
    prompt = given.pop("prompt", None)
    numbers = given.pop("prompt-tokens", None)
    if (prompt is None) == (numbers is None):
        raise UsageError("one of --prompt and --prompt-tokens is needed", HINT)
    given_tokens = None if numbers is None else _numbers(numbers)
    from hexagon_mlir.frontend.llm.model import load_causal_lm
    from hexagon_mlir.frontend.llm.sampling import Sampling

    sampling = Sampling(given.pop("temperature", 0.0), given.pop("top-k", 0), given.pop("top-p", 1.0))
    tokens, seed = given.pop("tokens", 64), given.pop("seed", 0)
    model = load_causal_lm(source, **given)
    stream = model.stream(prompt if given_tokens is None else given_tokens, tokens, sampling, seed)
    _print(stream, model, given_tokens is None)
    for name, phase in (("prefill", model.prefill), ("decode", model.decode)):
        sys.stdout.write(f"{name}: {phase} ({model.target}, simulated)\n")
    return 0


def _print(stream: Iterable[int], model: Any, as_text: bool) -> None:
    """Each token when it comes; of a text what is new, once its last character is whole."""
    tokens: list[int] = []
    shown = ""
    for token in stream:
        tokens.append(token)
        text = model.text(tokens) if as_text else " ".join(map(str, tokens))
        if text.startswith(shown) and not text.endswith("\N{REPLACEMENT CHARACTER}"):
            sys.stdout.write(text[len(shown):])
            sys.stdout.flush()
            shown = text
    sys.stdout.write("\n")


def _read(words: Sequence[str]) -> tuple[str, dict[str, Any]]:
    """The model's place, and the values of options."""
    rest, given = list(words), {}
    sources = []
    while rest:
        word = rest.pop(0)
        if not word.startswith("--"):
            sources.append(word)
            continue
        name, equals, value = word[2:].partition("=")
        if name not in _KINDS:
            raise UsageError(f"unknown option --{name}", HINT)
        if not equals and not rest:
            raise UsageError(f"--{name} needs a value", HINT)
        text = value if equals else rest.pop(0)
        try:
            given[name] = _KINDS[name](text)
        except ValueError:
            raise UsageError(f"--{name} is '{text}', which is no number", HINT) from None
    if len(sources) != 1:
        raise UsageError("one folder or GGUF file is needed" if sources else "no folder or GGUF file", HINT)
    return sources[0], given


def _numbers(text: str) -> list[int]:
    try:
        return [int(word) for word in text.split(",")]
    except ValueError:
        raise UsageError(f"--prompt-tokens is '{text}'", "numbers between commas: 1,17,4") from None

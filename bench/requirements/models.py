"""Attention and whole models in mixed precision: cycles against HVX alone, and their errors."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator

import torch

import hexagon_mlir as hx
from bench import gpt2, qwen3
from bench.attention import Attention
from bench.corpus.model_zoo import LARGE, Model, ResNet18, Vit
from bench.narrow_products import PUBLISHED
from bench.requirements.line import Bound, Kept, Line, Numbers, bound_of, cost, faster
from hexagon_mlir import targets

_HEADS, _LENGTH, _DEPTH, _ATTENTION_TIMES = 8, 1024, 64, 5.0
_GPT2_TIMES, _LOGITS, _TOKENS = 15.0, 2e-2, 0.99
_QWEN3_RATE = 0.4
_WAITS = {"engine": ("matrix-queue", "matrix-wait"), "memory": ("copy", "memory-l2", "memory-ddr", "memory-tcm"),
          "operands": ("hvx-interlock", "scalar-latency"), "calls": ("host-call", "branch")}
"""Name and causes of stalls: results of the matrix engine; transfers and caches; results of other instructions; the
simulator's host functions and branches."""
MODELS: tuple[tuple[str, Callable[[], Model], float], ...] = (
    ("ResNet-18, 224x224", lambda: (ResNet18(), (torch.randn(1, 3, 224, 224),)), 12.0),
    ("BERT-base layer", LARGE["BERT-base layer"], 10.0),
    ("ViT-tiny, 224x224", lambda: (Vit(224, 16, 12, 192, 3, 1000), (torch.randn(1, 3, 224, 224),)), 5.0),
    ("Whisper-tiny encoder, 1 s", LARGE["Whisper-tiny encoder, 1 s"], 5.0),
)
"""Name, module and inputs, and how many times fewer cycles than HVX are asked for."""


def attention(kept: Kept) -> Iterator[Line]:
    """Attention of f16, and how far it is from what HVX's packets take, most of which are softmax's."""
    torch.manual_seed(0)
    inputs = tuple(torch.randn(1, _HEADS, _LENGTH, _DEPTH).half() for _ in range(3))
    what = f"attention {_HEADS} x {_LENGTH:,} x {_DEPTH} f16"
    both = [kept.numbers(f"{what}, {'engine' if engine else 'HVX'}",
                         lambda engine=engine: _run(Attention(False), inputs, waits=True, matrix_engine=engine))
            for engine in (True, False)]
    yield faster(what, *both, _ATTENTION_TIMES, "HVX")
    found = both[0]
    yield Line(f"{what}: HVX's packets, most of them softmax's", "",
               f"{found['HVX'] / found['cycles']:.0%} of the time", None, found["cycles"], Bound(found["HVX"], "HVX"))
    waits = ", ".join(f"{name} {found[name]:.0%}" for name in _WAITS)
    yield Line(f"{what}: share of the time for which a thread waits", "", waits, None)
    yield Line(f"{what}: largest error", "", f"{found['error']:.1e}", None)


def models(kept: Kept) -> Iterator[Line]:
    """Each model against f32 on HVX; of GPT-2 its logits, too."""
    for name, make, times in MODELS:
        both = []
        for numerics in ("mixed", "f32"):
            def measure(numerics=numerics, make=make) -> Numbers:
                torch.manual_seed(0)
                module, inputs = make()
                return _run(module.eval(), inputs, numerics=numerics)

            both.append(kept.numbers(f"{name}, {numerics}", measure))
        yield faster(f"{name}, mixed", *both, times, "f32")
        yield Line(f"{name}, mixed: largest error", "", f"{both[0]['error']:.1e} of {both[0]['largest']:.2f}", None)
    mixed, f32 = (kept.numbers(f"GPT-2 124M, 512 tokens, {numerics}", lambda numerics=numerics: _gpt2(numerics))
                  for numerics in ("mixed", "f32"))
    yield faster("GPT-2 124M, 512 tokens, mixed", mixed, f32, _GPT2_TIMES, "f32")
    yield Line("GPT-2 124M: logits from eager", f"{_LOGITS:g}", f"{mixed['error']:.1e}", mixed["error"] <= _LOGITS)
    yield Line("GPT-2 124M: the same token", f"{_TOKENS:.0%}", f"{mixed['same']:.1%}", mixed["same"] >= _TOKENS)


def layer_of_qwen3(kept: Kept) -> Iterator[Line]:
    """A layer of Qwen3-4B beside a published run of the whole model."""
    found = kept.numbers("Qwen3-4B layer, 512 tokens", _qwen3)
    share = found["weights"] / found["cycles"]
    yield Line("Qwen3-4B layer, int4 weights, 512 tokens",
               f"{_QWEN3_RATE:.0%} of the rate (published: {PUBLISHED:.0%})", f"{share:.0%}: {found['cycles']:,.0f}",
               share >= _QWEN3_RATE, found["cycles"], bound_of(found))
    yield Line("Qwen3-4B layer: largest error", "", f"{found['error']:.1e} of {found['largest']:.2f}", None)


def _run(module: torch.nn.Module, inputs: tuple[torch.Tensor, ...], waits: bool = False,
         **options: object) -> Numbers:
    """`cost` of a call, the largest difference from eager PyTorch in f32, and the largest value; with ``waits`` those
    of `_WAITS`, too."""
    with torch.no_grad(), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = hx.compile(torch.export.export(module, inputs), **options)
        got = model(*inputs)
        expected = module(*(value.float() if value.is_floating_point() else value for value in inputs))
    return {**_numbers(model, got, expected), **(_waits(model) if waits else {})}


def _waits(model: hx.CompiledModel) -> Numbers:
    """Parts of the time of all threads with HVX, by the names of `_WAITS`."""
    runs = [record.result for record in model.last_run.launches]
    time = int(targets.get().hvx_contexts.value) * sum(run.cycles for run in runs)
    return {name: sum(run.stalls.get(cause, 0) for run in runs for cause in causes) / time
            for name, causes in _WAITS.items()}


def _numbers(model: hx.CompiledModel, got: torch.Tensor, expected: torch.Tensor) -> Numbers:
    return {**cost(record.result for record in model.last_run.launches),
            "error": float((got - expected).abs().max()), "largest": float(expected.abs().max())}


def _gpt2(numerics: str) -> Numbers:
    model, got, expected = gpt2.run(numerics)
    return {**_numbers(model, got, expected), "same": gpt2.same_tokens(got, expected)}


def _qwen3() -> Numbers:
    return {**_numbers(*qwen3.run()), "weights": qwen3.array()}

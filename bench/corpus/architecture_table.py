"""docs/architectures.md, from the results of bench/architectures.py."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

_TRAINED = ("BERT", "RoBERTa", "ALBERT", "DistilBERT", "ELECTRA", "MPNet", "GPT-2", "OPT", "Bloom", "Llama", "Mixtral",
            "Qwen2", "Qwen3", "Gemma", "T5", "BART", "ViT", "ConvNeXt", "ResNet", "MLP-Mixer")
_EXPORTED = ("BERT", "DistilBERT", "ELECTRA", "DeBERTa-v2", "FNet", "GPT-2", "GPT-J", "OPT", "Bloom", "Llama",
             "Mistral", "Mixtral", "Qwen2", "Qwen3", "Gemma2", "Phi", "Mamba", "T5", "BART", "Whisper", "CLIP", "ViT",
             "Swin", "SegFormer", "ResNet", "MobileNetV2", "ShuffleNet")
KINDS: dict[str, tuple[str, ...]] = {"run": (), "export": _EXPORTED, "train": _TRAINED}
"""The kinds of rows, and the models of each; empty for all."""
_HEADINGS = {"run": "torch.compile", "export": "torch.export", "train": "Training"}
_WORDS = {"run": '``torch.compile(model, backend="hexagon")``, without gradients.',
          "export": "``hexagon_mlir.compile(torch.export.export(model, (), inputs))``, models of transformers with "
                    "``use_cache=False``.",
          "train": "Three steps of SGD (rate 0.01) on the mean square of the results, forward and backward pass by "
                   "``torch.compile``; the optimizer runs in eager PyTorch, modules are in evaluation mode. *Error* is "
                   "the largest difference of a loss from that of eager PyTorch, relative to the loss where it is "
                   "over one."}
_TOP = """# Architectures

`python bench/architectures.py --write` (extra `architectures`) makes this page: small models of architectures in
transformers 5.24.0, torchvision 0.28.0 and timm 1.0.31 with random weights, on the simulator (v75, f32), against eager
PyTorch. Sizes are as small as an architecture allows, mostly two layers.

*whole*: everything is compiled, and right: the error is at most 1e-4. *parts*: right, but some operations run in eager
PyTorch. *Error* is the largest difference, relative to the largest value of the result. *Graphs*: how many graphs
PyTorch makes of the model; between them is Python code, for example where a number is read from a tensor. *CPU s* is
the CPU time of compilation, divided by how many times as long as the reference machine (`bench/machine.py`) this one
took meanwhile: PyTorch's tracing, the compiler, and the processes that run LLVM; *compiler* is what of it follows
PyTorch's tracing. *Wall s* is the time by the clock, which other work on the same two cores makes longer. *Simulator*
is the CPU time of the first run, in which the simulator translates the kernels; its own functions are cached before.
"""


def page(results: Mapping[str, Mapping[str, Mapping[str, Any]]], names: Sequence[str]) -> str:
    """The page; ``results`` has a row for each kind and name that was run."""
    return "\n".join([_TOP, *(_section(kind, results.get(kind, {}), KINDS[kind] or names) for kind in KINDS)])


def _section(kind: str, rows: Mapping[str, Mapping[str, Any]], names: Sequence[str]) -> str:
    known = [name for name in names if name in rows]
    states = Counter(rows[name]["state"] for name in known)
    counts = ", ".join(f"{count} {state}" for state, count in states.most_common())
    lines = [f"## {_HEADINGS[kind]}", "", _WORDS[kind].replace("``", "`"), "",
             f"{len(known)} of {len(names)} models were run: {counts or 'none'}.", ""]
    if known:
        lines += ["| model | state | error | graphs | CPU s | compiler | simulator | wall s |",
                  "|---|---|--:|--:|--:|--:|--:|--:|"]
    for name in known:
        row = rows[name]
        error = f"{row['error']:.1e}" if "error" in row else ""
        seconds = [f"{row[key] / row.get('slowness', 1.0):.1f}" if key in row else ""
                   for key in ("compile_seconds", "compiler_seconds", "simulator_seconds")]
        cells = (name, row["state"], error, row.get("graphs", ""), *seconds, row.get("wall_seconds", ""))
        lines.append(f"| {' | '.join(map(str, cells))} |")
    reasons = [f"* **{name}**: {_plain(rows[name]['reason'])}" for name in known if "reason" in rows[name]]
    return "\n".join([*lines, "", *reasons, ""] if reasons else [*lines, ""])


def _plain(reason: str) -> str:
    """``reason`` for Markdown."""
    return without_folders(reason).replace("|", "\\|").replace("*", "\\*").replace("<", "\\<")


def without_folders(text: str) -> str:
    """``text``, its file paths without the folder of packages: results are kept, and are the same on any machine."""
    return " ".join(word.rpartition("site-packages/")[2] for word in text.split())

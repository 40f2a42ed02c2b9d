"""Writes docs/passes.md from the docstrings of the passes, and docs/pipeline.md from the steps of the default pipeline;
also the lists that the command line prints.

Usage: python scripts/pass_reference.py
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from hexagon_mlir import dialects, pass_names, pipelines
from hexagon_mlir.cli import listing
from hexagon_mlir.cli.listing import first_sentence, options
from hexagon_mlir.codegen import steps
from hexagon_mlir.levels import LEVELS
from hexagon_mlir.pass_infra import UpstreamStep, docstring, registry
from hexagon_mlir.whole_files import write_files

DOCUMENT = Path(__file__).resolve().parents[1] / "docs" / "passes.md"
PIPELINE = DOCUMENT.with_name("pipeline.md")
PIPELINE_INTRODUCTION = """# The default pipeline

Every step between the source and the assembly, in order, with its reason; `hexmlir-opt --print-pipeline` prints them.
Steps with a link are [passes](passes.md) of the project, the others are MLIR's. `hexagon_mlir/pipelines.py` and
`hexagon_mlir/codegen/steps.py` hold the steps as data.

Made by `python scripts/pass_reference.py`.
"""
INTRODUCTION = """# Passes

Every pass of the project, in the order of the default pipeline; the others follow. Each runs alone
(`hexmlir-opt k.mlir --NAME='option=value'`), and each Before and After is run by the tests. Levels: what IR a pass
needs and leaves; `--verify-levels` checks it. What passes tell each other stands in the IR, in
[operations](#operations) of the dialect `hexagon` and [attributes](#attributes) on upstream operations.

Made by `python scripts/pass_reference.py` from the docstrings in `passes/`.
"""


def ordered() -> list[str]:
    """The passes' names: those of the default pipeline first, in its order."""
    used = list(dict.fromkeys(entry.text for entry in pipelines.DEFAULT if entry.own))
    return used + [name for name in pass_names.names() if name not in used]


def section(name: str) -> str:
    """One pass."""
    pass_class = registry.get(name)
    doc = docstring.read(pass_class)
    parts = [f"## {name}", doc.summary, *([doc.details] if doc.details else [])]
    for example in doc.examples:
        after = "After, with `--canonicalize --cse`" if example.folded else "After"
        after += f" (`{example.options}`):" if example.options else ":"
        parts += ["Before:", _code(example.before), after, _code(example.after)]
    if shown := options(pass_class):
        parts.append("Options:\n\n" + "\n".join(_options(shown, doc.sections["Options"])))
    refused = doc.sections["Refuses"]
    parts.append(f"Refuses:\n\n{refused}" if refused.startswith("*") else f"Refuses: {refused}")
    parts.append(f"Needs `{pass_class.needs}`, leaves `{pass_class.leaves}`.")
    return "\n\n".join(parts) + "\n"


def _options(shown: list[str], text: str) -> Iterator[str]:
    """A bullet per option: its type and default, and what the docstring says of it."""
    described = re.split(r"^([\w-]+): ", text, flags=re.MULTILINE)[1:]
    meaning = dict(zip(described[::2], described[1::2], strict=True))
    for option in shown:
        name = option.partition("=")[0]
        yield f"* `{option}`: {' '.join(meaning[name].split())}"


def reference() -> str:
    """The whole document."""
    names = ordered()
    contents = "\n".join(f"* [{name}](#{name}): {first_sentence(registry.get(name).__doc__)}" for name in names)
    return "\n".join([INTRODUCTION, contents + "\n", *(section(name) for name in names), operations(), attributes()])


def operations() -> str:
    """The operations of our dialect."""
    return f"## Operations\n\n{_meanings('operation', dialects.OPERATIONS)}"


def attributes() -> str:
    """What stands on upstream operations between two passes."""
    return f"## Attributes\n\n{_meanings('attribute', dialects.ATTRIBUTES)}"


def _meanings(kind: str, meanings: Mapping[str, dialects.Attribute]) -> str:
    rows = "\n".join(f"| `{name}` | {of.meaning} | {', '.join(sorted(of.levels, key=list(LEVELS).index))} |"
                     for name, of in meanings.items())
    return f"| {kind} | meaning | levels |\n|---|---|---|\n{rows}\n"


def pipeline() -> str:
    """The page of the default pipeline."""
    parts = [PIPELINE_INTRODUCTION, "## A model, before its kernels\n", _table(_rows(pipelines.MODEL)),
             "## A kernel: MLIR\n", _table(_rows(pipelines.DEFAULT))]
    for heading, named in steps.listing():
        parts += [f"## {heading[0].upper()}{heading[1:]}\n", _table([(f"`{name}`", why) for name, why in named])]
    return "\n".join(parts)


def lists() -> dict[Path, str]:
    """What ``--list-passes`` and ``--list-pipelines`` print, less the passes of other packages."""
    known = "".join(f"{name:17}{of.what}\n" for name, of in pipelines.PIPELINES.items())
    return {listing.LISTS / listing.PASSES: listing.described(pass_names.own_names()),
            listing.LISTS / listing.PIPELINES: known}


def _rows(entries: Iterable[pipelines.Entry]) -> list[tuple[str, str]]:
    """Each step, a link where it is a pass of ours, with its reason."""
    return [(f"[{entry.text}](passes.md#{entry.text})" if entry.own else f"`{entry.text.partition('{')[0]}`",
             entry.why + _runs(entry)) for entry in entries]


def _runs(entry: pipelines.Entry) -> str:
    """The upstream passes that a pass runs itself."""
    runs = registry.get(entry.text).runs if entry.own else ()
    return f" (runs {', '.join(f'`{UpstreamStep(step.pipeline).title}`' for step in runs)})" if runs else ""


def _table(rows: list[tuple[str, str]]) -> str:
    return "| step | reason |\n|---|---|\n" + "".join(f"| {name} | {why} |\n" for name, why in rows)


def _code(text: str) -> str:
    return f"```mlir\n{text}\n```"


if __name__ == "__main__":
    texts = {DOCUMENT: reference(), PIPELINE: pipeline(), **lists()}
    write_files({path: text.encode() for path, text in texts.items()})

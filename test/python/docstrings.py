"""Reads the docstring of a pass: its sentence and its sections."""

from __future__ import annotations

import inspect
import re
import textwrap
from dataclasses import dataclass

SECTIONS = ("Before", "After", "Options", "Refuses", "Needs", "Leaves")
_HEADER = re.compile(rf"^({'|'.join(SECTIONS)})(?: \((.*)\))?:[ \t]*(.*)$", re.MULTILINE)


@dataclass(frozen=True)
class Example:
    """A Before/After pair; ``options`` is what stands in ``After (options):``."""

    before: str
    after: str
    options: str = ""


@dataclass(frozen=True)
class Docstring:
    """``sections`` maps a header to its text; ``examples`` are the Before/After pairs in order."""

    summary: str
    sections: dict[str, str]
    examples: tuple[Example, ...]


def read(pass_class: type) -> Docstring:
    """The parts of ``pass_class``'s own docstring."""
    text = inspect.cleandoc(pass_class.__dict__.get("__doc__") or "")
    headers = list(_HEADER.finditer(text))
    summary = " ".join(text[: headers[0].start() if headers else len(text)].split("\n\n")[0].split())
    sections: dict[str, str] = {}
    examples: list[Example] = []
    before = ""
    for header, following in zip(headers, [*headers[1:], None], strict=True):
        end = following.start() if following else len(text)
        body = header.group(3) + "\n" + text[header.end():end]
        content = textwrap.dedent(body.strip("\n")).strip()
        name = header.group(1)
        sections[name] = content
        if name == "Before":
            before = content
        elif name == "After":
            examples.append(Example(before, content, header.group(2) or ""))
    return Docstring(summary, sections, tuple(examples))

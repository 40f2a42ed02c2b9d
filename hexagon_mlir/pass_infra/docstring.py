"""Reads the docstring of a pass: its sentence and its sections."""

from __future__ import annotations

import inspect
import re
import textwrap
from dataclasses import dataclass

SECTIONS = ("Before", "After", "Options", "Refuses", "Needs", "Leaves")
_HEADER = re.compile(rf"^({'|'.join(SECTIONS)})(, folded)?(?: \((.*)\))?:[ \t]*(.*)$", re.MULTILINE)


@dataclass(frozen=True)
class Example:
    """A Before/After pair; ``options`` is what stands in ``After (options):``.

    ``After, folded:`` is what ``--canonicalize --cse`` make of the result: the pass leaves that to a later step. In a
    long ``after`` a line ``...`` stands for lines that are left out.
    """

    before: str
    after: str
    options: str = ""
    folded: bool = False

    def is_shown_by(self, text: str) -> bool:
        """Whether ``text``, a module as it is printed, has all parts of ``after`` between the lines ``...``, in order:
        the first one at its start, the last one at its end. Lines may be broken elsewhere."""
        parts = [" ".join(part.split()) for part in re.split(r"^\s*\.\.\.$", self.after, flags=re.MULTILINE)]
        whole = re.sub(r"module \{ (.*) \}$", r"\1", " ".join(text.split()))
        return re.fullmatch(".*".join(map(re.escape, parts)), whole) is not None

    @property
    def in_part(self) -> bool:
        """Whether lines of ``after`` are left out."""
        return re.search(r"^\s*\.\.\.$", self.after, re.MULTILINE) is not None


@dataclass(frozen=True)
class Docstring:
    """``summary`` is the first paragraph on one line, ``details`` what follows it before the first section.

    ``sections`` maps a header to its text; ``examples`` are the Before/After pairs in order.
    """

    summary: str
    details: str
    sections: dict[str, str]
    examples: tuple[Example, ...]


def read(pass_class: type) -> Docstring:
    """The parts of ``pass_class``'s own docstring."""
    text = inspect.cleandoc(pass_class.__dict__.get("__doc__") or "")
    headers = list(_HEADER.finditer(text))
    summary, _, details = text[: headers[0].start() if headers else len(text)].partition("\n\n")
    sections: dict[str, str] = {}
    examples: list[Example] = []
    before = ""
    for header, following in zip(headers, [*headers[1:], None], strict=True):
        end = following.start() if following else len(text)
        body = textwrap.dedent(text[header.end():end].strip("\n"))
        content = f"{header.group(4)}\n{body}".strip()
        name = header.group(1)
        sections[name] = content
        if name == "Before":
            before = content
        elif name == "After":
            examples.append(Example(before, content, header.group(3) or "", bool(header.group(2))))
    return Docstring(" ".join(summary.split()), details.strip(), sections, tuple(examples))

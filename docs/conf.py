"""Sphinx: a site of these pages. ``scripts/site.sh`` builds it.

Contents and order of the site are those of the links in index.md; kernels.md has the pages of its folder below it.
"""

import re
from pathlib import Path
from typing import Any

from pygments.lexer import RegexLexer
from pygments.token import Comment, Keyword, Name, Number, String, Text

HERE = Path(__file__).parent

project = "hexagon-mlir"
extensions = ["myst_parser"]
html_theme = "furo"
html_title = project
html_copy_source = False
exclude_patterns = ["README.md"]
myst_heading_anchors = 4
templates_path: list[str] = []


class MlirLexer(RegexLexer):
    """What is worth a colour in MLIR; Pygments has no lexer for it."""

    name = "MLIR"
    aliases = ["mlir"]
    tokens = {"root": [
        (r"//.*", Comment.Single), (r'"[^"]*"', String), (r"[%^][\w.$-]+(?::\d+)?", Name.Variable),
        (r"[@#!][\w.$-]+", Name.Label), (r"\b[a-z_]\w*\.[a-z_][\w.]*", Keyword), (r"\b\d[\w.+-]*", Number),
        (r"\b(?:tensor|memref|vector|index|[if]\d+|bf16)\b", Keyword.Type), (r"[\w]+|\s+|.", Text)]}


def toctrees(index: str) -> str:
    """A list of contents for each group of links of ``index``, in its order, under the line before it."""
    parts = re.split(r"^([^\n*\d#].*):\n", index, flags=re.M)
    return "".join(_toctree(heading, re.findall(r"\]\((\w+)\.md\)", text))
                   for heading, text in zip(parts[1::2], parts[2::2], strict=True))


def _toctree(caption: str, pages: list[str]) -> str:
    return f"\n```{{toctree}}\n:hidden:\n:caption: {caption}\n\n" + "\n".join(pages) + "\n```\n"


def _add_contents(app: Any, name: str, source: list[str]) -> None:
    if name == "index":
        source[0] += toctrees(source[0])
    elif (HERE / name).is_dir():
        pages = sorted(f"{name}/{page.stem}" for page in (HERE / name).glob("*.md"))
        source[0] += _toctree("", pages).replace(":caption: \n", "")


def setup(app: Any) -> None:
    """Called by Sphinx."""
    app.add_lexer("mlir", MlirLexer)
    app.connect("source-read", _add_contents)

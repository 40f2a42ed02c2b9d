"""The grammar of names in LLVM IR.

A name is a word of letters, digits and ``-._$``, or any text in quotes. Names of values begin with ``%``, those of
functions and variables with ``@``; a block's name is a bare word before a colon at its start, and begins with ``%`` in
a branch. Unnamed values and blocks have numbers as names.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

_LETTERS = r"-\w.$"
WORD = rf'(?:[{_LETTERS}]+|"[^"\n]*")'
"""A name without its sigil."""
VALUE = f"%{WORD}"
GLOBAL = f"@{WORD}"
NAME = re.compile(VALUE)
LABEL = re.compile(rf"({WORD}):")
"""The first line of a block."""
TARGET = re.compile(rf"label %({WORD})")
"""A branch target."""
GLOBAL_NAME = re.compile(GLOBAL)
_GLOBAL_OR_TEXT = re.compile(rf'@({WORD})|"[^"]*"')


def derived(what: str, name: str) -> str:
    """A name derived from value ``name``: ``%what.x`` for ``%x``, ``%"what.x y"`` for ``%"x y"``."""
    return f"%{prefixed(what, name.removeprefix('%'))}"


def prefixed(what: str, word: str) -> str:
    """``what.word``, in quotes where ``word`` is."""
    return f'"{what}.{word[1:]}' if word.startswith('"') else f"{what}.{word}"


def with_globals_renamed(text: str, names: Mapping[str, str]) -> str:
    """``text`` with functions and variables renamed by ``names``, without ``@``; strings are unchanged."""
    return _GLOBAL_OR_TEXT.sub(lambda found: f"@{names[found[1]]}" if found[1] in names else found[0], text)

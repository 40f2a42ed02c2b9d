"""Names in LLVM IR: the one grammar that everything matches them by.

A name is a word of letters, digits and ``-._$``, or anything in quotes. That of a value begins with ``%``, that of a
function or variable with ``@``; a block's is a bare word in front of a colon, and a value's where it is jumped to. What
has no name has a number, which stands wherever a name does.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

_LETTERS = r"-\w.$"
WORD = rf'(?:[{_LETTERS}]+|"[^"\n]*")'
"""A name without the sign in front of it."""
VALUE = f"%{WORD}"
GLOBAL = f"@{WORD}"
NAME = re.compile(VALUE)
LABEL = re.compile(rf"({WORD}):")
"""What a block begins with."""
TARGET = re.compile(rf"label %({WORD})")
"""A block that is jumped to."""
GLOBAL_NAME = re.compile(GLOBAL)
_GLOBAL_OR_TEXT = re.compile(rf'@({WORD})|"[^"]*"')


def derived(what: str, name: str) -> str:
    """A name for something made of value ``name``: ``%what.x`` for ``%x``, ``%"what.x y"`` for ``%"x y"``."""
    return f"%{prefixed(what, name.removeprefix('%'))}"


def prefixed(what: str, word: str) -> str:
    """``what.word``, in quotes where ``word`` is."""
    return f'"{what}.{word[1:]}' if word.startswith('"') else f"{what}.{word}"


def with_globals_renamed(text: str, names: Mapping[str, str]) -> str:
    """``text`` with other names, without ``@``, for the functions and variables that ``names`` has; strings stay."""
    return _GLOBAL_OR_TEXT.sub(lambda found: f"@{names[found[1]]}" if found[1] in names else found[0], text)

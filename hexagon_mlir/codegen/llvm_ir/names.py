"""Names in LLVM IR text: the one grammar that everything here matches them by.

A name is a word of letters, digits and ``-._$``, or anything in quotes. That of a value begins with ``%``, that of a
function or variable with ``@``; a block's is a bare word in front of a colon, and a value's where it is jumped to. What
has no name has a number, which stands wherever a name does.
"""

from __future__ import annotations

import re

_LETTERS = r"-\w.$"
WORD = rf'(?:[{_LETTERS}]+|"[^"\n]*")'
"""A name without the sign in front of it."""
VALUE = f"%{WORD}"
GLOBAL = f"@{WORD}"
OPERAND = rf"(?:{VALUE}|[^\s,]+)"
"""A value, or a constant without spaces."""
END = rf"(?![{_LETTERS}])"
"""Behind a name that is spelled out: it does not go on."""
NAME = re.compile(VALUE)
LABEL = re.compile(rf"({WORD}):")
"""What a block begins with."""
TARGET = re.compile(rf"label %({WORD})")
"""A block that is jumped to."""


def derived(what: str, name: str) -> str:
    """A name for something made of value ``name``: ``%what.x`` for ``%x``, ``%"what.x y"`` for ``%"x y"``."""
    return f"%{prefixed(what, name.removeprefix('%'))}"


def prefixed(what: str, word: str) -> str:
    """``what.word``, in quotes where ``word`` is."""
    return f'"{what}.{word[1:]}' if word.startswith('"') else f"{what}.{word}"

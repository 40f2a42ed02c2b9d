"""Other names for the values, blocks and functions of LLVM IR text, by a grammar of its own: that of LLVM's manual."""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable

_WORD = r'(?:"[^"]*"|[-a-zA-Z$._0-9]+)'
_TOKEN = re.compile(rf'^(?P<label>{_WORD}):|(?P<name>[%@]{_WORD})|"[^"]*"|;.*', re.MULTILINE)
_ARGUMENT = re.compile(f"%{_WORD}")
_RESULT = re.compile(f"  (%{_WORD}) = ")
_LABEL = re.compile(f"({_WORD}):")
_GLOBAL = re.compile(rf"^(?:(?:define|declare) [^@\n]*)?(@{_WORD})(?:\(| = )", re.MULTILINE)

Style = Callable[[int], str]
STYLES: dict[str, Style] = {
    "hyphens": lambda number: f"y{number}.pre-phi",
    "dollar": lambda number: f"{'$' * (number % 2)}a{number}$",
    "quotes": lambda number: f'"a %name, [quoted] ({number}) = load "',
    "dots": lambda number: f"-.{number}.-",
    "numbers": str,
}


def with_names(text: str, style: Style) -> str:
    """``text`` with the values and blocks of each function called ``style(0)``, ``style(1)`` and so on, in their order,
    and no comments after blocks.
    """
    parts = re.split(r"^(define .*?^\}$)", text, flags=re.MULTILINE | re.DOTALL)
    return "".join(_renamed(part, style) if part.startswith("define ") else part for part in parts)


def same_but_for_names(text: str) -> str:
    """``text`` in which names tell nothing but which value is meant."""
    return with_names(text, lambda number: f"v{number}")


def with_function_names(text: str, style: Style) -> str:
    """``text`` with other names of the functions and variables that it defines, and of functions that it declares."""
    names = {name: f"@{style(number)}" for number, name in enumerate(dict.fromkeys(_GLOBAL.findall(text)))}
    return _replaced(text, names)


def _renamed(function: str, style: Style) -> str:
    head, *body = (re.sub(r" *; preds = .*$", "", line) for line in function.split("\n") if line)
    arguments = _ARGUMENT.findall(head[:head.rindex(")")])
    numbered = sum(name[1:].isdigit() for name in arguments)
    if not _LABEL.match(body[0]):
        body.insert(0, f"{numbered}:")
    names = dict.fromkeys(arguments)
    for line in body:
        if label := _LABEL.match(line):
            names[f"%{label[1]}"] = None
        elif result := _RESULT.match(line):
            names[result[1]] = None
    counter = itertools.count()
    return _replaced("\n".join([head, *body]), {name: f"%{style(next(counter))}" for name in names})


def _replaced(text: str, names: dict[str, str]) -> str:
    def other(token: re.Match[str]) -> str:
        if token["label"]:
            return names.get(f"%{token['label']}", f"%{token['label']}")[1:] + ":"
        return names.get(token["name"], token[0]) if token["name"] else token[0]

    return _TOKEN.sub(other, text)

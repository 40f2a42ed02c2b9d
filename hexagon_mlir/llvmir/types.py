"""Types, constants and lists of LLVM IR: the grammar inside an instruction."""

from __future__ import annotations

import re
from functools import lru_cache

KEPT = 1 << 15
"""Size of the caches of parsed lines, types and constants, which programs repeat."""
_VECTOR = re.compile(r"<(\d+) x (\w+)>$")
_COMMA_OR_BRACKET = re.compile(r'[()\[\]{}<>,]|"[^"]*"')
_COMMA_INSIDE = re.compile(r"[(\[{\"]|<[^>]*[,<]")  # or perhaps inside
_PLAIN_LANES = re.compile(r"<[^()\[\]{}<>]*>$")


@lru_cache(KEPT)
def vector_type(type_: str) -> tuple[int, str] | None:
    """Lanes and element of ``<64 x float>``; None for anything else."""
    match = _VECTOR.match(type_)
    return (int(match[1]), match[2]) if match else None


def has_vector_of(element: str, text: str) -> bool:
    """Whether ``text`` has a vector type of ``element``."""
    return _vector_of(element).search(text) is not None


def with_vectors_of(element: str, old: str, text: str) -> str:
    """``text`` with vector types of ``old`` replaced by those of ``element`` with as many lanes."""
    return _vector_of(old).sub(rf"<\1 x {element}>", text)


@lru_cache(KEPT)
def _vector_of(element: str) -> re.Pattern[str]:
    return re.compile(rf"<(\d+) x {element}>")


def split_type(text: str) -> tuple[str, str]:
    """``<64 x float> %a`` as type and value; attributes between them go with the value."""
    text = text.strip()
    if text.startswith("<") and text.find("<", 1, end := text.find(">")) < 0:
        return text[: end + 1], text[end + 1:].strip()
    if text.startswith(("<", "{", "[")):
        close = {"<": ">", "{": "}", "[": "]"}[text[0]]
        depth = 0
        for position, letter in enumerate(text):
            depth += (letter == text[0]) - (letter == close)
            if depth == 0:
                return text[: position + 1], text[position + 1:].strip()
    head, _, rest = text.partition(" ")
    return head, rest.strip()


def split_commas(text: str) -> list[str]:
    """Parts between commas outside brackets."""
    if not _COMMA_INSIDE.search(text):
        parts = [part.strip() for part in text.split(",")]
        return parts if parts[-1] else parts[:-1]
    parts, depth, start = [], 0, 0
    for match in _COMMA_OR_BRACKET.finditer(text):
        if match[0] in "([{<":
            depth += 1
        elif match[0] in ")]}>":
            depth -= 1
        elif depth == 0:
            parts.append(text[start:match.start()].strip())
            start = match.end()
    last = text[start:].strip()
    return [*parts, last] if last else parts


@lru_cache(KEPT)
def lanes_of(constant: str, lanes: int) -> tuple[str, ...] | None:
    """The elements of a constant vector operand (``splat``, ``zeroinitializer``, ``poison``, ``<i32 0, ...>``)."""
    if constant in ("zeroinitializer", "poison", "undef"):
        return (constant,) * lanes
    if constant.startswith("splat ("):
        return (split_type(constant[7:-1])[1],) * lanes
    if _PLAIN_LANES.match(constant):
        return tuple(part.split(" ")[-1] for part in constant[1:-1].split(","))
    if constant.startswith("<"):
        return tuple(split_type(part)[1] for part in split_commas(constant[1:-1]))
    return None


@lru_cache(KEPT)
def mask_numbers(mask: str, lanes: int) -> list[int] | None:
    """The numbers of a shufflevector's ``mask``, a shared list; None where a lane has none."""
    found = lanes_of(mask, lanes)
    return [int(lane) for lane in found] if found is not None and all(lane.isdigit() for lane in found) else None

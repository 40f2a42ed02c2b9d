"""str* and mem* of the host libc: each takes guest memory and the call's words and gives r0."""

from __future__ import annotations

from collections.abc import Callable

from hexagon_mlir.sim.host_library.libc_memory import GuestMemory

UNLIMITED = 1 << 32
Words = tuple[int, int, int]
"""r0, r1, r2."""
StringFunction = Callable[[GuestMemory, Words], tuple[int, int]]
"""Gives r0 and the bytes it handled."""


def _copy(at_end: bool = False, append: bool = False) -> StringFunction:
    """strcpy, stpcpy and strcat."""

    def run(m: GuestMemory, words: Words) -> tuple[int, int]:
        to = words[0] + (m.length(words[0]) if append else 0)
        size = m.length(words[1])
        m.copy(to, words[1], size + 1)
        return to + size if at_end else words[0], size + 1

    return run


def _strncpy(m: GuestMemory, words: Words) -> tuple[int, int]:
    size = m.length(words[1], words[2])
    m.copy(words[0], words[1], size)
    m.fill(words[0] + size, words[2] - size)
    return words[0], words[2]


def _strncat(m: GuestMemory, words: Words) -> tuple[int, int]:
    old, size = m.length(words[0]), m.length(words[1], words[2])
    m.copy(words[0] + old, words[1], size)
    m.write(words[0] + old + size, b"\0")
    return words[0], old + size + 1


def _strlen(m: GuestMemory, words: Words) -> tuple[int, int]:
    size = m.length(words[0])
    return size, size


def _strnlen(m: GuestMemory, words: Words) -> tuple[int, int]:
    size = m.length(words[0], words[1])
    return size, size


def _compare(limited: bool, fold: bool) -> StringFunction:
    def run(m: GuestMemory, words: Words) -> tuple[int, int]:
        limit = words[2] if limited else None
        left, right = m.length(words[0], limit), m.length(words[1], limit)
        both = min(left, right)
        difference, compared = m.difference(words[0], words[1], both, fold)
        if difference or left == right:
            return difference, compared if difference else both + 1
        rest = m.read((words[0] if left > right else words[1]) + both, 1)  # the shorter one ends in zero
        last = ord(rest.lower() if fold else rest)
        return (last if left > right else -last), both + 1

    return run


def _memcmp(m: GuestMemory, words: Words) -> tuple[int, int]:
    if words[2]:
        m.bounds(words[0], words[2], False)
        m.bounds(words[1], words[2], False)
    return m.difference(*words)


def _find(last: bool = False, or_end: bool = False) -> StringFunction:
    def run(m: GuestMemory, words: Words) -> tuple[int, int]:
        end = words[0] + m.length(words[0]) + 1
        byte = bytes([words[1] & 255])
        found = m.memory.mapping.rfind(byte, words[0], end) if last else m.find(byte, words[0], end)
        if found < 0:
            return (end - 1 if or_end else 0), end - words[0]
        return found, (end if last else found + 1) - words[0]

    return run


def _memchr(last: bool) -> StringFunction:
    def run(m: GuestMemory, words: Words) -> tuple[int, int]:
        byte = bytes([words[1] & 255])
        if last:
            if words[2]:
                m.bounds(words[0], words[2], False)
            index = m.memory.mapping.rfind(byte, words[0], words[0] + words[2])
            index -= words[0] if index >= 0 else 0
        else:  # bytes after the one that is found are not read
            index = m.find(byte, words[0], min(words[0] + words[2], UNLIMITED))
            index -= words[0] if index >= 0 else 0
            if words[2]:
                m.bounds(words[0], words[2] if index < 0 else index + 1, False)
        return (words[0] + index, index + 1) if index >= 0 else (0, words[2])

    return run


def _strstr(m: GuestMemory, words: Words) -> tuple[int, int]:
    end, part = words[0] + m.length(words[0]), m.string(words[1])
    found = m.find(part, words[0], end)
    return (found, found + len(part) - words[0]) if found >= 0 else (0, end - words[0])


def _span(inside: bool) -> StringFunction:
    """strspn and strcspn."""

    def run(m: GuestMemory, words: Words) -> tuple[int, int]:
        size = m.span(words[0], m.string(words[1]), inside)
        return size, size

    return run


def _strpbrk(m: GuestMemory, words: Words) -> tuple[int, int]:
    size = m.span(words[0], m.string(words[1]), False)
    return (words[0] + size if m.read(words[0] + size, 1) != b"\0" else 0), size


def token(m: GuestMemory, text: int, separators: int) -> tuple[int, int, int]:
    """The next token of strtok at ``text``: its address (0 for none), where to go on (0 for nowhere), bytes handled."""
    between = m.string(separators)
    start = text + m.span(text, between)
    size = m.span(start, between, False)
    if size == 0:
        return 0, 0, start - text
    end = start + size
    if m.read(end, 1) == b"\0":
        return start, 0, end - text
    m.write(end, b"\0")
    return start, end + 1, end - text


STRINGS: dict[str, StringFunction] = {
    "strlen": _strlen,
    "strnlen": _strnlen,
    "strcpy": _copy(),
    "stpcpy": _copy(at_end=True),
    "strcat": _copy(append=True),
    "strncpy": _strncpy,
    "strncat": _strncat,
    "strcmp": _compare(False, False),
    "strncmp": _compare(True, False),
    "strcasecmp": _compare(False, True),
    "strncasecmp": _compare(True, True),
    "memcmp": _memcmp,
    "bcmp": _memcmp,
    "strchr": _find(),
    "strrchr": _find(last=True),
    "strchrnul": _find(or_end=True),
    "memchr": _memchr(False),
    "memrchr": _memchr(True),
    "strstr": _strstr,
    "strspn": _span(True),
    "strcspn": _span(False),
    "strpbrk": _strpbrk,
}

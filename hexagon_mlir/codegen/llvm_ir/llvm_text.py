"""Functions of LLVM IR text as instruction records, and back: just enough to rewrite vector arithmetic.

The text must be LLVM's own printing (one instruction per line). Unnamed values and blocks get names, so that
instructions can be added and dropped without renumbering; names in quotes become words.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from operator import itemgetter

from hexagon_mlir.codegen.llvm_ir.names import GLOBAL, LABEL, NAME, VALUE, WORD

MODULE_END = "\n; end of module\n"
"""Between modules that are one text."""
_NUMBER = re.compile(r"%(?=\d)")
_AROUND_NAMES = re.compile(f"({VALUE})")
_NUMBERED = re.compile(r"%\d+$")
_QUOTED = re.compile(r'(?<=%)"[^"\n]*"|^"[^"\n]*"(?=:)', re.MULTILINE)
_NEW_BLOCK = re.compile(rf"\n(?={WORD}:)")
_VECTOR = re.compile(r"<(\d+) x (\w+)>$")
_DEBUG = re.compile(r",? !\w+ !\d+")
_ASSIGNED = re.compile(rf"^  (?:({VALUE}) = )?(?:tail |musttail |notail )?([\w.]+)(.*)$")
_WORD = re.compile(r"^ ((?:[a-z]\w*(?:\([^)]*\))? )*)(?=<|ptr|label|\[(?! )|\{|half|float|i\d|void)")
_COMMA_OR_BRACKET = re.compile(r'[()\[\]{}<>,]|"[^"]*"')
_COMMA_INSIDE = re.compile(r"[(\[{\"]|<[^>]*[,<]")  # or perhaps inside
_PLAIN_LANES = re.compile(r"<[^()\[\]{}<>]*>$")
LINES = 1 << 15  # lines whose records are kept: passes read the same ones again
_TYPED = re.compile(r"(?:<|ptr |label |(?:i\d+|bfloat|float|half|double) )")
_SHUFFLE = re.compile(r"(<\d+ x \w+>) ([^ ,<]+), <\d+ x \w+> ([^ ,<]+), <(\d+) x i32> (<[^>]*>|\w+)$")
# The operands of nearly every line, in one go; lines with others are taken apart letter by letter.
_TYPE = r"(?:<\d+ x \w+>|ptr|label|i\d+|bfloat|float|half|double)"
_VALUE = rf"(?:{VALUE}|splat \(\w+ [^()]*\)|-?\w[\w.+-]*|<[^<>()]*>)"
_OPERAND = re.compile(rf"(?:({_TYPE}) )?({_VALUE})")
_OPERANDS = re.compile(rf"((?:{_TYPE} )?{_VALUE}(?:, (?:{_TYPE} )?{_VALUE})*?)(?:, align \d+)?$")
_CALL = re.compile(rf"({_TYPE}|void) ({GLOBAL})\(((?:{_TYPE} {_VALUE}(?:, {_TYPE} {_VALUE})*)?)\)(?: #\d+)?$")
_ADDRESS_CASTS = frozenset({"ptrtoint", "inttoptr"})
CASTS = frozenset({"bitcast", "sext", "zext", "trunc", "fpext", "fptrunc", "sitofp", "uitofp", "fptosi", "fptoui"})


@dataclass(slots=True, eq=False)
class Instruction:
    """One line. ``types[i]`` is the type of ``operands[i]``; ``type`` that of the result ('' for none).

    Only what `parse_line` understands has operands; every instruction keeps its ``text``. ``mentioned`` are the local
    values in it, its result aside.
    """

    text: str
    block: str = ""
    result: str = ""
    opcode: str = ""
    flags: str = ""
    type: str = ""
    operands: list[str] = field(default_factory=list)
    types: list[str] = field(default_factory=list)
    debug: str = ""
    mentioned: tuple[str, ...] = ()

    def names(self) -> tuple[str, ...]:
        """Local values that the line mentions, its result aside."""
        return self.mentioned


def renamed(text: str, names: Mapping[str, str]) -> str:
    """``text`` with other local values or constants in place of those that ``names`` has."""
    return NAME.sub(lambda found: names.get(found[0], found[0]), text)


@lru_cache(LINES)
def vector_type(type_: str) -> tuple[int, str] | None:
    """Lanes and element of ``<64 x float>``; None for anything else."""
    match = _VECTOR.match(type_)
    return (int(match[1]), match[2]) if match else None


def functions(text: str) -> Iterator[tuple[bool, list[str]]]:
    """The lines of ``text`` in runs: (True, a function's definition) or (False, what stands between them)."""
    for is_function, run in function_texts(text):
        yield is_function, run.split("\n") if run is not None else []


def function_texts(text: str) -> Iterator[tuple[bool, str | None]]:
    """The same as text, which is None where nothing stands between two functions."""
    at = 0
    for begin, end in _definitions(text):
        yield False, text[at:begin - 1] if begin > at else None
        yield True, text[begin:end]
        at = end + 1
    yield False, text[at:] if at <= len(text) else None


def with_functions(text: str, rewritten: Callable[[str], str]) -> str:
    """``text`` with every function's definition as ``rewritten`` makes it."""
    pieces, at = [], 0
    for begin, end in _definitions(text):
        pieces += [text[at:begin], rewritten(text[begin:end])]
        at = end
    return "".join([*pieces, text[at:]])


def _definitions(text: str) -> Iterator[tuple[int, int]]:
    """Where each function begins and ends in ``text``, its ``}`` included but not the newline after it."""
    begin = 0 if text.startswith("define ") else text.find("\ndefine ") + 1 or -1
    while begin >= 0:
        end = text.find("\n}\n", begin)
        end = len(text) if end < 0 else end + 2
        yield begin, end
        begin = text.find("\ndefine ", end) + 1 or -1


def blocks_of(function: str) -> list[str]:
    """The text of a ``function`` in basic blocks, which begin with their label; the first one with what is before."""
    return _NEW_BLOCK.split(function)


def read(lines: list[str]) -> list[Instruction]:
    """The instructions of a function's ``lines``; its first line, labels and ``}`` are instructions without opcode."""
    text = "\n".join(lines)
    prefix = "n"
    while f"%{prefix}" in text:
        prefix += "n"
    text = _in_words(text, f"{prefix}.")
    lines = text.split("\n")
    named = _NUMBER.sub(f"%{prefix}", text).split("\n")
    arguments = lines[0][: lines[0].rfind(")")]
    entry = f"{prefix}{len(re.findall(r'%[0-9]+(?=[,)]|$)', arguments))}"
    body = [named[0]] + ([] if LABEL.match(named[1]) else [f"{entry}:"]) + named[1:]
    result = []
    block = ""
    for line in body:
        if not line.startswith(" "):
            line = prefix + line if line[:1].isdigit() else line
            match = LABEL.match(line)
            block = match[1] if match else block
        result.append(parse_line(line, block))
    return result


def _in_words(text: str, prefix: str) -> str:
    """The ``text`` of a function with words, which begin with ``prefix``, for the names in quotes."""
    words: dict[str, str] = {}
    return _QUOTED.sub(lambda name: words.setdefault(name[0], f"{prefix}{len(words)}"), text)


@lru_cache(LINES)
def parse_line(line: str, block: str = "") -> Instruction:
    """One line of ``block`` as a record that all share; without operands when vector code uses no such form."""
    if not line.startswith("  "):
        return _parsed(line, block)
    pieces = _AROUND_NAMES.split(line)
    names = pieces[1::2]
    form = _form("%v".join(pieces[::2]))  # no other names are left in it
    if form is None:
        return _parsed(line, block)
    made, operands_of = form
    result, mentioned = (names[0], tuple(names[1:])) if made.result else ("", tuple(names))
    return Instruction(line, block, result, made.opcode, made.flags, made.type, operands_of(names), made.types,
                       made.debug, mentioned)


@lru_cache(LINES)
def _form(template: str) -> tuple[Instruction, Callable[[list[str]], list[str]]] | None:
    """What lines have in common that differ in names only, and what gives the operands from the names in a line; None
    where a name stands in anything but operands. Ten lines have the same form in the end.
    """
    *pieces, last = template.split("%v")
    made = _parsed("".join(f"{piece}%{number}" for number, piece in enumerate(pieces)) + last, "")
    places = [int(o[1:]) if _NUMBERED.match(o) else -1 for o in made.operands]
    fixed = [made.flags, made.type, made.debug, *made.types,
             *(o for o, place in zip(made.operands, places, strict=True) if place < 0)]
    return None if any("%" in text for text in fixed) else (made, _choice(made.operands, places, len(pieces)))


def _choice(operands: list[str], places: list[int], count: int) -> Callable[[list[str]], list[str]]:
    """What makes ``operands`` with those of ``places`` taken from ``count`` names; -1 for what stays."""
    if places == [*range(count)]:
        return list
    if places == [*range(1, count)]:
        return lambda names: names[1:]
    if len(places) < 2:
        return lambda names: [o if place < 0 else names[place] for o, place in zip(operands, places, strict=True)]
    fixed = [o for o, place in zip(operands, places, strict=True) if place < 0]
    numbers = iter(range(count, count + len(fixed)))  # of what is fixed, behind the names
    choose = itemgetter(*(next(numbers) if place < 0 else place for place in places))
    return lambda names: [*choose(names + fixed)]


def _parsed(line: str, block: str) -> Instruction:
    match = _ASSIGNED.match(line)
    if match is None:
        return Instruction(line, block, mentioned=tuple(NAME.findall(line)))
    result, opcode, rest = match.groups("")
    debug = ""
    if "!" in rest:
        debug, rest = "".join(_DEBUG.findall(line)), _DEBUG.sub("", rest)
    words = _WORD.match(rest)
    flags = words[1].strip() if words else ""
    rest = rest[words.end():] if words else rest.strip()
    found = Instruction(line, block, result, opcode, flags, debug=debug,
                        mentioned=tuple(NAME.findall(line, match.start(2))))
    try:
        _operands(found, rest)
    except (ValueError, IndexError):
        found.operands, found.types = [], []
    return found


def _operands(found: Instruction, rest: str) -> None:
    opcode = found.opcode
    if opcode == "shufflevector":
        match = _SHUFFLE.match(rest)
        if match:
            vector, first, second, lanes, mask = match.groups()
            found.operands, found.types = [first, second, mask], [vector, vector, f"<{lanes} x i32>"]
            found.type = f"<{lanes}{vector[vector.index(' '):]}"
            return
    if opcode == "call":
        if match := _CALL.match(rest):
            found.type, found.flags = match[1], match[2]
            for kind, value in _OPERAND.findall(match[3]):
                found.types.append(kind)
                found.operands.append(value)
            return
        type_, rest = split_type(rest)
        name, _, arguments = rest.partition("(")
        found.type, found.flags = type_, name.strip()
        for part in split_commas(arguments[: arguments.rindex(")")]):
            kind, value = split_type(part)
            found.types.append(kind)
            found.operands.append(value.split(" ")[-1] if value.split(" ")[-1].startswith("%") else value)
        return
    if opcode == "phi":
        type_, rest = split_type(rest)
        found.type = type_
        for part in split_commas(rest):
            value, _ = split_commas(part.strip()[1:-1])
            found.operands.append(value.strip())
            found.types.append(type_)
        return
    if opcode in CASTS or opcode in _ADDRESS_CASTS:
        source, found.type = (part.strip() for part in rest.rsplit(" to ", 1))
        kind, value = split_type(source)
        found.types, found.operands = [kind], [value]
        return
    if opcode == "load":
        found.type, pointer = split_commas(rest)[:2]
        found.types, found.operands = ["ptr"], [split_type(pointer)[1]]
        return
    kind = ""
    if match := _OPERANDS.match(rest):
        for type_, value in _OPERAND.findall(match[1]):
            kind = type_ or kind
            found.types.append(kind)
            found.operands.append(value)
    else:
        for part in split_commas(rest):
            if part.startswith("align "):
                continue
            if _TYPED.match(part) and not _is_constant_vector(part):
                kind, part = split_type(part)
            found.types.append(kind)
            found.operands.append(part)
    if opcode in ("icmp", "fcmp"):
        vector = vector_type(found.types[0])
        found.type = f"<{vector[0]} x i1>" if vector else "i1"
    elif opcode in ("select",):
        found.type = found.types[1]
    elif opcode == "shufflevector":
        vector, mask = vector_type(found.types[0]), vector_type(found.types[2])
        assert vector and mask
        found.type = f"<{mask[0]} x {vector[1]}>"
    elif opcode not in ("store", "br", "ret"):
        found.type = found.types[0]


def _is_constant_vector(text: str) -> bool:
    """True for ``<float 1.0, ...>``, False for a type ``<2 x float> ...``."""
    return text.startswith("<") and " x " not in text[: text.index(">")].split(",")[0]


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


@lru_cache(LINES)
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


@lru_cache(LINES)
def mask_numbers(mask: str, lanes: int) -> list[int] | None:
    """Those of a shufflevector's ``mask``, a list that all share; None where some lane has none."""
    found = lanes_of(mask, lanes)
    return [int(lane) for lane in found] if found is not None and all(lane.isdigit() for lane in found) else None

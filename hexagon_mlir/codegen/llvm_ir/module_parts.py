"""A module of LLVM IR in parts that are compiled on their own, side by side, and their assembly as one file again.

Whole functions go to one part or the other. What LLVM may inline or must see together stays together: a function and
what it names, unless that is ``noinline``, and what shares a variable. The parts come out about as long as each other.
How a module is divided depends on its text alone: the code is the same on every machine.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property

from hexagon_mlir.codegen.hvx.split_plan import BITS, VECTOR_BITS
from hexagon_mlir.codegen.llvm_ir.llvm_text import functions

LONG = 600
"""Instructions from which on a module is divided: half of them take much longer to compile than a request."""
SMALLEST = 1 / 5
"""The share of a module that is worth a request."""
_VECTOR = re.compile(r"<(\d+) x (\w+)> ")
_GLOBAL = re.compile(r"@[\w.$-]+")
_CONSTANT = re.compile(r"@[\w.$-]+ = private (?:unnamed_addr )?constant ")
_NOINLINE = re.compile(r"^attributes (#\d+) = \{[^}]*\bnoinline\b", re.MULTILINE)
_ATTRIBUTE = re.compile(r"#\d+")
_LOCAL_LINKAGE = re.compile(r"define (?:internal|private) ")
_LABEL = re.compile(r"\.L[\w.$]+")
_ONCE = re.compile(r"\s*\.(?:attribute|file)\s")
_LAST = '\t.section\t".note.GNU-stack"'


@dataclass
class _Function:
    """A definition: its name, lines, and the globals that it names."""

    name: str
    lines: list[str]
    uses: set[str]
    separate: bool
    """Whether its callers are compiled as well without seeing it."""

    @cached_property
    def length(self) -> int:
        """Instructions, an operation on vectors for each of its native ones."""
        return sum(_native_vectors(line) for line in self.lines)

    def declaration(self) -> str:
        """What a part says about it that only calls it."""
        head = self.lines[0].replace("define ", "declare ", 1).removesuffix(" {")
        return re.sub(r" %[\w.$-]+(?=[,)])", "", head)


def divide(llvm_ir: str) -> list[str]:
    """``llvm_ir`` as one or two modules; those that are short or carry debug lines stay whole."""
    noinline = set(_NOINLINE.findall(llvm_ir))
    around: list[str] = []
    found: list[_Function] = []
    for is_function, lines in functions(llvm_ir):
        if is_function:
            uses = set(_GLOBAL.findall("\n".join(lines)))
            name = _GLOBAL.findall(lines[0])[0]
            visible = not _LOCAL_LINKAGE.match(lines[0])
            found.append(_Function(name, lines, uses, visible and bool(noinline & {*_ATTRIBUTE.findall(lines[0])})))
        else:
            around += lines
    length = _length(found)
    if length < LONG or "!dbg" in llvm_ir:
        return [llvm_ir]
    parts: list[list[_Function]] = [[], []]
    for group in sorted(_groups(found, around), key=_length, reverse=True):
        min(parts, key=_length).extend(group)
    if min(map(_length, parts)) < SMALLEST * length:
        return [llvm_ir]
    return [_module(part, found, around) for part in parts]


def _length(part: list[_Function]) -> int:
    return sum(f.length for f in part)


def _native_vectors(line: str) -> int:
    found = _VECTOR.search(line)
    return max(int(found[1]) * BITS.get(found[2], 0) // VECTOR_BITS, 1) if found else 1


def _groups(found: list[_Function], around: list[str]) -> list[list[_Function]]:
    """The functions that must stay together, in their order."""
    free = {f.name for f in found if f.separate}
    free |= {line.split(" ")[0] for line in around if _CONSTANT.match(line)}
    shared = {f.name for f in found} | {line.split(" ")[0] for line in around if line.startswith("@")}
    group: dict[str, str] = {}

    def root(name: str) -> str:
        while (above := group.get(name, name)) != name:
            name = above
        return name

    for f in found:
        for name in sorted(f.uses & shared - free):
            group[root(name)] = root(f.name)
    members: dict[str, list[_Function]] = {}
    for f in found:
        members.setdefault(root(f.name), []).append(f)
    return list(members.values())


def _module(part: list[_Function], found: list[_Function], around: list[str]) -> str:
    """A module of the functions in ``part``; those of them that only others call stay visible from outside."""
    uses = set().union(*(f.uses for f in part))
    inside = {f.name for f in part}
    kept = [line for line in around
            if not line.startswith(("@", "declare ")) or uses.intersection(_GLOBAL.findall(line)[:1])]
    declared = [f.declaration() for f in found if f.name in uses - inside]
    defined = [line for f in found if f.name in inside for line in f.lines]
    return "\n".join([*kept, *declared, *defined]) + "\n"


def joined(assemblies: list[str]) -> str:
    """The ``assemblies`` of a module's parts as one; labels are renamed where two parts might share one."""
    first, *others = assemblies
    out, end, last = first.rpartition(_LAST)
    if not end:
        out, last = first, ""
    for number, assembly in enumerate(others, start=1):
        out += "\t.text\n"
        body = assembly.rpartition(_LAST)[0] or assembly
        for line in body.splitlines(keepends=True):
            if not _ONCE.match(line):
                out += line if '"' in line else _LABEL.sub(rf"\g<0>.{number}", line)
    return out + end + last

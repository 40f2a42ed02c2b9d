"""Splits a module of LLVM IR into parts that are compiled separately.

A function is in one part. Before -O3 (`divide`), functions that LLVM may inline or must see together stay together: a
function and the functions it refers to, unless these are ``noinline``, too long to be inlined, or tasks (coroutines)
that several functions start; and functions that share a variable. After it (`loops_apart`) every function is generated
by itself. The division depends on the module's text alone: the code is the same on every machine.

The coroutine of a task is called in its own module only: the function that starts it is inlined at its uses and must
not stay external, or a copy without callers would be exported.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from hexagon_mlir.codegen.hvx.split_plan import BITS, VECTOR_BITS
from hexagon_mlir.llvmir import Function, Instruction, Module, rewrite
from hexagon_mlir.llvmir.types import split_commas, split_type

LONG = 300
"""Least instructions of a module to divide: compiling half of them takes much longer than a request."""
NEVER_INLINED = 200
"""Least instructions of a function that is assumed not to be inlined: four times as many as -O3 inlines."""
SMALLEST = 1 / 8
"""The least share of a module that is worth a request."""


@dataclass(frozen=True, eq=False)
class _Member:
    """A function, and the properties that decide its part."""

    function: Function
    separate: bool
    """Whether its callers are compiled as well in another module."""
    task: bool
    """Whether it is separate where several start it."""

    @property
    def name(self) -> str:
        """With its ``@``."""
        return self.function.name

    @cached_property
    def length(self) -> int:
        """Instructions; an operation on vectors counts once per native vector."""
        native = (lanes * BITS.get(element, 0) // VECTOR_BITS for lanes, element in self.function.first_vectors)
        return self.function.text.count("\n") + 1 + sum(count - 1 for count in native if count > 1)


def divide(llvm_ir: str) -> list[str]:
    """``llvm_ir`` as one or two modules; a short one, or one with debug lines, stays whole. A task that only one part
    starts is in that part.
    """
    parts = _divided(Module.parse(llvm_ir))
    return [_with_own_tasks(part, [other for other in parts if other is not part]).text for part in parts]


def _divided(module: Module) -> list[Module]:
    members = _members(module)
    length = _length(members)
    if length < LONG or "!dbg" in module.text:
        return [module]
    parts: list[list[_Member]] = [[], []]
    for group in sorted(_groups(members, module), key=_length, reverse=True):
        min(parts, key=_length).extend(group)
    if min(map(_length, parts)) < SMALLEST * length:
        return [module]
    return [_module(part, members, module) for part in parts]


def _with_own_tasks(part: Module, others: list[Module]) -> Module:
    """``part`` with local linkage of the tasks that ``others`` do not start: their start functions are inlined and
    removed."""
    tasks = part.with_attribute("presplitcoroutine")

    def own(function: Function) -> Function:
        is_own = not function.is_local and not tasks.isdisjoint(function.attributes) \
            and not any(f"{function.name}(" in other.text for other in others)
        return function.as_internal() if is_own else function

    return part.map(own)


def loops_apart(module: Module) -> list[Module]:
    """Optimised ``module`` as one for each function with loops over vectors, after one for the others. Functions that
    refer to a variable are among the others, and modules with debug lines stay whole.
    """
    members = _members(module)
    variables = {name for name, is_constant in module.variables.items() if not is_constant}
    apart = [m for m in members if not m.function.globals & variables and has_vector_loops(m.function)]
    if not apart or "!dbg" in module.text:
        return [module]
    parts = [[m for m in members if m not in apart], *([m] for m in apart)]
    return [_module(part, members, module) for part in parts if part or variables]


def has_vector_loops(function: Function) -> bool:
    """Whether ``function`` jumps backwards and computes with vectors."""
    return ("@llvm.hexagon." in function.text or " = load <" in function.text) and function.has_loops


def _members(module: Module) -> list[_Member]:
    noinline, tasks = module.with_attribute("noinline"), module.with_attribute("presplitcoroutine")
    members = []
    for function in module.functions:
        attributes, visible = set(function.attributes), not function.is_local
        separate = function.text.count("\n") >= NEVER_INLINED or bool(noinline & attributes)
        members.append(_Member(function, visible and separate, visible and bool(tasks & attributes)))
    return members


def _length(part: list[_Member]) -> int:
    return sum(m.length for m in part)


def _groups(members: list[_Member], module: Module) -> list[list[_Member]]:
    """The functions that must stay together, in their order."""
    named = Counter(name for m in members for name in m.function.globals)  # referenced by itself, too
    free = {m.name for m in members if m.separate or (m.task and named[m.name] > 2)}
    free |= {name for name, is_constant in module.variables.items() if is_constant}
    shared = {m.name for m in members} | module.variables.keys()
    group: dict[str, str] = {}

    def root(name: str) -> str:
        while (above := group.get(name, name)) != name:
            name = above
        return name

    for m in members:
        for name in sorted(m.function.globals & shared - free):
            group[root(name)] = root(m.name)
    found: dict[str, list[_Member]] = {}
    for m in members:
        found.setdefault(root(m.name), []).append(m)
    return list(found.values())


def _module(part: list[_Member], members: list[_Member], module: Module) -> Module:
    """A module of the functions in ``part``; those that only other parts call stay external."""
    uses = frozenset().union(*(m.function.globals for m in part))
    inside = {m.name for m in part}
    declared = [m.function for m in members if m.name in uses - inside]
    defined = [m.function for m in members if m.name in inside]
    for callee in declared:
        defined = [_without_unused(function, callee) for function in defined]
    return Module([*module.lines_for(uses), *(callee.declaration for callee in declared), *defined, ""])


def _without_unused(caller: Function, callee: Function) -> Function:
    """``caller`` with poison for arguments that ``callee`` does not use: -O3 finds them only if both are in one module.
    """
    used = callee.uses_of_arguments
    if all(used) or callee.name not in caller.globals:
        return caller

    def called(i: Instruction) -> list[str] | None:
        if i.flags != callee.name or len(i.operands) != len(used):
            return None
        before, _, rest = i.text.partition(f"{callee.name}(")
        inside, _, after = rest.rpartition(")")
        return [f"{before}{callee.name}({', '.join(_given(split_commas(inside), used))}){after}"]

    return rewrite(caller, ("call",), called)


def _given(arguments: Sequence[str], used: Sequence[bool]) -> list[str]:
    return [argument if keep else f"{split_type(argument)[0]} poison"
            for argument, keep in zip(arguments, used, strict=True)]

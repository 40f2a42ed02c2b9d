"""Float semantics that are too long to be translated with every program: functions in an object of their own.

A program calls them by name; `cached.routine_code` compiles all of them once, at the fast level, and caches the object
like programs. They work on some lanes of the registers at a time.
"""

from __future__ import annotations

from collections.abc import Callable, Set

from hexagon_mlir.sim.semantics.float_model import FloatModel
from hexagon_mlir.sim.semantics.lanes import VECTOR
from hexagon_mlir.sim.semantics.value import Code, Type, Val

PREFIX = "qf_"
"""Of the names; a program whose declarations have it needs them."""
Results = tuple[Val, ...]
Body = Callable[..., Results]
"""i32 lanes of registers to those of the results."""
_BODIES: dict[bool, dict[str, tuple[Body, int, int]]] = {False: {}, True: {}}
"""For chips without and with extension bits: name -> body, number of registers it takes, number it gives."""


def routine(
    name: str, body: Body, takes: int, gives: int = 1, extended: bool = False
) -> Callable[..., tuple[Val, ...]]:
    """Define function ``name`` with ``body``; returns an emitter of calls."""
    name = PREFIX + name
    _BODIES[extended][name] = body, takes, gives

    def call(*arguments: Val) -> tuple[Val, ...]:
        code = arguments[0].code
        code.declarations.add(f"declare {_result(gives)} @{name}({', '.join([str(VECTOR)] * takes)})")
        given = ", ".join(f"{VECTOR} {argument.as_(VECTOR).name}" for argument in arguments)
        result = code.op(f"call {_result(gives)} @{name}({given})", VECTOR)
        if gives == 1:
            return (result,)
        return tuple(code.op(f"extractvalue {_result(gives)} {result.name}, {i}", VECTOR) for i in range(gives))

    return call


def _result(gives: int) -> str:
    """IR type of so many registers."""
    return str(VECTOR) if gives == 1 else f"{{ {', '.join([str(VECTOR)] * gives)} }}"


def library(floats: FloatModel, lanes: int) -> str:
    """The IR of every routine as ``floats`` compute, ``lanes`` words at a time."""
    declarations: set[str] = set()
    functions = [
        _function(name, routine, floats, lanes, declarations) for name, routine in _BODIES[floats.extended].items()
    ]
    return "\n".join([*sorted(declarations), *functions])


def with_definitions(declarations: Set[str], floats: FloatModel, lanes: int) -> list[str]:
    """``declarations``, those of routines replaced by their definitions for one module."""
    found = {text for text in declarations if f" @{PREFIX}" in text}
    others = set(declarations) - found
    bodies = []
    for text in sorted(found):
        name = text.split("@", 1)[1].split("(", 1)[0]
        body = _function(name, _BODIES[floats.extended][name], floats, lanes, others)
        bodies.append(body.replace("define ", "define internal ", 1))
    return [*sorted(others), *bodies]


def _function(
    name: str, routine: tuple[Body, int, int], floats: FloatModel, lanes: int, declarations: set[str]
) -> str:
    body, takes, gives = routine
    code = Code(declarations, floats)
    code.label("entry")
    given = [Val(code, f"%v{index}", VECTOR) for index in range(takes)]
    results: list[Val] = []
    for first in range(0, VECTOR.lanes, lanes):
        part = list(range(first, first + lanes))
        found = body(*(value.shuffle(None, part) for value in given))
        parts = [value.as_(Type(lanes, "i", 32)) for value in found]
        results = [old.shuffle(new, list(range(first + lanes))) for old, new in zip(results, parts, strict=True)] \
            if results else parts  # fmt: skip
    whole = results[0].name
    if gives > 1:
        whole = "poison"
        for index, value in enumerate(results):
            text = f"insertvalue {_result(gives)} {whole}, {VECTOR} {value.name}, {index}"
            whole = code.op(text, VECTOR).name
    code.put(f"ret {_result(gives)} {whole}")
    taken = ", ".join(f"{VECTOR} {value.name}" for value in given)
    lines = "\n".join(code.lines)
    return f"define {_result(gives)} @{name}({taken}) nounwind {{\n{lines}\n}}"


def usually(bad: Val, fast: Callable[[], Results], slow: Callable[[], Results]) -> Results:
    """``slow`` when a lane result of ``bad`` holds, which is rare, else ``fast``."""
    code = bad.code
    bits = code.op(f"bitcast {bad.ty} {bad.name} to i{bad.ty.lanes}", Type(1, "i", bad.ty.lanes))
    names = [code.name(hint) for hint in ("fast", "slow", "both")]
    code.put(f"br i1 {bits.icmp('ne', 0).name}, label %{names[1]}, label %{names[0]}")
    ways = []
    for way, name in zip((fast, slow), names, strict=False):
        code.label(name)
        ways.append(way())
        code.put(f"br label %{names[2]}")
    code.label(names[2])
    return tuple(
        code.op(f"phi {one.ty} [ {one.name}, %{names[0]} ], [ {other.name}, %{names[1]} ]", one.ty)
        for one, other in zip(*ways, strict=True)
    )

"""Float semantics that are too long to stand in every program: functions in an object of their own.

A program calls them by name; `program.routine_code` compiles all of them once, at the fast level, and keeps the object
beside the programs. They work on registers in memory, some lanes at a time.
"""

from __future__ import annotations

from collections.abc import Callable

from hexagon_mlir.sim.isa.float_model import FloatModel
from hexagon_mlir.sim.isa.lanes import VECTOR, VECTOR_BYTES
from hexagon_mlir.sim.isa.value import Code, Type, Val

PREFIX = "qf_"
"""Of the names; a program whose declarations have it needs them."""
Body = Callable[..., tuple[Val, ...]]
"""i32 lanes of registers to those of the results."""
_BODIES: dict[bool, dict[str, tuple[Body, int, int]]] = {False: {}, True: {}}
"""For chips without and with extension bits: name -> body, number of registers it takes, number it gives."""


def routine(
    name: str, body: Body, takes: int, gives: int = 1, extended: bool = False
) -> Callable[..., tuple[Val, ...]]:
    """A function ``name`` that ``body`` computes; returns what emits a call of it."""
    name = PREFIX + name
    _BODIES[extended][name] = body, takes, gives

    def call(*arguments: Val) -> tuple[Val, ...]:
        code = arguments[0].code
        code.declarations.add(f"declare void @{name}({', '.join(['ptr'] * (gives + takes))})")
        slots = code.scratch(gives + takes)
        for argument, slot in zip(arguments, slots[gives:], strict=True):
            code.store(argument.as_(VECTOR), slot, VECTOR_BYTES)
        code.put(f"call void @{name}({', '.join(f'ptr {slot}' for slot in slots)})")
        return tuple(code.load(slot, VECTOR, VECTOR_BYTES) for slot in slots[:gives])

    return call


def library(floats: FloatModel, lanes: int) -> str:
    """The IR of every routine as ``floats`` compute, ``lanes`` words at a time."""
    declarations: set[str] = set()
    functions = [
        _function(name, routine, floats, lanes, declarations) for name, routine in _BODIES[floats.extended].items()
    ]
    return "\n".join([*sorted(declarations), *functions])


def _function(
    name: str, routine: tuple[Body, int, int], floats: FloatModel, lanes: int, declarations: set[str]
) -> str:
    body, takes, gives = routine
    code = Code(declarations, floats)
    ty = Type(lanes, "i", 32)
    step = lanes * 4
    code.label("entry")
    code.put("br label %loop")
    code.label("loop")
    code.put("%at = phi i32 [ 0, %entry ], [ %next, %end ]")
    places = []
    for index in range(gives + takes):
        places.append(f"%place{index}")
        code.put(f"%place{index} = getelementptr i8, ptr %p{index}, i32 %at")
    results = body(*(code.load(place, ty, step) for place in places[gives:]))
    code.put("br label %end")
    code.label("end")
    for result, place in zip(results, places, strict=False):
        code.store(result.as_(ty), place, step)
    code.put(f"%next = add i32 %at, {step}")
    code.put(f"%last = icmp eq i32 %next, {VECTOR_BYTES}")
    code.put("br i1 %last, label %done, label %loop")
    code.label("done")
    code.put("ret void")
    taken = ", ".join(f"ptr %p{index}" for index in range(gives + takes))
    lines = "\n".join(code.lines)
    return f"define void @{name}({taken}) {{\n{lines}\n}}"


def usually(bad: Val, fast: Callable[[], Val], slow: Callable[[], Val]) -> Val:
    """``slow`` when a lane of ``bad`` is negative, which is rare, else ``fast``."""
    code = bad.code
    signs = bad.icmp("slt", 0)
    bits = code.op(f"bitcast {signs.ty} {signs.name} to i{bad.ty.lanes}", Type(1, "i", bad.ty.lanes))
    names = [code.name(hint) for hint in ("fast", "slow", "both")]
    code.put(f"br i1 {bits.icmp('ne', 0).name}, label %{names[1]}, label %{names[0]}")
    ways = []
    for way, name in zip((fast, slow), names, strict=False):
        code.label(name)
        ways.append(f"[ {way().name}, %{name} ]")
        code.put(f"br label %{names[2]}")
    code.label(names[2])
    return code.op(f"phi {bad.ty} {', '.join(ways)}", bad.ty)

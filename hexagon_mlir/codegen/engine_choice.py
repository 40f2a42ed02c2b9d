"""Whether products whose estimates are close go to the matrix engine: the program is compiled both ways and simulated.

The simulator runs each program once, on zeros: cycles do not depend on values. What was chosen is stored with the
generated code.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import asdict, dataclass

from hexagon_mlir.codegen import cache
from hexagon_mlir.dialects.kernel_memory import IN_MODEL
from hexagon_mlir.ir import ir, to_text
from hexagon_mlir.ir.cost import estimated_cycles
from hexagon_mlir.ir.query import functions, static_bytes
from hexagon_mlir.passes.lib.close_estimates import Close
from hexagon_mlir.settings import Settings
from hexagon_mlir.targets import Target

_DIALECTS = frozenset({"arith", "bufferization", "linalg", "math", "tensor"})
"""Of programs without loops of their own, whose time does not depend on values."""
_MOST_CYCLES = 500_000.0
"""Estimated, on one thread: larger programs take too long to simulate."""
_WAYS = Close.ENGINE, Close.HVX


@dataclass(frozen=True)
class Choice:
    """Where products go whose estimates are close, and why."""

    close: Close
    why: str


def measurable(module: ir.Module, target: Target) -> bool:
    """Whether ``module`` is one function, no kernel of a model, of known sizes, without loops, and small."""
    if len(list(module.body.operations)) != 1 or not functions(module):
        return False
    function = functions(module)[0]
    if IN_MODEL in function.attributes or None in _sizes(function) or len(function.regions[0].blocks) > 1:
        return False
    *inner, _ = [view.operation.name for view in function.regions[0].blocks[0].operations]
    if any(name.split(".")[0] not in _DIALECTS for name in inner):
        return False
    cycles = estimated_cycles(function, int(target.vector_bytes.value), float(target.hvx_issue_interval_cycles.value))
    return cycles is not None and cycles <= _MOST_CYCLES


def choose(module: ir.Module, target: Target, pipeline: str, settings: Settings,
           both: Callable[[tuple[Close, ...]], list[str]]) -> Choice:
    """The way that takes less time, of ``module``, which is `measurable`; ``both`` gives the assembly of each way.
    As estimated where the simulator finds a fault.
    """
    given = {**asdict(settings), "line_info": False}
    source = to_text(module, elide=False)
    name = f"{cache.key(cache.whole_compiler(), source, target.name, pipeline, repr(given))}.choice"
    found = cache.load(name)
    if found is None:
        found = json.dumps(_measured(module, target, both(_WAYS))).encode()
        cache.store(name, found)
    cycles = json.loads(found)
    if cycles is None:
        return Choice(Close.ESTIMATED, "as estimated: the program cannot be simulated")
    engine, hvx = cycles
    return Choice(Close.ENGINE if engine < hvx else Close.HVX,
                  f"measured: {engine} cycles with the matrix engine, {hvx} with HVX alone")


def _sizes(function: ir.Operation) -> list[int | None]:
    """Bytes of each argument and result of ``function``; None for what is no array, or one of dynamic size."""
    type_ = ir.FunctionType(function.attributes["function_type"].value)
    return [static_bytes(each) if isinstance(each, ir.RankedTensorType | ir.MemRefType) else None
            for each in (*type_.inputs, *type_.results)]


def _measured(module: ir.Module, target: Target, programs: list[str]) -> list[int] | None:
    """Cycles of each of ``programs``, which were ``module``; None after a fault."""
    from hexagon_mlir.sim import Machine, SimError  # slow to import

    function = functions(module)[0]
    entry = ir.StringAttr(function.attributes["sym_name"]).value
    cycles = []
    for program in programs:
        try:
            machine = Machine(program, target)
            words = [machine.alloc_ddr(max(nbytes or 0, 1)) for nbytes in _sizes(function)]
            cycles.append(machine.run(entry, words).cycles)
        except SimError:
            return None
    return cycles

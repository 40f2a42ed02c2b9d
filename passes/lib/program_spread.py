"""Writes the function that runs all programs of a launch: on several threads when there are enough of them."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from hexagon_mlir.dialects.programs import GRID_ARGUMENTS
from hexagon_mlir.ir import arith, func, ir, scf
from hexagon_mlir.ir.bounds import upper_bound
from hexagon_mlir.ir.constants import index
from hexagon_mlir.ir.cost import estimated_cycles, trip_count
from hexagon_mlir.ir.order import nested_ops
from hexagon_mlir.ir.query import GRID_SUFFIX, element_bytes, in_tcm, ops_named, static_bytes
from hexagon_mlir.passes.lib.even_foralls import can_serialize
from hexagon_mlir.passes.lib.program_sharing import call, make_program, sharing_pays, split_off
from hexagon_mlir.passes.lib.thread_cost import CHUNK_CYCLES, RUNS_PER_TASK
from hexagon_mlir.targets import Target

_AXES = GRID_ARGUMENTS // 2
_MOVES = {"memref.copy": 0, "bufferization.materialize_in_destination": 1}
"""Copies between a pointer's memory and private memory: the number of the operand in the pointer's memory."""
_ELEMENTS = ("memref.load", "memref.store")
_ELEMENT_CYCLES = 3.5  # measured: a load under a mask and the store of what it read take 7


class Grid:
    """A kernel that will get a function for whole grids; made before its own work is spread over threads."""

    def __init__(self, kernel: ir.Operation, cycles: float, least: int):
        """A program takes ``cycles`` on one thread; from ``least`` programs on a launch is spread."""
        self.kernel, self.cycles, self.least = kernel, cycles, least
        with ir.InsertionPoint.after(kernel):
            self.program = kernel.clone().operation
        make_program(self.program)

    def write(self, tasks: int, target: Target) -> bool:
        """Write the function, for ``tasks`` threads. Programs that run in parallel do not fork.

        True where that takes a copy of the kernel, because the cut into chunks would cost a program too much.
        """
        foralls = ops_named(self.kernel, "scf.forall")
        apart = [op for op in foralls if not can_serialize(op)]  # see `serialize-forall` for the others
        extra = program_cycles(self.kernel, target) - self.cycles + sum(
            _entries(op) * CHUNK_CYCLES for op in apart) if apart else 0.0
        operations = sum(op.name.startswith("linalg.") for op in nested_ops(self.kernel))
        shared = sharing_pays(self.cycles, extra, operations)
        forking, serial = self.kernel, self.program
        if shared or not foralls:
            self.program.erase()
            forking, serial = split_off(self.kernel) if foralls else self.kernel, self.kernel
        _write(forking, serial, self.least, tasks)
        return not shared


def program_cycles(kernel: ir.Operation, target: Target) -> float:
    """A lower estimate of a program's cycles: loops of unknown length run once, masks select all.

    A block is loaded from DDR, and the core stalls for its first cache line: for small chunks that is most of the time.
    """
    total = 0.0
    trips: dict[ir.Operation, int] = {}
    for op in nested_ops(kernel):
        cycles: float | None
        if (name := op.name) in _ELEMENTS:
            cycles = _ELEMENT_CYCLES
        elif name in _MOVES:
            window = op.operands[_MOVES[name]]
            cycles = _window_bytes(window) / float(target.ddr_bytes_per_cycle.value)
            if name == "memref.copy" and not in_tcm(ir.MemRefType(window.type)) and _is_given(window):
                cycles += float(target.ddr_latency_cycles.value)
        elif name.startswith("linalg.") and len(op.regions):
            cycles = estimated_cycles(op, int(target.vector_bytes.value), float(target.hvx_issue_interval_cycles.value))
            cycles = cycles and cycles * _widening(op)
        else:
            continue
        loop = op.parent.operation
        while cycles and loop.name != "func.func":
            if loop not in trips:
                trips[loop] = _most_trips(loop)
            cycles *= trips[loop]
            loop = loop.parent.operation
        total += cycles or 0.0
    return total


def _entries(forall: ir.Operation) -> int:
    """How many iterations of ``forall`` a program starts, the first of each execution not counted."""
    entries, loop = _most_trips(forall) - 1, forall.parent.operation
    while loop.name != "func.func":
        entries *= _most_trips(loop)
        loop = loop.parent.operation
    return entries


def _most_trips(loop: ir.Operation) -> int:
    """Most iterations of an scf.for or an scf.forall; 1 where nothing bounds them, and for anything else."""
    if loop.name not in ("scf.for", "scf.forall"):
        return 1
    trips = trip_count(loop)
    if trips is None and loop.name == "scf.for" and \
            [upper_bound(v) for v in (loop.operands[0], loop.operands[2])] == [0, 1]:
        trips = upper_bound(loop.operands[1])
    return 1 if trips is None else trips


def _widening(op: ir.Operation) -> float:
    """Average vectors per operation of elementwise ``op``, for each vector of its narrowest operand."""
    kinds = op.attributes.get("iterator_types", ())
    if str(kinds).count("parallel") < len(kinds):
        return 1.0
    types = [value.type for value in op.operands]
    operands = [element_bytes(type_.element_type) for type_ in types if isinstance(type_, ir.ShapedType)]
    inside = [result.type for inner in op.regions[0].blocks[0].operations for result in inner.operation.results]
    numbers = [t for t in inside if isinstance(t, ir.IntegerType | ir.FloatType) and t.width > 1]
    widths = [*operands, *map(element_bytes, numbers)]
    return max(sum(widths) / len(widths) / max(min(operands), 1), 1.0)


def _is_given(buffer: ir.Value) -> bool:
    """True for a part of a pointer's memory."""
    while not isinstance(buffer.owner, ir.Block) and buffer.owner.operation.name == "memref.subview":
        buffer = buffer.owner.operation.operands[0]
    return isinstance(buffer.owner, ir.Block) or buffer.owner.operation.name == "memref.reinterpret_cast"


def _window_bytes(buffer: ir.Value) -> int:
    """Most bytes of ``buffer``; 0 where that is unknown."""
    while (size := static_bytes(buffer.type)) is None:
        if isinstance(buffer.owner, ir.Block) or buffer.owner.operation.name != "memref.subview":
            return 0
        buffer = buffer.owner.operation.operands[0]
    return size


def _write(forking: ir.Operation, serial: ir.Operation, least: int, tasks: int) -> func.FuncOp:
    """Insert ``NAME.grid`` after ``forking``, the function NAME; it takes NAME's arguments without the program's id.

    From ``least`` programs on, consecutive programs form runs, several for each of ``tasks``, and ``serial`` is called
    for each program; with fewer programs than threads, or than ``least``, ``forking`` is.
    """
    type_ = ir.FunctionType(forking.attributes["function_type"].value)
    name = ir.StringAttr(forking.attributes["sym_name"]).value
    with forking.location, ir.InsertionPoint.after(forking):
        function = func.FuncOp(name + GRID_SUFFIX, ir.FunctionType.get(list(type_.inputs)[:-_AXES], []))
        if "arg_attrs" in forking.attributes:
            attributes = list(forking.attributes["arg_attrs"])[:-_AXES]
            function.operation.attributes["arg_attrs"] = ir.ArrayAttr.get(attributes)
        given = list(function.add_entry_block().arguments)
        with ir.InsertionPoint(function.entry_block):
            counts = [arith.index_cast(ir.IndexType.get(), count) for count in given[-_AXES:]]
            total = arith.muli(arith.muli(counts[0], counts[1]), counts[2])
            enough = arith.cmpi(arith.CmpIPredicate.sge, total, index(least))
            branch = scf.IfOp(enough, has_else=True)
            func.ReturnOp([])
        with ir.InsertionPoint(branch.then_block):
            length = arith.ceildivsi(total, index(tasks * RUNS_PER_TASK))
            # each has its share of the TCM: no more tasks may be started than can run
            idle = arith.cmpi(arith.CmpIPredicate.slt, total, index(tasks))
            loop = scf.ForallOp([index(0)], [total], [length], [])
            with ir.InsertionPoint(loop.body):
                first = loop.induction_variables[0]
                end = arith.minsi(arith.addi(first, length), total)
                rest = arith.divui(first, counts[0])
                place = [arith.remui(first, counts[0]), arith.remui(rest, counts[1]), arith.divui(rest, counts[1])]
                _each(first, end, place, partial(call, forking, serial, idle), given, counts)
                scf.InParallelOp()
            scf.yield_([])
        with ir.InsertionPoint(branch.else_block):
            may_fork = arith.constant(ir.IntegerType.get_signless(1), 1)
            _each(index(0), total, [index(0)] * _AXES, partial(call, forking, serial, may_fork), given, counts)
            scf.yield_([])
    for called in (forking, serial):
        called.attributes["no_inline"] = ir.UnitAttr.get()
    return function


def _each(first: ir.Value, end: ir.Value, place: list[ir.Value], run: Callable[[list[ir.Value]], None],
          given: list[ir.Value], counts: list[ir.Value]) -> None:
    """Call ``run`` for programs ``first`` to ``end``, the first of them at ``place``; x varies fastest."""
    loop = scf.ForOp(first, end, index(1), place)
    i32 = ir.IntegerType.get_signless(32)
    with ir.InsertionPoint(loop.body):
        place = list(loop.inner_iter_args)
        run([*given, *(arith.index_cast(i32, axis) for axis in place)])
        following, carried = [], index(1)
        for axis, count in zip(place, counts, strict=True):  # increments with carry instead of divisions
            moved = arith.addi(axis, carried)
            over = arith.cmpi(arith.CmpIPredicate.eq, moved, count)
            following.append(arith.select(over, index(0), moved))
            carried = arith.select(over, index(1), index(0))
        scf.yield_(following)

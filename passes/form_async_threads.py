"""scf.forall to tasks of the async dialect."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from hexagon_mlir.dialects import groups, iteration_cycles, permissions, task_limits
from hexagon_mlir.ir import arith, func, ir, scf
from hexagon_mlir.ir.order import nested_ops
from hexagon_mlir.ir.query import functions, ops_named
from hexagon_mlir.pass_infra import Pass, PassContext
from hexagon_mlir.passes.async_threads import ranges
from hexagon_mlir.passes.async_threads.ranges import Number, Range, as_value
from hexagon_mlir.passes.lib.fork_permission import hand_down, holder_of
from hexagon_mlir.passes.lib.outlining import Outlined, rename, values_from_outside
from hexagon_mlir.passes.lib.thread_cost import ForkCost
from hexagon_mlir.passes.lib.thread_shares import Shares, equal_shares

_FORALL = "scf.forall"


@dataclass(frozen=True)
class FormAsyncThreadsPass(Pass):
    """Turns each scf.forall into tasks that run on hardware threads: the main thread takes part, then waits.

    Iterations are numbered: of n tasks, task t runs iteration t and then every n-th one. So a forall with one iteration
    per task is distributed in blocks, one with more iterations block-cyclically. Where ``hexagon.iteration_cycles`` on
    a forall tells how long an iteration takes, the main thread runs more of them than the others where all is done
    sooner then: the first ones. It works while tasks begin, and need not be resumed if they end first. The body becomes
    a function that each task calls. An argument ``hexagon.may_fork`` tells a function, and the functions it calls,
    whether to fork; otherwise one thread calls the body for all iterations. If the step of a forall is selected by that
    argument, the number of iterations follows from the selected step (see `serialize-forall`). ``hexagon.most_tasks``
    on a forall limits its tasks.

    Before:
        func.func @f(%x: memref<4xf32>, %v: f32) {
          scf.forall (%i) in (2) {
            memref.store %v, %x[%i] : memref<4xf32>
          }
          return
        }

    After:
        func.func private @f_thread(%task: index, %v: f32, %x: memref<4xf32>)
            attributes {llvm.passthrough = ["noinline"]} {
          memref.store %v, %x[%task] : memref<4xf32>
          return
        }
        func.func @f(%x: memref<4xf32>, %v: f32) {
          %c1 = arith.constant 1 : index
          %group = async.create_group %c1 : !async.group {hexagon.group = 0 : i64}
          %c1_0 = arith.constant 1 : index
          %c2 = arith.constant 2 : index
          %c1_1 = arith.constant 1 : index
          scf.for %i = %c1_0 to %c2 step %c1_1 {
            %token = async.execute {
              func.call @f_thread(%i, %v, %x) : (index, f32, memref<4xf32>) -> ()
              async.yield
            }
            %rank = async.add_to_group %token, %group : !async.token
          }
          %c0 = arith.constant 0 : index
          call @f_thread(%c0, %v, %x) : (index, f32, memref<4xf32>) -> ()
          async.await_all %group
          return
        }

    Options:
        threads: most tasks at a time; 0 takes the target's HVX contexts, 1 makes plain loops.

    Refuses (errors): an scf.forall that gives tensors (bufferize first), a step below 1, a limit or cycles that are no
    positive integer. A forall inside another, or with one iteration, becomes loops of the thread that meets it.

    Needs: buffer.
    Leaves: buffer.
    """

    name: ClassVar[str] = "form-async-threads"
    needs: ClassVar[str] = "buffer"
    leaves: ClassVar[str] = "buffer"

    threads: int = 0

    def run(self, module: ir.Module, context: PassContext) -> None:
        """Rewrite every scf.forall, inner ones first."""
        threads = self.threads or int(context.target.hvx_contexts.value)
        if threads < 1:
            raise self.refuse(module.operation, f"threads={threads}", "0, or how many tasks there may be")
        for op in ops_named(module, _FORALL):
            if len(op.results):
                raise self.refuse(op, "scf.forall gives tensors", "bufferize first")
            if any(isinstance(loop.step, int) and loop.step < 1 for loop in ranges.read(op)):
                raise self.refuse(op, "a step below 1", "such a loop has no end")
        try:
            hand_down(module)
        except ValueError as error:
            raise self.refuse(module.operation, str(error), "i1: may the function fork?") from None
        cost = ForkCost.of(context.target, threads)
        for number, op in enumerate(ops_named(module, _FORALL)):
            with op.location:
                loops = ranges.read(op)
                try:
                    most, cycles = task_limits.limit_on(op, threads), iteration_cycles.estimate_on(op)
                except ValueError as error:
                    raise self.refuse(op, str(error), "an integer, 1 or more") from None
                if most == 1 or _inside_another(op):
                    _sequential(op, loops)
                else:
                    _fork(module, op, loops, _Distribution(most, cycles, cost), number)
        for op in functions(module):
            permissions.forget(op)


@dataclass(frozen=True)
class _Distribution:
    """What decides how iterations are distributed over tasks: at most ``tasks``, the main thread's among them; the
    estimated ``cycles`` of an iteration, if known; the cost of tasks."""

    tasks: int
    cycles: int | None
    cost: ForkCost

    def shares(self, count: Number) -> Shares | None:
        """Of ``count`` iterations; None where they go to all tasks round-robin."""
        if not isinstance(count, int):
            return None
        equal = equal_shares(count, self.tasks)
        found = equal if self.cycles is None else self.cost.shares(count, self.tasks, float(self.cycles))
        return None if found == equal and count > self.tasks else found


def _fork(module: ir.Module, op: ir.Operation, loops: list[Range], distribution: _Distribution, number: int) -> None:
    may_fork = permissions.of(holder_of(op))
    with ir.InsertionPoint(op):
        count = ranges.total([loop.where(may_fork, True) for loop in loops])
    if isinstance(count, int) and count < 2:
        _sequential(op, loops)
        return
    shares = distribution.shares(count)
    one_each = shares is not None and shares.most(count) == 1
    with ir.InsertionPoint(op):
        tasks = min(count, distribution.tasks) if isinstance(count, int) else arith.maxsi(
            arith.minsi(count, as_value(distribution.tasks)), as_value(1))  # the main thread is one
        used = values_from_outside(op)
        for loop in loops:
            used += [value for value in loop.values() if value not in used]
        outlined = Outlined(_fresh_name(module, op), used, 1 if one_each else 3, op)
    _fill(outlined, op, loops, one_each)
    place: ir.Operation | ir.OpView = op
    if may_fork is not None:
        with ir.InsertionPoint(op):
            alone = ranges.total([loop.where(may_fork, False) for loop in loops])
        place = _or_alone(op, may_fork, outlined, alone, one_each)
    with ir.InsertionPoint(place):
        if shares is None:
            rest = [as_value(count), as_value(tasks)]
            group = _start(outlined, number, 1, tasks, rest)
            outlined.call([as_value(0), *rest])
        else:
            rest = [] if one_each else [as_value(count), as_value(shares.others)]
            group = _start(outlined, number, shares.first, shares.first + shares.others, rest)
            _run(shares.first, outlined, one_each)
        ir.Operation.create("async.await_all", operands=[group])
    op.erase()


def _start(outlined: Outlined, number: int, first: int, end: Number, rest: list[ir.Value]) -> ir.Value:
    """Starts a task for each number from ``first`` to ``end``, which ``rest`` follows; gives their group."""
    count = end - first if isinstance(end, int) else arith.subi(end, as_value(first))
    group = ir.Operation.create("async.create_group", results=[ir.Type.parse("!async.group")],
                                operands=[as_value(count)], attributes=groups.numbered(number)).result
    loop = scf.ForOp(as_value(first), as_value(end), as_value(1))
    with ir.InsertionPoint(loop.body):
        _spawn(outlined, group, [loop.induction_variable, *rest])
        scf.yield_([])
    return group


def _fill(outlined: Outlined, op: ir.Operation, loops: list[Range], one_each: bool) -> None:
    """The function of one task: (task) for its only iteration, or (task, count, tasks)."""
    loops = [loop.mapped(outlined.inside) for loop in loops]
    for inner in nested_ops(op)[:-1]:  # the loop itself is not moved
        rename(inner, outlined.inside)
    with outlined.body():
        number, end = outlined.numbers[0], func.ReturnOp([])
    if not one_each:
        with ir.InsertionPoint(end):
            loop = scf.ForOp(*outlined.numbers)
            number = loop.induction_variable
        with ir.InsertionPoint(loop.body):
            end = scf.YieldOp([])
    with ir.InsertionPoint(end):
        variables = ranges.induction_variables(loops, number)
    _move_body(op, variables, end)
    # a copy for the main thread and one for the others would be the same code twice
    outlined.function.attributes["llvm.passthrough"] = ir.ArrayAttr.get([ir.StringAttr.get("noinline")])


def _or_alone(op: ir.Operation, may_fork: ir.Value, outlined: Outlined, count: Number, one_each: bool) -> ir.OpView:
    """Before ``op``: the calls of one thread for when it may not fork. Gives the place for what it does when it may."""
    with ir.InsertionPoint(op):
        branch = scf.IfOp(may_fork, has_else=True)
    with ir.InsertionPoint(branch.else_block):
        _run(count, outlined, one_each)
        scf.yield_([])
    with ir.InsertionPoint(branch.then_block):
        return scf.YieldOp([])


def _run(count: Number, outlined: Outlined, one_each: bool) -> None:
    """The first ``count`` iterations, on this thread."""
    if not one_each:
        outlined.call([as_value(0), as_value(count), as_value(1)])
        return
    if count == 1:
        outlined.call([as_value(0)])
        return
    loop = scf.ForOp(as_value(0), as_value(count), as_value(1))
    with ir.InsertionPoint(loop.body):
        outlined.call([loop.induction_variable])
        scf.yield_([])


def _sequential(op: ir.Operation, loops: list[Range]) -> None:
    """Plain loops in place of ``op``."""
    place, variables = op, []
    for loop in loops:
        with ir.InsertionPoint(place):
            made = scf.ForOp(as_value(loop.lower), as_value(loop.upper), as_value(loop.step))
        variables.append(made.induction_variable)
        with ir.InsertionPoint(made.body):
            place = scf.YieldOp([]).operation
    _move_body(op, variables, place)
    op.erase()


def _move_body(op: ir.Operation, variables: list[ir.Value], place: ir.Operation | ir.OpView) -> None:
    """Put the iteration of ``op`` with these induction variables before ``place``."""
    block = op.regions[0].blocks[0]
    for argument, variable in zip(block.arguments, variables, strict=True):
        argument.replace_all_uses_with(variable)
    for inner in list(block.operations)[:-1]:  # not the terminator
        inner.operation.move_before(place.operation)


def _spawn(outlined: Outlined, group: ir.Value, numbers: list[ir.Value]) -> None:
    token = ir.Type.parse("!async.token")
    none = ir.DenseI32ArrayAttr.get([0, 0])
    task = ir.Operation.create("async.execute", results=[token], attributes={"operandSegmentSizes": none}, regions=1)
    with ir.InsertionPoint(task.regions[0].blocks.append()):
        outlined.call(numbers)
        ir.Operation.create("async.yield")
    ir.Operation.create("async.add_to_group", results=[ir.IndexType.get()], operands=[task.result, group])


def _inside_another(op: ir.Operation) -> bool:
    while (parent := op.parent) is not None:
        op = parent.operation
        if op.name == _FORALL:
            return True
        if op.name == "builtin.module":
            return False
    return False


def _fresh_name(module: ir.Module, op: ir.Operation) -> str:
    base = f"{ir.StringAttr(holder_of(op).attributes['sym_name']).value}_thread"
    taken = {ir.StringAttr(o.operation.attributes["sym_name"]).value for o in module.body.operations
             if "sym_name" in o.operation.attributes}
    name, number = base, 1
    while name in taken:
        name, number = f"{base}_{number}", number + 1
    return name

"""Loops, branches and early returns."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from hexagon_mlir.ir import ir, scf
from hexagon_mlir.passes.triton_import import counting, inplace, types
from hexagon_mlir.passes.triton_import.build import scalar_of
from hexagon_mlir.passes.triton_import.state import Carried, Form, first_form, whole
from hexagon_mlir.passes.triton_import.values import Known, Tensor

if TYPE_CHECKING:
    from hexagon_mlir.passes.triton_import.translate import Translator


_MAX_PATHS = 32  # most blocks translated in one function, copies of shared ones included


def body(t: Translator, block: ir.Block, results: Sequence[ir.Type]) -> list[Known]:
    """A region that starts with ``block``: what it returns, which has the TTIR types ``results``.

    A branch becomes ``scf.if``; a block reachable from both sides is translated once for each.
    """
    return _body(t, block, results, (), [0])


def _body(t: Translator, block: ir.Block, results: Sequence[ir.Type], path: tuple[ir.Block, ...],
          count: list[int]) -> list[Known]:
    """``path`` are the blocks on the way here, ``count`` holds how many were translated so far."""
    count[0] += 1
    if block in path or count[0] > _MAX_PATHS:
        raise t.error(next(iter(block.operations)).operation, "control flow that is a loop" if block in path else
                      "too many paths through early returns",
                      "write loops with 'for' or 'while' and return from the kernel in one place")
    path = (*path, block)
    op, operands = t.block(block)
    if op.name.endswith("return"):
        if len(operands) != len(results):
            raise t.error(op, "a kernel that returns a value")
        return operands
    if op.name == "cf.br":
        _bind(t, list(op.successors[0].arguments), operands)
        return _body(t, op.successors[0], results, path, count)
    if op.name != "cf.cond_br":
        raise t.error(op, "control flow that is not translated")
    first = len(op.opview.trueDestOperands)
    carried = [Carried(types.model(type), Form.WHOLE) for type in results]
    with op.location:
        split = scf.IfOp(scalar_of(operands[0]), [type for c in carried for type in c.types()], has_else=True)
        for place, (target, values) in enumerate(((op.successors[0], operands[1: 1 + first]),
                                                  (op.successors[1], operands[1 + first:]))):
            with ir.InsertionPoint(split.else_block if place else split.then_block):
                _bind(t, list(target.arguments), values)
                nodes = _body(t, target, results, path, count)
                scf.YieldOp([v for c, node in zip(carried, nodes, strict=True) for v in _fitting(c, node)])
    return _packed(carried, split.results)


def _bind(t: Translator, arguments: Sequence[ir.Value], nodes: Sequence[Known]) -> None:
    for argument, node in zip(arguments, nodes, strict=True):
        t.known[argument] = node


def for_loop(t: Translator, op: ir.Operation) -> list[Known]:
    """``scf.for``. Pointers and index tensors cross iterations as one offset where that is enough."""
    (low, high, step), variable = counting.counted(t, op)
    inits = [t.of(v) for v in list(op.operands)[3:]]
    carried = [first_form(node) for node in inits]
    source = op.regions[0].blocks[0]
    while True:
        flat = [v for c, node in zip(carried, inits, strict=True) for v in _fitting(c, node)]
        loop = scf.ForOp(low, high, step, flat)
        with ir.InsertionPoint(loop.body):
            induction = source.arguments[0]
            t.known[induction] = Tensor(induction.type, data=variable(loop.induction_variable))
            _bind(t, list(source.arguments)[1:], _packed(carried, loop.inner_iter_args))
            _, results = t.block(source)
            values = [c.unpack(node) for c, node in zip(carried, results, strict=True)]
            if all(v is not None for v in values):
                yielded = [v for group in values for v in group]
                scf.YieldOp(inplace.carried(yielded, list(loop.inner_iter_args), loop.body))
                return _packed(carried, loop.results)
        # an uncarried property changes too
        carried = [c.widened(node) if v is None else c for v, c, node in zip(values, carried, results, strict=True)]
        loop.operation.erase()


def _fitting(carried: Carried, node: Known) -> list[ir.Value]:
    values = carried.unpack(node)
    assert values is not None
    return values


def _packed(carried: Sequence[Carried], values: Sequence[ir.Value]) -> list[Known]:
    nodes, at, flat = [], 0, list(values)
    for c in carried:
        node, used = c.pack(flat[at:])
        nodes.append(node)
        at += used
    return nodes


def branch(t: Translator, op: ir.Operation) -> list[Known]:
    """``scf.if`` with or without results. The form of the results depends on both sides, so they are translated
    first."""
    regions = [r for r in op.regions if len(list(r.blocks))]
    condition = scalar_of(t.tensor(op.operands[0]))
    draft = scf.IfOp(condition, has_else=len(regions) > 1)
    blocks = [draft.then_block, draft.else_block][: len(regions)]
    sides = []
    for region, block in zip(regions, blocks, strict=True):
        with ir.InsertionPoint(block):
            sides.append(t.block(region.blocks[0])[1])
    carried = [_crossing(r.type, nodes) for r, *nodes in zip(op.results, *sides, strict=True)]
    flat = [type for c in carried for type in c.types()]
    with ir.InsertionPoint(draft):
        places = inplace.fresh(flat)
        made = ir.Operation.create("scf.if", results=flat, operands=[condition], regions=2)
    for block, nodes, region in zip(blocks, sides, made.regions, strict=False):
        with ir.InsertionPoint(block):
            values = [v for c, node in zip(carried, nodes, strict=True) for v in _fitting(c, node)]
            scf.YieldOp([inplace.into(v, place, block) for v, place in zip(values, places, strict=True)])
        block.append_to(region)
    draft.operation.erase()
    return _packed(carried, made.results)


def _crossing(type: ir.Type, nodes: Sequence[Known]) -> Carried:
    """The form that carries a result of ``type`` out of a branch whose sides give ``nodes``."""
    forms = [first_form(node) for node in nodes]
    if any(form.form is Form.WHOLE for form in forms):
        return Carried(types.model(type), Form.WHOLE)
    carried = forms[0]
    for node in nodes[1:]:
        carried = carried if carried.unpack(node) is not None else carried.widened(node)
    return carried


def while_loop(t: Translator, op: ir.Operation) -> list[Known]:
    """``scf.while``. Arguments that the condition forwards unchanged are carried as in `for_loop`, other values
    whole."""
    before, after = op.regions[0].blocks[0], op.regions[1].blocks[0]
    inits = [t.of(v) for v in op.operands]
    inside = [first_form(node) for node in inits]
    while True:
        loop = scf.WhileOp([], [v for c, node in zip(inside, inits, strict=True) for v in _fitting(c, node)])
        test = loop.regions[0].blocks.append(*[type for c in inside for type in c.types()])
        with ir.InsertionPoint(test):
            arguments = _packed(inside, test.arguments)
            _bind(t, list(before.arguments), arguments)
            _, nodes = t.block(before)
            passed = [_form_of_argument(node, arguments, inside) or whole(node) for node in nodes[1:]]
            scf.ConditionOp(scalar_of(nodes[0]),
                            [v for c, node in zip(passed, nodes[1:], strict=True) for v in _fitting(c, node)])
        results = [type for c in passed for type in c.types()]
        work = loop.regions[1].blocks.append(*results)
        with ir.InsertionPoint(work):
            _bind(t, list(after.arguments), _packed(passed, work.arguments))
            _, nodes = t.block(after)
            values = [c.unpack(node) for c, node in zip(inside, nodes, strict=True)]
            if all(v is not None for v in values):
                scf.YieldOp([v for group in values for v in group])
                break
        inside = [c.widened(node) if v is None else c for v, c, node in zip(values, inside, nodes, strict=True)]
        loop.operation.erase()
    with ir.InsertionPoint(loop):
        made = ir.Operation.create("scf.while", results=results, operands=list(loop.operands), regions=2)
    for block, region in zip((test, work), made.regions, strict=True):
        block.append_to(region)
    loop.operation.erase()
    return _packed(passed, made.results)


def _form_of_argument(node: Known, arguments: Sequence[Known], forms: Sequence[Carried]) -> Carried | None:
    """The form in which ``node`` was carried in, when it is one of ``arguments``."""
    return next((form for known, form in zip(arguments, forms, strict=True) if known is node), None)

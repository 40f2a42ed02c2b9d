"""A whole model as calls of kernels."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import ClassVar

from hexagon_mlir.ir import ir
from hexagon_mlir.ir.order import ancestor_in, external_values, sort
from hexagon_mlir.ir.query import input_count, known_bytes
from hexagon_mlir.pass_infra import CLEAN, Pass, PassContext, UpstreamStep
from hexagon_mlir.passes.kernels.decide import Kind, OpInfo, group
from hexagon_mlir.passes.kernels.outline import erase_all, outline

_VIEWS = frozenset({"tensor.expand_shape", "tensor.collapse_shape", "tensor.cast"})
_COPIED = _VIEWS | {"tensor.empty", "linalg.fill", "linalg.broadcast", "tensor.extract", "tensor.dim", "tensor.splat"}
_WRITTEN = frozenset({"linalg.fill", "linalg.broadcast", "tensor.splat"})  # of these, views apart: a buffer's values
_WIDENING = ("arith.extf", "arith.extsi", "arith.extui")
_CONTRACTIONS = re.compile(r"linalg\.(.*matmul|.*conv_.*|matvec|vecmat|dot|contract|mmt4d|pooling_.*)")
_WORD = re.compile(r"[^A-Za-z0-9_]+")


@dataclass(frozen=True)
class FormKernelsPass(Pass):
    """Splits each public function into kernels, private functions that it calls; views between kernels stay outside.

    A contraction, convolution or loop starts a kernel. Elementwise ops, reductions and data movement join the kernel
    that computes the latest of their operands, or the only kernel that reads them, as long as the results of the kernel
    fit the TCM together; those that elementwise ops alone read are not stored. What only converts elements to a wider
    type, for elementwise ops, is done by each kernel that reads them; what one other kernel alone reads, together with
    its operands, is done there. A slice that is only computed on is taken from its place by each kernel that reads it.
    A look-up in a table that does not fit the TCM is a kernel of its own, if another kernel may read the table in
    another form.

    Before:
        func.func @f(%a: tensor<4x8xi8>, %b: tensor<8x4xi8>, %c: tensor<4x4xi8>) -> tensor<16xi8> {
          %0 = linalg.matmul ins(%a, %b : tensor<4x8xi8>, tensor<8x4xi8>) outs(%c : tensor<4x4xi8>) -> tensor<4x4xi8>
          %1 = linalg.add ins(%0, %0 : tensor<4x4xi8>, tensor<4x4xi8>) outs(%c : tensor<4x4xi8>) -> tensor<4x4xi8>
          %2 = tensor.collapse_shape %1 [[0, 1]] : tensor<4x4xi8> into tensor<16xi8>
          return %2 : tensor<16xi8>
        }

    After:
        func.func private @f_0_matmul(%a: tensor<4x8xi8>, %b: tensor<8x4xi8>, %c: tensor<4x4xi8>) -> tensor<4x4xi8> {
          %0 = linalg.matmul ins(%a, %b : tensor<4x8xi8>, tensor<8x4xi8>) outs(%c : tensor<4x4xi8>) -> tensor<4x4xi8>
          %1 = linalg.add ins(%0, %0 : tensor<4x4xi8>, tensor<4x4xi8>) outs(%c : tensor<4x4xi8>) -> tensor<4x4xi8>
          return %1 : tensor<4x4xi8>
        }
        func.func @f(%a: tensor<4x8xi8>, %b: tensor<8x4xi8>, %c: tensor<4x4xi8>) -> tensor<16xi8> {
          %0 = call @f_0_matmul(%a, %b, %c) : (tensor<4x8xi8>, tensor<8x4xi8>, tensor<4x4xi8>) -> tensor<4x4xi8>
          %1 = tensor.collapse_shape %0 [[0, 1]] : tensor<4x4xi8> into tensor<16xi8>
          return %1 : tensor<16xi8>
        }

    Options:
        tcm-bytes: bytes the results in one kernel may take together; 0 takes the target's TCM budget.

    Refuses (with a remark): functions of several blocks.

    Needs: tensor.
    Leaves: tensor.
    """

    name: ClassVar[str] = "form-kernels"
    needs: ClassVar[str] = "tensor"
    leaves: ClassVar[str] = "tensor"
    runs: ClassVar[tuple[UpstreamStep, ...]] = (CLEAN,)

    tcm_bytes: int = 0

    def run(self, module: ir.Module, context: PassContext) -> None:
        """Outline the kernels of every public function."""
        budget = self.tcm_bytes or context.target.tcm_budget_bytes
        for function in [o.operation for o in module.body.operations if _is_public(o.operation)]:
            if len(function.regions[0].blocks) != 1:
                self.remark(context, function, "not split: it has several blocks")
                continue
            _split(function, budget)
        CLEAN.run(module, context)


def _is_public(op: ir.Operation) -> bool:
    if op.name != "func.func" or not len(op.regions[0].blocks):
        return False
    return "private" not in str(op.attributes.get("sym_visibility", ""))


def _split(function: ir.Operation, budget: int) -> None:
    ops = [o.operation for o in function.regions[0].blocks[0].operations][:-1]
    numbers = {op: number for number, op in enumerate(ops)}
    infos: list[OpInfo] = []
    for op in ops:
        made_by = [numbers[v.owner.operation] for v in external_values(op)
                   if isinstance(v.owner, ir.OpView) and v.owner.operation in numbers]
        infos.append(OpInfo(_kind(op), tuple(made_by), _bytes(op), _is_result(op), _table_bytes(op),
                            any(_maps_elements(op, number) for number in range(len(op.operands)))))
    kernels = group(infos, budget)
    prefix = ir.StringAttr(function.attributes["sym_name"]).value
    end = function.regions[0].blocks[0].operations[len(ops)].operation
    calls: list[ir.Operation] = []
    for kernel in sorted({k for k in kernels if k is not None}):
        # an operation's hash changes with its operands, so sets of operations do not outlive a rewrite
        copied = {op for op, info in zip(ops, infos, strict=True) if info.kind is Kind.COPIED}
        members = [op for op, k in zip(ops, kernels, strict=True) if k == kernel]
        if members[0].name != "func.call":
            members = [outline(function, f"{prefix}_{kernel}_{_title(members)}", members, copied, end)]
        calls += members
    erase_all(op for op in ops if op.name != "func.call")
    sort(calls, end)


def _kind(op: ir.Operation) -> Kind:
    if op.name == "func.call":
        return Kind.CALL
    if op.name in _COPIED or (op.name.split(".")[0] in ("arith", "math", "index") and not _is_tensor(op)):
        return Kind.JOINS if op.name in _WRITTEN and (_is_passed(op) or _is_result(op)) else Kind.COPIED
    if op.name == "arith.constant":
        return Kind.JOINS if _is_passed(op) or _is_result(op) else Kind.COPIED
    if (op.name == "tensor.extract_slice" and _only_computed_on(op)) or _pads(op) or _only_widens(op):
        return Kind.COPIED
    if op.name.startswith("scf.") or _CONTRACTIONS.fullmatch(op.name) or _multiplies_and_adds(op):
        return Kind.ANCHOR
    return Kind.JOINS


def _is_passed(op: ir.Operation) -> bool:
    """True when a call reads what ``op`` makes: it needs a buffer that some kernel has written."""
    users = [use.owner.operation for result in op.results for use in result.uses]
    return any(user.name == "func.call" or (user.name in _VIEWS and _is_passed(user)) for user in users)


def _only_computed_on(op: ir.Operation) -> bool:
    """True when the slice is read by computations and concatenations alone, maybe without its dimensions of size 1:
    they read it in place."""
    users = [use.owner.operation for use in op.results[0].uses]
    return all(user.name.startswith("linalg.") or user.name in ("tensor.concat", "tensor.extract")
               or (_keeps_sizes(user) and _only_computed_on(user)) for user in users)


def _keeps_sizes(op: ir.Operation) -> bool:
    """True for a view that adds or removes dimensions of size 1 alone."""
    sizes = [[size for size in ir.RankedTensorType(value.type).shape if size != 1]
             for value in (op.operands[0], *op.results)] if op.name in _VIEWS else []
    return len(sizes) == 2 and sizes[0] == sizes[1]


def _pads(op: ir.Operation) -> bool:
    """True for a tensor put into a constant frame: where it is read, it is copied to fast memory anyway."""
    if op.name != "tensor.insert_slice" or not isinstance(op.operands[1].owner, ir.OpView):
        return False
    readers = {_ancestor(use.owner.operation, op) for use in op.results[0].uses}
    return op.operands[1].owner.operation.name == "linalg.fill" and len(readers) == 1


def _only_widens(op: ir.Operation) -> bool:
    """True for an elementwise op that converts to a wider type, exactly, what elementwise ops alone read: between
    kernels there are fewer bytes.
    """
    if op.name != "linalg.generic" or input_count(op) != 1 or not _maps_elements(op, 0):
        return False
    names = [inner.operation.name for inner in op.regions[0].blocks[0].operations]
    return names[:-1] in [[name] for name in _WIDENING] and not _is_stored(op.results[0])


def _ancestor(op: ir.Operation, sibling: ir.Operation) -> ir.Operation:
    """``op``, or the operation around it that stands beside ``sibling``."""
    while op.parent.operation != sibling.parent.operation:
        op = op.parent.operation
    return op


def _multiplies_and_adds(op: ir.Operation) -> bool:
    """True for a generic contraction: a reduction of two or more inputs."""
    if op.name != "linalg.generic":
        return False
    reduces = any("reduction" in str(i) for i in op.attributes["iterator_types"])
    return reduces and input_count(op) > 1


def _is_tensor(op: ir.Operation) -> bool:
    return any(isinstance(result.type, ir.RankedTensorType) for result in op.results)


def _is_result(op: ir.Operation) -> bool:
    """True when the function returns a result of ``op``, or a view of one."""
    users = [use.owner.operation for result in op.results for use in result.uses]
    return any(user.name == "func.return" or (user.name in _VIEWS and _is_result(user)) for user in users)


def _bytes(op: ir.Operation) -> int:
    """Bytes of the results of ``op`` that are stored as a whole."""
    return sum(known_bytes(r.type) for r in op.results if isinstance(r.type, ir.RankedTensorType) and _is_stored(r))


def _is_stored(value: ir.Value) -> bool:
    """False for a tensor that elementwise operations alone read: they are fused, or tiled together with ``op``."""
    users = [(use.owner.operation, use.operand_number) for use in value.uses]
    return not users or any(_is_stored(user.results[0]) if user.name in _VIEWS else not _maps_elements(user, number)
                            for user, number in users)


def _maps_elements(op: ir.Operation, number: int) -> bool:
    """True for an elementwise operation, each of whose elements needs one of operand ``number``."""
    if op.name != "linalg.generic" or number >= input_count(op):
        return False
    maps = [ir.AffineMapAttr(map_).value for map_ in op.attributes["indexing_maps"]]
    return (all("parallel" in str(kind) for kind in op.attributes["iterator_types"])
            and maps[number] == ir.AffineMap.get_identity(maps[number].n_dims))


def _table_bytes(op: ir.Operation) -> int:
    """The bytes of the tensors that ``op`` reads single elements of, where others may read them or what was made of
    them: an argument of the same size.
    """
    if op.name != "linalg.generic":
        return 0
    body = op.regions[0].blocks[0].operations
    tables = [o.operation.operands[0] for o in body if o.operation.name == "tensor.extract"]
    return sum(known_bytes(table.type) for table in tables if _is_shared(table, op))


def _is_shared(table: ir.Value, op: ir.Operation) -> bool:
    size = known_bytes(table.type)
    tensors = [a for a in op.block.arguments if isinstance(a.type, ir.RankedTensorType)]
    return (any(ancestor_in(use.owner.operation, op.block) != op for use in table.uses)
            or any(a != table and known_bytes(a.type) == size for a in tensors))


def _title(ops: list[ir.Operation]) -> str:
    """A word for the kernel: its contraction, or its first operation."""
    names = [op.name.split(".")[1] for op in ops]
    chosen = next((n for n in names if _CONTRACTIONS.fullmatch(f"linalg.{n}")), names[0])
    return _WORD.sub("_", {"generic": "elementwise"}.get(chosen, chosen))

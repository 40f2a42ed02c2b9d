"""Every computation starts from an empty or filled tensor of its own."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from math import prod
from typing import ClassVar

from hexagon_mlir.ir import bufferization, erase_op, ir
from hexagon_mlir.ir.order import ancestor_in
from hexagon_mlir.ir.query import find_ops, input_count, ops_named
from hexagon_mlir.pass_infra import Pass, PassContext

_VIEWS = ("tensor.extract_slice", "tensor.cast", "tensor.expand_shape", "tensor.collapse_shape")


@dataclass(frozen=True)
class HexagonSeparateDestinationsPass(Pass):
    """Copies tensor.empty, fills and first slices that several users share: one for each user.

    CSE merges the zero tensors that initialize two sums. ``eliminate-empty-tensors`` then makes the merged tensor the
    memory of the first result, and one-shot-bufferize (LLVM 24) keeps the second sum in it too, where the store of the
    first result overwrites it. Two fills are also cheaper than a fill and a copy. The same holds for a slice that is
    written twice into a tensor without other values: the copy would read uninitialized memory.

    These results need memory of their own:

    * A result that initializes a loop or a sum, and is read after it, is copied for it: otherwise both would be
      computed in the destination of the second result.
    * A result that is computed before a condition or loop, and stored inside it, gets a buffer of its own: otherwise
      it would be computed in its destination, whatever the condition is.
    * A result that is returned twice is copied for the second one: LLVM 24's buffer-results-to-out-params would
      replace its buffer by the caller's memory twice, and crash.

    Before:
        func.func @f(%x: tensor<8xf32>, %y: tensor<8xf32>, %zero: f32) -> (tensor<f32>, tensor<f32>) {
          %e = tensor.empty() : tensor<f32>
          %z = linalg.fill ins(%zero : f32) outs(%e : tensor<f32>) -> tensor<f32>
          %a = linalg.reduce { arith.addf } ins(%x : tensor<8xf32>) outs(%z : tensor<f32>) dimensions = [0]
          %b = linalg.reduce { arith.addf } ins(%y : tensor<8xf32>) outs(%z : tensor<f32>) dimensions = [0]
          return %a, %b : tensor<f32>, tensor<f32>
        }

    After:
        func.func @f(%x: tensor<8xf32>, %y: tensor<8xf32>, %zero: f32) -> (tensor<f32>, tensor<f32>) {
          %e = tensor.empty() : tensor<f32>
          %z = linalg.fill ins(%zero : f32) outs(%e : tensor<f32>) -> tensor<f32>
          %a = linalg.reduce { arith.addf } ins(%x : tensor<8xf32>) outs(%z : tensor<f32>) dimensions = [0]
          %e1 = tensor.empty() : tensor<f32>
          %z1 = linalg.fill ins(%zero : f32) outs(%e1 : tensor<f32>) -> tensor<f32>
          %b = linalg.reduce { arith.addf } ins(%y : tensor<8xf32>) outs(%z1 : tensor<f32>) dimensions = [0]
          return %a, %b : tensor<f32>, tensor<f32>
        }

    Options:
        none

    Refuses: nothing; other tensors with several users are left alone, and a fill that is only read is kept once.

    Needs: tensor.
    Leaves: tensor.
    """

    name: ClassVar[str] = "hexagon-separate-destinations"
    needs: ClassVar[str] = "tensor"
    leaves: ClassVar[str] = "tensor"

    def run(self, module: ir.Module, context: PassContext) -> None:
        """Users first: a copied fill brings its own empty tensor."""
        for store in ops_named(module, "bufferization.materialize_in_destination"):
            for user, number in starts_outside(store):
                empty = user.operands[number]
                with user.location, ir.InsertionPoint(user):
                    user.operands[number] = bufferization.AllocTensorOp(empty.type, empty.owner.operands).result
        for op in find_ops(module, lambda op: op.name.startswith("linalg.") or op.name in ("scf.for", "scf.forall")):
            for number, value in starts(op):
                if is_read_after(value, op):
                    with op.location, ir.InsertionPoint(op):
                        op.operands[number] = bufferization.AllocTensorOp(value.type, [], copy=value).result
        for end in ops_named(module, "func.return"):
            for number in repeated_results(list(end.operands)):
                value = end.operands[number]
                with end.location, ir.InsertionPoint(end):
                    end.operands[number] = bufferization.AllocTensorOp(value.type, [], copy=value).result
        for op in reversed(find_ops(module, is_start)):
            uses = list(op.results[0].uses)
            destinations = [(use.owner.operation, use.operand_number) for use in uses if is_destination(use)]
            if len(destinations if op.name == "tensor.insert_slice" else uses) > 1:
                for user, number in destinations:
                    user.operands[number] = copy_before(user, op)
            if not any(True for _ in op.results[0].uses):
                erase_op(op, self.name)


def repeated_results(values: list[ir.Value]) -> list[int]:
    """The places of tensors that stand at an earlier place as well."""
    return [number for number, value in enumerate(values)
            if isinstance(value.type, ir.RankedTensorType) and value in values[:number]]


def starts(op: ir.Operation) -> list[tuple[int, ir.Value]]:
    """The tensors whose elements ``op`` starts from, and which of its operands each is."""
    operands = list(enumerate(op.operands))
    if not op.name.startswith("linalg."):
        return [(number, value) for number, value in operands if isinstance(value.type, ir.RankedTensorType)]
    if not op.results or not op.regions:  # linalg.yield, linalg.index, and what has no body yet
        return []
    arguments = op.regions[0].blocks[0].arguments
    return [(number, value) for number, value in operands[input_count(op):]
            if any(True for _ in arguments[number].uses)]


def is_read_after(value: ir.Value, op: ir.Operation) -> bool:
    """True when ``value``, computed by a linalg op in the block of ``op`` and perhaps reshaped, is read after ``op``.

    Not where each destination gets a start of its own, nor where it is only read as what a slice that ``op`` computes
    is put back into.
    """
    part = value
    while not isinstance(value.owner, ir.Block) and value.owner.operation.name in _VIEWS:
        value = value.owner.operation.operands[0]
    if isinstance(value.owner, ir.Block):
        return False
    owner = value.owner.operation
    if not owner.name.startswith("linalg.") or owner.block != op.block or is_start(owner):
        return False
    return any(reader != op and op.is_before_in_block(reader) and not puts_back(reader, op, part)
               for reader in readers(value, op.block))


def puts_back(reader: ir.Operation, op: ir.Operation, part: ir.Value) -> bool:
    """True where ``reader`` puts a result of ``op`` in the place that slice ``part``, from which it starts, is from."""
    if reader.name != "tensor.insert_slice" or isinstance(part.owner, ir.Block):
        return False
    cut = part.owner.operation
    return (cut.name == "tensor.extract_slice" and reader.operands[0] in list(op.results)
            and reader.operands[1] == cut.operands[0] and list(reader.operands)[2:] == list(cut.operands)[1:]
            and all(reader.attributes[f"static_{name}"] == cut.attributes[f"static_{name}"]
                    for name in ("offsets", "sizes", "strides")))


def readers(value: ir.Value, block: ir.Block) -> Iterator[ir.Operation]:
    """The operations in ``block`` that read ``value``, reshaped or inside them as well."""
    for use in value.uses:
        user = use.owner.operation
        if user.name in _VIEWS:
            yield from readers(user.results[0], block)
        elif (reader := ancestor_in(user, block)) is not None:
            yield reader


def starts_outside(store: ir.Operation) -> list[tuple[ir.Operation, int]]:
    """The users of tensor.empty, and which of their operands it is, that begin what ``store`` writes outside its block.

    Followed is what shares memory: destinations, carried and yielded values, slices and casts.
    """
    found, seen, left = [], set(), [store.operands[0]]
    while left:
        value = left.pop()
        if value in seen:
            continue
        seen.add(value)
        if isinstance(value.owner, ir.Block):
            loop = value.owner.owner
            if loop.operation.name == "scf.for" and value.arg_number:
                left.append(loop.operands[2 + value.arg_number])
            continue
        op = value.owner.operation
        number = destination(op, value.result_number)
        if number is not None:
            start = op.operands[number]
            if not isinstance(start.owner, ir.Block) and start.owner.operation.name == "tensor.empty":
                if ancestor_in(op, store.block) is None:
                    found.append((op, number))
            else:
                left.append(start)
        if op.name in ("scf.for", "scf.if"):
            left += [list(region.blocks[0].operations)[-1].operands[value.result_number] for region in op.regions]
    return found


def destination(op: ir.Operation, number: int) -> int | None:
    """The operand whose memory result ``number`` of ``op`` may have."""
    if op.name.startswith("linalg.") or op.name in ("scf.for", "scf.forall"):
        return len(op.operands) - len(op.results) + number
    if op.name in ("tensor.insert_slice", "tensor.insert"):
        return 1
    return 0 if op.name in _VIEWS else None


def is_start(op: ir.Operation) -> bool:
    """True for tensor.empty, for a linalg op that spreads scalars over one and for a slice of what is not written."""
    if op.name == "tensor.empty":
        return True
    if op.name == "tensor.insert_slice":
        return elements_written(op) is not None
    if op.name not in ("linalg.fill", "linalg.generic") or len(op.results) != 1:
        return False
    inputs = input_count(op)
    scalars = not any(isinstance(value.type, ir.ShapedType) for value in list(op.operands)[:inputs])
    owner = op.operands[inputs].owner
    short = op.name == "linalg.fill" or len(list(op.regions[0].blocks[0].operations)) == 1
    return scalars and short and not isinstance(owner, ir.Block) and owner.operation.name == "tensor.empty"


def elements_written(op: ir.Operation) -> int | None:
    """How many elements of the result of ``op`` have values, at most, if these are not all of them."""
    if op.name == "tensor.empty" or (op.name == "bufferization.alloc_tensor" and op.opview.copy is None):
        return 0
    if op.name != "tensor.insert_slice" or isinstance(op.operands[1].owner, ir.Block):
        return None
    source, whole = (value.type for value in list(op.operands)[:2])
    before = elements_written(op.operands[1].owner.operation)
    if before is None or not (source.has_static_shape and whole.has_static_shape):
        return None
    written = before + prod(source.shape)
    return written if written < prod(whole.shape) else None


def is_destination(use: ir.OpOperand) -> bool:
    """True where the user computes in the tensor: the outputs of a linalg op, a loop's carried values."""
    user = use.owner.operation
    if user.name.startswith("linalg."):
        return use.operand_number >= input_count(user)
    return user.name in ("scf.for", "scf.forall", "tensor.insert_slice", "tensor.insert")


def copy_before(user: ir.Operation, op: ir.Operation) -> ir.Value:
    """``op`` once more, with a start of its own, in front of ``user``."""
    with user.location, ir.InsertionPoint(user):
        copy = op.clone().operation
    number = destination(copy, 0)
    if number is not None:
        copy.operands[number] = copy_before(copy, copy.operands[number].owner.operation)
    return copy.results[0]

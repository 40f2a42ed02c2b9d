"""Results computed where the caller wants them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from hexagon_mlir.dialects.in_place import changed, numbers_of
from hexagon_mlir.ir import erase_op, ir
from hexagon_mlir.ir.query import functions, in_tcm, ops_named
from hexagon_mlir.pass_infra import Pass, PassContext

_RESULT, _NOALIAS = "bufferize.result", "llvm.noalias"


@dataclass(frozen=True)
class HexagonResultsInPlacePass(Pass):
    """Replaces a buffer that is copied whole to an argument at the end of the function by the argument.

    Upstream does this for buffers of the result's own type. This pass does it for buffers that are reshaped, such as
    results whose dimensions of size one were dropped. It also erases copies of a buffer to itself, which bufferization
    leaves where a part of a buffer is computed in its place. Where ``hexagon.in_place`` says that a result is the
    memory of an argument, the result takes the argument's place. Arguments that upstream made of results
    (``bufferize.result``) overlap nothing else that the function is given: loads may move before stores to them.

    Before:
        func.func @f(%x: memref<4xf32>, %y: memref<1x4xf32>) {
          %a = memref.alloc() : memref<4xf32>
          linalg.exp ins(%x : memref<4xf32>) outs(%a : memref<4xf32>)
          %b = memref.expand_shape %a [[0, 1]] output_shape [1, 4] : memref<4xf32> into memref<1x4xf32>
          memref.copy %b, %y : memref<1x4xf32> to memref<1x4xf32>
          return
        }

    After:
        func.func @f(%x: memref<4xf32>, %y: memref<1x4xf32>) {
          %a = memref.collapse_shape %y [[0, 1]] : memref<1x4xf32> into memref<4xf32>
          linalg.exp ins(%x : memref<4xf32>) outs(%a : memref<4xf32>)
          return
        }

    Options:
        none

    Refuses: nothing; a buffer in TCM, one that is copied in part or before the end, and an argument
    with other uses stay as they are.

    Needs: buffer.
    Leaves: buffer.
    """

    name: ClassVar[str] = "hexagon-results-in-place"
    needs: ClassVar[str] = "buffer"
    leaves: ClassVar[str] = "buffer"

    def run(self, module: ir.Module, context: PassContext) -> None:
        """Look at every copy to an argument."""
        for function in functions(module):
            _mark_results(function)
            arguments = list(function.regions[0].blocks[0].arguments)
            results = ir.TypeAttr(function.attributes["function_type"]).value.results
            try:
                in_place = changed(function)
            except ValueError as error:
                raise self.refuse(function, str(error), "the frontend writes it") from None
            if in_place and not results:  # all of them have become arguments, the last ones
                count = len(numbers_of(function))
                for result, argument in in_place.items():
                    arguments[argument].replace_all_uses_with(arguments[len(arguments) - count + result])
        for op in ops_named(module, "memref.copy"):
            if op.operands[0] == op.operands[1]:
                erase_op(op, self.name)
                continue
            shapes = _reshapes(op.operands[0])
            source = shapes[-1].operands[0] if shapes else op.operands[0]
            if shapes and _is_last(op) and _is_local(source) and _is_result(op.operands[1]):
                self._write_to(op, shapes, source)

    def _write_to(self, copy: ir.Operation, shapes: list[ir.Operation], source: ir.Value) -> None:
        target = copy.operands[1]
        erase_op(copy, self.name)
        with source.owner.location, ir.InsertionPoint(source.owner):
            for shape in shapes:
                target = ir.Operation.create(
                    "memref.collapse_shape", results=[shape.operands[0].type], operands=[target],
                    attributes={"reassociation": shape.attributes["reassociation"]}).results[0]
        allocation = source.owner.operation
        source.replace_all_uses_with(target)
        erase_op(allocation, self.name)
        for shape in reversed(shapes):
            if not any(True for _ in shape.results[0].uses):
                erase_op(shape, self.name)


def _mark_results(function: ir.Operation) -> None:
    """``llvm.noalias`` in place of the mark of results."""
    if "arg_attrs" in function.attributes:
        all_attributes = [{named.name: named.attr for named in one} for one in function.attributes["arg_attrs"]]
        for attributes in all_attributes:
            if attributes.pop(_RESULT, None) is not None:
                attributes[_NOALIAS] = ir.UnitAttr.get()
        function.attributes["arg_attrs"] = ir.ArrayAttr.get([ir.DictAttr.get(one) for one in all_attributes])


def _reshapes(value: ir.Value) -> list[ir.Operation]:
    """The operations that make ``value`` all of another buffer with more dimensions, the last one first."""
    found: list[ir.Operation] = []
    while not isinstance(value.owner, ir.Block) and value.owner.operation.name == "memref.expand_shape":
        found.append(value.owner.operation)
        value = found[-1].operands[0]
    return found


def _is_last(copy: ir.Operation) -> bool:
    """True where only other copies, and the return, follow."""
    following = [op.operation for op in copy.block.operations]
    following = following[following.index(copy):]
    return following[-1].name == "func.return" and all(op.name == "memref.copy" for op in following[:-1])


def _is_local(value: ir.Value) -> bool:
    """True for a buffer that the function makes in DDR."""
    return (not isinstance(value.owner, ir.Block) and value.owner.operation.name == "memref.alloc"
            and not in_tcm(value.type))


def _is_result(value: ir.Value) -> bool:
    """True for an argument in DDR that is contiguous and written to by one operation only."""
    identity = ir.AffineMapAttr.get(ir.AffineMap.get_identity(value.type.rank))
    return (isinstance(value.owner, ir.Block) and value.owner.owner.operation.name == "func.func"
            and len(list(value.uses)) == 1 and not in_tcm(value.type) and ir.MemRefType(value.type).layout == identity)

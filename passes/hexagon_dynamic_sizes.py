"""Sizes that are known when a function is called, as arguments of their own."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from hexagon_mlir.ir import arith, ir, memref
from hexagon_mlir.ir.constants import index
from hexagon_mlir.ir.query import functions, ops_named
from hexagon_mlir.pass_infra import Pass, PassContext


@dataclass(frozen=True)
class HexagonDynamicSizesPass(Pass):
    """Adds an i32 argument for each dynamic dimension of a function's buffers, after its other arguments.

    A buffer is passed as a pointer without its sizes. The sizes are passed in the order of the buffers, outermost
    dimension first; the caller knows them from its arrays.

    Before:
        func.func @f(%x: memref<?x8xf32>) -> index {
          %c0 = arith.constant 0 : index
          %n = memref.dim %x, %c0 : memref<?x8xf32>
          return %n : index
        }

    After:
        func.func @f(%x: memref<1xf32>, %rows: i32) -> index {
          %n = arith.index_cast %rows : i32 to index
          %b = memref.reinterpret_cast %x to offset: [0], sizes: [%n, 8], strides: [8, 1] :
              memref<1xf32> to memref<?x8xf32>
          %c0 = arith.constant 0 : index
          %0 = memref.dim %b, %c0 : memref<?x8xf32>
          return %0 : index
        }

    Options:
        none

    Refuses (an error): a buffer of dynamic size with a layout map, a function of such buffers that another calls.

    Needs: buffer.
    Leaves: buffer.
    """

    name: ClassVar[str] = "hexagon-dynamic-sizes"
    needs: ClassVar[str] = "buffer"
    leaves: ClassVar[str] = "buffer"

    def run(self, module: ir.Module, context: PassContext) -> None:
        """Every function with a body that takes such buffers."""
        for function in functions(module):
            block = function.regions[0].blocks[0]
            dynamic = [a for a in block.arguments
                       if isinstance(a.type, ir.MemRefType) and not a.type.has_static_shape]
            if not dynamic:
                continue
            name = ir.StringAttr(function.attributes["sym_name"]).value
            if name in _called(module):
                raise self.refuse(function, f"'{name}' takes buffers of dynamic size and is called by another function",
                                  "inline it, or give its buffers static sizes")
            for argument in dynamic:
                if argument.type.layout != ir.AffineMapAttr.get(ir.AffineMap.get_identity(argument.type.rank)):
                    raise self.refuse(function, f"a buffer of dynamic size with a layout map ({argument.type})",
                                      "pass a contiguous buffer")
            with function.location:
                _take_sizes(function, block, dynamic)


def _called(module: ir.Module) -> set[str]:
    """Names of the functions that others call."""
    return {ir.FlatSymbolRefAttr(op.attributes["callee"]).value
            for op in ops_named(module, "func.call")}


def _take_sizes(function: ir.Operation, block: ir.Block, dynamic: list[ir.BlockArgument]) -> None:
    i32 = ir.IntegerType.get_signless(32)
    sizes = {(a.arg_number, d): block.add_argument(i32, ir.Location.unknown())
             for a in dynamic for d in range(a.type.rank) if a.type.is_dynamic_dim(d)}
    with ir.InsertionPoint.at_block_begin(block):
        for argument in dynamic:
            type_ = argument.type
            buffer = _whole_buffer(argument, type_, {d: size for (a, d), size in sizes.items()
                                                     if a == argument.arg_number})
            argument.replace_all_uses_except(buffer, buffer.owner.operation)
            argument.set_type(ir.MemRefType.get([1], type_.element_type, None, type_.memory_space))
    type_ = ir.FunctionType(function.attributes["function_type"].value)
    inputs = [a.type for a in block.arguments]
    function.attributes["function_type"] = ir.TypeAttr.get(ir.FunctionType.get(inputs, type_.results))
    if "arg_attrs" in function.attributes:
        attributes = [*ir.ArrayAttr(function.attributes["arg_attrs"]), *[ir.DictAttr.get({})] * len(sizes)]
        function.attributes["arg_attrs"] = ir.ArrayAttr.get(attributes)


def _whole_buffer(pointer: ir.Value, type_: ir.MemRefType, sizes: dict[int, ir.Value]) -> ir.Value:
    """The contiguous buffer of ``type_`` at ``pointer``; ``sizes`` are those of its dynamic dimensions."""
    unknown = ir.ShapedType.get_dynamic_size()
    extents = {d: arith.index_cast(ir.IndexType.get(), size) for d, size in sizes.items()}
    strides: list[ir.Value | int] = [1]
    for d in range(type_.rank - 1, 0, -1):
        inner, size = strides[0], extents.get(d, type_.shape[d])
        if isinstance(inner, int) and isinstance(size, int):
            strides.insert(0, inner * size)
        else:
            strides.insert(0, arith.muli(*(v if isinstance(v, ir.Value) else index(v) for v in (inner, size))))
    return memref.ReinterpretCastOp(
        type_, pointer, [], [extents[d] for d in sorted(extents)], [s for s in strides if isinstance(s, ir.Value)],
        [0], [unknown if d in extents else n for d, n in enumerate(type_.shape)],
        [s if isinstance(s, int) else ir.ShapedType.get_dynamic_stride_or_offset() for s in strides]).result

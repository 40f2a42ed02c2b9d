"""Loops that add up products of blocks to one product of whole matrices."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, NamedTuple

from hexagon_mlir.ir import erase_op, ir, make, scf, tensor
from hexagon_mlir.ir.bounds import constant_value
from hexagon_mlir.ir.constants import SharedConstants, index
from hexagon_mlir.ir.query import element_bytes, functions, names_of, ops_named
from hexagon_mlir.pass_infra import Pass, PassContext
from hexagon_mlir.passes.lib.contractions import multiplies_and_adds
from hexagon_mlir.passes.lib.engine_cost import EngineCost, pays
from hexagon_mlir.passes.lib.engine_tiles import fills_zero
from hexagon_mlir.passes.lib.pure_slices import clone
from hexagon_mlir.passes.lib.split_cost import bf16_pays
from hexagon_mlir.passes.lib.split_cost import pays as split_pays
from hexagon_mlir.passes.lib.vector_loop import dims_of
from hexagon_mlir.passes.matrix_engine.byte_sizes import ByteCost, bytes_pay
from hexagon_mlir.passes.matrix_engine.read_bytes import is_byte
from hexagon_mlir.targets import Target

_COPIES = 3
"""Of both matrices: as blocks arrive, in the buffers of `hexagon-matrix-engine`, and as tiles."""
_SPLIT = 32 + 3 * 16
"""Bits of an element of f32 and of the pieces that are multiplied."""
_PIECE_PRODUCTS = 3


class Sum(NamedTuple):
    """A sum of products that a loop carries as value ``place``: ``product`` adds one in each of ``trips`` iterations,
    from ``first`` on in steps of ``step``."""

    loop: ir.Operation
    place: int
    product: ir.Operation
    first: int
    step: int
    trips: int

    @property
    def depths(self) -> tuple[int, int]:
        """The dimensions of the left and of the right factor that are summed over."""
        dims = dims_of(self.product)
        assert dims is not None
        depth = next(dim for dim in dims[0] if dim not in dims[2])
        return dims[0].index(depth), dims[1].index(depth)


@dataclass(frozen=True)
class UntileProductsPass(Pass):
    """Turns a loop that adds up products of blocks of f16 or bf16, or of bytes in i32, as a Triton kernel does along
    its reduction, into a loop that only collects the blocks, and one product after it; blocks of f32 too where such
    products may be split.

    `hexagon-matrix-engine` then sees one product: its sums stay in the engine's accumulators, and nothing is added by
    HVX.

    Before:
        #left = affine_map<(i, j, k) -> (i, k)>
        #right = affine_map<(i, j, k) -> (k, j)>
        #sum = affine_map<(i, j, k) -> (i, j)>
        #same = affine_map<(i, j) -> (i, j)>
        func.func @f(%a: tensor<32x64xf16>, %b: tensor<64x32xf16>) -> tensor<32x32xf16> {
          %c0 = arith.constant 0 : index
          %c32 = arith.constant 32 : index
          %c64 = arith.constant 64 : index
          %zero = arith.constant 0.0 : f32
          %none = tensor.empty() : tensor<32x32xf32>
          %zeros = linalg.fill ins(%zero : f32) outs(%none : tensor<32x32xf32>) -> tensor<32x32xf32>
          %sums = scf.for %k = %c0 to %c64 step %c32 iter_args(%old = %zeros) -> (tensor<32x32xf32>) {
            %x = tensor.extract_slice %a[0, %k] [32, 32] [1, 1] : tensor<32x64xf16> to tensor<32x32xf16>
            %y = tensor.extract_slice %b[%k, 0] [32, 32] [1, 1] : tensor<64x32xf16> to tensor<32x32xf16>
            %new = linalg.generic {indexing_maps = [#left, #right, #sum], iterator_types = ["parallel", "parallel",
                "reduction"]}
                ins(%x, %y : tensor<32x32xf16>, tensor<32x32xf16>) outs(%old : tensor<32x32xf32>) {
            ^bb0(%xe: f16, %ye: f16, %s: f32):
              %xw = arith.extf %xe : f16 to f32
              %yw = arith.extf %ye : f16 to f32
              %p = arith.mulf %xw, %yw : f32
              %t = arith.addf %s, %p : f32
              linalg.yield %t : f32
            } -> tensor<32x32xf32>
            scf.yield %new : tensor<32x32xf32>
          }
          %half = tensor.empty() : tensor<32x32xf16>
          %result = linalg.generic {indexing_maps = [#same, #same], iterator_types = ["parallel", "parallel"]}
              ins(%sums : tensor<32x32xf32>) outs(%half : tensor<32x32xf16>) {
          ^bb0(%s: f32, %o: f16):
            %h = arith.truncf %s : f32 to f16
            linalg.yield %h : f16
          } -> tensor<32x32xf16>
          return %result : tensor<32x32xf16>
        }

    After, folded (always=true):
        #map = affine_map<(d0, d1, d2) -> (d0, d2)>
        #map1 = affine_map<(d0, d1, d2) -> (d2, d1)>
        #map2 = affine_map<(d0, d1, d2) -> (d0, d1)>
        #map3 = affine_map<(d0, d1) -> (d0, d1)>
        func.func @f(%arg0: tensor<32x64xf16>, %arg1: tensor<64x32xf16>) -> tensor<32x32xf16> {
          %c0 = arith.constant 0 : index
          %c32 = arith.constant 32 : index
          %c64 = arith.constant 64 : index
          %cst = arith.constant 0.000000e+00 : f32
          %0 = tensor.empty() : tensor<32x32xf32>
          %1 = linalg.fill ins(%cst : f32) outs(%0 : tensor<32x32xf32>) -> tensor<32x32xf32>
          %2 = tensor.empty() : tensor<32x64xf16>
          %3 = tensor.empty() : tensor<64x32xf16>
          %4:2 = scf.for %arg2 = %c0 to %c64 step %c32 iter_args(%arg3 = %2, %arg4 = %3) -> (tensor<32x64xf16>,
              tensor<64x32xf16>) {
            %extracted_slice = tensor.extract_slice %arg0[0, %arg2] [32, 32] [1, 1] : tensor<32x64xf16> to
                tensor<32x32xf16>
            %extracted_slice_0 = tensor.extract_slice %arg1[%arg2, 0] [32, 32] [1, 1] : tensor<64x32xf16> to
                tensor<32x32xf16>
            %inserted_slice = tensor.insert_slice %extracted_slice into %arg3[0, %arg2] [32, 32] [1, 1] :
                tensor<32x32xf16> into tensor<32x64xf16>
            %inserted_slice_1 = tensor.insert_slice %extracted_slice_0 into %arg4[%arg2, 0] [32, 32] [1, 1] :
                tensor<32x32xf16> into tensor<64x32xf16>
            scf.yield %inserted_slice, %inserted_slice_1 : tensor<32x64xf16>, tensor<64x32xf16>
          }
          %5 = linalg.generic {indexing_maps = [#map, #map1, #map2], iterator_types = ["parallel", "parallel",
              "reduction"]} ins(%4#0, %4#1 : tensor<32x64xf16>, tensor<64x32xf16>) outs(%1 : tensor<32x32xf32>) {
          ^bb0(%in: f16, %in_0: f16, %out: f32):
            %8 = arith.extf %in : f16 to f32
            %9 = arith.extf %in_0 : f16 to f32
            %10 = arith.mulf %8, %9 : f32
            %11 = arith.addf %out, %10 : f32
            linalg.yield %11 : f32
          } -> tensor<32x32xf32>
          %6 = tensor.empty() : tensor<32x32xf16>
          %7 = linalg.generic {indexing_maps = [#map3, #map3], iterator_types = ["parallel", "parallel"]} ins(%5 :
              tensor<32x32xf32>) outs(%6 : tensor<32x32xf16>) {
          ^bb0(%in: f32, %out: f16):
            %8 = arith.truncf %in : f32 to f16
            linalg.yield %8 : f16
          } -> tensor<32x32xf16>
          return %7 : tensor<32x32xf16>
        }

    Options:
        tcm-bytes: bytes one kernel may use; 0 takes the target's whole TCM.
        matrix-engine: whether the engine may be used.
        f32-split: whether products of f32 may be split for it.
        always: also where the cost estimate leaves the product to HVX.

    Refuses (with a remark; the loop stays): an unknown number of iterations, other factors, sums that do not
    start from zeros or that the loop reads elsewhere, matrices that exceed a third of the budget together, products
    that HVX is estimated to compute in less time.

    Needs: tensor.
    Leaves: tensor.
    """

    name: ClassVar[str] = "untile-products"
    needs: ClassVar[str] = "tensor"
    leaves: ClassVar[str] = "tensor"

    tcm_bytes: int = 0
    matrix_engine: bool = True
    f32_split: bool = False
    always: bool = False

    def run(self, module: ir.Module, context: PassContext) -> None:
        """Rewrite every such loop of ``module``."""
        if not (self.matrix_engine and context.target.has_matrix_engine):
            return
        constants = SharedConstants()
        for function in functions(module):
            left = 0
            while left < len(found := [op for op in ops_named(function, *names_of("linalg")) if adds_to_carried(op)]):
                sum_ = read_sum(found[left], self.f32_split)
                if isinstance(sum_, Sum):
                    sum_ = self._declines(sum_, context.target) or sum_
                if isinstance(sum_, str):
                    self.remark(context, found[left], f"its loop stays: {sum_}")
                    left += 1
                else:
                    with sum_.loop.location, constants.around(sum_.loop):
                        _rewrite(sum_, self.name)

    def _declines(self, sum_: Sum, target: Target) -> str | None:
        """Why the loop of ``sum_`` stays."""
        if _COPIES * _bytes(sum_) > (self.tcm_bytes or target.tcm_budget_bytes):
            return "the whole matrices exceed the TCM budget"
        depth, (rows, columns) = _whole_type(sum_, 0).shape[sum_.depths[0]], ir.RankedTensorType(
            sum_.product.results[0].type).shape
        if not self.always and not _pays(rows, columns, depth, _whole_type(sum_, 0).element_type, target):
            return "HVX is estimated to compute the product in less time"
        return None


def _pays(rows: int, columns: int, depth: int, element: ir.Type, target: Target) -> bool:
    """Whether the engine is estimated to take less time than HVX for a product of factors of ``element``."""
    if isinstance(element, ir.IntegerType):
        return bytes_pay(rows, columns, depth, ByteCost.of(target))
    cost = EngineCost.of(target)
    if isinstance(element, ir.F16Type):
        return pays(rows, columns, depth, cost)
    if isinstance(element, ir.BF16Type):
        return bf16_pays(rows, columns, depth, cost)
    return split_pays(rows, columns, depth, _PIECE_PRODUCTS, cost)


def adds_to_carried(op: ir.Operation) -> bool:
    """True for a product of two tensors that is added to a value that a loop carries."""
    if len(op.operands) != 3 or len(op.results) != 1 or not isinstance(op.operands[2].owner, ir.Block):
        return False
    return op.operands[2].owner.owner.operation.name == "scf.for" and multiplies_and_adds(op)


def read_sum(product: ir.Operation, f32_split: bool = False) -> Sum | str:
    """The sum that ``product``, which adds to a value of a loop, is part of; why its loop has to stay. Factors are f16,
    bf16 or bytes, or f32 with ``f32_split``.
    """
    block = product.operands[2].owner
    loop, carried = block.owner.operation, product.operands[2]
    place = ir.BlockArgument(carried).arg_number - 1
    types = [ir.RankedTensorType(value.type) for value in product.operands]
    elements = [type_.element_type for type_ in types]
    of_bytes = all(map(is_byte, list(product.operands)[:2]))
    if elements[0] != elements[1] or not (of_bytes or isinstance(
            elements[0], ir.F16Type | ir.BF16Type) or (f32_split and isinstance(elements[0], ir.F32Type))):
        return f"factors of {elements[0]} and {elements[1]}, not f16, bf16 or bytes"
    if str(elements[2]) != ("i32" if of_bytes else "f32") or not all(type_.has_static_shape for type_ in types):
        return f"sums of {elements[2]}, or sizes that are not known"
    dims = dims_of(product)
    if dims is None or [len(dim) for dim in dims] != [2, 2, 2] or len({loop for dim in dims for loop in dim}) != 3:
        return "not a product of two matrices"
    yielded = list(block.operations)[-1].operation
    if (product.block != block or len(list(carried.uses)) != 1 or len(list(product.results[0].uses)) != 1
            or yielded.operands[place] != product.results[0]):
        return "the loop reads the sums elsewhere"
    bounds = [constant_value(value) for value in list(loop.operands)[:3]]
    if None in bounds:
        return "the number of its iterations is not known"
    first, end, step = (bound or 0 for bound in bounds)
    start = loop.operands[3 + place].owner
    if isinstance(start, ir.Block) or not fills_zero(start.operation):
        return "its sums do not start from zeros"
    return Sum(loop, place, product, first, step, max(-(-(end - first) // step), 0)) if end > first + step \
        else "there are no two iterations"


def _whole_type(sum_: Sum, operand: int) -> ir.RankedTensorType:
    """The type of all blocks of a factor."""
    type_ = ir.RankedTensorType(sum_.product.operands[operand].type)
    shape = list(type_.shape)
    shape[sum_.depths[operand]] *= sum_.trips
    return ir.RankedTensorType.get(shape, type_.element_type)


def _bytes(sum_: Sum) -> int:
    """Of both matrices, and of the pieces that those of f32 become."""
    types = [_whole_type(sum_, operand) for operand in range(2)]
    element = types[0].element_type
    bits = _SPLIT if isinstance(element, ir.F32Type) else 8 * element_bytes(element)
    return bits // 8 * sum(type_.shape[0] * type_.shape[1] for type_ in types)


def _rewrite(sum_: Sum, name: str) -> None:
    """The loop with both matrices in the place of the sums, and the product after it."""
    loop, place = sum_.loop, sum_.place
    types = [_whole_type(sum_, operand) for operand in range(2)]
    starts = list(loop.operands)[3:]
    body = loop.regions[0].blocks[0]
    with ir.InsertionPoint(loop):
        wholes = [tensor.empty(type_.shape, type_.element_type) for type_ in types]
        new = scf.ForOp(*list(loop.operands)[:3], [*starts[:place], *starts[place + 1:], *wholes])
    carried = list(new.inner_iter_args)
    kept, matrices = carried[:-2], carried[-2:]
    kept.insert(place, starts[place])
    mapping = dict(zip(body.arguments, [new.induction_variable, *kept], strict=True))
    with ir.InsertionPoint(new.body):
        operations = [view.operation for view in body.operations]
        for op in operations[:-1]:
            if op == sum_.product:
                factors = [mapping.get(value, value) for value in list(op.operands)[:2]]
                matrices = [_with_block(sum_, operand, factors[operand], matrices[operand], new.induction_variable)
                            for operand in range(2)]
            else:
                clone(op, mapping)
        yielded = [mapping.get(value, value) for value in operations[-1].operands]
        scf.YieldOp([*yielded[:place], *yielded[place + 1:], *matrices])
    with ir.InsertionPoint(loop):
        product = clone(sum_.product, {sum_.product.operands[0]: new.results[-2],
                                       sum_.product.operands[1]: new.results[-1],
                                       sum_.product.operands[2]: starts[place]})
    results: Sequence[ir.Value] = list(new.results)[:-2]
    for value, result in zip(loop.results, [*results[:place], product.results[0], *results[place:]], strict=True):
        value.replace_all_uses_with(result)
    erase_op(loop, name)


def _with_block(sum_: Sum, operand: int, block: ir.Value, whole: ir.Value, iteration: ir.Value) -> ir.Value:
    """``whole`` with the block of this iteration."""
    sizes = list(ir.RankedTensorType(block.type).shape)
    axis = sum_.depths[operand]
    start = make.subi(iteration, index(sum_.first)) if sum_.first else iteration
    if sum_.step != sizes[axis]:
        number = ir.Operation.create("arith.divui", results=[start.type], operands=[start, index(sum_.step)]).result
        start = make.muli(number, index(sizes[axis]))
    dynamic = ir.ShapedType.get_dynamic_size()
    offsets = [dynamic if dim == axis else 0 for dim in range(2)]
    return tensor.InsertSliceOp(block, whole, [start], [], [], offsets, sizes, [1, 1]).result

"""Products of tiles to operations of the matrix engine."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import Enum, auto
from typing import ClassVar, NamedTuple

from hexagon_mlir.dialects.engine_tiles import COLUMN_TABLE, IDENTITY_SCALE, PLANE_SCALES, EngineProduct, piece_fills
from hexagon_mlir.dialects.engine_windows import Windows
from hexagon_mlir.ir import erase_op, ir, memref
from hexagon_mlir.ir.buffers import VIEWS, has_contiguous_parts, root_buffer, uses_of_buffer
from hexagon_mlir.ir.constants import SharedConstants, constant
from hexagon_mlir.ir.make import fill
from hexagon_mlir.ir.order import ancestor_in
from hexagon_mlir.ir.query import TCM_SPACE, functions, in_tcm, memory_space, ops_named
from hexagon_mlir.pass_infra import Pass, PassContext
from hexagon_mlir.passes.lib.engine_byte_conversions import converts
from hexagon_mlir.passes.lib.engine_byte_products import takes_planes
from hexagon_mlir.passes.lib.engine_conversions import Conversion, column_tables, read_conversion
from hexagon_mlir.passes.lib.engine_tiles import fills_zero, is_engine_product, is_splitting, reads_out
from hexagon_mlir.passes.matrix_engine.waits import insert_waits


class Kind(Enum):
    """What the engine makes of sums."""

    ROUNDED = auto()
    PIECES = auto()
    PLANES = auto()
    BYTES = auto()


class Found(NamedTuple):
    """A product, the op that starts its sums and the one that rounds them, splits them, takes their bytes or converts
    them to bytes, with what is done to the sums before they are rounded.
    """

    start: ir.Operation
    product: ir.Operation
    rounding: ir.Operation
    conversion: Conversion

    @property
    def kind(self) -> Kind:
        """What is done to the sums."""
        if is_splitting(self.rounding):
            return Kind.PIECES
        if converts(self.rounding):
            return Kind.BYTES
        return Kind.PLANES if takes_planes(self.rounding) else Kind.ROUNDED


@dataclass(frozen=True)
class FormEngineProductsPass(Pass):
    """Turns each product of tiles in TCM, with the fill that starts its sums and the op that rounds them, splits them
    into pieces or converts them to bytes, into a ``hexagon.engine_product``.

    The buffer of the sums goes: they are in the engine's accumulators. The function waits for a product where its
    results are used or its factors are overwritten, or at the end of the product's block; what stands between product
    and wait runs meanwhile, but for fills and copies that take less time than starting a task: then the wait is next to
    the product. One more product is handed over while one runs, so that the engine goes on without a pause.

    Before:
        #act = affine_map<(rt, ct, r, c, p, kt, k, l) -> (rt, kt, r, k * 2 + l, p)>
        #weight = affine_map<(rt, ct, r, c, p, kt, k, l) -> (ct, kt, k, c, l)>
        #result = affine_map<(rt, ct, r, c, p, kt, k, l) -> (rt, ct, r, c, p)>
        #same = affine_map<(rt, ct, r, c, p) -> (rt, ct, r, c, p)>
        func.func @f(%a: memref<1x3x16x32x2xf16, 1>, %w: memref<2x3x16x32x2xf16, 1>,
            %out: memref<1x2x16x32x2xf16, 1>) {
          %zero = arith.constant 0.0 : f32
          %sums = memref.alloc() : memref<1x2x16x32x2xf32, 1>
          linalg.fill ins(%zero : f32) outs(%sums : memref<1x2x16x32x2xf32, 1>)
          linalg.generic {indexing_maps = [#act, #weight, #result], iterator_types = ["parallel", "parallel",
              "parallel", "parallel", "parallel", "reduction", "reduction", "reduction"]}
              ins(%a, %w : memref<1x3x16x32x2xf16, 1>, memref<2x3x16x32x2xf16, 1>)
              outs(%sums : memref<1x2x16x32x2xf32, 1>) {
          ^bb0(%x: f16, %y: f16, %old: f32):
            %0 = arith.extf %x : f16 to f32
            %1 = arith.extf %y : f16 to f32
            %2 = arith.mulf %0, %1 : f32
            %3 = arith.addf %old, %2 : f32
            linalg.yield %3 : f32
          }
          linalg.generic {indexing_maps = [#same, #same], iterator_types = ["parallel", "parallel", "parallel",
              "parallel", "parallel"]}
              ins(%sums : memref<1x2x16x32x2xf32, 1>) outs(%out : memref<1x2x16x32x2xf16, 1>) {
          ^bb0(%x: f32, %old: f16):
            %0 = arith.truncf %x : f32 to f16
            linalg.yield %0 : f16
          }
          memref.dealloc %sums : memref<1x2x16x32x2xf32, 1>
          return
        }

    After, folded:
        func.func @f(%a: memref<1x3x16x32x2xf16, 1>, %w: memref<2x3x16x32x2xf16, 1>,
            %out: memref<1x2x16x32x2xf16, 1>) {
          %c0_i32 = arith.constant 0 : i32
          %c15360_i32 = arith.constant 15360 : i32
          %alloc = memref.alloc() : memref<2x2x32xi32, 1>
          %subview = memref.subview %alloc[0, 0, 0] [2, 1, 32] [1, 1, 1]
              : memref<2x2x32xi32, 1> to memref<2x1x32xi32, strided<[64, 32, 1]>, 1>
          linalg.fill ins(%c15360_i32 : i32) outs(%subview : memref<2x1x32xi32, strided<[64, 32, 1]>, 1>)
          %subview_0 = memref.subview %alloc[0, 1, 0] [2, 1, 32] [1, 1, 1]
              : memref<2x2x32xi32, 1> to memref<2x1x32xi32, strided<[64, 32, 1], offset: 32>, 1>
          linalg.fill ins(%c0_i32 : i32) outs(%subview_0 : memref<2x1x32xi32, strided<[64, 32, 1], offset: 32>, 1>)
          "hexagon.engine_product"(%a, %w, %alloc, %out) : (memref<1x3x16x32x2xf16, 1>,
              memref<2x3x16x32x2xf16, 1>, memref<2x2x32xi32, 1>, memref<1x2x16x32x2xf16, 1>) -> ()
          "hexagon.engine_wait"() : () -> ()
          memref.dealloc %alloc : memref<2x2x32xi32, 1>
          return
        }

    Options: none.

    Refuses (with a remark; the product is left for `hexagon-contraction-vectorization`): tiles that are not contiguous
    in TCM, or that anything uses between product and rounding; sums that are no allocation, or that anything else reads
    or writes; functions of several blocks.

    Needs: buffer.
    Leaves: buffer.
    """

    name: ClassVar[str] = "form-engine-products"
    needs: ClassVar[str] = "buffer"
    leaves: ClassVar[str] = "buffer"

    def run(self, module: ir.Module, context: PassContext) -> None:
        """Form every product of ``module`` that can be."""
        constants = SharedConstants()
        for function in functions(module):
            found = self._found(function, context)
            if not found:
                continue
            first = function.regions[0].blocks[0].operations[0].operation
            kinds = [[one for one in found if one.kind is kind and one.conversion.plain] for kind in Kind]
            with function.location, constants.around(first):
                products = [product for kind in kinds for product in self._form_all(first, kind)]
                tables = Tables(first)
                products += [self._form(one, tables.of(one)) for one in found if not one.conversion.plain]
            for block in dict.fromkeys(op.block for op in products):
                insert_waits(block)
            _erase_unread(function, self.name)

    def _found(self, function: ir.Operation, context: PassContext) -> list[Found]:
        found, blocks = [], dict[ir.Block, BlockOperations]()
        for op in ops_named(function, "linalg.generic"):
            if not is_engine_product(op):
                continue
            if op.block not in blocks:
                blocks[op.block] = BlockOperations(op.block)
            match = (_match(op, blocks[op.block]) if len(function.regions[0].blocks) == 1
                     else "the function has branches between blocks")
            if isinstance(match, str):
                self.remark(context, op, f"left to HVX: {match}")
            else:
                found.append(match)
        return found

    def _form_all(self, first: ir.Operation, found: list[Found]) -> list[ir.Operation]:
        """The products ``found``, all of one kind, with a table made before ``first``."""
        if not found:
            return []
        if found[0].kind is Kind.BYTES:
            return [self._form(one, one.rounding.operands[_TABLES]) for one in found]
        if found[0].kind is Kind.PIECES:
            columns = _piece_table(first)
        elif found[0].kind is Kind.PLANES:
            columns = _tables(first, PLANE_SCALES)
        else:
            most = max(ir.MemRefType(one.product.operands[1].type).shape[0] for one in found)
            columns = _tables(first, (IDENTITY_SCALE,), most)
        return [self._form(one, columns) for one in found]

    def _form(self, found: Found, columns: ir.Value) -> ir.Operation:
        activations, weights, *_ = found.product.operands
        with found.product.location, ir.InsertionPoint(found.rounding):
            product = EngineProduct(activations, weights, columns, list(found.rounding.operands)[-1],
                                    Windows.of(found.product)).emit()
        for op in (found.start, found.product, found.rounding):
            erase_op(op, self.name)
        return product


class BlockOperations:
    """The operations of a block in order, and the position of each; valid until the block is rewritten."""

    def __init__(self, block: ir.Block) -> None:
        self.operations = [view.operation for view in block.operations]
        self.position = {op: number for number, op in enumerate(self.operations)}


def _match(product: ir.Operation, order: BlockOperations) -> Found | str:
    """The ops that start and round the sums of ``product``; why it stays linalg."""
    sums = list(product.operands)[-1]
    users = [use.owner.operation for use in sums.uses if use.owner.operation.block == product.block]
    users.sort(key=order.position.__getitem__)
    place = users.index(product)
    before, after = users[:place][-1:], users[place + 1:][:1]
    if not before or not after or not fills_zero(before[0]) or not reads_out(after[0]):
        return "its sums do not start from zero, or are not rounded next"
    if isinstance(sums.owner, ir.Block) or sums.owner.operation.name != "memref.alloc":
        return "its sums are not in a buffer of their own"
    for value in (*list(product.operands)[:2], *list(after[0].operands)[_TABLES if converts(after[0]) else -1:]):
        if not in_tcm(ir.MemRefType(value.type)) or not has_contiguous_parts(ir.MemRefType(value.type)):
            return "its tiles are not contiguous in TCM"
    others = [use.owner.operation for use in sums.uses if use.owner.operation.name != "memref.dealloc"]
    if any(not (is_engine_product(op) or fills_zero(op) or reads_out(op)) for op in others):
        return "its sums are also used by other operations"
    between = order.operations[order.position[product] + 1:order.position[after[0]]]
    if _users_in(product.block, (*list(product.operands)[:2], list(after[0].operands)[-1])) & {
            op for op in between if op.name not in VIEWS}:
        return "its tiles are used before its sums are rounded"
    return Found(before[0], product, after[0], read_conversion(after[0]) or Conversion())


class Tables:
    """The tables of biases, maxima and scales: those with biases next to the first product of their block that needs
    them, others before ``first``, the first operation of the function."""

    def __init__(self, first: ir.Operation) -> None:
        self._first = first
        self._known: dict[tuple[ir.Block, ir.Value | None, bool, float, int], ir.Value] = {}

    def of(self, found: Found) -> ir.Value:
        """The table for the product ``found``."""
        conversion, columns = found.conversion, ir.MemRefType(found.product.operands[1].type).shape[0]
        before = self._first if conversion.bias is None else found.rounding
        key = before.block, conversion.bias, conversion.positive, conversion.scale, columns
        if key not in self._known or not _is_constant(conversion.bias):
            with found.product.location, ir.InsertionPoint(before):
                self._known[key] = column_tables(columns, conversion)
            with ir.InsertionPoint.at_block_terminator(before.block):
                memref.dealloc(self._known[key])
        return self._known[key]


def _is_constant(bias: ir.Value | None) -> bool:
    """Whether at most one operation writes to the buffer of ``bias``."""
    if bias is None:
        return True
    users = [use.owner.operation for use in uses_of_buffer(root_buffer(bias))]
    others = [op for op in users if op.name not in (*VIEWS, "memref.dealloc") and read_conversion(op) is None]
    return len(others) <= 1


def _tables(first: ir.Operation, scales: Sequence[int], each: int = 1) -> ir.Value:
    """Before ``first``, ``each`` tables with the low word ``scales[0]`` in all columns, then those with the next one:
    for sums that are only rounded one for each column of tiles, for bytes of sums one for each plane.
    """
    count = len(scales) * each
    with ir.InsertionPoint(first):
        table = _words(first.block, [count, *COLUMN_TABLE])
        for place, number, half, word in [*((each * which, each, 0, scale) for which, scale in enumerate(scales)),
                                          (0, count, 1, 0)]:
            words = memref.subview(table, [place, half, 0], [number, 1, COLUMN_TABLE[1]], [1, 1, 1])
            fill(constant(ir.IntegerAttr.get(_i32(), word)), words)
    return table


def _piece_table(first: ir.Operation) -> ir.Value:
    """The table for sums that become pieces, before ``first``."""
    fills = piece_fills()
    with ir.InsertionPoint(first):
        table = _words(first.block, [fills[0].number])
        for start, number, step, word in fills:
            signed = word - (word >> _WORD_BITS - 1 << _WORD_BITS)
            fill(constant(ir.IntegerAttr.get(_i32(), signed)), memref.subview(table, [start], [number], [step]))
    return table


_WORD_BITS = 32
_TABLES = 1
"""Where a conversion to bytes has its tables among its operands."""


def _i32() -> ir.Type:
    return ir.IntegerType.get_signless(_WORD_BITS)


def _words(block: ir.Block, shape: list[int]) -> ir.Value:
    """Words in TCM, until the end of ``block``."""
    table = memref.alloc(ir.MemRefType.get(shape, _i32(), memory_space=memory_space(TCM_SPACE)), [], [])
    with ir.InsertionPoint.at_block_terminator(block):
        memref.dealloc(table)
    return table


def _users_in(block: ir.Block, values: Iterable[ir.Value]) -> set[ir.Operation | None]:
    """The operations of ``block`` that use the buffers of ``values``, or hold such operations."""
    return {ancestor_in(use.owner.operation, block) for value in values for use in uses_of_buffer(root_buffer(value))}


def _erase_unread(function: ir.Operation, origin: str) -> None:
    """Buffers of sums that are only allocated and freed."""
    for op in ops_named(function, "memref.alloc"):
        users = [use.owner.operation for use in op.results[0].uses]
        if users and all(user.name == "memref.dealloc" for user in users):
            for user in (*users, op):
                erase_op(user, origin)

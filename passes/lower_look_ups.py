"""Look-ups of tables in registers to vlut32 and vlut16."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from hexagon_mlir.dialects.look_ups import ELEMENT_BITS, INDEX_BITS, MOST_ELEMENTS, LookUp
from hexagon_mlir.ir import erase_op, ir
from hexagon_mlir.ir.hexagon_dialect import LOOK_UP
from hexagon_mlir.ir.query import ops_named
from hexagon_mlir.pass_infra import Pass, PassContext
from hexagon_mlir.passes.lib.intrinsics import Registers

_BYTES, _HALVES, _WORDS = ELEMENT_BITS
_PIECES = {_BYTES: 32, _HALVES: 16}
"""Bits of an element -> table elements that one instruction covers."""
_IMMEDIATES = 8  # a piece's number is an immediate up to here


@dataclass(frozen=True)
class LowerLookUpsPass(Pass):
    """Turns each ``hexagon.look_up`` into HVX's instructions for it, as calls of LLVM's intrinsics.

    vlut32 looks up bytes in 32 entries: those in the even or odd bytes of the first or second half of a vector, so the
    halves of the table are interleaved first. vlut16 does the same with 16 halfwords. Its two results are the elements
    for even and for odd indices; they are in memory order if the halves of the indices are interleaved too. Words are
    looked up in two halves. A larger table is searched piece by piece; an index that is in no piece gives zero. (HVX
    V73 PRM 80-N2040-54, chapter 5.)

    Before:
        func.func @f(%t: vector<128xi8>, %i: vector<128xi8>) -> vector<128xi8> {
          %0 = "hexagon.look_up"(%t, %i) {count = 40 : i64} : (vector<128xi8>, vector<128xi8>) -> vector<128xi8>
          return %0 : vector<128xi8>
        }

    After:
        func.func @f(%t: vector<128xi8>, %i: vector<128xi8>) -> vector<128xi8> {
          %0 = vector.bitcast %t : vector<128xi8> to vector<32xi32>
          %1 = llvm.call_intrinsic "llvm.hexagon.V6.vshuffb.128B"(%0) : (vector<32xi32>) -> vector<32xi32>
          %2 = vector.bitcast %i : vector<128xi8> to vector<32xi32>
          %c0_i32 = arith.constant 0 : i32
          %3 = llvm.call_intrinsic "llvm.hexagon.V6.vlutvvbi.128B"(%2, %1, %c0_i32) :
              (vector<32xi32>, vector<32xi32>, i32) -> vector<32xi32>
          %c1_i32 = arith.constant 1 : i32
          %4 = llvm.call_intrinsic "llvm.hexagon.V6.vlutvvb.oracci.128B"(%3, %2, %1, %c1_i32) :
              (vector<32xi32>, vector<32xi32>, vector<32xi32>, i32) -> vector<32xi32>
          %5 = vector.bitcast %4 : vector<32xi32> to vector<128xi8>
          return %5 : vector<128xi8>
        }

    Options:
        none

    Refuses: tables of elements other than i8, i16 and i32, of more than 256 elements, or of more elements than the
    table's vector has; vectors that do not fill whole registers.

    Needs: runtime.
    Leaves: runtime.
    """

    name: ClassVar[str] = "lower-look-ups"
    needs: ClassVar[str] = "runtime"
    leaves: ClassVar[str] = "runtime"

    def run(self, module: ir.Module, context: PassContext) -> None:
        """Lower every look-up."""
        vector_bytes = int(context.target.vector_bytes.value)
        for op in ops_named(module, LOOK_UP):
            look_up = LookUp.of(op)
            if reason := _unfit(look_up, op.results[0].type, vector_bytes * 8):
                raise self.refuse(op, reason, "hexagon-vectorization writes look-ups")
            with op.location, ir.InsertionPoint(op):
                found = _Search(Registers(vector_bytes), look_up.count).found(look_up)
            op.results[0].replace_all_uses_with(found)
            erase_op(op, self.name)


def _unfit(look_up: LookUp, found: ir.Type, register_bits: int) -> str | None:
    """Why there are no instructions for ``look_up``."""
    table, indices = ir.VectorType(look_up.table.type), ir.VectorType(look_up.indices.type)
    widths = [type_.element_type.width if isinstance(type_.element_type, ir.IntegerType) else 0
              for type_ in (table, indices)]
    if widths[0] not in ELEMENT_BITS or widths[1] != INDEX_BITS:
        return f"a look-up in {table} by {indices}"
    if not 0 < look_up.count <= min(MOST_ELEMENTS, table.shape[0]):
        return f"{look_up.count} elements in {table}"
    if found != ir.VectorType.get(indices.shape, table.element_type):
        return f"{found} found for {indices} in {table}"
    for type_, width in zip((table, indices), widths, strict=True):
        registers, rest = divmod(type_.shape[0] * width, register_bits)
        if rest or type_.rank != 1 or registers.bit_count() != 1:
            return f"{type_}, which fills no power of two of registers"
    return None


@dataclass(frozen=True)
class _Search:
    """Searches tables of ``count`` elements."""

    hvx: Registers
    count: int

    def found(self, look_up: LookUp) -> ir.Value:
        """The element for each index."""
        hvx, element = self.hvx, ir.VectorType(look_up.table.type).element_type
        tables = hvx.parts(look_up.table)
        found: list[ir.Value] = []
        if element.width == _BYTES:
            tables = [self._interleaved(table, _BYTES) for table in tables]
        elif element.width == _HALVES:
            tables = [self._interleaved(table, _HALVES) for table in tables]
        else:
            pairs = list(zip(tables[::2], tables[1::2] or tables, strict=True))
            low, high = ([hvx.call(name, hvx.vector, second, first) for first, second in pairs]
                         for name in ("vshufeh", "vshufoh"))
        for index in hvx.parts(look_up.indices):
            if element.width == _BYTES:
                found.append(self._search(tables, _BYTES, index))
                continue
            interleaved = self._interleaved(index, _BYTES)
            if element.width == _HALVES:
                found += hvx.halves(self._search(tables, _HALVES, interleaved))
                continue
            evens, odds = (hvx.halves(self._search(half, _HALVES, interleaved)) for half in (low, high))
            for odd, even in zip(odds, evens, strict=True):
                found += hvx.halves(hvx.call("vshuffvdd", hvx.pair, odd, even, -2))
        return hvx.concatenated(found, element)

    def _search(self, tables: Sequence[ir.Value], bits: int, index: ir.Value) -> ir.Value:
        """The elements for ``index``: one instruction for each piece of the tables, the results or-ed together."""
        hvx = self.hvx
        name, type_ = ("vlutvvb", hvx.vector) if bits == _BYTES else ("vlutvwh", hvx.pair)
        found: list[ir.Value] = []
        for piece in range(-(-self.count // _PIECES[bits])):
            suffix = "i" if piece < _IMMEDIATES else ""
            table = tables[piece * _PIECES[bits] * bits // hvx.bits]
            found = [hvx.call(f"{name}{'.oracc' * len(found)}{suffix}", type_, *found, index, table, piece)]
        return found[0]

    def _interleaved(self, register: ir.Value, bits: int) -> ir.Value:
        """The elements of both halves of a register in turn."""
        return self.hvx.call({_BYTES: "vshuffb", _HALVES: "vshuffh"}[bits], self.hvx.vector, register)

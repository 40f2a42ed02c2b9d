"""Convolutions of bytes that the engine can compute, read into plain records."""

from __future__ import annotations

from dataclasses import dataclass, replace

from hexagon_mlir.dialects.engine_tiles import TILE, VECTOR_TILES
from hexagon_mlir.dialects.packed_weights import sums_of, tiles_of
from hexagon_mlir.ir import ir
from hexagon_mlir.passes.engine_convolution.byte_schedule import packs_narrow
from hexagon_mlir.passes.engine_convolution.image import RESHAPES, Image
from hexagon_mlir.passes.engine_convolution.read import Geometry, is_narrow, narrow, read_geometry, start_of_sums
from hexagon_mlir.passes.lib.engine_byte_conversions import Conversion, find_conversion
from hexagon_mlir.passes.lib.engine_byte_tiles import SIGN, unflipped
from hexagon_mlir.passes.matrix_engine.read import elementwise_user
from hexagon_mlir.passes.matrix_engine.read_bytes import is_byte, sign


@dataclass(frozen=True)
class ByteConvolution:
    """A convolution of bytes with sums in i32, modulo 2**32, from zero or from a ``bias`` for each output.

    ``epilogue`` is the op that is the only one to read the sums, or what their ``conversion`` to bytes gives, element
    by element; None where there is none. Bytes of
    the image are ``signed`` or not, those of weights are. ``image`` is in memory with 128 added if it is ``flipped``:
    unsigned bytes from which the program subtracts 128 before.
    """

    op: ir.Operation
    epilogue: ir.Operation | None
    bias: ir.Value | None
    geometry: Geometry
    image: Image
    signed: bool
    flipped: bool
    conversion: Conversion | None = None

    @property
    def operations(self) -> tuple[ir.Operation, ...]:
        """The ops that the engine and what follows it replace, the last one first."""
        found = (self.epilogue, None if self.conversion is None else self.conversion.op, self.op)
        return tuple(op for op in found if op is not None)

    @property
    def last(self) -> ir.Operation:
        """The op whose result the engine's replaces."""
        return self.operations[0]

    @property
    def read_out(self) -> ir.Value:
        """What the engine gives, and the epilogue reads."""
        return (self.op if self.conversion is None else self.conversion.op).results[0]

    def to_bytes(self) -> ByteConvolution:
        """The same, converted to bytes by the engine where that is how its epilogue begins."""
        found = find_conversion(self.epilogue, self.op.results[0])
        return self if found is None else replace(self, conversion=found, epilogue=elementwise_user(found.op))

    @property
    def weights(self) -> ir.Value:
        """[taps_y] [taps_x] run, outputs."""
        return self.op.operands[1]

    @property
    def tiles(self) -> ir.Value | None:
        """The tiles that the weights are since compile time; None where they are not."""
        return tiles_of(self._matrix)

    @property
    def channel_sums(self) -> ir.Value | None:
        """What signed bytes of the image add to the sums of each channel, if tiles came with it."""
        return sums_of(self._matrix)

    @property
    def _matrix(self) -> ir.Value:
        """What the weights are reshaped from."""
        value = self.weights
        while not isinstance(value.owner, ir.Block) and value.owner.operation.name in RESHAPES:
            value = value.owner.operation.operands[0]
        return value


def read_byte_convolution(op: ir.Operation) -> ByteConvolution | str | None:
    """What linalg op ``op`` on tensors convolves; why the engine cannot; None for what is no convolution of bytes."""
    found_geometry = read_geometry(op)
    if found_geometry is None or not all(is_byte(value) for value in list(op.operands)[:2]):
        return None
    if isinstance(found_geometry, str):
        return found_geometry
    geometry, image_shape = found_geometry
    if str(ir.RankedTensorType(op.operands[2].type).element_type) != "i32":
        return "its sums have not 32 bits"
    signs = [sign(argument) for argument in list(op.regions[0].blocks[0].arguments)[:2]]
    if signs[0] is None or not signs[1]:
        return "its weights have no sign"
    geometry = narrow(geometry)
    if geometry.groups > 1 or not (is_narrow(geometry) or (geometry.run, geometry.column_tap) == (TILE, TILE)):
        return "bytes of groups of channels, of channels that are no whole tiles, or of taps that are no neighbours"
    if is_narrow(geometry) and not packs_narrow(geometry, VECTOR_TILES):
        return "rows of few bytes"
    found, bias = start_of_sums(op.operands[2])
    if not found:
        return "its sums start neither from zero nor from a bias"
    image = Image.of(op.operands[0], image_shape)
    unsigned = _unflipped(image) if signs[0] else None
    return ByteConvolution(op, elementwise_user(op), bias, geometry, unsigned or image, signs[0], unsigned is not None)


def _unflipped(image: Image) -> Image | None:
    """The bytes, 128 more than ``image``, that it is computed from; None where it is not."""
    value = image.source
    while not isinstance(value.owner, ir.Block) and value.owner.operation.name in RESHAPES:
        value = value.owner.operation.operands[0]
    source = unflipped(value)
    if source is None:
        return None
    border = image.border
    if border is not None:
        number = (ir.IntegerAttr(border).value ^ SIGN) & 0xFF
        border = ir.IntegerAttr.get(border.type, number - (number & 0x80) * 2)
    return replace(image, source=source, border=border)

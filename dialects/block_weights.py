"""Weights of 4, 6 or 8 bits with a scale for each block of a column, as HVX multiplies them by a few rows.

The weights of a matrix K x N are two tensors. The codes are bytes ``[N / 64][K / B][B / 4][2][32][4]``, blocks of B
along K: four neighbours of a column form a word, and vectors of words hold the even and the odd columns of 64. Codes of
4 bits are ``[N / 64][K / B][B / 8][2][32][4]``: byte (j, p, c, k) holds, for column 2 c + p, row 8 j + k in its lower
half and row 8 j + 4 + k in its upper half. The lower four bits of codes of 6 bits are stored so, too; the upper two
are in a tensor of their own, ``[N / 64][K / B][B / 16][2][32][4]``: byte (i, p, c, k) holds those of rows 16 i + k,
16 i + 4 + k, 16 i + 8 + k and 16 i + 12 + k, the first ones in its lowest bits. The scales, finite f16 or f32, are
``[N / 64][K / B][2][32]``. A weight is its scale times what its code, a number without sign, exceeds its zero point: 8,
32 or 128, or a byte of
``[N / 64][K / B][2][32]``. Where that tensor is of f16 or f32, it holds minima: a weight is its scale times its code,
plus the minimum.

Scales, and minima, may be bytes with sign, each to be multiplied by an f16 factor that the blocks of a superblock of
256 rows share: ``[N / 64][K / 256][2][32]``. Those of k-quants are (``ggml-common.h``).

Other scales that are bytes are E8M0, and their codes E2M1, of 4 bits: MXFP4 of the OCP microscaling formats 1.0. A byte
e is 2^(e - 127), a code is a sign and one of 0, 1/2, 1, 3/2, 2, 3, 4, 6. The byte 255, a NaN, is not among them; half
of a scale below 2^-126 is zero.

Rows to multiply by are numbers in fixed point, ``[M][K / B][P][B / 8 or B / 4][2 or 1][4]`` bytes with sign: the p-th
of P bytes of a number counts 256^p units. The unit, a power of two, is that of a row in a block.
"""

from __future__ import annotations

from dataclasses import astuple, dataclass

from hexagon_mlir.dialects.engine_tiles import TILE
from hexagon_mlir.dialects.packed_weights import numbers
from hexagon_mlir.ir import ir
from hexagon_mlir.ir.diagnostics import error_at

COLUMNS, LANES, PARITIES = 64, 32, 2
"""Of a tile of columns; in each of two vectors of words."""
WORD = 4
"""Codes of a column that are neighbours, bytes of rows that a word holds."""
BYTE_BITS = 8
LOWER_BITS, UPPER_BITS = 4, 2
"""Of a code of 6 bits: in the tensor of codes, and in that of upper bits."""
SPLIT_BITS = LOWER_BITS + UPPER_BITS
UPPER_ROWS = BYTE_BITS // UPPER_BITS * WORD
"""Rows of a column whose upper bits a word holds."""
BLOCKS = (16, 32, 64, 128)
"""Rows of weights that can share a scale."""
SUPERBLOCK = 256
"""Rows of weights whose blocks can share a factor of their scales."""
E2M1 = (0, 1, 2, 3, 4, 6, 8, 12)
"""The magnitudes of codes of MXFP4, in halves."""
E2M1_MIDDLE = max(E2M1)
"""What is added to them, with their signs, for numbers without sign."""
PLANES = {32: 4, 16: 2}
"""Bytes of fixed point by the bits of a float: its significand and 6 bits (f32), 3 bits (f16), 6 (bf16) more."""

TILES = "hexagon.block_tiles"
"""On a linalg op, which makes the matrix engine's tiles of f16 from such weights: the bits of a code."""
PRODUCT = "hexagon.block_product"
"""On a linalg op, a product of rows in fixed point with such weights: the bits of a code."""
ROW_OPERANDS = 3
"""Of such an op: the first operands are the rows' bytes, units and sums, which are read as scalars."""
CANDIDATES = "hexagon.block_constants"
"""On the function of a model: the numbers of constants, matrices, that are weights in blocks."""
FORMATS = "hexagon.block_formats"
"""On the function of a model: the numbers of `Format` for each of `CANDIDATES`; without it, all have its defaults."""
CODES = "hexagon.block_codes"
"""On the function of a model: the numbers of arguments that are codes; its last arguments are, for each
of them, what `Format.parts` has besides."""
ROWS_LOOP, TILES_LOOP = range(2)
"""Of such an op: over rows, and over tiles of columns, the only loop of which parts are computed apart."""

_FIELDS, _SUPER_BITS = 5, 16
_CODE_BITS = 4, SPLIT_BITS, BYTE_BITS


@dataclass(frozen=True)
class Format:
    """How weights are stored: the rows that share a scale, the bits of a code and of a scale (16 or 32; 8 of MXFP4),
    and the bits of what blocks have besides: nothing, zero points of 8, or minima of 16 or 32. Where
    `superblock` rows share factors of f16, scales and minima are bytes."""

    block: int = 32
    bits: int = 4
    scale_bits: int = 16
    zero_bits: int = 0
    superblock: int = 0

    @property
    def is_known(self) -> bool:
        """Whether there are such weights."""
        if self.superblock:
            return (self.superblock == SUPERBLOCK and self.block in BLOCKS and self.bits in _CODE_BITS
                    and self.scale_bits == BYTE_BITS and self.zero_bits in (0, BYTE_BITS))
        if self.scale_bits == BYTE_BITS:
            return self.block in BLOCKS and (self.bits, self.zero_bits) == (4, 0)
        return (self.block in BLOCKS and self.bits in _CODE_BITS and self.scale_bits in (16, 32)
                and self.zero_bits in (0, BYTE_BITS, 16, 32))

    def is_for_engine(self, depth: int) -> bool:
        """Whether HVX makes tiles of the matrix engine from such codes: ``depth`` weights of a column are whole tiles
        where they are whole blocks, and whole superblocks."""
        return (-(-depth // self.block) * self.block == -(-depth // TILE) * TILE
                and not (self.superblock and depth % self.superblock))

    @property
    def names(self) -> list[str]:
        """What the tensors of such weights are, in their order."""
        of_blocks = ["scales", "zeros"] if self.zero_bits else ["scales"]
        return ["codes", *["upper"] * (self.bits == SPLIT_BITS), *of_blocks,
                *(f"shared_{name}" for name in of_blocks if self.superblock)]

    def parts(self, columns: int, depth: int) -> list[tuple[int, list[int]]]:
        """The bits of the elements and the shapes of the tensors of ``depth`` x ``columns`` weights, in the order of
        `names`."""
        bits = {"scales": self.scale_bits, "zeros": self.zero_bits}
        shapes = {"codes": codes_shape(columns, depth, self.block, self.bits),
                  "upper": upper_shape(columns, depth, self.block)}
        return [(BYTE_BITS, shapes[name]) if name in shapes else
                (bits[name], scales_shape(columns, depth, self.block)) if name in bits else
                (_SUPER_BITS, scales_shape(columns, depth, self.superblock)) for name in self.names]


def note_formats(function: ir.Operation, formats: dict[int, Format]) -> None:
    """Write `CANDIDATES` and `FORMATS` of ``function``: the formats of its arguments by their numbers."""
    found = [(number, formats[number]) for number in sorted(formats)]
    values = [int(value) for _, one in found for value in astuple(one)]
    function.attributes[CANDIDATES] = ir.DenseI64ArrayAttr.get([number for number, _ in found], function.context)
    function.attributes[FORMATS] = ir.DenseI64ArrayAttr.get(values, function.context)


def formats_of(function: ir.Operation) -> dict[int, Format]:
    """The formats of the arguments of ``function`` that are weights in blocks; `HexError` for arguments that do not
    exist, and for other counts of numbers."""
    candidates, values = numbers(function, CANDIDATES), numbers(function, FORMATS)
    count = len(ir.FunctionType(ir.TypeAttr(function.attributes["function_type"]).value).inputs)
    if missing := [number for number in candidates if not 0 <= number < count]:
        raise error_at(function, "", f"{CANDIDATES} names argument {missing[0]}", f"the function has {count}")
    if FORMATS not in function.attributes:
        return dict.fromkeys(candidates, Format())
    if len(values) != _FIELDS * len(candidates):
        raise error_at(function, "", f"{FORMATS} has {len(values)} numbers",
                       f"{_FIELDS} for each of {CANDIDATES} are expected")
    given = [values[first:first + _FIELDS] for first in range(0, len(values), _FIELDS)]
    found = {number: Format(*fields) for number, fields in zip(candidates, given, strict=True)}
    return {number: form for number, form in found.items() if form.is_known}


def code_bits(op: ir.Operation) -> int:
    """Bits of the codes in product ``op``; 0 for any other op."""
    return _bits(op, PRODUCT)


def tile_bits(op: ir.Operation) -> int:
    """Bits of the codes that ``op`` makes tiles of; 0 for any other op."""
    return _bits(op, TILES)


def _bits(op: ir.Operation, name: str) -> int:
    return ir.IntegerAttr(op.attributes[name]).value if name in op.attributes else 0


def codes_in_byte(bits: int) -> int:
    """How many codes of ``bits``, or lower parts of them, are in a byte."""
    return 1 if bits == BYTE_BITS else BYTE_BITS // LOWER_BITS


def codes_shape(columns: int, depth: int, block: int, bits: int) -> list[int]:
    """Shape of the codes of ``depth`` x ``columns`` weights, bytes, with what fills up blocks and tiles of columns."""
    return [-(-columns // COLUMNS), -(-depth // block), block // (WORD * codes_in_byte(bits)), PARITIES, LANES, WORD]


def upper_shape(columns: int, depth: int, block: int) -> list[int]:
    """Shape of their upper bits, of codes of 6 bits."""
    return [-(-columns // COLUMNS), -(-depth // block), block // UPPER_ROWS, PARITIES, LANES, WORD]


def scales_shape(columns: int, depth: int, block: int) -> list[int]:
    """Shape of their scales, and of zero points; with ``block`` `SUPERBLOCK`, of the factors of superblocks."""
    return [-(-columns // COLUMNS), -(-depth // block), PARITIES, LANES]


def rows_shape(rows: int, depth: int, block: int, bits: int, planes: int) -> list[int]:
    """Shape of ``rows`` in fixed point."""
    codes = codes_in_byte(bits)
    return [rows, -(-depth // block), planes, block // (WORD * codes), codes, WORD]

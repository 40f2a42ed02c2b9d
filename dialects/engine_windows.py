"""Activation tiles that several result tiles of a convolution share, on the matrix engine.

The pixels of a result tile lie far apart, as many rows and columns as there are rows and columns of tiles: so the
windows of neighbouring tiles are those of neighbouring pixels, and what a tap of one reads is what another tap of the
next one reads. Activations are ``[rows][columns][T][16][32][2]``, of bytes ``[rows][columns][T][64][32]``: a tile for
each place of a tap, ``T`` of them along the channels. Result tile ``(y, x)`` sums, over the taps ``(ky, kx)`` and the
channels, the tiles ``[y * row_step + ky * row_tap][x * column_step + kx]``.

Of a convolution in groups, columns of result tiles read the channels of their group only: each row of activations is
followed by those of the same pixels for the next groups.
"""

from __future__ import annotations

from dataclasses import astuple, dataclass, fields

from hexagon_mlir.ir import ir

WINDOWS = "hexagon.windows"
"""On a product of tiles."""
WINDOWS_RANK = 6
"""Dimensions of such activations."""
BYTE_WINDOWS_RANK = 5
"""Dimensions of those of bytes."""
UPPER_BIT = 16
"""Where the second one of two numbers begins that the routine for such products takes as one argument."""


@dataclass(frozen=True)
class Windows:
    """``columns`` are result tiles side by side, ``taps_x`` taps of a row of the window; the others are in tiles.

    ``of_group`` columns of result tiles (along the channels) are one group's; 0 where there are no groups. The numbers
    are not negative; steps may be 0 (the one row of taps lies in the rows of its tile), divisors may not.
    """

    columns: int
    row_step: int
    row_tap: int
    column_step: int
    taps_x: int
    of_group: int = 0

    @staticmethod
    def of(op: ir.Operation) -> Windows | None:
        """What the operation ``op`` says; None where its activations are the tiles of a matrix, or what it says are no
        windows."""
        if WINDOWS not in op.attributes:
            return None
        found = op.attributes[WINDOWS]
        numbers = list(found) if isinstance(found, ir.DenseI64ArrayAttr) else []
        count = len(fields(Windows))
        if not count - 1 <= len(numbers) <= count or min(numbers) < 0:
            return None
        windows = Windows(*numbers)
        return windows if windows.columns and windows.taps_x else None

    def note(self, op: ir.Operation) -> None:
        """Say it on ``op``."""
        numbers = list(astuple(self))
        op.attributes[WINDOWS] = ir.DenseI64ArrayAttr.get(numbers if self.of_group else numbers[:-1], op.context)

    def places(self, tile: ir.AffineExpr, column: ir.AffineExpr, step: ir.AffineExpr,
               channel_tiles: int) -> list[ir.AffineExpr]:
        """Row, column and channel tile of the activation that result tile ``tile`` reads, for ``column`` of the
        channels, at ``step`` of its sum."""
        y, x = (ir.AffineExpr.get_floor_div(tile, self.columns), ir.AffineExpr.get_mod(tile, self.columns))
        tap, run = ir.AffineExpr.get_floor_div(step, channel_tiles), self.taps_x * channel_tiles
        ky, kx = ir.AffineExpr.get_floor_div(step, run), ir.AffineExpr.get_mod(tap, self.taps_x)
        row = y * self.row_step + ky * self.row_tap
        if self.of_group:
            row = row + ir.AffineExpr.get_floor_div(column, self.of_group)
        return [row, x * self.column_step + kx,
                ir.AffineExpr.get_mod(step, channel_tiles)]

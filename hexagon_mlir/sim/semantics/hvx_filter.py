"""HVX 3 x 3 filter on 2 x 2 tiles of bytes: v6mpy (HVX PRM, multiply double resource).

A word holds a tile; three coefficients of 10 bits stand in each word of the coefficient pair, their top two bits
in byte 3. Two columns of three pixels each meet the two rows of coefficients.
"""

from __future__ import annotations

from hexagon_mlir.sim.semantics.lanes import Pair
from hexagon_mlir.sim.semantics.registry import semantics
from hexagon_mlir.sim.semantics.value import Val

Pixels = tuple[tuple[int, int], ...]
"""(register of the pair, byte of the word) of three pixels."""
COLUMNS: dict[str, tuple[tuple[Pixels, Pixels], ...]] = {
    "h": ((((1, 3), (1, 1), (0, 3)), ((1, 2), (1, 0), (0, 2))), (((1, 1), (0, 3), (0, 1)), ((1, 0), (0, 2), (0, 0)))),
    "v": ((((0, 3), (1, 2), (1, 3)), ((0, 1), (1, 0), (1, 1))), (((0, 2), (0, 3), (1, 2)), ((0, 0), (0, 1), (1, 0)))),
}
"""Direction -> for phases 0-1 and 2-3: the outer and the inner column."""


def _coefficients(words: Val) -> list[Val]:
    top = words.lshr(24)
    return [(((top.lshr(2 * i) & 3) << 30) | ((words.lshr(8 * i) & 0xFF) << 22)) >> 22 for i in range(3)]


def _filter(u: Pair, v: Pair, phase: int, direction: str) -> Pair:
    outer, inner = COLUMNS[direction][phase // 2]
    first, second = (_coefficients(register.w) for register in v)

    def dot(pixels: Pixels, coefficients: list[Val]) -> Val:
        values = [u[register].w.lshr(8 * byte) & 0xFF for register, byte in pixels]
        products = [a * c for a, c in zip(values, coefficients, strict=True)]
        return products[0] + products[1] + products[2]

    if phase % 2 == 0:
        return dot(inner, second), dot(outer, second) + dot(inner, first)
    return dot(outer, second) + dot(inner, first), dot(outer, first)


for name in COLUMNS:
    semantics(f"VV.w=v6mpy(VV.ub,VV.b,I):{name}", lambda u, v, n, d=name: _filter(u, v, n, d))
    semantics(f"VV.w+=v6mpy(VV.ub,VV.b,I):{name}", lambda x, u, v, n, d=name: tuple(
        o.w + p for o, p in zip(x, _filter(u, v, n, d), strict=True)))  # fmt: skip

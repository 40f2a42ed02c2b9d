"""Convolutions of bytes with a filter for each channel, read into a plan: pure functions over a `Contraction`, no IR.

``out[.., x, c] = sum over k, t of image[.., rows + k, columns * x + t, c] * filter[k, t, c]``: every operand is
contiguous along the channels, so that no element is broadcast. Four steps of one reduction, the rows of the window, are
packed to a word of each channel, and vrmpy multiplies the words of 32 channels. Words of a row of pixels serve all of
their windows.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil

from hexagon_mlir.passes.contraction.plan import WORD_BYTES, ContractionPlan
from hexagon_mlir.passes.lib.contractions import Contraction

_BYTE_BITS = 8
_LEAST_CHANNELS = 8
_LEAST_TAPS = 2
_MOST_PIXELS = 8
"""Sums of a block: they, words and filters stay in registers."""
_MOST_WORDS = 16
"""Of the filter of a channel, for the same reason."""


@dataclass(frozen=True)
class ChannelPlan:
    """``image`` and ``filter`` are operands. ``word_loop`` is the reduction packed to words, ``tap_loop`` the other, if
    any; ``pixel_loop`` is blocked. Dimension ``place`` of the image has ``pixel_loop`` and ``tap_loop``."""

    channel_loop: int
    pixel_loop: int
    word_loop: int
    tap_loop: int | None
    image: int
    filter: int
    place: int
    words: int
    taps: int
    pixels: int

    def blocks(self, vector_bytes: int) -> ContractionPlan:
        """The blocks of accumulators, a vector of words wide."""
        lanes = vector_bytes // WORD_BYTES
        loops = (self.word_loop,) if self.tap_loop is None else (self.tap_loop, self.word_loop)
        return ContractionPlan(self.channel_loop, lanes, 1, self.pixel_loop, self.pixels, loops, dot_products=True)


def find_channel_products(contraction: Contraction) -> ChannelPlan | None:
    """The plan; None for any other contraction."""
    if contraction.combiner != "arith.addi" or len(contraction.inputs) != 2 or None in contraction.extents:
        return None
    accesses = contraction.accesses
    if any(accesses[i].bits != _BYTE_BITS for i in contraction.inputs):
        return None
    if contraction.output.bits != _BYTE_BITS * WORD_BYTES:
        return None
    parallel = [loop for loop, reduction in enumerate(contraction.reduction) if not reduction]
    channel = next((loop for loop in parallel if all(a.walks(loop) for a in accesses)), None)
    if channel is None or (contraction.extents[channel] or 0) < _LEAST_CHANNELS:
        return None
    filters = [i for i in contraction.inputs if not any(accesses[i].uses(p) for p in parallel if p != channel)]
    if len(filters) != 1 or None in [index.plain for index in accesses[filters[0]].indices]:
        return None
    (image,) = (i for i in contraction.inputs if i != filters[0])
    return _with_loops(contraction, channel, image, filters[0])


def _with_loops(contraction: Contraction, channel: int, image: int, filter_: int) -> ChannelPlan | None:
    extents, indices = contraction.extents, contraction.accesses[image].indices[:-1]
    if contraction.accesses[image].indices[-1].plain != channel:
        return None
    reductions = [loop for loop, reduction in enumerate(contraction.reduction) if reduction]
    for place in reversed(range(len(indices))):
        pixels = [loop for loop, _ in indices[place].terms if not contraction.reduction[loop]]
        taps = [loop for loop, _ in indices[place].terms if contraction.reduction[loop]]
        words = [loop for loop in reductions if loop not in taps]
        if len(pixels) != 1 or len(words) != 1 or len(taps) > 1:
            continue
        others = [index for number, index in enumerate(indices) if number != place]
        if any(index.factor(pixels[0]) for index in others) or min(f for _, f in indices[place].terms) < 1:
            continue
        steps, width, count = extents[words[0]] or 0, extents[pixels[0]] or 0, extents[taps[0]] or 0 if taps else 1
        if steps < _LEAST_TAPS or ceil(steps / WORD_BYTES) * count > _MOST_WORDS or not width:
            continue
        blocks = ceil(width / _MOST_PIXELS)
        return ChannelPlan(channel, pixels[0], words[0], taps[0] if taps else None, image, filter_, place,
                           ceil(steps / WORD_BYTES), count, ceil(width / blocks))
    return None

"""Emits convolutions of bytes with a filter for each channel: words of four rows, multiplied by vrmpy."""

from __future__ import annotations

from math import ceil

from hexagon_mlir.ir import ir, make, memref
from hexagon_mlir.ir.constants import constant, index
from hexagon_mlir.ir.query import TCM_SPACE, memory_space
from hexagon_mlir.passes.contraction.channel_products import ChannelPlan
from hexagon_mlir.passes.contraction.dot_products import dot_product, interleaved, widened
from hexagon_mlir.passes.contraction.emit import Column, ContractionEmitter, Ivs, each
from hexagon_mlir.passes.contraction.plan import WORD_BYTES
from hexagon_mlir.passes.contraction.start import Start
from hexagon_mlir.passes.lib.contractions import Body, Contraction
from hexagon_mlir.passes.lib.tail import Tail


class ChannelProductEmitter(ContractionEmitter):
    """`ContractionEmitter` for a `ChannelPlan`."""

    def __init__(self, op: ir.Operation, contraction: Contraction, body: Body, channels: ChannelPlan, vector_bytes: int,
                 start: Start | None = None):
        """As of `ContractionEmitter`."""
        super().__init__(op, contraction, body, channels.blocks(vector_bytes), vector_bytes, None, start)
        self.channels = channels
        self.length = contraction.extents[channels.channel_loop] or 0
        place = contraction.accesses[channels.image].indices[channels.place]
        self.step = place.factor(channels.pixel_loop)
        self.dilation = 1 if channels.tap_loop is None else place.factor(channels.tap_loop)
        pixels = contraction.extents[channels.pixel_loop] or 0
        self.positions = self.step * (pixels - 1) + self.dilation * (channels.taps - 1) + 1
        strides = ir.MemRefType(self.values[channels.image].type).get_strides_and_offset()[0]
        rank = len(contraction.accesses[channels.image].indices)
        self.is_flat = channels.place == rank - 2 and strides[channels.place] == self.length
        self.loaded: list[list[ir.Value]] = []

    @property
    def may_wait(self) -> bool:
        """Words are copies."""
        return False

    def _packed_input(self) -> int | None:
        return None

    def emit(self) -> None:
        """Emit everything."""
        plan = self.channels
        if 0 in self.contraction.extents:
            return
        self.filters = self._buffer([plan.taps, plan.words, self._padded(1)])
        self.words = self._buffer([plan.words, self._padded(self.positions)])
        for tap in range(plan.taps):
            for word in range(plan.words):
                taps = {} if plan.tap_loop is None else {plan.tap_loop: index(tap)}
                self._pack(plan.filter, taps, word, self.filters, [index(tap), index(word)], index(0), self.length)
        outer = [loop for loop, reduction in enumerate(self.contraction.reduction)
                 if not reduction and loop not in (plan.channel_loop, plan.pixel_loop)]
        self._outer_loops(outer, {}, None)
        memref.dealloc(self.words)
        memref.dealloc(self.filters)

    def _buffer(self, shape: list[int]) -> ir.Value:
        byte = ir.IntegerType.get_signless(8)
        return memref.alloc(ir.MemRefType.get(shape, byte, memory_space=memory_space(TCM_SPACE)), [], [])

    def _padded(self, positions: int) -> int:
        """Bytes of the words of so many pixels, which are stored in whole vectors, and a vector is read from any."""
        last = positions * self.length if self.is_flat else self.length
        before = positions * self.length - last
        vectors = ceil(before * WORD_BYTES / self.vector_bytes) + ceil(last / self.vector_bytes) * WORD_BYTES + 1
        return vectors * self.vector_bytes

    def _columns(self, ivs: Ivs) -> None:
        plan = self.channels
        taps = {} if plan.tap_loop is None else {plan.tap_loop: index(0)}
        for word in range(plan.words):
            at = {**ivs, plan.pixel_loop: index(0), **taps}
            if self.is_flat:
                self._pack(plan.image, at, word, self.words, [index(word)], index(0), self.positions * self.length)
                continue
            each(index(self.positions), lambda iv, at=at, word=word: self._pack(
                plan.image, at, word, self.words, [index(word)], iv, self.length))
        super()._columns(ivs)

    # -- words ---------------------------------------------------------------------------------------------------

    def _pack(self, operand: int, ivs: Ivs, word: int, buffer: ir.Value, outer: list[ir.Value], position: ir.Value,
              count: int) -> None:
        """``count`` elements of ``operand`` at ``ivs``, from ``position`` on, four steps of ``word`` each."""
        lanes = self.vector_bytes
        to = make.muli(position, index(self.length * WORD_BYTES))
        whole, left = divmod(count, lanes)

        def pack(start: ir.Value, tail: Tail | None) -> None:
            self._pack_vector(operand, ivs, word, position, start, tail, buffer, outer,
                              make.addi(to, make.muli(start, index(WORD_BYTES))))

        if whole:
            each(index(whole), lambda iv: pack(make.muli(iv, index(lanes)), None))
        if left:
            pack(index(whole * lanes), Tail(index(left), left, lanes, 8))

    def _pack_vector(self, operand: int, ivs: Ivs, word: int, position: ir.Value, start: ir.Value, tail: Tail | None,
                     buffer: ir.Value, outer: list[ir.Value], to: ir.Value) -> None:
        plan, access, source = self.channels, self.contraction.accesses[operand], self.values[operand]
        type_ = ir.VectorType.get([self.vector_bytes], ir.MemRefType(source.type).element_type)
        steps = self.contraction.extents[plan.word_loop] or 0
        rows = []
        for step in range(word * WORD_BYTES, min((word + 1) * WORD_BYTES, steps)):
            at = self.indices(access, {**ivs, plan.word_loop: index(step), plan.channel_loop: start})
            if operand == plan.image:
                at[plan.place] = make.addi(at[plan.place], position)
            rows.append(make.load(type_, source, at, alignment=1) if tail is None else
                        tail.load(type_, source, at, access.bits, 1))
        zeros = constant(ir.DenseElementsAttr.get_splat(type_, ir.IntegerAttr.get(type_.element_type, 0)))
        rows += [zeros if operand == plan.filter else rows[0]] * (WORD_BYTES - len(rows))  # multiplied by zeros
        for number, value in enumerate(interleaved(rows)):
            place = make.addi(to, index(number * self.vector_bytes))
            make.store(value, buffer, [*outer, place], alignment=1)

    # -- blocks --------------------------------------------------------------------------------------------------

    def _rows(self, ivs: Ivs, columns: list[Column]) -> None:
        (column,) = columns
        start = make.muli(column.start, index(WORD_BYTES))
        self.loaded = [[self._bytes(self.filters, [index(tap), index(word), start], self.vector_bytes)
                        for word in range(self.channels.words)] for tap in range(self.channels.taps)]
        super()._rows(ivs, columns)

    def _reduce(self, loops: list[int], inner: Ivs, carried: list[ir.Value], rows: list[Ivs],
                columns: list[Column]) -> list[ir.Value]:
        """The sums of a block of pixels: the words of a pixel serve all of its windows."""
        plan, (column,) = self.channels, columns
        first = make.muli(rows[0][plan.pixel_loop], index(self.step))
        casts = dict(zip(self.contraction.inputs, self.body.widen, strict=True))
        of_image, of_filter = casts[plan.image], casts[plan.filter]
        assert of_image is not None and of_filter is not None
        alignment = self.vector_bytes if self.length * WORD_BYTES % self.vector_bytes == 0 else WORD_BYTES
        words: dict[tuple[int, int], ir.Value] = {}
        sums = list(carried)
        for number in range(len(rows)):
            for tap in range(plan.taps):
                offset = self.step * number + self.dilation * tap
                for word in range(plan.words):
                    if (offset, word) not in words:
                        pixel = make.muli(make.addi(first, index(offset)), index(self.length))
                        place = make.muli(make.addi(pixel, column.start), index(WORD_BYTES))
                        words[offset, word] = self._bytes(self.words, [index(word), place], alignment)
                    total = dot_product(widened(of_image, words[offset, word]),
                                        widened(of_filter, self.loaded[tap][word]))
                    sums[number] = make.addi(sums[number], total)
        return sums

    def _bytes(self, buffer: ir.Value, at: list[ir.Value], alignment: int) -> ir.Value:
        type_ = ir.VectorType.get([self.vector_bytes], ir.MemRefType(buffer.type).element_type)
        return make.load(type_, buffer, at, alignment=alignment)

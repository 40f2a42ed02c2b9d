"""The rules of a checked run, with a hint each, and the flags of its shadow memory."""

from __future__ import annotations

from enum import StrEnum

ADDRESSABLE, INITIALISED, DMA_DESTINATION, DMA_SOURCE = 1, 2, 4, 8
READABLE = 16
"""The zone after an allocation, which a masked vector load may read without use."""
READ_ONLY = 32
SAVED = 64
"""The words of a frame that hold the caller's r31:30."""
DEAD = 128
"""Written through sp or fp beyond the frame of a function that has returned: an argument of it at most."""


class Rule(StrEnum):
    """A rule of the checked run."""

    OUT_OF_BOUNDS = "out-of-bounds"
    VARIABLE_BOUNDS = "out-of-variable"
    BELOW_STACK = "below-stack-pointer"
    READ_ONLY = "read-only"
    RETURN_ADDRESS = "return-address"
    CALLER_FRAME = "caller-frame"
    MISALIGNED = "misaligned"
    MISALIGNED_STORE = "misaligned-vector-store"
    USE_BEFORE_WAIT = "dma-use-before-wait"
    SOURCE_CHANGED = "dma-source-changed"
    FREED_IN_FLIGHT = "dma-freed"
    UNINITIALISED = "uninitialised"
    RACE = "race"
    VECTOR_RACE = "race-of-a-vector-load"
    DMA_OVERLAP = "dma-overlap"
    DOUBLE_FREE = "double-free"
    LEAK = "leak"
    STACK_OVERFLOW = "stack-overflow"
    FLOAT_KIND = "float-kind"
    UNKNOWN_JUMP = "unknown-jump"
    MATRIX_RESULT = "matrix-use-before-wait"
    MATRIX_OPERAND = "matrix-operand-changed"
    MATRIX_MISALIGNED = "matrix-misaligned"
    MATRIX_WINDOW = "matrix-window"
    MATRIX_DROPPED = "matrix-dropped"
    MATRIX_INFINITY = "matrix-infinity"
    MATRIX_RELU = "matrix-relu"
    MATRIX_HOLDER = "matrix-not-held"


CODES = tuple(Rule)
"""Rule by number in the state record."""
HINTS = {
    Rule.VARIABLE_BOUNDS: "compare the index with the size of the variable",
    Rule.BELOW_STACK: "make a frame first, or copy the data before its frame goes",
    Rule.READ_ONLY: "write to a copy, or declare the data without const",
    Rule.RETURN_ADDRESS: "compare the size of the frame's arrays with what is written to them",
    Rule.CALLER_FRAME: "a function owns its frame and its arguments: compare offsets with the size of its frame",
    Rule.MISALIGNED_STORE: "vmem ignores the low bits of an address; use vmemu, or align the data",
    Rule.FREED_IN_FLIGHT: "wait for the transfer before memory is freed",
    Rule.MATRIX_RESULT: "call hexmlir_rt_engine_wait before results are read",
    Rule.MATRIX_OPERAND: "call hexmlir_rt_engine_wait before operands are overwritten",
    Rule.MATRIX_MISALIGNED: "tiles stand at multiples of 2 KiB, weights of 128 bytes, bias tables of their size",
    Rule.MATRIX_WINDOW: "allocate operands so that each lies in one window of the TCM mapping",
    Rule.MATRIX_DROPPED: "split the product, or let the weights' second register say how many bytes there are",
    Rule.MATRIX_INFINITY: "use finite masks; chips differ in what infinities and NaN become",
    Rule.MATRIX_RELU: "cvt.hf=acc(2) keeps negative results",
    Rule.MATRIX_HOLDER: "call hexmlir_rt_engine_acquire first",
}
"""Rule -> hint for the user."""

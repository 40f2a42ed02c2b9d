"""The layout of the guest's 32-bit address space and of the state record of JIT-compiled code."""

from __future__ import annotations

from hexagon_mlir.isa.reader import DATA_BYTES

CODE_BASE = 0x0001_0000
CODE_STEP = 16
"""Functions and address-taken labels get an address every 16 bytes; no code bytes stand there."""
DATA_BASE = 0x1000_0000
STACK_BASE = DATA_BASE + DATA_BYTES
STACK_GUARD_BYTES = 1 << 16
"""Unused addresses between the stacks of two threads."""
DDR_BASE = 0x4000_0000
TCM_BASE = 0xD800_0000
SPACE_BYTES = 1 << 32
MARGIN_BYTES = 1 << 12
"""Translated code may access so many bytes, and a vector, past the last address."""
NULL_PAGE_BYTES = 4096
RETURN_ADDRESS = 0x0000_F000
"""The value of r31 at the entry: returning to it ends the run."""

# State record: byte offsets.
BASE = 0  # host address of guest address 0
TRAP = 8  # i32: 0, or 1 + index of the message
STOPPED = 0x7FFF_FFFF
"""Trap word of a program that is stopped from outside."""
HOT_CALLBACK = -4
"""Index of the callback of quick code that has run for long; others below 0 stand in `check_model`."""
LARGE_COPY, LARGE_FILL = -5, -6
"""The same of a memcpy or memset of more than `LARGE_BYTES`."""
LARGE_BYTES = 1 << 20
"""Blocks of so many bytes and more are checked by the host: whether they are in one region, in pieces of that size."""
MOVED = 0xFFFF_FFFF
DEPTH = 12  # i32: guest call depth
REGISTERS = 16  # 32 x i32
PREDICATES = 144  # 4 x i8
ARGUMENT = 148  # i32: operand of a trap (the address called)
CALLBACK = 152  # host function pointer: void(i32 index)
BLOCK_COUNTS = 160  # pointer to i64 per block
BRANCHES = 168  # pointer to {i64 taken, i64 mispredicted, i64 direction} per conditional branch
L1_TAGS = 176
L2_TAGS = 184
STREAMS = 192  # pointer to three words of each stream, see `memory_system.streams`
STREAM_NEXT = 200  # i32: slot to replace
STACK_LIMIT = 204  # i32: lowest address of the thread's stack
SHADOW = 208  # pointers of a checked build, see `check_model`
WRITERS = 216
READERS = 224
ORDERED = 232
SEGMENT = 240  # i32: the running segment, 0 with one thread
SITE = 244  # i32: packet of the last call or fault in a checked build; else the line of the last call
RULE = 248  # i32: rule and access size of a fault
FAULT = 252  # i32: address of a fault
COUNTER_NAMES = (
    "l2_stall", "tcm_stall", "ddr_stall_q8", "copy_q8", "wait_q8", "matrix_queue_q8", "matrix_wait_q8", "host_stall",
    "ddr_read_bytes", "ddr_write_bytes", "tcm_read_bytes", "tcm_write_bytes",
)  # fmt: skip
"""i64 counters; ``_q8`` counts 1/256 cycle."""
MEMOS = 256  # pointer to {root, epoch} per group of accesses, see `accesses`
EPOCH = 264  # pointer to the number of changes of tags so far, i64; the marks of `cache_tags` follow
HOT = 272  # i32: number of the block where quick code asks for fast code; `MOVED` when that has run
LOOPS = 276  # 5 x i32: loop registers the function does not name and the stage, for the fast code that goes on there
FRAMES = 296  # pointer of a checked build to the stack pointer at entry, i32, by call depth
ABOVE = 304  # i32: marks that `checking.frames` keeps for the thread
LOADS = 312  # pointer of a checked build to the last address without a value that each packet has loaded, i32
MATRIX = 320  # 6 x i32: a packet of the matrix engine, its number, USR and up to four registers
MATRIX_WORDS = 6
MATRIX_FUNCTION = "matrix.packet"
"""The host function that a packet of the matrix engine calls."""
VECTORS = 512  # 32 x 128 bytes
VECTOR_PREDICATES = VECTORS + 32 * 128
CONTROLS = VECTOR_PREDICATES + 4 * 128  # 32 x i32
EXTENSIONS = CONTROLS + 32 * 4  # 32 x 128 bytes: extension bits of vector registers, four in each word
SECONDS = EXTENSIONS + 32 * 128  # of a checked build: second values of 32 vector registers and 4 vector predicates
ORIGINS = SECONDS + 36 * 128  # and origins of these, 32 registers and 4 predicates: 72 x i32
SCALAR_SECONDS = ORIGINS + 72 * 4  # second values of registers (i32) and predicates (i8), see `second_values`
COUNTERS = SCALAR_SECONDS + 32 * 4 + 8
STATE_BYTES = COUNTERS + 8 * len(COUNTER_NAMES)
"""The numbers of runs of each block and the counters of branches follow the record, see `context`."""


def counter(name: str) -> int:
    """Byte offset of a counter in the state record."""
    return COUNTERS + 8 * COUNTER_NAMES.index(name)

"""The checks of a checked build, LLVM IR helpers (`check_helpers`) that translated code calls before each access.

A shadow byte per guest byte has the permitted accesses; in a run with several threads, two words per guest word keep
the last segment that wrote and read it, and which of its bytes (a segment is the part of a thread between two
synchronisations), and ``ORDERED`` has the segments that happened before the running one. Of threads that share a word
but no byte of it only the last one is kept: if two alternate, a race may be missed, but there are no false reports.

A vector load may read more than the program uses (a masked load reads whole vectors), so it is judged by the
bytes that belong to an allocation: a rule fires only when all of them break it, and it may be entirely in the zone
after an allocation. LLVM loads unaligned data as aligned vectors and combines them, the last one perhaps without need:
an aligned vector load right after readable data may load data of a transfer in flight. Its marks as a reader are weak:
a store by another thread races with them only if it stores a whole vector and overlaps them in every word. The last
load of such a row is under a scalar predicate (the data is not aligned) and unused when a mask ends before it. A
predicated vector load is therefore not recorded as a reader: races, and data in flight, are found in the loads with
which it is combined. Undefined bytes of a vector load are tracked to their uses (`translation.second_values`).

A masked store is judged by the bytes it writes. A scalar load from the stack may be partly undefined: LLVM replaces a
vector load of which few bytes are used by one. An aligned vector store under a mask of lanes may have any address: LLVM
stores unaligned data as two of them.
"""

from __future__ import annotations

from hexagon_mlir.sim.checking.rules import CODES, Rule
from hexagon_mlir.sim.memory_system.cache_model import CacheAccess

REPORT_CALLBACK, COPY_CALLBACK, FILL_CALLBACK = -1, -2, -3
RETURN_CALLBACK, ABOVE_CALLBACK, USED_CALLBACK, STORED_CALLBACK = -7, -8, -9, -10
"""Indices of callbacks that are no host functions."""
COPIES = {"memcpy": COPY_CALLBACK, "memmove": COPY_CALLBACK, "memset": FILL_CALLBACK,
          "__hexagon_memcpy_likely_aligned_min32bytes_mult8bytes": COPY_CALLBACK}  # fmt: skip
MAX_SEGMENTS = 1 << 16
"""Segments that the race check distinguishes; later ones count as one."""
WEAK = MAX_SEGMENTS
"""Bit of a reader's mark: a vector load, which may not use what it reads."""
UNTOUCHED_SHIFT = 17
"""Above that bit a mark has a bit for each byte of the word that the segment left alone."""
WORD_BYTES = 4
SCALAR_BYTES = 8
"""The widest scalar access."""
SIZE_SHIFT = 8
WRITE = 1 << 24
"""The rule word: rule | access size << SIZE_SHIFT, and `WRITE` if it is a store."""


ODD_STORE = "ck_vstore"
"""The check that gets an address with the bits that the access ignores."""


def access_name(access: CacheAccess, masked: bool, predicated: bool, followed: bool) -> str:
    """The check of an access; that of a ``followed`` load returns whether a byte is undefined (i1)."""
    if masked:
        return "ck_vstorem"
    if predicated and access.aligned and not access.write:
        return "ck_vloadp"
    kind = "store" if access.write else "load"
    if access.aligned or access.straddles:
        return f"ck_v{kind}" + "u" * access.straddles
    return f"ck_{'f' if followed else 's'}{kind}{access.bytes}"


def word(name: str, offset: int, ty: str = "i32") -> str:
    """IR that loads ``%name`` from the state record."""
    return f"""
  %{name}_p = getelementptr i8, ptr %st, i32 {offset}
  %{name} = load {ty}, ptr %{name}_p"""


def code(rule: Rule, size: int, write: bool = False) -> int:
    """The rule word."""
    return CODES.index(rule) | size << SIZE_SHIFT | WRITE * write

"""The library functions that run in Python, and what the model charges for a call.

All estimates: packets of a straightforward scalar routine (fixed part, and per byte or element handled), for programs
that are not about the library. Their memory accesses do not go through the cache model.
"""

from __future__ import annotations

PER_BYTE_CYCLES = 1
"""Strings, comparisons, searches: musl's word-wise or byte-wise loops take about a packet per byte."""
PER_PRINTED_BYTE_CYCLES = 8
"""Formatted output: a digit costs a multiplication, a store and the buffer's bookkeeping."""
SWAP_CYCLES = 6
"""qsort and bsearch, per comparison, besides the comparison function itself."""

FIXED = {
    5: ("rand", "srand", "abs", "labs", "llabs", "atexit"),
    15: ("strlen", "strnlen", "strcpy", "strncpy", "strcat", "strncat", "stpcpy", "strcmp", "strncmp", "strcasecmp",
         "strncasecmp", "strchr", "strrchr", "strchrnul", "strstr", "strspn", "strcspn", "strpbrk", "strtok",
         "strtok_r", "memchr", "memrchr", "memcmp", "bcmp", "putchar", "putc", "fputc", "_IO_putc"),
    30: ("atoi", "atol", "atoll", "strtol", "strtoul", "strtoll", "strtoull", "puts", "fputs", "fwrite", "fflush",
         "lround", "lroundf", "lrint", "lrintf", "llround", "llroundf", "llrint", "llrintf", "frexp", "frexpf", "modf",
         "modff", "ilogb", "ilogbf"),
    80: ("strdup", "strndup", "realloc", "qsort", "bsearch", "atof", "strtod", "strtof", "posix_memalign"),
    150: ("printf", "fprintf", "sprintf", "snprintf", "vprintf", "vfprintf", "vsprintf", "vsnprintf", "sincos",
          "sincosf"),
    0: ("exit", "_exit", "_Exit", "__assert_fail", "__stack_chk_fail"),
}  # fmt: skip
"""Cycles -> names."""
REASON = "estimate for a scalar library routine; see libc_table"
CALLS = {name: cycles for cycles, names in FIXED.items() for name in names}
CALL_BACK = ("qsort", "bsearch", "exit")
"""Those that run functions of the program."""

"""The start-up code of a C program: a start routine, the streams, errno, the stack protector's word."""

from __future__ import annotations

from hexagon_mlir.sim.host_library.libc import STDERR

ENTRY = "_start"
"""Runs the constructors, ``main(r0, r1)`` and exit: call it in place of ``main``."""
STACK_GUARD = 0x000A_FF0D
"""Between a frame's arrays and its saved registers in programs with a stack protector; any value does."""
_START = f"""
	.text
	.type	{ENTRY},@function
{ENTRY}:
	{{ r16 = ##__init_array_start; r17 = ##__init_array_end }}
	{{ r18 = r0; r19 = r1 }}
.Lstart_next:
	{{ p0 = cmp.eq(r16,r17); if (p0.new) jump:nt .Lstart_main }}
	{{ r2 = memw(r16++#4) }}
	{{ callr r2 }}
	{{ jump .Lstart_next }}
.Lstart_main:
	{{ r0 = r18; r1 = r19; call main }}
	{{ call exit }}
	{{ jumpr r31 }}
	.type	__errno_location,@function
__errno_location:
	{{ r0 = ##__errno; jumpr r31 }}
	.section	.data.start,"aw",@progbits
	.p2align	3
__errno:
	.word	0
__stack_chk_guard:
	.word	{STACK_GUARD:#x}
stdin:
	.word	0
stdout:
	.word	1
stderr:
	.word	{STDERR}
	.section	.init_array,"aw",@init_array
"""


def with_start(assembly: str) -> str:
    """The text of a C program's assembly with `ENTRY` in it."""
    return assembly + _START

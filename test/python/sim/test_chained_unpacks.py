"""Bytes widened twice between accesses: the upper halves of host registers were once lost in the memory model."""

import numpy as np

from hexagon_mlir.sim import Machine

WIDEN = """
	.text
	.globl	widen
	.type	widen,@function
widen:
	{
		v0 = vmem(r0+#0)
	}
	{
		v2 = vmem(r0+#1)
	}
	{
		q0 = vcmp.gt(v2.b,v3.b)
		v3 = vxor(v3,v3)
	}
	{
		v0 = vmux(q0,v0,v3)
	}
	{
		v1:0.h = vunpack(v0.b)
	}
	{
		v1:0.w = vunpack(v0.h)
	}
	{
		v1 = vsplat(r2)
	}
	{
		v0.w = vadd(v0.w,v1.w)
	}
	{
		jumpr r31
		vmemu(r1+#0) = v0
	}
"""


def test_two_unpacks_keep_every_lane():
    machine = Machine(WIDEN)
    source, target = machine.alloc_ddr(256), machine.alloc_ddr(128)
    values = np.arange(-64, 64, dtype=np.int8)
    machine.write(source, np.concatenate([values, (np.arange(128) < 32).astype(np.int8)]))
    machine.run("widen", [source, target, 1000])
    np.testing.assert_array_equal(machine.read(target, np.int32, 32), values[:32].astype(np.int32) + 1000)

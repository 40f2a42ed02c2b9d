// A vector load from TCM nobody has written, stored for the caller.
// rule: uninitialised
// packet: v0 = vmem(r1+#0)
	.text
	.globl	f
	.type	f,@function
f:
	{
		v1 = vsplat(r3)
	}
	{
		vmem(r1+#1) = v1
	}
	{
		v0 = vmem(r1+#1)
	}
	{
		v0 = vmem(r1+#0)
	}
	{
		vmem(r0+#0) = v0
	}
	{
		jumpr r31
	}

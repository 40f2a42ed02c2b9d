// A vector load from TCM nobody has written.
// rule: uninitialised
// packet: v0 = vmem(r1+#1)
	.text
	.globl	f
	.type	f,@function
f:
	{
		v1 = vsplat(r3)
	}
	{
		vmem(r1+#0) = v1
	}
	{
		v0 = vmem(r1+#0)
	}
	{
		v0 = vmem(r1+#1)
	}
	{
		jumpr r31
	}

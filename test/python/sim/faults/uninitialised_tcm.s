// A vector load from TCM nobody has written. (Behind a written vector it could be half of an unaligned load.)
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
		jumpr r31
	}

// A vector store half past a TCM buffer.
// rule: out-of-bounds
// packet: vmemu(r4+#0) = v0
	.text
	.globl	f
	.type	f,@function
f:
	{
		v0 = vsplat(r3)
	}
	{
		r4 = add(r1,#192)
	}
	{
		vmem(r1+#1) = v0
	}
	{
		vmemu(r4+#0) = v0
	}
	{
		jumpr r31
	}

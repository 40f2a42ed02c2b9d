// A vector store at an address that is no multiple of a vector: the chip stores below it.
// rule: misaligned-vector-store
// packet: vmem(r0+#0) = v0
	.text
	.globl	f
	.type	f,@function
f:
	{
		r0 = add(r0,#4)
	}
	{
		vmem(r0+#0) = v0
	}
	{
		jumpr r31
	}

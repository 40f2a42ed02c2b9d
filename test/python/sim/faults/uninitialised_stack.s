// A local variable that is read before it is written.
// rule: uninitialised
// packet: r4 = memw(r29+#4)
	.text
	.globl	f
	.type	f,@function
f:
	{
		allocframe(#16)
	}
	{
		memw(r29+#0) = r3
	}
	{
		r4 = memw(r29+#0)
	}
	{
		r4 = memw(r29+#4)
	}
	{
		r31:30 = dealloc_return(r30):raw
	}

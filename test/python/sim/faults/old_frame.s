// A local variable that still holds what an earlier call left there.
// rule: uninitialised
// packet: r4 = memw(r29+#4)
	.text
	.globl	g
	.type	g,@function
g:
	{
		allocframe(#16)
	}
	{
		memw(r29+#4) = r3
	}
	{
		r31:30 = dealloc_return(r30):raw
	}

	.globl	f
	.type	f,@function
f:
	{
		allocframe(#0)
	}
	{
		call g
	}
	{
		call h
	}
	{
		r31:30 = dealloc_return(r30):raw
	}

	.globl	h
	.type	h,@function
h:
	{
		allocframe(#16)
	}
	{
		r4 = memw(r29+#4)
	}
	{
		r31:30 = dealloc_return(r30):raw
	}

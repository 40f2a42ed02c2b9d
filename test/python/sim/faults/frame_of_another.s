// g stores above the whole frame of its caller, into that of f.
// rule: caller-frame
// packet: memw(r30+#28) = r0
	.text
	.globl	f
	.type	f,@function
f:
	{
		allocframe(#16)
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
		allocframe(#8)
	}
	{
		call g
	}
	{
		r31:30 = dealloc_return(r30):raw
	}

	.globl	g
	.type	g,@function
g:
	{
		allocframe(#0)
	}
	{
		memw(r30+#28) = r0
	}
	{
		r31:30 = dealloc_return(r30):raw
	}

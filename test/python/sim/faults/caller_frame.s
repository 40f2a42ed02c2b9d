// g stores a local variable 24 bytes above its sp of 16: into that of f, which f reads afterwards.
// rule: caller-frame
// packet: memw(r29+#28) = r0
	.text
	.globl	f
	.type	f,@function
f:
	{
		allocframe(#8)
	}
	{
		memw(r29+#4) = r1
	}
	{
		call g
	}
	{
		r0 = memw(r29+#4)
	}
	{
		r31:30 = dealloc_return(r30):raw
	}

	.globl	g
	.type	g,@function
g:
	{
		allocframe(#16)
	}
	{
		memw(r29+#28) = r0
	}
	{
		r31:30 = dealloc_return(r30):raw
	}

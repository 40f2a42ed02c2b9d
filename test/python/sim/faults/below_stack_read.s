// A variable of a frame that is gone.
// rule: below-stack-pointer
// packet: r0 = memw(r29+#-12)
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
		r31:30 = deallocframe(r30):raw
	}
	{
		r0 = memw(r29+#-12)
	}
	{
		jumpr r31
	}

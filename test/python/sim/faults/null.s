// A load through a null pointer.
// rule: out-of-bounds
// packet: r4 = memw(r3+#4)
	.text
	.globl	f
	.type	f,@function
f:
	{
		r4 = memw(r3+#4)
	}
	{
		jumpr r31
	}

// A word store just past a DDR buffer.
// rule: out-of-bounds
// packet: memw(r0+#256) = r3
	.text
	.globl	f
	.type	f,@function
f:
	{
		memw(r0+#252) = r3
	}
	{
		memw(r0+#256) = r3
	}
	{
		jumpr r31
	}

// The fifth word of an array of four, which another follows.
// rule: out-of-variable
// packet: r0 = memw(r1+#16)
	.text
	.globl	f
	.type	f,@function
f:
	{
		r1 = ##first
	}
	{
		r0 = memw(r1+#12)
	}
	{
		r0 = memw(r1+#16)
	}
	{
		jumpr r31
	}
	.data
	.p2align	3
	.type	first,@object
first:
	.space	16
	.size	first, 16
	.type	second,@object
second:
	.space	16
	.size	second, 16

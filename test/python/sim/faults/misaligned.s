// A word load from an odd address.
// rule: misaligned
// packet: r4 = memw(r0+#0)
	.text
	.globl	f
	.type	f,@function
f:
	{
		r0 = add(r0,#2)
	}
	{
		r4 = memw(r0+#0)
	}
	{
		jumpr r31
	}

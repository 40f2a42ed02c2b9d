// A store below sp.
// rule: below-stack-pointer
// packet: memw(r29+#-4) = r0
	.text
	.globl	f
	.type	f,@function
f:
	{
		memw(r29+#-4) = r0
	}
	{
		jumpr r31
	}

// A store to a function.
// rule: read-only
// packet: memb(r1+#0) = r0
	.text
	.globl	f
	.type	f,@function
f:
	{
		r1 = ##f
	}
	{
		memb(r1+#0) = r0
	}
	{
		jumpr r31
	}

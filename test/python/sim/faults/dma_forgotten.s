// A transfer nobody waits for.
// rule: leak
// packet: 
	.text
	.globl	f
	.type	f,@function
f:
	{
		memw(r2+#0) = #0
	}
	{
		r4 = #128
	}
	{
		memw(r2+#4) = r4
	}
	{
		memw(r2+#8) = r0
	}
	{
		memw(r2+#12) = r1
	}
	{
		dmstart(r2)
	}
	{
		jumpr r31
	}

// A transfer past the end of its destination.
// rule: out-of-bounds
// packet: dmstart(r2)
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
		r7 = add(r1,#192)
	}
	{
		memw(r2+#12) = r7
	}
	{
		dmstart(r2)
	}
	{
		r4 = dmwait
	}
	{
		jumpr r31
	}

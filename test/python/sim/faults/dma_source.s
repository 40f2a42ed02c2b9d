// The source of a transfer is written before dmwait.
// rule: dma-source-changed
// packet: memw(r0+#4) = r3
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
		r4 = memw(r0+#4)
	}
	{
		memw(r0+#4) = r3
	}
	{
		r4 = dmwait
	}
	{
		memw(r0+#4) = r3
	}
	{
		jumpr r31
	}

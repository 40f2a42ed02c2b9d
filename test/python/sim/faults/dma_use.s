// The destination of a transfer is read before dmwait.
// rule: dma-use-before-wait
// packet: v0 = vmem(r1+#0)
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
		v0 = vmem(r1+#0)
	}
	{
		r4 = dmwait
	}
	{
		v0 = vmem(r1+#0)
	}
	{
		jumpr r31
	}

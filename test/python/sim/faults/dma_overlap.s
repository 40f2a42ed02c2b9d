// Two transfers in flight write to the same bytes.
// rule: dma-overlap
// packet: dmlink(r2,r5)
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
		r5 = add(r2,#16)
	}
	{
		memw(r5+#0) = #0
	}
	{
		memw(r5+#4) = r4
	}
	{
		r6 = add(r0,#128)
	}
	{
		memw(r5+#8) = r6
	}
	{
		r7 = add(r1,#64)
	}
	{
		memw(r5+#12) = r7
	}
	{
		dmstart(r2)
	}
	{
		dmlink(r2,r5)
	}
	{
		r4 = dmwait
	}
	{
		jumpr r31
	}

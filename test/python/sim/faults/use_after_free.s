// A load from TCM that was given back.
// rule: out-of-bounds
// packet: r4 = memw(r16+#0)
	.text
	.globl	f
	.type	f,@function
f:
	{
		allocframe(#16)
	}
	{
		r0 = #128
	}
	{
		r1 = #128
	}
	{
		call hexmlir_rt_tcm_alloc
	}
	{
		r16 = r0
	}
	{
		memw(r16+#0) = r16
	}
	{
		call hexmlir_rt_tcm_free
	}
	{
		r4 = memw(r16+#0)
	}
	{
		r31:30 = dealloc_return(r30):raw
	}

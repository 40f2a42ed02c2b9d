// TCM that goes back while a transfer writes it.
// rule: dma-freed
// packet: call hexmlir_rt_tcm_free
	.text
	.globl	f
	.type	f,@function
f:
	{
		allocframe(#0)
	}
	{
		r16 = r0
		r1 = #128
	}
	{
		r0 = #256
	}
	{
		call hexmlir_rt_tcm_alloc
	}
	{
		r17 = r0
		r1 = r16
	}
	{
		r2 = #128
		r3 = #1
	}
	{
		r4 = #128
		r5 = #128
	}
	{
		call hexmlir_rt_dma_start_2d
	}
	{
		r18 = r0
		r0 = r17
	}
	{
		call hexmlir_rt_tcm_free
	}
	{
		r0 = r18
	}
	{
		call hexmlir_rt_dma_wait
	}
	{
		r31:30 = dealloc_return(r30):raw
	}

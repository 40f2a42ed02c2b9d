// Two threads write the same word; the write after both joins is in order.
// rule: race
// packet: memw(r0+#0) = #5
	.text
	.globl	f
	.type	f,@function
f:
	{
		allocframe(#16)
	}
	{
		r16 = r0
	}
	{
		r1 = r16
	}
	{
		r0 = ##g
	}
	{
		call hexmlir_rt_thread_create
	}
	{
		r17 = r0
	}
	{
		r1 = r16
	}
	{
		r0 = ##g
	}
	{
		call hexmlir_rt_thread_create
	}
	{
		r18 = r0
	}
	{
		r0 = r17
	}
	{
		call hexmlir_rt_thread_join
	}
	{
		r0 = r18
	}
	{
		call hexmlir_rt_thread_join
	}
	{
		memw(r16+#0) = #7
	}
	{
		r31:30 = dealloc_return(r30):raw
	}

	.globl	g
	.type	g,@function
g:
	{
		memw(r0+#0) = #5
	}
	{
		jumpr r31
	}

// A thread loads a vector that its maker stores at the same time.
// rule: race-of-a-vector-load
// packet: v0 = vmem(r0+#0)
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
		call hexmlir_rt_thread_id
	}
	{
		vmem(r16+#0) = v1
	}
	{
		r0 = r17
	}
	{
		call hexmlir_rt_thread_join
	}
	{
		r31:30 = dealloc_return(r30):raw
	}

	.globl	g
	.type	g,@function
g:
	{
		v0 = vmem(r0+#0)
	}
	{
		jumpr r31
	}

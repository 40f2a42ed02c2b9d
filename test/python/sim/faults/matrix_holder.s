// A thread uses the matrix engine that has not acquired it.
// rule: matrix-not-held
// packet: mxclracc
	.text
	.globl	f
	.type	f,@function
f:
	{
		allocframe(#16)
	}
	{
		r0 = ##g
	}
	{
		r1 = #0
	}
	{
		call hexmlir_rt_thread_create
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
		mxclracc
	}
	{
		jumpr r31
	}

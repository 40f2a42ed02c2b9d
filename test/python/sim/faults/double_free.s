// The same pointer is freed twice.
// rule: double-free
// packet: call free
	.text
	.globl	f
	.type	f,@function
f:
	{
		allocframe(#16)
	}
	{
		r0 = #64
	}
	{
		call malloc
	}
	{
		r16 = r0
	}
	{
		call free
	}
	{
		r0 = r16
	}
	{
		call free
	}
	{
		r31:30 = dealloc_return(r30):raw
	}

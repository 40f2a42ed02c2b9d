// memcpy past the end of its destination.
// rule: out-of-bounds
// packet: call memcpy
	.text
	.globl	f
	.type	f,@function
f:
	{
		allocframe(#16)
	}
	{
		r1 = add(r0,#128)
	}
	{
		r0 = add(r0,#64)
	}
	{
		r2 = #200
	}
	{
		call memcpy
	}
	{
		r31:30 = dealloc_return(r30):raw
	}

// Memory that is not given back.
// rule: leak
// packet: call malloc
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
		r31:30 = dealloc_return(r30):raw
	}

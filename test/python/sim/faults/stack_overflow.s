// A recursion without end.
// rule: stack-overflow
// packet: call f
	.text
	.globl	f
	.type	f,@function
f:
	{
		allocframe(#16)
	}
	{
		call f
	}
	{
		r31:30 = dealloc_return(r30):raw
	}

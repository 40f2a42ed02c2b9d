// A call through a register that holds no function.
// rule: unknown-jump
// packet: callr r3
	.text
	.globl	f
	.type	f,@function
f:
	{
		allocframe(#16)
	}
	{
		r3 = ##4660
	}
	{
		callr r3
	}
	{
		r31:30 = dealloc_return(r30):raw
	}

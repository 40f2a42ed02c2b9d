// memset of one variable more than of its bytes.
// rule: out-of-variable
// packet: call memset
	.text
	.globl	f
	.type	f,@function
f:
	{
		allocframe(#0)
	}
	{
		r0 = ##first
		r1 = #0
	}
	{
		r2 = #13
	}
	{
		call memset
	}
	{
		r31:30 = dealloc_return(r30):raw
	}
	.comm	first,12,4
	.comm	second,12,4

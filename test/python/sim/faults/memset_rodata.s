// memset of a constant.
// rule: read-only
// packet: call memset
	.text
	.globl	f
	.type	f,@function
f:
	{
		allocframe(#0)
	}
	{
		r0 = ##table
		r1 = #0
	}
	{
		r2 = #8
	}
	{
		call memset
	}
	{
		r31:30 = dealloc_return(r30):raw
	}
	.section	.rodata.str,"aMS",@progbits,1
	.type	table,@object
table:
	.asciz	"seven.."
	.size	table, 8

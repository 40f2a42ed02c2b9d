// A store to a constant.
// rule: read-only
// packet: memw(r1+#4) = r0
	.text
	.globl	f
	.type	f,@function
f:
	{
		r1 = ##table
	}
	{
		memw(r1+#4) = r0
	}
	{
		jumpr r31
	}
	.section	.rodata,"a",@progbits
	.type	table,@object
table:
	.word	1
	.word	2
	.size	table, 8

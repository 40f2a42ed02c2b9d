// A return through r31 after it got another value.
// rule: return-address
// packet: jumpr r31
	.text
	.globl	f
	.type	f,@function
f:
	{
		r31 = add(r0,#4)
	}
	{
		jumpr r31
	}

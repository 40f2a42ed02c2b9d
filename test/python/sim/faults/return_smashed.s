// An array of two words in the frame gets four: the second pair is the saved r31:30.
// rule: return-address
// packet: memd(r2+#8) = r1:0
	.text
	.globl	f
	.type	f,@function
f:
	{
		allocframe(#8)
	}
	{
		r2 = add(r29,#0)
	}
	{
		memd(r2+#0) = r1:0
	}
	{
		memd(r2+#8) = r1:0
	}
	{
		r31:30 = dealloc_return(r30):raw
	}

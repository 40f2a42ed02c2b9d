// A loop whose blocks are laid out against the order they run in: what is known of v0 goes round it once, not for ever.
// rule: float-kind
// packet: v3.qf32 = vadd(v0.sf,v1.sf)
	.text
	.globl	f
	.type	f,@function
f:
	{
		v1 = vsplat(r3)
		r0 = #3
	}
	{
		v0.qf32 = vadd(v1.sf,v1.sf)
	}
	{
		jump .LBB0_2
	}
.LBB0_1:
	{
		r0 = add(r0,#-1)
	}
	{
		jump .LBB0_3
	}
.LBB0_2:
	{
		p0 = cmp.gt(r0,#0)
	}
	{
		jump .LBB0_1
	}
.LBB0_3:
	{
		if (p0) jump:nt .LBB0_2
	}
	{
		v3.qf32 = vadd(v0.sf,v1.sf)
	}
	{
		jumpr r31
	}

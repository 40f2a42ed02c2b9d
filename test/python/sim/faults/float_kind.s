// A qfloat sum is read as IEEE without a conversion.
// rule: float-kind
// packet: v3.qf32 = vadd(v2.sf,v1.sf)
	.text
	.globl	f
	.type	f,@function
f:
	{
		v1 = vsplat(r3)
	}
	{
		v2.qf32 = vadd(v1.sf,v1.sf)
	}
	{
		v3.qf32 = vadd(v2.qf32,v1.sf)
	}
	{
		v3.qf32 = vadd(v2.sf,v1.sf)
	}
	{
		jumpr r31
	}

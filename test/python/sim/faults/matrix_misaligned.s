// Weights stand at no multiple of 128 bytes.
// rule: matrix-misaligned
// packet: weight.b = mxmem(r2,r3)
	.text
	.globl	f
	.type	f,@function
f:
	{
		allocframe(#16)
	}
	{
		r0 = ##8192
	}
	{
		r1 = ##2048
	}
	{
		call hexmlir_rt_tcm_alloc
	}
	{
		r16 = r0
	}
	{
		r4 = #0
	}
	{
		v0 = vsplat(r4)
	}
	{
		r5 = add(r16,##0)
	}
	{
		vmem(r5+#0) = v0
	}
	{
		r5 = add(r16,##2048)
	}
	{
		vmem(r5+#0) = v0
	}
	{
		r5 = add(r16,##4096)
	}
	{
		vmem(r5+#0) = v0
	}
	{
		r0 = r16
	}
	{
		r1 = ##2047
	}
	{
		r2 = add(r16,##2052)
	}
	{
		r3 = ##1023
	}
	{
		activation.ub = mxmem(r0,r1):deep
		weight.b = mxmem(r2,r3)
	}
	{
		call hexmlir_rt_engine_wait
	}
	{
		r0 = r16
	}
	{
		call hexmlir_rt_tcm_free
	}
	{
		r31:30 = dealloc_return(r30):raw
	}

	.text
	.globl	main                            // -- Begin function main
	.p2align	4
	.type	main,@function
main:                                   // @main
// %bb.0:
	{
		allocframe(r29,#1280):raw
	}
	{
		call random_vector
		r29 = and(r29,#-128)
		memd(r30+#-8) = r17:16
	}                                       // 8-byte Folded Spill
	{
		call random_vector
		vmem(r29+#2) = v0
	}                                       // 128-byte Folded Spill
	{
		call random_vector
		vmem(r29+#5) = v0
	}                                       // 128-byte Folded Spill
	{
		r0 = ##50529027
		v30 = vmem(r29+#2)
	}                                       // 128-byte Folded Reload
	{
		v1 = vsplat(r0)
		r2 = ##16843009
		vmem(r29+#6) = v0
	}                                       // 128-byte Folded Spill
	{
		r0 = ##.L.str
		q0 = vcmp.gt(v30.w,v3.w)
		v3.cur = vmem(r29+#5)
	}                                       // 128-byte Folded Reload
	{
		v0 = vand(q0,r2)
		v31 = vand(v30,v1)
		v1 = vand(v3,v1)
	}
	{
		v2 = vand(q0,r2)
		r1 = ##16843009
		q3 = vcmp.eq(v31.b,v1.b)
	}
	{
		v1 = vand(q3,r1)
		vmem(r29+#3) = v2
	}                                       // 128-byte Folded Spill
	{
		call show
		vmem(r29+#4) = v1
	}                                       // 128-byte Folded Spill
	{
		r1 = ##16843009
		v0 = vmem(r29+#4)
	}                                       // 128-byte Folded Reload
	{
		q0 = vand(v0,r1)
		r0 = ##134480385
	}
	{
		call show
		v0 = vand(q0,r0)
		r0 = ##.L.str.1
	}
	{
		r16 = #-1
		r0 = ##.L.str.2
		v0 = vmem(r29+#2)
	}                                       // 128-byte Folded Reload
	{
		q0 = vcmp.gt(v0.ub,v1.ub)
		v1.cur = vmem(r29+#5)
	}                                       // 128-byte Folded Reload
	{
		call show
		v0 = vand(q0,r16)
	}
	{
		r0 = ##16843009
		v0 = vmem(r29+#4)
	}                                       // 128-byte Folded Reload
	{
		q0 = vand(v0,r0)
		q1 = vand(v31,r0)
		v31.cur = vmem(r29+#3)
	}                                       // 128-byte Folded Reload
	{
		r0 = ##.L.str.3
		q0 = and(q1,q0)
	}
	{
		call show
		v0 = vand(q0,r16)
	}
	{
		r0 = ##16843009
		v0 = vmem(r29+#4)
	}                                       // 128-byte Folded Reload
	{
		q0 = vand(v0,r0)
		q1 = vand(v31,r0)
		v31.cur = vmem(r29+#3)
	}                                       // 128-byte Folded Reload
	{
		r0 = ##.L.str.4
		q0 = or(q1,!q0)
	}
	{
		call show
		v0 = vand(q0,r16)
	}
	{
		r0 = ##16843009
		v0 = vmem(r29+#4)
	}                                       // 128-byte Folded Reload
	{
		q0 = vand(v0,r0)
		q1 = vand(v31,r0)
		v31.cur = vmem(r29+#3)
	}                                       // 128-byte Folded Reload
	{
		r0 = ##.L.str.5
		q0 = xor(q1,q0)
	}
	{
		call show
		v0 = vand(q0,r16)
	}
	{
		r0 = ##16843009
		v0 = vmem(r29+#3)
	}                                       // 128-byte Folded Reload
	{
		q0 = vand(v0,r0)
		r0 = ##.L.str.6
	}
	{
		q0 = not(q0)
	}
	{
		call show
		v0 = vand(q0,r16)
	}
	{
		r0 = ##16843009
		v0 = vmem(r29+#4)
	}                                       // 128-byte Folded Reload
	{
		q0 = vand(v0,r0)
		r0 = ##.L.str.7
		v1 = vmem(r29+#6)
	}                                       // 128-byte Folded Reload
	{
		q0 &= vcmp.gt(v31.h,v1.h)
		v31.cur = vmem(r29+#2)
	}                                       // 128-byte Folded Reload
	{
		call show
		v0 = vand(q0,r16)
	}
	{
		r0 = ##16843009
		v2 = vmem(r29+#3)
	}                                       // 128-byte Folded Reload
	{
		q0 = vand(v2,r0)
		r0 = ##.L.str.8
		v0 = vmem(r29+#2)
	}                                       // 128-byte Folded Reload
	{
		call show
		v0 = vmux(q0,v0,v1)
		v1.cur = vmem(r29+#5)
	}                                       // 128-byte Folded Reload
	{
		r0 = ##16843009
		v2 = vmem(r29+#3)
	}                                       // 128-byte Folded Reload
	{
		q0 = vand(v2,r0)
		v0 = vmem(r29+#2)
	}                                       // 128-byte Folded Reload
	{
		v1 = vmem(r29+#5)
	}                                       // 128-byte Folded Reload
	{
		call show_pair
		v1:0 = vswap(q0,v0,v1)
	}
	{
		r0 = ##16843009
		v2 = vmem(r29+#3)
	}                                       // 128-byte Folded Reload
	{
		q0 = vand(v2,r0)
		r0 = ##.L.str.10
		v0 = vmem(r29+#2)
	}                                       // 128-byte Folded Reload
	{
		call show
		if (q0) v0.w += v1.w
		v1.cur = vmem(r29+#5)
	}                                       // 128-byte Folded Reload
	{
		r0 = ##16843009
		v2 = vmem(r29+#4)
	}                                       // 128-byte Folded Reload
	{
		q0 = vand(v2,r0)
		r0 = ##.L.str.11
		v0 = vmem(r29+#2)
	}                                       // 128-byte Folded Reload
	{
		call show
		r17 = #-31
		if (!q0) v0.h -= v1.h
		v1.cur = vmem(r29+#5)
	}                                       // 128-byte Folded Reload
	.p2align	4
.LBB0_1:                                // =>This Inner Loop Header: Depth=1
	{
		r17 = add(r17,#31)
		r0 = ##.L.str.12
	}
	{
		q0 = vsetq(r17)
	}
	{
		call show
		v0 = vand(q0,r16)
	}
	{
		r0 = ##.L.str.13
		q0 = vsetq2(r17)
	}
	{
		call show
		v0 = vand(q0,r16)
	}
	{
		p0 = cmp.gtu(r17,#97)
		if (!p0.new) jump:t .LBB0_1
	}
// %bb.2:
	{
		r1 = add(r29,#2048)
		r2 = ##16843009
		v0 = vmem(r29+#6)
	}                                       // 128-byte Folded Reload
	{
		q0 = vand(v1,r2)
		r0 = add(r29,#896)
		v1.cur = vmem(r29+#3)
		vmem(r29+#7) = v0
	}                                       // 128-byte Folded Reload
	{
		r2 = ##16843009
		v30 = vmem(r29+#2)
		vmem(r1+#-8) = v0
	}                                       // 128-byte Folded Reload
	{
		r4 = add(r0,#128)
		r0 = ##.L.str.14
		if (q0) vmem(r0+#0) = v30
	}
	{
		q3 = vand(v31,r2)
		v31.cur = vmem(r29+#4)
	}                                       // 128-byte Folded Reload
	{
		v0.cur = vmem(r29+#5)
		if (!q3) vmem(r4+#0) = v0
	}                                       // 128-byte Folded Reload
	{
		call show
		v0 = vmem(r29+#7)
	}
	{
		r0 = add(r29,#2048)
	}
	{
		call show
		r0 = ##.L.str.14
		v0 = vmem(r0+#-8)
	}
	{
		r0 = ##16843009
		v0 = vmem(r29+#3)
	}                                       // 128-byte Folded Reload
	{
		q0 = vand(v0,r0)
		r0 = ##.L.str.15
		v31 = vmem(r29+#2)
	}                                       // 128-byte Folded Reload
	{
		call show
		v0 = vand(q0,v31)
	}
	{
		r0 = ##16843009
		v0 = vmem(r29+#3)
	}                                       // 128-byte Folded Reload
	{
		q0 = vand(v0,r0)
		r0 = ##.L.str.16
		v31 = vmem(r29+#2)
	}                                       // 128-byte Folded Reload
	{
		call show
		v0 = vand(!q0,v31)
	}
	{
		r0 = #64
		r2 = ##16843009
		v0 = vmem(r29+#2)
	}                                       // 128-byte Folded Reload
	{
		r0 = ##.L.str.17
		q0 = vsetq(r0)
		v1 = vmem(r29+#5)
	}                                       // 128-byte Folded Reload
	{
		v0.w = vadd(v0.w,v1.w,q0):carry
	}
	{
		call show
		v1 = vand(q0,r2)
		vmem(r29+#5) = v1.new
	}                                       // 128-byte Folded Spill
	{
		r0 = ##16843009
		r16 = #-1
		v0 = vmem(r29+#5)
	}                                       // 128-byte Folded Reload
	{
		q0 = vand(v0,r0)
		r0 = ##.L.str.18
	}
	{
		call show
		v0 = vand(q0,r16)
	}
	{
		r0 = ##269488144
		v0 = vmem(r29+#2)
	}                                       // 128-byte Folded Reload
	{
		q0 = vand(v0,r0)
		r0 = ##.L.str.19
	}
	{
		call show
		v0 = vand(q0,r16)
	}
	{
		r0 = ##16843009
		v0 = vmem(r29+#3)
	}                                       // 128-byte Folded Reload
	{
		q0 = vand(v0,r0)
		r0 = ##.L.str.20
	}
	{
		call show
		v0.w = prefixsum(q0)
	}
	{
		r0 = ##16843009
		v0 = vmem(r29+#4)
	}                                       // 128-byte Folded Reload
	{
		q0 = vand(v0,r0)
		r0 = ##.L.str.21
	}
	{
		call show
		v0.b = prefixsum(q0)
	}
	{
		r0 = #0
		r17:16 = memd(r30+#-8)
		r31:30 = dealloc_return(r30):raw
	}                                       // 8-byte Folded Reload
.Lfunc_end0:
	.size	main, .Lfunc_end0-main
                                        // -- End function
	.p2align	4                               // -- Begin function random_vector
	.type	random_vector,@function
random_vector:                          // @random_vector
// %bb.0:
	{
		loop0(.LBB1_1,#32)
		r0 = memw(##seed)
		allocframe(r29,#128):raw
	}
	{
		r29 = and(r29,#-128)
	}
	{
		r1 = add(r29,#0)
	}
	.p2align	5
.LBB1_1:                                // Block address taken
                                        // =>This Inner Loop Header: Depth=1
	{
		r0 ^= asl(r0,#13)
	}
	{
		r0 ^= lsr(r0,#17)
	}
	{
		r0 ^= asl(r0,#5)
		memw(r1++#4) = r0.new
	} :endloop0
// %bb.2:
	{
		v0 = vmem(r29+#0)
		memw(##seed) = r0
	}
	{
		r31:30 = dealloc_return(r30):raw
	}
.Lfunc_end1:
	.size	random_vector, .Lfunc_end1-random_vector
                                        // -- End function
	.p2align	4                               // -- Begin function show
	.type	show,@function
show:                                   // @show
// %bb.0:
	{
		loop0(.LBB2_1,#31)
		r2 = ##-2128831035
		allocframe(r29,#256):raw
	}
	{
		r29 = and(r29,#-128)
	}
	{
		r1 = add(r29,#128)
	}
	{
		r1 = r0
		r0 = add(r29,#0)
		vmem(r1+#0) = v0
	}
	{
		vmem(r29+#0) = v0
	}
	{
		r3 = memw(r0++#4)
	}
	{
		r2 = xor(r3,r2)
	}
	.p2align	4
.LBB2_1:                                // =>This Inner Loop Header: Depth=1
	{
		r2 = +mpyi(r2,##16777619)
		r3 = memw(r0++#4)
	}
	{
		r2 = xor(r3,r2)
		nop
	} :endloop0
// %bb.2:
	{
		r2 = +mpyi(r2,##16777619)
		r3 = add(r29,#128)
	}
	{
		r0 = ##.L.str.22
		r5 = memw(r3+#124)
		r4 = memw(r3+#4)
	}
	{
		call printf
		r3 = memw(r3+#0)
	}
	{
		r31:30 = dealloc_return(r30):raw
	}
.Lfunc_end2:
	.size	show, .Lfunc_end2-show
                                        // -- End function
	.p2align	4                               // -- Begin function show_pair
	.type	show_pair,@function
show_pair:                              // @show_pair
// %bb.0:
	{
		r0 = ##.L.str.9
		allocframe(r29,#256):raw
	}
	{
		r29 = and(r29,#-128)
	}
	{
		vmem(r29+#0) = v0
	}                                       // 256-byte Folded Spill
	{
		call show
		vmem(r29+#1) = v1
	}                                       // 256-byte Folded Spill
	{
		r0 = ##.L.str.23
		v0 = vmem(r29+#0)
	}                                       // 256-byte Folded Reload
	{
		v0 = v1
		r31:30 = deallocframe(r30):raw
		v1.cur = vmem(r29+#1)
	}                                       // 256-byte Folded Reload
	{
		jump show
	}
.Lfunc_end3:
	.size	show_pair, .Lfunc_end3-show_pair
                                        // -- End function
	.type	.L.str,@object                  // @.str
	.section	.rodata.str1.1,"aMS",@progbits,1
.L.str:
	.string	"gt"
	.size	.L.str, 3

	.type	.L.str.1,@object                // @.str.1
.L.str.1:
	.string	"eq"
	.size	.L.str.1, 3

	.type	.L.str.2,@object                // @.str.2
.L.str.2:
	.string	"gtub"
	.size	.L.str.2, 5

	.type	.L.str.3,@object                // @.str.3
.L.str.3:
	.string	"and"
	.size	.L.str.3, 4

	.type	.L.str.4,@object                // @.str.4
.L.str.4:
	.string	"or.n"
	.size	.L.str.4, 5

	.type	.L.str.5,@object                // @.str.5
.L.str.5:
	.string	"xor"
	.size	.L.str.5, 4

	.type	.L.str.6,@object                // @.str.6
.L.str.6:
	.string	"not"
	.size	.L.str.6, 4

	.type	.L.str.7,@object                // @.str.7
.L.str.7:
	.string	"cmpacc"
	.size	.L.str.7, 7

	.type	.L.str.8,@object                // @.str.8
.L.str.8:
	.string	"mux"
	.size	.L.str.8, 4

	.type	.L.str.9,@object                // @.str.9
.L.str.9:
	.string	"swap"
	.size	.L.str.9, 5

	.type	.L.str.10,@object               // @.str.10
.L.str.10:
	.string	"condadd"
	.size	.L.str.10, 8

	.type	.L.str.11,@object               // @.str.11
.L.str.11:
	.string	"condnac"
	.size	.L.str.11, 8

	.type	.L.str.12,@object               // @.str.12
.L.str.12:
	.string	"setq"
	.size	.L.str.12, 5

	.type	.L.str.13,@object               // @.str.13
.L.str.13:
	.string	"setq2"
	.size	.L.str.13, 6

	.type	.L.str.14,@object               // @.str.14
.L.str.14:
	.string	"stored"
	.size	.L.str.14, 7

	.type	.L.str.15,@object               // @.str.15
.L.str.15:
	.string	"vandvq"
	.size	.L.str.15, 7

	.type	.L.str.16,@object               // @.str.16
.L.str.16:
	.string	"vandvnq"
	.size	.L.str.16, 8

	.type	.L.str.17,@object               // @.str.17
.L.str.17:
	.string	"sum"
	.size	.L.str.17, 4

	.type	.L.str.18,@object               // @.str.18
.L.str.18:
	.string	"carry"
	.size	.L.str.18, 6

	.type	.L.str.19,@object               // @.str.19
.L.str.19:
	.string	"vandvr"
	.size	.L.str.19, 7

	.type	.L.str.20,@object               // @.str.20
.L.str.20:
	.string	"prefix"
	.size	.L.str.20, 7

	.type	.L.str.21,@object               // @.str.21
.L.str.21:
	.string	"prefixb"
	.size	.L.str.21, 8

	.type	seed,@object                    // @seed
	.data
	.p2align	2, 0x0
seed:
	.word	2463534242                      // 0x92d68ca2
	.size	seed, 4

	.type	.L.str.22,@object               // @.str.22
	.section	.rodata.str1.1,"aMS",@progbits,1
.L.str.22:
	.string	"%-10s %08x  %08x %08x %08x\n"
	.size	.L.str.22, 28

	.type	.L.str.23,@object               // @.str.23
.L.str.23:
	.space	1
	.size	.L.str.23, 1

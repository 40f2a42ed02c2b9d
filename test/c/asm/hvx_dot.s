	.text
	.globl	main                            // -- Begin function main
	.p2align	4
	.type	main,@function
main:                                   // @main
// %bb.0:
	{
		allocframe(r29,#640):raw
	}
	{
		call random_vector
		r29 = and(r29,#-128)
		memd(r30+#-8) = r17:16
		memd(r30+#-16) = r19:18
	}                                       // 8-byte Folded Spill
	{
		v1 = v0
		vmem(r29+#3) = v1.new
	}                                       // 256-byte Folded Spill
	{
		call random_vector
		vmem(r29+#2) = v0
	}                                       // 256-byte Folded Spill
	{
		v3 = vmem(r29+#3)
	}                                       // 256-byte Folded Reload
	{
		v1 = v3
		v2 = vmem(r29+#2)
		vmem(r29+#3) = v1.new
	}                                       // 256-byte Folded Reload
	{
		call random_vector
		vmem(r29+#2) = v0
	}                                       // 256-byte Folded Spill
	{
		r0 = ##.L.str
		v0 = vmem(r29+#2)
		vmem(r29+#1) = v0
	}                                       // 256-byte Folded Reload
	{
		call show
		v0.w = vrmpy(v1.ub,v0.b)
		v1.cur = vmem(r29+#3)
	}                                       // 256-byte Folded Reload
	{
		r0 = ##33456000
		v0 = vmem(r29+#1)
	}                                       // 128-byte Folded Reload
	{
		v0.w += vrmpy(v3.ub,r0.b)
		r0 = ##.L.str.1
		v3.cur = vmem(r29+#3)
	}                                       // 256-byte Folded Reload
	{
		call show
		v2 = vmem(r29+#2)
	}                                       // 256-byte Folded Reload
	{
		r0 = ##.L.str.2
		v0 = vmem(r29+#2)
	}                                       // 256-byte Folded Reload
	{
		call show
		v0.uw = vrmpy(v1.ub,v0.ub)
		v1.cur = vmem(r29+#3)
	}                                       // 256-byte Folded Reload
	{
		r0 = ##270544960
		v0 = vmem(r29+#2)
	}                                       // 256-byte Folded Reload
	{
		v1 = vmem(r29+#3)
	}                                       // 256-byte Folded Reload
	{
		call show_pair
		v1:0.w = vrmpy(v1:0.ub,r0.b,#1)
		r0 = ##.L.str.3
	}
	{
		r0 = ##287454020
		v0 = vmem(r29+#2)
	}                                       // 256-byte Folded Reload
	{
		v0.h = vdmpy(v1.ub,r0.b)
		r0 = ##.L.str.4
		v1.cur = vmem(r29+#3)
	}                                       // 256-byte Folded Reload
	{
		call show
	}
	{
		r0 = ##.L.str.5
		v0 = vmem(r29+#2)
	}                                       // 256-byte Folded Reload
	{
		call show
		v0.w = vdmpy(v1.h,v0.h):sat
		v1.cur = vmem(r29+#3)
	}                                       // 256-byte Folded Reload
	{
		r0 = ##2147450880
		v1 = vmem(r29+#3)
	}                                       // 256-byte Folded Reload
	{
		v0 = vmem(r29+#2)
	}                                       // 256-byte Folded Reload
	{
		v0 = vmem(r29+#1)
	}                                       // 128-byte Folded Reload
	{
		call show
		v0.w += vdmpy(v1.h,r0.h):sat
		r0 = ##.L.str.6
	}
	{
		r0 = ##16909060
		v0 = vmem(r29+#2)
	}                                       // 256-byte Folded Reload
	{
		v1 = vmem(r29+#3)
	}                                       // 256-byte Folded Reload
	{
		call show_pair
		v1:0.h = vtmpy(v1:0.ub,r0.b)
		r0 = ##.L.str.7
	}
	{
		r0 = ##305419896
		v0 = vmem(r29+#2)
	}                                       // 256-byte Folded Reload
	{
		v1 = vmem(r29+#3)
	}                                       // 256-byte Folded Reload
	{
		call show_pair
		v1:0.uw = vdsad(v1:0.uh,r0.uh)
		r0 = ##.L.str.8
	}
	{
		r0 = ##33489536
		v0 = vmem(r29+#2)
	}                                       // 256-byte Folded Reload
	{
		v1 = vmem(r29+#3)
	}                                       // 256-byte Folded Reload
	{
		call show_pair
		v1:0.h = vmpa(v1:0.ub,r0.b)
		r0 = ##.L.str.9
	}
	{
		loop0(.LBB0_1,#128)
		r1:0 = combine(##input,#0)
		r2 = #0
	}
	.p2align	4
.LBB0_1:                                // Block address taken
                                        // =>This Inner Loop Header: Depth=1
	{
		r3 = add(#7,mpyi(r2,#29))
		r2 = add(r2,#1)
		memb(r1++#1) = r3.new
	} :endloop0
// %bb.2:
	{
		r17 = ##weights
		r1 = ##weights
	}
	{
		loop1(.LBB0_3,#64)
		r2 = #0
	}
	.p2align	4
.LBB0_3:                                // Block address taken
                                        // =>This Loop Header: Depth=1
                                        //     Child Loop BB0_4 Depth 2
	{
		loop0(.LBB0_4,#128)
		r3 = #0
		r5:4 = combine(r0,r1)
	}
	.p2align	5
.LBB0_4:                                // Block address taken
                                        //   Parent Loop BB0_3 Depth=1
                                        // =>  This Inner Loop Header: Depth=2
	{
		r6 = xor(r3,r2)
		r7 = add(r5,#5)
		r3 = add(r3,#1)
	}
	{
		r5 += mpyi(r6,#253)
		memb(r4++#1) = r5.new
	}
	{
		r5 = r7
		nop
	} :endloop0
// %bb.5:                               //   in Loop: Header=BB0_3 Depth=1
	{
		r1 = add(r1,#128)
		nop
		r0 = add(r0,#11)
		r2 = add(r2,#1)
	} :endloop1
// %bb.6:
	{
		r16 = #0
		r19:18 = combine(#0,#0)
	}
	.p2align	4
.LBB0_7:                                // =>This Loop Header: Depth=1
                                        //     Child Loop BB0_8 Depth 2
	{
		r0 = ##weights
	}
	{
		r0 += asl(r18,#7)
		call dot
	}
	{
		loop0(.LBB0_8,#126)
		r3:2 = combine(r17,r0)
		r1:0 = combine(##input,#0)
	}
	{
		r6 = memub(r1++#1)
		r7 = memb(r3++#1)
	}
	{
		r4 = memub(r1++#1)
		r5 = memb(r3++#1)
	}
	.p2align	5
.LBB0_8:                                //   Parent Loop BB0_7 Depth=1
                                        // =>  This Inner Loop Header: Depth=2
	{
		r0 += mpyi(r7,r6)
		r7:6 = combine(r5,r4)
		r5 = memb(r3++#1)
		r4 = memub(r1++#1)
	} :endloop0
// %bb.9:                               //   in Loop: Header=BB0_7 Depth=1
	{
		r0 += mpyi(r7,r6)
		r18 = add(r18,#1)
		r17 = add(r17,#128)
	}
	{
		r0 += mpyi(r5,r4)
		p1 = cmp.eq(r18,#64)
	}
	{
		r2 += mpyi(r19,#31)
		p0 = cmp.eq(r2,r0)
		if (!p0.new) r16 = add(r16,#1)
	}
	{
		r19 = r2
		if (!p1) jump:nt .LBB0_7
	}
// %bb.10:
	{
		call printf
		r1:0 = combine(r16,##.L.str.10)
	}
	{
		r0 = #0
		r17:16 = memd(r30+#-8)
		r19:18 = memd(r30+#-16)
	}                                       // 8-byte Folded Reload
	{
		r31:30 = dealloc_return(r30):raw
	}
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
		r0 = ##.L.str.11
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
		r0 = ##.L.str.12
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
	.p2align	4                               // -- Begin function dot
	.type	dot,@function
dot:                                    // @dot
// %bb.0:
	{
		r1 = ##input
		v1 = vmem(r0+#0)
	}
	{
		r1 = #64
		v0 = vmem(r1+#0)
	}
	{
		v0.w = vrmpy(v0.ub,v1.b)
	}
	.p2align	5
.LBB4_1:                                // =>This Inner Loop Header: Depth=1
	{
		r1 = extractu(r1,#6,#1)
		p0 = cmp.gtu(r1,#7)
		v1 = vror(v0,r1)
	}
	{
		if (p0) jump:nt .LBB4_1
		v0.w = vadd(v0.w,v1.w)
	}
// %bb.2:
	{
		r0 = #0
	}
	{
		r0 = vextract(v0,r0)
	}
	{
		jumpr r31
	}
.Lfunc_end4:
	.size	dot, .Lfunc_end4-dot
                                        // -- End function
	.type	.L.str,@object                  // @.str
	.section	.rodata.str1.1,"aMS",@progbits,1
.L.str:
	.string	"rmpy.ubb"
	.size	.L.str, 9

	.type	.L.str.1,@object                // @.str.1
.L.str.1:
	.string	"rmpyacc"
	.size	.L.str.1, 8

	.type	.L.str.2,@object                // @.str.2
.L.str.2:
	.string	"rmpy.ub"
	.size	.L.str.2, 8

	.type	.L.str.3,@object                // @.str.3
.L.str.3:
	.string	"rmpyi"
	.size	.L.str.3, 6

	.type	.L.str.4,@object                // @.str.4
.L.str.4:
	.string	"dmpy.ub"
	.size	.L.str.4, 8

	.type	.L.str.5,@object                // @.str.5
.L.str.5:
	.string	"dmpy.h"
	.size	.L.str.5, 7

	.type	.L.str.6,@object                // @.str.6
.L.str.6:
	.string	"dmpyacc"
	.size	.L.str.6, 8

	.type	.L.str.7,@object                // @.str.7
.L.str.7:
	.string	"tmpy"
	.size	.L.str.7, 5

	.type	.L.str.8,@object                // @.str.8
.L.str.8:
	.string	"dsad"
	.size	.L.str.8, 5

	.type	.L.str.9,@object                // @.str.9
.L.str.9:
	.string	"mpa"
	.size	.L.str.9, 4

	.type	input,@object                   // @input
	.lcomm	input,128,128
	.type	weights,@object                 // @weights
	.lcomm	weights,8192,128
	.type	.L.str.10,@object               // @.str.10
.L.str.10:
	.string	"%d %08x\n"
	.size	.L.str.10, 9

	.type	seed,@object                    // @seed
	.data
	.p2align	2, 0x0
seed:
	.word	2463534242                      // 0x92d68ca2
	.size	seed, 4

	.type	.L.str.11,@object               // @.str.11
	.section	.rodata.str1.1,"aMS",@progbits,1
.L.str.11:
	.string	"%-10s %08x  %08x %08x %08x\n"
	.size	.L.str.11, 28

	.type	.L.str.12,@object               // @.str.12
.L.str.12:
	.space	1
	.size	.L.str.12, 1

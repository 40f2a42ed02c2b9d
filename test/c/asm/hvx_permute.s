	.text
	.globl	main                            // -- Begin function main
	.p2align	4
	.type	main,@function
main:                                   // @main
// %bb.0:
	{
		allocframe(r29,#1152):raw
	}
	{
		call random_vector
		r29 = and(r29,#-128)
	}
	{
		call random_vector
		vmem(r29+#2) = v0
	}                                       // 128-byte Folded Spill
	{
		call random_vector
		vmem(r29+#3) = v0
	}                                       // 128-byte Folded Spill
	{
		r0 = #1
		vmem(r29+#4) = v0
	}                                       // 128-byte Folded Spill
	.p2align	4
.LBB0_1:                                // =>This Inner Loop Header: Depth=1
	{
		v0 = vmem(r29+#2)
		memw(r29+#128) = r0
	}                                       // 128-byte Folded Reload
	{
		call show
		r0 = ##.L.str
		v0 = vror(v0,r0)
	}
	{
		r0 = ##.L.str.1
		r7 = memw(r29+#128)
		v1 = vmem(r29+#3)
	}                                       // 128-byte Folded Reload
	{
		v0 = vmem(r29+#2)
	}                                       // 128-byte Folded Reload
	{
		call show
		v0 = valign(v0,v1,r7)
	}
	{
		r0 = ##.L.str.2
		r7 = memw(r29+#128)
		v0 = vmem(r29+#2)
	}                                       // 128-byte Folded Reload
	{
		call show
		v0 = vlalign(v0,v1,r7)
		v1.cur = vmem(r29+#3)
	}                                       // 128-byte Folded Reload
	{
		r0 = ##.L.str.3
		r7 = memw(r29+#128)
		v0 = vmem(r29+#2)
	}                                       // 128-byte Folded Reload
	{
		v1 = vmem(r29+#3)
	}                                       // 128-byte Folded Reload
	{
		call show_pair
		v1:0 = vdeal(v0,v1,r7)
	}
	{
		r0 = ##.L.str.4
		r7 = memw(r29+#128)
		v0 = vmem(r29+#2)
	}                                       // 4-byte Folded Reload
	{
		r7 = sub(#0,r7)
		v1 = vmem(r29+#3)
	}                                       // 128-byte Folded Reload
	{
		call show_pair
		v1:0 = vshuff(v0,v1,r7)
	}
	{
		r7 = memw(r29+#128)
	}                                       // 4-byte Folded Reload
	{
		r0 = +mpyi(r7,##16843009)
	}
	{
		call show
		v0 = vsplat(r0)
		r0 = ##.L.str.5
	}
	{
		r0 = ##.L.str.6
		r7 = memw(r29+#128)
		v0 = vmem(r29+#2)
	}                                       // 128-byte Folded Reload
	{
		call show
		v0.b = vlut32(v0.b,v1.b,r7)
		v1.cur = vmem(r29+#3)
	}                                       // 128-byte Folded Reload
	{
		r0 = ##.L.str.7
		r7 = memw(r29+#128)
		v0 = vmem(r29+#2)
	}                                       // 128-byte Folded Reload
	{
		v1 = vmem(r29+#3)
	}                                       // 128-byte Folded Reload
	{
		call show_pair
		v1:0.h = vlut16(v0.b,v1.h,r7)
	}
	{
		r7 = memw(r29+#128)
	}                                       // 4-byte Folded Reload
	{
		p0 = cmp.gt(r7,#42)
	}
	{
		r0 = add(#1,mpyi(r7,#3))
		if (!p0) jump:nt .LBB0_1
	}
// %bb.2:
	{
		r0 = ##.L.str.8
		v0 = vmem(r29+#2)
	}                                       // 128-byte Folded Reload
	{
		call show
		v0 = valign(v0,v1,#3)
		v1.cur = vmem(r29+#3)
	}                                       // 128-byte Folded Reload
	{
		v0 = vmem(r29+#2)
	}                                       // 128-byte Folded Reload
	{
		call show
		r0 = ##.L.str.9
		v0.h = vdeal(v0.h)
	}
	{
		v0 = vmem(r29+#2)
	}                                       // 128-byte Folded Reload
	{
		call show
		r0 = ##.L.str.10
		v0.b = vshuff(v0.b)
	}
	{
		r0 = ##.L.str.11
		v0 = vmem(r29+#2)
	}                                       // 128-byte Folded Reload
	{
		call show
		v0.h = vshuffe(v0.h,v1.h)
		v1.cur = vmem(r29+#3)
	}                                       // 128-byte Folded Reload
	{
		r0 = ##.L.str.12
		v0 = vmem(r29+#2)
	}                                       // 128-byte Folded Reload
	{
		call show
		v0.b = vshuffo(v0.b,v1.b)
		v1.cur = vmem(r29+#3)
	}                                       // 128-byte Folded Reload
	{
		r0 = ##.L.str.13
		v0 = vmem(r29+#2)
	}                                       // 128-byte Folded Reload
	{
		v1 = vmem(r29+#3)
	}                                       // 128-byte Folded Reload
	{
		call show_pair
		v1:0.h = vshuffoe(v0.h,v1.h)
	}
	{
		r0 = ##.L.str.14
		v0 = vmem(r29+#2)
	}                                       // 128-byte Folded Reload
	{
		call show
		v0.b = vpacke(v0.h,v1.h)
		v1.cur = vmem(r29+#3)
	}                                       // 128-byte Folded Reload
	{
		r0 = ##.L.str.15
		v0 = vmem(r29+#2)
	}                                       // 128-byte Folded Reload
	{
		call show
		v0.h = vpacko(v0.w,v1.w)
		v1.cur = vmem(r29+#3)
	}                                       // 128-byte Folded Reload
	{
		r0 = ##.L.str.16
		v1 = vmem(r29+#4)
	}                                       // 128-byte Folded Reload
	{
		v0 = vmem(r29+#2)
	}                                       // 128-byte Folded Reload
	{
		call show
		v0 = vdelta(v0,v1)
	}
	{
		r0 = ##.L.str.17
		v0 = vmem(r29+#2)
	}                                       // 128-byte Folded Reload
	{
		call show
		v0 = vrdelta(v0,v1)
		v1.cur = vmem(r29+#4)
	}                                       // 128-byte Folded Reload
	{
		r0 = ##305419896
		v0 = vmem(r29+#2)
	}                                       // 128-byte Folded Reload
	{
		call show
		v0.w = vinsert(r0)
		r0 = ##.L.str.18
	}
	{
		r0 = #20
		v0 = vmem(r29+#2)
	}                                       // 128-byte Folded Reload
	{
		r1 = vextract(v0,r0)
	}
	{
		call printf
		r0 = ##.L.str.19
	}
	{
		loop0(.LBB0_3,#512)
		r0 = add(r29,#640)
		r1 = #0
		r2 = #0
	}
	.p2align	5
.LBB0_3:                                // Block address taken
                                        // =>This Inner Loop Header: Depth=1
	{
		r1 += lsr(r2,#4)
		r3 = add(r1,#7)
		r2 = add(r2,#1)
		memb(r0++#1) = r1.new
	}
	{
		r1 = r3
		nop
	} :endloop0
// %bb.4:
	{
		r0 = add(r29,#717)
	}
	{
		r0 = ##.L.str.20
		v0 = vmemu(r0+#0)
	}
	{
		call show
		vmem(r29+#1) = v0
	}                                       // 128-byte Folded Spill
	{
		r1 = add(r29,#640)
		r0 = ##.L.str.21
		v0 = vmem(r29+#1)
	}                                       // 128-byte Folded Reload
	{
		r1 = add(r1,#201)
	}
	{
		vmemu(r1+#0) = v0
	}
	{
		call show
		v0 = vmem(r29+#7)
	}
	{
		r0 = #0
		dealloc_return
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
	.string	"ror"
	.size	.L.str, 4

	.type	.L.str.1,@object                // @.str.1
.L.str.1:
	.string	"align"
	.size	.L.str.1, 6

	.type	.L.str.2,@object                // @.str.2
.L.str.2:
	.string	"lalign"
	.size	.L.str.2, 7

	.type	.L.str.3,@object                // @.str.3
.L.str.3:
	.string	"deal"
	.size	.L.str.3, 5

	.type	.L.str.4,@object                // @.str.4
.L.str.4:
	.string	"shuff"
	.size	.L.str.4, 6

	.type	.L.str.5,@object                // @.str.5
.L.str.5:
	.string	"splat"
	.size	.L.str.5, 6

	.type	.L.str.6,@object                // @.str.6
.L.str.6:
	.string	"lut32"
	.size	.L.str.6, 6

	.type	.L.str.7,@object                // @.str.7
.L.str.7:
	.string	"lut16"
	.size	.L.str.7, 6

	.type	.L.str.8,@object                // @.str.8
.L.str.8:
	.string	"align#"
	.size	.L.str.8, 7

	.type	.L.str.9,@object                // @.str.9
.L.str.9:
	.string	"deal.h"
	.size	.L.str.9, 7

	.type	.L.str.10,@object               // @.str.10
.L.str.10:
	.string	"shuff.b"
	.size	.L.str.10, 8

	.type	.L.str.11,@object               // @.str.11
.L.str.11:
	.string	"shuffe.h"
	.size	.L.str.11, 9

	.type	.L.str.12,@object               // @.str.12
.L.str.12:
	.string	"shuffo.b"
	.size	.L.str.12, 9

	.type	.L.str.13,@object               // @.str.13
.L.str.13:
	.string	"shuffoe"
	.size	.L.str.13, 8

	.type	.L.str.14,@object               // @.str.14
.L.str.14:
	.string	"packe.b"
	.size	.L.str.14, 8

	.type	.L.str.15,@object               // @.str.15
.L.str.15:
	.string	"packo.h"
	.size	.L.str.15, 8

	.type	.L.str.16,@object               // @.str.16
.L.str.16:
	.string	"delta"
	.size	.L.str.16, 6

	.type	.L.str.17,@object               // @.str.17
.L.str.17:
	.string	"rdelta"
	.size	.L.str.17, 7

	.type	.L.str.18,@object               // @.str.18
.L.str.18:
	.string	"insert"
	.size	.L.str.18, 7

	.type	.L.str.19,@object               // @.str.19
.L.str.19:
	.string	"%08x\n"
	.size	.L.str.19, 6

	.type	.L.str.20,@object               // @.str.20
.L.str.20:
	.string	"unaligned"
	.size	.L.str.20, 10

	.type	.L.str.21,@object               // @.str.21
.L.str.21:
	.string	"stored"
	.size	.L.str.21, 7

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

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
	}                                       // 8-byte Folded Spill
	{
		call random_vector
		vmem(r29+#1) = v0
	}                                       // 128-byte Folded Spill
	{
		call random_vector
		r16 = #0
		vmem(r29+#2) = v0
	}                                       // 128-byte Folded Spill
	{
		p1 = or(p1,!p1)
		vmem(r29+#3) = v0
	}                                       // 128-byte Folded Spill
	.p2align	4
.LBB0_1:                                // =>This Inner Loop Header: Depth=1
	{
		r1 = p1
		r0 = ##.L.str
		v1 = vmem(r29+#1)
	}                                       // 128-byte Folded Reload
	{
		v0 = vmem(r29+#2)
		vmem(r29+#1) = v1
	}                                       // 128-byte Folded Reload
	{
		call show
		r17 = r1
		v0.b = vadd(v1.b,v0.b)
		vmem(r29+#2) = v0
	}                                       // 128-byte Folded Spill
	{
		r0 = ##.L.str.1
		v0 = vmem(r29+#2)
	}                                       // 128-byte Folded Reload
	{
		call show
		v0.h = vadd(v1.h,v0.h)
		v1.cur = vmem(r29+#1)
	}                                       // 128-byte Folded Reload
	{
		r0 = ##.L.str.2
		v0 = vmem(r29+#2)
	}                                       // 128-byte Folded Reload
	{
		call show
		v0.w = vadd(v1.w,v0.w)
		v1.cur = vmem(r29+#1)
	}                                       // 128-byte Folded Reload
	{
		r0 = ##.L.str.3
		v0 = vmem(r29+#2)
	}                                       // 128-byte Folded Reload
	{
		call show
		v0.ub = vadd(v1.ub,v0.ub):sat
		v1.cur = vmem(r29+#1)
	}                                       // 128-byte Folded Reload
	{
		r0 = ##.L.str.4
		v0 = vmem(r29+#2)
	}                                       // 128-byte Folded Reload
	{
		call show
		v0.h = vadd(v1.h,v0.h):sat
		v1.cur = vmem(r29+#1)
	}                                       // 128-byte Folded Reload
	{
		r0 = ##.L.str.5
		v0 = vmem(r29+#2)
	}                                       // 128-byte Folded Reload
	{
		call show
		v0.w = vadd(v1.w,v0.w):sat
		v1.cur = vmem(r29+#1)
	}                                       // 128-byte Folded Reload
	{
		r0 = ##.L.str.6
		v0 = vmem(r29+#2)
	}                                       // 128-byte Folded Reload
	{
		call show
		v0.uh = vsub(v1.uh,v0.uh):sat
		v1.cur = vmem(r29+#1)
	}                                       // 128-byte Folded Reload
	{
		r0 = ##.L.str.7
		v0 = vmem(r29+#2)
	}                                       // 128-byte Folded Reload
	{
		call show
		v0.h = vavg(v1.h,v0.h):rnd
		v1.cur = vmem(r29+#1)
	}                                       // 128-byte Folded Reload
	{
		r0 = ##.L.str.8
		v0 = vmem(r29+#2)
	}                                       // 128-byte Folded Reload
	{
		call show
		v0.b = vnavg(v1.ub,v0.ub)
		v1.cur = vmem(r29+#1)
	}                                       // 128-byte Folded Reload
	{
		r0 = ##.L.str.9
		v0 = vmem(r29+#2)
	}                                       // 128-byte Folded Reload
	{
		call show
		v0.ub = vabsdiff(v1.ub,v0.ub)
		v1.cur = vmem(r29+#1)
	}                                       // 128-byte Folded Reload
	{
		v0 = vmem(r29+#1)
	}                                       // 128-byte Folded Reload
	{
		call show
		r0 = ##.L.str.10
		v0.h = vabs(v0.h):sat
	}
	{
		r0 = ##.L.str.11
		v0 = vmem(r29+#2)
	}                                       // 128-byte Folded Reload
	{
		call show
		v0.w = vmax(v1.w,v0.w)
		v1.cur = vmem(r29+#1)
	}                                       // 128-byte Folded Reload
	{
		r0 = ##.L.str.12
		v0 = vmem(r29+#2)
	}                                       // 128-byte Folded Reload
	{
		call show
		v0.ub = vmin(v1.ub,v0.ub)
		v1.cur = vmem(r29+#1)
	}                                       // 128-byte Folded Reload
	{
		r0 = ##.L.str.13
		v0 = vmem(r29+#2)
	}                                       // 128-byte Folded Reload
	{
		v1 = vmem(r29+#1)
	}                                       // 128-byte Folded Reload
	{
		call show_pair
		v1:0.w = vmpy(v1.h,v0.h)
	}
	{
		r0 = ##.L.str.14
		v0 = vmem(r29+#2)
	}                                       // 128-byte Folded Reload
	{
		v1 = vmem(r29+#1)
	}                                       // 128-byte Folded Reload
	{
		call show_pair
		v1:0.uh = vmpy(v1.ub,v0.ub)
	}
	{
		r0 = ##.L.str.15
		v0 = vmem(r29+#2)
	}                                       // 128-byte Folded Reload
	{
		call show
		v0.h = vmpyi(v1.h,v0.h)
		v1.cur = vmem(r29+#1)
	}                                       // 128-byte Folded Reload
	{
		r0 = ##.L.str.16
		v1 = vmem(r29+#2)
	}                                       // 128-byte Folded Reload
	{
		v0 = vmem(r29+#3)
	}                                       // 128-byte Folded Reload
	{
		call show
		v0.w += vmpyie(v2.w,v1.uh)
		v2.cur = vmem(r29+#1)
	}                                       // 128-byte Folded Reload
	{
		r0 = ##.L.str.17
		v0 = vmem(r29+#2)
	}                                       // 128-byte Folded Reload
	{
		call show
		v0.h = vmpy(v1.h,v0.h):<<1:rnd:sat
		v1.cur = vmem(r29+#1)
	}                                       // 128-byte Folded Reload
	{
		r0 = add(r16,#5)
		v0 = vmem(r29+#1)
	}                                       // 128-byte Folded Reload
	{
		call show
		r0 = ##.L.str.18
		v0.w = vasl(v0.w,r0)
	}
	{
		r0 = add(r16,#3)
		v0 = vmem(r29+#1)
	}                                       // 128-byte Folded Reload
	{
		call show
		r0 = ##.L.str.19
		v0.uh = vlsr(v0.uh,r0)
	}
	{
		r0 = ##.L.str.20
		v0 = vmem(r29+#2)
	}                                       // 128-byte Folded Reload
	{
		call show
		v0.w = vasr(v1.w,v0.w)
		v1.cur = vmem(r29+#1)
	}                                       // 128-byte Folded Reload
	{
		r7 = add(r16,#7)
		r0 = ##.L.str.21
		v0 = vmem(r29+#2)
	}                                       // 128-byte Folded Reload
	{
		call show
		v0.h = vasr(v1.w,v0.w,r7):rnd:sat
		v1.cur = vmem(r29+#1)
	}                                       // 128-byte Folded Reload
	{
		r7 = #4
		r0 = ##.L.str.22
		v0 = vmem(r29+#2)
	}                                       // 128-byte Folded Reload
	{
		call show
		v0.ub = vasr(v1.h,v0.h,r7):rnd:sat
		v1.cur = vmem(r29+#1)
	}                                       // 128-byte Folded Reload
	{
		v0 = vmem(r29+#1)
	}                                       // 128-byte Folded Reload
	{
		call show_pair
		r0 = ##.L.str.23
		v1:0.h = vunpack(v0.b)
	}
	{
		r0 = ##.L.str.24
		v0 = vmem(r29+#2)
	}                                       // 128-byte Folded Reload
	{
		call show
		v0.h = vpack(v1.w,v0.w):sat
		v1.cur = vmem(r29+#1)
	}                                       // 128-byte Folded Reload
	{
		r0 = ##.L.str.25
		v0 = vmem(r29+#2)
	}                                       // 128-byte Folded Reload
	{
		call show
		v0.ub = vsat(v1.h,v0.h)
		v1.cur = vmem(r29+#1)
	}                                       // 128-byte Folded Reload
	{
		v0 = vmem(r29+#1)
	}                                       // 128-byte Folded Reload
	{
		call show
		r0 = ##.L.str.26
		v0.uw = vcl0(v0.uw)
	}
	{
		v0 = vmem(r29+#1)
	}                                       // 128-byte Folded Reload
	{
		call show
		r0 = ##.L.str.27
		v0.h = vpopcount(v0.h)
	}
	{
		v0 = vmem(r29+#1)
	}                                       // 128-byte Folded Reload
	{
		call show
		r0 = ##.L.str.28
		v0.w = vnormamt(v0.w)
	}
	{
		p1 = and(p1,!p1)
		r0 = r17
		r16 = #1
		v0 = vmem(r29+#1)
	}                                       // 128-byte Folded Reload
	{
		p0 = r0
		v0 = vxor(v0,v1)
		v1.cur = vmem(r29+#3)
		vmem(r29+#1) = v0.new
	}                                       // 128-byte Folded Reload
	{
		if (p0) jump:nt .LBB0_1
		v0.w = vadd(v31.w,v1.w)
		v31.cur = vmem(r29+#2)
		vmem(r29+#2) = v0.new
	}                                       // 128-byte Folded Reload
// %bb.2:
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
		r0 = ##.L.str.29
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
		r0 = ##.L.str.30
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
	.string	"add.b"
	.size	.L.str, 6

	.type	.L.str.1,@object                // @.str.1
.L.str.1:
	.string	"add.h"
	.size	.L.str.1, 6

	.type	.L.str.2,@object                // @.str.2
.L.str.2:
	.string	"add.w"
	.size	.L.str.2, 6

	.type	.L.str.3,@object                // @.str.3
.L.str.3:
	.string	"add.ub:s"
	.size	.L.str.3, 9

	.type	.L.str.4,@object                // @.str.4
.L.str.4:
	.string	"add.h:s"
	.size	.L.str.4, 8

	.type	.L.str.5,@object                // @.str.5
.L.str.5:
	.string	"add.w:s"
	.size	.L.str.5, 8

	.type	.L.str.6,@object                // @.str.6
.L.str.6:
	.string	"sub.uh:s"
	.size	.L.str.6, 9

	.type	.L.str.7,@object                // @.str.7
.L.str.7:
	.string	"avg.h:r"
	.size	.L.str.7, 8

	.type	.L.str.8,@object                // @.str.8
.L.str.8:
	.string	"navg.ub"
	.size	.L.str.8, 8

	.type	.L.str.9,@object                // @.str.9
.L.str.9:
	.string	"absdiff"
	.size	.L.str.9, 8

	.type	.L.str.10,@object               // @.str.10
.L.str.10:
	.string	"abs.h:s"
	.size	.L.str.10, 8

	.type	.L.str.11,@object               // @.str.11
.L.str.11:
	.string	"max.w"
	.size	.L.str.11, 6

	.type	.L.str.12,@object               // @.str.12
.L.str.12:
	.string	"min.ub"
	.size	.L.str.12, 7

	.type	.L.str.13,@object               // @.str.13
.L.str.13:
	.string	"mpy.h"
	.size	.L.str.13, 6

	.type	.L.str.14,@object               // @.str.14
.L.str.14:
	.string	"mpy.ub"
	.size	.L.str.14, 7

	.type	.L.str.15,@object               // @.str.15
.L.str.15:
	.string	"mpyi.h"
	.size	.L.str.15, 7

	.type	.L.str.16,@object               // @.str.16
.L.str.16:
	.string	"mpyie.w"
	.size	.L.str.16, 8

	.type	.L.str.17,@object               // @.str.17
.L.str.17:
	.string	"mpy:rnd"
	.size	.L.str.17, 8

	.type	.L.str.18,@object               // @.str.18
.L.str.18:
	.string	"asl.w"
	.size	.L.str.18, 6

	.type	.L.str.19,@object               // @.str.19
.L.str.19:
	.string	"lsr.uh"
	.size	.L.str.19, 7

	.type	.L.str.20,@object               // @.str.20
.L.str.20:
	.string	"asr.wv"
	.size	.L.str.20, 7

	.type	.L.str.21,@object               // @.str.21
.L.str.21:
	.string	"asr.n"
	.size	.L.str.21, 6

	.type	.L.str.22,@object               // @.str.22
.L.str.22:
	.string	"asrhub"
	.size	.L.str.22, 7

	.type	.L.str.23,@object               // @.str.23
.L.str.23:
	.string	"unpack.b"
	.size	.L.str.23, 9

	.type	.L.str.24,@object               // @.str.24
.L.str.24:
	.string	"pack.h"
	.size	.L.str.24, 7

	.type	.L.str.25,@object               // @.str.25
.L.str.25:
	.string	"sat.hub"
	.size	.L.str.25, 8

	.type	.L.str.26,@object               // @.str.26
.L.str.26:
	.string	"cl0.w"
	.size	.L.str.26, 6

	.type	.L.str.27,@object               // @.str.27
.L.str.27:
	.string	"popcount"
	.size	.L.str.27, 9

	.type	.L.str.28,@object               // @.str.28
.L.str.28:
	.string	"normamt"
	.size	.L.str.28, 8

	.type	seed,@object                    // @seed
	.data
	.p2align	2, 0x0
seed:
	.word	2463534242                      // 0x92d68ca2
	.size	seed, 4

	.type	.L.str.29,@object               // @.str.29
	.section	.rodata.str1.1,"aMS",@progbits,1
.L.str.29:
	.string	"%-10s %08x  %08x %08x %08x\n"
	.size	.L.str.29, 28

	.type	.L.str.30,@object               // @.str.30
.L.str.30:
	.space	1
	.size	.L.str.30, 1

	.text
	.globl	main                            // -- Begin function main
	.p2align	4
	.type	main,@function
main:                                   // @main
// %bb.0:
	{
		memd(r29+#-16) = r17:16
		allocframe(#32)
	}                                       // 8-byte Folded Spill
	{
		memw(r29+#0) = #0
		r0 = memw(r29+#0)

	} :mem_noshuf
	{
		call fib
		r0 = add(r0,#20)
	}
	{
		r1:0 = combine(r0,##.L.str)
		r2 = memw(##calls)
	}
	{
		call printf
	}
	{
		r0 = memw(r29+#0)
	}
	{
		call ackermann
		r1 = add(r0,#9)
		r0 = #2
	}
	{
		call printf
		r1:0 = combine(r0,##.L.str.1)
	}
	{
		r1 = #1
		r2 = #3
		memw(r29+#4) = #0
		memw(r29+#8) = #0
	}
	{
		r4 = add(r29,#8)
		r3 = add(r29,#4)
		r0 = memw(r29+#0)
	}
	{
		call hanoi
		r0 = add(r0,#10)
	}
	{
		r0 = ##.L.str.2
		r1 = memw(r29+#4)
		r2 = memw(r29+#8)
	}
	{
		call printf
	}
	{
		r0 = add(r29,#16)
		r1 = #0
		r2 = add(r29,#12)
		memh(r29+#20) = #122
	}
	{
		call permute
		memw(r29+#16) = ##2037938038
		memw(r29+#12) = #0
	}
	{
		r16 = memw(r29+#12)
		r0 = memw(r29+#0)
	}
	{
		call even
		r0 = add(r0,#101)
	}
	{
		r17 = r0
		r1 = memw(r29+#0)
	}
	{
		call odd
		r0 = add(r1,#77)
	}
	{
		call printf
		r3:2 = combine(r0,r17)
		r1:0 = combine(r16,##.L.str.3)
	}
	{
		call depth
		r0 = add(r29,#0)
		r1 = #500
	}
	{
		call printf
		r1:0 = combine(r0,##.L.str.4)
	}
	{
		r0 = #0
		r17:16 = memd(r29+#24)
		dealloc_return
	}                                       // 8-byte Folded Reload
.Lfunc_end0:
	.size	main, .Lfunc_end0-main
                                        // -- End function
	.p2align	4                               // -- Begin function fib
	.type	fib,@function
fib:                                    // @fib
// %bb.0:
	{
		r17:16 = combine(#0,r0)
		p0 = cmp.gtu(r0,#1)
		memd(r29+#-16) = r17:16
		allocframe(#16)
	}                                       // 8-byte Folded Spill
	{
		r18 = ##calls
		memd(r29+#0) = r19:18
	}                                       // 8-byte Folded Spill
	{
		if (!p0) jump:nt .LBB1_3
		memw(r18+#0) += #1
	}
	.p2align	4
.LBB1_1:                                // =>This Inner Loop Header: Depth=1
	{
		call fib
		r16 = add(r16,#-2)
		r0 = add(r16,#-1)
	}
	{
		r17 = add(r0,r17)
		p0 = cmp.gtu(r16,#1); if (p0.new) jump:t .LBB1_1
		memw(r18+#0) += #1
	}
.LBB1_3:
	{
		r0 = add(r16,r17)
		r17:16 = memd(r29+#8)
		r19:18 = memd(r29+#0)
	}                                       // 8-byte Folded Reload
	{
		r31:30 = dealloc_return(r30):raw
	}
.Lfunc_end1:
	.size	fib, .Lfunc_end1-fib
                                        // -- End function
	.p2align	4                               // -- Begin function ackermann
	.type	ackermann,@function
ackermann:                              // @ackermann
// %bb.0:
	{
		p0 = cmp.eq(r0,#0); if (p0.new) jump:nt .LBB2_5
		memd(r29+#-16) = r17:16
		allocframe(#8)
	}                                       // 8-byte Folded Spill
// %bb.1:
	{
		r16 = r0 ; jump .LBB2_2
	}
	.p2align	4
.LBB2_3:                                //   in Loop: Header=BB2_2 Depth=1
	{
		r16 = #1
		if (p0.new) r0 = add(r0,#1)
		r1 = r0
		p0 = cmp.eq(r16,#1)
	}
	{
		if (p0) r17:16 = memd(r29+#0)
		if (p0) r31:30 = dealloc_return(r30):raw
	}                                       // 8-byte Folded Reload
.LBB2_2:                                // =>This Inner Loop Header: Depth=1
	{
		r0 = #1
		p0 = cmp.eq(r1,#0); if (p0.new) jump:nt .LBB2_3
	}
// %bb.4:                               //   in Loop: Header=BB2_2 Depth=1
	{
		call ackermann
		r0 = r16
		r1 = add(r1,#-1)
	}
	{
		jump .LBB2_3
	}
.LBB2_5:
	{
		r0 = r1
		r17:16 = memd(r29+#0)
	}                                       // 8-byte Folded Reload
	{
		r0 = add(r0,#1)
		dealloc_return
	}
.Lfunc_end2:
	.size	ackermann, .Lfunc_end2-ackermann
                                        // -- End function
	.p2align	4                               // -- Begin function hanoi
	.type	hanoi,@function
hanoi:                                  // @hanoi
// %bb.0:
	{
		p0 = cmp.eq(r0,#0)
		memd(r29+#-16) = r17:16
		allocframe(#32)
	}                                       // 8-byte Folded Spill
	{
		memd(r29+#16) = r19:18
		memd(r29+#8) = r21:20
	}                                       // 8-byte Folded Spill
	{
		if (p0) jump:nt .LBB3_3
		memd(r29+#0) = r23:22
	}                                       // 8-byte Folded Spill
// %bb.1:
	{
		r17:16 = combine(r3,r4)
		r18 = r2
		r22 = r2
		r20 = r1
	}
	{
		r22 += mpyi(r0,#9)
		r19 = add(r0,#-1)
	}
	.p2align	4
.LBB3_2:                                // =>This Inner Loop Header: Depth=1
	{
		r2 = add(r18,r20)
		r1:0 = combine(r20,r19)
		r4 = r16
	}
	{
		r21 = sub(#6,r2)
	}
	{
		call hanoi
		r3:2 = combine(r17,r21)
	}
	{
		r0 = +mpyi(r20,#3)
		r19 = add(r19,#-1)
		r1 = add(r22,#-9)
		memw(r17+#0) += #1
	}
	{
		p0 = cmp.eq(r19,#-1)
		r20 = r21
		r2 = memw(r16+#0)
	}
	{
		r2 = +mpyi(r2,#31)
	}
	{
		r22 += add(r2,r0)
		memw(r16+#0) = r22.new
	}
	{
		r22 = r1
		if (!p0) jump:nt .LBB3_2
	}
.LBB3_3:
	{
		r17:16 = memd(r29+#24)
		r19:18 = memd(r29+#16)
	}                                       // 8-byte Folded Reload
	{
		r21:20 = memd(r29+#8)
		r23:22 = memd(r29+#0)
	}                                       // 8-byte Folded Reload
	{
		r31:30 = dealloc_return(r30):raw
	}
.Lfunc_end3:
	.size	hanoi, .Lfunc_end3-hanoi
                                        // -- End function
	.p2align	4                               // -- Begin function permute
	.type	permute,@function
permute:                                // @permute
// %bb.0:
	{
		p0 = cmp.eq(r1,#5)
		r17:16 = combine(r2,r0)
		memd(r29+#-16) = r17:16
		allocframe(#24)
	}                                       // 8-byte Folded Spill
	{
		if (!p0) jump:nt .LBB4_1
		memd(r29+#8) = r19:18
		memd(r29+#0) = r21:20
	}                                       // 8-byte Folded Spill
// %bb.4:
	{
		r1 = ##-252645135
		r0 = memw(r17+#0)
	}
	{
		r1 = add(##-126322568,mpyi(r0,r1))
		r0 = add(r0,#1)
		memw(r17+#0) = r0.new
	}
	{
		p0 = cmp.gtu(r1,##252645134)
		if (p0.new) jump:t .LBB4_3
	}
// %bb.5:
	{
		r0 = r16
		r17:16 = memd(r29+#16)
		r19:18 = memd(r29+#8)
	}                                       // 8-byte Folded Reload
	{
		jump puts
		r21:20 = memd(r29+#0)
		deallocframe
	}                                       // 8-byte Folded Reload
.LBB4_1:
	{
		r19 = add(r16,r1)
		r18 = add(r1,#1)
		r20 = add(r1,#-5)
	}
	{
		r21 = r19
	}
	.p2align	4
.LBB4_2:                                // =>This Inner Loop Header: Depth=1
	{
		r1:0 = combine(r18,r16)
		r2 = r17
		r3 = memub(r19+#0)
		r4 = memub(r21+#0)
	}
	{
		call permute
		r20 = add(r20,#1)
		memb(r19+#0) = r4
		memb(r21+#0) = r3
	}
	{
		r0 = memub(r19+#0)
		r1 = memub(r21+#0)
	}
	{
		p0 = cmp.eq(r20,#0); if (!p0.new) jump:t .LBB4_2
		memb(r19+#0) = r1
		memb(r21++#1) = r0
	}
.LBB4_3:
	{
		r17:16 = memd(r29+#16)
		r19:18 = memd(r29+#8)
	}                                       // 8-byte Folded Reload
	{
		r21:20 = memd(r29+#0)
		dealloc_return
	}                                       // 8-byte Folded Reload
.Lfunc_end4:
	.size	permute, .Lfunc_end4-permute
                                        // -- End function
	.p2align	4                               // -- Begin function even
	.type	even,@function
even:                                   // @even
// %bb.0:
	{
		if (p0.new) r0 = #1
		p0 = cmp.eq(r0,#0)
		if (p0.new) jumpr:nt r31
	}
.LBB5_1:
	{
		r0 = add(r0,#-1)
		jump odd
	}
.Lfunc_end5:
	.size	even, .Lfunc_end5-even
                                        // -- End function
	.p2align	4                               // -- Begin function odd
	.type	odd,@function
odd:                                    // @odd
// %bb.0:
	{
		if (p0.new) jumpr:nt r31
		p0 = cmp.eq(r0,#0)
		if (p0.new) r0 = #0
	}
.LBB6_1:
	{
		r0 = add(r0,#-1)
		jump even
	}
.Lfunc_end6:
	.size	odd, .Lfunc_end6-odd
                                        // -- End function
	.p2align	4                               // -- Begin function depth
	.type	depth,@function
depth:                                  // @depth
// %bb.0:
	{
		p0 = cmp.eq(r1,#0)
		r16 = r0
		memd(r29+#-16) = r17:16
		allocframe(#16)
	}                                       // 8-byte Folded Spill
	{
		memw(r29+#4) = r1
		if (p0) r0 = memw(r16+#0)

	} :mem_noshuf
	{
		if (p0) r17:16 = memd(r29+#8)
		if (p0) r31:30 = dealloc_return(r30):raw
	}                                       // 8-byte Folded Reload
.LBB7_1:
	{
		call depth
		r0 = add(r29,#4)
		r1 = add(r1,#-1)
	}
	{
		r1 = memw(r16+#0)
		r17:16 = memd(r29+#8)
	}                                       // 8-byte Folded Reload
	{
		r0 = add(r1,r0)
		r31:30 = dealloc_return(r30):raw
	}
.Lfunc_end7:
	.size	depth, .Lfunc_end7-depth
                                        // -- End function
	.type	.L.str,@object                  // @.str
	.section	.rodata.str1.1,"aMS",@progbits,1
.L.str:
	.string	"fib %u in %u calls\n"
	.size	.L.str, 20

	.type	calls,@object                   // @calls
	.lcomm	calls,4,4
	.type	.L.str.1,@object                // @.str.1
.L.str.1:
	.string	"ackermann %u\n"
	.size	.L.str.1, 14

	.type	.L.str.2,@object                // @.str.2
.L.str.2:
	.string	"hanoi %u %08x\n"
	.size	.L.str.2, 15

	.type	.L__const.main.s,@object        // @__const.main.s
.L__const.main.s:
	.string	"vwxyz"
	.size	.L__const.main.s, 6

	.type	.L.str.3,@object                // @.str.3
.L.str.3:
	.string	"%d %d %d\n"
	.size	.L.str.3, 10

	.type	.L.str.4,@object                // @.str.4
.L.str.4:
	.string	"%d\n"
	.size	.L.str.4, 4

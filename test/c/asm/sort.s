	.text
	.globl	main                            // -- Begin function main
	.p2align	4
	.type	main,@function
main:                                   // @main
// %bb.0:
	{
		r1 = ##1664525
		r3 = memw(##state)
	}
	{
		r2 = ##4292821
		memd(r29+#-16) = r17:16
		allocframe(#56)
	}                                       // 8-byte Folded Spill
	{
		loop0(.LBB0_1,#199)
		r17 = ##main.original+32767
		memd(r29+#40) = r19:18
	}                                       // 8-byte Folded Spill
	{
		r3 = add(##1013904223,mpyi(r3,r1))
		r0 = add(r17,#-32767)
	}
	{
		r4 = lsr(r3,#8)
	}
	{
		r5 = mpyu(r4,r2)
	}
	.p2align	4
.LBB0_1:                                // =>This Inner Loop Header: Depth=1
	{
		r3 = add(##1013904223,mpyi(r3,r1))
		r5 = lsr(r5,#1)
	}
	{
		r5 = +mpyi(r5,##2001)
	}
	{
		r5 = add(r4,sub(##-1000,r5))
		r4 = lsr(r3,#8)
		memw(r0++#4) = r5.new
	}
	{
		r5 = mpyu(r4,r2)
		nop
	} :endloop0
// %bb.2:
	{
		r1 = lsr(r5,#1)
		r16 = add(r17,#-32767)
		r2 = #800
	}
	{
		r1 = +mpyi(r1,##2001)
		memw(##state) = r3
	}
	{
		r1 = add(r4,sub(##-1000,r1))
		r18 = ##main.reference
	}
	{
		memw(r0++#4) = r1
	}
	{
		call __hexagon_memcpy_likely_aligned_min32bytes_mult8bytes
		r1:0 = combine(r16,##main.reference)
	}
	{
		r0 = ##main.reference
		r1 = #200
	}
	{
		call qsort
		r3:2 = combine(##ascending,#4)
	}
	{
		r0 = ##.L.str
		r1 = memw(r18+#0)
		r2 = memw(r18+#796)
	}
	{
		call printf
		r3 = memw(r18+#400)
	}
	{
		r1:0 = combine(r16,##main.v)
		r2 = #800
	}
	{
		call __hexagon_memcpy_likely_aligned_min32bytes_mult8bytes
		r16 = ##main.v
	}
	{
		loop1(.LBB0_3,#199)
		r0 = #1 ; jump .LBB0_3
		r1 = add(r16,#4)
	}
	.p2align	4
.LBB0_5:                                //   in Loop: Header=BB0_3 Depth=1
	{
		r5 = r3
	}
.LBB0_7:                                //   in Loop: Header=BB0_3 Depth=1
	{
		r0 = add(r0,#1)
		r1 = add(r1,#4)
		memw(r16+r5<<#2) = r2
	} :endloop1
	{
		jump .LBB0_8
	}
.LBB0_3:                                // Block address taken
                                        // =>This Loop Header: Depth=1
                                        //     Child Loop BB0_4 Depth 2
	{
		p0 = cmp.gt(r0,#0)
		r4 = r1
		r2 = memw(r16+r0<<#2)
	}
	{
		r3 = mux(p0,r0,#1)
	}
	{
		loop0(.LBB0_4,r3)
		r3 = r0
	}
	.p2align	4
.LBB0_4:                                // Block address taken
                                        //   Parent Loop BB0_3 Depth=1
                                        // =>  This Inner Loop Header: Depth=2
	{
		r5 = memw(r4+#-4)
		if (!cmp.gt(r5.new,r2)) jump:nt .LBB0_5
	}
// %bb.6:                               //   in Loop: Header=BB0_4 Depth=2
	{
		r5 = #0
		r4 = add(r4,#-4)
		r3 = add(r3,#-1)
		memw(r4+#0) = r5
	} :endloop0
	{
		jump .LBB0_7
	}
.LBB0_8:
	{
		r0 = ##main.v
		r1 = ##main.reference
	}
	{
		call memcmp
		r2 = #800
	}
	{
		call printf
		r1:0 = combine(r0,##.L.str.1)
	}
	{
		r1 = add(r17,#-32767)
		r0 = ##main.v
		r2 = #800
	}
	{
		call __hexagon_memcpy_likely_aligned_min32bytes_mult8bytes
	}
	{
		r0 = #100
		jump .LBB0_9
	}
	.p2align	4
.LBB0_15:                               //   in Loop: Header=BB0_9 Depth=1
	{
		p0 = cmp.gtu(r1,#1); if (!p0.new) jump:nt .LBB0_16
	}
.LBB0_9:                                // =>This Loop Header: Depth=1
                                        //     Child Loop BB0_10 Depth 2
	{
		r1 = r0
		r0 = add(r0,#-1)
	}
	{
		r5 = asl(r0,#1)
		r2 = r0
	}
	{
		r3 = setbit(r5,#0)
	}
	.p2align	4
.LBB0_10:                               //   Parent Loop BB0_9 Depth=1
                                        // =>  This Inner Loop Header: Depth=2
	{
		p0 = cmp.gt(r5,#197)
		if (p0.new) jump:t .LBB0_11
	}
// %bb.12:                              //   in Loop: Header=BB0_10 Depth=2
	{
		r4 = add(r5,#2)
		r5 = memw(r16+r3<<#2)
	}
	{
		r6 = memw(r16+r4<<#2)
	}
	{
		p0 = cmp.gt(r6,r5)
		if (!p0.new) r4 = add(r3,#0)
		jump .LBB0_13
	}
	.p2align	4
.LBB0_11:                               //   in Loop: Header=BB0_10 Depth=2
	{
		r4 = r3
	}
.LBB0_13:                               //   in Loop: Header=BB0_10 Depth=2
	{
		r6 = memw(r16+r2<<#2)
	}
	{
		r7 = memw(r16+r4<<#2)
		if (!cmp.gt(r7.new,r6)) jump:nt .LBB0_15
	}
// %bb.14:                              //   in Loop: Header=BB0_10 Depth=2
	{
		r8 = ##main.v
		r9 = ##main.v
	}
	{
		r8 += asl(r2,#2)
		r5 = asl(r4,#1)
	}
	{
		r9 += asl(r4,#2)
		r3 = setbit(r5,#0)
		r2 = r4
	}
	{
		p0 = cmp.gt(r3,#199)
		memw(r8+#0) = r7
	}
	{
		if (!p0) jump:nt .LBB0_10
		memw(r9+#0) = r6
	}
	{
		jump .LBB0_15
	}
.LBB0_16:
	{
		loop0(.LBB0_17,#198)
		r0 = memw(r16+#796)
		r1 = memw(r16+#0)
	}
	{
		r0 = #199
		jump .LBB0_17
		memw(r16+#0) = r0
		memw(r16+#796) = r1
	}
	.p2align	4
.LBB0_23:                               //   in Loop: Header=BB0_17 Depth=1
	{
		r0 = add(r0,#-1)
		r1 = memw(r16+#0)
	}
	{
		r2 = memw(r16+r0<<#2)
		memw(r16+#0) = r2.new
	}
	{
		nop
		memw(r16+r0<<#2) = r1
	} :endloop0
	{
		jump .LBB0_24
	}
.LBB0_17:                               // Block address taken
                                        // =>This Loop Header: Depth=1
                                        //     Child Loop BB0_18 Depth 2
	{
		r3 = #1
		r1 = #0
		r5 = #0
	}
	.p2align	4
.LBB0_18:                               //   Parent Loop BB0_17 Depth=1
                                        // =>  This Inner Loop Header: Depth=2
	{
		r2 = add(r5,#2)
		if (!cmp.gt(r0,r2.new)) jump:t .LBB0_19
	}
// %bb.20:                              //   in Loop: Header=BB0_18 Depth=2
	{
		r4 = memw(r16+r2<<#2)
		r5 = memw(r16+r3<<#2)
	}
	{
		p0 = cmp.gt(r4,r5)
		if (!p0.new) r2 = add(r3,#0)
		jump .LBB0_21
	}
	.p2align	4
.LBB0_19:                               //   in Loop: Header=BB0_18 Depth=2
	{
		r2 = r3
	}
.LBB0_21:                               //   in Loop: Header=BB0_18 Depth=2
	{
		r4 = memw(r16+r1<<#2)
	}
	{
		r6 = memw(r16+r2<<#2)
		if (!cmp.gt(r6.new,r4)) jump:nt .LBB0_23
	}
// %bb.22:                              //   in Loop: Header=BB0_18 Depth=2
	{
		r7 = ##main.v
		r8 = ##main.v
	}
	{
		r7 += asl(r1,#2)
		r5 = asl(r2,#1)
	}
	{
		r8 += asl(r2,#2)
		r3 = setbit(r5,#0)
		r1 = r2
	}
	{
		p0 = cmp.gt(r0,r3)
		memw(r7+#0) = r6
	}
	{
		if (p0) jump:nt .LBB0_18
		memw(r8+#0) = r4
	}
	{
		jump .LBB0_23
	}
.LBB0_24:
	{
		r0 = ##main.v
		r1 = ##main.reference
	}
	{
		call memcmp
		r2 = #800
	}
	{
		call printf
		r1:0 = combine(r0,##.L.str.2)
	}
	{
		r1 = add(r17,#-32767)
		r0 = ##main.v
		r2 = #800
	}
	{
		call __hexagon_memcpy_likely_aligned_min32bytes_mult8bytes
	}
	{
		call merge
		r0 = ##main.v
		r1 = #200
	}
	{
		r0 = ##main.v
		r1 = ##main.reference
	}
	{
		call memcmp
		r2 = #800
	}
	{
		call printf
		r1:0 = combine(r0,##.L.str.3)
	}
	{
		r1 = ##main.reference
		r0 = add(r29,#4)
	}
	{
		r3:2 = combine(#4,##200)
		r4 = ##ascending
	}
	{
		call bsearch
		r5 = memw(r18+#148)
		memw(r29+#4) = r5.new
	}
	{
		r1 = #0
		p0 = cmp.eq(r0,#0); if (p0.new) jump:nt .LBB0_26
	}
// %bb.25:
	{
		r0 = memw(r0+#0)
		r1 = memw(r29+#4)
	}
	{
		r1 = cmp.eq(r0,r1)
	}
.LBB0_26:
	{
		call printf
		r0 = ##.L.str.4
	}
	{
		r0 = add(r29,#8)
		r4 = ##.L__const.main.names
		r1 = #7
	}
	{
		r3:2 = combine(##by_name,#4)
		r16 = add(r29,#8)
		r7:6 = memd(r4+#16)
	}
	{
		r17 = #7
		r9:8 = memd(r4+#0)
		memd(r29+#24) = r7:6
	}
	{
		r7:6 = memd(r4+#8)
		r5 = memw(r4+#24)
	}
	{
		memd(r29+#16) = r7:6
		memw(r29+#32) = r5
	}
	{
		call qsort
		memd(r29+#8) = r9:8
	}
	.p2align	4
.LBB0_27:                               // =>This Inner Loop Header: Depth=1
	{
		p0 = cmp.eq(r17,#1)
		r0 = ##.L.str.12
		r1 = memw(r16++#4)
	}
	{
		call printf
		r2 = mux(p0,#10,#32)
	}
	{
		r17 = add(r17,#-1)
		if (!cmp.eq(r17.new,#0)) jump:t .LBB0_27
	}
// %bb.28:
	{
		r0 = #0
		r17:16 = memd(r29+#48)
		r19:18 = memd(r29+#40)
	}                                       // 8-byte Folded Reload
	{
		r31:30 = dealloc_return(r30):raw
	}
.Lfunc_end0:
	.size	main, .Lfunc_end0-main
                                        // -- End function
	.p2align	4                               // -- Begin function ascending
	.type	ascending,@function
ascending:                              // @ascending
// %bb.0:
	{
		r2 = memw(r0+#0)
		r1 = memw(r1+#0)
	}
	{
		p0 = cmp.gt(r2,r1)
		p1 = cmp.gt(r1,r2)
	}
	{
		r0 = mux(p0,#1,#0)
	}
	{
		if (p1) r0 = #-1
		jumpr r31
	}
.Lfunc_end1:
	.size	ascending, .Lfunc_end1-ascending
                                        // -- End function
	.p2align	4                               // -- Begin function merge
	.type	merge,@function
merge:                                  // @merge
// %bb.0:
	{
		p0 = cmp.gt(r1,#1)
		memd(r29+#-16) = r17:16
		allocframe(#16)
	}                                       // 8-byte Folded Spill
	{
		if (!p0) r17:16 = memd(r29+#8)
		memd(r29+#0) = r19:18
	}                                       // 8-byte Folded Reload
	{
		if (!p0) r19:18 = memd(r29+#0)
		if (!p0) r31:30 = dealloc_return(r30):raw
	}                                       // 8-byte Folded Reload
.LBB2_1:
	{
		r18 = lsr(r1,#1)
		r17:16 = combine(r1,r0)
	}
	{
		call merge
		r1 = r18
	}
	{
		r0 = addasl(r16,r18,#2)
		call merge
		r1 = sub(r17,r18)
	}
	{
		r1:0 = combine(#0,##main.room)
		r4 = #0
		r3 = r18
	}
	.p2align	4
.LBB2_2:                                // =>This Inner Loop Header: Depth=1
	{
		r6 = add(r3,#1)
		r5 = r1
		r2 = memw(r16+r3<<#2)
		r9 = memw(r16+r1<<#2)
	}
	{
		r2 = min(r2,r9)
		p0 = cmp.gt(r9,r2)
		r8 = r3
		r7 = add(r1,#1)
	}
	{
		r4 = add(r4,#1)
		r1 = mux(p0,r1,r7)
		r3 = mux(p0,r6,r8)
		memw(r0++#4) = r2
	}
	{
		p2 = cmp.gtu(r18,r1)
		p1 = cmp.gt(r17,r3)
		if (!p2.new) jump:nt .LBB2_3
	}
// %bb.13:                              //   in Loop: Header=BB2_2 Depth=1
	{
		if (p1) jump:nt .LBB2_2
	}
.LBB2_3:
	{
		r9 = r4
		if (!p2) jump:nt .LBB2_6
	}
// %bb.4:
	{
		r1 = mux(p0,r5,r7)
	}
	{
		r1 = addasl(r16,r1,#2)
		r2 = sub(r18,r1)
	}
	{
		loop0(.LBB2_5,r2)
		r9 = add(r2,r4)
	}
	.p2align	4
.LBB2_5:                                // Block address taken
                                        // =>This Inner Loop Header: Depth=1
	{
		r2 = memw(r1++#4)
		memw(r0++#4) = r2.new
	} :endloop0
.LBB2_6:
	{
		r2 = asl(r17,#2)
		if (!p1) jump:nt .LBB2_11
	}
// %bb.7:
	{
		r1 = addasl(r16,r3,#2)
		r3 = asl(r3,#2)
		r0 = ##main.room
	}
	{
		r2 = asl(r17,#2)
	}
	{
		r0 += asl(r9,#2)
		r3 = sub(r2,r3)
		if (cmp.gtu(r1,r0.new)) jump:nt .LBB2_12
	}
// %bb.8:
	{
		r9 = sub(r0,r1)
		if (!cmp.gt(r3,r9.new)) jump:nt .LBB2_12
	}
// %bb.9:
	{
		if (p0) r7 = add(r5,#0)
		r0 = ##main.room
		r3 = #1
	}
	{
		r7 = maxu(r18,r7)
		if (!p0) r6 = add(r8,#0)
	}
	{
		r5 = sub(r7,r5)
	}
	{
		if (p0) r7 = add(r5,#0)
		if (!p0) r7 = sub(r5,r3)
		r3 = sub(r17,r6)
	}
	{
		loop0(.LBB2_10,r3)
		r4 = add(r7,r4)
	}
	{
		r0 += asl(r4,#2)
	}
	.p2align	4
.LBB2_10:                               // Block address taken
                                        // =>This Inner Loop Header: Depth=1
	{
		r3 = memw(r1++#4)
		memw(r0++#4) = r3.new
	} :endloop0
	{
		jump .LBB2_11
	}
.LBB2_12:
	{
		call memmove
		r17 = r2
		r2 = r3
	}
	{
		r2 = r17
	}
.LBB2_11:
	{
		r1:0 = combine(##main.room,r16)
		r17:16 = memd(r29+#8)
		r19:18 = memd(r29+#0)
	}                                       // 8-byte Folded Reload
	{
		jump memcpy
		r31:30 = deallocframe(r30):raw
	}
.Lfunc_end2:
	.size	merge, .Lfunc_end2-merge
                                        // -- End function
	.p2align	4                               // -- Begin function by_name
	.type	by_name,@function
by_name:                                // @by_name
// %bb.0:
	{
		jump strcmp
		r0 = memw(r0+#0)
		r1 = memw(r1+#0)
	}
.Lfunc_end3:
	.size	by_name, .Lfunc_end3-by_name
                                        // -- End function
	.type	main.original,@object           // @main.original
	.lcomm	main.original,800,8
	.type	main.v,@object                  // @main.v
	.lcomm	main.v,800,8
	.type	main.room,@object               // @main.room
	.lcomm	main.room,800,8
	.type	main.reference,@object          // @main.reference
	.lcomm	main.reference,800,8
	.type	.L.str,@object                  // @.str
	.section	.rodata.str1.1,"aMS",@progbits,1
.L.str:
	.string	"min %d max %d median %d\n"
	.size	.L.str, 25

	.type	.L.str.1,@object                // @.str.1
.L.str.1:
	.string	"insertion %d\n"
	.size	.L.str.1, 14

	.type	.L.str.2,@object                // @.str.2
.L.str.2:
	.string	"heap %d\n"
	.size	.L.str.2, 9

	.type	.L.str.3,@object                // @.str.3
.L.str.3:
	.string	"merge %d\n"
	.size	.L.str.3, 10

	.type	.L.str.4,@object                // @.str.4
.L.str.4:
	.string	"found %d\n"
	.size	.L.str.4, 10

	.type	.L.str.5,@object                // @.str.5
.L.str.5:
	.string	"pear"
	.size	.L.str.5, 5

	.type	.L.str.6,@object                // @.str.6
.L.str.6:
	.string	"apple"
	.size	.L.str.6, 6

	.type	.L.str.7,@object                // @.str.7
.L.str.7:
	.string	"quince"
	.size	.L.str.7, 7

	.type	.L.str.8,@object                // @.str.8
.L.str.8:
	.string	"fig"
	.size	.L.str.8, 4

	.type	.L.str.9,@object                // @.str.9
.L.str.9:
	.string	"plum"
	.size	.L.str.9, 5

	.type	.L.str.10,@object               // @.str.10
.L.str.10:
	.string	"cherry"
	.size	.L.str.10, 7

	.type	.L.str.11,@object               // @.str.11
.L.str.11:
	.string	"date"
	.size	.L.str.11, 5

	.type	.L__const.main.names,@object    // @__const.main.names
	.section	.rodata,"a",@progbits
	.p2align	3, 0x0
.L__const.main.names:
	.word	.L.str.5
	.word	.L.str.6
	.word	.L.str.7
	.word	.L.str.8
	.word	.L.str.9
	.word	.L.str.10
	.word	.L.str.11
	.size	.L__const.main.names, 28

	.type	.L.str.12,@object               // @.str.12
	.section	.rodata.str1.1,"aMS",@progbits,1
.L.str.12:
	.string	"%s%c"
	.size	.L.str.12, 5

	.type	state,@object                   // @state
	.data
	.p2align	2, 0x0
state:
	.word	12345                           // 0x3039
	.size	state, 4

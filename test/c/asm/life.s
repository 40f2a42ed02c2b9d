	.text
	.globl	main                            // -- Begin function main
	.p2align	4
	.type	main,@function
main:                                   // @main
// %bb.0:
	{
		r16 = ##now
		memd(r29+#-16) = r17:16
		allocframe(#16)
	}                                       // 8-byte Folded Spill
	{
		loop1(.LBB0_1,#3)
		r1 = add(r16,#33)
		r0 = #0
		memd(r29+#0) = r19:18
	}                                       // 8-byte Folded Spill
	.p2align	4
.LBB0_1:                                // Block address taken
                                        // =>This Loop Header: Depth=1
                                        //     Child Loop BB0_2 Depth 2
	{
		loop0(.LBB0_2,#3)
		r3 = r1
		r2 = memw(r0<<#2+##main.glider)
	}
	.p2align	4
.LBB0_2:                                // Block address taken
                                        //   Parent Loop BB0_1 Depth=1
                                        // =>  This Inner Loop Header: Depth=2
	{
		r4 = memb(r2++#1)
	}
	{
		r4 = cmp.eq(r4,#35)
		memb(r3++#1) = r4.new
	} :endloop0
// %bb.3:                               //   in Loop: Header=BB0_1 Depth=1
	{
		nop
		nop
		r1 = add(r1,#32)
		r0 = add(r0,#1)
	} :endloop1
// %bb.4:
	{
		p2 = or(p2,!p2)
		p3 = and(p3,!p3)
		r17 = #0
		r0 = #257
	}
	{
		memh(r16+#274) = r0
		memh(r16+#272) = r0
	}
	{
		memh(r16+#270) = r0
		memh(r16+#268) = r0
	}
	{
		jump .LBB0_5
		memh(r16+#266) = r0
	}
	.p2align	4
.LBB0_17:                               //   in Loop: Header=BB0_5 Depth=1
	{
		r0 = ##now
		r1 = ##next
	}
	{
		call __hexagon_memcpy_likely_aligned_min32bytes_mult8bytes
		r2 = #512
		r17 = add(r17,#1)
	}
	{
		p3 = and(p3,!p3)
		p2 = or(p2,!p2)
		p0 = cmp.eq(r17,#40)
		if (p0.new) jump:nt .LBB0_18
	}
.LBB0_5:                                // =>This Loop Header: Depth=1
                                        //     Child Loop BB0_6 Depth 2
                                        //       Child Loop BB0_7 Depth 3
                                        //         Child Loop BB0_8 Depth 4
                                        //           Child Loop BB0_9 Depth 5
	{
		r0 = #0 ; jump .LBB0_6
	}
	.p2align	4
.LBB0_16:                               //   in Loop: Header=BB0_6 Depth=2
	{
		r0 = add(r0,#1)
		if (cmp.eq(r0.new,#16)) jump:nt .LBB0_17
	}
.LBB0_6:                                //   Parent Loop BB0_5 Depth=1
                                        // =>  This Loop Header: Depth=2
                                        //       Child Loop BB0_7 Depth 3
                                        //         Child Loop BB0_8 Depth 4
                                        //           Child Loop BB0_9 Depth 5
	{
		r3:2 = combine(#0,##now)
		r1 = r0
		r4 = #-1
	}
	{
		r1 = add(##next,asl(r1,#5))
		r2 += asl(r0,#5)
		jump .LBB0_7
	}
	.p2align	4
.LBB0_14:                               //   in Loop: Header=BB0_7 Depth=3
	{
		p0 = or(p3,p3)
	}
.LBB0_15:                               //   in Loop: Header=BB0_7 Depth=3
	{
		r4 = add(r4,#1)
		r5 = mux(p0,#1,#0)
		r3 = add(r3,#1)
		memb(r1+r3<<#0) = r5.new
	}
	{
		p0 = cmp.eq(r3,#32)
		if (p0.new) jump:nt .LBB0_16
	}
.LBB0_7:                                //   Parent Loop BB0_5 Depth=1
                                        //     Parent Loop BB0_6 Depth=2
                                        // =>    This Loop Header: Depth=3
                                        //         Child Loop BB0_8 Depth 4
                                        //           Child Loop BB0_9 Depth 5
	{
		loop1(.LBB0_8,#3)
		r5 = #0
		r6 = #-1
	}
	.p2align	4
.LBB0_8:                                // Block address taken
                                        //   Parent Loop BB0_5 Depth=1
                                        //     Parent Loop BB0_6 Depth=2
                                        //       Parent Loop BB0_7 Depth=3
                                        // =>      This Loop Header: Depth=4
                                        //           Child Loop BB0_9 Depth 5
	{
		r8 = add(r6,r0)
		r7 = ##now
		r12 = add(r4,#1)
	}
	{
		loop0(.LBB0_9,#1)
		r8 = and(r8,#15)
	}
	{
		r7 += asl(r8,#5)
		r8 = and(r4,#31)
	}
	{
		r8 = and(r12,#31)
		r12 = add(r12,#1)
		r9 = memub(r7+r8<<#0)
	}
	.p2align	4
.LBB0_9:                                //   Parent Loop BB0_5 Depth=1
                                        //     Parent Loop BB0_6 Depth=2
                                        //       Parent Loop BB0_7 Depth=3
                                        //         Parent Loop BB0_8 Depth=4
                                        // =>        This Inner Loop Header: Depth=5
	{
		r5 = add(r5,r9)
		r8 = and(r12,#31)
		r12 = add(r12,#1)
		r9 = memub(r7+r8<<#0)
	} :endloop0
// %bb.10:                              //   in Loop: Header=BB0_8 Depth=4
	{
		r5 = add(r5,r9)
		r6 = add(r6,#1)
		r7 = memub(r7+r8<<#0)
	}
	{
		r5 = add(r5,r7)
		nop
		nop
	} :endloop1
// %bb.11:                              //   in Loop: Header=BB0_7 Depth=3
	{
		p0 = or(p2,p2)
		p1 = cmp.eq(r5,#3); if (p1.new) jump:nt .LBB0_15
	}
// %bb.12:                              //   in Loop: Header=BB0_7 Depth=3
	{
		p0 = cmp.eq(r5,#4); if (!p0.new) jump:nt .LBB0_14
	}
// %bb.13:                              //   in Loop: Header=BB0_7 Depth=3
	{
		r5 = memb(r3+r2<<#0)
	}
	{
		p0 = cmp.eq(r5,#0)
	}
	{
		p0 = not(p0)
		jump .LBB0_15
	}
.LBB0_18:
	{
		r17 = #0
	}
	.p2align	4
.LBB0_19:                               // =>This Loop Header: Depth=1
                                        //     Child Loop BB0_20 Depth 2
	{
		r19:18 = combine(r16,#32)
	}
	.p2align	4
.LBB0_20:                               //   Parent Loop BB0_19 Depth=1
                                        // =>  This Inner Loop Header: Depth=2
	{
		r0 = memb(r19++#1)
	}
	{
		p0 = cmp.eq(r0,#0)
	}
	{
		call putchar
		r0 = mux(p0,#46,#35)
	}
	{
		r18 = add(r18,#-1)
		if (!cmp.eq(r18.new,#0)) jump:t .LBB0_20
	}
// %bb.21:                              //   in Loop: Header=BB0_19 Depth=1
	{
		call putchar
		r16 = add(r16,#32)
		r0 = #10
	}
	{
		r17 = add(r17,#1)
		if (!cmp.eq(r17.new,#16)) jump:t .LBB0_19
	}
// %bb.22:
	{
		r17:16 = combine(#0,#4)
	}
	.p2align	4
.LBB0_23:                               // =>This Inner Loop Header: Depth=1
	{
		call queens
		r3:2 = combine(#0,#0)
		r1:0 = combine(#0,r16)
	}
	{
		call printf
		r2 = r0
		r1:0 = combine(r16,##.L.str.3)
	}
	{
		r16 = add(r16,#1)
		if (!cmp.eq(r16.new,#9)) jump:t .LBB0_23
	}
	{
		jump .LBB0_24
	}
	.p2align	4
.LBB0_37:                               //   in Loop: Header=BB0_24 Depth=1
	{
		call printf
		r1:0 = combine(r16,##.L.str.10)
	}
	{
		r17 = add(r17,#1)
		if (cmp.eq(r17.new,#6)) jump:nt .LBB0_38
	}
.LBB0_24:                               // =>This Loop Header: Depth=1
                                        //     Child Loop BB0_25 Depth 2
                                        //       Child Loop BB0_26 Depth 3
                                        //         Child Loop BB0_27 Depth 4
                                        //           Child Loop BB0_29 Depth 5
	{
		r16 = memw(r17<<#2+##main.words)
	}
	{
		call strlen
		r0 = r16
	}
	{
		r3:2 = combine(##main.grid,#-1)
		r1 = #0
		p0 = cmp.gt(r0,#0)
	}
	{
		jump .LBB0_25
	}
	.p2align	4
.LBB0_36:                               //   in Loop: Header=BB0_25 Depth=2
	{
		r3 = add(r3,#8)
		r1 = add(r1,#1)
		if (cmp.eq(r1.new,#6)) jump:nt .LBB0_37
	}
.LBB0_25:                               //   Parent Loop BB0_24 Depth=1
                                        // =>  This Loop Header: Depth=2
                                        //       Child Loop BB0_26 Depth 3
                                        //         Child Loop BB0_27 Depth 4
                                        //           Child Loop BB0_29 Depth 5
	{
		loop1(.LBB0_26,#7)
		r4 = +mpyi(r1,#100)
		r6 = #0
		r5 = r3
	}
	{
		jump .LBB0_26
	}
	.p2align	4
.LBB0_35:                               //   in Loop: Header=BB0_26 Depth=3
	{
		nop
		nop
		r6 = add(r6,#1)
		r5 = add(r5,#1)
	} :endloop1
	{
		jump .LBB0_36
	}
.LBB0_26:                               // Block address taken
                                        //   Parent Loop BB0_24 Depth=1
                                        //     Parent Loop BB0_25 Depth=2
                                        // =>    This Loop Header: Depth=3
                                        //         Child Loop BB0_27 Depth 4
                                        //           Child Loop BB0_29 Depth 5
	{
		p2 = or(p2,!p2)
		r7 = r4
		r8 = #0
	}
	{
		r7 += mpyi(r6,#10)
		jump .LBB0_27
	}
	.p2align	4
.LBB0_34:                               //   in Loop: Header=BB0_27 Depth=4
	{
		p2 = and(p2,!p2)
		p3 = cmp.eq(r9,r0)
		if (p3.new) r2 = or(r8,r7)
		r8 = #1
	}
	{
		if (!p1) jump:nt .LBB0_35
	}
.LBB0_27:                               //   Parent Loop BB0_24 Depth=1
                                        //     Parent Loop BB0_25 Depth=2
                                        //       Parent Loop BB0_26 Depth=3
                                        // =>      This Loop Header: Depth=4
                                        //           Child Loop BB0_29 Depth 5
	{
		p1 = or(p2,p2)
		r9 = #0
		if (!p0) jump:nt .LBB0_34
	}
// %bb.28:                              //   in Loop: Header=BB0_27 Depth=4
	{
		loop0(.LBB0_29,r0)
		r12 = togglebit(r8,#0)
		r13 = sub(r1,r8)
		r15:14 = combine(r16,r5)
	}
	{
		r28 = addasl(r12,r8,#3)
		r10 = sub(r6,r12)
	}
.LBB0_29:                               // Block address taken
                                        //   Parent Loop BB0_24 Depth=1
                                        //     Parent Loop BB0_25 Depth=2
                                        //       Parent Loop BB0_26 Depth=3
                                        //         Parent Loop BB0_27 Depth=4
                                        // =>        This Inner Loop Header: Depth=5
	{
		r13 = add(r13,r8)
		if (cmp.gtu(r13.new,#5)) jump:t .LBB0_34
	}
// %bb.30:                              //   in Loop: Header=BB0_29 Depth=5
	{
		r10 = add(r10,r12)
		if (cmp.gtu(r10.new,#6)) jump:t .LBB0_34
	}
// %bb.31:                              //   in Loop: Header=BB0_29 Depth=5
	{
		r11 = memb(r14+#0)
	}
	{
		r18 = memb(r15+#0)
		if (!cmp.eq(r18.new,r11)) jump:t .LBB0_34
	}
// %bb.32:                              //   in Loop: Header=BB0_29 Depth=5
	{
		r9 = add(r9,#1)
		r15 = add(r15,#1)
		r14 = add(r14,r28)
	} :endloop0
// %bb.33:                              //   in Loop: Header=BB0_27 Depth=4
	{
		r9 = r0
		jump .LBB0_34
	}
.LBB0_38:
	{
		r0 = #0
		r17:16 = memd(r29+#8)
		r19:18 = memd(r29+#0)
	}                                       // 8-byte Folded Reload
	{
		r31:30 = dealloc_return(r30):raw
	}
.Lfunc_end0:
	.size	main, .Lfunc_end0-main
                                        // -- End function
	.p2align	4                               // -- Begin function queens
	.type	queens,@function
queens:                                 // @queens
// %bb.0:
	{
		r0 = lsl(#-1,r0)
		r17:16 = combine(r0,r3)
		memd(r29+#-16) = r17:16
		allocframe(#32)
	}                                       // 8-byte Folded Spill
	{
		r3 |= or(r2,r1)
		r0 = sub(#-1,r0)
		r19 = r1
		memd(r29+#16) = r19:18
	}                                       // 8-byte Folded Spill
	{
		r1 = sub(#-1,r3)
		r20 = cmp.eq(r19,r0)
		memd(r29+#8) = r21:20
		memd(r29+#0) = r23:22
	}                                       // 8-byte Folded Spill
	{
		p0 = bitsclr(r1,r0)
		if (p0.new) jump:t .LBB1_3
	}
// %bb.1:
	{
		r18 = r2
		r21 = and(r1,r0)
	}
	.p2align	4
.LBB1_2:                                // =>This Inner Loop Header: Depth=1
	{
		r22 = sub(#0,r21)
		r0 = r17
	}
	{
		r4 = and(r21,r22)
	}
	{
		r2 = or(r4,r18)
		r3 = or(r4,r16)
		r1 = or(r4,r19)
		r23 = xor(r4,r21)
	}
	{
		r2 = asl(r2,#1)
		r3 = lsr(r3,#1)
	}
	{
		call queens
	}
	{
		p0 = !bitsset(r22,r21)
		r20 = add(r0,r20)
		r21 = r23
		if (p0.new) jump:t .LBB1_2
	}
.LBB1_3:
	{
		r0 = r20
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
.Lfunc_end1:
	.size	queens, .Lfunc_end1-queens
                                        // -- End function
	.type	main.glider,@object             // @main.glider
	.section	.rodata,"a",@progbits
	.p2align	3, 0x0
main.glider:
	.word	.L.str
	.word	.L.str.1
	.word	.L.str.2
	.size	main.glider, 12

	.type	.L.str,@object                  // @.str
	.section	.rodata.str1.1,"aMS",@progbits,1
.L.str:
	.string	".#."
	.size	.L.str, 4

	.type	.L.str.1,@object                // @.str.1
.L.str.1:
	.string	"..#"
	.size	.L.str.1, 4

	.type	.L.str.2,@object                // @.str.2
.L.str.2:
	.string	"###"
	.size	.L.str.2, 4

	.type	now,@object                     // @now
	.lcomm	now,512,8
	.type	.L.str.3,@object                // @.str.3
.L.str.3:
	.string	"%d queens %d\n"
	.size	.L.str.3, 14

	.type	main.grid,@object               // @main.grid
	.section	.rodata,"a",@progbits
	.p2align	3, 0x0
main.grid:
	.string	"packetx"
	.string	"oabcdee"
	.string	"rexagon"
	.string	"tqrstuv"
	.string	"slotwxy"
	.string	"zzhvxzz"
	.size	main.grid, 48

	.type	main.words,@object              // @main.words
	.p2align	3, 0x0
main.words:
	.word	.L.str.4
	.word	.L.str.5
	.word	.L.str.6
	.word	.L.str.7
	.word	.L.str.8
	.word	.L.str.9
	.size	main.words, 24

	.type	.L.str.4,@object                // @.str.4
	.section	.rodata.str1.1,"aMS",@progbits,1
.L.str.4:
	.string	"packet"
	.size	.L.str.4, 7

	.type	.L.str.5,@object                // @.str.5
.L.str.5:
	.string	"slot"
	.size	.L.str.5, 5

	.type	.L.str.6,@object                // @.str.6
.L.str.6:
	.string	"hvx"
	.size	.L.str.6, 4

	.type	.L.str.7,@object                // @.str.7
.L.str.7:
	.string	"ports"
	.size	.L.str.7, 6

	.type	.L.str.8,@object                // @.str.8
.L.str.8:
	.string	"agon"
	.size	.L.str.8, 5

	.type	.L.str.9,@object                // @.str.9
.L.str.9:
	.string	"missing"
	.size	.L.str.9, 8

	.type	.L.str.10,@object               // @.str.10
.L.str.10:
	.string	"%s %d\n"
	.size	.L.str.10, 7

	.type	next,@object                    // @next
	.lcomm	next,512,8

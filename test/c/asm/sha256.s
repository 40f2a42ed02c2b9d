	.text
	.globl	main                            // -- Begin function main
	.p2align	4
	.type	main,@function
main:                                   // @main
// %bb.0:
	{
		r16 = #2
		memd(r29+#-16) = r17:16
		allocframe(#112)
	}                                       // 8-byte Folded Spill
	{
		r0 = add(r29,#16)
		r1 = add(r29,#0)
		memd(r29+#72) = r25:24
		memd(r29+#96) = r19:18
	}                                       // 8-byte Folded Spill
	{
		r19 = #0
		r21:20 = combine(#0,#0)
		memd(r29+#88) = r21:20
		memd(r29+#64) = r27:26
	}                                       // 8-byte Folded Spill
	{
		r24 = #0
		r25 = add(r0,#4)
		r26 = add(r1,#4)
		memd(r29+#80) = r23:22
	}                                       // 8-byte Folded Spill
	{
		jump .LBB0_1
	}
	.p2align	4
.LBB0_27:                               //   in Loop: Header=BB0_1 Depth=1
	{
		r24 = add(r24,#1)
		memw(r0+##k) = r2
	}
.LBB0_28:                               //   in Loop: Header=BB0_1 Depth=1
	{
		p0 = cmp.gtu(r24,#63)
		r16 = add(r16,#1)
		if (p0.new) jump:nt .LBB0_29
	}
.LBB0_1:                                // =>This Loop Header: Depth=1
                                        //     Child Loop BB0_2 Depth 2
                                        //     Child Loop BB0_6 Depth 2
                                        //       Child Loop BB0_7 Depth 3
                                        //         Child Loop BB0_9 Depth 4
                                        //     Child Loop BB0_14 Depth 2
                                        //       Child Loop BB0_15 Depth 3
                                        //         Child Loop BB0_17 Depth 4
                                        //       Child Loop BB0_21 Depth 3
                                        //         Child Loop BB0_23 Depth 4
	{
		p0 = cmp.gtu(r16,#3); if (!p0.new) jump:t .LBB0_4
		r17 = #1
		r18 = #3
	}
	.p2align	4
.LBB0_2:                                //   Parent Loop BB0_1 Depth=1
                                        // =>  This Inner Loop Header: Depth=2
	{
		call __hexagon_umodsi3
		r0 = r16
		r1 = add(r18,#-1)
	}
	{
		r1 = mpyi(r18,r18)
		r18 = add(r18,#1)
		p0 = cmp.eq(r0,#0)
	}
	{
		if (p0) r17 = #0
		p1 = cmp.gtu(r1,r16); if (!p1.new) jump:t .LBB0_2
	}
// %bb.3:                               //   in Loop: Header=BB0_1 Depth=1
	{
		p0 = cmp.eq(r17,#0); if (p0.new) jump:nt .LBB0_28
	}
.LBB0_4:                                //   in Loop: Header=BB0_1 Depth=1
	{
		r0 = asl(r24,#2)
		p0 = cmp.gtu(r24,#7)
		r3:2 = combine(#0,#0)
		r5:4 = combine(#20,#0)
	}
	{
		p2 = or(p2,!p2)
		p3 = and(p3,!p3)
		if (p0) jump:nt .LBB0_14
	}
// %bb.5:                               //   in Loop: Header=BB0_1 Depth=1
	{
		r5:4 = combine(#0,#0)
		r3:2 = combine(#20,#0)
		jump .LBB0_6
	}
	.p2align	4
.LBB0_12:                               //   in Loop: Header=BB0_6 Depth=2
	{
		r17 = r19
		r23:22 = combine(#0,#1)
		r9:8 = memd(r29+#8)
	}
	{
		p0 = cmp.gtu(r17:16,r9:8)
		if (!p0.new) r2 = add(r6,#0)
		if (p0.new) r4 = add(r6,#0)
		if (!p0.new) r3 = add(r7,#0)
	}
	{
		if (p0) r5 = add(r7,#0)
	}
	{
		r7:6 = sub(r3:2,r5:4)
	}
	{
		p0 = cmp.gtu(r7:6,r23:22)
		if (!p0.new) jump:nt .LBB0_13
	}
.LBB0_6:                                //   Parent Loop BB0_1 Depth=1
                                        // =>  This Loop Header: Depth=2
                                        //       Child Loop BB0_7 Depth 3
                                        //         Child Loop BB0_9 Depth 4
	{
		r9:8 = add(r3:2,r5:4)
		p1 = or(p2,p2)
		r1 = #4
		memw(r29+#44) = r19
	}
	{
		r6 = lsr(r8,#1)
		r7 = lsr(r9,#1)
		r8 = add(r29,#0)
		memw(r29+#40) = r19
	}
	{
		r6 = insert(r9,#1,#31)
		r9 = #0
		memd(r29+#0) = r21:20
		memd(r29+#8) = r21:20
	}
	{
		jump .LBB0_7
		memw(r29+#32) = r6
		memw(r29+#36) = r7
	}
	.p2align	4
.LBB0_10:                               //   in Loop: Header=BB0_7 Depth=3
	{
		r11:10 = add(r23:22,r11:10)
	}
	{
		r14 = r11
		memw(r8++#4) = r10
	}
.LBB0_11:                               //   in Loop: Header=BB0_7 Depth=3
	{
		r11:10 = mpyu(r12,r9)
		p1 = or(p3,p3)
		r1 = add(r1,#-1)
		r18 = memw(r8+#0)
	}
	{
		r11 += mpyi(r9,r13)
		r15:14 = add(r15:14,r19:18)
	}
	{
		r13:12 = add(r15:14,r11:10)
	}
	{
		memw(r8++#4) = r12
	}
	{
		r9:8 = combine(#32,r26)
		if (!p0) jump:nt .LBB0_12
	}
.LBB0_7:                                //   Parent Loop BB0_1 Depth=1
                                        //     Parent Loop BB0_6 Depth=2
                                        // =>    This Loop Header: Depth=3
                                        //         Child Loop BB0_9 Depth 4
	{
		p0 = or(p1,p1)
		r13:12 = combine(#0,#-1)
		r28 = add(r29,#32)
		r15:14 = combine(#0,#0)
	}
	{
		r13:12 &= lsr(r7:6,r9)
		p1 = cmp.gtu(r1,#1); if (!p1.new) jump:t .LBB0_11
		r9 = memw(r28++#4)
	}
// %bb.8:                               //   in Loop: Header=BB0_7 Depth=3
	{
		r11:10 = mpyu(r12,r9)
		r17 = add(r1,#-2)
		p1 = cmp.gtu(r1,#2)
		r18 = memw(r8+#0)
	}
	{
		r11 += mpyi(r9,r13)
		r23:22 = add(r15:14,r19:18)
		r9 = memw(r28++#4)
	}
	{
		loop0(.LBB0_9,r17)
		if (!p1) jump:nt .LBB0_10
	}
	.p2align	4
.LBB0_9:                                //   Parent Loop BB0_1 Depth=1
                                        //     Parent Loop BB0_6 Depth=2
                                        //       Parent Loop BB0_7 Depth=3
                                        // =>      This Inner Loop Header: Depth=4
	{
		r11:10 = mpyu(r12,r9)
		r23:22 = add(r23:22,r11:10)
		r18 = memw(r8+#4)
	}
	{
		r11 += mpyi(r9,r13)
		r14 = r23
		r9 = memw(r28++#4)
		memw(r8++#4) = r22
	}
	{
		r23:22 = add(r15:14,r19:18)
		nop
	} :endloop0
	{
		jump .LBB0_10
	}
	.p2align	4
.LBB0_13:                               //   in Loop: Header=BB0_1 Depth=1
	{
		r3:2 = combine(#0,#0)
		r5:4 = combine(#20,#0)
		memw(r0+##start) = r4
	}
	{
		jump .LBB0_14
	}
	.p2align	4
.LBB0_26:                               //   in Loop: Header=BB0_14 Depth=2
	{
		r23:22 = combine(#0,#1)
		r9:8 = memd(r29+#24)
	}
	{
		memd(r29+#8) = r9:8
		r1 = memw(r29+#12)

	} :mem_noshuf
	{
		p0 = cmp.gtu(r16,r1)
		if (!p0.new) r4 = add(r6,#0)
		if (p0.new) r2 = add(r6,#0)
		if (!p0.new) r5 = add(r7,#0)
	}
	{
		if (p0) r3 = add(r7,#0)
	}
	{
		r7:6 = sub(r5:4,r3:2)
	}
	{
		p0 = cmp.gtu(r7:6,r23:22)
		if (!p0.new) jump:nt .LBB0_27
	}
.LBB0_14:                               //   Parent Loop BB0_1 Depth=1
                                        // =>  This Loop Header: Depth=2
                                        //       Child Loop BB0_15 Depth 3
                                        //         Child Loop BB0_17 Depth 4
                                        //       Child Loop BB0_21 Depth 3
                                        //         Child Loop BB0_23 Depth 4
	{
		r9:8 = add(r5:4,r3:2)
		p1 = or(p2,p2)
		r12 = add(r29,#0)
		r1 = #4
	}
	{
		r6 = lsr(r8,#1)
		r7 = lsr(r9,#1)
		r13 = #0
		memw(r29+#44) = r19
	}
	{
		r6 = insert(r9,#1,#31)
		memw(r29+#40) = r19
		memd(r29+#0) = r21:20
	}
	{
		memd(r29+#8) = r21:20
		memw(r29+#32) = r6
	}
	{
		jump .LBB0_15
		memw(r29+#36) = r7
	}
	.p2align	4
.LBB0_18:                               //   in Loop: Header=BB0_15 Depth=3
	{
		r11:10 = add(r23:22,r11:10)
	}
	{
		r8 = r11
		memw(r12++#4) = r10
	}
.LBB0_19:                               //   in Loop: Header=BB0_15 Depth=3
	{
		r11:10 = mpyu(r14,r13)
		p1 = or(p3,p3)
		r1 = add(r1,#-1)
		r18 = memw(r12+#0)
	}
	{
		r11 += mpyi(r13,r15)
		r23:22 = add(r9:8,r19:18)
	}
	{
		r15:14 = add(r23:22,r11:10)
	}
	{
		memw(r12++#4) = r14
	}
	{
		r13:12 = combine(#32,r26)
		if (!p0) jump:nt .LBB0_20
	}
.LBB0_15:                               //   Parent Loop BB0_1 Depth=1
                                        //     Parent Loop BB0_14 Depth=2
                                        // =>    This Loop Header: Depth=3
                                        //         Child Loop BB0_17 Depth 4
	{
		p0 = or(p1,p1)
		r15:14 = combine(#0,#-1)
		r28 = add(r29,#32)
		r9:8 = combine(#0,#0)
	}
	{
		r15:14 &= lsr(r7:6,r13)
		p1 = cmp.gtu(r1,#1); if (!p1.new) jump:t .LBB0_19
		r13 = memw(r28++#4)
	}
// %bb.16:                              //   in Loop: Header=BB0_15 Depth=3
	{
		r11:10 = mpyu(r14,r13)
		r17 = add(r1,#-2)
		p1 = cmp.gtu(r1,#2)
		r18 = memw(r12+#0)
	}
	{
		r11 += mpyi(r13,r15)
		r23:22 = add(r9:8,r19:18)
		r13 = memw(r28++#4)
	}
	{
		loop0(.LBB0_17,r17)
		if (!p1) jump:nt .LBB0_18
	}
	.p2align	4
.LBB0_17:                               //   Parent Loop BB0_1 Depth=1
                                        //     Parent Loop BB0_14 Depth=2
                                        //       Parent Loop BB0_15 Depth=3
                                        // =>      This Inner Loop Header: Depth=4
	{
		r11:10 = mpyu(r14,r13)
		r23:22 = add(r23:22,r11:10)
		r18 = memw(r12+#4)
	}
	{
		r11 += mpyi(r13,r15)
		r8 = r23
		r13 = memw(r28++#4)
		memw(r12++#4) = r22
	}
	{
		r23:22 = add(r9:8,r19:18)
		nop
	} :endloop0
	{
		jump .LBB0_18
	}
	.p2align	4
.LBB0_20:                               //   in Loop: Header=BB0_14 Depth=2
	{
		p1 = or(p2,p2)
		r8 = #0
		r1 = #4
		r13:12 = memd(r29+#8)
	}
	{
		r12 = add(r29,#16)
		r15:14 = memd(r29+#0)
		memd(r29+#40) = r13:12
	}
	{
		memd(r29+#16) = r21:20
		memd(r29+#24) = r21:20
	}
	{
		jump .LBB0_21
		memd(r29+#32) = r15:14
	}
	.p2align	4
.LBB0_24:                               //   in Loop: Header=BB0_21 Depth=3
	{
		r11:10 = add(r23:22,r11:10)
	}
	{
		r8 = r11
		memw(r12++#4) = r10
	}
	{
		r23:22 = combine(r9,r8)
	}
.LBB0_25:                               //   in Loop: Header=BB0_21 Depth=3
	{
		r11:10 = mpyu(r14,r13)
		r1 = add(r1,#-1)
		r8 = #32
		r18 = memw(r12+#0)
	}
	{
		r11 += mpyi(r13,r15)
		r23:22 = add(r23:22,r19:18)
	}
	{
		r15:14 = add(r23:22,r11:10)
		p1 = or(p3,p3)
	}
	{
		memw(r12++#4) = r14
	}
	{
		r12 = r25
		if (!p0) jump:nt .LBB0_26
	}
.LBB0_21:                               //   Parent Loop BB0_1 Depth=1
                                        //     Parent Loop BB0_14 Depth=2
                                        // =>    This Loop Header: Depth=3
                                        //         Child Loop BB0_23 Depth 4
	{
		p0 = or(p1,p1)
		r15:14 = combine(#0,#-1)
		r28 = add(r29,#32)
		r23:22 = combine(#0,#0)
	}
	{
		r15:14 &= lsr(r7:6,r8)
		p1 = cmp.gtu(r1,#1); if (!p1.new) jump:t .LBB0_25
		r13 = memw(r28++#4)
	}
// %bb.22:                              //   in Loop: Header=BB0_21 Depth=3
	{
		r11:10 = mpyu(r14,r13)
		r8 = add(r1,#-2)
		p1 = cmp.gtu(r1,#2)
		r18 = memw(r12+#0)
	}
	{
		r11 += mpyi(r13,r15)
		r23:22 = add(r23:22,r19:18)
		r13 = memw(r28++#4)
	}
	{
		loop0(.LBB0_23,r8)
		if (!p1) jump:nt .LBB0_24
	}
	.p2align	4
.LBB0_23:                               //   Parent Loop BB0_1 Depth=1
                                        //     Parent Loop BB0_14 Depth=2
                                        //       Parent Loop BB0_21 Depth=3
                                        // =>      This Inner Loop Header: Depth=4
	{
		r11:10 = mpyu(r14,r13)
		r23:22 = add(r23:22,r11:10)
		r18 = memw(r12+#4)
	}
	{
		r11 += mpyi(r13,r15)
		r8 = r23
		r13 = memw(r28++#4)
		memw(r12++#4) = r22
	}
	{
		r23:22 = add(r9:8,r19:18)
		nop
	} :endloop0
	{
		jump .LBB0_24
	}
.LBB0_29:
	{
		loop0(.LBB0_30,#1000)
		r1:0 = combine(##main.big,#0)
	}
	.p2align	4
.LBB0_30:                               // Block address taken
                                        // =>This Inner Loop Header: Depth=1
	{
		r2 = +mpyi(r0,#7)
		r0 = add(r0,#1)
		memb(r1++#1) = r2.new
	} :endloop0
// %bb.31:
	{
		r17 = #0
	}
	.p2align	4
.LBB0_32:                               // =>This Loop Header: Depth=1
                                        //     Child Loop BB0_42 Depth 2
	{
		p0 = cmp.eq(r17,#3); if (!p0.new) jump:t .LBB0_33
	}
// %bb.40:                              //   in Loop: Header=BB0_32 Depth=1
	{
		r0 = ##main.big
		r1 = #1000
		jump .LBB0_41
	}
	.p2align	4
.LBB0_33:                               //   in Loop: Header=BB0_32 Depth=1
	{
		r16 = memw(r17<<#2+##.L__const.main.messages)
	}
	{
		call strlen
		r0 = r16
	}
	{
		r1:0 = combine(r0,r16)
	}
.LBB0_41:                               //   in Loop: Header=BB0_32 Depth=1
	{
		call digest
		r16 = add(r29,#32)
		r18 = #32
		r2 = add(r29,#32)
	}
	.p2align	4
.LBB0_42:                               //   Parent Loop BB0_32 Depth=1
                                        // =>  This Inner Loop Header: Depth=2
	{
		call printf
		r0 = ##.L.str.3
		r1 = memub(r16++#1)
	}
	{
		r18 = add(r18,#-1)
		if (!cmp.eq(r18.new,#0)) jump:t .LBB0_42
	}
// %bb.43:                              //   in Loop: Header=BB0_32 Depth=1
	{
		call putchar
		r0 = #10
	}
	{
		r17 = add(r17,#1)
		if (!cmp.eq(r17.new,#4)) jump:t .LBB0_32
	}
// %bb.44:
	{
		r17 = #0 ; jump .LBB0_34
		r16 = add(r29,#32)
	}
	.p2align	4
.LBB0_38:                               //   in Loop: Header=BB0_34 Depth=1
	{
		r17 = add(r17,#3)
		p0 = cmp.gtu(r17,#28); if (p0.new) jump:nt .LBB0_39
	}
.LBB0_34:                               // =>This Loop Header: Depth=1
                                        //     Child Loop BB0_35 Depth 2
	{
		r0 = add(r16,r17)
		p0 = cmp.gtu(r17,#29)
		r19 = #18
		r1 = memub(r16+r17<<#0)
	}
	{
		r20 = r17
		r2 = memub(r0+#1)
	}
	{
		r18 = asl(r2,#8)
		if (!p0) r0 = memub(r0+#2)
	}
	{
		r18 |= asl(r1,#16)
	}
	{
		if (!p0) r18 = or(r18,r0)
		jump .LBB0_35
	}
	.p2align	4
.LBB0_37:                               //   in Loop: Header=BB0_35 Depth=2
	{
		call putchar
		r19 = add(r19,#-6)
		r20 = add(r20,#1)
	}
	{
		p0 = cmp.eq(r19,#-6)
		if (p0.new) jump:nt .LBB0_38
	}
.LBB0_35:                               //   Parent Loop BB0_34 Depth=1
                                        // =>  This Inner Loop Header: Depth=2
	{
		p0 = cmp.gtu(r20,#32)
		r0 = #61
		if (p0.new) jump:t .LBB0_37
	}
// %bb.36:                              //   in Loop: Header=BB0_35 Depth=2
	{
		r0 = #63
	}
	{
		r0 &= lsr(r18,r19)
	}
	{
		jump .LBB0_37
		r0 = memub(r0+##base64.letters)
	}
.LBB0_39:
	{
		call putchar
		r0 = #10
	}
	{
		r0 = #0
		r17:16 = memd(r29+#104)
		r19:18 = memd(r29+#96)
	}                                       // 8-byte Folded Reload
	{
		r21:20 = memd(r29+#88)
		r23:22 = memd(r29+#80)
	}                                       // 8-byte Folded Reload
	{
		r25:24 = memd(r29+#72)
		r27:26 = memd(r29+#64)
	}                                       // 8-byte Folded Reload
	{
		r31:30 = dealloc_return(r30):raw
	}
.Lfunc_end0:
	.size	main, .Lfunc_end0-main
                                        // -- End function
	.p2align	4                               // -- Begin function digest
	.type	digest,@function
digest:                                 // @digest
// %bb.0:
	{
		r17:16 = combine(r1,r2)
		r1 = #0
		memd(r29+#-16) = r17:16
		allocframe(#208)
	}                                       // 8-byte Folded Spill
	{
		r0 = add(r29,#40)
		r2 = #128
		r18 = r0
		memd(r29+#192) = r19:18
	}                                       // 8-byte Folded Spill
	{
		r21 = add(r29,#40)
		r20 = #0
		memd(r29+#184) = r21:20
		memd(r29+#176) = r23:22
	}                                       // 8-byte Folded Spill
	{
		call memset
		r22 = #128
	}
	{
		p0 = cmp.gtu(r17,#63)
		r19 = r17
		r1:0 = memd(r2=##start)
	}
	{
		r5:4 = memd(r2+#8)
		memd(r29+#8) = r1:0
	}
	{
		r7:6 = memd(r2+#16)
		memd(r29+#16) = r5:4
	}
	{
		r5:4 = memd(r2+#24)
		memd(r29+#24) = r7:6
	}
	{
		if (!p0) jump:nt .LBB1_2
		memd(r29+#32) = r5:4
	}
	.p2align	4
.LBB1_1:                                // =>This Inner Loop Header: Depth=1
	{
		call block
		r1 = r18
		r19 = add(r19,#-64)
		r0 = add(r29,#8)
	}
	{
		r18 = add(r18,#64)
		p0 = cmp.gtu(r19,#63)
		if (p0.new) jump:t .LBB1_1
	}
.LBB1_2:
	{
		call memcpy
		r1 = r18
		r0 = add(r29,#40)
		r2 = r19
	}
	{
		p0 = or(p0,!p0)
		p1 = cmp.gtu(r19,#55)
		r1:0 = combine(#0,r17)
		memb(r21+r19<<#0) = r22
	}
	{
		r1:0 = asl(r1:0,#3)
		r3 = p1
		memw(r29+#4) = r3.new
	}                                       // 4-byte Folded Spill
	{
		loop0(.LBB1_3,#8)
		r2 = mux(p1,##128,#64)
	}
	{
		r2 = add(r2,add(r21,#-1))
	}
	.p2align	4
.LBB1_3:                                // Block address taken
                                        // =>This Inner Loop Header: Depth=1
	{
		r5:4 = lsr(r1:0,r20)
		r20 = add(r20,#8)
	}
	{
		nop
		memb(r2++#-1) = r4
	} :endloop0
// %bb.4:
	{
		r1 = add(r29,#40)
	}
	{
		r17 = add(r1,#64)
	}
.LBB1_5:                                // =>This Inner Loop Header: Depth=1
	{
		call block
		r2 = p0
		r0 = add(r29,#8)
		memw(r29+#0) = r2.new
	}                                       // 4-byte Folded Spill
	{
		r0 = #0
		r1 = memw(r29+#4)
	}                                       // 4-byte Folded Reload
	{
		p0 = r1
		if (!p0.new) jump:t .LBB1_7
	}
// %bb.6:                               //   in Loop: Header=BB1_5 Depth=1
	{
		p0 = and(p0,!p0)
		r1 = r17
		r2 = memw(r29+#0)
	}                                       // 4-byte Folded Reload
	{
		p1 = r2
		if (p1.new) jump:t .LBB1_5
	}
.LBB1_7:
	{
		r1 = sub(#32,r0)
		r2 = sub(#-1,r0)
		r3 = and(r0,#-4)
		r4 = add(r29,#8)
	}
	{
		p0 = cmp.gtu(r1,#1)
		r1 = add(r1,#-1)
		r2 = and(r2,#24)
		r3 = memw(r4+r3<<#0)
	}
	{
		loop0(.LBB1_8,r1)
		if (!p0) jump:nt .LBB1_9
		r0 = add(r0,#8)
		r1 = add(r0,#1)
	}
	.p2align	4
.LBB1_8:                                // =>This Inner Loop Header: Depth=1
	{
		r2 = lsr(r3,r2)
		r4 = sub(#-1,r0)
		r3 = and(r1,#-4)
		r5 = add(r29,#8)
	}
	{
		r0 = add(r0,#8)
		r1 = add(r1,#1)
		r2 = and(r4,#24)
		memb(r16++#1) = r2
	}
	{
		nop
		r3 = memw(r5+r3<<#0)
	} :endloop0
.LBB1_9:
	{
		r0 = lsr(r3,r2)
		r19:18 = memd(r29+#192)
		memb(r16++#1) = r0.new
	}                                       // 8-byte Folded Reload
	{
		r17:16 = memd(r29+#200)
		r21:20 = memd(r29+#184)
	}                                       // 8-byte Folded Reload
	{
		r23:22 = memd(r29+#176)
		dealloc_return
	}                                       // 8-byte Folded Reload
.Lfunc_end1:
	.size	digest, .Lfunc_end1-digest
                                        // -- End function
	.p2align	4                               // -- Begin function block
	.type	block,@function
block:                                  // @block
// %bb.0:
	{
		loop0(.LBB2_1,#15)
		r16 = r0
		memd(r29+#-16) = r17:16
		allocframe(r29,#328):raw
	}                                       // 8-byte Folded Spill
	{
		r0 = add(r29,#32)
		r2 = memub(r1+#1)
		memd(r29+#312) = r19:18
	}                                       // 8-byte Folded Spill
	{
		r2 = aslh(r2)
		r4 = memub(r1+#2)
		memd(r29+#304) = r21:20
	}                                       // 8-byte Folded Spill
	{
		r4 = asl(r4,#8)
		r5 = memub(r1+#0)
		memd(r29+#296) = r23:22
	}                                       // 8-byte Folded Spill
	{
		r2 |= asl(r5,#24)
		r1 = add(r1,#4)
		r3 = memub(r1+#3)
		memd(r29+#288) = r25:24
	}                                       // 8-byte Folded Spill
	.p2align	4
.LBB2_1:                                // =>This Inner Loop Header: Depth=1
	{
		r3 |= or(r2,r4)
		r2 = memub(r1+#1)
		memw(r0++#4) = r3.new
	}
	{
		r2 = aslh(r2)
		r3 = memub(r1+#2)
		r5 = memub(r1+#0)
	}
	{
		r2 |= asl(r5,#24)
		r4 = asl(r3,#8)
		r1 = add(r1,#4)
		r3 = memub(r1+#3)
	} :endloop0
// %bb.2:
	{
		loop0(.LBB2_3,#48)
		r3 |= or(r2,r4)
		memw(r0++#4) = r3.new
	}
	{
		r0 = add(r29,#32)
	}
	{
		r0 = add(r0,#64)
	}
	.p2align	4
.LBB2_3:                                // Block address taken
                                        // =>This Inner Loop Header: Depth=1
	{
		r1 = memw(r0+#-60)
		r2 = memw(r0+#-8)
	}
	{
		r3 = rol(r1,#25)
		r4 = rol(r2,#15)
		r5 = memw(r0+#-64)
	}
	{
		r3 ^= rol(r1,#14)
		r4 ^= rol(r2,#13)
		r6 = memw(r0+#-28)
	}
	{
		r3 ^= lsr(r1,#3)
		r4 ^= lsr(r2,#10)
		r5 = add(r6,r5)
	}
	{
		r4 += add(r5,r3)
		r0 = add(r0,#4)
		memw(r0+#0) = r4.new
	} :endloop0
// %bb.4:
	{
		r1 = r16
		r2 = #32
		r0 = add(r29,#0)
		r18 = add(r29,#0)
	}
	{
		call __hexagon_memcpy_likely_aligned_min32bytes_mult8bytes
	}
	{
		r17 = setbit(r18,#2)
		r20 = #64
		r19 = memw(r29+#0)
		r1 = memw(r29+#16)
	}
	{
		r22 = add(r29,#32)
		r21 = ##k
		r23 = #-1
	}
	.p2align	4
.LBB2_5:                                // =>This Inner Loop Header: Depth=1
	{
		r2 = rol(r1,#26)
		r24 = rol(r19,#30)
		r3 = memw(r29+#28)
		r4 = memw(r29+#20)
	}
	{
		r2 ^= rol(r1,#21)
		r24 ^= rol(r19,#19)
		r4 = and(r4,r1)
		r5 = memw(r29+#24)
	}
	{
		r2 ^= rol(r1,#7)
		r5 &= xor(r1,r23)
		r0 = r17
		r7 = memw(r29+#4)
	}
	{
		r24 ^= rol(r19,#10)
		r2 = add(r2,r3)
		r8 = memw(r29+#8)
		r6 = memw(r21++#4)
	}
	{
		r19 &= xor(r8,r7)
		r5 += add(r2,r4)
		r1 = add(r29,#0)
		r25 = memw(r22++#4)
	}
	{
		r19 ^= and(r8,r7)
		r25 += add(r5,r6)
		r2 = #28
	}
	{
		call memmove
		r20 = add(r20,#-1)
	}
	{
		r19 += add(r25,r24)
		r0 = memw(r29+#16)
		memw(r29+#0) = r19.new
	}
	{
		r1 = add(r0,r25)
		p0 = cmp.eq(r20,#0); if (!p0.new) jump:t .LBB2_5
		memw(r29+#16) = r1.new
	}
// %bb.6:
	{
		loop0(.LBB2_7,#8)
	}
	.p2align	4
.LBB2_7:                                // Block address taken
                                        // =>This Inner Loop Header: Depth=1
	{
		r0 = memw(r16+#0)
		r1 = memw(r18++#4)
	}
	{
		r0 = add(r0,r1)
		memw(r16++#4) = r0.new
	} :endloop0
// %bb.8:
	{
		r17:16 = memd(r29+#320)
		r19:18 = memd(r29+#312)
	}                                       // 8-byte Folded Reload
	{
		r21:20 = memd(r29+#304)
		r23:22 = memd(r29+#296)
	}                                       // 8-byte Folded Reload
	{
		r25:24 = memd(r29+#288)
		r31:30 = dealloc_return(r30):raw
	}                                       // 8-byte Folded Reload
.Lfunc_end2:
	.size	block, .Lfunc_end2-block
                                        // -- End function
	.type	main.big,@object                // @main.big
	.lcomm	main.big,1000,8
	.type	.L.str,@object                  // @.str
	.section	.rodata.str1.1,"aMS",@progbits,1
.L.str:
	.space	1
	.size	.L.str, 1

	.type	.L.str.1,@object                // @.str.1
.L.str.1:
	.string	"abc"
	.size	.L.str.1, 4

	.type	.L.str.2,@object                // @.str.2
.L.str.2:
	.string	"abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq"
	.size	.L.str.2, 57

	.type	.L__const.main.messages,@object // @__const.main.messages
	.section	.rodata,"a",@progbits
	.p2align	3, 0x0
.L__const.main.messages:
	.word	.L.str
	.word	.L.str.1
	.word	.L.str.2
	.size	.L__const.main.messages, 12

	.type	.L.str.3,@object                // @.str.3
	.section	.rodata.str1.1,"aMS",@progbits,1
.L.str.3:
	.string	"%02x"
	.size	.L.str.3, 5

	.type	start,@object                   // @start
	.lcomm	start,32,8
	.type	k,@object                       // @k
	.lcomm	k,256,8
	.type	base64.letters,@object          // @base64.letters
	.section	.rodata.str1.8,"aMS",@progbits,1
	.p2align	3, 0x0
base64.letters:
	.string	"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
	.size	base64.letters, 65

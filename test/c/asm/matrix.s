	.text
	.globl	main                            // -- Begin function main
	.p2align	4
	.type	main,@function
main:                                   // @main
// %bb.0:
	{
		r1:0 = combine(#91,#-100)
		r6 = ##a+32767
		allocframe(#88)
	}
	{
		r3:2 = combine(##42735993,#0)
		memd(r29+#72) = r19:18
	}                                       // 8-byte Folded Spill
	{
		r19 = ##b
		r5:4 = combine(#0,##b)
	}
	{
		loop1(.LBB0_1,#24)
		r6 = add(r6,#-32767)
		memd(r29+#80) = r17:16
		memd(r29+#64) = r21:20
	}                                       // 8-byte Folded Spill
	{
		memd(r29+#56) = r23:22
		memd(r29+#48) = r25:24
	}                                       // 8-byte Folded Spill
	{
		memd(r29+#40) = r27:26
	}                                       // 8-byte Folded Spill
	.p2align	4
.LBB0_1:                                // Block address taken
                                        // =>This Loop Header: Depth=1
                                        //     Child Loop BB0_2 Depth 2
	{
		r14 = mpyu(r2,r3)
		r13:12 = combine(r0,r2)
		r7 = r4
		r9:8 = combine(#0,r6)
	}
	{
		loop0(.LBB0_2,#23)
	}
	.p2align	4
.LBB0_2:                                //   Parent Loop BB0_1 Depth=1
                                        // =>  This Inner Loop Header: Depth=2
	{
		r14 = lsr(r14,#1)
		r15 = r13
		r13 = xor(r9,r5)
		p0 = cmp.eq(r5,r9)
	}
	{
		r15 -= mpyi(r14,#201)
		r28 = and(r13,#7)
		r12 = add(r12,r1)
		r13 = add(r15,r1)
	}
	{
		r14 = mpyu(r12,r3)
		if (p0) r28 = #3
		r9 = add(r9,#1)
		memw(r8++#4) = r15
	}
	{
		nop
		memw(r7++#4) = r28
	} :endloop0
// %bb.3:                               //   in Loop: Header=BB0_1 Depth=1
	{
		r12 = lsr(r14,#1)
		r27 = xor(r9,r5)
		p0 = cmp.eq(r5,r9)
		r5 = add(r5,#1)
	}
	{
		r9 = and(r27,#7)
		r1 = add(r1,#5)
		r0 = add(r0,#37)
		r2 = add(r2,#37)
	}
	{
		r13 -= mpyi(r12,#201)
		r6 = add(r6,#96)
		r4 = add(r4,#96)
		if (p0) r9 = #3
	}
	{
		nop
		memw(r8++#4) = r13
		memw(r7++#4) = r9
	} :endloop1
// %bb.4:
	{
		r5:4 = combine(##1314606644,#0)
		r2 = ##a+32767
	}
	{
		r1:0 = combine(#0,##-2043141471)
		r3 = #96
		r2 = add(r2,#-32767)
	}
	{
		r16 = ##1314573877
		r17 = ##104309410
	}
	{
		r18 = ##1000003
		r5 = add(r5,#-32767)
		r6 = add(r0,#-32767)
	}
	.p2align	4
.LBB0_5:                                // =>This Loop Header: Depth=1
                                        //     Child Loop BB0_6 Depth 2
                                        //       Child Loop BB0_7 Depth 3
	{
		r0 = ##c
		r7 = r4
	}
	{
		loop1(.LBB0_6,#24)
		r7 = add(r0,mpyi(r7,r3))
		r9:8 = combine(r1,##b)
	}
	.p2align	4
.LBB0_6:                                // Block address taken
                                        //   Parent Loop BB0_5 Depth=1
                                        // =>  This Loop Header: Depth=2
                                        //       Child Loop BB0_7 Depth 3
	{
		r0 = r2
		r11 = add(r8,#96)
		r13:12 = combine(#0,#0)
		r28 = memw(r8+#0)
	}
	{
		loop0(.LBB0_7,#22)
		r11 = add(r11,#96)
		r10 = memw(r0++#4)
		r15 = memw(r11+#0)
	}
	{
		r14 = memw(r0++#4)
	}
	.p2align	4
.LBB0_7:                                //   Parent Loop BB0_5 Depth=1
                                        //     Parent Loop BB0_6 Depth=2
                                        // =>    This Inner Loop Header: Depth=3
	{
		r13:12 += mpy(r28,r10)
		r28 = r15
		r10 = r14
		r15 = memw(r11+#0)
	}
	{
		r11 = add(r11,#96)
		r14 = memw(r0++#4)
	} :endloop0
// %bb.8:                               //   in Loop: Header=BB0_6 Depth=2
	{
		r13:12 += mpy(r28,r10)
		r8 = add(r8,#4)
	}
	{
		r13:12 += mpy(r15,r14)
	}
	{
		r25 = extractu(r13,#31,#0)
		r27:26 = asr(r13:12,#63)
		r24 = r12
	}
	{
		r15:14 = mpyu(r12,r5)
		r23:22 = mpyu(r12,r6)
	}
	{
		r27:26 = and(r27:26,r17:16)
		r0 = r15
	}
	{
		r25:24 = add(r27:26,r25:24)
		r15:14 = combine(r1,r0)
		r0 = r22
	}
	{
		r15:14 += mpyu(r13,r5)
	}
	{
		r15:14 = add(r15:14,r1:0)
	}
	{
		r0 = r15
	}
	{
		r15:14 = combine(r1,r0)
		r0 = r23
	}
	{
		r15:14 += mpyu(r13,r6)
	}
	{
		r0 = addasl(r7,r9,#2)
		r15:14 = add(r15:14,r1:0)
		r9 = add(r9,#1)
	}
	{
		r15:14 = sub(r15:14,r25:24)
	}
	{
		r15:14 = add(r15:14,r13:12)
	}
	{
		r27:26 = lsr(r15:14,#19)
	}
	{
		r27:26 += lsr(r15:14,#63)
	}
	{
		r15:14 = mpyu(r26,r18)
	}
	{
		r15 += mpyi(r18,r27)
	}
	{
		r13:12 = sub(r13:12,r15:14)
	}
	{
		nop
		nop
		memw(r0+#0) = r12
	} :endloop1
// %bb.9:                               //   in Loop: Header=BB0_5 Depth=1
	{
		r2 = add(r2,#96)
		r4 = add(r4,#1)
		if (!cmp.eq(r4.new,#24)) jump:t .LBB0_5
	}
// %bb.10:
	{
		r1:0 = combine(#1,##c)
		r24 = ##16777619
	}
	{
		loop1(.LBB0_11,#24)
	}
	.p2align	4
.LBB0_11:                               // Block address taken
                                        // =>This Loop Header: Depth=1
                                        //     Child Loop BB0_12 Depth 2
	{
		loop0(.LBB0_12,#23)
		r3:2 = combine(##16777619,r0)
	}
	{
		r1 = mpyi(r1,r3)
		r3 = memw(r2++#4)
	}
	.p2align	4
.LBB0_12:                               //   Parent Loop BB0_11 Depth=1
                                        // =>  This Inner Loop Header: Depth=2
	{
		r1 = xor(r3,r1)
		r3 = memw(r2++#4)
	}
	{
		r1 = mpyi(r1,r24)
		nop
	} :endloop0
// %bb.13:                              //   in Loop: Header=BB0_11 Depth=1
	{
		r1 = xor(r3,r1)
		r0 = add(r0,#96)
		nop
	} :endloop1
// %bb.14:
	{
		r0 = ##.L.str
		r2 = memw(##c)
	}
	{
		call printf
		r3 = memw(##c+2300)
	}
	{
		r1:0 = combine(#0,##1314606644)
		r2 = #96
		r5 = #0
	}
	{
		r3 = add(r0,#-32767)
		r0 = ##-2043141471
	}
	{
		r4 = add(r0,#-32767)
	}
	.p2align	4
.LBB0_15:                               // =>This Loop Header: Depth=1
                                        //     Child Loop BB0_16 Depth 2
                                        //       Child Loop BB0_17 Depth 3
                                        //         Child Loop BB0_18 Depth 4
                                        //     Child Loop BB0_22 Depth 2
                                        //       Child Loop BB0_23 Depth 3
                                        //         Child Loop BB0_24 Depth 4
	{
		r7:6 = combine(r1,##b)
	}
	.p2align	4
.LBB0_16:                               //   Parent Loop BB0_15 Depth=1
                                        // =>  This Loop Header: Depth=2
                                        //       Child Loop BB0_17 Depth 3
                                        //         Child Loop BB0_18 Depth 4
	{
		loop1(.LBB0_17,#24)
		r0 = ##a+32767
		r9:8 = combine(#0,r7)
	}
	{
		r12 = add(r0,#-32767)
		r0 = ##c
	}
	{
		r8 = add(r0,mpyi(r8,r2))
	}
	.p2align	4
.LBB0_17:                               // Block address taken
                                        //   Parent Loop BB0_15 Depth=1
                                        //     Parent Loop BB0_16 Depth=2
                                        // =>    This Loop Header: Depth=3
                                        //         Child Loop BB0_18 Depth 4
	{
		r0 = r6
		r25 = add(r12,#96)
		r15:14 = combine(#0,#0)
		r10 = memw(r12+#0)
	}
	{
		loop0(.LBB0_18,#22)
		r25 = add(r25,#96)
		r11 = memw(r0++#4)
		r28 = memw(r25+#0)
	}
	{
		r13 = memw(r0++#4)
	}
	.p2align	4
.LBB0_18:                               //   Parent Loop BB0_15 Depth=1
                                        //     Parent Loop BB0_16 Depth=2
                                        //       Parent Loop BB0_17 Depth=3
                                        // =>      This Inner Loop Header: Depth=4
	{
		r15:14 += mpy(r10,r11)
		r11:10 = combine(r13,r28)
		r25 = add(r25,#96)
		r28 = memw(r25+#0)
	}
	{
		nop
		r13 = memw(r0++#4)
	} :endloop0
// %bb.19:                              //   in Loop: Header=BB0_17 Depth=3
	{
		r15:14 += mpy(r10,r11)
		r12 = add(r12,#4)
	}
	{
		r15:14 += mpy(r28,r13)
	}
	{
		r23 = extractu(r15,#31,#0)
		r21:20 = asr(r15:14,#63)
		r22 = r14
	}
	{
		r27:26 = mpyu(r14,r3)
		r21:20 = and(r21:20,r17:16)
	}
	{
		r27:26 = mpyu(r14,r4)
		r21:20 = add(r21:20,r23:22)
		r0 = r27
	}
	{
		r11:10 = combine(r1,r0)
		r0 = r26
	}
	{
		r11:10 += mpyu(r15,r3)
	}
	{
		r11:10 = add(r11:10,r1:0)
	}
	{
		r0 = r11
	}
	{
		r11:10 = combine(r1,r0)
		r0 = r27
	}
	{
		r11:10 += mpyu(r15,r4)
	}
	{
		r0 = addasl(r8,r9,#2)
		r11:10 = add(r11:10,r1:0)
		r9 = add(r9,#1)
	}
	{
		r11:10 = sub(r11:10,r21:20)
	}
	{
		r11:10 = add(r11:10,r15:14)
	}
	{
		r23:22 = lsr(r11:10,#19)
	}
	{
		r23:22 += lsr(r11:10,#63)
	}
	{
		r11:10 = mpyu(r22,r18)
	}
	{
		r11 += mpyi(r18,r23)
	}
	{
		r15:14 = sub(r15:14,r11:10)
	}
	{
		nop
		nop
		memw(r0+#0) = r14
	} :endloop1
// %bb.20:                              //   in Loop: Header=BB0_16 Depth=2
	{
		r6 = add(r6,#96)
		r7 = add(r7,#1)
		if (!cmp.eq(r7.new,#24)) jump:t .LBB0_16
	}
// %bb.21:                              //   in Loop: Header=BB0_15 Depth=1
	{
		r7:6 = combine(##c,#0)
	}
	.p2align	4
.LBB0_22:                               //   Parent Loop BB0_15 Depth=1
                                        // =>  This Loop Header: Depth=2
                                        //       Child Loop BB0_23 Depth 3
                                        //         Child Loop BB0_24 Depth 4
	{
		r8 = r6
		r0 = ##a+32767
		r12 = #0
	}
	{
		r8 = add(r19,mpyi(r8,r2))
		r9 = add(r0,#-32767)
	}
	.p2align	4
.LBB0_23:                               //   Parent Loop BB0_15 Depth=1
                                        //     Parent Loop BB0_22 Depth=2
                                        // =>    This Loop Header: Depth=3
                                        //         Child Loop BB0_24 Depth 4
	{
		r0 = r7
		r25 = add(r9,#96)
		r15:14 = combine(#0,#0)
		r10 = memw(r9+#0)
	}
	{
		loop0(.LBB0_24,#22)
		r25 = add(r25,#96)
		r11 = memw(r0++#4)
		r28 = memw(r25+#0)
	}
	{
		r13 = memw(r0++#4)
	}
	.p2align	4
.LBB0_24:                               //   Parent Loop BB0_15 Depth=1
                                        //     Parent Loop BB0_22 Depth=2
                                        //       Parent Loop BB0_23 Depth=3
                                        // =>      This Inner Loop Header: Depth=4
	{
		r15:14 += mpy(r10,r11)
		r11:10 = combine(r13,r28)
		r25 = add(r25,#96)
		r28 = memw(r25+#0)
	}
	{
		nop
		r13 = memw(r0++#4)
	} :endloop0
// %bb.25:                              //   in Loop: Header=BB0_23 Depth=3
	{
		r15:14 += mpy(r10,r11)
		r9 = add(r9,#4)
	}
	{
		r15:14 += mpy(r28,r13)
	}
	{
		r23 = extractu(r15,#31,#0)
		r22 = r14
	}
	{
		r27:26 = mpyu(r14,r3)
		r21:20 = mpyu(r14,r4)
	}
	{
		r27:26 = asr(r15:14,#63)
		r0 = r27
	}
	{
		r27:26 = and(r27:26,r17:16)
		r11:10 = combine(r1,r0)
		r0 = r20
	}
	{
		r11:10 += mpyu(r15,r3)
		r23:22 = add(r27:26,r23:22)
	}
	{
		r11:10 = add(r11:10,r1:0)
	}
	{
		r0 = r11
	}
	{
		r11:10 = combine(r1,r0)
		r0 = r21
	}
	{
		r11:10 += mpyu(r15,r4)
	}
	{
		r0 = addasl(r8,r12,#2)
		r11:10 = add(r11:10,r1:0)
		r12 = add(r12,#1)
	}
	{
		r11:10 = sub(r11:10,r23:22)
		p0 = cmp.eq(r12,#24)
	}
	{
		r11:10 = add(r11:10,r15:14)
	}
	{
		r23:22 = lsr(r11:10,#19)
	}
	{
		r23:22 += lsr(r11:10,#63)
	}
	{
		r11:10 = mpyu(r22,r18)
	}
	{
		r11 += mpyi(r18,r23)
	}
	{
		r15:14 = sub(r15:14,r11:10)
	}
	{
		if (!p0) jump:nt .LBB0_23
		memw(r0+#0) = r14
	}
// %bb.26:                              //   in Loop: Header=BB0_22 Depth=2
	{
		r7 = add(r7,#96)
		r6 = add(r6,#1)
		if (!cmp.eq(r6.new,#24)) jump:t .LBB0_22
	}
// %bb.27:                              //   in Loop: Header=BB0_15 Depth=1
	{
		r5 = add(r5,#1)
		if (!cmp.eq(r5.new,#5)) jump:t .LBB0_15
	}
// %bb.28:
	{
		loop1(.LBB0_30,#24)
		r1 = #1
	}
	.p2align	4
.LBB0_30:                               // Block address taken
                                        // =>This Loop Header: Depth=1
                                        //     Child Loop BB0_31 Depth 2
	{
		loop0(.LBB0_31,#24)
		r0 = r19
	}
	.p2align	4
.LBB0_31:                               // Block address taken
                                        //   Parent Loop BB0_30 Depth=1
                                        // =>  This Inner Loop Header: Depth=2
	{
		r1 = mpyi(r1,r24)
		r2 = memw(r0++#4)
	}
	{
		r1 = xor(r2,r1)
		nop
	} :endloop0
// %bb.29:                              //   in Loop: Header=BB0_30 Depth=1
	{
		r19 = add(r19,#96)
		nop
		nop
	} :endloop1
// %bb.32:
	{
		r20 = ##.L.str.1+32767
	}
	{
		call printf
		r0 = add(r20,#-32767)
	}
	{
		r0 = ##a+32767
		r1 = ##c
	}
	{
		loop1(.LBB0_33,#24)
		r0 = add(r0,#-32767)
	}
	.p2align	4
.LBB0_33:                               // Block address taken
                                        // =>This Loop Header: Depth=1
                                        //     Child Loop BB0_34 Depth 2
	{
		loop0(.LBB0_34,#24)
		r3:2 = combine(r0,r1)
	}
	.p2align	4
.LBB0_34:                               // Block address taken
                                        //   Parent Loop BB0_33 Depth=1
                                        // =>  This Inner Loop Header: Depth=2
	{
		r2 = add(r2,#96)
		r4 = memw(r3++#4)
		memw(r2+#0) = r4.new
	} :endloop0
// %bb.35:                              //   in Loop: Header=BB0_33 Depth=1
	{
		r0 = add(r0,#96)
		r1 = add(r1,#4)
		nop
	} :endloop1
// %bb.36:
	{
		loop1(.LBB0_38,#24)
		r1:0 = combine(#1,##c)
	}
	.p2align	4
.LBB0_38:                               // Block address taken
                                        // =>This Loop Header: Depth=1
                                        //     Child Loop BB0_39 Depth 2
	{
		loop0(.LBB0_39,#24)
		r2 = r0
	}
	.p2align	4
.LBB0_39:                               // Block address taken
                                        //   Parent Loop BB0_38 Depth=1
                                        // =>  This Inner Loop Header: Depth=2
	{
		r1 = mpyi(r1,r24)
		r3 = memw(r2++#4)
	}
	{
		r1 = xor(r3,r1)
		nop
	} :endloop0
// %bb.37:                              //   in Loop: Header=BB0_38 Depth=1
	{
		r0 = add(r0,#96)
		nop
		nop
	} :endloop1
// %bb.64:
	{
		call printf
		r0 = add(r20,#-32767)
	}
	{
		loop0(.LBB0_65,#24)
		r0 = ##a+32767
		r1 = #1000
	}
	{
		r0 = add(r0,#-32767)
	}
	{
		r2 = r0
	}
	.p2align	4
.LBB0_65:                               // Block address taken
                                        // =>This Inner Loop Header: Depth=1
	{
		r2 = add(r2,#100)
		memw(r2+#0) += r1
	} :endloop0
// %bb.66:
	{
		r1 = ##-2043141471
		r2 = ##c
	}
	{
		loop1(.LBB0_67,#24)
		r1 = add(r1,#-32766)
	}
	.p2align	4
.LBB0_67:                               // Block address taken
                                        // =>This Loop Header: Depth=1
                                        //     Child Loop BB0_68 Depth 2
	{
		loop0(.LBB0_68,#21)
		r6 = r0
	}
	{
		r3 = memw(r6++#4)
	}
	{
		r4 = mpy(r3,r1)
	}
	{
		r7 = add(r4,r3)
		r4 = memw(r6++#4)
	}
	{
		r5 = asr(r7,#19)
	}
	{
		r5 += lsr(r7,#31)
		r7 = mpy(r4,r1)
	}
	{
		r9 = add(r7,r4)
		r7 = r2
	}
	{
		r3 -= mpyi(r5,##1000003)
		r8 = asr(r9,#19)
		r5 = memw(r6++#4)
	}
	{
		r8 += lsr(r9,#31)
		r12 = add(r3,r18)
		p0 = cmp.gt(r3,#-1)
	}
	{
		r9 = mpy(r5,r1)
	}
	.p2align	4
.LBB0_68:                               //   Parent Loop BB0_67 Depth=1
                                        // =>  This Inner Loop Header: Depth=2
	{
		if (!p0) r3 = add(r12,#0)
	}
	{
		r9 = add(r9,r5)
		r3 = r4
		r4 = r5
		memw(r7++#4) = r3
	}
	{
		r3 -= mpyi(r8,##1000003)
		r8 = asr(r9,#19)
		r5 = memw(r6++#4)
	}
	{
		r8 += lsr(r9,#31)
		p0 = cmp.gt(r3,#-1)
		r12 = add(r3,r18)
	}
	{
		r9 = mpy(r5,r1)
		nop
	} :endloop0
// %bb.69:                              //   in Loop: Header=BB0_67 Depth=1
	{
		r4 -= mpyi(r8,##1000003)
		if (!p0) r3 = add(r12,#0)
	}
	{
		p0 = cmp.gt(r4,#-1)
		r3 = add(r9,r5)
		if (!p0.new) r4 = add(r4,r18)
		memw(r7++#4) = r3
	}
	{
		r4 = asr(r3,#19)
		memw(r7++#4) = r4
	}
	{
		r4 += lsr(r3,#31)
	}
	{
		r5 -= mpyi(r4,##1000003)
	}
	{
		p0 = cmp.gt(r5,#-1)
		if (!p0.new) r5 = add(r5,r18)
	}
	{
		memw(r7++#4) = r5
	}
// %bb.40:                              //   in Loop: Header=BB0_67 Depth=1
	{
		r2 = add(r2,#96)
		r0 = add(r0,#96)
		nop
	} :endloop1
// %bb.41:
	{
		r0 = #24
		r15:14 = combine(#0,#1)
		r9 = #0
		memw(r29+#0) = r0.new
	}                                       // 4-byte Folded Spill
	{
		r0 = ##c
		r7 = #0
	}
	{
		r12 = ##1000003
		r13 = #0
		r1 = add(r0,#96)
	}
	{
		r0 = ##1314606644
		r4 = ##c
	}
	{
		r28 = add(r0,#-32767)
		r0 = ##-2043141471
	}
	{
		r8 = add(r0,#-32767)
		r0 = ##c
		memw(r29+#4) = r0.new
	}                                       // 4-byte Folded Spill
.LBB0_42:                               // =>This Loop Header: Depth=1
                                        //     Child Loop BB0_43 Depth 2
                                        //     Child Loop BB0_47 Depth 2
                                        //     Child Loop BB0_50 Depth 2
                                        //     Child Loop BB0_55 Depth 2
                                        //       Child Loop BB0_56 Depth 3
	{
		r11:10 = combine(r9,##c)
		r6 = r4
		r2 = sub(#24,r9)
	}
	{
		loop0(.LBB0_43,r2)
		r10 += asl(r9,#2)
	}
	.p2align	4
.LBB0_43:                               // Block address taken
                                        //   Parent Loop BB0_42 Depth=1
                                        // =>  This Inner Loop Header: Depth=2
	{
		r2 = +mpyi(r11,#96)
	}
	{
		r2 = memw(r10+r2<<#0)
		if (!cmp.eq(r2.new,#0)) jump:nt .LBB0_45
	}
// %bb.44:                              //   in Loop: Header=BB0_43 Depth=2
	{
		r3:2 = combine(#0,#0)
		r11 = add(r11,#1)
		r6 = add(r6,#96)
	} :endloop0
	{
		jump .LBB0_59
	}
	.p2align	4
.LBB0_45:                               //   in Loop: Header=BB0_42 Depth=1
	{
		p0 = cmp.eq(r11,r9)
		if (p0.new) jump:t .LBB0_49
		memw(r29+#8) = r1
		memw(r29+#12) = r4
	}                                       // 4-byte Folded Spill
// %bb.46:                              //   in Loop: Header=BB0_42 Depth=1
	{
		loop0(.LBB0_47,#24)
		r2 = r4
	}
	.p2align	4
.LBB0_47:                               // Block address taken
                                        //   Parent Loop BB0_42 Depth=1
                                        // =>  This Inner Loop Header: Depth=2
	{
		r3 = memw(r2+#0)
		r10 = memw(r6+#0)
	}
	{
		memw(r2++#4) = r10
		memw(r6++#4) = r3
	} :endloop0
// %bb.48:                              //   in Loop: Header=BB0_42 Depth=1
	{
		r15:14 = sub(r13:12,r15:14)
	}
.LBB0_49:                               //   in Loop: Header=BB0_42 Depth=1
	{
		r2 = r9
		r5:4 = combine(#0,#1)
		r21 = add(r18,#-2)
		memd(r29+#32) = r15:14
	}                                       // 8-byte Folded Spill
	{
		r2 += mpyi(r9,#24)
	}
	{
		r0 = memw(r2<<#2+##c)
		memw(r29+#16) = r0.new
	}                                       // 4-byte Folded Spill
	{
		r25 = asr(r0,#31)
		r24 = r0
		jump .LBB0_50
		memw(r29+#20) = r25.new
	}                                       // 4-byte Folded Spill
	.p2align	4
.LBB0_52:                               //   in Loop: Header=BB0_50 Depth=2
	{
		r3:2 = mpyu(r24,r24)
	}
	{
		r3 += mpyi(r24,r25)
	}
	{
		r11:10 = mpyu(r2,r28)
		r3 += mpyi(r24,r25)
	}
	{
		r1:0 = mpyu(r2,r8)
		r6 = r11
	}
	{
		r11:10 = combine(r7,r6)
		r6 = r0
	}
	{
		r11:10 += mpyu(r3,r28)
	}
	{
		r11:10 = add(r11:10,r7:6)
	}
	{
		r6 = r11
	}
	{
		r11:10 = combine(r7,r6)
		r6 = r1
	}
	{
		r11:10 += mpyu(r3,r8)
	}
	{
		r1:0 = add(r11:10,r7:6)
	}
	{
		r0 = lsr(r0,#19)
	}
	{
		r0 = insert(r1,#19,#13)
		r1 = lsr(r1,#19)
	}
	{
		r27:26 = mpyu(r0,r18)
	}
	{
		r27 += mpyi(r18,r1)
	}
	{
		r21 = extractu(r21,#19,#1)
		r25:24 = sub(r3:2,r27:26)
		if (cmp.eq(r21.new,#0)) jump:nt .LBB0_53
	}
.LBB0_50:                               //   Parent Loop BB0_42 Depth=1
                                        // =>  This Inner Loop Header: Depth=2
	{
		p0 = tstbit(r21,#0); if (!p0.new) jump:t .LBB0_52
	}
// %bb.51:                              //   in Loop: Header=BB0_50 Depth=2
	{
		r3:2 = mpyu(r24,r4)
	}
	{
		r3 += mpyi(r24,r5)
		r22 = r2
	}
	{
		r27:26 = mpyu(r2,r28)
		r3 += mpyi(r4,r25)
	}
	{
		r1:0 = mpyu(r2,r8)
		r11:10 = asr(r3:2,#63)
		r6 = r27
	}
	{
		r23 = extractu(r3,#31,#0)
		r11:10 = and(r11:10,r17:16)
		r27:26 = combine(r7,r6)
		r6 = r0
	}
	{
		r27:26 += mpyu(r3,r28)
		r11:10 = add(r11:10,r23:22)
	}
	{
		r27:26 = add(r27:26,r7:6)
	}
	{
		r6 = r27
	}
	{
		r27:26 = combine(r7,r6)
		r6 = r1
	}
	{
		r27:26 += mpyu(r3,r8)
	}
	{
		r1:0 = add(r27:26,r7:6)
	}
	{
		r1:0 = sub(r1:0,r11:10)
	}
	{
		r1:0 = add(r1:0,r3:2)
	}
	{
		r27:26 = asr(r1:0,#19)
	}
	{
		r27:26 += lsr(r1:0,#63)
	}
	{
		r1:0 = mpyu(r26,r18)
	}
	{
		r1 += mpyi(r18,r27)
	}
	{
		r5:4 = sub(r3:2,r1:0)
		jump .LBB0_52
	}
	.p2align	4
.LBB0_53:                               //   in Loop: Header=BB0_42 Depth=1
	{
		p0 = cmp.gtu(r9,#22)
		if (p0.new) jump:t .LBB0_58
	}
// %bb.54:                              //   in Loop: Header=BB0_42 Depth=1
	{
		r19 = r9
		r0 = sub(#23,r9)
		r12 = memw(r29+#8)
		memd(r29+#24) = r5:4
	}                                       // 4-byte Folded Reload
	{
		loop1(.LBB0_55,r0)
	}
	.p2align	4
.LBB0_55:                               // Block address taken
                                        //   Parent Loop BB0_42 Depth=1
                                        // =>  This Loop Header: Depth=2
                                        //       Child Loop BB0_56 Depth 3
	{
		r0 = r9
		r20 = ##1000003
		r19 = add(r19,#1)
	}
	{
		r0 += mpyi(r19,#24)
		r21 = #0
	}
	{
		r0 = memw(r0<<#2+##c)
	}
	{
		r1 = asr(r0,#31)
	}
	{
		r3:2 = mpyu(r4,r0)
	}
	{
		r3 += mpyi(r4,r1)
		r10 = r2
	}
	{
		r25:24 = mpyu(r2,r28)
		r3 += mpyi(r0,r5)
		r5:4 = combine(#0,#0)
	}
	{
		r27:26 = mpyu(r2,r8)
		r1:0 = asr(r3:2,#63)
		r6 = r25
	}
	{
		r11 = extractu(r3,#31,#0)
		r1:0 = and(r1:0,r17:16)
		r25:24 = combine(r7,r6)
		r6 = r26
	}
	{
		r25:24 += mpyu(r3,r28)
		r1:0 = add(r1:0,r11:10)
	}
	{
		r25:24 = add(r25:24,r7:6)
	}
	{
		r6 = r25
	}
	{
		r25:24 = combine(r7,r6)
		r6 = r27
	}
	{
		r25:24 += mpyu(r3,r8)
	}
	{
		r23:22 = add(r25:24,r7:6)
		r6 = memw(r29+#0)
	}                                       // 4-byte Folded Reload
	{
		r1:0 = sub(r23:22,r1:0)
		r26 = memw(r29+#4)
	}                                       // 4-byte Folded Reload
	{
		loop0(.LBB0_56,r6)
		r1:0 = add(r1:0,r3:2)
	}
	{
		r25:24 = asr(r1:0,#19)
	}
	{
		r25:24 += lsr(r1:0,#63)
	}
	{
		r1:0 = mpyu(r24,r18)
	}
	{
		r1 += mpyi(r18,r25)
		r25:24 = combine(r12,r12)
	}
	{
		r3:2 = sub(r3:2,r1:0)
	}
	.p2align	4
.LBB0_56:                               // Block address taken
                                        //   Parent Loop BB0_42 Depth=1
                                        //     Parent Loop BB0_55 Depth=2
                                        // =>    This Inner Loop Header: Depth=3
	{
		r0 = memw(r26++#4)
		r10 = memw(r25+#0)
	}
	{
		r1 = asr(r0,#31)
		r11 = asr(r10,#31)
	}
	{
		r23:22 = mpyu(r2,r0)
	}
	{
		r23 += mpyi(r2,r1)
	}
	{
		r23 += mpyi(r0,r3)
	}
	{
		r11:10 = sub(r11:10,r23:22)
	}
	{
		r1:0 = mpyu(r10,r28)
		r23:22 = mpyu(r10,r8)
		r14 = r10
	}
	{
		r15 = extractu(r11,#31,#0)
		r13:12 = asr(r11:10,#63)
		r6 = r1
	}
	{
		r13:12 = and(r13:12,r17:16)
		r1:0 = combine(r7,r6)
		r6 = r22
	}
	{
		r1:0 += mpyu(r11,r28)
		r13:12 = add(r13:12,r15:14)
	}
	{
		r1:0 = add(r1:0,r7:6)
	}
	{
		r6 = r1
	}
	{
		r1:0 = combine(r7,r6)
		r6 = r23
	}
	{
		r1:0 += mpyu(r11,r8)
	}
	{
		r1:0 = add(r1:0,r7:6)
	}
	{
		r1:0 = sub(r1:0,r13:12)
	}
	{
		r1:0 = add(r1:0,r11:10)
	}
	{
		r23:22 = asr(r1:0,#19)
	}
	{
		r23:22 += lsr(r1:0,#63)
	}
	{
		r1:0 = mpyu(r22,r18)
	}
	{
		r1 += mpyi(r18,r23)
	}
	{
		r1:0 = sub(r11:10,r1:0)
	}
	{
		r13:12 = add(r1:0,r21:20)
		p0 = cmp.gt(r5:4,r1:0)
	}
	{
		r1 = mux(p0,r12,r0)
		memw(r25++#4) = r1.new
	} :endloop0
// %bb.57:                              //   in Loop: Header=BB0_55 Depth=2
	{
		r12 = add(r24,#96)
		nop
		r5:4 = memd(r29+#24)
	} :endloop1                             // 8-byte Folded Reload
.LBB0_58:                               //   in Loop: Header=BB0_42 Depth=1
	{
		r9 = add(r9,#1)
		r4 = memw(r29+#16)
		r1:0 = memd(r29+#32)
	}                                       // 4-byte Folded Reload
	{
		p0 = cmp.eq(r9,#24)
		r20 = ##.L.str.1+32767
		r5 = memw(r29+#20)
	}                                       // 4-byte Folded Reload
	{
		r3:2 = mpyu(r0,r4)
	}
	{
		r3 += mpyi(r0,r5)
		r12 = r2
	}
	{
		r15:14 = mpyu(r2,r28)
		r3 += mpyi(r4,r1)
		r4 = memw(r29+#12)
	}                                       // 4-byte Folded Reload
	{
		r11:10 = mpyu(r2,r8)
		r1:0 = asr(r3:2,#63)
		r6 = r15
		r4 = add(r4,#96)
	}
	{
		r13 = extractu(r3,#31,#0)
		r1:0 = and(r1:0,r17:16)
		r15:14 = combine(r7,r6)
		r6 = r10
	}
	{
		r15:14 += mpyu(r3,r28)
		r1:0 = add(r1:0,r13:12)
	}
	{
		r15:14 = add(r15:14,r7:6)
	}
	{
		r6 = r15
	}
	{
		r15:14 = combine(r7,r6)
		r6 = r11
	}
	{
		r15:14 += mpyu(r3,r8)
	}
	{
		r27:26 = add(r15:14,r7:6)
	}
	{
		r1:0 = sub(r27:26,r1:0)
	}
	{
		r1:0 = add(r1:0,r3:2)
	}
	{
		r13:12 = asr(r1:0,#19)
	}
	{
		r13:12 += lsr(r1:0,#63)
	}
	{
		r1:0 = mpyu(r12,r18)
		r12 = ##1000003
	}
	{
		r1 += mpyi(r18,r13)
		r13 = #0
	}
	{
		r15:14 = sub(r3:2,r1:0)
		r0 = memw(r29+#0)
		r1 = memw(r29+#8)
	}                                       // 4-byte Folded Reload
	{
		r0 = add(r0,#-1)
		r3:2 = combine(r15,r14)
		r1 = add(r1,#100)
		memw(r29+#0) = r0.new
	}                                       // 4-byte Folded Spill
	{
		r0 = memw(r29+#4)
	}                                       // 4-byte Folded Reload
	{
		r0 = add(r0,#100)
		if (!p0) jump:nt .LBB0_42
		memw(r29+#4) = r0.new
	}                                       // 4-byte Folded Spill
.LBB0_59:
	{
		call printf
		r0 = ##.L.str.2
	}
	{
		loop0(.LBB0_60,#298)
		r1:0 = combine(#0,##signal)
	}
	{
		r2 = mpyi(r1,r1)
		r3 = add(r1,#1)
	}
	{
		r1 = mpyi(r3,r3)
		r3 = add(r3,#1)
	}
	.p2align	4
.LBB0_60:                               // =>This Inner Loop Header: Depth=1
	{
		r4 = add(##-5000,mpyi(r2,#13))
		r1 = mpyi(r3,r3)
		r2 = r1
	}
	{
		r3 = add(r3,#1)
		memh(r0++#2) = r4
	} :endloop0
// %bb.61:
	{
		r2 = add(##-5000,mpyi(r2,#13))
		memh(r0++#2) = r2.new
	}
	{
		r1 = add(##-5000,mpyi(r1,#13))
		memh(r0++#2) = r1.new
	}
	{
		loop0(.LBB0_62,#16)
		r1 = ##kernel
	}
	{
		r0 = ##64836
	}
	.p2align	4
.LBB0_62:                               // Block address taken
                                        // =>This Inner Loop Header: Depth=1
	{
		r0 = add(r0,#100)
		memh(r1++#2) = r0
	} :endloop0
// %bb.63:
	{
		loop1(.LBB0_72,#285)
		r1:0 = combine(#0,##signal)
	}
	.p2align	4
.LBB0_72:                               // Block address taken
                                        // =>This Loop Header: Depth=1
                                        //     Child Loop BB0_73 Depth 2
	{
		loop0(.LBB0_73,#14)
		r3:2 = combine(##kernel,#0)
		r4 = r0
	}
	{
		r8 = memh(r3++#2)
		r7 = memh(r4++#2)
	}
	{
		r5 = memh(r4++#2)
		r6 = memh(r3++#2)
	}
	.p2align	4
.LBB0_73:                               //   Parent Loop BB0_72 Depth=1
                                        // =>  This Inner Loop Header: Depth=2
	{
		r2 += mpyi(r8,r7)
		r8 = r6
		r7 = r5
		r6 = memh(r3++#2)
	}
	{
		nop
		r5 = memh(r4++#2)
	} :endloop0
// %bb.74:                              //   in Loop: Header=BB0_72 Depth=1
	{
		r2 += mpyi(r8,r7)
	}
	{
		r2 += mpyi(r6,r5)
	}
// %bb.71:                              //   in Loop: Header=BB0_72 Depth=1
	{
		r1 = +mpyi(r1,#31)
		r0 = add(r0,#2)
	}
	{
		r1 += asr(r2,#7)
		nop
		nop
	} :endloop1
// %bb.70:
	{
		call printf
		r0 = add(r20,#-32767)
	}
	{
		r0 = #0
		r17:16 = memd(r29+#80)
		r19:18 = memd(r29+#72)
	}                                       // 8-byte Folded Reload
	{
		r21:20 = memd(r29+#64)
		r23:22 = memd(r29+#56)
	}                                       // 8-byte Folded Reload
	{
		r25:24 = memd(r29+#48)
		r27:26 = memd(r29+#40)
	}                                       // 8-byte Folded Reload
	{
		r31:30 = dealloc_return(r30):raw
	}
.Lfunc_end0:
	.size	main, .Lfunc_end0-main
                                        // -- End function
	.type	a,@object                       // @a
	.lcomm	a,2304,8
	.type	b,@object                       // @b
	.lcomm	b,2304,8
	.type	c,@object                       // @c
	.lcomm	c,2304,8
	.type	.L.str,@object                  // @.str
	.section	.rodata.str1.1,"aMS",@progbits,1
.L.str:
	.string	"%08x %d %d\n"
	.size	.L.str, 12

	.type	.L.str.1,@object                // @.str.1
.L.str.1:
	.string	"%08x\n"
	.size	.L.str.1, 6

	.type	.L.str.2,@object                // @.str.2
.L.str.2:
	.string	"determinant %lld\n"
	.size	.L.str.2, 18

	.type	signal,@object                  // @signal
	.lcomm	signal,600,8
	.type	kernel,@object                  // @kernel
	.lcomm	kernel,32,8

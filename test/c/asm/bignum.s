	.text
	.globl	main                            // -- Begin function main
	.p2align	4
	.type	main,@function
main:                                   // @main
// %bb.0:
	{
		r2 = #156
		memd(r29+#-16) = r17:16
		allocframe(r29,#544):raw
	}                                       // 8-byte Folded Spill
	{
		r17 = add(r29,#4)
		r19 = #0
		memd(r29+#528) = r19:18
		memd(r29+#520) = r21:20
	}                                       // 8-byte Folded Spill
	{
		r16 = add(r17,#4)
		memd(r29+#512) = r23:22
		memd(r29+#504) = r25:24
	}                                       // 8-byte Folded Spill
	{
		call memset
		r1:0 = combine(#0,r16)
		memd(r29+#496) = r27:26
	}                                       // 8-byte Folded Spill
	{
		r24 = ##999999999
		r20 = #1
	}
	{
		r1:0 = combine(##-1600431533,#2)
		r2 = ##4503599
	}
	{
		r3 = add(r24,#1)
		r10 = ##1000000000
		r11 = #0
	}
	{
		loop0(.LBB0_2,#99)
		jump .LBB0_2
		memw(r29+#4) = r20
		memw(r29+#164) = r20
	}
	.p2align	4
.LBB0_1:                                //   in Loop: Header=BB0_2 Depth=1
	{
		r0 = add(r0,#1)
		r20 = memw(r29+#164)
	} :endloop0
	{
		jump .LBB0_7
	}
.LBB0_2:                                // Block address taken
                                        // =>This Loop Header: Depth=1
                                        //     Child Loop BB0_4 Depth 2
	{
		p0 = cmp.gt(r20,#0); if (!p0.new) jump:nt .LBB0_1
	}
// %bb.3:                               //   in Loop: Header=BB0_2 Depth=1
	{
		r7:6 = combine(#0,#0)
		r4 = #0
		r5 = add(r29,#4)
	}
	.p2align	4
.LBB0_4:                                //   Parent Loop BB0_2 Depth=1
                                        // =>  This Inner Loop Header: Depth=2
	{
		r4 = add(r4,#1)
		r8 = memw(r5+#0)
	}
	{
		r9:8 = mpyu(r8,r0)
	}
	{
		r9:8 = add(r9:8,r7:6)
	}
	{
		r6 = lsr(r8,#9)
		r7 = lsr(r9,#9)
	}
	{
		r6 = insert(r9,#9,#23)
	}
	{
		r15:14 = mpyu(r6,r1)
		r13:12 = mpyu(r6,r2)
	}
	{
		r18 = r15
	}
	{
		r15:14 = combine(r19,r18)
		r18 = r12
	}
	{
		r15:14 += mpyu(r7,r1)
	}
	{
		r15:14 = add(r15:14,r19:18)
	}
	{
		r18 = r15
	}
	{
		r15:14 = combine(r19,r18)
		r18 = r13
	}
	{
		r15:14 += mpyu(r7,r2)
	}
	{
		r7:6 = add(r15:14,r19:18)
	}
	{
		r7:6 = lsr(r7:6,#11)
	}
	{
		r27:26 = mpyu(r6,r3)
	}
	{
		r27 += mpyi(r3,r7)
	}
	{
		r13:12 = sub(r9:8,r27:26)
	}
	{
		memw(r5++#4) = r12
	}
	{
		r12 = memw(r29+#164)
		if (cmp.gt(r12.new,r4)) jump:t .LBB0_4
	}
// %bb.5:                               //   in Loop: Header=BB0_2 Depth=1
	{
		p0 = cmp.gtu(r11:10,r9:8)
		if (p0.new) jump:t .LBB0_1
	}
// %bb.6:                               //   in Loop: Header=BB0_2 Depth=1
	{
		r4 = addasl(r17,r12,#2)
		r5 = add(r12,#1)
		memw(r29+#164) = r5.new
	}
	{
		jump .LBB0_1
		memw(r4+#0) = r6
	}
.LBB0_7:
	{
		r0 = ##.L.str.6+32767
		r18 = add(r29,#4)
	}
	{
		r2 = addasl(r18,r20,#2)
		r1 = ##.L.str
		r0 = add(r0,#-32767)
	}
	{
		call printf
		r2 = memw(r2+#-4)
	}
	{
		r0 = add(r18,#-8)
		p0 = cmp.gt(r20,#1); if (!p0.new) jump:t .LBB0_10
		memw(r29+#0) = r0.new
	}                                       // 4-byte Folded Spill
// %bb.8:
	{
		r21 = r20
		r2 = ##.L.str.7+32767
		r0 = memw(r29+#0)
	}                                       // 4-byte Folded Reload
	{
		r19 = addasl(r0,r20,#2)
		r17 = add(r2,#-32767)
	}
	.p2align	4
.LBB0_9:                                // =>This Inner Loop Header: Depth=1
	{
		call printf
		r0 = r17
		r1 = memw(r19++#-4)
	}
	{
		r21 = add(r21,#-1)
		if (cmp.gtu(r21.new,#1)) jump:t .LBB0_9
	}
.LBB0_10:
	{
		call putchar
		r0 = #10
		r26 = add(r18,#-4)
		r22 = #100
	}
	{
		r19 = #0 ; jump .LBB0_12
		r17 = add(r24,#1)
	}
	.p2align	4
.LBB0_11:                               //   in Loop: Header=BB0_12 Depth=1
	{
		p0 = cmp.gt(r22,#91)
		r22 = add(r22,#-1)
		if (!p0.new) jump:nt .LBB0_23
	}
.LBB0_12:                               // =>This Loop Header: Depth=1
                                        //     Child Loop BB0_14 Depth 2
                                        //     Child Loop BB0_17 Depth 2
	{
		p0 = cmp.gt(r20,#0); if (!p0.new) jump:t .LBB0_11
	}
// %bb.13:                              //   in Loop: Header=BB0_12 Depth=1
	{
		r27 = addasl(r26,r20,#2)
		r25 = add(r20,#1)
		r23 = r19
		r1:0 = combine(#0,#0)
	}
	.p2align	4
.LBB0_14:                               //   Parent Loop BB0_12 Depth=1
                                        // =>  This Inner Loop Header: Depth=2
	{
		r5:4 = mpyu(r0,r17)
		r3:2 = combine(r23,r22)
		r18 = memw(r27+#0)
	}
	{
		r5 += mpyi(r17,r1)
	}
	{
		r21:20 = add(r5:4,r19:18)
	}
	{
		call __hexagon_udivdi3
		r1:0 = combine(r21,r20)
	}
	{
		r3:2 = mpyu(r0,r22)
		r25 = add(r25,#-1)
		memw(r27++#-4) = r0
	}
	{
		r3 += mpyi(r22,r1)
		p0 = cmp.gtu(r25,#1)
	}
	{
		r1:0 = sub(r21:20,r3:2)
		if (p0) jump:nt .LBB0_14
	}
// %bb.15:                              //   in Loop: Header=BB0_12 Depth=1
	{
		r2 = memw(r29+#164)
		if (!cmp.gt(r2.new,#1)) jump:t .LBB0_20
	}
// %bb.16:                              //   in Loop: Header=BB0_12 Depth=1
	{
		r3 = addasl(r26,r2,#2)
	}
	.p2align	4
.LBB0_17:                               //   Parent Loop BB0_12 Depth=1
                                        // =>  This Inner Loop Header: Depth=2
	{
		r4 = memw(r3+#0)
		if (!cmp.eq(r4.new,#0)) jump:nt .LBB0_20
	}
// %bb.18:                              //   in Loop: Header=BB0_17 Depth=2
	{
		p0 = cmp.gtu(r2,#2)
		r3 = add(r3,#-4)
		r20 = #1
		r2 = add(r2,#-1)
	}
	{
		if (p0) jump:nt .LBB0_17
		memw(r29+#164) = r2
	}
	{
		jump .LBB0_21
	}
	.p2align	4
.LBB0_20:                               //   in Loop: Header=BB0_12 Depth=1
	{
		r20 = r2
	}
.LBB0_21:                               //   in Loop: Header=BB0_12 Depth=1
	{
		r3:2 = combine(#0,#0)
	}
	{
		p0 = cmp.eq(r1:0,r3:2)
		if (p0.new) jump:t .LBB0_11
	}
// %bb.22:                              //   in Loop: Header=BB0_12 Depth=1
	{
		call puts
		r0 = ##.L.str.1
	}
	{
		jump .LBB0_11
	}
.LBB0_23:
	{
		r0 = ##.L.str.6+32767
		r1 = add(r29,#4)
	}
	{
		r2 = addasl(r1,r20,#2)
		r0 = add(r0,#-32767)
		r1 = ##.L.str.2
	}
	{
		call printf
		r2 = memw(r2+#-4)
	}
	{
		p0 = cmp.gt(r20,#1); if (!p0.new) jump:t .LBB0_27
	}
// %bb.24:
	{
		r19 = r20
		r2 = ##.L.str.7+32767
		r0 = memw(r29+#0)
	}                                       // 4-byte Folded Reload
	{
		r18 = addasl(r0,r20,#2)
		r22 = ##1000000000
		r17 = add(r2,#-32767)
	}
	{
		r23 = #0
	}
	.p2align	4
.LBB0_25:                               // =>This Inner Loop Header: Depth=1
	{
		call printf
		r0 = r17
		r1 = memw(r18++#-4)
	}
	{
		r19 = add(r19,#-1)
		if (cmp.gtu(r19.new,#1)) jump:t .LBB0_25
	}
// %bb.26:
	{
		call putchar
		r0 = #10
	}
	{
		jump .LBB0_28
	}
.LBB0_27:
	{
		call putchar
		r0 = #10
	}
	{
		r2 = #0
		r22 = ##1000000000
		p0 = cmp.eq(r20,#1)
	}
	{
		r23 = #0
		if (!p0) jump:nt .LBB0_31
	}
.LBB0_28:
	{
		r0 = addasl(r26,r20,#2)
		r1 = add(r24,#1)
		r5 = #0
		r3:2 = combine(#0,#0)
	}
	{
		r6 = ##-1665819543
		r7 = ##208618820
	}
	{
		r8 = ##1000003
		p0 = cmp.gt(r20,#0)
		if (!p0.new) r20 = #1
	}
	{
		loop0(.LBB0_29,r20)
	}
	.p2align	4
.LBB0_29:                               // Block address taken
                                        // =>This Inner Loop Header: Depth=1
	{
		r13:12 = mpyu(r2,r1)
		r4 = memw(r0+#0)
	}
	{
		r13 += mpyi(r1,r3)
	}
	{
		r3:2 = add(r13:12,r5:4)
	}
	{
		r15:14 = mpyu(r2,r6)
		r13:12 = mpyu(r2,r7)
	}
	{
		r4 = r15
	}
	{
		r15:14 = combine(r5,r4)
		r4 = r12
	}
	{
		r15:14 += mpyu(r3,r6)
	}
	{
		r15:14 = add(r15:14,r5:4)
	}
	{
		r4 = r15
	}
	{
		r15:14 = combine(r5,r4)
		r4 = r13
	}
	{
		r15:14 += mpyu(r3,r7)
	}
	{
		r13:12 = add(r15:14,r5:4)
	}
	{
		r15:14 = sub(r3:2,r13:12)
	}
	{
		r13:12 += lsr(r15:14,#1)
	}
	{
		r4 = lsr(r12,#19)
		r9 = lsr(r13,#19)
	}
	{
		r4 = insert(r13,#19,#13)
		memw(r0++#-4) = r4.new
	}
	{
		r27:26 = mpyu(r4,r8)
	}
	{
		r27 += mpyi(r8,r9)
	}
	{
		r3:2 = sub(r3:2,r27:26)
		nop
	} :endloop0
// %bb.30:
	{
		r1 = memw(r29+#164)
		if (cmp.gt(r1.new,#1)) jump:t .LBB0_51
	}
.LBB0_31:
	{
		call printf
		r1:0 = combine(r2,##.L.str.3)
	}
	{
		r1 = #0
		r2 = #160
		r17 = #0
		r0 = add(r29,#4)
	}
	{
		call memset
	}
	{
		r1 = #0
		r2 = #156
		r19 = #1
		r18 = add(r29,#168)
	}
	{
		call memset
		r0 = add(r18,#4)
		memw(r29+#164) = r19
	}
	{
		jump .LBB0_33
		memw(r29+#168) = r19
		memw(r29+#328) = r19
	}
	.p2align	4
.LBB0_32:                               //   in Loop: Header=BB0_33 Depth=1
	{
		call memcpy
		r0 = add(r29,#4)
		r1 = add(r29,#332)
		r2 = #164
	}
	{
		r17 = add(r17,#1)
	}
	{
		p0 = cmp.eq(r17,#500)
		if (p0.new) jump:nt .LBB0_37
	}
.LBB0_33:                               // =>This Loop Header: Depth=1
                                        //     Child Loop BB0_35 Depth 2
	{
		call memcpy
		r0 = add(r29,#332)
		r1 = add(r29,#168)
		r2 = #164
	}
	{
		r0 = memw(r29+#328)
		r1 = memw(r29+#164)
	}
	{
		r0 = max(r0,r1)
	}
	{
		p0 = cmp.gt(r0,#0); if (!p0.new) jump:t .LBB0_32
		if (!p0.new) memw(r29+##328) = r0
	}
// %bb.34:                              //   in Loop: Header=BB0_33 Depth=1
	{
		loop0(.LBB0_35,r0)
		r2 = add(r29,#4)
		r3 = #0
		r1 = add(r29,#168)
	}
	.p2align	4
.LBB0_35:                               // Block address taken
                                        //   Parent Loop BB0_33 Depth=1
                                        // =>  This Inner Loop Header: Depth=2
	{
		r4 = memw(r1+#0)
		r5 = memw(r2++#4)
	}
	{
		r5 += add(r4,r3)
	}
	{
		p0 = cmp.gtu(r5,r24)
		r4 = add(r5,##-1000000000)
	}
	{
		r4 = minu(r4,r5)
		r3 = mux(p0,#1,#0)
		memw(r1++#4) = r4.new
	} :endloop0
// %bb.36:                              //   in Loop: Header=BB0_33 Depth=1
	{
		if (p0) r1 = add(r0,#1)
		memw(r29+#328) = r0
	}
	{
		jump .LBB0_32
		if (p0) memw(r29+##328) = r1
		if (p0) memw(r18+r0<<#2) = r19
	}
.LBB0_37:
	{
		r18 = add(r29,#4)
		r0 = ##.L.str.6+32767
		r19 = memw(r29+#164)
	}
	{
		r2 = addasl(r18,r19,#2)
		r1 = ##.L.str.4
		r0 = add(r0,#-32767)
	}
	{
		call printf
		r2 = memw(r2+#-4)
	}
	{
		p0 = cmp.gt(r19,#1); if (!p0.new) jump:t .LBB0_40
	}
// %bb.38:
	{
		r0 = asl(r19,#2)
		r1 = ##.L.str.7+32767
	}
	{
		r20 = add(r0,add(r18,#-8))
		r17 = add(r1,#-32767)
	}
	.p2align	4
.LBB0_39:                               // =>This Inner Loop Header: Depth=1
	{
		call printf
		r0 = r17
		r1 = memw(r20++#-4)
	}
	{
		r19 = add(r19,#-1)
		if (cmp.gtu(r19.new,#1)) jump:t .LBB0_39
	}
.LBB0_40:
	{
		call putchar
		r0 = #10
	}
	{
		call memset
		r2 = #156
		r17 = #0
		r1:0 = combine(#0,r16)
	}
	{
		r0 = ##-1600431533
		r19 = #1
	}
	{
		r2 = add(r24,#1)
		r1 = ##4503599
		memw(r29+#4) = r19
	}
	{
		loop0(.LBB0_42,#256)
		jump .LBB0_42
		memw(r29+#164) = r19
	}
	.p2align	4
.LBB0_41:                               //   in Loop: Header=BB0_42 Depth=1
	{
		nop
		r19 = memw(r29+#164)
	} :endloop0
	{
		jump .LBB0_47
	}
.LBB0_42:                               // Block address taken
                                        // =>This Loop Header: Depth=1
                                        //     Child Loop BB0_44 Depth 2
	{
		r9:8 = combine(#0,#0)
		r3 = add(r29,#4)
		p0 = cmp.gt(r19,#0); if (!p0.new) jump:nt .LBB0_41
	}
// %bb.43:                              //   in Loop: Header=BB0_42 Depth=1
	{
		r4 = r17
	}
	.p2align	4
.LBB0_44:                               //   Parent Loop BB0_42 Depth=1
                                        // =>  This Inner Loop Header: Depth=2
	{
		r7:6 = combine(r9,r8)
		r4 = add(r4,#1)
		r16 = memw(r3+#0)
	}
	{
		r7:6 += asl(r17:16,#1)
	}
	{
		r5 = lsr(r6,#9)
		r27 = lsr(r7,#9)
	}
	{
		r5 = insert(r7,#9,#23)
	}
	{
		r15:14 = mpyu(r5,r0)
		r13:12 = mpyu(r5,r1)
	}
	{
		r16 = r15
	}
	{
		r15:14 = combine(r17,r16)
		r16 = r12
	}
	{
		r15:14 += mpyu(r27,r0)
	}
	{
		r15:14 = add(r15:14,r17:16)
	}
	{
		r16 = r15
	}
	{
		r15:14 = combine(r17,r16)
		r16 = r13
	}
	{
		r15:14 += mpyu(r27,r1)
	}
	{
		r9:8 = add(r15:14,r17:16)
	}
	{
		r9:8 = lsr(r9:8,#11)
	}
	{
		r27:26 = mpyu(r8,r2)
	}
	{
		r27 += mpyi(r2,r9)
	}
	{
		r13:12 = sub(r7:6,r27:26)
	}
	{
		memw(r3++#4) = r12
	}
	{
		r5 = memw(r29+#164)
		if (cmp.gt(r5.new,r4)) jump:t .LBB0_44
	}
// %bb.45:                              //   in Loop: Header=BB0_42 Depth=1
	{
		p0 = cmp.gtu(r23:22,r7:6)
		if (p0.new) jump:t .LBB0_41
	}
// %bb.46:                              //   in Loop: Header=BB0_42 Depth=1
	{
		r3 = addasl(r18,r5,#2)
		r4 = add(r5,#1)
		memw(r29+#164) = r4.new
	}
	{
		jump .LBB0_41
		memw(r3+#0) = r8
	}
.LBB0_47:
	{
		r0 = ##.L.str.6+32767
		r1 = add(r29,#4)
	}
	{
		r2 = addasl(r1,r19,#2)
		r0 = add(r0,#-32767)
		r1 = ##.L.str.5
	}
	{
		call printf
		r2 = memw(r2+#-4)
	}
	{
		p0 = cmp.gt(r19,#1); if (!p0.new) jump:t .LBB0_50
	}
// %bb.48:
	{
		r2 = ##.L.str.7+32767
		r0 = memw(r29+#0)
	}                                       // 4-byte Folded Reload
	{
		r17 = addasl(r0,r19,#2)
		r16 = add(r2,#-32767)
	}
	.p2align	4
.LBB0_49:                               // =>This Inner Loop Header: Depth=1
	{
		call printf
		r0 = r16
		r1 = memw(r17++#-4)
	}
	{
		r19 = add(r19,#-1)
		if (cmp.gtu(r19.new,#1)) jump:t .LBB0_49
	}
.LBB0_50:
	{
		call putchar
		r0 = #10
	}
	{
		r0 = #0
		r17:16 = memd(r29+#536)
		r19:18 = memd(r29+#528)
	}                                       // 8-byte Folded Reload
	{
		r21:20 = memd(r29+#520)
		r23:22 = memd(r29+#512)
	}                                       // 8-byte Folded Reload
	{
		r25:24 = memd(r29+#504)
		r27:26 = memd(r29+#496)
	}                                       // 8-byte Folded Reload
	{
		r31:30 = dealloc_return(r30):raw
	}
.LBB0_51:
	{
		r1 = asl(r1,#2)
		r4 = add(r29,#4)
		r0 = add(r1,#1)
	}
	{
		r1 = add(r1,add(r4,#-4))
		r3 = add(r0,#-2)
	}
	{
		p0 = cmp.gt(r3,#0)
		if (!p0.new) r3 = #1
	}
	{
		loop0(.LBB0_52,r3)
	}
.LBB0_52:                               // Block address taken
                                        // =>This Inner Loop Header: Depth=1
	{
		r3 = memw(r1+#0)
		if (!cmp.eq(r3.new,#0)) jump:t .LBB0_31
	}
// %bb.53:                              //   in Loop: Header=BB0_52 Depth=1
	{
		r3 = add(r0,#-2)
		r1 = add(r1,#-4)
		r0 = add(r0,#-1)
		memw(r29+#164) = r3.new
	} :endloop0
	{
		jump .LBB0_31
	}
.Lfunc_end0:
	.size	main, .Lfunc_end0-main
                                        // -- End function
	.type	.L.str,@object                  // @.str
	.section	.rodata.str1.1,"aMS",@progbits,1
.L.str:
	.string	"100!"
	.size	.L.str, 5

	.type	.L.str.1,@object                // @.str.1
.L.str.1:
	.string	"not exact"
	.size	.L.str.1, 10

	.type	.L.str.2,@object                // @.str.2
.L.str.2:
	.string	"90!"
	.size	.L.str.2, 4

	.type	.L.str.3,@object                // @.str.3
.L.str.3:
	.string	"rest %u\n"
	.size	.L.str.3, 9

	.type	.L.str.4,@object                // @.str.4
.L.str.4:
	.string	"fib(500)"
	.size	.L.str.4, 9

	.type	.L.str.5,@object                // @.str.5
.L.str.5:
	.string	"2^256"
	.size	.L.str.5, 6

	.type	.L.str.6,@object                // @.str.6
.L.str.6:
	.string	"%s %u"
	.size	.L.str.6, 6

	.type	.L.str.7,@object                // @.str.7
.L.str.7:
	.string	"%09u"
	.size	.L.str.7, 5

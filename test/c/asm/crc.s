	.text
	.globl	main                            // -- Begin function main
	.p2align	4
	.type	main,@function
main:                                   // @main
// %bb.0:
	{
		loop1(.LBB0_1,#256)
		r0 = #0
		memd(r29+#-16) = r17:16
		allocframe(#40)
	}                                       // 8-byte Folded Spill
	{
		r18 = ##-306642145
		memd(r29+#24) = r19:18
		memd(r29+#16) = r21:20
	}                                       // 8-byte Folded Spill
	{
		r1 = add(r18,#-32767)
		memd(r29+#8) = r23:22
	}                                       // 8-byte Folded Spill
	.p2align	4
.LBB0_1:                                // Block address taken
                                        // =>This Loop Header: Depth=1
                                        //     Child Loop BB0_2 Depth 2
	{
		loop0(.LBB0_2,#8)
		r2 = r0
	}
	.p2align	4
.LBB0_2:                                // Block address taken
                                        //   Parent Loop BB0_1 Depth=1
                                        // =>  This Inner Loop Header: Depth=2
	{
		p0 = tstbit(r2,#0)
		r2 = lsr(r2,#1)
	}
	{
		if (p0) r2 = xor(r2,r1)
		nop
	} :endloop0
// %bb.3:                               //   in Loop: Header=BB0_1 Depth=1
	{
		r0 = add(r0,#1)
		memw(r0<<#2+##table) = r2
	} :endloop1
// %bb.4:
	{
		r2 = #3000
		r17 = ##main.data+32767
		r1 = #0
	}
	{
		r2 = mpyi(r1,r1)
		r4 = add(r2,#-1)
		p0 = cmp.gtu(r2,#1)
		r0 = add(r17,#-32767)
	}
	{
		loop0(.LBB0_5,r4)
		r3 = add(r1,#1)
		if (!p0) jump:nt .LBB0_6
	}
	.p2align	4
.LBB0_5:                                // =>This Inner Loop Header: Depth=1
	{
		r2 += lsr(r1,#3)
		r1 = r3
		r3 = add(r3,#1)
		memb(r0++#1) = r2.new
	}
	{
		r2 = mpyi(r1,r1)
		nop
	} :endloop0
.LBB0_6:
	{
		r2 += lsr(r1,#3)
		r1 = ##.L.str+32767
		memb(r0++#1) = r2.new
	}
	{
		loop0(.LBB0_7,#8)
		r3 = add(r1,#-32767)
		r2 = #-1
	}
	{
		r0 = memub(r3++#1)
	}
	{
		r0 = xor(r0,r2)
	}
	{
		r0 = and(r0,#255)
	}
	{
		r0 = memw(r0<<#2+##table)
	}
	.p2align	4
.LBB0_7:                                // =>This Inner Loop Header: Depth=1
	{
		r4 = r2
		r2 = r0
		r0 = memub(r3++#1)
	}
	{
		r2 ^= lsr(r4,#8)
	}
	{
		r0 = xor(r0,r2)
	}
	{
		r0 = and(r0,#255)
	}
	{
		r0 = memw(r0<<#2+##table)
	} :endloop0
// %bb.8:
	{
		r0 ^= lsr(r2,#8)
		r3 = add(r1,#-32767)
		r2 = #-1
		r4 = add(r18,#-32767)
	}
	{
		loop1(.LBB0_9,#9)
	}
	.p2align	4
.LBB0_9:                                // Block address taken
                                        // =>This Loop Header: Depth=1
                                        //     Child Loop BB0_10 Depth 2
	{
		loop0(.LBB0_10,#7)
		r7 = lsr(r2,#1)
		r6 = #0
		r5 = memub(r3+#0)
	}
	{
		r8 = lsr(r5,r6)
		r6 = add(r6,#1)
	}
	{
		r8 = xor(r8,r2)
	}
	{
		p0 = tstbit(r8,#0)
		r8 = xor(r7,r4)
	}
	.p2align	4
.LBB0_10:                               //   Parent Loop BB0_9 Depth=1
                                        // =>  This Inner Loop Header: Depth=2
	{
		r7 = lsr(r5,r6)
		if (!p0) r8 = add(r7,#0)
		r6 = add(r6,#1)
	}
	{
		r7 = lsr(r8,#1)
		r9 = xor(r7,r8)
	}
	{
		p0 = tstbit(r9,#0)
		r8 = xor(r7,r4)
	} :endloop0
// %bb.11:                              //   in Loop: Header=BB0_9 Depth=1
	{
		r3 = add(r3,#1)
		r2 = mux(p0,r8,r7)
		nop
	} :endloop1
// %bb.12:
	{
		r1 = add(r1,#-32767)
		r3 = ##65535
	}
	{
		r5:4 = combine(##4129,#9)
	}
	.p2align	4
.LBB0_14:                               // =>This Loop Header: Depth=1
                                        //     Child Loop BB0_15 Depth 2
	{
		loop0(.LBB0_15,#8)
		r6 = memub(r1+#0)
	}
	{
		r3 ^= asl(r6,#8)
	}
	.p2align	4
.LBB0_15:                               // Block address taken
                                        //   Parent Loop BB0_14 Depth=1
                                        // =>  This Inner Loop Header: Depth=2
	{
		r3 = asl(r3,#1)
		r6 = sxth(r3)
	}
	{
		p0 = cmp.gt(r6,#-1)
		if (!p0.new) r3 = xor(r3,r5)
	} :endloop0
// %bb.13:                              //   in Loop: Header=BB0_14 Depth=1
	{
		r1 = add(r1,#1)
		r4 = add(r4,#-1)
		if (!cmp.eq(r4.new,#0)) jump:t .LBB0_14
	}
// %bb.16:
	{
		r1 = sub(#-1,r0)
		r2 = sub(#-1,r2)
		r3 = zxth(r3)
	}
	{
		call printf
		r0 = ##.L.str.1
		r16 = #1
	}
	{
		r18 = add(r18,#-32767)
		r19 = #4129
		r20 = ##-2146992015
	}
	{
		r21 = #435
		r22 = #256
		jump .LBB0_17
	}
	.p2align	4
.LBB0_36:                               //   in Loop: Header=BB0_17 Depth=1
	{
		r13 += mpyi(r21,r6)
	}
	{
		r6 = r13
	}
.LBB0_37:                               //   in Loop: Header=BB0_17 Depth=1
	{
		r13:12 = mpyu(r8,r21)
		r2 = sub(#-1,r0)
		r3 = cmp.eq(r1,r3)
		r4 = zxth(r4)
	}
	{
		r13 += mpyi(r8,r22)
		r5 |= asl(r7,#16)
		r1:0 = combine(r16,##.L.str.2)
	}
	{
		r13 += mpyi(r21,r6)
	}
	{
		call printf
		memd(r29+#0) = r13:12
	}
	{
		r16 = add(#1,mpyi(r16,#3))
		r0 = lsr(r16,#3)
	}
	{
		p0 = cmp.gtu(r0,#124)
		if (p0.new) jump:nt .LBB0_38
	}
.LBB0_17:                               // =>This Loop Header: Depth=1
                                        //     Child Loop BB0_18 Depth 2
                                        //     Child Loop BB0_20 Depth 2
                                        //     Child Loop BB0_22 Depth 2
                                        //       Child Loop BB0_23 Depth 3
                                        //     Child Loop BB0_27 Depth 2
                                        //       Child Loop BB0_28 Depth 3
                                        //     Child Loop BB0_31 Depth 2
                                        //     Child Loop BB0_35 Depth 2
	{
		r4 = add(r17,#-32767)
		p0 = cmp.gtu(r16,#1)
		r0 = add(r16,#-1)
		r1 = #-1
	}
	{
		loop0(.LBB0_18,r0)
		r3:2 = combine(r4,#-1)
	}
	{
		r5 = memub(r3++#1)
	}
	{
		r5 = xor(r5,r2)
	}
	{
		r5 = and(r5,#255)
	}
	{
		if (!p0) jump:nt .LBB0_19
		r0 = memw(r5<<#2+##table)
	}
	.p2align	4
.LBB0_18:                               //   Parent Loop BB0_17 Depth=1
                                        // =>  This Inner Loop Header: Depth=2
	{
		r0 ^= lsr(r1,#8)
		r5 = memub(r3++#1)
	}
	{
		r1 = r0
		r0 = xor(r5,r0)
	}
	{
		r0 = and(r0,#255)
	}
	{
		r0 = memw(r0<<#2+##table)
	} :endloop0
.LBB0_19:                               //   in Loop: Header=BB0_17 Depth=1
	{
		r0 ^= lsr(r1,#8)
		r6 = add(r16,#-1)
		p0 = cmp.gtu(r16,#1)
		r1 = memub(r4++#1)
	}
	{
		loop0(.LBB0_20,r6)
		r1 = xor(r1,r2)
		r5 = add(r17,#-32767)
		r3 = #-1
	}
	{
		r1 = and(r1,#255)
	}
	{
		if (!p0) jump:nt .LBB0_21
		r1 = memw(r1<<#2+##table)
	}
	.p2align	4
.LBB0_20:                               //   Parent Loop BB0_17 Depth=1
                                        // =>  This Inner Loop Header: Depth=2
	{
		r1 ^= lsr(r2,#8)
		r5 = add(r17,#-32767)
		r3 = memub(r4++#1)
	}
	{
		r1 = xor(r3,r1)
		r2 = r1
		r3 = #-1
	}
	{
		r1 = and(r1,#255)
	}
	{
		r1 = memw(r1<<#2+##table)
	} :endloop0
.LBB0_21:                               //   in Loop: Header=BB0_17 Depth=1
	{
		loop1(.LBB0_22,r16)
		r1 ^= lsr(r2,#8)
	}
	.p2align	4
.LBB0_22:                               // Block address taken
                                        //   Parent Loop BB0_17 Depth=1
                                        // =>  This Loop Header: Depth=2
                                        //       Child Loop BB0_23 Depth 3
	{
		loop0(.LBB0_23,#7)
		r6 = lsr(r3,#1)
		r4 = #0
		r2 = memub(r5+#0)
	}
	{
		r7 = lsr(r2,r4)
		r4 = add(r4,#1)
	}
	{
		r7 = xor(r7,r3)
	}
	{
		p0 = tstbit(r7,#0)
		r7 = xor(r6,r18)
	}
	.p2align	4
.LBB0_23:                               //   Parent Loop BB0_17 Depth=1
                                        //     Parent Loop BB0_22 Depth=2
                                        // =>    This Inner Loop Header: Depth=3
	{
		r6 = lsr(r2,r4)
		if (!p0) r7 = add(r6,#0)
		r4 = add(r4,#1)
	}
	{
		r6 = lsr(r7,#1)
		r8 = xor(r6,r7)
	}
	{
		p0 = tstbit(r8,#0)
		r7 = xor(r6,r18)
	} :endloop0
// %bb.24:                              //   in Loop: Header=BB0_22 Depth=2
	{
		r3 = mux(p0,r7,r6)
		r4 = ##65535
		r5 = add(r5,#1)
	}
	{
		r6 = add(r17,#-32767)
		nop
		nop
	} :endloop1
// %bb.25:                              //   in Loop: Header=BB0_17 Depth=1
	{
		r5 = r16
	}
	.p2align	4
.LBB0_27:                               //   Parent Loop BB0_17 Depth=1
                                        // =>  This Loop Header: Depth=2
                                        //       Child Loop BB0_28 Depth 3
	{
		loop0(.LBB0_28,#8)
		r2 = memub(r6+#0)
	}
	{
		r4 ^= asl(r2,#8)
	}
	.p2align	4
.LBB0_28:                               // Block address taken
                                        //   Parent Loop BB0_17 Depth=1
                                        //     Parent Loop BB0_27 Depth=2
                                        // =>    This Inner Loop Header: Depth=3
	{
		r4 = asl(r4,#1)
		r2 = sxth(r4)
	}
	{
		p0 = cmp.gt(r2,#-1)
		if (!p0.new) r4 = xor(r4,r19)
	} :endloop0
// %bb.26:                              //   in Loop: Header=BB0_27 Depth=2
	{
		r2 = add(r17,#-32767)
		r9 = #1
		r7 = #0
		r6 = add(r6,#1)
	}
	{
		r5 = add(r5,#-1)
		if (!cmp.eq(r5.new,#0)) jump:t .LBB0_27
	}
// %bb.29:                              //   in Loop: Header=BB0_17 Depth=1
	{
		r8 = r2
		p0 = cmp.gtu(r16,#1)
		r6 = ##-873292572
	}
	{
		r5 = memub(r8++#1)
	}
	{
		r5 = add(r9,r5)
		r9 = ##-2078137563
	}
	{
		r12 = mpyu(r5,r20)
	}
	{
		r12 = lsr(r12,#15)
		if (!p0) jump:nt .LBB0_33
	}
// %bb.30:                              //   in Loop: Header=BB0_17 Depth=1
	{
		r5 -= mpyi(r12,##65521)
		r9 = add(r16,#-2)
		r6 = memub(r8++#1)
	}
	{
		loop0(.LBB0_31,r9)
		p0 = cmp.gtu(r16,#2)
		r7 = add(r5,r7)
		r5 = add(r5,r6)
	}
	{
		r12 = mpyu(r7,r20)
		r14 = mpyu(r5,r20)
		r9 = ##-2078137563
	}
	{
		r13 = lsr(r12,#15)
		r12 = lsr(r14,#15)
		r6 = ##-873292572
	}
	{
		if (!p0) jump:nt .LBB0_32
	}
	.p2align	4
.LBB0_31:                               //   Parent Loop BB0_17 Depth=1
                                        // =>  This Inner Loop Header: Depth=2
	{
		r5 -= mpyi(r12,##65521)
		r7 -= mpyi(r13,##65521)
	}
	{
		r9 = ##-2078137563
		r7 = add(r5,r7)
		r6 = memub(r8++#1)
	}
	{
		r12 = mpyu(r7,r20)
		r6 = ##-873292572
		r5 = add(r5,r6)
	}
	{
		r14 = mpyu(r5,r20)
		r13 = lsr(r12,#15)
	}
	{
		r12 = lsr(r14,#15)
		nop
	} :endloop0
.LBB0_32:                               //   in Loop: Header=BB0_17 Depth=1
	{
		r7 -= mpyi(r13,##65521)
	}
.LBB0_33:                               //   in Loop: Header=BB0_17 Depth=1
	{
		r5 -= mpyi(r12,##65521)
		p0 = cmp.gtu(r16,#1)
	}
	{
		r7 = add(r5,r7)
	}
	{
		r8 = mpyu(r7,r20)
	}
	{
		r8 = lsr(r8,#15)
	}
	{
		r7 -= mpyi(r8,##65521)
		r8 = memub(r2++#1)
	}
	{
		r8 = xor(r9,r8)
		if (!p0) jump:nt .LBB0_37
	}
// %bb.34:                              //   in Loop: Header=BB0_17 Depth=1
	{
		r13:12 = mpyu(r8,r21)
		r9 = add(r16,#-2)
		p0 = cmp.gtu(r16,#2)
		r14 = memub(r2++#1)
	}
	{
		loop0(.LBB0_35,r9)
		r13 += mpyi(r8,r22)
		r8 = xor(r12,r14)
		if (!p0) jump:nt .LBB0_36
	}
	.p2align	4
.LBB0_35:                               //   Parent Loop BB0_17 Depth=1
                                        // =>  This Inner Loop Header: Depth=2
	{
		r15:14 = mpyu(r8,r21)
		r13 += mpyi(r21,r6)
		r9 = memub(r2++#1)
	}
	{
		r15 += mpyi(r8,r22)
		r6 = r13
		r8 = xor(r14,r9)
	}
	{
		r13 = r15
		nop
	} :endloop0
	{
		jump .LBB0_36
	}
.LBB0_38:
	{
		r0 = #0
		r17:16 = memd(r29+#32)
		r19:18 = memd(r29+#24)
	}                                       // 8-byte Folded Reload
	{
		r21:20 = memd(r29+#16)
		r23:22 = memd(r29+#8)
	}                                       // 8-byte Folded Reload
	{
		r31:30 = dealloc_return(r30):raw
	}
.Lfunc_end0:
	.size	main, .Lfunc_end0-main
                                        // -- End function
	.type	main.data,@object               // @main.data
	.lcomm	main.data,3000,8
	.type	.L.str,@object                  // @.str
	.section	.rodata.str1.1,"aMS",@progbits,1
.L.str:
	.string	"123456789"
	.size	.L.str, 10

	.type	.L.str.1,@object                // @.str.1
.L.str.1:
	.string	"%08x %08x %04x\n"
	.size	.L.str.1, 16

	.type	.L.str.2,@object                // @.str.2
.L.str.2:
	.string	"%4zu %08x %d %04x %08x %016llx\n"
	.size	.L.str.2, 32

	.type	table,@object                   // @table
	.lcomm	table,1024,8

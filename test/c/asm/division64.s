	.text
	.globl	main                            // -- Begin function main
	.p2align	4
	.type	main,@function
main:                                   // @main
// %bb.0:
	{
		r1 = #0
		r16 = #435
		memd(r29+#-16) = r17:16
		allocframe(#88)
	}                                       // 8-byte Folded Spill
	{
		r21:20 = combine(#0,#0)
		r27 = #256
		memd(r29+#64) = r21:20
		memd(r29+#40) = r27:26
	}                                       // 8-byte Folded Spill
	{
		memd(r29+#72) = r19:18
		memd(r29+#56) = r23:22
	}                                       // 8-byte Folded Spill
	{
		memd(r29+#48) = r25:24
	}                                       // 8-byte Folded Spill
	.p2align	4
.LBB0_1:                                // =>This Loop Header: Depth=1
                                        //     Child Loop BB0_2 Depth 2
	{
		r26 = ##values
		r17 = #13
		memw(r29+#20) = r1
	}                                       // 4-byte Folded Spill
	{
		r1:0 = memd(r1<<#3+##values)
	}
	{
		memd(r29+#32) = r1:0
	}                                       // 8-byte Folded Spill
	.p2align	4
.LBB0_2:                                //   Parent Loop BB0_1 Depth=1
                                        // =>  This Inner Loop Header: Depth=2
	{
		r19:18 = mpyu(r20,r16)
		r25:24 = memd(r26++#8)
		r23:22 = memd(r29+#32)
	}                                       // 8-byte Folded Reload
	{
		r19 += mpyi(r20,r27)
		r1:0 = combine(r23,r22)
		r3:2 = combine(r25,r24)
	}
	{
		r19 += mpyi(r16,r21)
		call quotient
	}
	{
		r1:0 = xor(r1:0,r19:18)
		r3:2 = combine(r25,r24)
	}
	{
		call rest
		r1:0 = combine(r23,r22)
		memd(r29+#24) = r1:0
	}                                       // 8-byte Folded Spill
	{
		call uquotient
		r19:18 = asl(r1:0,#7)
		r1:0 = combine(r23,r22)
		r3:2 = combine(r25,r24)
	}
	{
		r21:20 = combine(r1,r0)
		r1:0 = combine(r23,r22)
		r3:2 = memd(r29+#24)
	}                                       // 8-byte Folded Reload
	{
		r21:20 ^= xor(r3:2,r19:18)
		call urest
		r3:2 = combine(r25,r24)
	}
	{
		r21:20 ^= asl(r1:0,#13)
		r17 = add(r17,#-1)
		if (!cmp.eq(r17.new,#0)) jump:t .LBB0_2
	}
// %bb.3:                               //   in Loop: Header=BB0_1 Depth=1
	{
		r19 = #0
		r18 = ##1000003
		r23:22 = memd(r29+#32)
	}                                       // 8-byte Folded Reload
	{
		call quotient
		r1:0 = combine(r23,r22)
		r3:2 = combine(r19,r18)
	}
	{
		call rest
		r25:24 = combine(r1,r0)
		r1:0 = combine(r23,r22)
		r3:2 = combine(r19,r18)
	}
	{
		r19:18 = combine(r1,r0)
		r1:0 = combine(r23,r22)
		r2 = #12345
		r3 = #0
	}
	{
		call uquotient
	}
	{
		r3:2 = combine(r23,r22)
		r0 = ##.L.str
		memd(r29+#8) = r1:0
	}
	{
		call printf
		r5:4 = combine(r25,r24)
		memd(r29+#0) = r19:18
	}
	{
		r1 = memw(r29+#20)
	}                                       // 4-byte Folded Reload
	{
		r1 = add(r1,#1)
		if (!cmp.eq(r1.new,#13)) jump:t .LBB0_1
	}
// %bb.4:
	{
		call printf
		r0 = ##.L.str.1
		r3:2 = combine(r21,r20)
	}
	{
		r0 = ##462000000
		r1 = #0
	}
	{
		r3 = #249
		r2 = ##1553143296
		r19:18 = combine(#0,#0)
	}
	{
		r20 = ##1000000
		r21 = #0
	}
	.p2align	4
.LBB0_5:                                // =>This Inner Loop Header: Depth=1
	{
		r17:16 = combine(r1,r0)
		r1:0 = combine(r3,r2)
	}
	{
		call __hexagon_umoddi3
		r3:2 = combine(r17,r16)
	}
	{
		p0 = cmp.eq(r1:0,r19:18)
		r3:2 = combine(r17,r16)
		if (!p0.new) jump:t .LBB0_5
	}
// %bb.6:
	{
		r13:12 = combine(#0,#3)
		r0 = ##312643557
		r5:4 = combine(#0,#1)
	}
	{
		r1 = ##-1989124303
		r3 = #0
	}
	{
		r6 = ##1000000007
		r9:8 = combine(#0,#0)
		jump .LBB0_7
	}
	.p2align	4
.LBB0_9:                                //   in Loop: Header=BB0_7 Depth=1
	{
		r15:14 = mpyu(r12,r12)
		r21:20 = extractu(r21:20,#19,#1)
	}
	{
		r15 += mpyi(r12,r13)
		p0 = cmp.eq(r21:20,r9:8)
	}
	{
		r11:10 = mpyu(r14,r0)
		r15 += mpyi(r12,r13)
	}
	{
		r25:24 = mpyu(r14,r1)
		r2 = r11
	}
	{
		r11:10 = combine(r3,r2)
		r2 = r24
	}
	{
		r11:10 += mpyu(r15,r0)
	}
	{
		r11:10 = add(r11:10,r3:2)
	}
	{
		r2 = r11
	}
	{
		r11:10 = combine(r3,r2)
		r2 = r25
	}
	{
		r11:10 += mpyu(r15,r1)
	}
	{
		r13:12 = add(r11:10,r3:2)
	}
	{
		r2 = lsr(r12,#29)
		r7 = lsr(r13,#29)
	}
	{
		r2 = insert(r13,#29,#3)
	}
	{
		r27:26 = mpyu(r2,r6)
	}
	{
		r27 += mpyi(r6,r7)
	}
	{
		r13:12 = sub(r15:14,r27:26)
		if (p0) jump:nt .LBB0_10
	}
.LBB0_7:                                // =>This Inner Loop Header: Depth=1
	{
		p0 = tstbit(r20,#0); if (!p0.new) jump:t .LBB0_9
	}
// %bb.8:                               //   in Loop: Header=BB0_7 Depth=1
	{
		r15:14 = mpyu(r12,r4)
	}
	{
		r15 += mpyi(r12,r5)
	}
	{
		r11:10 = mpyu(r14,r0)
		r15 += mpyi(r4,r13)
	}
	{
		r5:4 = mpyu(r14,r1)
		r2 = r11
	}
	{
		r11:10 = combine(r3,r2)
		r2 = r4
	}
	{
		r11:10 += mpyu(r15,r0)
	}
	{
		r11:10 = add(r11:10,r3:2)
	}
	{
		r2 = r11
	}
	{
		r11:10 = combine(r3,r2)
		r2 = r5
	}
	{
		r11:10 += mpyu(r15,r1)
	}
	{
		r5:4 = add(r11:10,r3:2)
	}
	{
		r2 = lsr(r4,#29)
		r4 = lsr(r5,#29)
	}
	{
		r2 = insert(r5,#29,#3)
	}
	{
		r27:26 = mpyu(r2,r6)
	}
	{
		r27 += mpyi(r6,r4)
	}
	{
		r5:4 = sub(r15:14,r27:26)
		jump .LBB0_9
	}
.LBB0_10:
	{
		call printf
		r0 = ##.L.str.2
		r3:2 = combine(r17,r16)
	}
	{
		r18 = ##-1985229329
		r17:16 = combine(#0,#0)
	}
	{
		r19 = ##-2128394905
	}
	.p2align	4
.LBB0_11:                               // =>This Inner Loop Header: Depth=1
	{
		memw(r29+#16) = r17
		r2 = memw(r29+#16)

	} :mem_noshuf
	{
		r3:2 = asl(r19:18,r2)
		r4 = memw(r29+#16)
		r0 = memw(r29+#16)
	}
	{
		r5:4 = lsr(r19:18,r4)
		r7:6 = asr(r19:18,r0)
		r1:0 = combine(r17,##.L.str.3)
	}
	{
		call printf
		memd(r29+#0) = r7:6
	}
	{
		p0 = cmp.gtu(r17,#54)
		r17 = add(r17,#9)
		if (!p0.new) jump:t .LBB0_11
	}
// %bb.12:
	{
		loop1(.LBB0_13,#13)
		r0 = #0
	}
	.p2align	4
.LBB0_13:                               // Block address taken
                                        // =>This Loop Header: Depth=1
                                        //     Child Loop BB0_14 Depth 2
	{
		r1 = ##values
		r3:2 = memd(r0<<#3+##values)
	}
	{
		loop0(.LBB0_14,#13)
	}
	.p2align	4
.LBB0_14:                               // Block address taken
                                        //   Parent Loop BB0_13 Depth=1
                                        // =>  This Inner Loop Header: Depth=2
	{
		r6 = +mpyi(r16,#3)
		r5:4 = memd(r1++#8)
	}
	{
		p0 = cmp.gtu(r5:4,r3:2)
		p1 = cmp.gt(r5:4,r3:2)
		if (p1.new) r6 = add(r6,#1)
	}
	{
		r4 = mux(p0,#2,#0)
	}
	{
		r16 = add(r6,r4)
		nop
	} :endloop0
// %bb.15:                              //   in Loop: Header=BB0_13 Depth=1
	{
		r0 = add(r0,#1)
		nop
		nop
	} :endloop1
// %bb.16:
	{
		call printf
		r1:0 = combine(r16,##.L.str.4)
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
	.p2align	4                               // -- Begin function quotient
	.type	quotient,@function
quotient:                               // @quotient
// %bb.0:
	{
		jump __hexagon_divdi3
	}
.Lfunc_end1:
	.size	quotient, .Lfunc_end1-quotient
                                        // -- End function
	.p2align	4                               // -- Begin function rest
	.type	rest,@function
rest:                                   // @rest
// %bb.0:
	{
		jump __hexagon_moddi3
	}
.Lfunc_end2:
	.size	rest, .Lfunc_end2-rest
                                        // -- End function
	.p2align	4                               // -- Begin function uquotient
	.type	uquotient,@function
uquotient:                              // @uquotient
// %bb.0:
	{
		jump __hexagon_udivdi3
	}
.Lfunc_end3:
	.size	uquotient, .Lfunc_end3-uquotient
                                        // -- End function
	.p2align	4                               // -- Begin function urest
	.type	urest,@function
urest:                                  // @urest
// %bb.0:
	{
		jump __hexagon_umoddi3
	}
.Lfunc_end4:
	.size	urest, .Lfunc_end4-urest
                                        // -- End function
	.type	values,@object                  // @values
	.section	.rodata,"a",@progbits
	.p2align	3, 0x0
values:
	.word	1                               // 0x1
	.word	0
	.word	4294967295                      // 0xffffffffffffffff
	.word	4294967295
	.word	7                               // 0x7
	.word	0
	.word	4294967289                      // 0xfffffffffffffff9
	.word	4294967295
	.word	10                              // 0xa
	.word	0
	.word	1000000007                      // 0x3b9aca07
	.word	0
	.word	3294967289                      // 0xffffffffc46535f9
	.word	4294967295
	.word	2309737967                      // 0x123456789abcdef
	.word	19088743
	.word	1985229329                      // 0xfedcba9876543211
	.word	4275878552
	.word	4294967295                      // 0x7fffffffffffffff
	.word	2147483647
	.word	1                               // 0x8000000000000001
	.word	2147483648
	.word	0                               // 0x100000000
	.word	1
	.word	4294967295                      // 0xffffffff
	.word	0
	.size	values, 104

	.type	.L.str,@object                  // @.str
	.section	.rodata.str1.1,"aMS",@progbits,1
.L.str:
	.string	"%20lld / 1000003 = %lld rest %lld; %llu\n"
	.size	.L.str, 41

	.type	.L.str.1,@object                // @.str.1
.L.str.1:
	.string	"%016llx\n"
	.size	.L.str.1, 9

	.type	.L.str.2,@object                // @.str.2
.L.str.2:
	.string	"%llu %llu\n"
	.size	.L.str.2, 11

	.type	.L.str.3,@object                // @.str.3
.L.str.3:
	.string	"%2u %016llx %016llx %016llx\n"
	.size	.L.str.3, 29

	.type	.L.str.4,@object                // @.str.4
.L.str.4:
	.string	"%d\n"
	.size	.L.str.4, 4

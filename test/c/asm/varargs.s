	.text
	.globl	main                            // -- Begin function main
	.p2align	4
	.type	main,@function
main:                                   // @main
// %bb.0:
	{
		r1:0 = combine(#1,##.L.str.1)
		allocframe(r29,#96):raw
	}
	{
		r3:2 = combine(##300,#20)
		r4 = #4000
	}
	{
		r5 = ##50000
		memd(r29+#88) = r17:16
	}                                       // 8-byte Folded Spill
	{
		memw(r29+#8) = ##80000000
		memw(r29+#4) = ##7000000
	}
	{
		call total
		memw(r29+#0) = ##600000
	}
	{
		call printf
		r3:2 = combine(r1,r0)
		r0 = ##.L.str
	}
	{
		r1:0 = combine(#-8,#0)
		r2 = #0
		r3 = #256
		r4 = #-5
	}
	{
		call total
		r1:0 = combine(#1,##.L.str.2)
		memd(r29+#0) = r1:0
	}
	{
		call printf
		r3:2 = combine(r1,r0)
		r0 = ##.L.str
	}
	{
		r3:2 = combine(#5,#0)
		r1:0 = combine(#1,##.L.str.3)
		r4 = #4
	}
	{
		call total
		r3:2 = combine(#3,#2)
		memd(r29+#0) = r3:2
	}
	{
		call printf
		r3:2 = combine(r1,r0)
		r0 = ##.L.str
	}
	{
		r1 = ##1074003968
		r0 = #0
		r2 = #0
	}
	{
		r3 = ##-1043477147
	}
	{
		r17:16 = combine(#0,#7)
		r2 = #0
		memd(r29+#16) = r3:2
		memd(r29+#0) = r1:0
	}
	{
		r3 = ##1069547520
		r1:0 = combine(#3,##.L.str.4)
	}
	{
		r4 = ##.L.str.5
		memd(r29+#24) = r17:16
		memw(r29+#8) = #9
	}
	{
		call total
	}
	{
		call printf
		r3:2 = combine(r1,r0)
		r0 = ##.L.str
	}
	{
		r2 = #0
		r3 = ##1072693248
		r1:0 = combine(#0,#3)
	}
	{
		r5 = ##1073741824
		r4 = #0
		memd(r29+#0) = r1:0
	}
	{
		r1 = ##1074266112
		r0 = #0
		memd(r29+#8) = r3:2
	}
	{
		r3:2 = combine(#0,#1)
		r5:4 = combine(#0,#2)
		memd(r29+#16) = r5:4
		memd(r29+#24) = r1:0
	}
	{
		r0 = ##.L.str.6
		memw(r29+#32) = #1
		memw(r29+#36) = #2
	}
	{
		call total
		memw(r29+#40) = #3
	}
	{
		call printf
		r3:2 = combine(r1,r0)
		r0 = ##.L.str
	}
	{
		r0 = ##-2025685247
		r1 = ##1074118410
	}
	{
		r2 = ##1985229328
		r3 = ##-19088744
	}
	{
		r2 = ##-2045911175
		memd(r29+#16) = r3:2
		memd(r29+#0) = r1:0
	}
	{
		r3 = #28744
		r1:0 = combine(#-7,##.L.str.8)
	}
	{
		call say
		r4 = ##.L.str.9
		memw(r29+#8) = #122
	}
	{
		call printf
		r1:0 = combine(r0,##.L.str.7)
	}
	{
		r3 = ##1076035584
		r2 = #0
	}
	{
		r1:0 = combine(#1,##.L.str.10)
		r5:4 = combine(#5,#4)
		memd(r29+#24) = r3:2
	}
	{
		r3:2 = combine(#3,#2)
		memd(r29+#8) = r17:16
		memw(r29+#0) = #6
	}
	{
		call say
		memw(r29+#16) = #8
	}
	{
		call printf
		r1:0 = combine(r0,##.L.str.7)
	}
	{
		r1 = #40
		r2 = #42
		r0 = add(r29,#48)
	}
	{
		r3 = ##.L.str.11
		r5:4 = combine(#12,##.L.str.12)
	}
	{
		call into
		memw(r29+#0) = #34
		memw(r29+#4) = #56
	}
	{
		call printf
		r1:0 = combine(r0,##.L.str.13)
		r2 = add(r29,#48)
	}
	{
		r3:2 = combine(##.L.str.14,#1)
		r1 = #12
		r0 = add(r29,#48)
	}
	{
		call into
		r4 = ##.L.str.15
	}
	{
		call printf
		r1:0 = combine(r0,##.L.str.13)
		r2 = add(r29,#48)
	}
	{
		memw(r29+#0) = #1
		memw(r29+#4) = #2
	}
	{
		memw(r29+#8) = #3
		memw(r29+#12) = #-4
	}
	{
		call triples
		memw(r29+#16) = #5
		memw(r29+#20) = #6
	}
	{
		call printf
		r1:0 = combine(r0,##.L.str.7)
	}
	{
		r0 = #0
		r17:16 = memd(r29+#88)
		dealloc_return
	}                                       // 8-byte Folded Reload
.Lfunc_end0:
	.size	main, .Lfunc_end0-main
                                        // -- End function
	.p2align	4                               // -- Begin function total
	.type	total,@function
total:                                  // @total
// %bb.0:
	{
		r29 = add(r29,#-24)
		r7 = #0
	}
	{
		r2 = r0
		memw(r29+#4) = r1
		memw(r29+#8) = r2
	}
	{
		r4 = #0
		r8 = r2
		memw(r29+#12) = r3
		memw(r29+#16) = r4
	}
	{
		r5 = ##1075838976
		memw(r29+#20) = r5
		allocframe(#32)
	}
	{
		r1 = add(r29,#40)
		r3 = add(r29,#64)
		r6 = add(r29,#64)
		memw(r29+#4) = r3.new
	}
	{
		r9 = setbit(r1,#2)
		r1:0 = combine(#0,#0)
		memw(r29+#0) = r9.new
	}
	{
		r13:12 = memd(r29+#0)
		memw(r29+#8) = r3
	}
	{
		jump .LBB1_1
		memw(r29+#24) = r3
		memd(r29+#16) = r13:12
	}
.LBB1_20:                               //   in Loop: Header=BB1_1 Depth=1
	{
		memw(r29+#0) = r9
		r13:12 = memd(r12+#0)

	} :mem_noshuf
	{
		r15:14 = dfmpyfix(r5:4,r13:12)
		r13:12 = dfmpyfix(r13:12,r5:4)
	}
	{
		r11:10 = dfmpyll(r13:12,r15:14)
	}
	{
		r11:10 += dfmpylh(r13:12,r15:14)
	}
	{
		r11:10 += dfmpylh(r15:14,r13:12)
	}
	{
		r11:10 += dfmpyhh(r13:12,r15:14)
	}
	{
		r13:12 = convert_df2d(r11:10):chop
	}
	{
		r1:0 = add(r1:0,r13:12)
	}
.LBB1_21:                               //   in Loop: Header=BB1_1 Depth=1
	{
		r8 = add(r8,#1)
	}
.LBB1_1:                                // =>This Loop Header: Depth=1
                                        //     Child Loop BB1_12 Depth 2
	{
		r14 = add(r9,#4)
		r13 = add(r6,#4)
		r12 = memub(r8+#0)
	}
	{
		p0 = cmp.gt(r12,#107)
		if (p0.new) jump:nt .LBB1_8
	}
// %bb.2:                               //   in Loop: Header=BB1_1 Depth=1
	{
		p0 = cmpb.eq(r12,#100)
		if (p0.new) jump:nt .LBB1_18
	}
// %bb.3:                               //   in Loop: Header=BB1_1 Depth=1
	{
		p0 = cmpb.eq(r12,#105)
		if (!p0.new) jump:nt .LBB1_4
	}
// %bb.14:                              //   in Loop: Header=BB1_1 Depth=1
	{
		p0 = cmp.gt(r14,r3)
		r8 = add(r8,#1)
	}
	{
		r12 = mux(p0,r13,r6)
		if (!p0) r13 = add(r14,#0)
		if (p0) memw(r29+#8) = r13
	}
	{
		if (!p0) r6 = add(r9,#0)
		r9 = r13
		memw(r29+#0) = r13
	}
	{
		r6 = r12
		r11 = memw(r6+#0)
	}
	{
		r1:0 = add(r11:10,r1:0):raw:hi
		jump .LBB1_1
	}
	.p2align	4
.LBB1_8:                                //   in Loop: Header=BB1_1 Depth=1
	{
		p0 = cmpb.eq(r12,#108)
		if (p0.new) jump:nt .LBB1_15
	}
// %bb.9:                               //   in Loop: Header=BB1_1 Depth=1
	{
		p0 = cmpb.eq(r12,#115)
		if (!p0.new) jump:nt .LBB1_21
	}
// %bb.10:                              //   in Loop: Header=BB1_1 Depth=1
	{
		p0 = cmp.gt(r14,r3)
	}
	{
		r12 = mux(p0,r13,r6)
		if (!p0) r13 = add(r14,#0)
		if (p0) memw(r29+#8) = r13
	}
	{
		if (!p0) r6 = add(r9,#0)
		memw(r29+#0) = r13
	}
	{
		r6 = memw(r6+#0)
	}
	{
		r14 = memb(r6+#0)
		if (cmp.eq(r14.new,#0)) jump:nt .LBB1_13
	}
// %bb.11:                              //   in Loop: Header=BB1_1 Depth=1
	{
		r9 = add(r6,#1)
	}
	.p2align	4
.LBB1_12:                               //   Parent Loop BB1_1 Depth=1
                                        // =>  This Inner Loop Header: Depth=2
	{
		r6 = and(r14,#255)
		r14 = memb(r9++#1)
	}
	{
		r1:0 = add(r1:0,r7:6)
		p0 = cmp.eq(r14,#0)
		if (!p0.new) jump:t .LBB1_12
	}
.LBB1_13:                               //   in Loop: Header=BB1_1 Depth=1
	{
		r6 = r12
		r9 = r13
		r8 = add(r8,#1)
		jump .LBB1_1
	}
.LBB1_18:                               //   in Loop: Header=BB1_1 Depth=1
	{
		r9 = add(r9,#7)
	}
	{
		r12 = and(r9,#-8)
	}
	{
		r9 = add(r12,#8)
		if (!cmp.gt(r9.new,r3)) jump:t .LBB1_20
	}
// %bb.19:                              //   in Loop: Header=BB1_1 Depth=1
	{
		r6 = add(r6,#7)
	}
	{
		r12 = and(r6,#-8)
	}
	{
		r6 = add(r12,#8)
		memw(r29+#8) = r6.new
	}
	{
		r9 = r6
		jump .LBB1_20
	}
.LBB1_15:                               //   in Loop: Header=BB1_1 Depth=1
	{
		r9 = add(r9,#7)
	}
	{
		r12 = and(r9,#-8)
	}
	{
		r9 = add(r12,#8)
		if (!cmp.gt(r9.new,r3)) jump:t .LBB1_17
	}
// %bb.16:                              //   in Loop: Header=BB1_1 Depth=1
	{
		r6 = add(r6,#7)
	}
	{
		r12 = and(r6,#-8)
	}
	{
		r6 = add(r12,#8)
		memw(r29+#8) = r6.new
	}
	{
		r9 = r6
	}
.LBB1_17:                               //   in Loop: Header=BB1_1 Depth=1
	{
		r8 = add(r8,#1)
		memw(r29+#0) = r9
		r13:12 = memd(r12+#0)

	} :mem_noshuf
	{
		r1:0 = add(r13:12,r1:0)
		jump .LBB1_1
	}
.LBB1_4:                                //   in Loop: Header=BB1_1 Depth=1
	{
		p0 = cmp.eq(r12,#0)
		if (!p0.new) jump:t .LBB1_21
	}
// %bb.5:
	{
		r2 = memb(r2+#0)
	}
	{
		p0 = cmp.eq(r2,#105)
		if (!p0.new) jump:t .LBB1_7
	}
// %bb.6:
	{
		r7 = ##1717986919
		r4 = #10
		r2 = memw(r29+#16)
	}
	{
		r3 = add(r2,#4)
		r5 = memw(r29+#20)
	}
	{
		r5:4 = mpyu(r0,r4)
		p0 = cmp.gt(r3,r5)
		if (p0.new) r2 = memw(r29+#24)
	}
	{
		r5 += mpyi(r1,#10)
		if (p0) r3 = add(r2,#4)
		if (p0) memw(r29+#24) = r3.new
	}
	{
		memw(r29+#16) = r3
		r0 = memw(r2+#0)

	} :mem_noshuf
	{
		r1 = mpy(r0,r7)
	}
	{
		r6 = asr(r1,#2)
	}
	{
		r6 += lsr(r1,#31)
	}
	{
		r0 -= mpyi(r6,#10)
	}
	{
		r1:0 = add(r1:0,r5:4):raw:lo
	}
.LBB1_7:
	{
		r31:30 = deallocframe(r30):raw
	}
	{
		r29 = add(r29,#24)
		jumpr r31
	}
.Lfunc_end1:
	.size	total, .Lfunc_end1-total
                                        // -- End function
	.p2align	4                               // -- Begin function say
	.type	say,@function
say:                                    // @say
// %bb.0:
	{
		r29 = add(r29,#-24)
	}
	{
		memw(r29+#4) = r1
		memw(r29+#8) = r2
	}
	{
		memw(r29+#12) = r3
		memw(r29+#16) = r4
	}
	{
		memw(r29+#20) = r5
		allocframe(#16)
	}
	{
		r4 = add(r29,#48)
		r5 = add(r29,#24)
		r1 = add(r29,#0)
		memw(r29+#8) = r4.new
	}
	{
		r2 = setbit(r5,#2)
		memw(r29+#4) = r4
	}
	{
		call vprintf
		memw(r29+#0) = r2
	}
	{
		r31:30 = deallocframe(r30):raw
	}
	{
		r29 = add(r29,#24)
		jumpr r31
	}
.Lfunc_end2:
	.size	say, .Lfunc_end2-say
                                        // -- End function
	.p2align	4                               // -- Begin function into
	.type	into,@function
into:                                   // @into
// %bb.0:
	{
		r29 = add(r29,#-8)
	}
	{
		memw(r29+#0) = r4
		memw(r29+#4) = r5
	}
	{
		r17:16 = combine(r1,r3)
		memd(r29+#-16) = r17:16
		allocframe(#32)
	}                                       // 8-byte Folded Spill
	{
		r3:2 = combine(r2,##.L.str.16)
		r18 = r0
		memd(r29+#16) = r19:18
	}                                       // 8-byte Folded Spill
	{
		r7 = add(r29,#48)
		r6 = add(r29,#40)
		r0 = r18
		memw(r29+#8) = r7.new
	}
	{
		call snprintf
		memw(r29+#4) = r7
		memw(r29+#0) = r6
	}
	{
		r1 = sub(r17,r0)
		r0 = add(r18,r0)
		r19 = r0
		r2 = r16
	}
	{
		call vsnprintf
		r3 = add(r29,#0)
	}
	{
		r0 = add(r0,r19)
		r17:16 = memd(r29+#24)
		r19:18 = memd(r29+#16)
	}                                       // 8-byte Folded Reload
	{
		r31:30 = deallocframe(r30):raw
	}
	{
		r29 = add(r29,#8)
		jumpr r31
	}
.Lfunc_end3:
	.size	into, .Lfunc_end3-into
                                        // -- End function
	.p2align	4                               // -- Begin function triples
	.type	triples,@function
triples:                                // @triples
// %bb.0:
	{
		loop0(.LBB4_1,#1)
		r29 = add(r29,#-24)
		r6 = #0
	}
	{
		memw(r29+#4) = r1
		memw(r29+#8) = r2
	}
	{
		memw(r29+#12) = r3
		memw(r29+#16) = r4
	}
	{
		memw(r29+#20) = r5
		allocframe(#16)
	}
	{
		r0 = add(r29,#48)
		r1 = add(r29,#24)
		memw(r29+#8) = r0.new
	}
	{
		r1 = setbit(r1,#2)
		r2 = add(r0,#12)
		memw(r29+#4) = r0
	}
	{
		r0 = add(r2,#12)
		memw(r29+#0) = r1
		memw(r29+#8) = r2
	}
	{
		r1 = memw(r2+#-12)
		r3 = memw(r2+#-8)
	}
	{
		r1 += mpyi(r6,#7)
		r2 = memw(r2+#-4)
	}
	.p2align	4
.LBB4_1:                                // =>This Inner Loop Header: Depth=1
	{
		r3 = addasl(r1,r3,#1)
		memw(r29+#8) = r0
	}
	{
		r3 += mpyi(r2,#3)
		r1 = memw(r0+#-12)
		r2 = memw(r0+#-4)
	}
	{
		r1 += mpyi(r3,#7)
		r0 = add(r0,#12)
		r3 = memw(r0+#-8)
	} :endloop0
// %bb.2:
	{
		r0 = addasl(r1,r3,#1)
		r31:30 = deallocframe(r30):raw
	}
	{
		r0 += mpyi(r2,#3)
		jumpr r31
		r29 = add(r29,#24)
	}
.Lfunc_end4:
	.size	triples, .Lfunc_end4-triples
                                        // -- End function
	.type	.L.str,@object                  // @.str
	.section	.rodata.str1.1,"aMS",@progbits,1
.L.str:
	.string	"%lld\n"
	.size	.L.str, 6

	.type	.L.str.1,@object                // @.str.1
.L.str.1:
	.string	"iiiiiiii"
	.size	.L.str.1, 9

	.type	.L.str.2,@object                // @.str.2
.L.str.2:
	.string	"ilil"
	.size	.L.str.2, 5

	.type	.L.str.3,@object                // @.str.3
.L.str.3:
	.string	"iiiil"
	.size	.L.str.3, 6

	.type	.L.str.4,@object                // @.str.4
.L.str.4:
	.string	"idsdidl"
	.size	.L.str.4, 8

	.type	.L.str.5,@object                // @.str.5
.L.str.5:
	.string	"abc"
	.size	.L.str.5, 4

	.type	.L.str.6,@object                // @.str.6
.L.str.6:
	.string	"llldddiii"
	.size	.L.str.6, 10

	.type	.L.str.7,@object                // @.str.7
.L.str.7:
	.string	"%d\n"
	.size	.L.str.7, 4

	.type	.L.str.8,@object                // @.str.8
.L.str.8:
	.string	"%d %lld %s %.3f %c %llx\n"
	.size	.L.str.8, 25

	.type	.L.str.9,@object                // @.str.9
.L.str.9:
	.string	"text"
	.size	.L.str.9, 5

	.type	.L.str.10,@object               // @.str.10
.L.str.10:
	.string	"%d %d %d %d %d %d %lld %d %f\n"
	.size	.L.str.10, 30

	.type	.L.str.11,@object               // @.str.11
.L.str.11:
	.string	"%s|%5d|%-5d|%05d"
	.size	.L.str.11, 17

	.type	.L.str.12,@object               // @.str.12
.L.str.12:
	.string	"row"
	.size	.L.str.12, 4

	.type	.L.str.13,@object               // @.str.13
.L.str.13:
	.string	"%d [%s]\n"
	.size	.L.str.13, 9

	.type	.L.str.14,@object               // @.str.14
.L.str.14:
	.string	"%s"
	.size	.L.str.14, 3

	.type	.L.str.15,@object               // @.str.15
.L.str.15:
	.string	"cut because it is too long"
	.size	.L.str.15, 27

	.type	.L__const.main.a,@object        // @__const.main.a
	.section	.rodata,"a",@progbits
	.p2align	2, 0x0
.L__const.main.a:
	.word	1                               // 0x1
	.word	2                               // 0x2
	.word	3                               // 0x3
	.size	.L__const.main.a, 12

	.type	.L__const.main.b,@object        // @__const.main.b
	.p2align	2, 0x0
.L__const.main.b:
	.word	4294967292                      // 0xfffffffc
	.word	5                               // 0x5
	.word	6                               // 0x6
	.size	.L__const.main.b, 12

	.type	.L.str.16,@object               // @.str.16
	.section	.rodata.str1.1,"aMS",@progbits,1
.L.str.16:
	.string	"%d:"
	.size	.L.str.16, 4

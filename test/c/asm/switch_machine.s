	.text
	.globl	main                            // -- Begin function main
	.p2align	4
	.type	main,@function
main:                                   // @main
// %bb.0:
	{
		call run
		memd(r29+#-16) = r17:16
		allocframe(#8)
	}                                       // 8-byte Folded Spill
	{
		call printf
		r1:0 = combine(r0,##.L.str)
	}
	{
		r17:16 = combine(##main.probes,#12)
	}
	.p2align	4
.LBB0_1:                                // =>This Inner Loop Header: Depth=1
	{
		call name
		r0 = memw(r17++#4)
	}
	{
		call puts
	}
	{
		r16 = add(r16,#-1)
		if (!cmp.eq(r16.new,#0)) jump:t .LBB0_1
	}
// %bb.2:
	{
		loop0(.LBB0_3,#33)
		r3:2 = combine(#115,#0)
		r1:0 = combine(#0,##.L.str.2+1)
	}
	{
		jump .LBB0_3
	}
	.p2align	4
.LBB0_7:                                //   in Loop: Header=BB0_3 Depth=1
	{
		r2 = !cmp.eq(r3,#32)
	}
.LBB0_8:                                //   in Loop: Header=BB0_3 Depth=1
	{
		nop
		r3 = memub(r0++#1)
	} :endloop0
	{
		jump .LBB0_9
	}
.LBB0_3:                                // Block address taken
                                        // =>This Inner Loop Header: Depth=1
	{
		p0 = cmpb.eq(r3,#34)
		r4 = and(r2,#255)
	}
	{
		r2 = mux(p0,#0,#2)
		p1 = cmp.eq(r4,#2); if (p1.new) jump:t .LBB0_8
	}
// %bb.4:                               //   in Loop: Header=BB0_3 Depth=1
	{
		p1 = cmp.eq(r4,#1); if (p1.new) jump:t .LBB0_7
	}
// %bb.5:                               //   in Loop: Header=BB0_3 Depth=1
	{
		p1 = cmpb.eq(r3,#32)
		r2 = #0
		if (p1.new) jump:t .LBB0_8
	}
// %bb.6:                               //   in Loop: Header=BB0_3 Depth=1
	{
		r1 = add(r1,#1)
		r2 = mux(p0,#2,#1)
		jump .LBB0_8
	}
.LBB0_9:
	{
		call printf
		r0 = ##.L.str.1
	}
	{
		call threaded
		r0 = ##.L.str.4
	}
	{
		call threaded
		r0 = ##.L.str.5
		r16 = r0
	}
	{
		call printf
		r2 = r0
		r1:0 = combine(r16,##.L.str.3)
	}
	{
		r0 = #0
		r17:16 = memd(r29+#0)
		dealloc_return
	}                                       // 8-byte Folded Reload
.Lfunc_end0:
	.size	main, .Lfunc_end0-main
                                        // -- End function
	.p2align	4                               // -- Begin function run
	.type	run,@function
run:                                    // @run
// %bb.0:
	{
		r0 = #0
		r16 = #0
		memd(r29+#-16) = r17:16
		allocframe(#168)
	}                                       // 8-byte Folded Spill
	{
		r18 = add(r29,#0)
		r19 = #0
		r17 = add(r29,#16)
		memd(r29+#152) = r19:18
	}                                       // 8-byte Folded Spill
	{
		r3:2 = combine(#0,#0)
		memd(r29+#144) = r21:20
	}                                       // 8-byte Folded Spill
	{
		jump .LBB1_1
		memd(r29+#8) = r3:2
		memd(r29+#0) = r3:2
	}
.LBB1_6:                                //   in Loop: Header=BB1_1 Depth=1
	{
		r19 = add(r19,#1)
		r0 = memw(r1+#-4)
	}
.LBB1_16:                               //   in Loop: Header=BB1_1 Depth=1
	{
		memw(r1+#0) = r0
	}
	.p2align	4
.LBB1_17:                               //   in Loop: Header=BB1_1 Depth=1
	{
		r0 = r20
		r16 = add(r16,#1)
	}
.LBB1_1:                                // =>This Inner Loop Header: Depth=1
	{
		r20 = add(r0,#1)
		r1 = memw(r0<<#2+##factorial)
	}
	{
		p0 = cmp.gtu(r1,#12); if (p0.new) jump:t .LBB1_17
	}
// %bb.2:                               //   in Loop: Header=BB1_1 Depth=1
	{
		r1 = addasl(r17,r19,#2)
		r2 = r20
		r3 = memw(r1<<#2+##.LJTI1_0)
	}
	{
		r2 = add(##factorial,asl(r2,#2))
		jumpr r3
	}
.LBB1_15:                               //   in Loop: Header=BB1_1 Depth=1
	{
		r20 = add(r0,#2)
		jump .LBB1_16
		r19 = add(r19,#1)
		r0 = memw(r2+#0)
	}
.LBB1_13:                               //   in Loop: Header=BB1_1 Depth=1
	{
		r20 = add(r0,#2)
		r19 = add(r19,#-1)
		r1 = memw(r2+#0)
	}
	{
		jump .LBB1_17
		r2 = memw(r17+r19<<#2)
		memw(r18+r1<<#2) = r2.new
	}
.LBB1_11:                               //   in Loop: Header=BB1_1 Depth=1
	{
		r0 = ##.L.str.6
		r19 = add(r19,#-1)
	}
	{
		call printf
		r1 = memw(r17+r19<<#2)
	}
	{
		jump .LBB1_17
	}
.LBB1_4:                                //   in Loop: Header=BB1_1 Depth=1
	{
		r0 = asl(r19,#2)
		r19 = add(r19,#-1)
	}
	{
		r0 = add(r17,add(r0,#-8))
		r1 = memw(r17+r19<<#2)
	}
	{
		jump .LBB1_17
		memw(r0+#0) -= r1
	}
.LBB1_5:                                //   in Loop: Header=BB1_1 Depth=1
	{
		r19 = add(r19,#-1)
		r0 = memw(r1+#-8)
	}
	{
		r2 = memw(r17+r19<<#2)
	}
	{
		r0 = mpyi(r0,r2)
		jump .LBB1_17
		memw(r1+#-8) = r0.new
	}
.LBB1_9:                                //   in Loop: Header=BB1_1 Depth=1
	{
		r19 = add(r19,#-1)
		jump .LBB1_17
	}
.LBB1_3:                                //   in Loop: Header=BB1_1 Depth=1
	{
		r0 = asl(r19,#2)
		r19 = add(r19,#-1)
	}
	{
		r0 = add(r17,add(r0,#-8))
		r1 = memw(r17+r19<<#2)
	}
	{
		jump .LBB1_17
		memw(r0+#0) += r1
	}
.LBB1_7:                                //   in Loop: Header=BB1_1 Depth=1
	{
		r0 = memw(r1+#-4)
		r2 = memw(r1+#-8)
	}
	{
		jump .LBB1_17
		memw(r1+#-4) = r2
		memw(r1+#-8) = r0
	}
.LBB1_8:                                //   in Loop: Header=BB1_1 Depth=1
	{
		r19 = add(r19,#-1)
	}
	{
		r1 = memw(r17+r19<<#2)
	}
	{
		p0 = cmp.eq(r1,#0)
		if (p0.new) r20 = add(r0,#2)
		jump .LBB1_17
		if (!p0.new) r20 = memw(r2+#0)
	}
.LBB1_12:                               //   in Loop: Header=BB1_1 Depth=1
	{
		r20 = add(r0,#2)
		r19 = add(r19,#1)
		r2 = memw(r2+#0)
	}
	{
		jump .LBB1_16
		r0 = memw(r18+r2<<#2)
	}
.LBB1_10:                               //   in Loop: Header=BB1_1 Depth=1
	{
		r19 = add(r19,#1)
		jump .LBB1_16
		r0 = memw(r1+#-8)
	}
.LBB1_14:
	{
		r0 = r16
		r17:16 = memd(r29+#160)
		r19:18 = memd(r29+#152)
	}                                       // 8-byte Folded Reload
	{
		r21:20 = memd(r29+#144)
		dealloc_return
	}                                       // 8-byte Folded Reload
.Lfunc_end1:
	.size	run, .Lfunc_end1-run
	.section	.rodata,"a",@progbits
	.p2align	2, 0x0
.LJTI1_0:
	.word	.LBB1_15
	.word	.LBB1_3
	.word	.LBB1_4
	.word	.LBB1_5
	.word	.LBB1_6
	.word	.LBB1_7
	.word	.LBB1_8
	.word	.LBB1_9
	.word	.LBB1_10
	.word	.LBB1_11
	.word	.LBB1_12
	.word	.LBB1_13
	.word	.LBB1_14
                                        // -- End function
	.text
	.p2align	4                               // -- Begin function name
	.type	name,@function
name:                                   // @name
// %bb.0:
	{
		r1 = add(r0,#5)
		if (cmp.gtu(r1.new,#11)) jump:nt .LBB2_1
	}
// %bb.10:
	{
		r0 = ##.L.str.7
		r1 = memw(r1<<#2+##.LJTI2_0)
	}
	{
		jumpr r1
	}
.LBB2_4:
	{
		r0 = ##.L.str.9
		jumpr r31
	}
.LBB2_1:
	{
		p0 = cmp.eq(r0,##1000)
		r1:0 = combine(r0,##.L.str.13)
	}
	{
		if (p0) jumpr:nt r31
	}
.LBB2_2:
	{
		p0 = cmp.eq(r1,##1073741824)
		if (p0.new) r0 = ##.L.str.14
	}
	{
		if (p0) jumpr:nt r31
	}
.LBB2_8:
	{
		r0 = ##.L.str.15
	}
.LBB2_9:
	{
		jumpr r31
	}
.LBB2_3:
	{
		r0 = ##.L.str.8
		jumpr r31
	}
.LBB2_5:
	{
		r0 = ##.L.str.10
		jumpr r31
	}
.LBB2_6:
	{
		r0 = ##.L.str.11
		jumpr r31
	}
.LBB2_7:
	{
		r0 = ##.L.str.12
		jumpr r31
	}
.Lfunc_end2:
	.size	name, .Lfunc_end2-name
	.section	.rodata,"a",@progbits
	.p2align	2, 0x0
.LJTI2_0:
	.word	.LBB2_9
	.word	.LBB2_8
	.word	.LBB2_8
	.word	.LBB2_8
	.word	.LBB2_8
	.word	.LBB2_3
	.word	.LBB2_4
	.word	.LBB2_4
	.word	.LBB2_4
	.word	.LBB2_5
	.word	.LBB2_6
	.word	.LBB2_7
                                        // -- End function
	.text
	.p2align	4                               // -- Begin function threaded
	.type	threaded,@function
threaded:                               // @threaded
// %bb.0:
	{
		r1 = memub(r0++#1)
	}
	{
		r1 = #1
		r2 = memw(r1<<#2+##threaded.labels)
	}
	{
		jumpr r2
	}
	.p2align	4
.Ltmp0:                                 // Block address taken
.LBB3_1:                                // =>This Inner Loop Header: Depth=1
	{
		r1 = add(r1,#1)
		r2 = memub(r0++#1)
	}
	{
		r2 = memw(r2<<#2+##threaded.labels)
	}
	{
		jumpr r2
	}
.Ltmp1:                                 // Block address taken
.LBB3_2:                                // =>This Inner Loop Header: Depth=1
	{
		r1 = asl(r1,#1)
		r2 = memub(r0++#1)
	}
	{
		r2 = memw(r2<<#2+##threaded.labels)
	}
	{
		jumpr r2
	}
.Ltmp2:                                 // Block address taken
.LBB3_3:                                // =>This Inner Loop Header: Depth=1
	{
		r1 = mpyi(r1,r1)
		r2 = memub(r0++#1)
	}
	{
		r2 = memw(r2<<#2+##threaded.labels)
	}
	{
		jumpr r2
	}
.Ltmp3:                                 // Block address taken
.LBB3_4:                                // =>This Inner Loop Header: Depth=1
	{
		r1 = add(r1,#-7)
		r2 = memub(r0++#1)
	}
	{
		r2 = memw(r2<<#2+##threaded.labels)
	}
	{
		jumpr r2
	}
.Ltmp4:                                 // Block address taken
.LBB3_5:
	{
		r0 = r1
		jumpr r31
	}
.Lfunc_end3:
	.size	threaded, .Lfunc_end3-threaded
                                        // -- End function
	.type	.L.str,@object                  // @.str
	.section	.rodata.str1.1,"aMS",@progbits,1
.L.str:
	.string	"%d steps\n"
	.size	.L.str, 10

	.type	factorial,@object               // @factorial
	.section	.rodata,"a",@progbits
	.p2align	3, 0x0
factorial:
	.word	0                               // 0x0
	.word	1                               // 0x1
	.word	11                              // 0xb
	.word	0                               // 0x0
	.word	0                               // 0x0
	.word	10                              // 0xa
	.word	4                               // 0x4
	.word	10                              // 0xa
	.word	0                               // 0x0
	.word	3                               // 0x3
	.word	11                              // 0xb
	.word	0                               // 0x0
	.word	0                               // 0x0
	.word	1                               // 0x1
	.word	2                               // 0x2
	.word	4                               // 0x4
	.word	6                               // 0x6
	.word	6                               // 0x6
	.word	7                               // 0x7
	.word	10                              // 0xa
	.word	0                               // 0x0
	.word	9                               // 0x9
	.word	12                              // 0xc
	.size	factorial, 92

	.type	main.probes,@object             // @main.probes
	.p2align	3, 0x0
main.probes:
	.word	4294967291                      // 0xfffffffb
	.word	4294967292                      // 0xfffffffc
	.word	0                               // 0x0
	.word	1                               // 0x1
	.word	3                               // 0x3
	.word	4                               // 0x4
	.word	5                               // 0x5
	.word	6                               // 0x6
	.word	7                               // 0x7
	.word	999                             // 0x3e7
	.word	1000                            // 0x3e8
	.word	1073741824                      // 0x40000000
	.size	main.probes, 48

	.type	.L.str.1,@object                // @.str.1
	.section	.rodata.str1.1,"aMS",@progbits,1
.L.str.1:
	.string	"%u\n"
	.size	.L.str.1, 4

	.type	.L.str.2,@object                // @.str.2
.L.str.2:
	.string	"say \"hello there\" to  the machine"
	.size	.L.str.2, 34

	.type	.L.str.3,@object                // @.str.3
.L.str.3:
	.string	"%d %d\n"
	.size	.L.str.3, 7

	.type	.L.str.4,@object                // @.str.4
	.section	.rodata.cst8,"aM",@progbits,8
.L.str.4:
	.string	"\000\001\002\000\001\003\004"
	.size	.L.str.4, 8

	.type	.L.str.5,@object                // @.str.5
	.section	.rodata.str1.1,"aMS",@progbits,1
.L.str.5:
	.string	"\002\001\001\003\002\004"
	.size	.L.str.5, 7

	.type	.L.str.6,@object                // @.str.6
.L.str.6:
	.string	"%d\n"
	.size	.L.str.6, 4

	.type	.L.str.7,@object                // @.str.7
.L.str.7:
	.string	"minus five"
	.size	.L.str.7, 11

	.type	.L.str.8,@object                // @.str.8
.L.str.8:
	.string	"nothing"
	.size	.L.str.8, 8

	.type	.L.str.9,@object                // @.str.9
.L.str.9:
	.string	"few"
	.size	.L.str.9, 4

	.type	.L.str.10,@object               // @.str.10
.L.str.10:
	.string	"four"
	.size	.L.str.10, 5

	.type	.L.str.11,@object               // @.str.11
.L.str.11:
	.string	"five"
	.size	.L.str.11, 5

	.type	.L.str.12,@object               // @.str.12
.L.str.12:
	.string	"six"
	.size	.L.str.12, 4

	.type	.L.str.13,@object               // @.str.13
.L.str.13:
	.string	"thousand"
	.size	.L.str.13, 9

	.type	.L.str.14,@object               // @.str.14
.L.str.14:
	.string	"huge"
	.size	.L.str.14, 5

	.type	.L.str.15,@object               // @.str.15
.L.str.15:
	.string	"other"
	.size	.L.str.15, 6

	.type	threaded.labels,@object         // @threaded.labels
	.section	.rodata,"a",@progbits
	.p2align	3, 0x0
threaded.labels:
	.word	.Ltmp0
	.word	.Ltmp1
	.word	.Ltmp2
	.word	.Ltmp3
	.word	.Ltmp4
	.size	threaded.labels, 20

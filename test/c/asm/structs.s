	.text
	.p2align	4                               // -- Begin function later
	.type	later,@function
later:                                  // @later
// %bb.0:
	{
		r0 = ##.L.str
		r1 = memw(##ordered)
	}
	{
		r2 = #2
		r1 = add(r1,#1)
		memw(r1<<#2+##order) = r2.new
	}
	{
		jump puts
		memw(##ordered) = r1
	}
.Lfunc_end0:
	.size	later, .Lfunc_end0-later
                                        // -- End function
	.p2align	4                               // -- Begin function sooner
	.type	sooner,@function
sooner:                                 // @sooner
// %bb.0:
	{
		r0 = ##.L.str.1
		r1 = memw(##ordered)
	}
	{
		r2 = #1
		r1 = add(r1,#1)
		memw(r1<<#2+##order) = r2.new
	}
	{
		jump puts
		memw(##ordered) = r1
	}
.Lfunc_end1:
	.size	sooner, .Lfunc_end1-sooner
                                        // -- End function
	.p2align	4                               // -- Begin function last
	.type	last,@function
last:                                   // @last
// %bb.0:
	{
		r0 = ##.L.str.2
		r1 = memw(##ordered)
	}
	{
		r2 = #3
		r1 = add(r1,#1)
		memw(r1<<#2+##order) = r2.new
	}
	{
		jump puts
		memw(##ordered) = r1
	}
.Lfunc_end2:
	.size	last, .Lfunc_end2-last
                                        // -- End function
	.globl	main                            // -- Begin function main
	.p2align	4
	.type	main,@function
main:                                   // @main
// %bb.0:
	{
		memd(r29+#-16) = r17:16
		allocframe(r29,#264):raw
	}                                       // 8-byte Folded Spill
	{
		memd(r29+#248) = r19:18
		memd(r29+#240) = r21:20
	}                                       // 8-byte Folded Spill
	{
		memd(r29+#232) = r23:22
		memd(r29+#224) = r25:24
	}                                       // 8-byte Folded Spill
	{
		r5:4 = memd(##order)
		r3 = memw(##order+8)
	}
	{
		call printf
		r1:0 = combine(r4,##.L.str.3)
		r2 = r5
	}
	{
		call move
		r1:0 = combine(#4,#3)
		r3:2 = combine(#-10,#10)
	}
	{
		r17:16 = combine(r1,r0)
	}
	{
		call printf
		r1:0 = combine(r16,##.L.str.4)
		r2 = r17
	}
	{
		r19:18 = combine(#0,#6)
		r21:20 = combine(#5,#4)
		r3:2 = combine(r17,r16)
		r0 = add(r29,#32)
	}
	{
		r22 = ##-1294967296
		r23 = #0
	}
	{
		r24 = ##131073
		r25 = #0
		memd(r29+#24) = r19:18
	}
	{
		r16 = #0
		memd(r29+#16) = r21:20
		memd(r29+#8) = r23:22
	}
	{
		call mix
		memd(r29+#0) = r25:24
	}
	{
		r1 = memh(r29+#32)
		memw(r29+#12) = #32
	}
	{
		r0 = memw(r29+#56)
		memw(r29+#8) = r0.new
	}
	{
		r0 = ##.L.str.5
		r6 = memw(r29+#52)
		r2 = memub(r29+#34)
	}
	{
		r5:4 = memd(r29+#40)
		memw(r29+#4) = r6
	}
	{
		call printf
		r3 = memw(r29+#48)
		memw(r29+#0) = r3.new
	}
	{
		r1:0 = memd(r29+#32)
		r7:6 = memd(r29+#40)
	}
	{
		r5:4 = memd(r29+#48)
		memd(r29+#0) = r1:0
	}
	{
		r3:2 = memd(r29+#56)
		memd(r29+#8) = r7:6
	}
	{
		call many
		memd(r29+#16) = r5:4
		memd(r29+#24) = r3:2
	}
	{
		call printf
		r3:2 = combine(r1,r0)
		r0 = ##.L.str.6
	}
	{
		loop0(.LBB3_1,#5)
		r1 = #0
		r0 = add(r29,#64)
	}
	{
		r0 = add(r0,#16)
	}
	.p2align	4
.LBB3_1:                                // Block address taken
                                        // =>This Inner Loop Header: Depth=1
	{
		r5:4 = asl(r23:22,r1)
		r2 = add(r1,#-3)
		memd(r0+#-8) = r23:22
		memd(r0+#8) = r19:18
	}
	{
		r2 = minu(r1,r2)
		r1 = add(r1,#1)
		memd(r0+#0) = r21:20
		memd(r0+#-16) = r25:24
	}
	{
		memd(r0+#-8) = r5:4
	}
	{
		r16 = add(r16,#-1)
		r0 = add(r0,#32)
		memw(r0+r2<<#2) = r16
	} :endloop0
// %bb.2:
	{
		call sum
		r0 = add(r29,#64)
	}
	{
		call printf
		r3:2 = combine(r1,r0)
		r0 = ##.L.str.6
	}
	{
		r0 = ##.L.str.7
		r1 = #239
		r2 = #137
	}
	{
		call printf
		r3 = #-12817
		r4 = #-30293
	}
	{
		r16 = ##first
		r0 = ##table+8
	}
	{
		memw(r0+#0) += #5
	}
	.p2align	4
.LBB3_3:                                // =>This Inner Loop Header: Depth=1
	{
		r0 = ##.L.str.8
		r2 = memw(r16+#8)
		r1 = memw(r16+#4)
	}
	{
		call printf
		r2 = memw(r2+#0)
	}
	{
		r16 = memw(r16+#0)
		if (!cmp.eq(r16.new,#0)) jump:t .LBB3_3
	}
// %bb.4:
	{
		r0 = ##.L.str.9
		r1 = memw(##table+8)
	}
	{
		call printf
		r2 = ##.L.str.16
		r19 = #0
	}
	{
		r20 = ##grid
		r16 = #0
	}
	.p2align	4
.LBB3_5:                                // =>This Loop Header: Depth=1
                                        //     Child Loop BB3_6 Depth 2
	{
		r18 = #0
		r21 = r20
		r17 = r19
	}
	.p2align	4
.LBB3_6:                                //   Parent Loop BB3_5 Depth=1
                                        // =>  This Inner Loop Header: Depth=2
	{
		call move
		r1:0 = combine(r17,r16)
		r3:2 = combine(r18,r17)
		r17 = add(r17,#1)
	}
	{
		r18 = add(r18,r16)
		p0 = cmp.eq(r17,#4); if (!p0.new) jump:t .LBB3_6
		memd(r21++#8) = r1:0
	}
// %bb.7:                               //   in Loop: Header=BB3_5 Depth=1
	{
		r20 = add(r20,#32)
		r16 = add(r16,#1)
		if (!cmp.eq(r16.new,#3)) jump:t .LBB3_5
	}
// %bb.8:
	{
		loop1(.LBB3_9,#3)
		r1:0 = combine(#0,##grid+4)
	}
	.p2align	4
.LBB3_9:                                // Block address taken
                                        // =>This Loop Header: Depth=1
                                        //     Child Loop BB3_10 Depth 2
	{
		loop0(.LBB3_10,#3)
		r2 = memw(r0+#-4)
		r3 = memw(r0+#0)
	}
	{
		r2 += mpyi(r1,#3)
		r1 = add(r0,#8)
	}
	.p2align	4
.LBB3_10:                               //   Parent Loop BB3_9 Depth=1
                                        // =>  This Inner Loop Header: Depth=2
	{
		r4 = sub(r2,r3)
		r1 = add(r1,#8)
		r2 = memw(r1+#-4)
		r3 = memw(r1+#0)
	}
	{
		r2 += mpyi(r4,#3)
		nop
	} :endloop0
// %bb.11:                              //   in Loop: Header=BB3_9 Depth=1
	{
		r1 = sub(r2,r3)
		r0 = add(r0,#32)
		nop
	} :endloop1
// %bb.12:
	{
		call printf
		r0 = ##.L.str.10
	}
	{
		r0 = #17
		r17:16 = memd(r29+#256)
		r19:18 = memd(r29+#248)
	}                                       // 8-byte Folded Reload
	{
		r21:20 = memd(r29+#240)
		r23:22 = memd(r29+#232)
	}                                       // 8-byte Folded Reload
	{
		r25:24 = memd(r29+#224)
		r31:30 = dealloc_return(r30):raw
	}                                       // 8-byte Folded Reload
.Lfunc_end3:
	.size	main, .Lfunc_end3-main
                                        // -- End function
	.p2align	4                               // -- Begin function move
	.type	move,@function
move:                                   // @move
// %bb.0:
	{
		r0 = add(r2,r0)
		jumpr r31
		r1 = add(r3,r1)
	}
.Lfunc_end4:
	.size	move, .Lfunc_end4-move
                                        // -- End function
	.p2align	4                               // -- Begin function mix
	.type	mix,@function
mix:                                    // @mix
// %bb.0:
	{
		r1 = asr(r3,#31)
		r5:4 = memd(r29+#8)
		memb(r29+#2) = #81
	}
	{
		memh(r29+#0) += r2
	}
	{
		r7:6 = mpyu(r4,r3)
		r9:8 = memd(r29+#0)
		memw(r29+#20) -= r2
	}
	{
		r7 += mpyi(r4,r1)
		memd(r0+#0) = r9:8
	}
	{
		r7 += mpyi(r3,r5)
		r3:2 = memd(r29+#24)
	}
	{
		memd(r29+#8) = r7:6
		memd(r0+#8) = r7:6
	}
	{
		r7:6 = memd(r29+#16)
		memd(r0+#24) = r3:2
	}
	{
		jumpr r31
		memd(r0+#16) = r7:6
	}
.Lfunc_end5:
	.size	mix, .Lfunc_end5-mix
                                        // -- End function
	.p2align	4                               // -- Begin function many
	.type	many,@function
many:                                   // @many
// %bb.0:
	{
		r2 = #17
		r4 = #344
		r3 = memw(r29+#24)
		r1:0 = memd(r29+#8)
	}
	{
		r5 = #0
	}
	{
		r7:6 = mpyu(r0,r2)
		r2 = +mpyi(r3,#19)
	}
	{
		r7 += mpyi(r1,#17)
	}
	{
		r1:0 = add(r3:2,r7:6):raw:lo
	}
	{
		r1:0 = add(r1:0,r5:4)
		jumpr r31
	}
.Lfunc_end6:
	.size	many, .Lfunc_end6-many
                                        // -- End function
	.p2align	4                               // -- Begin function sum
	.type	sum,@function
sum:                                    // @sum
// %bb.0:
	{
		loop0(.LBB7_1,#4)
		r3:2 = combine(#0,#0)
		r1 = memh(r0+#0)
		r5:4 = memd(r0+#8)
	}
	{
		r5:4 = add(r5:4,r3:2)
		r6 = memub(r0+#2)
		r3:2 = memd(r0+#16)
	}
	{
		r1 = add(r6,r1)
	}
	{
		r5:4 = add(r1:0,r5:4):raw:hi
		r1 = add(r0,#32)
	}
	{
		r5:4 = add(r3:2,r5:4):raw:lo
	}
	.p2align	4
.LBB7_1:                                // =>This Inner Loop Header: Depth=1
	{
		r3:2 = add(r3:2,r5:4):raw:hi
		r6 = r0
		r0 = r1
	}
	{
		r1 = memw(r6+#24)
		r6 = memh(r0+#0)
	}
	{
		r3:2 = add(r1:0,r3:2):raw:hi
		r5:4 = memd(r0+#8)
		r7 = memub(r0+#2)
	}
	{
		r5:4 = add(r5:4,r3:2)
		r1 = add(r7,r6)
		r3:2 = memd(r0+#16)
	}
	{
		r5:4 = add(r1:0,r5:4):raw:hi
		r1 = add(r0,#32)
	}
	{
		r5:4 = add(r3:2,r5:4):raw:lo
		nop
	} :endloop0
// %bb.2:
	{
		r3:2 = add(r3:2,r5:4):raw:hi
		r0 = memw(r0+#24)
	}
	{
		r1:0 = add(r1:0,r3:2):raw:lo
		jumpr r31
	}
.Lfunc_end7:
	.size	sum, .Lfunc_end7-sum
                                        // -- End function
	.type	order,@object                   // @order
	.lcomm	order,12,8
	.type	ordered,@object                 // @ordered
	.lcomm	ordered,4,4
	.type	.L.str,@object                  // @.str
	.section	.rodata.str1.1,"aMS",@progbits,1
.L.str:
	.string	"later"
	.size	.L.str, 6

	.type	.L.str.1,@object                // @.str.1
.L.str.1:
	.string	"sooner"
	.size	.L.str.1, 7

	.type	.L.str.2,@object                // @.str.2
.L.str.2:
	.string	"last"
	.size	.L.str.2, 5

	.type	.L.str.3,@object                // @.str.3
.L.str.3:
	.string	"%d%d%d\n"
	.size	.L.str.3, 8

	.type	.L.str.4,@object                // @.str.4
.L.str.4:
	.string	"%d %d\n"
	.size	.L.str.4, 7

	.type	.L__const.main.m,@object        // @__const.main.m
	.section	.rodata.cst32,"aM",@progbits,32
	.p2align	3, 0x0
.L__const.main.m:
	.half	1                               // 0x1
	.byte	2                               // 0x2
	.space	5
	.word	3000000000                      // 0xb2d05e00
	.word	0
	.word	4                               // 0x4
	.word	5                               // 0x5
	.word	6                               // 0x6
	.space	4
	.size	.L__const.main.m, 32

	.type	.L.str.5,@object                // @.str.5
	.section	.rodata.str1.1,"aMS",@progbits,1
.L.str.5:
	.string	"%d %c %lld %d %d %d %zu\n"
	.size	.L.str.5, 25

	.type	.L.str.6,@object                // @.str.6
.L.str.6:
	.string	"%lld\n"
	.size	.L.str.6, 6

	.type	.L.str.7,@object                // @.str.7
.L.str.7:
	.string	"%x %x %d %d\n"
	.size	.L.str.7, 13

	.type	table,@object                   // @table
	.data
	.p2align	3, 0x0
table:
	.word	10                              // 0xa
	.word	20                              // 0x14
	.word	30                              // 0x1e
	.word	40                              // 0x28
	.size	table, 16

	.type	first,@object                   // @first
	.section	.rodata,"a",@progbits
	.p2align	2, 0x0
first:
	.word	second
	.word	.L.str.11
	.word	table
	.size	first, 12

	.type	.L.str.8,@object                // @.str.8
	.section	.rodata.str1.1,"aMS",@progbits,1
.L.str.8:
	.string	"%s %d "
	.size	.L.str.8, 7

	.type	.L.str.9,@object                // @.str.9
.L.str.9:
	.string	"%d %s\n"
	.size	.L.str.9, 7

	.type	grid,@object                    // @grid
	.lcomm	grid,96,8
	.type	.L.str.10,@object               // @.str.10
.L.str.10:
	.string	"%d\n"
	.size	.L.str.10, 4

	.type	second,@object                  // @second
	.section	.rodata,"a",@progbits
	.p2align	2, 0x0
second:
	.word	third
	.word	.L.str.12
	.word	table+4
	.size	second, 12

	.type	.L.str.11,@object               // @.str.11
	.section	.rodata.str1.1,"aMS",@progbits,1
.L.str.11:
	.string	"first"
	.size	.L.str.11, 6

	.type	third,@object                   // @third
	.section	.rodata,"a",@progbits
	.p2align	2, 0x0
third:
	.word	0
	.word	.L.str.13
	.word	table+12
	.size	third, 12

	.type	.L.str.12,@object               // @.str.12
	.section	.rodata.str1.1,"aMS",@progbits,1
.L.str.12:
	.string	"second"
	.size	.L.str.12, 7

	.type	.L.str.13,@object               // @.str.13
.L.str.13:
	.string	"third"
	.size	.L.str.13, 6

	.type	.L.str.16,@object               // @.str.16
.L.str.16:
	.string	"two"
	.size	.L.str.16, 4

	.section	.init_array.101,"aw",@init_array
	.p2align	2, 0x0
	.word	sooner
	.section	.init_array.200,"aw",@init_array
	.p2align	2, 0x0
	.word	later
	.section	.init_array,"aw",@init_array
	.p2align	2, 0x0
	.word	last

	.text
	.globl	main                            // -- Begin function main
	.p2align	4
	.type	main,@function
main:                                   // @main
// %bb.0:
	{
		r0 = ##farewell
		memd(r29+#-16) = r17:16
		allocframe(#48)
	}                                       // 8-byte Folded Spill
	{
		call atexit
		memd(r29+#32) = r19:18
		memd(r29+#24) = r21:20
	}                                       // 8-byte Folded Spill
	{
		call atoi
		r0 = ##.L.str.7
	}
	{
		call atoi
		r0 = ##.L.str.8
		r16 = r0
	}
	{
		call printf
		r3:2 = combine(#77,r0)
		r1:0 = combine(r16,##.L.str.6)
	}
	{
		r0 = ##.L.str.10
		r1 = ##2147483647
	}
	{
		r3:2 = combine(#-1,##-1295)
		r4 = ##.L.str.12+3
	}
	{
		call printf
	}
	{
		r3 = ##-2147483648
		r2 = #0
	}
	{
		r0 = ##.L.str.14
		r5:4 = combine(#-1,#-1)
	}
	{
		call printf
		memw(r29+#20) = ##.L.str.16+18
	}
	{
		call strtol
		r1:0 = combine(#0,##.L.str.18)
		r2 = #10
	}
	{
		r1:0 = combine(#0,##.L.str.19)
		r2 = #10
		r16 = r0
	}
	{
		call strtol
	}
	{
		call printf
		r2 = r0
		r1:0 = combine(r16,##.L.str.17)
	}
	{
		call strtod
		r0 = ##.L.str.20
		r1 = add(r29,#20)
	}
	{
		r17:16 = combine(r1,r0)
		r0 = ##.L.str.22
		r18 = memw(r29+#20)
	}
	{
		call atof
	}
	{
		call strtod
		r21:20 = combine(r1,r0)
		r1:0 = combine(#0,##.L.str.23)
	}
	{
		r3:2 = combine(r17,r16)
		r0 = ##.L.str.21
		memd(r29+#8) = r1:0
	}
	{
		call printf
		r4 = r18
		memd(r29+#0) = r21:20
	}
	{
		r1:0 = combine(#5,##.L.str.24)
		r2 = #6
		r16 = #6
	}
	{
		call printf
		r17 = ##main.lines
	}
	.p2align	4
.LBB0_1:                                // =>This Inner Loop Header: Depth=1
	{
		r0 = ##.L.str.25
		r1 = memw(r17++#4)
	}
	{
		call printf
		memw(##at) = r1
	}
	{
		call expression
	}
	{
		call printf
		r1:0 = combine(r0,##.L.str.26)
	}
	{
		r16 = add(r16,#-1)
		if (!cmp.eq(r16.new,#0)) jump:t .LBB0_1
	}
// %bb.2:
	{
		r0 = #0
		r17:16 = memd(r29+#40)
		r19:18 = memd(r29+#32)
	}                                       // 8-byte Folded Reload
	{
		r21:20 = memd(r29+#24)
		dealloc_return
	}                                       // 8-byte Folded Reload
.Lfunc_end0:
	.size	main, .Lfunc_end0-main
                                        // -- End function
	.p2align	4                               // -- Begin function farewell
	.type	farewell,@function
farewell:                               // @farewell
// %bb.0:
	{
		r0 = ##.L.str.27
		jump puts
	}
.Lfunc_end1:
	.size	farewell, .Lfunc_end1-farewell
                                        // -- End function
	.p2align	4                               // -- Begin function expression
	.type	expression,@function
expression:                             // @expression
// %bb.0:
	{
		memd(r29+#-16) = r17:16
		allocframe(#40)
	}                                       // 8-byte Folded Spill
	{
		call atom
		memd(r29+#24) = r19:18
		memd(r29+#16) = r21:20
	}                                       // 8-byte Folded Spill
	{
		r16 = r0 ; jump .LBB2_1
		r1 = memw(r18=##at)
	}
	.p2align	4
.LBB2_43:                               //   in Loop: Header=BB2_1 Depth=1
	{
		r1 = add(r1,#1)
		memw(r18+#0) = r1.new
	}
.LBB2_1:                                // =>This Inner Loop Header: Depth=1
	{
		r19 = memub(r1+#0)
	}
	{
		r0 = add(r19,#-9)
		if (!cmp.gtu(r0.new,#4)) jump:t .LBB2_43
	}
// %bb.2:                               //   in Loop: Header=BB2_1 Depth=1
	{
		p0 = cmpb.eq(r19,#32)
		if (p0.new) jump:t .LBB2_43
	}
// %bb.3:
	{
		r17 = #1057
	}
.LBB2_4:                                // =>This Loop Header: Depth=1
                                        //     Child Loop BB2_12 Depth 2
	{
		r0 = add(r1,#1)
		r2 = add(r19,#-37)
		if (cmp.gtu(r2.new,#10)) jump:t .LBB2_17
	}
// %bb.5:                               //   in Loop: Header=BB2_4 Depth=1
	{
		p0 = tstbit(r17,r2)
		if (!p0.new) jump:t .LBB2_17
	}
// %bb.6:                               //   in Loop: Header=BB2_4 Depth=1
	{
		call atom
		memw(r18+#0) = r0
	}
	{
		r0 = mpyi(r0,r16)
		p0 = cmpb.eq(r19,#42)
		r1 = r0
		if (p0.new) jump:t .LBB2_11
	}
// %bb.7:                               //   in Loop: Header=BB2_4 Depth=1
	{
		r0 = #0
		p0 = cmp.eq(r1,#0); if (p0.new) jump:nt .LBB2_11
	}
// %bb.8:                               //   in Loop: Header=BB2_4 Depth=1
	{
		p0 = cmpb.eq(r19,#47)
		r0 = r16
		if (!p0.new) jump:t .LBB2_10
	}
// %bb.9:                               //   in Loop: Header=BB2_4 Depth=1
	{
		call __hexagon_divsi3
	}
	{
		jump .LBB2_11
	}
.LBB2_10:                               //   in Loop: Header=BB2_4 Depth=1
	{
		call __hexagon_modsi3
	}
.LBB2_11:                               //   in Loop: Header=BB2_4 Depth=1
	{
		jump .LBB2_12
		r1 = memw(r18+#0)
	}
.LBB2_15:                               //   in Loop: Header=BB2_12 Depth=2
	{
		r1 = add(r1,#1)
		memw(r18+#0) = r1.new
	}
.LBB2_12:                               //   Parent Loop BB2_4 Depth=1
                                        // =>  This Inner Loop Header: Depth=2
	{
		r19 = memub(r1+#0)
	}
	{
		r2 = add(r19,#-9)
		if (!cmp.gtu(r2.new,#4)) jump:t .LBB2_15
	}
// %bb.13:                              //   in Loop: Header=BB2_12 Depth=2
	{
		p0 = cmpb.eq(r19,#32)
		if (p0.new) jump:t .LBB2_15
	}
// %bb.14:                              //   in Loop: Header=BB2_4 Depth=1
	{
		r16 = r0 ; jump .LBB2_4
	}
	.p2align	4
.LBB2_16:                               //   in Loop: Header=BB2_17 Depth=1
	{
		memw(r18+#0) = r0
		r19 = memub(r0++#1)

	} :mem_noshuf
.LBB2_17:                               // =>This Inner Loop Header: Depth=1
	{
		r1 = add(r19,#-9)
		if (!cmp.gtu(r1.new,#4)) jump:t .LBB2_16
	}
// %bb.18:                              //   in Loop: Header=BB2_17 Depth=1
	{
		p0 = cmpb.eq(r19,#32)
		if (p0.new) jump:t .LBB2_16
	}
// %bb.19:
	{
		r20 = #1057
	}
	.p2align	4
.LBB2_21:                               // =>This Loop Header: Depth=1
                                        //     Child Loop BB2_24 Depth 2
                                        //     Child Loop BB2_27 Depth 2
                                        //       Child Loop BB2_35 Depth 3
                                        //     Child Loop BB2_39 Depth 2
	{
		p0 = cmpb.eq(r19,#45)
		p1 = cmpb.eq(r19,#43)
		if (p0.new) jump:nt .LBB2_23
	}
// %bb.22:                              //   in Loop: Header=BB2_21 Depth=1
	{
		if (!p1) jump:nt .LBB2_42
	}
.LBB2_23:                               //   in Loop: Header=BB2_21 Depth=1
	{
		r1 = p1
		memw(r29+#4) = r1.new
	}                                       // 4-byte Folded Spill
	{
		call atom
		memw(r18+#0) = r0
	}
	{
		r17 = r0 ; jump .LBB2_24
		r1 = memw(r18+#0)
	}
	.p2align	4
.LBB2_44:                               //   in Loop: Header=BB2_24 Depth=2
	{
		r1 = add(r1,#1)
		memw(r18+#0) = r1.new
	}
.LBB2_24:                               //   Parent Loop BB2_21 Depth=1
                                        // =>  This Inner Loop Header: Depth=2
	{
		r19 = memub(r1+#0)
	}
	{
		r0 = add(r19,#-9)
		if (!cmp.gtu(r0.new,#4)) jump:t .LBB2_44
	}
// %bb.25:                              //   in Loop: Header=BB2_24 Depth=2
	{
		p0 = cmpb.eq(r19,#32)
		if (p0.new) jump:t .LBB2_44
	}
// %bb.26:                              //   in Loop: Header=BB2_21 Depth=1
	{
		r0 = memw(r29+#4)
	}                                       // 4-byte Folded Reload
	{
		p1 = r0
	}
.LBB2_27:                               //   Parent Loop BB2_21 Depth=1
                                        // =>  This Loop Header: Depth=2
                                        //       Child Loop BB2_35 Depth 3
	{
		r0 = add(r1,#1)
		r2 = add(r19,#-37)
		if (cmp.gtu(r2.new,#10)) jump:t .LBB2_39
	}
// %bb.28:                              //   in Loop: Header=BB2_27 Depth=2
	{
		p0 = tstbit(r20,r2)
		if (!p0.new) jump:t .LBB2_39
	}
// %bb.29:                              //   in Loop: Header=BB2_27 Depth=2
	{
		call atom
		memw(r18+#0) = r0
	}
	{
		r0 = mpyi(r0,r17)
		p0 = cmpb.eq(r19,#42)
		r1 = r0
		if (p0.new) jump:t .LBB2_34
	}
// %bb.30:                              //   in Loop: Header=BB2_27 Depth=2
	{
		r0 = #0
		p0 = cmp.eq(r1,#0); if (p0.new) jump:nt .LBB2_34
	}
// %bb.31:                              //   in Loop: Header=BB2_27 Depth=2
	{
		p0 = cmpb.eq(r19,#47)
		r0 = r17
		if (!p0.new) jump:t .LBB2_33
	}
// %bb.32:                              //   in Loop: Header=BB2_27 Depth=2
	{
		call __hexagon_divsi3
	}
	{
		jump .LBB2_34
	}
.LBB2_33:                               //   in Loop: Header=BB2_27 Depth=2
	{
		call __hexagon_modsi3
	}
.LBB2_34:                               //   in Loop: Header=BB2_27 Depth=2
	{
		r1 = memw(r18+#0)
		r2 = memw(r29+#4)
	}                                       // 4-byte Folded Reload
	{
		p1 = r2
		jump .LBB2_35
	}
	.p2align	4
.LBB2_38:                               //   in Loop: Header=BB2_35 Depth=3
	{
		r1 = add(r1,#1)
		memw(r18+#0) = r1.new
	}
.LBB2_35:                               //   Parent Loop BB2_21 Depth=1
                                        //     Parent Loop BB2_27 Depth=2
                                        // =>    This Inner Loop Header: Depth=3
	{
		r19 = memub(r1+#0)
	}
	{
		r2 = add(r19,#-9)
		if (!cmp.gtu(r2.new,#4)) jump:t .LBB2_38
	}
// %bb.36:                              //   in Loop: Header=BB2_35 Depth=3
	{
		p0 = cmpb.eq(r19,#32)
		if (p0.new) jump:t .LBB2_38
	}
// %bb.37:                              //   in Loop: Header=BB2_27 Depth=2
	{
		r17 = r0 ; jump .LBB2_27
	}
	.p2align	4
.LBB2_41:                               //   in Loop: Header=BB2_39 Depth=2
	{
		memw(r18+#0) = r0
		r19 = memub(r0++#1)

	} :mem_noshuf
.LBB2_39:                               //   Parent Loop BB2_21 Depth=1
                                        // =>  This Inner Loop Header: Depth=2
	{
		r1 = add(r19,#-9)
		if (!cmp.gtu(r1.new,#4)) jump:t .LBB2_41
	}
// %bb.40:                              //   in Loop: Header=BB2_39 Depth=2
	{
		p0 = cmpb.eq(r19,#32)
		if (p0.new) jump:t .LBB2_41
	}
// %bb.20:                              //   in Loop: Header=BB2_21 Depth=1
	{
		r1 = sub(#0,r17)
	}
	{
		if (!p1) r17 = add(r1,#0)
	}
	{
		r16 = add(r17,r16)
		jump .LBB2_21
	}
.LBB2_42:
	{
		r0 = r16
		r17:16 = memd(r29+#32)
		r19:18 = memd(r29+#24)
	}                                       // 8-byte Folded Reload
	{
		r21:20 = memd(r29+#16)
		dealloc_return
	}                                       // 8-byte Folded Reload
.Lfunc_end2:
	.size	expression, .Lfunc_end2-expression
                                        // -- End function
	.p2align	4                               // -- Begin function atom
	.type	atom,@function
atom:                                   // @atom
// %bb.0:
	{
		memd(r29+#-16) = r17:16
		allocframe(#16)
	}                                       // 8-byte Folded Spill
	{
		r0 = memw(r16=##at)
	}
	{
		r1 = r0 ; jump .LBB3_1
	}
	.p2align	4
.LBB3_6:                                //   in Loop: Header=BB3_1 Depth=1
	{
		r0 = r1
		memw(r16+#0) = r1
	}
.LBB3_1:                                // =>This Inner Loop Header: Depth=1
	{
		r2 = memub(r1++#1)
	}
	{
		r3 = add(r2,#-9)
		if (!cmp.gtu(r3.new,#4)) jump:t .LBB3_6
	}
// %bb.2:                               //   in Loop: Header=BB3_1 Depth=1
	{
		p0 = cmpb.eq(r2,#32)
		if (p0.new) jump:t .LBB3_6
	}
// %bb.3:
	{
		p0 = cmpb.eq(r2,#40)
		if (p0.new) jump:nt .LBB3_7
	}
// %bb.4:
	{
		p0 = cmpb.eq(r2,#45)
		if (!p0.new) jump:nt .LBB3_13
	}
// %bb.5:
	{
		call atom
		memw(r16+#0) = r1
	}
	{
		r0 = sub(#0,r0)
		r17:16 = memd(r29+#8)
		dealloc_return
	}                                       // 8-byte Folded Reload
.LBB3_7:
	{
		call expression
		memw(r16+#0) = r1
	}
	{
		jump .LBB3_8
		r1 = memw(r16+#0)
	}
	.p2align	4
.LBB3_15:                               //   in Loop: Header=BB3_8 Depth=1
	{
		memw(r16+#0) = r1
	}
.LBB3_8:                                // =>This Inner Loop Header: Depth=1
	{
		r2 = memub(r1++#1)
	}
	{
		r3 = add(r2,#-9)
		if (!cmp.gtu(r3.new,#4)) jump:t .LBB3_15
	}
// %bb.9:                               //   in Loop: Header=BB3_8 Depth=1
	{
		p0 = cmpb.eq(r2,#32)
		if (p0.new) jump:t .LBB3_15
	}
// %bb.10:
	{
		p0 = cmpb.eq(r2,#41)
		r17:16 = memd(r29+#8)
		if (p0.new) memw(r16+#0) = r1
	}                                       // 8-byte Folded Reload
	{
		r31:30 = dealloc_return(r30):raw
	}
.LBB3_13:
	{
		call strtol
		r2 = #0
		r1 = add(r29,#4)
	}
	{
		r1 = memw(r29+#4)
	}
	{
		r2 = memw(r16+#0)
		if (cmp.eq(r2.new,r1)) jump:nt .LBB3_14
	}
// %bb.11:
	{
		r17:16 = memd(r29+#8)
		memw(r16+#0) = r1
	}                                       // 8-byte Folded Reload
	{
		r31:30 = dealloc_return(r30):raw
	}
.LBB3_14:
	{
		call printf
		r0 = ##.L.str.28
		r1 = memub(r2+#0)
	}
	{
		call exit
		r0 = #3
	}
.Lfunc_end3:
	.size	atom, .Lfunc_end3-atom
                                        // -- End function
	.type	main.lines,@object              // @main.lines
	.section	.rodata,"a",@progbits
	.p2align	3, 0x0
main.lines:
	.word	.L.str
	.word	.L.str.1
	.word	.L.str.2
	.word	.L.str.3
	.word	.L.str.4
	.word	.L.str.5
	.size	main.lines, 24

	.type	.L.str,@object                  // @.str
	.section	.rodata.str1.1,"aMS",@progbits,1
.L.str:
	.string	"1 + 2 * 3"
	.size	.L.str, 10

	.type	.L.str.1,@object                // @.str.1
.L.str.1:
	.string	"(1+2)*3 - -4"
	.size	.L.str.1, 13

	.type	.L.str.2,@object                // @.str.2
.L.str.2:
	.string	"0x10 * 010 / 3"
	.size	.L.str.2, 15

	.type	.L.str.3,@object                // @.str.3
.L.str.3:
	.string	"100 % 7 - 2*(3 - (4 - 5))"
	.size	.L.str.3, 26

	.type	.L.str.4,@object                // @.str.4
.L.str.4:
	.string	" 7 / (5-5) + 1"
	.size	.L.str.4, 15

	.type	.L.str.5,@object                // @.str.5
.L.str.5:
	.string	"2 * z"
	.size	.L.str.5, 6

	.type	.L.str.6,@object                // @.str.6
.L.str.6:
	.string	"%d %d %ld\n"
	.size	.L.str.6, 11

	.type	.L.str.7,@object                // @.str.7
.L.str.7:
	.string	"  -123abc"
	.size	.L.str.7, 10

	.type	.L.str.8,@object                // @.str.8
.L.str.8:
	.string	"x"
	.size	.L.str.8, 2

	.type	.L.str.10,@object               // @.str.10
.L.str.10:
	.string	"%ld %ld %lu %s\n"
	.size	.L.str.10, 16

	.type	.L.str.12,@object               // @.str.12
.L.str.12:
	.string	"-zz"
	.size	.L.str.12, 4

	.type	.L.str.14,@object               // @.str.14
.L.str.14:
	.string	"%lld %llu\n"
	.size	.L.str.14, 11

	.type	.L.str.16,@object               // @.str.16
.L.str.16:
	.string	"0xffffffffffffffff"
	.size	.L.str.16, 19

	.type	.L.str.17,@object               // @.str.17
.L.str.17:
	.string	"%ld %ld\n"
	.size	.L.str.17, 9

	.type	.L.str.18,@object               // @.str.18
.L.str.18:
	.string	"99999999999"
	.size	.L.str.18, 12

	.type	.L.str.19,@object               // @.str.19
.L.str.19:
	.string	"-99999999999"
	.size	.L.str.19, 13

	.type	.L.str.20,@object               // @.str.20
.L.str.20:
	.string	" -12.5e2xyz"
	.size	.L.str.20, 12

	.type	.L.str.21,@object               // @.str.21
.L.str.21:
	.string	"%g %s %g %g\n"
	.size	.L.str.21, 13

	.type	.L.str.22,@object               // @.str.22
.L.str.22:
	.string	"0.125"
	.size	.L.str.22, 6

	.type	.L.str.23,@object               // @.str.23
.L.str.23:
	.string	"0x1.8p3"
	.size	.L.str.23, 8

	.type	.L.str.24,@object               // @.str.24
.L.str.24:
	.string	"%d %ld\n"
	.size	.L.str.24, 8

	.type	at,@object                      // @at
	.lcomm	at,4,4
	.type	.L.str.25,@object               // @.str.25
.L.str.25:
	.string	"%s = "
	.size	.L.str.25, 6

	.type	.L.str.26,@object               // @.str.26
.L.str.26:
	.string	"%ld\n"
	.size	.L.str.26, 5

	.type	.L.str.27,@object               // @.str.27
.L.str.27:
	.string	"farewell"
	.size	.L.str.27, 9

	.type	.L.str.28,@object               // @.str.28
.L.str.28:
	.string	"what is '%c'?\n"
	.size	.L.str.28, 15

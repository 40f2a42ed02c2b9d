	.text
	.globl	main                            // -- Begin function main
	.p2align	4
	.type	main,@function
main:                                   // @main
// %bb.0:
	{
		r2 = ##1635280232
		allocframe(r29,#288):raw
	}
	{
		r3 = ##7237479
		r0 = add(r29,#24)
		memd(r29+#280) = r17:16
	}                                       // 8-byte Folded Spill
	{
		r17 = add(r29,#24)
		memd(r29+#272) = r19:18
		memd(r29+#264) = r21:20
	}                                       // 8-byte Folded Spill
	{
		call strlen
		memd(r29+#256) = r23:22
		memd(r29+#24) = r3:2
	}                                       // 8-byte Folded Spill
	{
		r1 = #32
		r3 = add(r17,r0)
		r0 = add(r29,#24)
		memb(r17+r0<<#0) = r1.new
	}
	{
		r2 = #6
		r1 = ##.L.str.2
		memb(r3+#1) = #0
	}
	{
		call strncat
	}
	{
		call strlen
		r0 = add(r29,#24)
	}
	{
		call strnlen
		r0 = add(r29,#24)
		r1 = #5
		r16 = r0
	}
	{
		r3:2 = combine(r0,r16)
		r0 = ##.L.str.3
		r1 = add(r29,#24)
	}
	{
		call printf
	}
	{
		call strlen
		r0 = add(r29,#24)
	}
	{
		p0 = cmp.gt(r0,#1); if (!p0.new) jump:t .LBB0_3
	}
// %bb.1:
	{
		r0 = add(r17,add(r0,#-1))
		r1 = setbit(r17,#0)
	}
	.p2align	4
.LBB0_2:                                // =>This Inner Loop Header: Depth=1
	{
		r2 = memub(r1+#-1)
		r3 = memub(r0+#0)
	}
	{
		memb(r1+#-1) = r3
		memb(r0++#-1) = r2
	}
	{
		r1 = add(r1,#1)
		p0 = cmp.gtu(r0,r1); if (p0.new) jump:t .LBB0_2
	}
.LBB0_3:
	{
		call puts
		r0 = add(r29,#24)
	}
	{
		r1 = #35
		r2 = #54
		r0 = add(r29,#88)
	}
	{
		call memset
		r0 = add(r0,#10)
	}
	{
		r1:0 = combine(#0,##.L.str.5)
		r3:2 = combine(#35,#0)
		r17 = #0
	}
	{
		call printf
	}
	{
		r1:0 = combine(#-1,##.L.str.6)
		r4 = #0
		r3:2 = combine(#0,#1)
	}
	{
		call printf
		r16 = #1
	}
	{
		call printf
		r1:0 = combine(#4,##.L.str.8)
		r3:2 = combine(#16,#41)
	}
	{
		r19 = ##.L.str.7+32767
		r1:0 = combine(#1,##.L.str.10)
	}
	{
		call printf
		r3:2 = combine(#18,#4)
		r4 = add(r19,#-32747)
	}
	{
		call printf
		r1:0 = combine(#37,##.L.str.15)
		r2 = #1
	}
	{
		r0 = #29301
		r1 = ##740320613
		memh(r29+#20) = r0.new
	}
	{
		r2 = ##744844911
		r0 = ##1919448123
	}
	{
		r3 = ##1870099488
		memb(r29+#22) = r17
		memd(r29+#8) = r1:0
	}
	{
		r1 = ##.L.str.17
		r0 = add(r29,#0)
		memd(r29+#0) = r3:2
	}
	{
		call strtok
		r2 = ##1868963884
		memw(r29+#16) = r2.new
	}
	{
		r2 = r0
		p0 = cmp.eq(r0,#0); if (p0.new) jump:t .LBB0_4
	}
	.p2align	4
.LBB0_32:                               // =>This Inner Loop Header: Depth=1
	{
		call printf
		r1:0 = combine(r16,##.L.str.18)
	}
	{
		call strtok
		r1:0 = combine(##.L.str.17,#0)
	}
	{
		p0 = cmp.eq(r0,#0); if (!p0.new) jump:t .LBB0_32
		r2 = r0
		r16 = add(r16,#1)
	}
.LBB0_4:
	{
		call putchar
		r0 = #10
	}
	{
		call strdup
		r0 = add(r19,#-32767)
	}
	{
		r16 = r0
		r1 = memb(r0+#0)
	}
	{
		p0 = cmp.eq(r1,#0); if (p0.new) jump:nt .LBB0_7
	}
// %bb.5:
	{
		r17 = add(r16,#1)
	}
	.p2align	4
.LBB0_6:                                // =>This Inner Loop Header: Depth=1
	{
		call toupper
		r0 = and(r1,#255)
	}
	{
		r17 = add(r17,#1)
		r1 = memb(r17+#0)
		memb(r17+#-1) = r0
	}
	{
		p0 = cmp.eq(r1,#0); if (!p0.new) jump:t .LBB0_6
	}
.LBB0_7:
	{
		call puts
		r0 = r16
	}
	{
		call free
		r0 = r16
	}
	{
		r0 = #0
		r3:2 = combine(##14648,#7)
		memb(r29+#98) = r0.new
	}
	{
		r4 = ##858927408
		r5 = ##926299444
	}
	{
		r0 = add(r29,#91)
		r1 = add(r29,#88)
		memh(r29+#96) = r3
		memd(r29+#88) = r5:4
	}
	{
		call memmove
	}
	{
		call puts
		r18 = ##.L.str.22
		r0 = add(r29,#88)
	}
	{
		r0 = ##.L.str.22+30
		r20 = #-26
		jump .LBB0_8
	}
	.p2align	4
.LBB0_12:                               //   in Loop: Header=BB0_8 Depth=1
	{
		r21 = r0
	}
.LBB0_15:                               //   in Loop: Header=BB0_8 Depth=1
	{
		p0 = cmp.gtu(r21,r18); if (!p0.new) jump:nt .LBB0_16
		r16 = #1
		r0 = r21
	}
.LBB0_8:                                // =>This Loop Header: Depth=1
                                        //     Child Loop BB0_9 Depth 2
                                        //     Child Loop BB0_11 Depth 2
	{
		r1 = sub(r0,r18)
	}
	{
		p0 = cmp.gt(r1,#0)
		if (!p0.new) r1 = #1
	}
	{
		loop0(.LBB0_9,r1)
	}
.LBB0_9:                                // Block address taken
                                        //   Parent Loop BB0_8 Depth=1
                                        // =>  This Inner Loop Header: Depth=2
	{
		r1 = memub(r18+#0)
	}
	{
		r1 = setbit(r1,#5)
	}
	{
		r1 = add(r1,#-123)
	}
	{
		r1 = sxtb(r1)
	}
	{
		p0 = cmp.gtu(r1,##-27)
		if (p0.new) jump:t .LBB0_11
	}
// %bb.10:                              //   in Loop: Header=BB0_9 Depth=2
	{
		r18 = add(r18,#1)
		nop
	} :endloop0
	.p2align	4
.LBB0_11:                               //   Parent Loop BB0_8 Depth=1
                                        // =>  This Inner Loop Header: Depth=2
	{
		p0 = cmp.gtu(r0,r18); if (!p0.new) jump:nt .LBB0_12
	}
// %bb.13:                              //   in Loop: Header=BB0_11 Depth=2
	{
		r21 = add(r0,#-1)
		r16 = memub(r0+#-1)
	}
	{
		r1 = setbit(r16,#5)
		r0 = r21
	}
	{
		r1 = add(r1,#-123)
	}
	{
		r1 = sxtb(r1)
		if (cmp.gtu(r20,r1.new)) jump:t .LBB0_11
	}
// %bb.14:                              //   in Loop: Header=BB0_8 Depth=1
	{
		call tolower
		r0 = memub(r18++#1)
	}
	{
		call tolower
		r17 = r0
		r0 = r16
	}
	{
		r16 = #0
		p0 = cmp.eq(r17,r0); if (p0.new) jump:t .LBB0_15
	}
.LBB0_16:
	{
		r21:20 = combine(#-26,##.L.str.23)
		r0 = ##.L.str.23+7
	}
	{
		jump .LBB0_17
	}
	.p2align	4
.LBB0_21:                               //   in Loop: Header=BB0_17 Depth=1
	{
		r22 = r0
	}
.LBB0_24:                               //   in Loop: Header=BB0_17 Depth=1
	{
		p0 = cmp.gtu(r22,r20); if (!p0.new) jump:nt .LBB0_25
		r2 = #1
		r0 = r22
	}
.LBB0_17:                               // =>This Loop Header: Depth=1
                                        //     Child Loop BB0_18 Depth 2
                                        //     Child Loop BB0_20 Depth 2
	{
		r1 = sub(r0,r20)
	}
	{
		p0 = cmp.gt(r1,#0)
		if (!p0.new) r1 = #1
	}
	{
		loop0(.LBB0_18,r1)
	}
.LBB0_18:                               // Block address taken
                                        //   Parent Loop BB0_17 Depth=1
                                        // =>  This Inner Loop Header: Depth=2
	{
		r1 = memub(r20+#0)
	}
	{
		r1 = setbit(r1,#5)
	}
	{
		r1 = add(r1,#-123)
	}
	{
		r1 = sxtb(r1)
	}
	{
		p0 = cmp.gtu(r1,##-27)
		if (p0.new) jump:t .LBB0_20
	}
// %bb.19:                              //   in Loop: Header=BB0_18 Depth=2
	{
		r20 = add(r20,#1)
		nop
	} :endloop0
	.p2align	4
.LBB0_20:                               //   Parent Loop BB0_17 Depth=1
                                        // =>  This Inner Loop Header: Depth=2
	{
		p0 = cmp.gtu(r0,r20); if (!p0.new) jump:nt .LBB0_21
	}
// %bb.22:                              //   in Loop: Header=BB0_20 Depth=2
	{
		r22 = add(r0,#-1)
		r17 = memub(r0+#-1)
	}
	{
		r1 = setbit(r17,#5)
		r0 = r22
	}
	{
		r1 = add(r1,#-123)
	}
	{
		r1 = sxtb(r1)
		if (cmp.gtu(r21,r1.new)) jump:t .LBB0_20
	}
// %bb.23:                              //   in Loop: Header=BB0_17 Depth=1
	{
		call tolower
		r0 = memub(r20++#1)
	}
	{
		call tolower
		r18 = r0
		r0 = r17
	}
	{
		r2 = #0
		p0 = cmp.eq(r18,r0); if (p0.new) jump:t .LBB0_24
	}
.LBB0_25:
	{
		call printf
		r1:0 = combine(r16,##.L.str.21)
	}
	{
		r1 = #0
		r2 = #104
		r0 = add(r29,#152)
		r16 = add(r29,#152)
	}
	{
		call memset
	}
	{
		loop0(.LBB0_26,#43)
		r1 = #116
		r0 = add(r19,#-32766)
		jump .LBB0_26
	}
	.p2align	4
.LBB0_28:                               //   in Loop: Header=BB0_26 Depth=1
	{
		nop
		r1 = memub(r0++#1)
	} :endloop0
	{
		jump .LBB0_29
	}
.LBB0_26:                               // Block address taken
                                        // =>This Inner Loop Header: Depth=1
	{
		r1 = add(r1,#-97)
		if (cmp.gtu(r1.new,#25)) jump:t .LBB0_28
	}
// %bb.27:                              //   in Loop: Header=BB0_26 Depth=1
	{
		r1 = addasl(r16,r1,#2)
	}
	{
		jump .LBB0_28
		memw(r1+#0) += #1
	}
.LBB0_29:
	{
		r16 = #26
		r17 = add(r29,#152)
	}
	.p2align	4
.LBB0_30:                               // =>This Inner Loop Header: Depth=1
	{
		r0 = memw(r17++#4)
	}
	{
		call putchar
		r0 = add(r0,#48)
	}
	{
		r16 = add(r16,#-1)
		if (!cmp.eq(r16.new,#0)) jump:t .LBB0_30
	}
// %bb.31:
	{
		call putchar
		r0 = #10
	}
	{
		r0 = ##.L.str.24
		r1 = ##.L.str.25
	}
	{
		call strcasecmp
	}
	{
		r1 = asr(r0,#31)
		r0 = ##.L.str.5
		p0 = cmp.eq(r0,#0)
	}
	{
		r3 = setbit(r1,#0)
	}
	{
		call printf
		if (!p0) r1 = add(r3,#0)
		r3:2 = combine(#0,#1)
	}
	{
		r0 = #0
		r17:16 = memd(r29+#280)
		r19:18 = memd(r29+#272)
	}                                       // 8-byte Folded Reload
	{
		r21:20 = memd(r29+#264)
		r23:22 = memd(r29+#256)
	}                                       // 8-byte Folded Reload
	{
		r31:30 = dealloc_return(r30):raw
	}
.Lfunc_end0:
	.size	main, .Lfunc_end0-main
                                        // -- End function
	.type	.L.str.2,@object                // @.str.2
	.section	.rodata.str1.1,"aMS",@progbits,1
.L.str.2:
	.string	"vector machine"
	.size	.L.str.2, 15

	.type	.L.str.3,@object                // @.str.3
.L.str.3:
	.string	"[%s] %zu %zu\n"
	.size	.L.str.3, 14

	.type	.L.str.5,@object                // @.str.5
.L.str.5:
	.string	"%d %d %d\n"
	.size	.L.str.5, 10

	.type	.L.str.6,@object                // @.str.6
.L.str.6:
	.string	"%d %d %d %d\n"
	.size	.L.str.6, 13

	.type	.L.str.7,@object                // @.str.7
.L.str.7:
	.string	"the quick brown fox jumps over the lazy dog"
	.size	.L.str.7, 44

	.type	.L.str.8,@object                // @.str.8
.L.str.8:
	.string	"%td %td %td\n"
	.size	.L.str.8, 13

	.type	.L.str.10,@object               // @.str.10
.L.str.10:
	.string	"%d %zu %zu %s\n"
	.size	.L.str.10, 15

	.type	.L.str.15,@object               // @.str.15
.L.str.15:
	.string	"%td %d\n"
	.size	.L.str.15, 8

	.type	.L__const.main.line,@object     // @__const.main.line
	.section	.rodata.str1.8,"aMS",@progbits,1
	.p2align	3, 0x0
.L__const.main.line:
	.string	"one, two;three ,, four"
	.size	.L__const.main.line, 23

	.type	.L.str.17,@object               // @.str.17
	.section	.rodata.str1.1,"aMS",@progbits,1
.L.str.17:
	.string	" ,;"
	.size	.L.str.17, 4

	.type	.L.str.18,@object               // @.str.18
.L.str.18:
	.string	"%d:%s "
	.size	.L.str.18, 7

	.type	.L.str.20,@object               // @.str.20
.L.str.20:
	.string	"0123456789"
	.size	.L.str.20, 11

	.type	.L.str.21,@object               // @.str.21
.L.str.21:
	.string	"%d %d\n"
	.size	.L.str.21, 7

	.type	.L.str.22,@object               // @.str.22
.L.str.22:
	.string	"A man, a plan, a canal: Panama"
	.size	.L.str.22, 31

	.type	.L.str.23,@object               // @.str.23
.L.str.23:
	.string	"Not one"
	.size	.L.str.23, 8

	.type	.L.str.24,@object               // @.str.24
.L.str.24:
	.string	"HeLLo"
	.size	.L.str.24, 6

	.type	.L.str.25,@object               // @.str.25
.L.str.25:
	.string	"hEllO"
	.size	.L.str.25, 6

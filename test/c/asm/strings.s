	.text
	.globl	main                            // -- Begin function main
	.p2align	4
	.type	main,@function
main:                                   // @main
// %bb.0:
	{
		r1 = ##.L.str
		memd(r29+#-16) = r17:16
		allocframe(r29,#288):raw
	}                                       // 8-byte Folded Spill
	{
		r0 = add(r29,#24)
		r17 = add(r29,#24)
		memd(r29+#272) = r19:18
		memd(r29+#264) = r21:20
	}                                       // 8-byte Folded Spill
	{
		call strcpy
		memd(r29+#256) = r23:22
	}                                       // 8-byte Folded Spill
	{
		call strcat
		r1 = ##.L.str.1
		r0 = add(r29,#24)
	}
	{
		r1 = ##.L.str.2
		r2 = #6
		r0 = add(r29,#24)
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
		call memset
		r2 = #64
		r1 = #35
		r0 = add(r29,#88)
	}
	{
		r1 = ##.L.str.4
		r2 = #10
		r0 = add(r29,#88)
	}
	{
		call strncpy
	}
	{
		r0 = ##.L.str.5
		r2 = memub(r29+#97)
		r1 = memub(r29+#93)
	}
	{
		call printf
		r3 = memub(r29+#98)
	}
	{
		r0 = ##.L.str.7
		r1 = ##.L.str.8
	}
	{
		call strcmp
	}
	{
		r16 = asr(r0,#31)
		r0 = ##.L.str.9
		p0 = cmp.eq(r0,#0)
	}
	{
		r2 = setbit(r16,#0)
		r1 = ##.L.str.7
	}
	{
		call strcmp
		if (!p0) r16 = add(r2,#0)
	}
	{
		r17 = asr(r0,#31)
		r0 = ##.L.str.10
		p0 = cmp.eq(r0,#0)
	}
	{
		r2 = setbit(r17,#0)
		r1 = ##.L.str.10
	}
	{
		call strcmp
		if (!p0) r17 = add(r2,#0)
	}
	{
		r18 = asr(r0,#31)
		r0 = ##.L.str.11
		p0 = cmp.eq(r0,#0)
	}
	{
		r3 = setbit(r18,#0)
		r1 = ##.L.str.12
		r2 = #3
	}
	{
		call strncmp
		if (!p0) r18 = add(r3,#0)
	}
	{
		r4 = asr(r0,#31)
		p0 = cmp.eq(r0,#0)
		r3:2 = combine(r18,r17)
	}
	{
		r0 = setbit(r4,#0)
	}
	{
		call printf
		if (!p0) r4 = add(r0,#0)
		r1:0 = combine(r16,##.L.str.6)
	}
	{
		r20 = ##.L.str.13+32767
	}
	{
		r16 = add(r20,#-32767)
	}
	{
		call strchr
		r1:0 = combine(#113,r16)
	}
	{
		call strrchr
		r17 = sub(r0,r16)
		r1:0 = combine(#111,r16)
	}
	{
		call strstr
		r18 = sub(r0,r16)
		r1:0 = combine(##.L.str.15,r16)
	}
	{
		r3 = sub(r0,r16)
		r1:0 = combine(r17,##.L.str.14)
		r2 = r18
	}
	{
		call printf
	}
	{
		call strstr
		r1:0 = combine(##.L.str.17,r16)
	}
	{
		call strspn
		r17 = cmp.eq(r0,#0)
		r1:0 = combine(##.L.str.18,r16)
	}
	{
		call strcspn
		r18 = r0
		r1:0 = combine(##.L.str.19,r16)
	}
	{
		call strpbrk
		r19 = r0
		r1:0 = combine(##.L.str.20,r16)
	}
	{
		r4 = r0
		r1:0 = combine(r17,##.L.str.16)
		r3:2 = combine(r19,r18)
	}
	{
		call printf
	}
	{
		call strlen
		r0 = r16
	}
	{
		call memchr
		r2 = r0
		r1:0 = combine(#122,r16)
	}
	{
		r17 = sub(r0,r16)
		r1:0 = combine(##.L.str.22,r16)
		r2 = #9
	}
	{
		call memcmp
	}
	{
		r2 = asr(r0,#31)
		p0 = cmp.eq(r0,#0)
	}
	{
		r0 = setbit(r2,#0)
	}
	{
		call printf
		if (!p0) r2 = add(r0,#0)
		r1:0 = combine(r17,##.L.str.21)
	}
	{
		r4 = ##1919448123
		r0 = #0
	}
	{
		r5 = ##740320613
		memb(r29+#22) = r0
	}
	{
		r1 = ##.L.str.23
		r0 = add(r29,#0)
		memd(r29+#8) = r5:4
	}
	{
		r4 = ##744844911
		r5 = ##1870099488
	}
	{
		r2 = #29301
		memh(r29+#20) = r2.new
	}
	{
		r4 = ##1868963884
		memd(r29+#0) = r5:4
	}
	{
		call strtok
		memw(r29+#16) = r4
	}
	{
		p0 = cmp.eq(r0,#0); if (p0.new) jump:nt .LBB0_6
	}
// %bb.4:
	{
		r16 = #1
		r2 = r0
	}
	.p2align	4
.LBB0_5:                                // =>This Inner Loop Header: Depth=1
	{
		call printf
		r1:0 = combine(r16,##.L.str.24)
	}
	{
		call strtok
		r1:0 = combine(##.L.str.23,#0)
	}
	{
		p0 = cmp.eq(r0,#0); if (!p0.new) jump:t .LBB0_5
		r2 = r0
		r16 = add(r16,#1)
	}
.LBB0_6:
	{
		call puts
		r0 = ##.L.str.25
	}
	{
		call strdup
		r0 = add(r20,#-32767)
	}
	{
		r16 = r0
		r1 = memb(r0+#0)
	}
	{
		p0 = cmp.eq(r1,#0); if (p0.new) jump:nt .LBB0_9
	}
// %bb.7:
	{
		r17 = add(r16,#1)
	}
	.p2align	4
.LBB0_8:                                // =>This Inner Loop Header: Depth=1
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
		p0 = cmp.eq(r1,#0); if (!p0.new) jump:t .LBB0_8
	}
.LBB0_9:
	{
		call puts
		r0 = r16
	}
	{
		call free
		r0 = r16
	}
	{
		r1 = ##.L.str.26
		r2 = #11
		r0 = add(r29,#88)
	}
	{
		call memmove
	}
	{
		call memmove
		r0 = add(r29,#91)
		r2 = #7
		r1 = add(r29,#88)
	}
	{
		call puts
		r0 = add(r29,#88)
	}
	{
		r0 = ##.L.str.28
		r18 = ##.L.str.28
	}
	{
		call strlen
	}
	{
		r16 = #1
		p0 = cmp.eq(r0,#0); if (p0.new) jump:nt .LBB0_20
	}
// %bb.10:
	{
		r0 = add(r0,##.L.str.28)
		r19 = #-26
		jump .LBB0_11
	}
	.p2align	4
.LBB0_15:                               //   in Loop: Header=BB0_11 Depth=1
	{
		r21 = r0
	}
.LBB0_18:                               //   in Loop: Header=BB0_11 Depth=1
	{
		r0 = r21
		p0 = cmp.gtu(r21,r18); if (!p0.new) jump:nt .LBB0_19
	}
.LBB0_11:                               // =>This Loop Header: Depth=1
                                        //     Child Loop BB0_12 Depth 2
                                        //     Child Loop BB0_14 Depth 2
	{
		r1 = sub(r0,r18)
	}
	{
		p0 = cmp.gt(r1,#0)
		if (!p0.new) r1 = #1
	}
	{
		loop0(.LBB0_12,r1)
	}
.LBB0_12:                               // Block address taken
                                        //   Parent Loop BB0_11 Depth=1
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
		if (p0.new) jump:t .LBB0_14
	}
// %bb.13:                              //   in Loop: Header=BB0_12 Depth=2
	{
		r18 = add(r18,#1)
		nop
	} :endloop0
	.p2align	4
.LBB0_14:                               //   Parent Loop BB0_11 Depth=1
                                        // =>  This Inner Loop Header: Depth=2
	{
		p0 = cmp.gtu(r0,r18); if (!p0.new) jump:nt .LBB0_15
	}
// %bb.16:                              //   in Loop: Header=BB0_14 Depth=2
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
		if (cmp.gtu(r19,r1.new)) jump:t .LBB0_14
	}
// %bb.17:                              //   in Loop: Header=BB0_11 Depth=1
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
		p0 = cmp.eq(r17,r0); if (p0.new) jump:t .LBB0_18
	}
	{
		jump .LBB0_20
	}
.LBB0_19:
	{
		r16 = #1
	}
.LBB0_20:
	{
		r0 = ##.L.str.29
		r19 = ##.L.str.29
	}
	{
		call strlen
	}
	{
		p0 = cmp.eq(r0,#0); if (p0.new) jump:nt .LBB0_30
	}
// %bb.21:
	{
		r0 = add(r0,##.L.str.29)
		r21 = #-26
		jump .LBB0_22
	}
	.p2align	4
.LBB0_26:                               //   in Loop: Header=BB0_22 Depth=1
	{
		r22 = r0
	}
.LBB0_29:                               //   in Loop: Header=BB0_22 Depth=1
	{
		r0 = r22
		p0 = cmp.gtu(r22,r19); if (!p0.new) jump:nt .LBB0_30
	}
.LBB0_22:                               // =>This Loop Header: Depth=1
                                        //     Child Loop BB0_23 Depth 2
                                        //     Child Loop BB0_25 Depth 2
	{
		r1 = sub(r0,r19)
	}
	{
		p0 = cmp.gt(r1,#0)
		if (!p0.new) r1 = #1
	}
	{
		loop0(.LBB0_23,r1)
	}
.LBB0_23:                               // Block address taken
                                        //   Parent Loop BB0_22 Depth=1
                                        // =>  This Inner Loop Header: Depth=2
	{
		r1 = memub(r19+#0)
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
		if (p0.new) jump:t .LBB0_25
	}
// %bb.24:                              //   in Loop: Header=BB0_23 Depth=2
	{
		r19 = add(r19,#1)
		nop
	} :endloop0
	.p2align	4
.LBB0_25:                               //   Parent Loop BB0_22 Depth=1
                                        // =>  This Inner Loop Header: Depth=2
	{
		p0 = cmp.gtu(r0,r19); if (!p0.new) jump:nt .LBB0_26
	}
// %bb.27:                              //   in Loop: Header=BB0_25 Depth=2
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
		if (cmp.gtu(r21,r1.new)) jump:t .LBB0_25
	}
// %bb.28:                              //   in Loop: Header=BB0_22 Depth=1
	{
		call tolower
		r0 = memub(r19++#1)
	}
	{
		call tolower
		r18 = r0
		r0 = r17
	}
	{
		r2 = #0
		p0 = cmp.eq(r18,r0); if (p0.new) jump:t .LBB0_29
	}
	{
		jump .LBB0_31
	}
.LBB0_30:
	{
		r2 = #1
	}
.LBB0_31:
	{
		call printf
		r1:0 = combine(r16,##.L.str.27)
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
		loop0(.LBB0_32,#43)
		r1 = #116
		r0 = add(r20,#-32766)
		jump .LBB0_32
	}
	.p2align	4
.LBB0_34:                               //   in Loop: Header=BB0_32 Depth=1
	{
		nop
		r1 = memub(r0++#1)
	} :endloop0
	{
		jump .LBB0_35
	}
.LBB0_32:                               // Block address taken
                                        // =>This Inner Loop Header: Depth=1
	{
		r1 = add(r1,#-97)
		if (cmp.gtu(r1.new,#25)) jump:t .LBB0_34
	}
// %bb.33:                              //   in Loop: Header=BB0_32 Depth=1
	{
		r1 = addasl(r16,r1,#2)
	}
	{
		jump .LBB0_34
		memw(r1+#0) += #1
	}
.LBB0_35:
	{
		r16 = #26
		r17 = add(r29,#152)
	}
	.p2align	4
.LBB0_36:                               // =>This Inner Loop Header: Depth=1
	{
		r0 = memw(r17++#4)
	}
	{
		call putchar
		r0 = add(r0,#48)
	}
	{
		r16 = add(r16,#-1)
		if (!cmp.eq(r16.new,#0)) jump:t .LBB0_36
	}
// %bb.37:
	{
		call putchar
		r0 = #10
	}
	{
		r0 = ##.L.str.30
		r1 = ##.L.str.31
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
	.type	.L.str,@object                  // @.str
	.section	.rodata.str1.1,"aMS",@progbits,1
.L.str:
	.string	"hexagon"
	.size	.L.str, 8

	.type	.L.str.1,@object                // @.str.1
.L.str.1:
	.string	" "
	.size	.L.str.1, 2

	.type	.L.str.2,@object                // @.str.2
.L.str.2:
	.string	"vector machine"
	.size	.L.str.2, 15

	.type	.L.str.3,@object                // @.str.3
.L.str.3:
	.string	"[%s] %zu %zu\n"
	.size	.L.str.3, 14

	.type	.L.str.4,@object                // @.str.4
.L.str.4:
	.string	"short"
	.size	.L.str.4, 6

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
	.string	"abc"
	.size	.L.str.7, 4

	.type	.L.str.8,@object                // @.str.8
.L.str.8:
	.string	"abd"
	.size	.L.str.8, 4

	.type	.L.str.9,@object                // @.str.9
.L.str.9:
	.string	"b"
	.size	.L.str.9, 2

	.type	.L.str.10,@object               // @.str.10
.L.str.10:
	.string	"x"
	.size	.L.str.10, 2

	.type	.L.str.11,@object               // @.str.11
.L.str.11:
	.string	"abcx"
	.size	.L.str.11, 5

	.type	.L.str.12,@object               // @.str.12
.L.str.12:
	.string	"abcy"
	.size	.L.str.12, 5

	.type	.L.str.13,@object               // @.str.13
.L.str.13:
	.string	"the quick brown fox jumps over the lazy dog"
	.size	.L.str.13, 44

	.type	.L.str.14,@object               // @.str.14
.L.str.14:
	.string	"%td %td %td\n"
	.size	.L.str.14, 13

	.type	.L.str.15,@object               // @.str.15
.L.str.15:
	.string	"fox"
	.size	.L.str.15, 4

	.type	.L.str.16,@object               // @.str.16
.L.str.16:
	.string	"%d %zu %zu %s\n"
	.size	.L.str.16, 15

	.type	.L.str.17,@object               // @.str.17
.L.str.17:
	.string	"cat"
	.size	.L.str.17, 4

	.type	.L.str.18,@object               // @.str.18
.L.str.18:
	.string	"eht "
	.size	.L.str.18, 5

	.type	.L.str.19,@object               // @.str.19
.L.str.19:
	.string	"xyz"
	.size	.L.str.19, 4

	.type	.L.str.20,@object               // @.str.20
.L.str.20:
	.string	"zj"
	.size	.L.str.20, 3

	.type	.L.str.21,@object               // @.str.21
.L.str.21:
	.string	"%td %d\n"
	.size	.L.str.21, 8

	.type	.L.str.22,@object               // @.str.22
.L.str.22:
	.string	"the quack"
	.size	.L.str.22, 10

	.type	.L__const.main.line,@object     // @__const.main.line
	.section	.rodata.str1.8,"aMS",@progbits,1
	.p2align	3, 0x0
.L__const.main.line:
	.string	"one, two;three ,, four"
	.size	.L__const.main.line, 23

	.type	.L.str.23,@object               // @.str.23
	.section	.rodata.str1.1,"aMS",@progbits,1
.L.str.23:
	.string	" ,;"
	.size	.L.str.23, 4

	.type	.L.str.24,@object               // @.str.24
.L.str.24:
	.string	"%d:%s "
	.size	.L.str.24, 7

	.type	.L.str.25,@object               // @.str.25
.L.str.25:
	.space	1
	.size	.L.str.25, 1

	.type	.L.str.26,@object               // @.str.26
.L.str.26:
	.string	"0123456789"
	.size	.L.str.26, 11

	.type	.L.str.27,@object               // @.str.27
.L.str.27:
	.string	"%d %d\n"
	.size	.L.str.27, 7

	.type	.L.str.28,@object               // @.str.28
.L.str.28:
	.string	"A man, a plan, a canal: Panama"
	.size	.L.str.28, 31

	.type	.L.str.29,@object               // @.str.29
.L.str.29:
	.string	"Not one"
	.size	.L.str.29, 8

	.type	.L.str.30,@object               // @.str.30
.L.str.30:
	.string	"HeLLo"
	.size	.L.str.30, 6

	.type	.L.str.31,@object               // @.str.31
.L.str.31:
	.string	"hEllO"
	.size	.L.str.31, 6

	.text
	.globl	main                            // -- Begin function main
	.p2align	4
	.type	main,@function
main:                                   // @main
// %bb.0:
	{
		r17:16 = combine(#0,#0)
		memd(r29+#-16) = r17:16
		allocframe(#56)
	}                                       // 8-byte Folded Spill
	{
		r18 = ##main.text
		memd(r29+#40) = r19:18
		memd(r29+#24) = r23:22
	}                                       // 8-byte Folded Spill
	{
		r22 = #0 ; jump .LBB0_1
		memd(r29+#32) = r21:20
		memd(r29+#16) = r25:24
	}                                       // 8-byte Folded Spill
	.p2align	4
.LBB0_29:                               //   in Loop: Header=BB0_1 Depth=1
	{
		call malloc
		r0 = add(r19,#13)
	}
	{
		r1 = r18
		r2 = r19
		memw(r23+#0) = r0
		memw(r0+#0) = #0
	}
	{
		r3 = memw(r23+#0)
	}
	{
		r0 = add(r3,#12)
	}
	{
		call memcpy
		r22 = add(r22,#1)
		memw(r3+#4) = r21
		memw(r3+#8) = #1
	}
	{
		r0 = memw(r23+#0)
	}
	{
		r0 = add(r0,r19)
	}
	{
		memb(r0+#12) = #0
	}
.LBB0_30:                               //   in Loop: Header=BB0_1 Depth=1
	{
		r1 = add(r18,r19)
		r0 = memb(r18+r19<<#0)
	}
	{
		p0 = cmp.eq(r0,#32)
		if (p0.new) r18 = add(r1,#1)
		if (!p0.new) r18 = add(r1,#0)
	}
	{
		r2 = memb(r18+#0)
		if (cmp.eq(r2.new,#0)) jump:nt .LBB0_15
	}
.LBB0_1:                                // =>This Loop Header: Depth=1
                                        //     Child Loop BB0_4 Depth 2
                                        //       Child Loop BB0_27 Depth 3
                                        //     Child Loop BB0_9 Depth 2
                                        //     Child Loop BB0_11 Depth 2
	{
		call strcspn
		r1:0 = combine(##.L.str,r18)
	}
	{
		r19 = r0
		p0 = cmp.gtu(r17,r22); if (p0.new) jump:t .LBB0_7
	}
// %bb.2:                               //   in Loop: Header=BB0_1 Depth=1
	{
		r23 = asl(r17,#1)
		p0 = cmp.eq(r17,#0)
	}
	{
		r0 = p0
		r20 = mux(p0,#4,r23)
	}
	{
		call calloc
		r24 = r0
		r1:0 = combine(#4,r20)
	}
	{
		r2 = r24
		r21 = r0
	}
	{
		p0 = r2
		if (p0.new) jump:nt .LBB0_6
	}
// %bb.3:                               //   in Loop: Header=BB0_1 Depth=1
	{
		loop0(.LBB0_4,r17)
		r1 = #0 ; jump .LBB0_4
		r0 = add(r23,#-1)
	}
	.p2align	4
.LBB0_5:                                //   in Loop: Header=BB0_4 Depth=2
	{
		r1 = add(r1,#1)
		nop
	} :endloop0
	{
		jump .LBB0_6
	}
.LBB0_4:                                // Block address taken
                                        //   Parent Loop BB0_1 Depth=1
                                        // =>  This Loop Header: Depth=2
                                        //       Child Loop BB0_27 Depth 3
	{
		r2 = memw(r16+r1<<#2)
		if (cmp.eq(r2.new,#0)) jump:nt .LBB0_5
	}
	.p2align	4
.LBB0_27:                               //   Parent Loop BB0_1 Depth=1
                                        //     Parent Loop BB0_4 Depth=2
                                        // =>    This Inner Loop Header: Depth=3
	{
		r3 = memw(r2+#0)
		r4 = memw(r2+#4)
	}
	{
		p0 = cmp.eq(r3,#0)
		r4 = and(r4,r0)
	}
	{
		r5 = memw(r21+r4<<#2)
		memw(r2+#0) = r5.new
	}
	{
		r2 = r3
		if (!p0) jump:nt .LBB0_27
		memw(r21+r4<<#2) = r2
	}
	{
		jump .LBB0_5
	}
	.p2align	4
.LBB0_6:                                //   in Loop: Header=BB0_1 Depth=1
	{
		call free
		r0 = r16
		r17:16 = combine(r20,r21)
	}
.LBB0_7:                                //   in Loop: Header=BB0_1 Depth=1
	{
		r21 = #5381
		p0 = cmp.eq(r19,#0); if (p0.new) jump:t .LBB0_10
	}
// %bb.8:                               //   in Loop: Header=BB0_1 Depth=1
	{
		loop0(.LBB0_9,r19)
		r0 = r18
	}
	.p2align	4
.LBB0_9:                                // Block address taken
                                        //   Parent Loop BB0_1 Depth=1
                                        // =>  This Inner Loop Header: Depth=2
	{
		r1 = +mpyi(r21,#33)
		r2 = memub(r0++#1)
	}
	{
		r21 = xor(r1,r2)
		nop
	} :endloop0
.LBB0_10:                               //   in Loop: Header=BB0_1 Depth=1
	{
		r0 = add(r17,#-1)
	}
	{
		r1 = and(r21,r0)
	}
	{
		r23 = addasl(r16,r1,#2)
		r0 = memw(r16+r1<<#2)
	}
	{
		p0 = cmp.eq(r0,#0); if (!p0.new) jump:t .LBB0_11
	}
	{
		jump .LBB0_29
	}
	.p2align	4
.LBB0_28:                               //   in Loop: Header=BB0_11 Depth=2
	{
		r0 = memw(r23+#0)
		if (cmp.eq(r0.new,#0)) jump:nt .LBB0_29
	}
.LBB0_11:                               //   Parent Loop BB0_1 Depth=1
                                        // =>  This Inner Loop Header: Depth=2
	{
		r23 = r0
		r2 = memw(r0+#4)
	}
	{
		p0 = cmp.eq(r2,r21); if (!p0.new) jump:t .LBB0_28
	}
// %bb.12:                              //   in Loop: Header=BB0_11 Depth=2
	{
		r20 = add(r23,#12)
	}
	{
		call strlen
		r0 = r20
	}
	{
		p0 = cmp.eq(r0,r19); if (!p0.new) jump:t .LBB0_28
	}
// %bb.13:                              //   in Loop: Header=BB0_11 Depth=2
	{
		call bcmp
		r1:0 = combine(r18,r20)
		r2 = r19
	}
	{
		p0 = cmp.eq(r0,#0); if (!p0.new) jump:t .LBB0_28
	}
// %bb.14:                              //   in Loop: Header=BB0_1 Depth=1
	{
		jump .LBB0_30
		memw(r23+#8) += #1
	}
.LBB0_15:
	{
		p0 = cmp.eq(r17,#0); if (!p0.new) jump:nt .LBB0_16
		r18 = #0
		r0 = #0
	}
.LBB0_21:
	{
		r3:2 = combine(##order,#4)
		r1 = r18
		r19 = r0
	}
	{
		call qsort
	}
	{
		call printf
		r1:0 = combine(r18,##.L.str.1)
		r2 = r17
	}
	{
		p0 = cmp.eq(r18,#0); if (p0.new) jump:nt .LBB0_26
	}
// %bb.22:
	{
		r17 = r19
		r20 = r18
	}
	.p2align	4
.LBB0_23:                               // =>This Inner Loop Header: Depth=1
	{
		r0 = ##.L.str.2
		r1 = memw(r17++#4)
	}
	{
		r2 = add(r1,#12)
	}
	{
		call printf
		r1 = memw(r1+#8)
	}
	{
		r20 = add(r20,#-1)
		if (!cmp.eq(r20.new,#0)) jump:t .LBB0_23
	}
// %bb.24:
	{
		r17 = r19
	}
	.p2align	4
.LBB0_25:                               // =>This Inner Loop Header: Depth=1
	{
		call free
		r0 = memw(r17++#4)
	}
	{
		r18 = add(r18,#-1)
		if (!cmp.eq(r18.new,#0)) jump:t .LBB0_25
	}
.LBB0_26:
	{
		call free
		r0 = r19
	}
	{
		call free
		r0 = r16
	}
	{
		r0 = #0
		r17:16 = memd(r29+#48)
		r19:18 = memd(r29+#40)
	}                                       // 8-byte Folded Reload
	{
		r21:20 = memd(r29+#32)
		r23:22 = memd(r29+#24)
	}                                       // 8-byte Folded Reload
	{
		r25:24 = memd(r29+#16)
		r31:30 = dealloc_return(r30):raw
	}                                       // 8-byte Folded Reload
.LBB0_16:
	{
		r20 = #0 ; jump .LBB0_17
	}
	.p2align	4
.LBB0_20:                               //   in Loop: Header=BB0_17 Depth=1
	{
		r20 = add(r20,#1)
		if (cmp.eq(r20.new,r17)) jump:nt .LBB0_21
	}
.LBB0_17:                               // =>This Loop Header: Depth=1
                                        //     Child Loop BB0_19 Depth 2
	{
		r21 = memw(r16+r20<<#2)
		if (cmp.eq(r21.new,#0)) jump:t .LBB0_20
	}
// %bb.18:                              //   in Loop: Header=BB0_17 Depth=1
	{
		r19 = asl(r18,#2)
	}
	.p2align	4
.LBB0_19:                               //   Parent Loop BB0_17 Depth=1
                                        // =>  This Inner Loop Header: Depth=2
	{
		r19 = add(r19,#4)
		r22 = r19
		r18 = add(r18,#1)
	}
	{
		call realloc
		r1 = r19
	}
	{
		memw(r0+r22<<#0) = r21
	}
	{
		r21 = memw(r21+#0)
		if (!cmp.eq(r21.new,#0)) jump:t .LBB0_19
	}
	{
		jump .LBB0_20
	}
.Lfunc_end0:
	.size	main, .Lfunc_end0-main
                                        // -- End function
	.p2align	4                               // -- Begin function order
	.type	order,@function
order:                                  // @order
// %bb.0:
	{
		r0 = memw(r0+#0)
		r1 = memw(r1+#0)
	}
	{
		r2 = memw(r0+#8)
		r3 = memw(r1+#8)
	}
	{
		p0 = cmp.eq(r3,r2)
		if (!p0.new) jumpr:nt r31
		if (!p0.new) r0 = sub(r3,r2)
	}
.LBB1_1:
	{
		jump strcmp
		r0 = add(r0,#12)
		r1 = add(r1,#12)
	}
.Lfunc_end1:
	.size	order, .Lfunc_end1-order
                                        // -- End function
	.type	main.text,@object               // @main.text
	.section	.rodata,"a",@progbits
	.p2align	3, 0x0
main.text:
	.string	"a packet holds up to four instructions and a vector holds a line of data so a vector packet moves a line of data and up to four packets of data move a vector of lines and a packet of packets is a line"
	.size	main.text, 201

	.type	.L.str,@object                  // @.str
	.section	.rodata.str1.1,"aMS",@progbits,1
.L.str:
	.string	" "
	.size	.L.str, 2

	.type	.L.str.1,@object                // @.str.1
.L.str.1:
	.string	"%u words in %u buckets\n"
	.size	.L.str.1, 24

	.type	.L.str.2,@object                // @.str.2
.L.str.2:
	.string	"%2d %s\n"
	.size	.L.str.2, 8

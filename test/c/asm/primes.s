	.text
	.globl	main                            // -- Begin function main
	.p2align	4
	.type	main,@function
main:                                   // @main
// %bb.0:
	{
		r1 = #255
		r0 = ##sieve
		allocframe(#16)
	}
	{
		call memset
		r2 = #2501
		memd(r29+#8) = r17:16
		memd(r29+#0) = r19:18
	}                                       // 8-byte Folded Spill
	{
		loop0(.LBB0_1,#140)
		r1:0 = combine(#4,#2)
		r2 = #-2
		r3 = #-2
	}
	{
		jump .LBB0_1
	}
	.p2align	4
.LBB0_4:                                //   in Loop: Header=BB0_1 Depth=1
	{
		r0 = add(r0,#1)
	}
	{
		r1 = mpyi(r0,r0)
		nop
	} :endloop0
	{
		jump .LBB0_5
	}
.LBB0_1:                                // Block address taken
                                        // =>This Loop Header: Depth=1
                                        //     Child Loop BB0_3 Depth 2
	{
		r5:4 = bitsplit(r0,#3)
	}
	{
		r5 = memub(r5<<#0+##sieve)
	}
	{
		p0 = !tstbit(r5,r4)
		if (p0.new) jump:nt .LBB0_4
	}
// %bb.2:                               //   in Loop: Header=BB0_1 Depth=1
	{
		p0 = cmp.gtu(r1,##19999)
		if (p0.new) jump:nt .LBB0_4
	}
	.p2align	4
.LBB0_3:                                //   Parent Loop BB0_1 Depth=1
                                        // =>  This Inner Loop Header: Depth=2
	{
		r4 = ##sieve
		r5 = and(r1,#7)
	}
	{
		r4 += lsr(r1,#3)
		r7:6 = asl(r3:2,r5)
		r1 = add(r1,r0)
	}
	{
		p0 = cmp.gtu(r1,##19999)
	}
	{
		if (!p0) jump:nt .LBB0_3
		memb(r4+#0) &= r7
	}
	{
		jump .LBB0_4
	}
.LBB0_5:
	{
		r1:0 = combine(##19998,#2)
		r4 = #0
		r3:2 = combine(#0,#0)
	}
	{
		loop0(.LBB0_6,r1)
		r1 = #0 ; jump .LBB0_6
	}
	.p2align	4
.LBB0_9:                                //   in Loop: Header=BB0_6 Depth=1
	{
		r5 = sub(r0,r2)
		r2 = r0
	}
	{
		r4 = maxu(r5,r4)
	}
.LBB0_10:                               //   in Loop: Header=BB0_6 Depth=1
	{
		r0 = add(r0,#1)
		nop
	} :endloop0
	{
		jump .LBB0_11
	}
.LBB0_6:                                // Block address taken
                                        // =>This Inner Loop Header: Depth=1
	{
		r7:6 = bitsplit(r0,#3)
	}
	{
		r5 = memub(r7<<#0+##sieve)
	}
	{
		p0 = !tstbit(r5,r6)
		if (p0.new) jump:t .LBB0_10
	}
// %bb.7:                               //   in Loop: Header=BB0_6 Depth=1
	{
		p0 = cmp.eq(r2,#0); if (!p0.new) jump:t .LBB0_9
		r1 = add(r1,#1)
		r3 = add(r3,r0)
	}
// %bb.8:                               //   in Loop: Header=BB0_6 Depth=1
	{
		r2 = r0 ; jump .LBB0_10
	}
.LBB0_11:
	{
		call printf
		r0 = ##.L.str
	}
	{
		r16 = ##600851475
		jump .LBB0_12
	}
	.p2align	4
.LBB0_14:                               //   in Loop: Header=BB0_12 Depth=1
	{
		r18 = r17
	}
.LBB0_17:                               //   in Loop: Header=BB0_12 Depth=1
	{
		call printf
		r1:0 = combine(r18,##.L.str.1)
	}
	{
		call __hexagon_udivsi3
		r1:0 = combine(r18,r16)
	}
	{
		r16 = r0
		p0 = cmp.gtu(r0,#1); if (!p0.new) jump:nt .LBB0_18
	}
.LBB0_12:                               // =>This Loop Header: Depth=1
                                        //     Child Loop BB0_13 Depth 2
	{
		p0 = cmp.gtu(r16,#3); if (!p0.new) jump:t .LBB0_17
		r17 = #2
		r18 = r16
	}
	.p2align	4
.LBB0_13:                               //   Parent Loop BB0_12 Depth=1
                                        // =>  This Inner Loop Header: Depth=2
	{
		call __hexagon_umodsi3
		r1:0 = combine(r17,r16)
	}
	{
		p0 = cmp.eq(r0,#0); if (p0.new) jump:nt .LBB0_14
	}
// %bb.15:                              //   in Loop: Header=BB0_13 Depth=2
	{
		r17 = add(r17,#1)
	}
	{
		r0 = mpyi(r17,r17)
		if (!cmp.gtu(r0.new,r16)) jump:t .LBB0_13
	}
// %bb.16:                              //   in Loop: Header=BB0_12 Depth=1
	{
		r18 = r16 ; jump .LBB0_17
	}
.LBB0_18:
	{
		call putchar
		r0 = #10
		r16 = #2
	}
	{
		jump .LBB0_19
	}
	.p2align	4
.LBB0_23:                               //   in Loop: Header=BB0_19 Depth=1
	{
		r16 = add(r16,#1)
	}
	{
		p0 = cmp.eq(r16,##9000)
		if (p0.new) jump:nt .LBB0_24
	}
.LBB0_19:                               // =>This Loop Header: Depth=1
                                        //     Child Loop BB0_20 Depth 2
	{
		r19:18 = combine(#4,#1)
		r17 = #2
		p0 = cmp.gtu(r16,#3); if (!p0.new) jump:t .LBB0_23
	}
	.p2align	4
.LBB0_20:                               //   Parent Loop BB0_19 Depth=1
                                        // =>  This Inner Loop Header: Depth=2
	{
		call __hexagon_udivsi3
		r1:0 = combine(r17,r16)
	}
	{
		p0 = cmp.eq(r19,r16)
		r2 = r16
		r1 = add(r17,#1)
	}
	{
		r2 -= mpyi(r0,r17)
		r19 = mpyi(r1,r1)
		if (p0) r0 = #0
	}
	{
		r17 += add(r0,r18)
		p0 = cmp.eq(r2,#0)
		p1 = cmp.gtu(r19,r16)
	}
	{
		if (p0) r18 = add(r17,#0)
		r17 = r1
		if (!p1) jump:nt .LBB0_20
	}
// %bb.21:                              //   in Loop: Header=BB0_19 Depth=1
	{
		p0 = cmp.eq(r18,r16); if (!p0.new) jump:t .LBB0_23
	}
// %bb.22:                              //   in Loop: Header=BB0_19 Depth=1
	{
		call printf
		r1:0 = combine(r16,##.L.str.3)
	}
	{
		jump .LBB0_23
	}
.LBB0_24:
	{
		r0 = #0
		r17:16 = memd(r29+#8)
		r19:18 = memd(r29+#0)
	}                                       // 8-byte Folded Reload
	{
		r31:30 = dealloc_return(r30):raw
	}
.Lfunc_end0:
	.size	main, .Lfunc_end0-main
                                        // -- End function
	.type	sieve,@object                   // @sieve
	.lcomm	sieve,2501,8
	.type	.L.str,@object                  // @.str
	.section	.rodata.str1.1,"aMS",@progbits,1
.L.str:
	.string	"%u primes, last %u, sum %u, gap %u\n"
	.size	.L.str, 36

	.type	.L.str.1,@object                // @.str.1
.L.str.1:
	.string	"%u "
	.size	.L.str.1, 4

	.type	.L.str.3,@object                // @.str.3
.L.str.3:
	.string	"perfect %d\n"
	.size	.L.str.3, 12

	.text
	.globl	main                            // -- Begin function main
	.p2align	4
	.type	main,@function
main:                                   // @main
// %bb.0:
	{
		r17 = #0
		memd(r29+#-16) = r17:16
		allocframe(#112)
	}                                       // 8-byte Folded Spill
	{
		r18 = ##-1985229329
		memd(r29+#96) = r19:18
		memd(r29+#88) = r21:20
	}                                       // 8-byte Folded Spill
	{
		r23 = #0
		r21:20 = combine(#0,#0)
		memd(r29+#80) = r23:22
	}                                       // 8-byte Folded Spill
	{
		r19 = ##19088743
		r0 = add(r29,#56)
	}
	{
		r0 = setbit(r0,#0)
		memd(r29+#72) = r25:24
		memd(r29+#64) = r27:26
	}                                       // 8-byte Folded Spill
	{
		memw(r29+#44) = r0
	}                                       // 4-byte Folded Spill
	.p2align	4
.LBB0_1:                                // =>This Inner Loop Header: Depth=1
	{
		r0 = combine(r19.l,r18.h)
	}
	{
		r16 = lsr(r0,r20)
	}
	{
		call ones
		r0 = r16
	}
	{
		call leading
		r0 = r16
		memw(r29+#36) = r0
	}                                       // 4-byte Folded Spill
	{
		call trailing
		r0 = r16
		memw(r29+#40) = r0
	}                                       // 4-byte Folded Spill
	{
		call ones64
		r24 = r0
		r1:0 = combine(r19,r18)
	}
	{
		call parity
		r25 = r0
		r0 = r16
	}
	{
		call swap
		r26 = r0
		r0 = r16
	}
	{
		call flip
		r27 = r0
		r0 = r16
	}
	{
		call rotate
		r1:0 = combine(r23,r16)
		r22 = r0
		memw(r29+#32) = r23
	}                                       // 4-byte Folded Spill
	{
		r1:0 = combine(r16,##.L.str)
		r2 = memw(r29+#36)
		memw(r29+#12) = r0
	}                                       // 4-byte Folded Reload
	{
		r5:4 = combine(r25,r24)
		r3 = memw(r29+#40)
		memw(r29+#0) = r26
	}                                       // 4-byte Folded Reload
	{
		call printf
		memw(r29+#4) = r27
		memw(r29+#8) = r22
	}
	{
		call leading64
		r1:0 = combine(r19,r18)
	}
	{
		call trailing64
		r22 = r0
		r1:0 = combine(r19,r18)
	}
	{
		call swap64
		r23 = r0
		r1:0 = combine(r19,r18)
	}
	{
		call flip64
		r25:24 = combine(r1,r0)
		r1:0 = combine(r19,r18)
	}
	{
		call rotate64
		r27:26 = combine(r1,r0)
		r1:0 = combine(r19,r18)
		r2 = r21
	}
	{
		r3:2 = combine(r19,r18)
		r0 = ##.L.str.1
		memd(r29+#16) = r1:0
	}
	{
		call printf
		r5:4 = combine(r23,r22)
		memd(r29+#0) = r25:24
		memd(r29+#8) = r27:26
	}
	{
		call product
		r1 = lsr(r19,#18)
		r2 = add(r29,#28)
		r0 = r16
	}
	{
		r1:0 = combine(r19,r18)
		r3:2 = combine(r17,r16)
		r4 = add(r29,#48)
		r22 = r0
	}
	{
		call product64
	}
	{
		call saturate
		r23 = r0
		r1:0 = combine(r18,r16)
	}
	{
		r1:0 = combine(r0,##.L.str.2)
		r3 = memw(r29+#28)
		r5:4 = memd(r29+#48)
	}
	{
		call printf
		r4 = r23
		r2 = r22
		memd(r29+#0) = r5:4
	}
	{
		call pack
		r0 = add(r29,#56)
		r1 = r16
	}
	{
		r3 = memw(r29+#44)
		r0 = memb(r29+#56)
	}                                       // 4-byte Folded Reload
	{
		r1 = memub(r3+#2)
		r2 = memub(r3+#3)
	}
	{
		r4 = asl(r2,#24)
		r2 = memub(r3+#1)
		r7 = memub(r3+#0)
	}
	{
		r4 |= asl(r1,#16)
		r2 = asl(r2,#8)
		r1 = and(r0,#7)
		r6 = memub(r3+#5)
	}
	{
		r4 |= or(r2,r7)
		r5 = memub(r3+#4)
		r2 = memub(r3+#6)
	}
	{
		r5 |= asl(r6,#8)
		r3 = extractu(r4,#17,#0)
	}
	{
		r5 |= asl(r2,#16)
		r2 = extract(r0,#5,#3)
		r0 = ##.L.str.3
	}
	{
		r5:4 = extractu(r5:4,#39,#17)
		call printf
	}
	{
		r3 = ##1284865837
		r2 = ##1481765933
	}
	{
		r1:0 = mpyu(r18,r3)
		r21 = add(r21,#9)
		r23 = memw(r29+#32)
	}                                       // 4-byte Folded Reload
	{
		r1 += mpyi(r18,r2)
		r23 = add(r23,#5)
		r2 = ##-144211633
	}
	{
		r1 += mpyi(r3,r19)
		r3 = ##335903614
	}
	{
		r19:18 = add(r1:0,r3:2)
		r20 = add(r20,#3)
		if (!cmp.eq(r20.new,#24)) jump:t .LBB0_1
	}
// %bb.2:
	{
		r0 = #0
		r17:16 = memd(r29+#104)
		r19:18 = memd(r29+#96)
	}                                       // 8-byte Folded Reload
	{
		r21:20 = memd(r29+#88)
		r23:22 = memd(r29+#80)
	}                                       // 8-byte Folded Reload
	{
		r25:24 = memd(r29+#72)
		r27:26 = memd(r29+#64)
	}                                       // 8-byte Folded Reload
	{
		r31:30 = dealloc_return(r30):raw
	}
.Lfunc_end0:
	.size	main, .Lfunc_end0-main
                                        // -- End function
	.p2align	4                               // -- Begin function ones
	.type	ones,@function
ones:                                   // @ones
// %bb.0:
	{
		r1 = #0
	}
	{
		r0 = popcount(r1:0)
		jumpr r31
	}
.Lfunc_end1:
	.size	ones, .Lfunc_end1-ones
                                        // -- End function
	.p2align	4                               // -- Begin function leading
	.type	leading,@function
leading:                                // @leading
// %bb.0:
	{
		r0 = cl0(r0)
		jumpr r31
	}
.Lfunc_end2:
	.size	leading, .Lfunc_end2-leading
                                        // -- End function
	.p2align	4                               // -- Begin function trailing
	.type	trailing,@function
trailing:                               // @trailing
// %bb.0:
	{
		r0 = ct0(r0)
		jumpr r31
	}
.Lfunc_end3:
	.size	trailing, .Lfunc_end3-trailing
                                        // -- End function
	.p2align	4                               // -- Begin function ones64
	.type	ones64,@function
ones64:                                 // @ones64
// %bb.0:
	{
		r0 = popcount(r1:0)
		jumpr r31
	}
.Lfunc_end4:
	.size	ones64, .Lfunc_end4-ones64
                                        // -- End function
	.p2align	4                               // -- Begin function parity
	.type	parity,@function
parity:                                 // @parity
// %bb.0:
	{
		r1 = #0
	}
	{
		r0 = popcount(r1:0)
	}
	{
		r0 = and(r0,#1)
		jumpr r31
	}
.Lfunc_end5:
	.size	parity, .Lfunc_end5-parity
                                        // -- End function
	.p2align	4                               // -- Begin function swap
	.type	swap,@function
swap:                                   // @swap
// %bb.0:
	{
		r0 = swiz(r0)
		jumpr r31
	}
.Lfunc_end6:
	.size	swap, .Lfunc_end6-swap
                                        // -- End function
	.p2align	4                               // -- Begin function flip
	.type	flip,@function
flip:                                   // @flip
// %bb.0:
	{
		r0 = brev(r0)
		jumpr r31
	}
.Lfunc_end7:
	.size	flip, .Lfunc_end7-flip
                                        // -- End function
	.p2align	4                               // -- Begin function rotate
	.type	rotate,@function
rotate:                                 // @rotate
// %bb.0:
	{
		r3:2 = combine(r0,r0)
	}
	{
		r1:0 = asl(r3:2,r1)
	}
	{
		r0 = r1
		jumpr r31
	}
.Lfunc_end8:
	.size	rotate, .Lfunc_end8-rotate
                                        // -- End function
	.p2align	4                               // -- Begin function leading64
	.type	leading64,@function
leading64:                              // @leading64
// %bb.0:
	{
		r0 = cl0(r1:0)
		jumpr r31
	}
.Lfunc_end9:
	.size	leading64, .Lfunc_end9-leading64
                                        // -- End function
	.p2align	4                               // -- Begin function trailing64
	.type	trailing64,@function
trailing64:                             // @trailing64
// %bb.0:
	{
		r0 = ct0(r1:0)
		jumpr r31
	}
.Lfunc_end10:
	.size	trailing64, .Lfunc_end10-trailing64
                                        // -- End function
	.p2align	4                               // -- Begin function swap64
	.type	swap64,@function
swap64:                                 // @swap64
// %bb.0:
	{
		r2 = swiz(r1)
		r3 = swiz(r0)
	}
	{
		r1:0 = combine(r3,r2)
		jumpr r31
	}
.Lfunc_end11:
	.size	swap64, .Lfunc_end11-swap64
                                        // -- End function
	.p2align	4                               // -- Begin function flip64
	.type	flip64,@function
flip64:                                 // @flip64
// %bb.0:
	{
		r1:0 = brev(r1:0)
		jumpr r31
	}
.Lfunc_end12:
	.size	flip64, .Lfunc_end12-flip64
                                        // -- End function
	.p2align	4                               // -- Begin function rotate64
	.type	rotate64,@function
rotate64:                               // @rotate64
// %bb.0:
	{
		r2 = and(r2,#63)
	}
	{
		r7:6 = asl(r1:0,r2)
		r4 = add(r2,#-64)
	}
	{
		r7:6 |= lsl(r1:0,r4)
	}
	{
		r1:0 = combine(r7,r6)
		jumpr r31
	}
.Lfunc_end13:
	.size	rotate64, .Lfunc_end13-rotate64
                                        // -- End function
	.p2align	4                               // -- Begin function product
	.type	product,@function
product:                                // @product
// %bb.0:
	{
		r3 = mpyi(r0,r1)
		r5 = mpy(r0,r1)
		memw(r2+#0) = r3.new
	}
	{
		r4 = asr(r3,#31)
	}
	{
		r0 = !cmp.eq(r5,r4)
		jumpr r31
	}
.Lfunc_end14:
	.size	product, .Lfunc_end14-product
                                        // -- End function
	.p2align	4                               // -- Begin function product64
	.type	product64,@function
product64:                              // @product64
// %bb.0:
	{
		r7:6 = mpyu(r0,r2)
		r13:12 = mpyu(r0,r3)
		memd(r29+#-16) = r17:16
		allocframe(#16)
	}                                       // 8-byte Folded Spill
	{
		r11 = extractu(r1,#31,#0)
		r17:16 = asr(r3:2,#63)
		r9:8 = combine(#0,r7)
		r10 = r0
	}
	{
		r11:10 = and(r17:16,r11:10)
		r15:14 = combine(r9,r8)
		r8 = r12
		memd(r29+#0) = r19:18
	}                                       // 8-byte Folded Spill
	{
		r15:14 += mpyu(r1,r2)
		r19 = extractu(r3,#31,#0)
		r18 = r2
	}
	{
		r15:14 = add(r15:14,r9:8)
		r17:16 = asr(r1:0,#63)
	}
	{
		r7 += mpyi(r0,r3)
		r17:16 = and(r17:16,r19:18)
		r8 = r15
		r19:18 = memd(r29+#0)
	}                                       // 8-byte Folded Reload
	{
		r7 += mpyi(r2,r1)
		r11:10 = add(r17:16,r11:10)
		r15:14 = combine(r9,r8)
		r8 = r13
	}
	{
		r15:14 += mpyu(r1,r3)
		r3:2 = asr(r7:6,#63)
		r17:16 = memd(r29+#8)
		memd(r4+#0) = r7:6
	}                                       // 8-byte Folded Reload
	{
		r1:0 = add(r15:14,r9:8)
	}
	{
		r1:0 = sub(r1:0,r11:10)
	}
	{
		p0 = cmp.eq(r1:0,r3:2)
	}
	{
		r0 = mux(p0,#0,#1)
		r31:30 = dealloc_return(r30):raw
	}
.Lfunc_end15:
	.size	product64, .Lfunc_end15-product64
                                        // -- End function
	.p2align	4                               // -- Begin function saturate
	.type	saturate,@function
saturate:                               // @saturate
// %bb.0:
	{
		r0 = add(r0,r1):sat
		jumpr r31
	}
.Lfunc_end16:
	.size	saturate, .Lfunc_end16-saturate
                                        // -- End function
	.p2align	4                               // -- Begin function pack
	.type	pack,@function
pack:                                   // @pack
// %bb.0:
	{
		r3 = mpyi(r1,r1)
		r2 = ##-1708523520
		r4 = #3767
	}
	{
		r7:6 = mpyu(r1,r2)
		r5 = asr(r1,#31)
		r8 = and(r3,##131069)
	}
	{
		r3 = extractu(r3,#9,#8)
		r7 += mpyi(r1,r4)
		memb(r0+#2) = r3.new
	}
	{
		r1 = insert(r1,#29,#3)
		memb(r0+#1) = r8
	}
	{
		r7 += mpyi(r2,r5)
		memb(r0+#0) = r1
	}
	{
		r3:2 = lsr(r7:6,#40)
		r5:4 = lsr(r7:6,#24)
		memb(r0+#5) = r7
	}
	{
		r4 = extractu(r2,#16,#8)
		r3 = or(r6,r8)
		memb(r0+#4) = r4
		memb(r0+#6) = r2
	}
	{
		r2 = lsr(r3,#16)
		memb(r0+#7) = r4
	}
	{
		jumpr r31
		memb(r0+#3) = r2
	}
.Lfunc_end17:
	.size	pack, .Lfunc_end17-pack
                                        // -- End function
	.type	.L.str,@object                  // @.str
	.section	.rodata.str1.1,"aMS",@progbits,1
.L.str:
	.string	"%08x %2d %2d %2d %2d %d %08x %08x %08x\n"
	.size	.L.str, 40

	.type	.L.str.1,@object                // @.str.1
.L.str.1:
	.string	"%016llx %2d %2d %016llx %016llx %016llx\n"
	.size	.L.str.1, 41

	.type	.L.str.2,@object                // @.str.2
.L.str.2:
	.string	"%d %d %d %d %lld\n"
	.size	.L.str.2, 18

	.type	.L.str.3,@object                // @.str.3
.L.str.3:
	.string	"%u %d %u %llu\n"
	.size	.L.str.3, 15

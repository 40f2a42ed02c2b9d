	.text
	.globl	main                            // -- Begin function main
	.p2align	4
	.type	main,@function
main:                                   // @main
// %bb.0:
	{
		r17:16 = combine(##operations,#4)
		memd(r29+#-16) = r17:16
		allocframe(#88)
	}                                       // 8-byte Folded Spill
	{
		r1:0 = combine(#6,#2)
		r3:2 = combine(#9,#-5)
		r5:4 = combine(#1,#4)
		r7:6 = combine(#-1,#3)
	}
	{
		memd(r29+#72) = r1:0
		memd(r29+#64) = r3:2
	}
	{
		memd(r29+#56) = r5:4
		memd(r29+#48) = r7:6
	}
	.p2align	4
.LBB0_1:                                // =>This Inner Loop Header: Depth=1
	{
		r1 = cmp.eq(r16,#2)
		r0 = ##.L__const.main.v
		r2 = memw(r17++#4)
	}
	{
		call fold
	}
	{
		call printf
		r1:0 = combine(r0,##.L.str)
	}
	{
		r16 = add(r16,#-1)
		if (!cmp.eq(r16.new,#0)) jump:t .LBB0_1
	}
// %bb.2:
	{
		call putchar
		r0 = #10
	}
	{
		call rectangle
		r0 = ##shapes
	}
	{
		r0 = ##.L.str.2
		r2 = r0
	}
	{
		call printf
		r1 = ##.L.str.6
	}
	{
		call triangle
		r0 = ##shapes+16
	}
	{
		r0 = ##.L.str.2
		r2 = r0
	}
	{
		call printf
		r1 = ##.L.str.7
	}
	{
		r0 = add(r29,#48)
		r1 = ##scale
		r5:4 = combine(#0,#0)
	}
	{
		r2 = add(r29,#4)
		memd(r29+#24) = r5:4
		memw(r29+#4) = ##1000001
	}
	{
		call each
	}
	{
		r1 = ##sum
		r0 = add(r29,#48)
		r2 = add(r29,#24)
	}
	{
		call each
	}
	{
		call forward
		r17:16 = memd(r29+#24)
	}
	{
		r3:2 = combine(r17,r16)
		r0 = ##.L.str.3
		r4 = r0
	}
	{
		call printf
	}
	{
		r0 = ##.L__const.main.s
	}
	{
		r1 = memw(r0+#8)
		memw(r29+#20) = r1.new
	}
	{
		r1 = memw(r0+#4)
		memw(r29+#16) = r1.new
	}
	{
		r0 = memw(r0+#0)
		memw(r29+#12) = r0.new
	}
	{
		r0 = add(r29,#12)
	}
	.p2align	4
.LBB0_3:                                // =>This Inner Loop Header: Depth=1
	{
		r1 = memw(r0+#0)
	}
	{
		callr r1
	}
	{
		p0 = cmp.eq(r0,#0); if (!p0.new) jump:t .LBB0_3
	}
// %bb.4:
	{
		call printf
		r0 = ##.L.str.4
		r1 = memw(r29+#20)
	}
	{
		r0 = #0
		r2 = ##1700292941
		memb(r29+#42) = r0.new
	}
	{
		r3 = ##1633886276
		r0 = add(r29,#32)
	}
	{
		r1 = ##toupper
		memd(r29+#32) = r3:2
	}
	{
		call map
		memh(r29+#40) = ##25939
	}
	{
		call puts
		r0 = add(r29,#32)
	}
	{
		call map
		r1 = ##tolower
		r0 = add(r29,#32)
	}
	{
		call puts
		r0 = add(r29,#32)
	}
	{
		r0 = add(r29,#32)
		memw(r29+#8) = ##strlen
		r1 = memw(r29+#8)

	} :mem_noshuf
	{
		callr r1
	}
	{
		call printf
		r1:0 = combine(r0,##.L.str.5)
	}
	{
		r0 = #0
		r17:16 = memd(r29+#80)
		dealloc_return
	}                                       // 8-byte Folded Reload
.Lfunc_end0:
	.size	main, .Lfunc_end0-main
                                        // -- End function
	.p2align	4                               // -- Begin function fold
	.type	fold,@function
fold:                                   // @fold
// %bb.0:
	{
		r17:16 = combine(r0,r2)
		r0 = r1
		memd(r29+#-16) = r17:16
		allocframe(#16)
	}                                       // 8-byte Folded Spill
	{
		r18 = #8
		memd(r29+#0) = r19:18
	}                                       // 8-byte Folded Spill
	.p2align	4
.LBB1_1:                                // =>This Inner Loop Header: Depth=1
	{
		callr r16
		r1 = memw(r17++#4)
	}
	{
		r18 = add(r18,#-1)
		if (!cmp.eq(r18.new,#0)) jump:t .LBB1_1
	}
// %bb.2:
	{
		r17:16 = memd(r29+#8)
		r19:18 = memd(r29+#0)
	}                                       // 8-byte Folded Reload
	{
		r31:30 = dealloc_return(r30):raw
	}
.Lfunc_end1:
	.size	fold, .Lfunc_end1-fold
                                        // -- End function
	.p2align	4                               // -- Begin function each
	.type	each,@function
each:                                   // @each
// %bb.0:
	{
		r17:16 = combine(r1,r2)
		memd(r29+#-16) = r17:16
		allocframe(#16)
	}                                       // 8-byte Folded Spill
	{
		r19:18 = combine(#8,r0)
		memd(r29+#0) = r19:18
	}                                       // 8-byte Folded Spill
	.p2align	4
.LBB2_1:                                // =>This Inner Loop Header: Depth=1
	{
		r1:0 = combine(r16,r18)
		callr r17
		r18 = add(r18,#4)
	}
	{
		r19 = add(r19,#-1)
		if (!cmp.eq(r19.new,#0)) jump:t .LBB2_1
	}
// %bb.2:
	{
		r17:16 = memd(r29+#8)
		r19:18 = memd(r29+#0)
	}                                       // 8-byte Folded Reload
	{
		r31:30 = dealloc_return(r30):raw
	}
.Lfunc_end2:
	.size	each, .Lfunc_end2-each
                                        // -- End function
	.p2align	4                               // -- Begin function scale
	.type	scale,@function
scale:                                  // @scale
// %bb.0:
	{
		r1 = memw(r1+#0)
		r2 = memw(r0+#0)
	}
	{
		r1 = mpyi(r2,r1)
		jumpr r31
		memw(r0+#0) = r1.new
	}
.Lfunc_end3:
	.size	scale, .Lfunc_end3-scale
                                        // -- End function
	.p2align	4                               // -- Begin function sum
	.type	sum,@function
sum:                                    // @sum
// %bb.0:
	{
		r3:2 = memd(r1+#0)
		r0 = memw(r0+#0)
	}
	{
		r3:2 = add(r1:0,r3:2):raw:lo
	}
	{
		jumpr r31
		memd(r1+#0) = r3:2
	}
.Lfunc_end4:
	.size	sum, .Lfunc_end4-sum
                                        // -- End function
	.p2align	4                               // -- Begin function forward
	.type	forward,@function
forward:                                // @forward
// %bb.0:
	{
		r0 = #-7
		jumpr r31
	}
.Lfunc_end5:
	.size	forward, .Lfunc_end5-forward
                                        // -- End function
	.p2align	4                               // -- Begin function sub
	.type	sub,@function
sub:                                    // @sub
// %bb.0:
	{
		r0 = sub(r0,r1)
		jumpr r31
	}
.Lfunc_end6:
	.size	sub, .Lfunc_end6-sub
                                        // -- End function
	.p2align	4                               // -- Begin function up
	.type	up,@function
up:                                     // @up
// %bb.0:
	{
		r1 = memw(r0+#4)
		memw(r0+#0) = ##down
	}
	{
		r1 = add(#1,mpyi(r1,#3))
		jumpr r31
		memw(r0+#4) = r1.new
	}
.Lfunc_end7:
	.size	up, .Lfunc_end7-up
                                        // -- End function
	.p2align	4                               // -- Begin function map
	.type	map,@function
map:                                    // @map
// %bb.0:
	{
		memd(r29+#-16) = r17:16
		allocframe(#8)
	}                                       // 8-byte Folded Spill
	{
		r2 = memb(r0+#0)
	}
	{
		p0 = cmp.eq(r2,#0)
		if (p0.new) r17:16 = memd(r29+#0)
		if (p0.new) r31:30 = dealloc_return(r30):t:raw
	}                                       // 8-byte Folded Reload
.LBB8_1:
	{
		r16 = r1
		r17 = add(r0,#1)
	}
	.p2align	4
.LBB8_2:                                // =>This Inner Loop Header: Depth=1
	{
		r0 = and(r2,#255)
		callr r16
	}
	{
		r17 = add(r17,#1)
		r2 = memb(r17+#0)
		memb(r17+#-1) = r0
	}
	{
		p0 = cmp.eq(r2,#0); if (!p0.new) jump:t .LBB8_2
	}
// %bb.3:
	{
		r17:16 = memd(r29+#0)
		dealloc_return
	}                                       // 8-byte Folded Reload
.Lfunc_end8:
	.size	map, .Lfunc_end8-map
                                        // -- End function
	.p2align	4                               // -- Begin function add
	.type	add,@function
add:                                    // @add
// %bb.0:
	{
		r0 = add(r1,r0)
		jumpr r31
	}
.Lfunc_end9:
	.size	add, .Lfunc_end9-add
                                        // -- End function
	.p2align	4                               // -- Begin function mul
	.type	mul,@function
mul:                                    // @mul
// %bb.0:
	{
		r0 = mpyi(r1,r0)
		jumpr r31
	}
.Lfunc_end10:
	.size	mul, .Lfunc_end10-mul
                                        // -- End function
	.p2align	4                               // -- Begin function larger
	.type	larger,@function
larger:                                 // @larger
// %bb.0:
	{
		r0 = max(r0,r1)
		jumpr r31
	}
.Lfunc_end11:
	.size	larger, .Lfunc_end11-larger
                                        // -- End function
	.p2align	4                               // -- Begin function rectangle
	.type	rectangle,@function
rectangle:                              // @rectangle
// %bb.0:
	{
		r1 = memw(r0+#12)
		r2 = memw(r0+#8)
	}
	{
		r0 = mpyi(r1,r2)
		jumpr r31
	}
.Lfunc_end12:
	.size	rectangle, .Lfunc_end12-rectangle
                                        // -- End function
	.p2align	4                               // -- Begin function triangle
	.type	triangle,@function
triangle:                               // @triangle
// %bb.0:
	{
		r1 = memw(r0+#12)
		r2 = memw(r0+#8)
	}
	{
		r0 = mpyi(r1,r2)
	}
	{
		r0 += lsr(r0,#31)
	}
	{
		r0 = asr(r0,#1)
		jumpr r31
	}
.Lfunc_end13:
	.size	triangle, .Lfunc_end13-triangle
                                        // -- End function
	.p2align	4                               // -- Begin function down
	.type	down,@function
down:                                   // @down
// %bb.0:
	{
		r1 = r0
		r2 = memw(r0+#4)
		memw(r0+#8) += #1
	}
	{
		r2 += lsr(r2,#31)
		r3 = clrbit(r2,#0)
	}
	{
		p1 = tstbit(r2,#1)
		r2 = asr(r2,#1)
		p0 = cmp.eq(r3,#2)
		memw(r1+#4) = r2.new
	}
	{
		if (p1) r3 = ##up
		r0 = mux(p0,#0,r1)
	}
	{
		if (!p1) r3 = ##down
	}
	{
		jumpr r31
		memw(r1+#0) = r3
	}
.Lfunc_end14:
	.size	down, .Lfunc_end14-down
                                        // -- End function
	.type	.L__const.main.v,@object        // @__const.main.v
	.section	.rodata.cst32,"aM",@progbits,32
	.p2align	3, 0x0
.L__const.main.v:
	.word	3                               // 0x3
	.word	4294967295                      // 0xffffffff
	.word	4                               // 0x4
	.word	1                               // 0x1
	.word	4294967291                      // 0xfffffffb
	.word	9                               // 0x9
	.word	2                               // 0x2
	.word	6                               // 0x6
	.size	.L__const.main.v, 32

	.type	.L.str,@object                  // @.str
	.section	.rodata.str1.1,"aMS",@progbits,1
.L.str:
	.string	"%d "
	.size	.L.str, 4

	.type	operations,@object              // @operations
	.section	.rodata,"a",@progbits
	.p2align	3, 0x0
operations:
	.word	add
	.word	sub
	.word	mul
	.word	larger
	.size	operations, 16

	.type	.L.str.2,@object                // @.str.2
	.section	.rodata.str1.1,"aMS",@progbits,1
.L.str.2:
	.string	"%s %ld\n"
	.size	.L.str.2, 8

	.type	shapes,@object                  // @shapes
	.section	.rodata,"a",@progbits
	.p2align	3, 0x0
shapes:
	.word	.L.str.6
	.word	rectangle
	.word	7                               // 0x7
	.word	9                               // 0x9
	.word	.L.str.7
	.word	triangle
	.word	12                              // 0xc
	.word	5                               // 0x5
	.size	shapes, 32

	.type	.L.str.3,@object                // @.str.3
	.section	.rodata.str1.1,"aMS",@progbits,1
.L.str.3:
	.string	"%lld %d\n"
	.size	.L.str.3, 9

	.type	.L__const.main.s,@object        // @__const.main.s
	.section	.rodata,"a",@progbits
	.p2align	2, 0x0
.L__const.main.s:
	.word	up
	.word	27                              // 0x1b
	.word	0                               // 0x0
	.size	.L__const.main.s, 12

	.type	.L.str.4,@object                // @.str.4
	.section	.rodata.str1.1,"aMS",@progbits,1
.L.str.4:
	.string	"%d halvings\n"
	.size	.L.str.4, 13

	.type	.L__const.main.word,@object     // @__const.main.word
	.section	.rodata.str1.8,"aMS",@progbits,1
	.p2align	3, 0x0
.L__const.main.word:
	.string	"MiXeD caSe"
	.size	.L__const.main.word, 11

	.type	.L.str.5,@object                // @.str.5
	.section	.rodata.str1.1,"aMS",@progbits,1
.L.str.5:
	.string	"%zu\n"
	.size	.L.str.5, 5

	.type	.L.str.6,@object                // @.str.6
.L.str.6:
	.string	"rectangle"
	.size	.L.str.6, 10

	.type	.L.str.7,@object                // @.str.7
.L.str.7:
	.string	"triangle"
	.size	.L.str.7, 9

	.text
	.globl	main                            // -- Begin function main
	.p2align	4
	.type	main,@function
main:                                   // @main
// %bb.0:
	{
		r14 = #0
		r1:0 = combine(#0,#0)
		allocframe(#168)
	}
	{
		r15 = ##1072693248
		r1 = #0
		memd(r29+#64) = r1:0
	}
	{
		r3 = ##-1073479680
		r2 = #0
	}
	{
		r4 = ##1405670641
		r5 = ##1074340347
	}
	{
		r6 = ##536870912
		r7 = ##1107468383
	}
	{
		r8 = ##-755914244
		r9 = ##-1085250995
	}
	{
		r12 = ##-927712936
		r13 = ##1086856406
	}
	{
		memd(r29+#160) = r17:16
		memd(r29+#152) = r19:18
	}                                       // 8-byte Folded Spill
	{
		memd(r29+#144) = r21:20
		memd(r29+#136) = r23:22
	}                                       // 8-byte Folded Spill
	{
		memd(r29+#128) = r25:24
		memd(r29+#120) = r27:26
	}                                       // 8-byte Folded Spill
	{
		memd(r29+#72) = r15:14
		memd(r29+#80) = r3:2
	}
	{
		memd(r29+#88) = r5:4
		memd(r29+#96) = r7:6
	}
	{
		memd(r29+#104) = r9:8
		memd(r29+#112) = r13:12
	}
	.p2align	4
.LBB0_1:                                // =>This Loop Header: Depth=1
                                        //     Child Loop BB0_4 Depth 2
	{
		r0 = add(r29,#64)
		memw(r29+#48) = r1
	}                                       // 4-byte Folded Spill
	{
		r27:26 = memd(r0+r1<<#3)
	}
	{
		r16 = convert_df2sf(r27:26)
	}
	{
		call divide
		r0 = r16
	}
	{
		r1 = add(r29,#40)
		r2 = #4
		r0 = add(r29,#44)
		memw(r29+#40) = r0
	}
	{
		call memcpy
	}
	{
		r3 = togglebit(r16,#31)
		r1 = add(r29,#40)
		r2 = #4
		r0 = add(r29,#44)
	}
	{
		call memcpy
		r3 += sfmpy(r16,r16)
		r19 = memw(r29+#44)
		memw(r29+#40) = r3.new
	}
	{
		r0 = ##1065353216
		r20 = memw(r29+#44)
	}
	{
		call root
		r0 += sfmpy(r16,r16)
	}
	{
		r1 = add(r29,#40)
		r2 = #4
		r0 = add(r29,#44)
		memw(r29+#40) = r0
	}
	{
		call memcpy
	}
	{
		r1 = ##1105055077
		r0 = #0
		r2 = #0
	}
	{
		p0 = dfcmp.uo(r1:0,r27:26)
		p1 = dfcmp.gt(r1:0,r27:26)
		r21 = memw(r29+#44)
	}
	{
		p0 = and(p1,!p0)
	}
	{
		call truncated
		r0 = mux(p0,r26,r2)
		r1 = mux(p0,r27,r2)
	}
	{
		call fabsf
		r22 = r0
		r0 = r16
	}
	{
		r1 = ##1332636456
	}
	{
		p0 = sfcmp.ge(r0,r1)
		p1 = sfcmp.uo(r0,r1)
		r0 = #0
	}
	{
		p0 = or(p1,p0)
		if (p0.new) jump:t .LBB0_3
	}
// %bb.2:                               //   in Loop: Header=BB0_1 Depth=1
	{
		call fabsf
		r0 = r16
	}
.LBB0_3:                                //   in Loop: Header=BB0_1 Depth=1
	{
		call utruncated
	}
	{
		r3 = ##1093567616
		r2 = #0
		r23 = r0
	}
	{
		r5:4 = dfmpyfix(r3:2,r27:26)
		r7:6 = dfmpyfix(r27:26,r3:2)
	}
	{
		r3:2 = dfmpyll(r7:6,r5:4)
	}
	{
		r3:2 += dfmpylh(r7:6,r5:4)
	}
	{
		r3:2 += dfmpylh(r5:4,r7:6)
	}
	{
		r3:2 += dfmpyhh(r7:6,r5:4)
	}
	{
		call wide
		r1:0 = combine(r3,r2)
	}
	{
		r1:0 = combine(r19,##.L.str)
		r3:2 = combine(r21,r20)
		memd(r29+#0) = r1:0
	}
	{
		call printf
		r5:4 = combine(r23,r22)
	}
	{
		call divided
		r1:0 = combine(r27,r26)
	}
	{
		r3:2 = dfmpyfix(r27:26,r27:26)
		r21:20 = combine(r1,r0)
		r1:0 = combine(r27,r26)
	}
	{
		r5:4 = dfmpyll(r3:2,r3:2)
	}
	{
		r5:4 += dfmpylh(r3:2,r3:2)
	}
	{
		r5:4 += dfmpylh(r3:2,r3:2)
	}
	{
		r5:4 += dfmpyhh(r3:2,r3:2)
	}
	{
		call fabs
		r23:22 = dfadd(r5:4,r27:26)
	}
	{
		r1:0 = convert_df2ud(r1:0):chop
	}
	{
		call from_wide
		r1:0 = asl(r1:0,#20)
	}
	{
		r3:2 = combine(r21,r20)
		r0 = ##.L.str.1
		memd(r29+#0) = r1:0
	}
	{
		call printf
		r5:4 = combine(r23,r22)
	}
	{
		call sin
		r1:0 = combine(r27,r26)
	}
	{
		call cos
		r21:20 = combine(r1,r0)
		r1:0 = combine(r27,r26)
	}
	{
		call fabs
		r23:22 = combine(r1,r0)
		r1:0 = combine(r27,r26)
	}
	{
		call __hexagon_divdf3
		r3 = ##-1071382528
		r2 = #0
	}
	{
		call exp
	}
	{
		r25:24 = combine(r1,r0)
		r1:0 = combine(r27,r26)
		r2 = #0
	}
	{
		call atan2
		r3 = ##1073741824
	}
	{
		r3:2 = combine(r21,r20)
		r0 = ##.L.str.2
		memd(r29+#8) = r1:0
	}
	{
		call printf
		r5:4 = combine(r23,r22)
		memd(r29+#0) = r25:24
	}
	{
		call fabs
		r1:0 = combine(r27,r26)
	}
	{
		r3 = ##1072693248
		r2 = #0
		memw(r29+#52) = r16
	}                                       // 4-byte Folded Spill
	{
		call log
		r1:0 = dfadd(r1:0,r3:2)
		r17:16 = combine(r3,r2)
	}
	{
		call fabs
		r1:0 = combine(r27,r26)
		memd(r29+#56) = r1:0
	}                                       // 8-byte Folded Spill
	{
		r1:0 = dfadd(r1:0,r17:16)
		r3 = ##1070596096
		r2 = #0
	}
	{
		call pow
	}
	{
		call tanh
		r23:22 = combine(r1,r0)
		r1:0 = combine(r27,r26)
	}
	{
		call floor
		r25:24 = combine(r1,r0)
		r1:0 = combine(r27,r26)
	}
	{
		call ceil
		r17:16 = combine(r1,r0)
		r1:0 = combine(r27,r26)
	}
	{
		call trunc
		r21:20 = combine(r1,r0)
		r1:0 = combine(r27,r26)
	}
	{
		call round
		r19:18 = combine(r1,r0)
		r1:0 = combine(r27,r26)
	}
	{
		r0 = ##.L.str.3
		r3:2 = memd(r29+#56)
		memd(r29+#32) = r1:0
	}                                       // 8-byte Folded Reload
	{
		r5:4 = combine(r23,r22)
		memd(r29+#0) = r25:24
		memd(r29+#8) = r17:16
	}
	{
		call printf
		memd(r29+#16) = r21:20
		memd(r29+#24) = r19:18
	}
	{
		r18 = memw(r29+#52)
	}                                       // 4-byte Folded Reload
	{
		call sinf
		r0 = r18
	}
	{
		call fabsf
		r21:20 = convert_sf2df(r0)
		r0 = r18
	}
	{
		r4 = ##-1054867456
		r3 = ##1065353216
	}
	{
		r1,p0 = sfrecipa(r0,r4)
		r2 = sffixupd(r0,r4)
	}
	{
		r4 = sffixupn(r0,r4)
	}
	{
		r3 -= sfmpy(r2,r1):lib
	}
	{
		r0 = and(r4,##-2147483648)
		r5 = r4
	}
	{
		r1 += sfmpy(r3,r1):lib
		r3 = ##1065353216
	}
	{
		r0 += sfmpy(r4,r1):lib
		r3 -= sfmpy(r2,r1):lib
	}
	{
		r1 += sfmpy(r3,r1):lib
		r5 -= sfmpy(r2,r0):lib
	}
	{
		r0 += sfmpy(r5,r1):lib
	}
	{
		r4 -= sfmpy(r0,r2):lib
	}
	{
		call expf
		r0 += sfmpy(r4,r1,p0):scale
	}
	{
		call fabsf
		r17:16 = convert_sf2df(r0)
		r0 = r18
	}
	{
		r1 = ##1065353216
	}
	{
		call logf
		r0 = sfadd(r0,r1)
	}
	{
		r19:18 = convert_sf2df(r0)
		r1:0 = combine(r27,r26)
		r2 = #0
	}
	{
		call fmod
		r3 = ##1073479680
	}
	{
		r3:2 = combine(r21,r20)
		r0 = ##.L.str.4
		memd(r29+#8) = r1:0
	}
	{
		call printf
		r5:4 = combine(r17,r16)
		r16 = #7
		memd(r29+#0) = r19:18
	}
	{
		r17 = add(r29,#64)
	}
	.p2align	4
.LBB0_4:                                //   Parent Loop BB0_1 Depth=1
                                        // =>  This Inner Loop Header: Depth=2
	{
		call order
		r1:0 = combine(r27,r26)
		r3:2 = memd(r17++#8)
	}
	{
		call printf
		r1:0 = combine(r0,##.L.str.5)
	}
	{
		r16 = add(r16,#-1)
		if (!cmp.eq(r16.new,#0)) jump:t .LBB0_4
	}
// %bb.5:                               //   in Loop: Header=BB0_1 Depth=1
	{
		call puts
		r0 = ##.L.str.6
	}
	{
		r1 = memw(r29+#48)
	}                                       // 4-byte Folded Reload
	{
		r1 = add(r1,#1)
		if (!cmp.eq(r1.new,#7)) jump:t ##.LBB0_1
	}
// %bb.6:
	{
		r23 = ##1072693248
		r22 = #0
		r0 = #0
	}
	{
		call order
		r1 = ##2146959360
		r3:2 = combine(r23,r22)
	}
	{
		r0 = #0
		r1 = ##2146435072
		r18 = r0
	}
	{
		r2 = ##-2048145248
		r3 = ##2145504499
	}
	{
		call order
	}
	{
		call printf
		r2 = r0
		r1:0 = combine(r18,##.L.str.7)
	}
	{
		r19 = #0
		r3:2 = combine(r23,r22)
		r18 = #0
		r16 = #19
	}
	{
		r1:0 = combine(r23,r22)
	}
	.p2align	4
.LBB0_7:                                // =>This Inner Loop Header: Depth=1
	{
		r19:18 = dfadd(r19:18,r1:0)
		r21:20 = dfadd(r3:2,r23:22)
	}
	{
		call __hexagon_divdf3
	}
	{
		r3:2 = combine(r21,r20)
		r16 = add(r16,#-1)
		if (!cmp.eq(r16.new,#0)) jump:t .LBB0_7
	}
// %bb.8:
	{
		call printf
		r0 = ##.L.str.8
		r3:2 = combine(r19,r18)
	}
	{
		r1 = ##1083394560
		r0 = #0
		r2 = add(r29,#40)
	}
	{
		call frexp
	}
	{
		r17:16 = combine(r1,r0)
		r1 = ##1072168960
		r0 = #0
	}
	{
		call ldexp
		r2 = #5
		r18 = memw(r29+#40)
	}
	{
		r21:20 = combine(r1,r0)
		r1 = ##1074266112
		r0 = #0
	}
	{
		call hypot
		r3 = ##1074790400
		r2 = #0
	}
	{
		r3:2 = combine(r17,r16)
		r0 = ##.L.str.9
		memd(r29+#8) = r1:0
	}
	{
		call printf
		r4 = r18
		memd(r29+#0) = r21:20
	}
	{
		r0 = #0
		r17:16 = memd(r29+#160)
		r19:18 = memd(r29+#152)
	}                                       // 8-byte Folded Reload
	{
		r21:20 = memd(r29+#144)
		r23:22 = memd(r29+#136)
	}                                       // 8-byte Folded Reload
	{
		r25:24 = memd(r29+#128)
		r27:26 = memd(r29+#120)
	}                                       // 8-byte Folded Reload
	{
		r31:30 = dealloc_return(r30):raw
	}
.Lfunc_end0:
	.size	main, .Lfunc_end0-main
                                        // -- End function
	.p2align	4                               // -- Begin function divide
	.type	divide,@function
divide:                                 // @divide
// %bb.0:
	{
		r1 = ##1080872141
		r2 = ##1065353216
	}
	{
		r4 = sffixupn(r0,r1)
		r5,p0 = sfrecipa(r0,r1)
		r3 = ##1065353216
	}
	{
		r1 = sffixupd(r0,r1)
	}
	{
		r0 = and(r4,##-2147483648)
		r6 = r4
	}
	{
		r2 -= sfmpy(r1,r5):lib
	}
	{
		r5 += sfmpy(r2,r5):lib
	}
	{
		r0 += sfmpy(r4,r5):lib
		r3 -= sfmpy(r1,r5):lib
	}
	{
		r6 -= sfmpy(r1,r0):lib
		r5 += sfmpy(r3,r5):lib
	}
	{
		r0 += sfmpy(r6,r5):lib
	}
	{
		r4 -= sfmpy(r0,r1):lib
	}
	{
		r0 += sfmpy(r4,r5,p0):scale
		jumpr r31
	}
.Lfunc_end1:
	.size	divide, .Lfunc_end1-divide
                                        // -- End function
	.p2align	4                               // -- Begin function root
	.type	root,@function
root:                                   // @root
// %bb.0:
	{
		jump sqrtf
	}
.Lfunc_end2:
	.size	root, .Lfunc_end2-root
                                        // -- End function
	.p2align	4                               // -- Begin function truncated
	.type	truncated,@function
truncated:                              // @truncated
// %bb.0:
	{
		r0 = convert_df2w(r1:0):chop
		jumpr r31
	}
.Lfunc_end3:
	.size	truncated, .Lfunc_end3-truncated
                                        // -- End function
	.p2align	4                               // -- Begin function utruncated
	.type	utruncated,@function
utruncated:                             // @utruncated
// %bb.0:
	{
		r0 = convert_sf2uw(r0):chop
		jumpr r31
	}
.Lfunc_end4:
	.size	utruncated, .Lfunc_end4-utruncated
                                        // -- End function
	.p2align	4                               // -- Begin function wide
	.type	wide,@function
wide:                                   // @wide
// %bb.0:
	{
		r1:0 = convert_df2d(r1:0):chop
		jumpr r31
	}
.Lfunc_end5:
	.size	wide, .Lfunc_end5-wide
                                        // -- End function
	.p2align	4                               // -- Begin function divided
	.type	divided,@function
divided:                                // @divided
// %bb.0:
	{
		r3 = ##1075576832
		r2 = #0
	}
	{
		jump __hexagon_divdf3
	}
.Lfunc_end6:
	.size	divided, .Lfunc_end6-divided
                                        // -- End function
	.p2align	4                               // -- Begin function from_wide
	.type	from_wide,@function
from_wide:                              // @from_wide
// %bb.0:
	{
		r1:0 = convert_ud2df(r1:0)
		jumpr r31
	}
.Lfunc_end7:
	.size	from_wide, .Lfunc_end7-from_wide
                                        // -- End function
	.p2align	4                               // -- Begin function order
	.type	order,@function
order:                                  // @order
// %bb.0:
	{
		p1 = dfcmp.uo(r3:2,r1:0)
		p2 = dfcmp.gt(r3:2,r1:0)
		r8 = #0
	}
	{
		p1 = and(p2,!p1)
		p0 = dfcmp.uo(r1:0,r3:2)
		r9 = ##2146435072
	}
	{
		r5 = extractu(r1,#31,#0)
		p2 = dfcmp.gt(r1:0,r3:2)
	}
	{
		p2 = and(p2,!p0)
		r4 = mux(p1,#3,#2)
	}
	{
		r3 = extractu(r3,#31,#0)
		p2 = dfcmp.eq(r1:0,r3:2)
		r6 = mux(p2,r4,#0)
		if (!p2) r4 = #1
	}
	{
		p1 = and(p2,!p0)
		p0 = or(p0,!p2)
		if (!p1) r4 = add(r6,#0)
	}
	{
		r1 = setbit(r4,#2)
	}
	{
		if (!p1) r1 = add(r4,#0)
		r4 = r0
	}
	{
		r3:2 = maxu(r5:4,r3:2)
		r6 = setbit(r1,#3)
	}
	{
		p0 = cmp.gtu(r3:2,r9:8)
		if (!p0) r6 = add(r1,#0)
	}
	{
		r0 = setbit(r6,#4)
	}
	{
		if (!p0) r0 = add(r6,#0)
		jumpr r31
	}
.Lfunc_end8:
	.size	order, .Lfunc_end8-order
                                        // -- End function
	.type	.L.str,@object                  // @.str
	.section	.rodata.str1.1,"aMS",@progbits,1
.L.str:
	.string	"%08x %08x %08x %d %u %lld\n"
	.size	.L.str, 27

	.type	.L.str.1,@object                // @.str.1
.L.str.1:
	.string	"%.15g %.15g %.15g\n"
	.size	.L.str.1, 19

	.type	.L.str.2,@object                // @.str.2
.L.str.2:
	.string	"%.6f %.6f %.6f %.6f\n"
	.size	.L.str.2, 21

	.type	.L.str.3,@object                // @.str.3
.L.str.3:
	.string	"%.6f %.6f %.6f %g %g %g %g\n"
	.size	.L.str.3, 28

	.type	.L.str.4,@object                // @.str.4
.L.str.4:
	.string	"%.4f %.4f %.4f %g\n"
	.size	.L.str.4, 19

	.type	.L.str.5,@object                // @.str.5
.L.str.5:
	.string	"%d "
	.size	.L.str.5, 4

	.type	.L.str.6,@object                // @.str.6
.L.str.6:
	.space	1
	.size	.L.str.6, 1

	.type	.L.str.7,@object                // @.str.7
.L.str.7:
	.string	"%d %d\n"
	.size	.L.str.7, 7

	.type	.L.str.8,@object                // @.str.8
.L.str.8:
	.string	"%.12f\n"
	.size	.L.str.8, 7

	.type	.L.str.9,@object                // @.str.9
.L.str.9:
	.string	"%.6f %d %g %.6f\n"
	.size	.L.str.9, 17

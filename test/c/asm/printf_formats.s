	.text
	.globl	main                            // -- Begin function main
	.p2align	4
	.type	main,@function
main:                                   // @main
// %bb.0:
	{
		memd(r29+#-16) = r17:16
		allocframe(#112)
	}                                       // 8-byte Folded Spill
	{
		memd(r29+#96) = r19:18
		memd(r29+#88) = r21:20
	}                                       // 8-byte Folded Spill
	{
		memd(r29+#80) = r23:22
		memw(r29+#56) = #0
	}                                       // 8-byte Folded Spill
	{
		r20 = memw(r29+#56)
	}
	{
		r16 = add(r20,#42)
		memw(r29+#12) = r16.new
	}
	{
		r1:0 = combine(r16,##.L.str)
		r3:2 = combine(r16,r16)
		r5:4 = combine(r16,r16)
	}
	{
		memw(r29+#8) = r16
		memw(r29+#4) = r16
	}
	{
		call printf
		memw(r29+#0) = r16
	}
	{
		r17 = sub(#-42,r20)
		r5 = #6
		r2 = #-1
		r3 = memw(r29+#56)
	}
	{
		r1:0 = combine(r17,##.L.str.1)
		r4 = memw(r29+#56)
		memw(r29+#0) = r16

	} :mem_noshuf
	{
		memw(r29+#8) = r16
		memw(r29+#16) = r16
	}
	{
		call printf
		memw(r29+#4) = #6
		memw(r29+#12) = #5
	}
	{
		r3:2 = combine(##48879,r16)
		r0 = memw(r29+#56)
	}
	{
		r5:4 = combine(##48879,r16)
		r1 = memw(r29+#56)
		memw(r29+#16) = r0

	} :mem_noshuf
	{
		r1:0 = combine(r17,##.L.str.2)
		memw(r29+#20) = r1
		memw(r29+#0) = r16
	}
	{
		memw(r29+#4) = r16
		memw(r29+#8) = r16
	}
	{
		call printf
		memw(r29+#12) = r16
	}
	{
		r1:0 = combine(#-1,#-1)
		r5:4 = combine(#-1,#-5)
		r18 = #0
	}
	{
		r19 = ##-2147483648
		memd(r29+#8) = r1:0
		memd(r29+#24) = r5:4
	}
	{
		r1 = add(r20,#342)
		r2 = add(r20,##70042)
	}
	{
		r0 = ##.L.str.3
		r3 = #-1
	}
	{
		r5:4 = combine(##1073741824,#-1)
		memd(r29+#0) = r19:18
		memw(r29+#16) = #4
	}
	{
		call printf
		memw(r29+#32) = #9
	}
	{
		r2 = ##.L.str.5
		r1:0 = combine(#97,##.L.str.4)
	}
	{
		r4 = ##.L.str.5
		memw(r29+#0) = r2
		memw(r29+#4) = r2
	}
	{
		r3:2 = combine(#99,#98)
		r5 = ##.L.str.5
		memw(r29+#8) = r2
	}
	{
		call printf
	}
	{
		r2 = ##1413754129
		r0 = memw(r29+#56)
	}
	{
		r3 = ##1074340347
	}
	{
		r1:0 = convert_w2df(r0)
	}
	{
		r21:20 = dfadd(r1:0,r3:2)
		r0 = ##.L.str.6
	}
	{
		memd(r29+#48) = r21:20
		memd(r29+#40) = r21:20
	}
	{
		r3:2 = combine(r21,r20)
		r5:4 = combine(r21,r20)
		memd(r29+#32) = r21:20
		memd(r29+#24) = r21:20
	}
	{
		memd(r29+#16) = r21:20
		memd(r29+#8) = r21:20
	}
	{
		call printf
		memd(r29+#0) = r21:20
	}
	{
		r0 = ##630506365
		r1 = ##1420970413
	}
	{
		r4 = ##-150367011
		r5 = ##-1088409986
	}
	{
		r3:2 = dfmpyfix(r1:0,r21:20)
		r1:0 = dfmpyfix(r21:20,r1:0)
		memd(r29+#8) = r5:4
		memd(r29+#16) = r21:20
	}
	{
		memd(r29+#24) = r5:4
		memd(r29+#32) = r21:20
	}
	{
		r7:6 = dfmpyll(r1:0,r3:2)
		memd(r29+#40) = r21:20
	}
	{
		r7:6 += dfmpylh(r1:0,r3:2)
	}
	{
		r7:6 += dfmpylh(r3:2,r1:0)
	}
	{
		r7:6 += dfmpyhh(r1:0,r3:2)
		r1 = ##1093567616
		r0 = #0
	}
	{
		r3:2 = combine(r21,r20)
		r0 = ##.L.str.7
		memd(r29+#48) = r1:0
	}
	{
		call printf
		memd(r29+#0) = r7:6
	}
	{
		r1 = ##1093850759
		r0 = #0
		r2 = #0
	}
	{
		r3 = ##1090021888
		memd(r29+#0) = r1:0
	}
	{
		r0 = ##-350469331
		r1 = ##1058682594
	}
	{
		r4 = ##1827003496
		r5 = ##1059073611
	}
	{
		r2 = ##-1998362383
		memd(r29+#8) = r3:2
		memd(r29+#16) = r1:0
	}
	{
		r4 = #0
		r3 = ##1055193269
		memd(r29+#24) = r5:4
	}
	{
		r5 = ##1090397184
		r0 = ##.L.str.8
	}
	{
		call printf
	}
	{
		r1 = ##-1048576
		r0 = #0
		r2 = #0
	}
	{
		r3 = ##2146435072
		memd(r29+#0) = r1:0
		memd(r29+#16) = r1:0
	}
	{
		r5:4 = combine(r3,r2)
		r0 = ##.L.str.9
		memd(r29+#8) = r3:2
	}
	{
		call printf
		memd(r29+#24) = r3:2
		memd(r29+#32) = r3:2
	}
	{
		r1 = ##1074003968
		r0 = #0
		r2 = #0
	}
	{
		r3 = ##1070596096
		memd(r29+#0) = r1:0
	}
	{
		r0 = ##618475291
		r1 = ##1073742086
	}
	{
		r4 = ##640942080
		r5 = ##1124887541
	}
	{
		r23 = ##1071644672
		r22 = #0
		memd(r29+#8) = r3:2
	}
	{
		r4 = #0
		memd(r29+#24) = r5:4
		memd(r29+#16) = r1:0
	}
	{
		r5 = ##1073217536
		r0 = ##.L.str.10
	}
	{
		call printf
		r3:2 = combine(r23,r22)
	}
	{
		r2 = ##-1717986918
		r0 = memw(r29+#56)
	}
	{
		r3 = ##1069128089
		r4 = ##-1167913163
	}
	{
		r5 = ##1132161460
		r0 = add(r0,#1)
		memd(r29+#0) = r3:2
	}
	{
		r1:0 = convert_w2df(r0)
		r5:4 = combine(r19,r18)
		memd(r29+#8) = r5:4
	}
	{
		call printf
		r3:2 = and(r19:18,~r1:0)
		r0 = ##.L.str.11
	}
	{
		r1:0 = dfmpyfix(r23:22,r21:20)
		r3:2 = dfmpyfix(r21:20,r23:22)
		r4 = #0
	}
	{
		r5 = ##-1073479680
	}
	{
		r7 = ##1083179008
		r6 = #0
		memd(r29+#0) = r5:4
	}
	{
		r5:4 = dfmpyll(r3:2,r1:0)
		memd(r29+#8) = r7:6
	}
	{
		r5:4 += dfmpylh(r3:2,r1:0)
	}
	{
		r5:4 += dfmpylh(r1:0,r3:2)
	}
	{
		r5:4 += dfmpyhh(r3:2,r1:0)
		r3 = ##1072693248
		r2 = #0
	}
	{
		call printf
		r0 = ##.L.str.12
	}
	{
		r1 = #16
		r2 = ##.L.str.13
		r0 = add(r29,#64)
	}
	{
		call snprintf
		r3 = ##.L.str.14
	}
	{
		call printf
		r1:0 = combine(r0,##.L.str.15)
		r2 = add(r29,#64)
	}
	{
		r3 = #12345
		r2 = ##.L.str.17
		r1:0 = combine(#0,#0)
	}
	{
		call snprintf
		r4 = r16
	}
	{
		call printf
		r1:0 = combine(r0,##.L.str.16)
	}
	{
		r1 = ##.L.str.18
		r0 = add(r29,#64)
		r2 = r16
	}
	{
		call sprintf
	}
	{
		call printf
		r0 = ##.L.str.21
		r16 = r0
	}
	{
		r1:0 = combine(r16,##.L.str.19)
		r2 = add(r29,#64)
		r4 = r0
	}
	{
		call printf
		r3 = ##.L.str.20
	}
	{
		r0 = ##.L.str.22
		r1 = add(r29,#60)
		memw(r29+#60) = #0
	}
	{
		call printf
	}
	{
		r2 = #4
		r0 = ##.L.str.23
		r1 = memw(r29+#60)
	}
	{
		call printf
	}
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
		r31:30 = dealloc_return(r30):raw
	}
.Lfunc_end0:
	.size	main, .Lfunc_end0-main
                                        // -- End function
	.type	.L.str,@object                  // @.str
	.section	.rodata.str1.1,"aMS",@progbits,1
.L.str:
	.string	"[%d] [%5d] [%-5d] [%05d] [%+d] [% d] [%.4d] [%8.4d] [%-8.4d|]\n"
	.size	.L.str, 63

	.type	.L.str.1,@object                // @.str.1
.L.str.1:
	.string	"[%d] [%i] [%.0d] [%+.0d] [%*d] [%-*d|] [%.*d]\n"
	.size	.L.str.1, 47

	.type	.L.str.2,@object                // @.str.2
.L.str.2:
	.string	"[%u] [%x] [%X] [%#x] [%#X] [%o] [%#o] [%08x] [%#010x] [%#x] [%#o]\n"
	.size	.L.str.2, 67

	.type	.L.str.3,@object                // @.str.3
.L.str.3:
	.string	"[%hhd] [%hd] [%hhu] [%hu] [%ld] [%lld] [%llu] [%zu] [%jd] [%td]\n"
	.size	.L.str.3, 65

	.type	.L.str.4,@object                // @.str.4
.L.str.4:
	.string	"[%c] [%3c] [%-3c|] [%s] [%8s] [%-8s|] [%.2s] [%8.3s] [%%]\n"
	.size	.L.str.4, 59

	.type	.L.str.5,@object                // @.str.5
.L.str.5:
	.string	"text"
	.size	.L.str.5, 5

	.type	.L.str.6,@object                // @.str.6
.L.str.6:
	.string	"[%f] [%.2f] [%10.3f] [%-10.3f|] [%010.3f] [%+f] [% f] [%.0f] [%#.0f]\n"
	.size	.L.str.6, 70

	.type	.L.str.7,@object                // @.str.7
.L.str.7:
	.string	"[%e] [%.2e] [%E] [%12.4e] [%g] [%G] [%.10g] [%#g] [%g]\n"
	.size	.L.str.7, 56

	.type	.L.str.8,@object                // @.str.8
.L.str.8:
	.string	"[%g] [%g] [%g] [%g] [%g] [%.3g]\n"
	.size	.L.str.8, 33

	.type	.L.str.9,@object                // @.str.9
.L.str.9:
	.string	"[%f] [%F] [%5.1f] [%05f] [%e] [%g] [%-6f|]\n"
	.size	.L.str.9, 44

	.type	.L.str.10,@object               // @.str.10
.L.str.10:
	.string	"[%.0f] [%.0f] [%.0f] [%.1f] [%.3f] [%f]\n"
	.size	.L.str.10, 41

	.type	.L.str.11,@object               // @.str.11
.L.str.11:
	.string	"[%f] [%g] [%.20f] [%f]\n"
	.size	.L.str.11, 24

	.type	.L.str.12,@object               // @.str.12
.L.str.12:
	.string	"[%a] [%a] [%a] [%A]\n"
	.size	.L.str.12, 21

	.type	.L.str.13,@object               // @.str.13
.L.str.13:
	.string	"%s"
	.size	.L.str.13, 3

	.type	.L.str.14,@object               // @.str.14
.L.str.14:
	.string	"exactly fifteen and more"
	.size	.L.str.14, 25

	.type	.L.str.15,@object               // @.str.15
.L.str.15:
	.string	"%d [%s]\n"
	.size	.L.str.15, 9

	.type	.L.str.16,@object               // @.str.16
.L.str.16:
	.string	"%d\n"
	.size	.L.str.16, 4

	.type	.L.str.17,@object               // @.str.17
.L.str.17:
	.string	"%d-%d"
	.size	.L.str.17, 6

	.type	.L.str.18,@object               // @.str.18
.L.str.18:
	.string	"%d"
	.size	.L.str.18, 3

	.type	.L.str.19,@object               // @.str.19
.L.str.19:
	.string	"%d %s %s %d\n"
	.size	.L.str.19, 13

	.type	.L.str.20,@object               // @.str.20
.L.str.20:
	.string	"end"
	.size	.L.str.20, 4

	.type	.L.str.21,@object               // @.str.21
.L.str.21:
	.string	"nested\n"
	.size	.L.str.21, 8

	.type	.L.str.22,@object               // @.str.22
.L.str.22:
	.string	"count%n\n"
	.size	.L.str.22, 9

	.type	.L.str.23,@object               // @.str.23
.L.str.23:
	.string	"%d %d\n"
	.size	.L.str.23, 7

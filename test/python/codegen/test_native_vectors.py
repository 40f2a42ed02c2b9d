"""qfloat chains and native vectors: what the rewritten IR computes, and how few conversions it needs."""

import os
import re
import subprocess
import sys

import numpy as np
import pytest
from batch import on_simulator
from linalg_programs import Program, generic, run_all
from text_rewrites import keep_copies_in_order, order_loops, use_native_vectors

from hexagon_mlir.codegen import emit
from hexagon_mlir.codegen.hvx.multiply_formats import Availability, choose_formats, conversions
from hexagon_mlir.codegen.hvx.native_parts import constant_words
from hexagon_mlir.codegen.hvx.qfloat_spills import qfloat_spills
from hexagon_mlir.codegen.scheduling.list_schedule import schedule
from hexagon_mlir.codegen.scheduling.loop_order import Addresses, graph
from hexagon_mlir.codegen.scheduling.static_cost import BACKWARDS, OVERHEAD, TRIPS, static_cost
from hexagon_mlir.llvmir import Function, Module, parse_line, renamed
from hexagon_mlir.llvmir.types import lanes_of, mask_numbers, split_commas, split_type
from hexagon_mlir.targets import get


def kernel(*lines: str, lanes: int = 32, element: str = "float") -> str:
    """A function that loads %x and %y, computes ``lines`` and stores %r."""
    type_ = f"<{lanes} x {element}>"
    body = "\n".join(f"  {line}" for line in lines).replace("TYPE", type_)
    return (f"define void @f(ptr %p, ptr %q, ptr %o) {{\n"
            f"  %x = load {type_}, ptr %p, align 128\n  %y = load {type_}, ptr %q, align 128\n{body}\n"
            f"  store {type_} %r, ptr %o, align 128\n  ret void\n}}\n")


def calls(text: str, name: str) -> int:
    return sum(f"call <32 x i32> @llvm.hexagon.V6.{name}" in line for line in text.split("\n"))


class TestText:
    def test_commas_and_types(self):
        assert split_commas("<2 x i1> <i1 true, i1 false>, ptr %a") == ["<2 x i1> <i1 true, i1 false>", "ptr %a"]
        assert split_type("<64 x float> %a") == ("<64 x float>", "%a")
        assert lanes_of("<i32 3, i32 4>", 2) == ("3", "4")
        assert lanes_of("splat (half 0xH3C00)", 3) == ("0xH3C00",) * 3
        assert lanes_of("%a", 3) is None
        assert mask_numbers("<i32 3, i32 4>", 2) == [3, 4]
        assert mask_numbers("<i32 3, i32 poison>", 2) is None and mask_numbers("%a", 2) is None

    def test_names_are_replaced_as_a_whole(self):
        assert renamed("  %a = add i32 %a.1, %ab, %a", {"%a": "%c", "%a.1": "%a"}) == "  %c = add i32 %a, %ab, %c"

    def test_a_select_with_constants(self):
        line = parse_line("  %7 = select <2 x i1> <i1 true, i1 false>, <2 x float> %a, "
                          "<2 x float> splat (float 1.0), !dbg !3")
        assert (line.type, line.operands[1:], line.debug) == ("<2 x float>", ["%a", "splat (float 1.0)"], ", !dbg !3")

    def test_unnamed_values_get_names_that_are_free(self):
        text = "define void @f(ptr %0, i32 %n7) {\n  %2 = load i32, ptr %0, align 4\n  br label %3\n\n3:\n  ret void\n}"
        lines = [i.text for i in Module.parse(text).functions[0].records]
        assert lines[:3] == ["define void @f(ptr %nn0, i32 %n7) {", "nn1:", "  %nn2 = load i32, ptr %nn0, align 4"]
        assert lines[3] == "  br label %nn3"


class TestFormats:
    FREE, ONE = 0.0, 1.0

    def test_one_value_turned_once_serves_a_polynomial(self):
        values = {"x": Availability(0, 1), **{f"t{i}": Availability(1, 0) for i in range(3)}}
        assert choose_formats([("x", f"t{i}") for i in range(3)], values) == [True] * 3

    def test_ieee_operands_stay(self):
        values = {"x": Availability(0, 1), "y": Availability(0, 1)}
        assert choose_formats([("x", "y")], values) == [False]

    def test_never_worse_than_either_uniform_choice(self):
        rng = np.random.default_rng(1)
        for _ in range(50):
            values = {f"v{i}": Availability(float(rng.integers(0, 2)), float(rng.integers(0, 2))) for i in range(6)}
            products = [tuple(f"v{k}" for k in rng.integers(0, 6, 2)) for _ in range(8)]
            chosen = conversions(choose_formats(products, values), products, values)
            assert chosen <= min(conversions([f] * 8, products, values) for f in (False, True))


class TestChains:
    def test_a_chain_is_converted_once(self):
        text = use_native_vectors(kernel("%a = fmul TYPE %x, %y", "%b = fadd TYPE %a, %x",
                                         "%r = fadd TYPE %b, %y"), True)
        assert calls(text, "vconv.sf.qf32") == 1 and "fadd" not in text
        assert calls(text, "vmpy.qf32.sf") == calls(text, "vadd.qf32.mix") // 2 == 1

    def test_what_cancelled_is_normalised_before_a_product(self):
        text = use_native_vectors(kernel("%a = fsub TYPE %x, %y", "%r = fmul TYPE %a, %a"), True)
        assert calls(text, "vconv.sf.qf32") + calls(text, "vadd.qf32.mix") == 2  # one of them for the result
        text = use_native_vectors(kernel("%a = fmul TYPE %x, %y", "%r = fmul TYPE %a, %a"), True)
        assert calls(text, "vconv.sf.qf32") + calls(text, "vadd.qf32.mix") == 1

    def test_ieee_minus_product_with_a_constant(self):
        text = use_native_vectors(kernel("%a = fmul TYPE %y, splat (float 3.0)", "%r = fsub TYPE %x, %a"), True)
        assert calls(text, "vadd.qf32.mix") == 1 and calls(text, "vsub") == 0
        assert f"splat (i32 {np.float32(-3.0).view(np.int32)})" in text

    def test_words_of_constants_and_of_words_take_no_bitcast(self):
        text = use_native_vectors(kernel("%a = fmul TYPE %x, splat (float 0.5)", "%b = fsub TYPE %a, %y",
                                         "%c = bitcast TYPE %b to <32 x i32>", "%d = add <32 x i32> %c, splat (i32 1)",
                                         "%e = bitcast <32 x i32> %d to TYPE", "%r = fmul TYPE %e, %e"), True)
        assert f"splat (i32 {np.float32(0.5).view(np.int32)})" in text
        casts = re.findall(r"bitcast <32 x (\w+)> .* to <32 x (\w+)>", text)
        assert casts.count(("float", "i32")) == 2  # %x and %y

    @pytest.mark.parametrize("value, words", [
        ("zeroinitializer", "zeroinitializer"), ("splat (float 0xBFF0000000000000)", "splat (i32 -1082130432)"),
        ("splat (float 1.000000e+00)", "splat (i32 1065353216)"), ("splat (half 0xH3C00)", "splat (i32 1006648320)"),
        ("splat (half 0xHBC00)", "splat (i32 -1140802560)"), ("splat (float -0.0)", f"splat (i32 {-1 << 31})"),
        ("splat (float 0x7FF0000000000000)", "splat (i32 2139095040)"), ("splat (float 0x7FF4000000000000)", ""),
        ("splat (i16 7)", ""), ("%x", ""), ("<float 1.0, float 2.0>", "")])
    def test_words_of_constants(self, value, words):
        assert constant_words(value) == words

    def test_a_sum_round_a_loop_stays_qfloat(self):
        text = use_native_vectors("""define void @f(ptr %p, ptr %o, i32 %n) {
entry:
  br label %loop

loop:
  %s = phi <32 x float> [ zeroinitializer, %entry ], [ %t, %loop ]
  %i = phi i32 [ 0, %entry ], [ %j, %loop ]
  %q = getelementptr <32 x float>, ptr %p, i32 %i
  %x = load <32 x float>, ptr %q, align 128
  %t = fadd <32 x float> %s, %x
  %j = add i32 %i, 1
  %c = icmp eq i32 %j, %n
  br i1 %c, label %end, label %loop

end:
  store <32 x float> %t, ptr %o, align 128
  ret void
}
""", True)
        loop = text[text.index("loop:"):text.index("end:")]
        assert "phi <32 x i32>" in loop and "vconv" not in loop
        assert calls(text[text.index("end:"):], "vconv.sf.qf32") == 1

    def test_no_qfloat_constant_lives_across_a_call(self):
        """It would be stored to the stack: LLVM corrupts it, and every variant of the code would be thrown away."""
        asm = emit("""declare void @llvm.memset.p0.i32(ptr, i8, i32, i1)
define void @f(ptr noalias %p, ptr noalias %o, i32 %n) {
entry:
  call void @llvm.memset.p0.i32(ptr %o, i8 0, i32 %n, i1 false)
  br label %rows

rows:
  %r = phi i32 [ 0, %entry ], [ %next, %end ]
  br label %loop

loop:
  %s = phi <32 x float> [ splat (float -0.0), %rows ], [ %t, %loop ]
  %i = phi i32 [ 0, %rows ], [ %j, %loop ]
  %q = getelementptr <32 x float>, ptr %p, i32 %i
  %x = load <32 x float>, ptr %q, align 128
  %t = fadd <32 x float> %s, %x
  %j = add i32 %i, 1
  %c = icmp eq i32 %j, %n
  br i1 %c, label %end, label %loop

end:
  %a = getelementptr <32 x float>, ptr %o, i32 %r
  store <32 x float> %t, ptr %a, align 128
  %next = add i32 %r, 1
  %d = icmp eq i32 %next, %n
  br i1 %d, label %out, label %rows

out:
  ret void
}
""", get("v75"))
        assert "memset" in asm and not qfloat_spills(asm)
        assert re.search(r"v(\d+)\.qf32 = vadd\(v\1\.qf32,v\d+\.sf\)", asm), "the sum is converted in every iteration"

    def test_wide_conversions_leave_the_lanes_apart(self):
        text = use_native_vectors(kernel(
            "%a = fpext TYPE %x to <64 x float>", "%b = fmul <64 x float> %a, %a",
            "%r = fptrunc <64 x float> %b to TYPE", lanes=64, element="half"), True)
        assert "shuff" not in text and "vdeal" not in text
        assert calls(text, "vconv.hf.qf32") == 1 and calls(text, "vconv.sf") == 0

    def test_scalars_and_other_widths_stay(self):
        text = kernel("%r = fadd TYPE %x, %y", lanes=8)
        assert "hexagon" not in use_native_vectors(text, True)

    @pytest.mark.parametrize("target", ["v68", "v75", "v79"])
    def test_everything_compiles_for_every_chip(self, target):
        asm = emit(kernel("%a = fmul TYPE %x, %y", "%b = fsub TYPE %x, %a", "%c = fcmp olt TYPE %b, %x",
                          "%r = select <64 x i1> %c, TYPE %a, TYPE %b", lanes=64), get(target))
        assert ".qf32" in asm if target != "v79" else ".qf32" not in asm


class TestOrder:
    LOAD = "%{0} = load <32 x float>, ptr %{1}, align 128"
    CALL = "%{0} = call <32 x i32> @llvm.hexagon.V6.{2}.128B(<32 x i32> %{1}, <32 x i32> %{1})"
    BODY = (LOAD.format("a", "p"), LOAD.format("b", "q"), CALL.format("a1", "a", "vmpy.qf32.sf"),
            CALL.format("b1", "b", "vmpy.qf32.sf"), CALL.format("a2", "a1", "vadd.qf32"),
            CALL.format("b2", "b1", "vadd.qf32"))

    def nodes(self):
        body = [parse_line(f"  {line}") for line in self.BODY]
        return graph(body, Addresses(Function(records=[parse_line("define void @f(ptr %p, ptr %q) {"), *body])))

    def test_copies_and_dependences(self):
        nodes = self.nodes()
        assert [n.copy for n in nodes] == [0, 1, 0, 1, 0, 1]
        assert [n.before for n in nodes] == [[], [], [0], [1], [2], [3]]
        assert nodes[0].height == 4  # load, two packets, product, two packets, sum

    @pytest.mark.parametrize("lead", [0, 4, 1000])
    @pytest.mark.parametrize("registers", [1, 2, 8])
    def test_every_order_is_a_topological_one(self, lead, registers):
        nodes = self.nodes()
        order = schedule(nodes, registers, lead).order
        assert sorted(order) == list(range(len(nodes)))
        assert all(order.index(b) < order.index(n) for n in order for b in nodes[n].before)

    def test_stores_pass_loads_of_other_buffers_only(self):
        def apart(load, store):
            lines = ["define void @f(ptr %p, ptr %q, i32 %i) {", "  %a = getelementptr float, ptr %p, i32 %i",
                     "  %b = getelementptr float, ptr %q, i32 %i", "  %a1 = getelementptr i8, ptr %a, i32 128",
                     "  %u = load ptr, ptr %p, align 4", "  %c = getelementptr float, ptr %u, i32 %i"]
            return Addresses(Function(records=[parse_line(line) for line in lines])).apart(load, store, 128)

        assert apart("%a1", "%b") and apart("%a1", "%a")  # the next vector, of another buffer or of this one
        assert not apart("%a", "%b")  # perhaps the same buffer
        assert not apart("%a1", "%c") and not apart("%a", "%p")  # loaded pointers, other indices

    def test_only_loops_are_ordered(self):
        text = "define void @f(ptr %p) {\n  %x = call <32 x i32> @llvm.hexagon.V6.vd0.128B()\n  ret void\n}"
        assert "ret void" in order_loops(text)


@pytest.mark.parametrize(("line", "marked"), [("", True), ("  %y = fadd <32 x float> %x, %x\n", False)])
def test_copies_are_not_pipelined(line, marked):
    text = ("define void @f(ptr %p, i32 %n) {\nentry:\n  br label %loop\n\nloop:\n"
            f"  %x = load <32 x float>, ptr %p, align 4\n{line}  store <32 x float> %x, ptr %p, align 4\n"
            "  %c = icmp eq i32 %n, 0\n  br i1 %c, label %end, label %loop\n\nend:\n  ret void\n}\n\n!0 = !{}\n")
    result = keep_copies_in_order(text)
    assert ("label %loop, !llvm.loop !2" in result and "!2 = distinct !{!2, !1}" in result) == marked
    assert marked or result == text


@pytest.mark.parametrize(("source", "result", "kept"), [
    ("ptr", "shufflevector <32 x float> %x, <32 x float> %x, <32 x i32> zeroinitializer", True),
    ("ptr", "call <32 x float> @llvm.hexagon.V6.vdelta.128B(<32 x float> %x, <32 x float> %x)", True),
    ("ptr", "call <32 x float> @llvm.hexagon.V6.vadd.sf.128B(<32 x float> %x, <32 x float> %x)", False),
    ("ptr addrspace(1)", "shufflevector <32 x float> %x, <32 x float> %x, <32 x i32> zeroinitializer", False)])
def test_rearranged_vectors_of_ddr_are_loaded_in_order(source, result, kept):
    text = ("define void @f(ptr %p, ptr %q, i1 %c) {\nentry:\n  br label %loop\nloop:\n"
            f"  %x = load <32 x float>, {source} %p, align 4\n  %y = {result}\n"
            "  store <32 x float> %y, ptr %q, align 4\n"
            "  br i1 %c, label %end, label %loop\n\nend:\n  ret void\n}\n")
    got = keep_copies_in_order(text)
    assert ("load volatile <32 x float>, ptr %p" in got and "!llvm.loop" in got) == kept
    assert kept or got == text


def test_static_cost_counts_loops():
    packet = "\t{\n\t\tr0 = r1\n\t}"
    asm = f"f:\n\t{{\n\t\tloop0(.L,#4)\n\t}}\n.L:\n{packet}\n{packet} :endloop0\n{packet}\n"
    assert static_cost(asm).packets == 2 + 2 * TRIPS
    assert static_cost(f"f:\n.L:\n{packet}\n\t{{\n\t\tif (p0) jump:nt .L\n\t}}\n").packets == 2 * TRIPS


@pytest.mark.parametrize(("lines", "least"), [
    (["v0 = vmem(r0+#0)", "v1.qf32 = vadd(v2.sf,v3.sf)", "r0 = add(r0,#128)"], 1),
    (["v1.qf32 = vadd(v2.sf,v3.sf)", "v4.sf = v5.qf32", "v6.qf32 = vmpy(v2.sf,v3.sf)"], 2),
    (["v1.qf32 = vmpy(v2.sf,v3.sf)", "v4.qf32 = vmpy(v5.qf32,v2.qf32)", "v7:6.qf32 = vmpy(v2.hf,v3.hf)"], 3),
    (["vmem(r0+#0) = v1", "vmem(r0+#1) = v2", "vmem(r0+#2) = v3", "v1.w = vadd(v1.w,v2.w)"], 3),
    (["v1 = vmem(r0+#0)", "v3:2.w += vmpy(v1.h,v4.h)"], 1),
    (["v0 = vand(v1,v2)"] * 9, 3)])
def test_least_packets_of_a_loop(lines, least):
    packets = "".join(f"\t{{\n\t\t{line}\n\t}}\n" for line in lines)
    cost = static_cost(f"f:\n\t{{\n\t\tloop0(.L,#4)\n\t}}\n.L:\n{packets}\t{{\n\t\tnop\n\t}} :endloop0\n")
    assert cost.packets == 1 + (len(lines) + 1) * TRIPS
    assert cost.bound == 1 + max(least, -(-(len(lines) + 1) // 4)) * TRIPS


@pytest.mark.parametrize(("line", "wasted"), [
    ("vmem(r29+#2) = v1", 1), ("r5 = add(r29,#2048)", 1), ("v4 = v5", 1), ("v4 = vmem(r29+#2)", 0),
    ("vmem(r2+#2) = v1", 0), ("r5 = add(r28,#2048)", 0), ("v5:4 = vcombine(v1,v2)", 0)])
def test_what_no_expert_would_write_costs_extra_in_loops(line, wasted):
    packets = f"\t{{\n\t\tv1.w = vadd(v2.w,v3.w)\n\t}}\n\t{{\n\t\t{line}\n\t}}\n"
    cost = static_cost(f"f:\n{packets}\t{{\n\t\tloop0(.L,#4)\n\t}}\n.L:\n{packets}\t{{\n\t\tnop\n\t}} :endloop0\n")
    assert cost.overhead == wasted * OVERHEAD * TRIPS
    assert cost.packets == 3 + 3 * TRIPS + cost.overhead
    assert cost.above_bound == pytest.approx((3 + 3 * TRIPS) / cost.bound - 1)


@pytest.mark.parametrize(("lines", "extra"), [
    (["v0 = vmem(r0+#1)", "v1 = vmem(r0+#0)", "r0 = add(r0,#256)"], BACKWARDS),  # a stream
    (["v0 = vmem(r0+#1)", "v1 = vmem(r0+#0)", "r1:0 = combine(r3,r2)"], BACKWARDS),
    (["v0 = vmem(r0+#1)", "v1 = vmem(r0+#0)", "r1 = add(r1,#256)"], 0)])  # a table
def test_streams_that_run_backwards_cost_extra(lines, extra):
    packets = "".join(f"\t{{\n\t\t{line}\n\t}}\n" for line in lines)
    cost = static_cost(f"f:\n\t{{\n\t\tloop0(.L,#4)\n\t}}\n.L:\n{packets}\t{{\n\t\tnop\n\t}} :endloop0\n")
    assert cost.packets == 1 + (len(lines) + 1 + extra) * TRIPS


@pytest.mark.parametrize("lines", [
    ["r0 = add(r0,#4)", "memw(r0+#0) = r1", "p0 = cmp.eq(r0,r1)"],
    ["v0 = vmem(r0+#0)", "v1 = vmemu(r0+#1)", "v2 = valign(v0,v1,r3)", "v3 = vmux(q0,v2,v1)", "v4 = v3",
     "q1 = vcmp.gt(v1.uw,v0.uw)", "vmem(r1+#0) = v4"]])
def test_loops_that_compute_no_vectors_have_no_excess(lines):
    packets = "".join(f"\t{{\n\t\t{line}\n\t}}\n" for line in lines)
    cost = static_cost(f"f:\n\t{{\n\t\tloop0(.L,#4)\n\t}}\n.L:\n{packets}\t{{\n\t\tnop\n\t}} :endloop0\n")
    assert cost.above_bound == 0


@pytest.mark.ieee_arithmetic
@pytest.mark.parametrize("target", ["v75", "v79"])
def test_mixed_widths_against_numpy(target):
    rng = np.random.default_rng(5)
    half, wide = rng.normal(0, 2, 333).astype(np.float16), rng.normal(0, 2, 333).astype(np.float32)
    small = rng.integers(-128, 127, 333, np.int8)
    result = half.astype(np.float32) * wide - half.astype(np.float32)
    loops, along = ["parallel"], (0,)
    mixed = generic("mixed", loops, [(half, "f16", along), (wide, "f32", along)], (wide, "f32", along), [
        "%0 = arith.extf %i0 : f16 to f32", "%1 = arith.mulf %0, %i1 : f32", "%2 = arith.subf %1, %0 : f32"], "%2")
    narrow = generic("narrow", loops, [(half, "f16", along), (small, "i8", along)], (half, "f16", along), [
        "%0 = arith.extf %i0 : f16 to f32", "%1 = arith.extsi %i1 : i8 to i32", "%2 = arith.sitofp %1 : i32 to f32",
        "%3 = arith.addf %0, %2 : f32", "%4 = arith.truncf %3 : f32 to f16"], "%4")
    programs = [Program("mixed", mixed, [half, wide, wide], result, np.full(333, 1e-5)),
                Program("narrow", narrow, [half, small, half], (half.astype(np.float32) + small).astype(np.float16))]
    call, _ = on_simulator(mixed + narrow, target=target)
    for program in programs:
        got = np.zeros_like(program.expected)
        call(program.name, [*program.arguments, got])
        program.check(got)


def test_lanes_chosen_by_their_number_keep_their_order_when_widened():
    """Nothing but a constant says in which order the lanes of the mask are."""
    x, bound, old = np.arange(-2, 2, dtype=np.int16), np.array([6], np.int16), np.zeros((8, 4, 1), np.int32)
    body = ["      %d = linalg.index 0 : index", "      %n = arith.index_cast %d : index to i16",
            "      %c = arith.constant 1 : i16", "      %p = arith.cmpi slt, %n, %i1 : i16",
            "      %s = arith.select %p, %i0, %c : i16", "      %r = arith.extsi %s : i16 to i32"]
    text = generic("f", ["parallel"] * 3, [(x, "i16", (1,)), (bound, "i16", (2,))], (old, "i32", (0, 1, 2)), body, "%r")
    expected = np.where(np.arange(8)[:, None] < 6, x, 1)[..., None]
    run_all([Program("f", text, [x, bound, old], expected)], on_simulator(text)[0])


@pytest.mark.parametrize(("packet", "words"), [
    (["v11.w = v11.sf", "q3 = vcmp.gt(v29.w,v15.w)", "v2 = vmux(q0,v2,v14)"], "to integer, test, choose"),
    (["v1.qf32 = vmpy(v2.sf,v3.sf)", "v4.qf32 = vadd(v5.qf32,v6.sf)", "r2 = add(r1,#512)", "v7 = vmem(r29+#3)"],
     "reload, product, sum, address"),
    (["v1.sf = v2.qf32", "vmem(r0+#1) = v1.new"], "to IEEE, store"),
    (["v1 = vand(v2,v3)", "v4 = vor(v5,v6)", "vmem(r29+#0) = v1"], "2 x exponent and mantissa, spill"),
    (["nop"], "")])
def test_remarks_of_packets(packet, words):
    from bench.remarks import remark

    assert remark(packet) == words


class TestWideningProducts:
    """Products of narrow factors are one instruction per vector; what they give is tested with the contractions."""

    def emitted(self, *lines: str, lanes: int, element: str) -> str:
        return use_native_vectors(kernel(*lines, lanes=lanes, element=element), True)

    @pytest.mark.parametrize(("element", "cast", "wide", "product", "name"), [
        ("half", "fpext", "float", "fmul", "vmpy.qf32.hf"), ("i16", "sext", "i32", "mul", "vmpyhv"),
        ("i16", "zext", "i32", "mul", "vmpyuhv"), ("i8", "sext", "i16", "mul", "vmpybv"),
    ])
    def test_one_multiplication_per_vector(self, element, cast, wide, product, name):
        lanes = 1024 // {"half": 16, "i16": 16, "i8": 8}[element]
        back = "fptrunc" if element == "half" else "trunc"
        text = self.emitted(f"%a = {cast} TYPE %x to <{lanes} x {wide}>", f"%b = {cast} TYPE %y to <{lanes} x {wide}>",
                            f"%m = {product} <{lanes} x {wide}> %a, %b", f"%r = {back} <{lanes} x {wide}> %m to TYPE",
                            lanes=lanes, element=element)
        assert f"call <64 x i32> @llvm.hexagon.V6.{name}.128B" in text

    @pytest.mark.parametrize(("left", "right", "name"), [("sext", "sext", "vrmpybv"), ("zext", "zext", "vrmpyubv"),
                                                         ("sext", "zext", "vrmpybusv"), ("zext", "sext", "vrmpybusv")])
    def test_sums_of_four_products_of_bytes(self, left, right, name):
        def every_fourth(first):
            mask = ", ".join(f"i32 {k}" for k in range(first, 128, 4))
            return (f"%s{first} = shufflevector <128 x i32> %m, <128 x i32> poison, <32 x i32> <{mask}>")

        lines = [f"%a = {left} TYPE %x to <128 x i32>", f"%b = {right} TYPE %y to <128 x i32>",
                 "%m = mul <128 x i32> %a, %b", *(every_fourth(k) for k in range(4)),
                 "%t0 = add <32 x i32> %s0, %s1", "%t1 = add <32 x i32> %s2, %s3", "%t = add <32 x i32> %t0, %t1",
                 "%o0 = load <32 x i32>, ptr %o, align 128", "%u = add <32 x i32> %o0, %t",
                 "%r = bitcast <32 x i32> %u to TYPE"]
        text = self.emitted(*lines, lanes=128, element="i8")
        assert text.count(f"call <32 x i32> @llvm.hexagon.V6.{name}.acc.128B(") == 1
        swapped = [line.replace("%s1 = ", "%s9 = ").replace("%s2 = ", "%s1 = ").replace("%s9 = ", "%s2 = ")
                   for line in lines]
        assert "vrmpy" not in self.emitted(*swapped, lanes=128, element="i8"), "lanes in another order"

    def test_interleaving_is_one_instruction(self):
        mask = ", ".join(f"i32 {k}, i32 {k + 128}" for k in range(128))
        text = self.emitted(f"%z = shufflevector TYPE %x, TYPE %y, <256 x i32> <{mask}>",
                            "%r = shufflevector <256 x i8> %z, <256 x i8> poison, <128 x i32> <"
                            + ", ".join(f"i32 {k}" for k in range(128)) + ">", lanes=128, element="i8")
        assert text.count("call <64 x i32> @llvm.hexagon.V6.vshuffvdd.128B(") == 1


def test_the_same_text_in_every_process():
    """A call that keeps its operands whole: they are put together in their order, not in that of a set."""
    sums = [f"%s{n} = fmul TYPE %{'x' if n % 2 else 'y'}, splat (float {n}.5)" for n in range(6)]
    text = kernel(*sums, f"call void @g({', '.join(f'TYPE %s{n}' for n in range(6))})", "%r = fadd TYPE %x, %y")
    rewrite = ("import sys; from hexagon_mlir.codegen.hvx.native_vectors import use_native_vectors as use\n"
               "from hexagon_mlir.llvmir import Module\n"
               "sys.stdout.write(use(Module.parse(sys.stdin.read()), True).text)")
    first, second = (subprocess.run([sys.executable, "-c", rewrite], input=text, capture_output=True, text=True,
                                    check=True, env={**os.environ, "PYTHONHASHSEED": seed}).stdout for seed in "01")
    assert first == second and "@g(" in first and "vmpy" in first
